/* Arithmetic as a GPU does it, where C++ gives no result and an x86 processor another one.
 *
 * A floating-point number beyond an integer type's range becomes the nearest value of the range,
 * NaN 0 (or, with 64 bits on either side, the lowest): PTX's cvt. What is narrower than 32 bits is
 * cut out of 32. The compiler tells of such a conversion (-fsanitize=float-cast-overflow) just
 * before it makes it, so the next instruction that converts this value is found, by single steps,
 * and its result put in its place. In range, a conversion costs a comparison.
 *
 * A division by zero has all bits set, quotient and remainder, as in the code of nvcc (PTX leaves
 * it open); the lowest number divided by -1 is itself. x86 traps on both. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/fault.h"
#include "observe/recorder.h"

#ifdef __x86_64__

#include <ucontext.h>

enum { TRAP_FLAG = 0x100, MOST_STEPS = 4096, STEPS_TO_HIGHEST_BIT = 8 };

/* ---- instructions ---- */

/* Of one with a ModRM byte: what it works on. */
struct operands {
    int reg;            /* a register's number */
    int other;          /* the other's, or -1: memory */
    const char *memory; /* its address */
    size_t length;      /* of the ModRM byte and what belongs to it */
};

static const int general[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                              REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15};

/* `code`: the ModRM byte; `rex`: the bits W, R, X and B. */
static struct operands read_operands(const uint8_t *code, unsigned int rex, const greg_t *registers)
{
    unsigned int mode = code[0] >> 6, low = code[0] & 7;
    struct operands found = {.reg = (code[0] >> 3 & 7) | (rex & 4) << 1, .other = -1, .length = 1};
    uint64_t address = 0;
    int32_t offset = 0;
    bool relative = mode == 0 && low == 5;
    if (mode == 3) {
        found.other = (int)(low | (rex & 1) << 3);
        return found;
    }
    if (low == 4) {
        unsigned int base = code[1] & 7, index = (code[1] >> 3 & 7) | (rex & 2) << 2;
        found.length++;
        if (mode == 0 && base == 5) {
            mode = 2;
        } else {
            address = (uint64_t)registers[general[base | (rex & 1) << 3]];
        }
        if (index != 4) {
            address += (uint64_t)registers[general[index]] << (code[1] >> 6);
        }
    } else if (relative) {
        mode = 2;
    } else {
        address = (uint64_t)registers[general[low | (rex & 1) << 3]];
    }
    if (mode == 1) {
        offset = (int8_t)code[found.length];
        found.length++;
    } else if (mode == 2) {
        memcpy(&offset, code + found.length, sizeof offset);
        found.length += sizeof offset;
    }
    address += (uint64_t)(int64_t)offset;
    if (relative) {
        address += (uint64_t)(uintptr_t)(code + found.length);
    }
    found.memory = (const char *)(uintptr_t)address;
    return found;
}

/* ---- conversions ---- */

/* The one that the compiler has told of, while it has yet to come. */
static struct {
    double value;
    uint64_t result;
    unsigned int steps;
    int highest_bit_of; /* a register in which that bit may be turned over, or -1 */
} pending = {.highest_bit_of = -1};

static void set_trap_flag(void)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
                     "pushfq\n\t"
                     "orq %0, (%%rsp)\n\t"
                     "popfq\n\t"
                     "lea 128(%%rsp), %%rsp"
                     :
                     : "i"(TRAP_FLAG)
                     : "cc", "memory");
}

/* cvttss2si or cvttsd2si at `code`, in either encoding: fills in its operands, the instruction's
 * length, and whether it takes a float and gives 64 bits. */
static bool is_conversion(const uint8_t *code, const greg_t *registers, struct operands *operands,
                          size_t *length, bool *single, bool *wide)
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
    *operands = read_operands(code + at, rex, registers);
    *length = at + operands->length;
    *single = prefix == 0xf3;
    *wide = rex & 8;
    return true;
}

static double source_value(const struct operands *operands, bool single, const mcontext_t *context)
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

static const uint64_t HIGHEST_BIT = UINT64_C(1) << 63;

/* The instruction that comes next converts a value: puts the result in its place if it is the one.
 * To an unsigned integer of 64 bits compilers convert what is too large for a signed one less 2^63,
 * and turn over the highest bit later. */
static bool convert(mcontext_t *context)
{
    static const double two_to_63 = 9223372036854775808.0;
    greg_t *registers = context->gregs;
    struct operands operands;
    size_t length;
    bool single, wide;
    double value;
    uint64_t result = pending.result;
    if (!is_conversion((const uint8_t *)(uintptr_t)registers[REG_RIP], registers, &operands,
                       &length, &single, &wide)) {
        return false;
    }
    value = source_value(&operands, single, context);
    if (value == pending.value && pending.result == UINT64_MAX) {
        pending.highest_bit_of = general[operands.reg]; /* less 2^63 it may be the same */
        pending.steps = STEPS_TO_HIGHEST_BIT;
    } else if (wide && value != pending.value && value == pending.value - two_to_63) {
        result ^= HIGHEST_BIT;
    } else if (value != pending.value && !(value != value && pending.value != pending.value)) {
        return false;
    }
    registers[general[operands.reg]] = (greg_t)result;
    registers[REG_RIP] += (greg_t)length;
    return true;
}

static void on_step(mcontext_t *context)
{
    greg_t *registers = context->gregs;
    if (pending.steps > 0) {
        pending.steps--;
    }
    if (pending.highest_bit_of >= 0) {
        greg_t *result = &registers[pending.highest_bit_of];
        if ((uint64_t)*result == (pending.result ^ HIGHEST_BIT)) {
            *result = (greg_t)pending.result;
            pending.steps = 0;
        }
    } else if (pending.steps > 0 && convert(context) && pending.highest_bit_of < 0) {
        pending.steps = 0;
    }
    if (pending.steps == 0) {
        pending.highest_bit_of = -1;
        registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    }
}

/* As the compilers lay it out. */
struct type_data {
    uint16_t kind, information;
};
struct cast_data {
    const char *file;
    uint32_t line, column;
    const struct type_data *from, *to;
};

static uint64_t converted(double value, unsigned int bits, bool is_signed, bool wide_source)
{
    double limit = ldexp(1, (int)(bits - is_signed));
    uint64_t highest = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    if (value != value) {
        return bits == 64 || wide_source ? UINT64_C(1) << (bits - 1) : 0;
    }
    if (value >= limit) {
        return is_signed ? highest >> 1 : highest;
    }
    if (is_signed) {
        return value < -limit ? UINT64_C(1) << (bits - 1) : (uint64_t)(int64_t)value & highest;
    }
    return value <= -1 ? 0 : (uint64_t)value;
}

void __ubsan_handle_float_cast_overflow(const struct cast_data *data, uint64_t bits);
void __ubsan_handle_float_cast_overflow(const struct cast_data *data, uint64_t bits)
{
    unsigned int width = 1u << (data->to->information >> 1);
    uint32_t low = (uint32_t)bits;
    float narrow;
    if (!simt_in_kernel() || data->to->kind != 0 || data->from->kind != 1 || width > 64) {
        return;
    }
    if (data->from->information == 32) {
        memcpy(&narrow, &low, sizeof narrow);
        pending.value = narrow;
    } else if (data->from->information == 64) {
        memcpy(&pending.value, &bits, sizeof bits);
    } else {
        return;
    }
    simt_trace_forget_block(); /* the branch to here is none of the source's */
    pending.result = converted(pending.value, width < 32 ? 32 : width, data->to->information & 1,
                               data->from->information == 64);
    pending.steps = MOST_STEPS;
    set_trap_flag();
}

/* ---- divisions ---- */

static struct sigaction previous_fpe, previous_trap;

/* div or idiv at `code`, of 32 or 64 bits; false for anything else. */
static bool divide(const uint8_t *code, greg_t *registers)
{
    size_t at = 0;
    unsigned int rex = (code[0] & 0xf0) == 0x40 ? code[at++] & 15u : 0, operation;
    bool wide = rex & 8;
    uint64_t mask = wide ? UINT64_MAX : UINT32_MAX, divisor = 0;
    struct operands operands;
    if (code[at++] != 0xf7) {
        return false;
    }
    operation = code[at] >> 3 & 7;
    operands = read_operands(code + at, rex, registers);
    if (operation != 6 && operation != 7) {
        return false;
    }
    if (operands.other >= 0) {
        divisor = (uint64_t)registers[general[operands.other]] & mask;
    } else {
        memcpy(&divisor, operands.memory, wide ? 8 : 4);
    }
    if (divisor == 0) {
        registers[REG_RAX] = registers[REG_RDX] = (greg_t)mask;
    } else {
        registers[REG_RDX] = 0; /* the lowest by -1: the quotient is the dividend */
    }
    registers[REG_RIP] += (greg_t)(at + operands.length);
    return true;
}

static void on_trap(int number, siginfo_t *information, void *data)
{
    (void)number;
    (void)information;
    if (pending.steps > 0 || simt_in_kernel()) {
        on_step(&((ucontext_t *)data)->uc_mcontext);
    } else {
        sigaction(SIGTRAP, &previous_trap, NULL);
        raise(SIGTRAP);
    }
}

static void on_division(int number, siginfo_t *information, void *data)
{
    greg_t *registers = ((ucontext_t *)data)->uc_mcontext.gregs;
    (void)number;
    (void)information;
    if (!simt_in_kernel() || !divide((const uint8_t *)(uintptr_t)registers[REG_RIP], registers)) {
        sigaction(SIGFPE, &previous_fpe, NULL); /* the instruction traps again */
    }
}

void simt_arithmetic_install(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    action.sa_sigaction = on_division;
    sigaction(SIGFPE, &action, &previous_fpe);
    action.sa_sigaction = on_trap;
    sigaction(SIGTRAP, &action, &previous_trap);
}

#else /* others neither trap nor leave the range */

void __ubsan_handle_float_cast_overflow(const void *data, uint64_t bits);
void __ubsan_handle_float_cast_overflow(const void *data, uint64_t bits)
{
    (void)data;
    (void)bits;
    if (simt_in_kernel()) {
        simt_trace_forget_block();
    }
}

void simt_arithmetic_install(void)
{
}

#endif
