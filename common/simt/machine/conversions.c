/* Conversions of floating-point numbers to integers with a GPU's results. C++ leaves them
 * undefined, and an x86 processor gives other results.
 *
 * A number outside an integer type's range becomes the nearest value of the range. NaN becomes 0
 * (or, if either type has 64 bits, the lowest): PTX's cvt. Types narrower than 32 bits use the low
 * bits of a 32-bit result. The compiler reports such a conversion (-fsanitize=float-cast-overflow)
 * just before it. The first time at a place, single steps find the converting instruction, and its
 * result is replaced. Later a breakpoint on that instruction does so, set only until it is reached,
 * because a step in a virtual machine may take 20 us. In range, a conversion costs one
 * comparison. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "observe/recorder.h"

#ifdef __x86_64__

#include "machine/instructions.h"

enum { TRAP_FLAG = 0x100, MOST_STEPS = 4096, STEPS_TO_HIGHEST_BIT = 8, BREAKPOINT = 0xcc };

/* The source and target type of a conversion. */
struct types {
    unsigned int bits;   /* of the integer: 32 or 64 */
    unsigned int narrow; /* the program's type: 8 to 64 */
    bool is_signed, of_double;
};

/* A converting instruction that a report of the compiler leads to. */
struct spot {
    struct spot *next;
    uint8_t *code;
    uint8_t original; /* its first byte */
    unsigned int
        awaited; /* pending conversions out of range; the breakpoint is set while there are any */
    struct types types;
};
static struct spot *spots;

/* A place where the compiler reports, and the instructions that it leads to, if known. For an
 * unsigned 64-bit integer there are two ways: for numbers too large for a signed one, 2^63 is
 * subtracted first, and the highest bit is flipped later. only_steps: unknown for good. */
enum way { AS_IT_IS, LESS, WAYS };
enum { SITES = 256 };
static struct site {
    struct site *next;
    const void *caller;
    struct spot *spots[WAYS];
    bool only_steps;
} * sites[SITES];

/* Reported conversions that are not found yet: mostly one. */
enum { MOST_TOLD = 4 };
struct told {
    double value;
    uint64_t result;
    struct types types;
    struct site *site; /* the site to update; NULL: none */
};
static struct {
    struct told told[MOST_TOLD];
    unsigned int count, steps;
    bool is_telling;    /* single steps are in the runtime itself */
    int highest_bit_of; /* a register whose highest bit may be flipped; -1: none */
} pending = {.highest_bit_of = -1};

static const double two_to_63 = 9223372036854775808.0;
static const uint64_t HIGHEST_BIT = UINT64_C(1) << 63;

static uint64_t converted(double value, struct types types)
{
    const unsigned int bits = types.bits;
    double limit = ldexp(1, (int)(bits - types.is_signed));
    uint64_t highest = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    if (value != value) {
        return bits == 64 || types.of_double ? UINT64_C(1) << (bits - 1) : 0;
    }
    if (value >= limit) {
        return types.is_signed ? highest >> 1 : highest;
    }
    if (types.is_signed) {
        return value < -limit ? UINT64_C(1) << (bits - 1) : (uint64_t)(int64_t)value & highest;
    }
    return value <= -1 ? 0 : (uint64_t)value;
}

/* Whether the compiler reports this value. */
static bool is_out_of_range(double value, struct types types)
{
    const double limit = ldexp(1, (int)(types.narrow - types.is_signed));
    return !(value < limit) || (!types.is_signed    ? value <= -1
                                : types.narrow < 64 ? value <= -limit - 1
                                                    : value < -limit);
}

/* ---- the instruction ---- */

/* cvttss2si or cvttsd2si at `code`, in either encoding: returns its operands, its length, and
 * whether it reads a float and writes 64 bits. */
static bool is_conversion(const uint8_t *code, const greg_t *registers,
                          struct simt_operands *operands, size_t *length, bool *single, bool *wide)
{
    size_t at = 0;
    unsigned int rex = 0, prefix;
    if (code[0] == 0xc5 || (code[0] == 0xc4 && (code[1] & 0x1f) == 1)) { /* AVX */
        unsigned int last = code[0] == 0xc5 ? code[1] : code[2];
        prefix = (last & 3) == 2 ? 0xf3 : (last & 3) == 3 ? 0xf2 : 0;
        rex = (~code[1] >> 5) & 4;
        if (code[0] == 0xc4) {
            rex |= (code[2] >> 7) << 3 | (~code[1] >> 6 & 1) << 1 | (~code[1] >> 5 & 1);
        }
        at = code[0] == 0xc5 ? 2 : 3;
    } else {
        prefix = code[at++];
        if ((code[at] & 0xf0) == 0x40) {
            rex = code[at++] & 15;
        }
        if (code[at++] != 0x0f) {
            return false;
        }
    }
    if ((prefix != 0xf3 && prefix != 0xf2) || code[at++] != 0x2c) {
        return false;
    }
    *operands = simt_operands_of(code + at, rex, registers);
    *length = at + operands->length;
    *single = prefix == 0xf3;
    *wide = rex & 8;
    return true;
}

static double source_value(const struct simt_operands *operands, bool single,
                           const mcontext_t *context)
{
    const char *bytes = operands->other >= 0 ? (const char *)&context->fpregs->_xmm[operands->other]
                                             : operands->memory;
    float narrow;
    double value;
    if (single) {
        memcpy(&narrow, bytes, sizeof narrow);
        return narrow;
    }
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* ---- breakpoints ---- */

static void await(struct spot *spot, unsigned int count)
{
    if ((spot->awaited > 0) != (count > 0)) {
        *(volatile uint8_t *)spot->code = count > 0 ? BREAKPOINT : spot->original;
    }
    spot->awaited = count;
}

static struct spot *spot_at(const uint8_t *code)
{
    struct spot *spot = spots;
    while (spot && spot->code != code) {
        spot = spot->next;
    }
    return spot;
}

/* Stops at this instruction from now on, if the program may write to its code. */
static void learn(struct site *site, enum way way, uint8_t *code, struct types types)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)code / page * page;
    struct spot *spot = spot_at(code);
    if (!spot && mprotect((void *)from, page, PROT_READ | PROT_WRITE | PROT_EXEC) == 0 &&
        (spot = malloc(sizeof *spot))) {
        *spot = (struct spot){spots, code, *code, 0, types};
        spots = spot;
    }
    site->spots[way] = spot;
    site->only_steps = !spot;
}

/* Makes the conversion here for any thread that reaches the breakpoint. */
static bool convert_at(struct spot *spot, mcontext_t *context)
{
    greg_t *registers = context->gregs;
    const unsigned int awaited = spot->awaited;
    struct simt_operands operands;
    size_t length;
    bool single, wide;
    await(spot, 0); /* restore the instruction */
    registers[REG_RIP] = (greg_t)(uintptr_t)spot->code;
    if (!is_conversion(spot->code, registers, &operands, &length, &single, &wide)) {
        return false;
    }
    const double value = source_value(&operands, single, context);
    /* Too large for a signed type: Clang still converts it, and tests the sign. */
    registers[simt_general[operands.reg]] =
        (greg_t)(!spot->types.is_signed && spot->types.bits == 64 && value >= two_to_63
                     ? HIGHEST_BIT
                     : converted(value, spot->types));
    registers[REG_RIP] += (greg_t)length;
    await(spot, awaited - (awaited > 0 && is_out_of_range(value, spot->types)));
    return true;
}

/* ---- steps ---- */

static void set_trap_flag(void)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\torq %0, (%%rsp)\n\tpopfq\n\tlea "
                     "128(%%rsp), %%rsp"
                     :
                     : "i"(TRAP_FLAG)
                     : "cc", "memory");
}

/* subss or subsd, from a register or from memory next to the code. */
static bool is_subtraction(const uint8_t *code, bool has_rex, bool of_registers)
{
    const uint8_t *rest = code + 1 + has_rex;
    return (code[0] == 0xf3 || code[0] == 0xf2) && (!has_rex || (code[1] & 0xf0) == 0x40) &&
           rest[0] == 0x0f && rest[1] == 0x5c &&
           (of_registers ? rest[2] >= 0xc0 : (rest[2] & 0xc7) == 5);
}

static bool follows_subtraction(const uint8_t *code)
{
    return is_subtraction(code - 4, false, true) || is_subtraction(code - 5, true, true) ||
           is_subtraction(code - 8, false, false) || is_subtraction(code - 9, true, false);
}

/* Whether this instruction converts the value, and how. If subtracting 2^63 does not change the
 * value, a subtraction before the instruction decides. */
static bool converts(const struct told *told, double value, bool wide, const uint8_t *code,
                     enum way *way)
{
    const bool same = value == told->value || (value != value && told->value != told->value);
    const bool less = wide && told->result == UINT64_MAX && !told->types.is_signed &&
                      value == told->value - two_to_63 && (!same || follows_subtraction(code));
    *way = less ? LESS : AS_IT_IS;
    return same || less;
}

static void put_result(const struct told *told, enum way way, uint8_t *code, greg_t *result,
                       int number)
{
    static const struct types of_signed = {64, 64, true, false};
    *result = (greg_t)(way == LESS ? told->result ^ HIGHEST_BIT : told->result);
    if (way == AS_IT_IS && told->types.bits == 64 && told->result == UINT64_MAX) {
        pending.highest_bit_of = number; /* with another order of instructions */
        pending.steps = STEPS_TO_HIGHEST_BIT;
    } else if (told->site) {
        learn(told->site, way, code, way == LESS ? of_signed : told->types);
    }
}

/* If the next instruction converts one of the reported values, replaces its result. */
static void convert(mcontext_t *context)
{
    greg_t *registers = context->gregs;
    uint8_t *code = (uint8_t *)(uintptr_t)registers[REG_RIP];
    struct simt_operands operands;
    size_t length;
    bool single, wide;
    enum way way;
    unsigned int i = 0;
    if (!is_conversion(code, registers, &operands, &length, &single, &wide)) {
        return; /* not a conversion, or a foreign breakpoint */
    }
    const double value = source_value(&operands, single, context);
    while (i < pending.count && !converts(&pending.told[i], value, wide, code, &way)) {
        i++;
    }
    if (i < pending.count) {
        registers[REG_RIP] += (greg_t)length;
        put_result(&pending.told[i], way, code, &registers[simt_general[operands.reg]],
                   simt_general[operands.reg]);
        pending.told[i] = pending.told[--pending.count];
    }
}

static void on_step(mcontext_t *context)
{
    greg_t *registers = context->gregs;
    if (pending.is_telling) {
        return;
    }
    if (pending.steps > 0) {
        pending.steps--;
    }
    if (pending.highest_bit_of >= 0) {
        greg_t *result = &registers[pending.highest_bit_of];
        if ((uint64_t)*result == (UINT64_MAX ^ HIGHEST_BIT)) {
            *result = (greg_t)UINT64_MAX;
            pending.highest_bit_of = -1;
        }
    } else if (pending.steps > 0) {
        convert(context);
    }
    if (pending.steps == 0 || (pending.count == 0 && pending.highest_bit_of < 0)) {
        pending.steps = pending.count = 0;
        pending.highest_bit_of = -1;
        registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    }
}

bool simt_conversion_traps(mcontext_t *context)
{
    struct spot *spot = spot_at((uint8_t *)(uintptr_t)context->gregs[REG_RIP] - 1);
    if (spot && spot->awaited > 0) {
        return convert_at(spot, context);
    }
    if (pending.steps > 0 || simt_in_kernel()) {
        on_step(context);
        return true;
    }
    return false;
}

/* ---- reports of the compiler ---- */

static struct site *site_of(const void *caller)
{
    struct site **list = &sites[(uintptr_t)caller / 2 % SITES], *site = *list;
    while (site && site->caller != caller) {
        site = site->next;
    }
    if (!site && (site = malloc(sizeof *site))) {
        *site = (struct site){.next = *list, .caller = caller};
        *list = site;
    }
    return site;
}

/* The layout that compilers use. */
struct type_data {
    uint16_t kind, information;
};
struct cast_data {
    const char *file;
    uint32_t line, column;
    const struct type_data *from, *to;
};

/* False if it is not in a kernel, or has types that a GPU does not have. */
static bool read_cast(const struct cast_data *data, uint64_t bits, struct told *told)
{
    const unsigned int width = 1u << (data->to->information >> 1);
    const uint32_t low = (uint32_t)bits;
    float narrow;
    if (!simt_in_kernel() || data->to->kind != 0 || data->from->kind != 1 || width > 64) {
        return false;
    }
    if (data->from->information == 32) {
        memcpy(&narrow, &low, sizeof narrow);
        told->value = narrow;
    } else if (data->from->information == 64) {
        memcpy(&told->value, &bits, sizeof bits);
    } else {
        return false;
    }
    told->types = (struct types){width < 32 ? 32 : width, width, data->to->information & 1,
                                 data->from->information == 64};
    told->result = converted(told->value, told->types);
    return true;
}

static enum way way_of(const struct told *told)
{
    return told->types.bits == 64 && !told->types.is_signed && told->value > 0 ? LESS : AS_IT_IS;
}

static void step_to(const struct told *told)
{
    pending.count = pending.count < MOST_TOLD ? pending.count : 0;
    pending.told[pending.count++] = *told;
    pending.steps = MOST_STEPS;
    set_trap_flag();
}

void __ubsan_handle_float_cast_overflow(const struct cast_data *data, uint64_t bits);
void __ubsan_handle_float_cast_overflow(const struct cast_data *data, uint64_t bits)
{
    struct told told;
    struct site *site;
    struct spot *spot;
    pending.is_telling = true;
    if (read_cast(data, bits, &told)) {
        simt_trace_forget_block(); /* the branch to here is not in the source */
        site = site_of(__builtin_return_address(0));
        spot = site ? site->spots[way_of(&told)] : NULL;
        if (spot) {
            await(spot, spot->awaited + 1);
        } else {
            told.site = site && !site->only_steps ? site : NULL;
            step_to(&told);
        }
    }
    pending.is_telling = false;
}

#else /* on other processors, the results stay in range */

void __ubsan_handle_float_cast_overflow(const void *data, uint64_t bits);
void __ubsan_handle_float_cast_overflow(const void *data, uint64_t bits)
{
    (void)data;
    (void)bits;
    if (simt_in_kernel()) {
        simt_trace_forget_block();
    }
}

#endif
/* SPDX-License-Identifier: MIT */
