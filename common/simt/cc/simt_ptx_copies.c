/* Asynchronous copies: cp.async, cp.async.bulk; st.async, red.async; and helpers for
 * simt_ptx_tensors.c. */
#include <string.h>

#include "cc/simt_ptx.h"

void ptx_append_pointer(struct ptx *ptx, const char *space, char *operand)
{
    char *rest;
    ptx_print(&ptx->body, "::simt::ptx::at_%s(", space);
    if (ptx_address(ptx, &ptx->body, operand, &rest) && rest) {
        ptx_refuse(ptx, "address [..., %s]", rest);
    }
    append_string(&ptx->body, ")");
}

bool ptx_has_only(const struct ptx_instruction *instruction, size_t first, const char *words)
{
    for (size_t i = first; i < instruction->part_count; i++) {
        if (!ptx_is_among(words, instruction->parts[i])) {
            return false;
        }
    }
    return true;
}

/* cp.async.ca.shared.global [to], [from], bytes{, bytes read}{, policy}; if a predicate stands
 * instead of the bytes read, it says whether to read none. */
static void emit_copy(struct ptx *ptx, struct ptx_instruction *instruction)
{
    bool hint = ptx_has(instruction, "L2::cache_hint");
    size_t count = instruction->operand_count - (hint && instruction->operand_count > 0);
    if (!ptx_has_only(
            instruction, 2,
            " ca cg shared shared::cta global L2::cache_hint L2::64B L2::128B L2::256B ") ||
        !ptx_has(instruction, "global") || count < 3 || count > 4) {
        ptx_refuse(ptx, "%s with %zu operands", instruction->opcode, instruction->operand_count);
        return;
    }
    append_string(&ptx->body, "::simt::ptx::copy_async(");
    ptx_append_pointer(ptx, "shared", instruction->operands[0]);
    append_string(&ptx->body, ", ");
    ptx_append_pointer(ptx, "global", instruction->operands[1]);
    append_string(&ptx->body, ", ");
    ptx_source(ptx, &ptx->body, instruction->operands[2], 32, "u32");
    append_string(&ptx->body, ", ");
    if (count == 4 && ptx_is_predicate(instruction->operands[3])) {
        ptx_source(ptx, &ptx->body, instruction->operands[3], PTX_PREDICATE, "pred");
        append_string(&ptx->body, " ? 0u : ");
        count = 3;
    }
    ptx_source(ptx, &ptx->body, instruction->operands[count - 1], 32, "u32");
    ptx_print(&ptx->body, ", %s); ", ptx_has(instruction, "cg") ? "true" : "false");
}

static void emit_group(struct ptx *ptx, struct ptx_instruction *instruction, const char *call)
{
    bool waits = strstr(instruction->opcode, "wait_group") != NULL;
    if (instruction->operand_count != waits) {
        ptx_refuse(ptx, "%s with %zu operands", instruction->opcode, instruction->operand_count);
        return;
    }
    append_string(&ptx->body, call);
    if (waits) {
        ptx_source(ptx, &ptx->body, instruction->operands[0], 32, "u32");
    }
    append_string(&ptx->body, "); ");
}

/* cp.async.mbarrier.arrive{.noinc}{.shared}.b64 [barrier]; */
static void emit_arrival(struct ptx *ptx, struct ptx_instruction *instruction)
{
    bool shared = ptx_has(instruction, "shared") || ptx_has(instruction, "shared::cta");
    if (!ptx_has_only(instruction, 2, " mbarrier arrive noinc shared shared::cta b64 ") ||
        !ptx_has(instruction, "arrive") || instruction->operand_count != 1) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return;
    }
    append_string(&ptx->body, "::simt::ptx::copy_async_arrive(");
    ptx_append_pointer(ptx, shared ? "shared" : "generic", instruction->operands[0]);
    ptx_print(&ptx->body, ", %s); ", ptx_has(instruction, "noinc") ? "true" : "false");
}

/* ---- bulk ---- */

/* The space of a copy's destination and barrier; "cluster" allows another block's. */
const char *ptx_target_space(const struct ptx_instruction *instruction, size_t part)
{
    return strcmp(instruction->parts[part], "shared::cluster") == 0 ? "cluster" : "shared";
}

/* Appends ", mask" for a copy to several blocks, else ", 0". */
void ptx_append_mask(struct ptx *ptx, const struct ptx_instruction *instruction, bool several,
                     size_t operand)
{
    append_string(&ptx->body, ", ");
    if (several) {
        ptx_source(ptx, &ptx->body, instruction->operands[operand], 16, "u16");
    } else {
        append_string(&ptx->body, "0");
    }
}

/* cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast::cluster} [to],
 *   [from], bytes, [barrier]{, mask};
 * cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [to], [from], bytes,
 *   [barrier];
 * cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes; */
static void emit_bulk(struct ptx *ptx, struct ptx_instruction *instruction)
{
    bool hint = ptx_has(instruction, "L2::cache_hint");
    bool several = ptx_has(instruction, "multicast::cluster");
    bool known = instruction->part_count > 4;
    bool load = known && ptx_is_among(" shared::cluster shared::cta ", instruction->parts[3]) &&
                strcmp(instruction->parts[4], "global") == 0;
    bool sends = known && strcmp(instruction->parts[3], "shared::cluster") == 0 &&
                 strcmp(instruction->parts[4], "shared::cta") == 0 && !several && !hint;
    bool store = known && strcmp(instruction->parts[3], "global") == 0 &&
                 strcmp(instruction->parts[4], "shared::cta") == 0;
    if (!((load || sends) &&
          ptx_has_only(instruction, 5,
                       " mbarrier::complete_tx::bytes multicast::cluster L2::cache_hint ") &&
          ptx_has(instruction, "mbarrier::complete_tx::bytes")) &&
        !(store && ptx_has_only(instruction, 5, " bulk_group L2::cache_hint ") &&
          ptx_has(instruction, "bulk_group"))) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return;
    }
    if (instruction->operand_count != 4u - store + several + hint) {
        ptx_refuse(ptx, "%s with %zu operands", instruction->opcode, instruction->operand_count);
        return;
    }
    ptx_print(&ptx->body, "::simt::ptx::bulk_%s(", store ? "store" : "load");
    ptx_append_pointer(ptx, store ? "global" : ptx_target_space(instruction, 3),
                       instruction->operands[0]);
    append_string(&ptx->body, ", ");
    ptx_append_pointer(ptx, load ? "global" : "shared", instruction->operands[1]);
    append_string(&ptx->body, ", ");
    ptx_source(ptx, &ptx->body, instruction->operands[2], 32, "u32");
    if (!store) {
        append_string(&ptx->body, ", ");
        ptx_append_pointer(ptx, ptx_target_space(instruction, 3), instruction->operands[3]);
        ptx_append_mask(ptx, instruction, several, 4);
    }
    append_string(&ptx->body, "); ");
}

/* Whether this reduction into shared memory is available. */
static bool reduces_in_shared(const char *operation, const char *type)
{
    return ptx_is_among(ptx_is_among(" and or xor ", operation) ? " b32 "
                        : ptx_is_among(" inc dec ", operation)  ? " u32 "
                        : strcmp(operation, "add") == 0         ? " u32 s32 u64 "
                                                                : " u32 s32 ",
                        type);
}

/* cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [to], [from], bytes;
 * cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [to],
 *   [from], bytes, [barrier]; */
static void emit_reduction(struct ptx *ptx, struct ptx_instruction *instruction)
{
    static const char TYPES[] = " f16 bf16 b32 u32 s32 b64 u64 s64 f32 f64 ";
    const bool hint = ptx_has(instruction, "L2::cache_hint");
    const bool shared = strcmp(instruction->parts[4], "shared::cluster") == 0;
    const char *operation = NULL, *type = NULL;
    bool known = instruction->part_count > 6 &&
                 (shared || strcmp(instruction->parts[4], "global") == 0) &&
                 strcmp(instruction->parts[5], "shared::cta") == 0 &&
                 ptx_has(instruction, shared ? "mbarrier::complete_tx::bytes" : "bulk_group");
    for (size_t i = 6; i < instruction->part_count; i++) {
        const char *part = instruction->parts[i];
        if (ptx_is_among(" add min max inc dec and or xor ", part)) {
            operation = part;
        } else if (ptx_is_among(TYPES, part)) {
            type = part;
        } else {
            known = known && ptx_is_among(shared ? " mbarrier::complete_tx::bytes "
                                                 : " bulk_group L2::cache_hint noftz ",
                                          part);
        }
    }
    if (!known || !operation || !type || (shared && !reduces_in_shared(operation, type)) ||
        instruction->operand_count != 3u + shared + hint) {
        ptx_refuse(ptx, "%s with %zu operands", instruction->opcode, instruction->operand_count);
        return;
    }
    append_string(&ptx->body, "::simt::ptx::bulk_reduce(");
    ptx_append_pointer(ptx, shared ? "cluster" : "global", instruction->operands[0]);
    append_string(&ptx->body, ", ");
    ptx_append_pointer(ptx, "shared", instruction->operands[1]);
    append_string(&ptx->body, ", ");
    ptx_source(ptx, &ptx->body, instruction->operands[2], 32, "u32");
    append_string(&ptx->body, ", ");
    if (shared) {
        ptx_append_pointer(ptx, "cluster", instruction->operands[3]);
    } else {
        append_string(&ptx->body, "nullptr");
    }
    ptx_print(&ptx->body, ", ::simt::ptx::o_%s, ::simt::ptx::t_%s::code); ", operation, type);
}

/* cp.async.bulk.prefetch.L2.global [from], bytes; cp.async.bulk.prefetch.tensor.2d.L2.global{.tile}
 * [map, {x, y}]; .im2col, {, {w, h}}: they are only hints. */
static void emit_bulk_prefetch(struct ptx *ptx, struct ptx_instruction *instruction)
{
    const bool hint = ptx_has(instruction, "L2::cache_hint"),
               tensor = ptx_has(instruction, "tensor");
    const bool columns = tensor && ptx_has(instruction, "im2col");
    char *rest;
    if (!ptx_has_only(instruction, 4,
                      " L2 global L2::cache_hint tensor 1d 2d 3d 4d 5d tile im2col ") ||
        !ptx_has(instruction, "L2") || !ptx_has(instruction, "global") ||
        instruction->operand_count != 2u - tensor + columns + hint) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return;
    }
    append_string(&ptx->body, "static_cast<void>(");
    ptx_address(ptx, &ptx->body, instruction->operands[0], &rest);
    append_string(&ptx->body, "); ");
}

/* ---- copies from registers ---- */

/* st.async{.weak}.shared::cluster.mbarrier::complete_tx::bytes{.v2}.f32 [to], value, [barrier];
 * red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [to], value,
 *   [barrier]; */
bool ptx_emit_async(struct ptx *ptx, struct ptx_instruction *instruction)
{
    static const char STORED[] = " b32 u32 s32 f32 b64 u64 s64 f64 ";
    static const char COMMON[] = " shared::cluster mbarrier::complete_tx::bytes ";
    const bool reduces = strcmp(instruction->parts[0], "red") == 0;
    const char *operation = NULL, *name = instruction->parts[instruction->part_count - 1];
    const bool is_known_type =
        instruction->part_count > 3 && ptx_is_among(reduces ? " u32 s32 u64 b32 " : STORED, name);
    char *elements[4];
    size_t count = 1;
    if (instruction->part_count < 2 || strcmp(instruction->parts[1], "async") != 0 ||
        !ptx_is_among(" st red ", instruction->parts[0])) {
        return false;
    }
    for (size_t i = 2; i + 1 < instruction->part_count; i++) {
        const char *part = instruction->parts[i];
        if (reduces && ptx_is_among(" add min max inc dec and or xor ", part)) {
            operation = part;
        } else if (!reduces && (strcmp(part, "v2") == 0 || strcmp(part, "v4") == 0)) {
            count = (size_t)(part[1] - '0');
        } else if (!ptx_is_among(COMMON, part) &&
                   !ptx_is_among(reduces ? " relaxed cluster " : " weak ", part)) {
            count = 0;
        }
    }
    if (!is_known_type || count == 0 || !ptx_has(instruction, "shared::cluster") ||
        !ptx_has(instruction, "mbarrier::complete_tx::bytes") ||
        (reduces && !ptx_is_atomic(operation, name))) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return true;
    }
    const struct ptx_type *const type = ptx_type(name);
    if (instruction->operand_count != 3 || type->bits * count > 128 ||
        ptx_elements(ptx, instruction->operands[1], elements, 4) != count) {
        ptx_refuse(ptx, "%s with these operands", instruction->opcode);
        return true;
    }
    if (reduces) {
        ptx_print(&ptx->body, "::simt::ptx::reduce_async<::simt::ptx::t_%s, ::simt::ptx::o_%s>(",
                  name, operation);
    } else {
        ptx_print(&ptx->body, "::simt::ptx::store_async<::simt::ptx::t_%s, %zu>(", name, count);
    }
    ptx_append_pointer(ptx, "cluster", instruction->operands[0]);
    append_string(&ptx->body, ", ");
    ptx_append_pointer(ptx, "cluster", instruction->operands[2]);
    append_string(&ptx->body, reduces ? ", " : ", {{");
    for (size_t i = 0; i < count && !ptx->failed; i++) {
        ptx_print(&ptx->body, "%sstatic_cast<::simt::ptx::t_%s::bits>(", i > 0 ? ", " : "", name);
        ptx_source(ptx, &ptx->body, elements[i], type->bits, type->name);
        append_string(&ptx->body, ")");
    }
    append_string(&ptx->body, reduces ? "); " : "}}); ");
    return true;
}

bool ptx_emit_copy(struct ptx *ptx, struct ptx_instruction *instruction)
{
    static const struct {
        const char *opcode, *call;
    } groups[] = {
        {"cp.async.commit_group", "simt_pipeline_commit("},
        {"cp.async.wait_group", "simt_pipeline_wait_prior("},
        {"cp.async.wait_all", "::simt::ptx::wait_all("},
        {"cp.async.bulk.commit_group", "::simt::ptx::bulk_commit("},
        {"cp.async.bulk.wait_group", "::simt::ptx::bulk_wait_group("},
        {"cp.async.bulk.wait_group.read", "::simt::ptx::bulk_wait_group_read("},
    };
    if (strncmp(instruction->opcode, "cp.async.", 9) != 0) {
        const bool reduces = strncmp(instruction->opcode, "cp.reduce.async.bulk.", 21) == 0;
        if (reduces && instruction->part_count > 4) {
            (strcmp(instruction->parts[4], "tensor") == 0 ? ptx_emit_tensor_reduction
                                                          : emit_reduction)(ptx, instruction);
        }
        return reduces;
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (strcmp(instruction->opcode, groups[i].opcode) == 0) {
            emit_group(ptx, instruction, groups[i].call);
            return true;
        }
    }
    if (strcmp(instruction->parts[2], "mbarrier") == 0) {
        emit_arrival(ptx, instruction);
    } else if (strcmp(instruction->parts[2], "bulk") != 0) {
        emit_copy(ptx, instruction);
    } else if (ptx_has(instruction, "prefetch")) {
        emit_bulk_prefetch(ptx, instruction);
    } else if (instruction->part_count > 3 && strcmp(instruction->parts[3], "tensor") == 0) {
        ptx_emit_tensor(ptx, instruction);
    } else {
        emit_bulk(ptx, instruction);
    }
    return true;
}
/* SPDX-License-Identifier: MIT */
