/* A basic block begins with a call of __sanitizer_cov_trace_pc(), whose return address is the
 * block's place. The search reads machine code from there up to the branch. */
#include "count/branch.h"

#include <stdbool.h>
#include <stddef.h>

#include "program/source.h"

extern const char __executable_start[];
void __sanitizer_cov_trace_pc(void);
/* The compiler calls these for an index or a converted number that is out of range. */
void __ubsan_handle_out_of_bounds(void);
void __ubsan_handle_out_of_bounds_abort(void);
void __ubsan_handle_float_cast_overflow(void);

enum what { NOTHING, CALL, JUMP, BRANCH, RETURN };
struct instruction {
    enum what what;
    size_t length;
    const unsigned char *target; /* of a call, a jump or a branch; NULL: indirect */
};

#if defined(__x86_64__)

static int32_t word_at(const unsigned char *code)
{
    return (int32_t)((uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
                     (uint32_t)code[3] << 24);
}

/* The bytes of the ModRM byte and what belongs to it. */
static size_t operand_bytes(const unsigned char *code)
{
    const unsigned int mode = code[0] >> 6, base = code[0] & 7;
    const bool has_index = mode != 3 && base == 4;
    const bool is_far = mode == 2 || (mode == 0 && (has_index ? (code[1] & 7) == 5 : base == 5));
    return 1 + has_index + (mode == 1 ? 1 : is_far ? 4 : 0);
}

static bool is_one_of(unsigned int opcode, const char *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if ((unsigned char)list[i] == opcode) {
            return true;
        }
    }
    return false;
}
#define IS_ONE_OF(opcode, list) is_one_of(opcode, list, sizeof list - 1)

/* After 0x0f, or in a VEX or EVEX prefix: opcode map 1, 2 or 3. */
static size_t far_bytes(unsigned int map, unsigned int opcode, const unsigned char *operands)
{
    size_t bytes = map == 3;
    if (map == 1 && (IS_ONE_OF(opcode, "\x05\x06\x08\x09\x0b\x77\xa0\xa1\xa2\xa8\xa9\xaa") ||
                     (opcode >= 0x30 && opcode <= 0x37) || (opcode >= 0xc8 && opcode <= 0xcf))) {
        return 0;
    }
    if (map == 1 && IS_ONE_OF(opcode, "\x70\x71\x72\x73\xa4\xac\xba\xc2\xc4\xc5\xc6")) {
        bytes = 1;
    }
    return bytes + operand_bytes(operands);
}

/* For an opcode of one byte: the bytes after it. */
static size_t near_bytes(unsigned int opcode, const unsigned char *operands, bool is_short,
                         bool is_long)
{
    const size_t whole = is_short ? 2 : 4;
    const unsigned int operation = operands[0] >> 3 & 7;
    if (opcode < 0x40) {
        return (opcode & 7) < 4 ? operand_bytes(operands) : (opcode & 7) == 4 ? 1 : whole;
    }
    if (IS_ONE_OF(opcode, "\x69\x81\xc7")) {
        return operand_bytes(operands) + whole;
    }
    if (IS_ONE_OF(opcode, "\x6b\x80\x83\xc0\xc1\xc6")) {
        return operand_bytes(operands) + 1;
    }
    if (opcode == 0xf6 || opcode == 0xf7) {
        return operand_bytes(operands) + (operation > 1 ? 0 : opcode == 0xf6 ? 1 : whole);
    }
    if (opcode == 0x63 || (opcode >= 0x84 && opcode <= 0x8f) ||
        (opcode >= 0xd0 && opcode <= 0xdf) || opcode >= 0xfe) {
        return operand_bytes(operands);
    }
    if (opcode >= 0xb8 && opcode <= 0xbf) {
        return is_long ? 8 : whole;
    }
    if (opcode == 0x68 || opcode == 0xa9) {
        return whole;
    }
    return opcode == 0xc2                       ? 2
           : (opcode >= 0xa0 && opcode <= 0xa3) ? 8
           : IS_ONE_OF(opcode, "\x6a\xa8\xcd") || (opcode & 0xf8) == 0xb0 || (opcode & 0xf0) == 0xe0
               ? 1
               : 0;
}

static struct instruction with_vector_prefix(const unsigned char *code)
{
    const size_t prefix = code[0] == 0xc5 ? 2 : code[0] == 0xc4 ? 3 : 4;
    const unsigned int map = code[0] == 0xc5 ? 1 : code[1] & 7;
    return (struct instruction){NOTHING,
                                prefix + 1 + far_bytes(map, code[prefix], code + prefix + 1), NULL};
}

static struct instruction read_instruction(const unsigned char *start)
{
    const unsigned char *code = start;
    bool is_short = false, is_long = false;
    while (IS_ONE_OF(*code, "\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3")) {
        is_short = is_short || *code == 0x66;
        code++;
    }
    if (*code == 0xc4 || *code == 0xc5 || *code == 0x62) {
        return with_vector_prefix(code);
    }
    if ((*code & 0xf0) == 0x40) {
        is_long = *code++ & 8;
    }
    if (code[0] == 0x0f && (code[1] & 0xf0) == 0x80) {
        return (struct instruction){BRANCH, (size_t)(code - start) + 6,
                                    code + 6 + word_at(code + 2)};
    }
    if (code[0] == 0x0f) {
        const unsigned int map = code[1] == 0x38 ? 2 : code[1] == 0x3a ? 3 : 1;
        const unsigned char *operands = code + 1 + (map == 1 ? 1 : 2);
        return (struct instruction){
            code[1] == 0x0b ? RETURN : NOTHING,
            (size_t)(operands - start) + far_bytes(map, operands[-1], operands), NULL};
    }
    if ((*code & 0xf0) == 0x70 || *code == 0xeb) {
        return (struct instruction){*code == 0xeb ? JUMP : BRANCH, (size_t)(code - start) + 2,
                                    code + 2 + (signed char)code[1]};
    }
    if (*code == 0xe8 || *code == 0xe9) {
        return (struct instruction){*code == 0xe8 ? CALL : JUMP, (size_t)(code - start) + 5,
                                    code + 5 + word_at(code + 1)};
    }
    return (struct instruction){
        *code == 0xc3             ? RETURN
        : *code != 0xff           ? NOTHING
        : (code[1] >> 3 & 7) == 2 ? CALL
        : (code[1] >> 3 & 7) == 4 ? BRANCH
                                  : NOTHING,
        (size_t)(code - start) + 1 + near_bytes(*code, code + 1, is_short, is_long), NULL};
}

#elif defined(__aarch64__)

static struct instruction read_instruction(const unsigned char *start)
{
    const uint32_t word = *(const uint32_t *)(const void *)start;
    const int32_t far = (int32_t)(word << 6) >> 6, near = (int32_t)(word << 8) >> 13;
    const int32_t bit = (int32_t)(word << 13) >> 18;
    struct instruction read = {NOTHING, 4, NULL};
    if ((word & 0x7c000000) == 0x14000000) {
        read.what = word >> 31 ? CALL : JUMP;
        read.target = start + (ptrdiff_t)far * 4;
    } else if ((word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000) {
        read.what = BRANCH;
        read.target = start + (ptrdiff_t)near * 4;
    } else if ((word & 0x7e000000) == 0x36000000) {
        read.what = BRANCH;
        read.target = start + (ptrdiff_t)bit * 4;
    } else if ((word & 0xfe000000) == 0xd6000000) {
        read.what = word >> 21 & 2 ? RETURN : word >> 21 & 1 ? CALL : BRANCH;
    }
    return read;
}

#else

static struct instruction read_instruction(const unsigned char *start)
{
    (void)start;
    return (struct instruction){RETURN, 0, NULL};
}

#endif

/* The test before a hook jumps past its call. */
static bool is_of_hook(const struct instruction *branch, const unsigned char *next)
{
    const struct instruction call = read_instruction(next);
    return call.what == CALL && branch->target == next + call.length;
}

/* Whether the code there only reports a number out of range. The compiler's test for that is not a
 * branch of the source. */
static bool tells_of_range(const unsigned char *at)
{
    static void (*const tellers[])(void) = {__ubsan_handle_out_of_bounds,
                                            __ubsan_handle_out_of_bounds_abort,
                                            __ubsan_handle_float_cast_overflow};
    struct instruction read = {NOTHING, 0, NULL};
    for (int i = 0; i < 30 && (read.what == NOTHING || read.what == JUMP); i++) {
        at = read.what == JUMP ? read.target : at + read.length;
        read = read_instruction(at);
    }
    for (size_t i = 0; read.what == CALL && i < sizeof tellers / sizeof *tellers; i++) {
        if (read.target == (const unsigned char *)(uintptr_t)tellers[i]) {
            return true;
        }
    }
    return false;
}

/* The branch that ends the basic block or, if `called`, its first indirect call. */
static uint32_t branch_of(uint32_t block, bool called)
{
    const unsigned char *at = (const unsigned char *)__executable_start + block;
    for (int i = 0; i < 2000; i++) {
        struct instruction read = read_instruction(at);
        if (read.what == BRANCH && read.target && tells_of_range(at + read.length)) {
            read.what = JUMP;
        } else if (read.what == BRANCH && read.target && tells_of_range(read.target)) {
            read.what = NOTHING;
        }
        if ((read.what == BRANCH && !is_of_hook(&read, at + read.length)) ||
            (read.what == CALL && !read.target && called)) {
            return (uint32_t)(at + 1 - (const unsigned char *)__executable_start);
        }
        if (read.what == RETURN || read.length == 0 ||
            (read.what == CALL &&
             read.target == (const unsigned char *)(uintptr_t)__sanitizer_cov_trace_pc)) {
            break;
        }
        at = read.what == JUMP && read.target ? read.target : at + read.length;
    }
    return block;
}

static unsigned int bounded(unsigned int depth)
{
    return depth < SIMT_TRAIL ? depth : SIMT_TRAIL - 1;
}

void simt_trail_enter(struct simt_trail *trail, unsigned int depth, uint32_t place)
{
    trail->depth = bounded(depth);
    trail->places[trail->depth] = place;
}

uint32_t simt_branch_of(uint32_t block)
{
    return branch_of(block, false);
}

uint32_t simt_trail_branch(const struct simt_trail *trail, unsigned int depth)
{
    static struct {
        uint32_t block, branch;
        bool called;
    } known[1024];
    const bool called = bounded(depth) > trail->depth;
    const uint32_t block = trail->places[called ? trail->depth : bounded(depth)];
    const size_t slot = (block + called) % (sizeof known / sizeof *known);
    if (known[slot].block != block || known[slot].called != called) {
        known[slot].block = block;
        known[slot].called = called;
        known[slot].branch = branch_of(block, called);
    }
    return known[slot].branch;
}
/* SPDX-License-Identifier: MIT */
