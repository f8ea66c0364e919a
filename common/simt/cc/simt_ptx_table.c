/* Translates each PTX instruction to a call of a function in cuda/simt_ptx.h. A family with
 * ordinary operands is one line of the table below. */
#include <stdlib.h>
#include <string.h>

#include "cc/simt_ptx.h"
#include "cc/simt_rewrite.h"

#define INTEGERS " u16 u32 u64 s16 s32 s64 "
#define FLOATS " f32 f64 "
#define HALVES " f16 f16x2 bf16 bf16x2 "
#define ROUNDING " rn rz rm rp "

/* Operands, in their order:
 *   d  the result, of the instruction's (first) type    D  the same, twice as wide
 *   a  a source of that type                            A  the same, twice as wide
 *   b  a source of the second type
 *   U  a 32-bit result       u  a 32-bit source
 *   P  a predicate result    p  a predicate source
 * Results are not arguments of the C++ function: it returns them. */
struct family {
    const char *name, *modifiers, *types, *operands;
    unsigned int type_count;
    bool carry; /* reads or writes the carry flag */
};

#define VIDEO(name)                                                                                \
    {name ".u32", " add sat ", " u32 s32 ", "Uuuu", 2, false},                                     \
    {                                                                                              \
        name ".s32", " add sat ", " u32 s32 ", "Uuuu", 2, false                                    \
    }

static const struct family families[] = {
    {"add", " sat ftz" ROUNDING, INTEGERS FLOATS HALVES, "daa", 1, false},
    {"sub", " sat ftz" ROUNDING, INTEGERS FLOATS HALVES, "daa", 1, false},
    {"add.cc", " ", " u32 s32 u64 s64 ", "daa", 1, true},
    {"sub.cc", " ", " u32 s32 u64 s64 ", "daa", 1, true},
    {"addc", " cc ", " u32 s32 u64 s64 ", "daa", 1, true},
    {"subc", " cc ", " u32 s32 u64 s64 ", "daa", 1, true},
    {"mul", " hi lo sat ftz" ROUNDING, INTEGERS FLOATS HALVES, "daa", 1, false},
    {"mul.wide", " ", " u16 s16 u32 s32 ", "Daa", 1, false},
    {"mad", " hi lo sat ftz" ROUNDING, INTEGERS FLOATS, "daaa", 1, false},
    {"mad.wide", " ", " u16 s16 u32 s32 ", "DaaA", 1, false},
    {"mad.lo.cc", " ", " u32 s32 u64 s64 ", "daaa", 1, true},
    {"mad.hi.cc", " ", " u32 s32 u64 s64 ", "daaa", 1, true},
    {"madc.lo", " cc ", " u32 s32 u64 s64 ", "daaa", 1, true},
    {"madc.hi", " cc ", " u32 s32 u64 s64 ", "daaa", 1, true},
    {"mul24", " hi lo ", " u32 s32 ", "daa", 1, false},
    {"mad24", " hi lo ", " u32 s32 ", "daaa", 1, false},
    {"sad", " ", INTEGERS, "daaa", 1, false},
    {"div", " approx full ftz" ROUNDING, INTEGERS FLOATS, "daa", 1, false},
    {"rem", " ", INTEGERS, "daa", 1, false},
    {"abs", " ftz ", " s16 s32 s64" FLOATS HALVES, "da", 1, false},
    {"neg", " ftz ", " s16 s32 s64" FLOATS HALVES, "da", 1, false},
    {"min", " ftz NaN xorsign abs ", INTEGERS FLOATS HALVES, "daa", 1, false},
    {"max", " ftz NaN xorsign abs ", INTEGERS FLOATS HALVES, "daa", 1, false},
    {"popc", " ", " b32 b64 ", "Ua", 1, false},
    {"clz", " ", " b32 b64 ", "Ua", 1, false},
    {"bfind", " shiftamt ", " u32 s32 u64 s64 ", "Ua", 1, false},
    {"brev", " ", " b32 b64 ", "da", 1, false},
    {"bfe", " ", " u32 s32 u64 s64 ", "dauu", 1, false},
    {"bfi", " ", " b32 b64 ", "daauu", 1, false},
    {"bmsk", " clamp wrap ", " b32 ", "daa", 1, false},
    {"szext", " clamp wrap ", " u32 s32 ", "dau", 1, false},
    {"dp4a", " ", " u32 s32 ", "Uuuu", 2, false},
    {"dp2a", " lo hi ", " u32 s32 ", "Uuuu", 2, false},
    VIDEO("vabsdiff2"),
    VIDEO("vabsdiff4"),
    VIDEO("vadd2"),
    VIDEO("vadd4"),
    VIDEO("vsub2"),
    VIDEO("vsub4"),
    VIDEO("vavrg2"),
    VIDEO("vavrg4"),
    VIDEO("vmin2"),
    VIDEO("vmin4"),
    VIDEO("vmax2"),
    VIDEO("vmax4"),
    {"fma", " sat ftz relu" ROUNDING, FLOATS HALVES, "daaa", 1, false},
    {"copysign", " ", FLOATS, "daa", 1, false},
    {"testp", " finite infinite number notanumber normal subnormal ", FLOATS, "Pa", 1, false},
    {"rcp", " approx ftz" ROUNDING, FLOATS, "da", 1, false},
    {"sqrt", " approx ftz" ROUNDING, FLOATS, "da", 1, false},
    {"rsqrt", " approx ftz ", FLOATS, "da", 1, false},
    {"sin", " approx ftz ", " f32 ", "da", 1, false},
    {"cos", " approx ftz ", " f32 ", "da", 1, false},
    {"lg2", " approx ftz ", " f32 ", "da", 1, false},
    {"ex2", " approx ftz ", " f32" HALVES, "da", 1, false},
    {"tanh", " approx ", " f32" HALVES, "da", 1, false},
    {"and", " ", " b16 b32 b64 pred ", "daa", 1, false},
    {"or", " ", " b16 b32 b64 pred ", "daa", 1, false},
    {"xor", " ", " b16 b32 b64 pred ", "daa", 1, false},
    {"not", " ", " b16 b32 b64 pred ", "da", 1, false},
    {"cnot", " ", " b16 b32 b64 ", "da", 1, false},
    {"lop3", " ", " b32 ", "daaau", 1, false},
    {"shl", " ", " b16 b32 b64 ", "dau", 1, false},
    {"shr", " ", " b16 b32 b64" INTEGERS, "dau", 1, false},
    {"shf.l", " clamp wrap ", " b32 ", "daau", 1, false},
    {"shf.r", " clamp wrap ", " b32 ", "daau", 1, false},
    {"prmt", " f4e b4e rc8 ecl ecr rc16 ", " b32 ", "daau", 1, false},
    {"selp", " ", " b16 b32 b64" INTEGERS FLOATS, "daap", 1, false},
    {"slct", " ftz ", " b16 b32 b64" INTEGERS FLOATS, "daab", 2, false},
    {"nanosleep", " ", " u32 ", "a", 1, false},
};

static const struct ptx_type types[] = {
    {"b8", 8},      {"u8", 8},      {"s8", 8},     {"b16", 16},   {"u16", 16},
    {"s16", 16},    {"f16", 16},    {"bf16", 16},  {"b32", 32},   {"u32", 32},
    {"s32", 32},    {"f32", 32},    {"tf32", 32},  {"f16x2", 32}, {"bf16x2", 32},
    {"b64", 64},    {"u64", 64},    {"s64", 64},   {"f64", 64},   {"pred", PTX_PREDICATE},
    {"e4m3x2", 16}, {"e5m2x2", 16}, {"b128", 128},
};

const struct ptx_type *ptx_type(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, name) == 0) {
            return &types[i];
        }
    }
    return NULL;
}

/* The family whose name matches most parts of the opcode. *used: how many parts. */
static const struct family *find_family(const struct ptx_instruction *instruction, size_t *used)
{
    const struct family *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        size_t length = strlen(families[i].name);
        char after = instruction->opcode[length];
        if (length > most && strncmp(instruction->opcode, families[i].name, length) == 0 &&
            (after == '.' || after == '\0')) {
            best = &families[i];
            most = length;
        }
    }
    *used = 1;
    for (size_t i = 0; best && best->name[i]; i++) {
        *used += best->name[i] == '.';
    }
    return best;
}

/* Appends a function's name: the family's name with '_' for dots. */
static void append_name(struct text *out, const char *name)
{
    append_string(out, "::simt::ptx::p_");
    for (; *name; name++) {
        append(out, *name == '.' ? "_" : name, 1);
    }
}

static bool append_operand(struct ptx *ptx, struct text *out, char letter, const char *operand,
                           const struct ptx_type *first, const struct ptx_type *second)
{
    switch (letter) {
    case 'a':
        return ptx_source(ptx, out, operand, first->bits, first->name);
    case 'A':
        return ptx_source(ptx, out, operand, 2 * first->bits, first->name);
    case 'b':
        return ptx_source(ptx, out, operand, second->bits, second->name);
    case 'p':
        return ptx_source(ptx, out, operand, PTX_PREDICATE, "pred");
    default:
        return ptx_source(ptx, out, operand, 32, "u32");
    }
}

static bool append_result(struct ptx *ptx, struct text *out, char letter, const char *operand,
                          const struct ptx_type *type)
{
    unsigned int bits = letter == 'd'   ? type->bits
                        : letter == 'D' ? 2 * type->bits
                        : letter == 'P' ? PTX_PREDICATE
                                        : 32;
    return ptx_destination(ptx, out, operand, bits, false);
}

static void emit_call(struct ptx *ptx, const struct ptx_instruction *instruction,
                      const struct family *family, const struct ptx_type *const *found,
                      const char *flags)
{
    size_t count = strlen(family->operands), next = 0;
    bool returns = strchr("dDUP", family->operands[0]) != NULL;
    struct text out = {NULL, 0, 0};
    if (instruction->operand_count != count) {
        ptx_refuse(ptx, "%s with %zu operands", instruction->opcode, instruction->operand_count);
        return;
    }
    append_string(&out, "");
    if (returns &&
        append_result(ptx, &out, family->operands[0], instruction->operands[0], found[0])) {
        append_string(&out, " = ");
        next = 1;
    }
    append_name(&out, family->name);
    ptx_print(&out, "<::simt::ptx::t_%s, ", found[0]->name);
    if (family->type_count == 2) {
        ptx_print(&out, "::simt::ptx::t_%s, ", found[1]->name);
    }
    ptx_print(&out, "%s>(", flags);
    for (size_t i = next; i < count && !ptx->failed; i++) {
        append_string(&out, i > next ? ", " : "");
        append_operand(ptx, &out, family->operands[i], instruction->operands[i], found[0],
                       found[1]);
    }
    if (family->carry) {
        append_string(&out, ", simt_carry");
        ptx->uses_carry = true;
    }
    append_string(&out, "); ");
    if (!ptx->failed) {
        append_string(&ptx->body, out.bytes);
    }
    free(out.bytes);
}

static bool emit_family(struct ptx *ptx, const struct ptx_instruction *instruction)
{
    size_t used;
    const struct family *family = find_family(instruction, &used);
    const struct ptx_type *found[2] = {NULL, NULL};
    unsigned int type_count = 0;
    struct text flags = {NULL, 0, 0};
    if (!family) {
        return false;
    }
    append_string(&flags, "0");
    for (size_t i = used; i < instruction->part_count && !ptx->failed; i++) {
        const char *part = instruction->parts[i];
        if (type_count < family->type_count && ptx_is_among(family->types, part)) {
            found[type_count++] = ptx_type(part);
        } else if (ptx_is_among(family->modifiers, part)) {
            ptx_print(&flags, " | ::simt::ptx::m_%s", part);
        } else {
            ptx_refuse(ptx, "%s (.%s)", instruction->opcode, part);
        }
    }
    if (!ptx->failed && type_count != family->type_count) {
        ptx_refuse(ptx, "%s, its type", instruction->opcode);
    }
    if (!ptx->failed) {
        emit_call(ptx, instruction, family, found, flags.bytes);
    }
    free(flags.bytes);
    return true;
}

/* ---- instructions with unusual operands or types ---- */

/* mov.b64 {a, b}, c; and mov.b64 c, {a, b}; */
static void emit_vector_move(struct ptx *ptx, struct ptx_instruction *instruction,
                             const struct ptx_type *type)
{
    bool packs = *instruction->operands[1] == '{';
    char *elements[8];
    size_t count = ptx_elements(ptx, instruction->operands[packs], elements, 8);
    unsigned int bits = count > 0 ? type->bits / (unsigned int)count : 0;
    struct text out = {NULL, 0, 0};
    if (ptx->failed || (bits != 8 && bits != 16 && bits != 32)) {
        ptx_refuse(ptx, "%s of %zu parts", instruction->opcode, count);
        return;
    }
    append_string(&out, "{ ");
    if (!packs) {
        append_string(&out, "const unsigned long simt_whole = ");
        ptx_source(ptx, &out, instruction->operands[1], type->bits, type->name);
        append_string(&out, "; ");
    } else {
        ptx_destination(ptx, &out, instruction->operands[0], type->bits, false);
        append_string(&out, " = ");
        ptx_print(&out, "static_cast<%s>(", type->bits == 64 ? "unsigned long" : "unsigned int");
    }
    for (size_t i = 0; i < count && !ptx->failed; i++) {
        unsigned int shift = (unsigned int)i * bits;
        if (packs) {
            append_string(&out, i > 0 ? " | " : "");
            append_string(&out, "static_cast<unsigned long>(");
            ptx_source(ptx, &out, elements[i], bits, type->name);
            ptx_print(&out, ") << %u", shift);
        } else {
            ptx_destination(ptx, &out, elements[i], bits, bits == 8);
            ptx_print(&out, " = static_cast<unsigned %s>(simt_whole >> %u%s); ",
                      bits == 32 ? "int" : "short", shift, bits == 8 ? " & 0xff" : "");
        }
    }
    append_string(&out, packs ? "); } " : "} ");
    if (!ptx->failed) {
        append_string(&ptx->body, out.bytes);
    }
    free(out.bytes);
}

static bool emit_move(struct ptx *ptx, struct ptx_instruction *instruction)
{
    static const char movable[] = " b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64 pred f16 bf16 ";
    const struct ptx_type *type =
        instruction->part_count == 2 ? ptx_type(instruction->parts[1]) : NULL;
    if (strcmp(instruction->parts[0], "mov") != 0) {
        return false;
    }
    if (!type || !ptx_is_among(movable, type->name) || instruction->operand_count != 2) {
        ptx_refuse(ptx, "%s", instruction->opcode);
    } else if (*instruction->operands[0] == '{' || *instruction->operands[1] == '{') {
        emit_vector_move(ptx, instruction, type);
    } else if (ptx_destination(ptx, &ptx->body, instruction->operands[0], type->bits, false)) {
        append_string(&ptx->body, " = ");
        ptx_source(ptx, &ptx->body, instruction->operands[1], type->bits, type->name);
        append_string(&ptx->body, "; ");
    }
    return true;
}

/* setp.lt.and.f32 p|q, a, b, c; and set, which returns a number. */
static bool emit_compare(struct ptx *ptx, struct ptx_instruction *instruction)
{
    static const char comparisons[] =
        " eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan ";
    bool to_number = strcmp(instruction->parts[0], "set") == 0;
    const struct ptx_type *type, *result = NULL;
    const char *combine = NULL;
    char *first = instruction->operands[0], *second = NULL;
    size_t next = 2;
    struct text *out = &ptx->body;
    if (!to_number && strcmp(instruction->parts[0], "setp") != 0) {
        return false;
    }
    if (next < instruction->part_count && ptx_is_among(" and or xor ", instruction->parts[next])) {
        combine = instruction->parts[next++];
    }
    next += next < instruction->part_count && strcmp(instruction->parts[next], "ftz") == 0;
    if (to_number && next < instruction->part_count) {
        result = ptx_is_among(" u32 s32 f32 ", instruction->parts[next])
                     ? ptx_type(instruction->parts[next])
                     : NULL;
        next++;
    }
    type =
        next + 1 == instruction->part_count &&
                ptx_is_among(" b16 b32 b64" INTEGERS FLOATS " f16 bf16 ", instruction->parts[next])
            ? ptx_type(instruction->parts[next])
            : NULL;
    if (!type || (to_number && !result) || instruction->part_count < 3 ||
        !ptx_is_among(comparisons, instruction->parts[1]) ||
        instruction->operand_count != (combine ? 4u : 3u)) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return true;
    }
    ptx_print(out,
              "{ const bool simt_c = ::simt::ptx::compare<::simt::ptx::t_%s, "
              "::simt::ptx::c_%s, %s>(",
              type->name, instruction->parts[1],
              ptx_has(instruction, "ftz") ? "::simt::ptx::m_ftz" : "0");
    ptx_source(ptx, out, instruction->operands[1], type->bits, type->name);
    append_string(out, ", ");
    ptx_source(ptx, out, instruction->operands[2], type->bits, type->name);
    append_string(out, "); const bool simt_d = ");
    if (combine) {
        ptx_source(ptx, out, instruction->operands[3], PTX_PREDICATE, "pred");
    } else {
        append_string(out, "true");
        combine = "and";
    }
    append_string(out, "; ");
    ptx_pair(instruction->operands[0], &first, &second);
    for (char *to = first; to; to = to == first ? second : NULL) {
        ptx_destination(ptx, out, to, to_number ? 32 : PTX_PREDICATE, false);
        ptx_print(out, " = ::simt::ptx::p_%s<::simt::ptx::t_pred, 0>(%ssimt_c, simt_d)", combine,
                  to == second ? "!" : "");
        if (to_number) {
            ptx_print(out, " ? %s : 0u", *result->name == 'f' ? "0x3f800000u" : "~0u");
        }
        append_string(out, "; ");
    }
    append_string(out, "} ");
    return true;
}

/* cvt.pack.sat.s16.s32 d, a, b; or cvt.pack.sat.u8.s32.b32 d, a, b, c: packs the values of the type
 * nearest to a and b. The result has b lowest, then a, then the lowest bits of c. */
static bool emit_packing(struct ptx *ptx, struct ptx_instruction *instruction)
{
    const char *const *parts = (const char *const *)instruction->parts;
    const size_t count = instruction->part_count;
    const bool adds = count == 6 && strcmp(parts[5], "b32") == 0;
    unsigned int bits;
    if (count < 2 || strcmp(parts[0], "cvt") != 0 || strcmp(parts[1], "pack") != 0) {
        return false;
    }
    if ((count != 5 && !adds) || strcmp(parts[2], "sat") != 0 || strcmp(parts[4], "s32") != 0 ||
        !ptx_is_among(adds ? " u2 s2 u4 s4 u8 s8 " : " u16 s16 ", parts[3]) ||
        instruction->operand_count != 3u + adds) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return true;
    }
    bits = (unsigned int)strtoul(parts[3] + 1, NULL, 10);
    ptx_destination(ptx, &ptx->body, instruction->operands[0], 32, false);
    ptx_print(&ptx->body, " = ::simt::ptx::packed<%u, %s>(", bits,
              parts[3][0] == 's' ? "true" : "false");
    for (unsigned int i = 1; i < 3u + adds; i++) {
        append_string(&ptx->body, i > 1 ? ", " : "");
        ptx_source(ptx, &ptx->body, instruction->operands[i], 32, i < 3 ? "s32" : "b32");
    }
    append_string(&ptx->body, adds ? "); " : ", 0u); ");
    return true;
}

/* cvt.rn.f32.s32 d, a; with two sources, cvt.rn.f16x2.f32 d, a, b. */
static bool emit_conversion(struct ptx *ptx, struct ptx_instruction *instruction)
{
    static const char modifiers[] = " rn rz rm rp rni rzi rmi rpi rna ftz sat satfinite relu ";
    static const char *const numbers =
        " u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64 tf32 f16x2 bf16x2 e4m3x2 e5m2x2 ";
    const struct ptx_type *to, *from;
    struct text *out = &ptx->body;
    size_t count = instruction->part_count;
    bool two, from_pair, widens;
    if (strcmp(instruction->parts[0], "cvt") != 0) {
        return false;
    }
    to = count >= 3 && ptx_is_among(numbers, instruction->parts[count - 2])
             ? ptx_type(instruction->parts[count - 2])
             : NULL;
    from = count >= 3 && ptx_is_among(numbers, instruction->parts[count - 1])
               ? ptx_type(instruction->parts[count - 1])
               : NULL;
    two = to && from && strstr(to->name, "x2") && strcmp(from->name, "f32") == 0;
    from_pair = from && (strstr(from->name, "x2") || strcmp(from->name, "tf32") == 0);
    /* 8-bit types convert as pairs, to two 8-bit values or to a pair of halves. */
    widens = to && from && strcmp(to->name, "f16x2") == 0 && from->name[0] == 'e';
    from_pair = from_pair && !widens;
    if (!to || !from || from_pair || instruction->operand_count != (two ? 3u : 2u) ||
        (strstr(to->name, "x2") && !two && !widens) ||
        (strcmp(to->name, "tf32") == 0 && strcmp(from->name, "f32") != 0)) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return true;
    }
    ptx_destination(ptx, out, instruction->operands[0], to->bits, to->bits < 32);
    ptx_print(out, " = ::simt::ptx::convert<::simt::ptx::t_%s, ::simt::ptx::t_%s, 0", to->name,
              from->name);
    for (size_t i = 1; i + 2 < count; i++) {
        if (!ptx_is_among(modifiers, instruction->parts[i])) {
            ptx_refuse(ptx, "%s (.%s)", instruction->opcode, instruction->parts[i]);
        }
        ptx_print(out, " | ::simt::ptx::m_%s", instruction->parts[i]);
    }
    append_string(out, ">(");
    ptx_source(ptx, out, instruction->operands[1], from->bits, from->name);
    if (two) {
        append_string(out, ", ");
        ptx_source(ptx, out, instruction->operands[2], from->bits, from->name);
    }
    append_string(out, "); ");
    return true;
}

/* trap; exit; pmevent 3, which signals a profiler. */
static bool emit_end(struct ptx *ptx, struct ptx_instruction *instruction)
{
    if (strcmp(instruction->parts[0], "pmevent") == 0 && instruction->operand_count == 1) {
        append_string(&ptx->body, "static_cast<void>(0); ");
        return true;
    }
    if (strcmp(instruction->opcode, "trap") == 0 && instruction->operand_count == 0) {
        append_string(&ptx->body, "__trap(); ");
        return true;
    }
    if (strcmp(instruction->opcode, "exit") == 0 && instruction->operand_count == 0) {
        append_string(&ptx->body, "simt_end_thread(); ");
        return true;
    }
    return false;
}

void ptx_emit(struct ptx *ptx, struct ptx_instruction *instruction)
{
    char needed[128];
    needed_target(instruction->opcode, needed, sizeof needed);
    if (needed[0] && !ptx->in_cccl) {
        complain(ptx->where[ptx->at], "PTX %s: %s", instruction->opcode, needed);
        ptx->failed = true;
        return;
    }
    if (emit_move(ptx, instruction) || emit_compare(ptx, instruction) ||
        emit_packing(ptx, instruction) || emit_conversion(ptx, instruction) ||
        emit_end(ptx, instruction) || ptx_emit_async(ptx, instruction) ||
        ptx_emit_memory(ptx, instruction) || ptx_emit_lanes(ptx, instruction) ||
        ptx_emit_copy(ptx, instruction) || ptx_emit_map(ptx, instruction) ||
        ptx_emit_barrier(ptx, instruction) || ptx_emit_matrix(ptx, instruction) ||
        ptx_emit_wgmma(ptx, instruction) || emit_family(ptx, instruction)) {
        return;
    }
    ptx_refuse(ptx, "%s", instruction->opcode);
}
/* SPDX-License-Identifier: MIT */
