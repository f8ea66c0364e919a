/* Loads, stores, atomics and other instructions that take addresses. */
#include <stdio.h>
#include <string.h>

#include "cc/simt_ptx.h"

/* ---- the parts of a memory instruction's name ---- */

struct access {
    const char *space, *operation;
    const struct ptx_type *type;
    unsigned int count; /* of a vector */
    char flags[512];
    bool cache_hint;
};

static const char SPACES[] = " global shared shared::cta shared::cluster local const ";
static const char HINTS[] =
    " ca cg cs lu cv wb wt L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last "
    "L1::no_allocate L2::64B L2::128B L2::256B L2::evict_first L2::evict_last L2::evict_normal ";

/* Adds a flag; prints a message and returns false if there are too many. */
static bool add_flag(struct ptx *ptx, const struct ptx_instruction *instruction,
                     struct access *access, const char *name)
{
    const size_t length = strlen(access->flags), room = sizeof access->flags - length;
    if ((size_t)snprintf(access->flags + length, room, " | ::simt::ptx::m_%s", name) < room) {
        return true;
    }
    ptx_refuse(ptx, "%s", instruction->opcode);
    return false;
}

/* Reads the parts in order; prints a message and returns false if one is not known. */
static bool read_access(struct ptx *ptx, const struct ptx_instruction *instruction,
                        const char *orders, const char *operations, const char *numbers,
                        struct access *access)
{
    *access = (struct access){.space = "generic", .count = 1, .flags = "0"};
    for (size_t i = 1; i < instruction->part_count; i++) {
        const char *part = instruction->parts[i];
        if (ptx_is_among(orders, part) || ptx_is_among(" cta gpu sys ", part)) {
            if (!add_flag(ptx, instruction, access, part)) {
                return false;
            }
        } else if (ptx_is_among(SPACES, part)) {
            access->space = strcmp(part, "shared::cta") == 0       ? "shared"
                            : strcmp(part, "shared::cluster") == 0 ? "cluster"
                                                                   : part;
        } else if (ptx_is_among(" cluster mmio ", part)) { /* treated like the device's scope */
        } else if (ptx_is_among(operations, part)) {
            access->operation = part;
        } else if (strcmp(part, "L2::cache_hint") == 0) {
            access->cache_hint = true;
        } else if (ptx_is_among(" v2 v4 v8 ", part)) {
            access->count = (unsigned int)(part[1] - '0');
        } else if (ptx_is_among(numbers, part) && !access->type) {
            access->type = ptx_type(part);
        } else if (!ptx_is_among(HINTS, part)) {
            ptx_refuse(ptx, "%s (.%s)", instruction->opcode, part);
            return false;
        } else if (ptx->in_cccl && strcmp(part, "cg") == 0 &&
                   /* matches CUB's branch for a device that the preprocessor knows */
                   !add_flag(ptx, instruction, access, "relaxed")) {
            return false;
        }
    }
    if (!access->type || access->type->bits * access->count > 128) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return false;
    }
    return true;
}

/* Appends a pointer into the space. */
static bool append_pointer(struct ptx *ptx, struct text *out, const char *space, char *operand)
{
    char *rest;
    ptx_print(out, "::simt::ptx::at_%s(", space);
    if (!ptx_address(ptx, out, operand, &rest)) {
        return false;
    }
    if (rest) {
        ptx_refuse(ptx, "address [..., %s]", rest);
    }
    append_string(out, ")");
    return true;
}

/* ---- ld, st ---- */

#define MOVABLE " b8 u8 s8 b16 u16 s16 f16 bf16 b32 u32 s32 f32 b64 u64 s64 f64 "

static bool check_operands(struct ptx *ptx, const struct ptx_instruction *instruction, size_t count)
{
    if (instruction->operand_count != count) {
        ptx_refuse(ptx, "%s with %zu operands", instruction->opcode, instruction->operand_count);
        return false;
    }
    return true;
}

static void emit_load(struct ptx *ptx, struct ptx_instruction *instruction)
{
    struct access access;
    char *elements[4];
    size_t count;
    struct text *out = &ptx->body;
    if (!read_access(ptx, instruction, " weak volatile relaxed acquire nc ", " ", MOVABLE,
                     &access) ||
        !check_operands(ptx, instruction, access.cache_hint ? 3 : 2)) {
        return;
    }
    count = ptx_elements(ptx, instruction->operands[0], elements, 4);
    if (count != access.count) {
        ptx_refuse(ptx, "%s of %zu", instruction->opcode, count);
        return;
    }
    ptx_print(out, "{ const auto simt_v = ::simt::ptx::load<::simt::ptx::t_%s, %u, %s>(",
              access.type->name, access.count, access.flags);
    append_pointer(ptx, out, access.space, instruction->operands[1]);
    append_string(out, "); ");
    for (size_t i = 0; i < count && !ptx->failed; i++) {
        ptx_destination(ptx, out, elements[i], access.type->bits, true);
        ptx_print(out, " = ::simt::ptx::element<::simt::ptx::t_%s>(simt_v, %zu); ",
                  access.type->name, i);
    }
    append_string(out, "} ");
}

static void emit_store(struct ptx *ptx, struct ptx_instruction *instruction)
{
    struct access access;
    char *elements[4];
    size_t count;
    struct text *out = &ptx->body;
    if (!read_access(ptx, instruction, " weak volatile relaxed release ", " ", MOVABLE, &access) ||
        !check_operands(ptx, instruction, access.cache_hint ? 3 : 2)) {
        return;
    }
    count = ptx_elements(ptx, instruction->operands[1], elements, 4);
    if (count != access.count || strcmp(access.space, "const") == 0) {
        ptx_refuse(ptx, "%s of %zu", instruction->opcode, count);
        return;
    }
    ptx_print(out, "::simt::ptx::store<::simt::ptx::t_%s, %u, %s>(", access.type->name,
              access.count, access.flags);
    append_pointer(ptx, out, access.space, instruction->operands[0]);
    for (size_t i = 0; i < count && !ptx->failed; i++) {
        append_string(out, ", ");
        ptx_source(ptx, out, elements[i], access.type->bits, access.type->name);
    }
    append_string(out, "); ");
}

/* ---- atom, red ---- */

/* The operations of simt_atomic() in the runtime. */
bool ptx_is_atomic(const char *operation, const char *type)
{
    static const struct {
        const char *operations, *types;
    } known[] = {
        {" add ", " u32 s32 u64 f32 f64 s64 "},
        {" min max ", " u32 s32 u64 s64 "},
        {" inc dec ", " u32 "},
        {" and or xor exch cas ", " b32 b64 "},
    };
    for (size_t i = 0; operation && i < sizeof known / sizeof *known; i++) {
        if (ptx_is_among(known[i].operations, operation)) {
            return ptx_is_among(known[i].types, type);
        }
    }
    return false;
}

/* Handled by simt_atomic_numbers(): halves (with .noftz), pairs of halves, 16 bits, vectors. */
static bool is_of_numbers(const struct ptx_instruction *instruction, const struct access *access)
{
    const char *type = access->type->name;
    const bool halves = ptx_is_among(" f16 bf16 f16x2 bf16x2 ", type);
    const bool alone = access->count == 1, adds = strcmp(access->operation, "add") == 0;
    if (alone && strcmp(access->operation, "cas") == 0) {
        return strcmp(type, "b16") == 0;
    }
    if (!alone && !ptx_is_among(" generic global ", access->space)) {
        return false;
    }
    if (!halves) {
        return !alone && adds && strcmp(type, "f32") == 0 && !ptx_has(instruction, "noftz");
    }
    return ptx_has(instruction, "noftz") && access->type->bits * access->count <= 128 &&
           (adds || (!alone && ptx_is_among(" min max ", access->operation)));
}

/* atom.add.noftz.v2.f16x2 {d, e}, [a], {b, c}; atom.cas.b16 d, [a], b, c; */
static void emit_atomic_numbers(struct ptx *ptx, struct ptx_instruction *instruction,
                                const struct access *access, bool returns)
{
    char *const *operands = instruction->operands + returns;
    const bool compare = strcmp(access->operation, "cas") == 0;
    char *results[8], *values[8];
    struct text *out = &ptx->body;
    if (!check_operands(ptx, instruction, 2u + returns + compare + access->cache_hint)) {
        return;
    }
    if ((returns && ptx_elements(ptx, *instruction->operands, results, 8) != access->count) ||
        ptx_elements(ptx, operands[1 + compare], values, 8) != access->count) {
        ptx_refuse(ptx, "%s with these operands", instruction->opcode);
        return;
    }
    ptx_print(out,
              "{ [[maybe_unused]] const auto simt_v = ::simt::ptx::atomic_numbers<"
              "::simt::ptx::t_%s, %u, ::simt::ptx::o_%s, %s>(",
              access->type->name, access->count, access->operation, access->flags);
    append_pointer(ptx, out, access->space, operands[0]);
    append_string(out, ", {{");
    for (unsigned int i = 0; i < access->count && !ptx->failed; i++) {
        ptx_print(out, "%sstatic_cast<::simt::ptx::t_%s::bits>(", i > 0 ? ", " : "",
                  access->type->name);
        ptx_source(ptx, out, values[i], access->type->bits, access->type->name);
        append_string(out, ")");
    }
    append_string(out, "}}, ");
    ptx_source(ptx, out, compare ? operands[1] : "0", access->type->bits, "b16");
    append_string(out, "); ");
    for (unsigned int i = 0; returns && i < access->count && !ptx->failed; i++) {
        ptx_destination(ptx, out, results[i], access->type->bits, false);
        ptx_print(out, " = ::simt::ptx::element<::simt::ptx::t_%s>(simt_v, %u); ",
                  access->type->name, i);
    }
    append_string(out, "} ");
}

static void emit_atomic(struct ptx *ptx, struct ptx_instruction *instruction, bool returns)
{
    struct access access;
    struct text *out = &ptx->body;
    char *const *operands = instruction->operands;
    bool compare;
    if (!read_access(ptx, instruction, " relaxed acquire release acq_rel noftz ",
                     " add min max inc dec and or xor exch cas ", MOVABLE "f16x2 bf16x2 ",
                     &access)) {
        return;
    }
    if (access.operation && is_of_numbers(instruction, &access)) {
        emit_atomic_numbers(ptx, instruction, &access, returns);
        return;
    }
    compare = access.operation && strcmp(access.operation, "cas") == 0;
    if (!ptx_is_atomic(access.operation, access.type->name) || access.count != 1) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return;
    }
    if (!check_operands(ptx, instruction, 2u + returns + compare + access.cache_hint)) {
        return;
    }
    if (returns) {
        ptx_destination(ptx, out, *operands++, access.type->bits, false);
        append_string(out, " = ");
    }
    ptx_print(out, "::simt::ptx::atomic<::simt::ptx::t_%s, ::simt::ptx::o_%s, %s>(",
              access.type->name, access.operation, access.flags);
    append_pointer(ptx, out, access.space, operands[0]);
    append_string(out, ", ");
    ptx_source(ptx, out, operands[1 + compare], access.type->bits, access.type->name);
    append_string(out, ", ");
    ptx_source(ptx, out, operands[1], access.type->bits, access.type->name);
    append_string(out, "); ");
}

/* ---- addresses ---- */

/* mapa.shared::cluster.u32 d, a, rank; getctarank.shared::cluster.u32 d, a; both also generic. */
static bool emit_rank(struct ptx *ptx, struct ptx_instruction *instruction)
{
    bool maps = strcmp(instruction->parts[0], "mapa") == 0;
    bool shared = ptx_has(instruction, "shared::cluster");
    const char *type = instruction->parts[instruction->part_count - 1];
    unsigned int bits = strcmp(type, "u32") == 0 ? 32 : 64;
    if (!maps && strcmp(instruction->parts[0], "getctarank") != 0) {
        return false;
    }
    if (instruction->part_count != 2u + shared || !ptx_is_among(" u32 u64 ", type) ||
        (bits == 32 && !shared) || instruction->operand_count != 2u + maps) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return true;
    }
    ptx_destination(ptx, &ptx->body, instruction->operands[0], maps ? bits : 32, false);
    ptx_print(&ptx->body, " = ::simt::ptx::%s_%s<unsigned %s>(", instruction->parts[0],
              shared ? "offset" : "address", bits == 32 ? "int" : "long");
    ptx_source(ptx, &ptx->body, instruction->operands[1], bits, "u64");
    if (maps) {
        append_string(&ptx->body, ", ");
        ptx_source(ptx, &ptx->body, instruction->operands[2], 32, "u32");
    }
    append_string(&ptx->body, "); ");
    return true;
}

/* cvta.to.shared.u64 d, a; isspacep.shared p, a; */
static bool emit_address(struct ptx *ptx, struct ptx_instruction *instruction)
{
    bool converts = strcmp(instruction->parts[0], "cvta") == 0;
    bool to = converts && instruction->part_count > 1 && strcmp(instruction->parts[1], "to") == 0;
    size_t at = to ? 2 : 1;
    const char *space = at < instruction->part_count ? instruction->parts[at] : "";
    struct text *out = &ptx->body;
    bool known = ptx_is_among(converts ? " global local const shared shared::cta "
                                       : " global local const shared shared::cta shared::cluster ",
                              space);
    if (!converts && strcmp(instruction->parts[0], "isspacep") != 0) {
        return false;
    }
    if (!known || instruction->operand_count != 2 ||
        (converts ? instruction->part_count != at + 2 ||
                        !ptx_is_among(" u32 u64 ", instruction->parts[at + 1])
                  : instruction->part_count != 2)) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return true;
    }
    space = strcmp(space, "shared::cta") == 0       ? "shared"
            : strcmp(space, "shared::cluster") == 0 ? "cluster"
                                                    : space;
    if (converts) {
        unsigned int bits = instruction->parts[at + 1][1] == '3' ? 32 : 64;
        if (bits == 32) {
            ptx_refuse(ptx, "%s: addresses have 64 bits", instruction->opcode);
            return true;
        }
        ptx_destination(ptx, out, instruction->operands[0], bits, false);
        ptx_print(out, " = ::simt::ptx::%s_%s(", to ? "offset_in" : "address_in", space);
    } else {
        ptx_destination(ptx, out, instruction->operands[0], PTX_PREDICATE, false);
        ptx_print(out, " = ::simt::ptx::is_in_%s(", space);
    }
    ptx_source(ptx, out, instruction->operands[1], 64, "u64");
    append_string(out, "); ");
    return true;
}

/* Cache hints have no effect here. */
static bool emit_prefetch(struct ptx *ptx, struct ptx_instruction *instruction)
{
    static const char *const known[] = {
        "prefetch.global.L1",
        "prefetch.global.L2",
        "prefetch.L1",
        "prefetch.L2",
        "prefetch.local.L1",
        "prefetch.local.L2",
        "prefetchu.L1",
        "prefetch.tensormap",
        "prefetch.global.L2::evict_last",
        "prefetch.global.L2::evict_normal",
        "prefetch.param.tensormap",
        "prefetch.const.tensormap",
        "applypriority.global.L2::evict_normal",
        "applypriority.L2::evict_normal",
        "discard.global.L2",
        "discard.L2",
    };
    const bool has_size = strcmp(instruction->parts[0], "applypriority") == 0 ||
                          strcmp(instruction->parts[0], "discard") == 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(instruction->opcode, known[i]) == 0 &&
            instruction->operand_count == 1u + has_size) {
            char *rest;
            append_string(&ptx->body, "static_cast<void>(");
            ptx_address(ptx, &ptx->body, instruction->operands[0], &rest);
            append_string(&ptx->body, "); ");
            return true;
        }
    }
    if (instruction->part_count > 1 && strcmp(instruction->parts[0], "createpolicy") == 0 &&
        ptx_is_among(" fractional range cvt ", instruction->parts[1]) &&
        instruction->operand_count >= 1) {
        ptx_destination(ptx, &ptx->body, instruction->operands[0], 64, false);
        append_string(&ptx->body, " = 0; ");
        return true;
    }
    return false;
}

bool ptx_emit_memory(struct ptx *ptx, struct ptx_instruction *instruction)
{
    const char *name = instruction->parts[0];
    if (strcmp(name, "ld") == 0) {
        emit_load(ptx, instruction);
    } else if (strcmp(name, "st") == 0) {
        emit_store(ptx, instruction);
    } else if (strcmp(name, "atom") == 0 || strcmp(name, "red") == 0) {
        emit_atomic(ptx, instruction, *name == 'a');
    } else {
        return emit_address(ptx, instruction) || emit_rank(ptx, instruction) ||
               emit_prefetch(ptx, instruction);
    }
    return true;
}
/* SPDX-License-Identifier: MIT */
