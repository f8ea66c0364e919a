/* Copies of tensor boxes, and the tensor maps that describe them: cp.async.bulk.tensor,
 * cp.reduce.async.bulk.tensor, tensormap.replace and related instructions. */
#include <string.h>

#include "cc/simt_ptx.h"

/* Appends the map, the number of coordinates and the coordinates of "[map, {x, y}]". */
static void append_box(struct ptx *ptx, char *operand, size_t dimensions)
{
    char *rest, *coordinates[5];
    size_t count;
    append_string(&ptx->body, "::simt::ptx::at_generic(");
    if (!ptx_address(ptx, &ptx->body, operand, &rest)) {
        return;
    }
    count = rest ? ptx_elements(ptx, rest, coordinates, 5) : 0;
    if (count != dimensions) {
        ptx_refuse(ptx, "%zu coordinates of a tensor of %zu dimensions", count, dimensions);
        return;
    }
    append_string(&ptx->body, "), {");
    for (size_t i = 0; i < count; i++) {
        append_string(&ptx->body, i > 0 ? ", static_cast<int>(" : "static_cast<int>(");
        ptx_source(ptx, &ptx->body, coordinates[i], 32, "s32");
        append_string(&ptx->body, ")");
    }
    ptx_print(&ptx->body, "}, %zu", dimensions);
}

/* Appends ", {{w, h}}": the offsets in the filter. */
static void append_offsets(struct ptx *ptx, char *operand, size_t count)
{
    char *offsets[3];
    if (ptx_elements(ptx, operand, offsets, 3) != count) {
        ptx_refuse(ptx, "offsets of im2col that are not %zu", count);
        return;
    }
    append_string(&ptx->body, ", {{");
    for (size_t i = 0; i < count; i++) {
        append_string(&ptx->body, i > 0 ? ", " : "");
        ptx_source(ptx, &ptx->body, offsets[i], 16, "u16");
    }
    append_string(&ptx->body, "}}");
}

/* cp.async.bulk.tensor.2d.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes
 *   {.multicast::cluster} [to], [map, {x, y}], [barrier]{, mask}; or .im2col instead of .tile, with
 *   {, {w, h}} after the barrier;
 * cp.async.bulk.tensor.2d.global.shared::cta{.tile}.bulk_group [map, {x, y}], [from];
 *   or .im2col_no_offs instead of .tile. */
void ptx_emit_tensor(struct ptx *ptx, struct ptx_instruction *instruction)
{
    bool hint = ptx_has(instruction, "L2::cache_hint");
    bool several = ptx_has(instruction, "multicast::cluster");
    bool im2col = ptx_has(instruction, "im2col");
    bool columns = ptx_has(instruction, "im2col_no_offs");
    size_t parts = instruction->part_count;
    bool load = parts > 6 && ptx_is_among(" shared::cluster shared::cta ", instruction->parts[5]) &&
                strcmp(instruction->parts[6], "global") == 0;
    bool store = parts > 6 && strcmp(instruction->parts[5], "global") == 0 &&
                 strcmp(instruction->parts[6], "shared::cta") == 0;
    size_t dimensions = parts > 4 && ptx_is_among(" 1d 2d 3d 4d 5d ", instruction->parts[4])
                            ? (size_t)(instruction->parts[4][0] - '0')
                            : 0;
    if (!dimensions ||
        (!(load &&
           ptx_has_only(instruction, 7,
                        " tile im2col mbarrier::complete_tx::bytes multicast::cluster "
                        "L2::cache_hint ") &&
           ptx_has(instruction, "mbarrier::complete_tx::bytes")) &&
         !(store &&
           ptx_has_only(instruction, 7, " tile im2col_no_offs bulk_group L2::cache_hint ") &&
           ptx_has(instruction, "bulk_group"))) ||
        instruction->operand_count != 2u + load + im2col + several + hint ||
        ((im2col || columns) && dimensions < 3)) {
        ptx_refuse(ptx, "%s with %zu operands", instruction->opcode, instruction->operand_count);
        return;
    }
    ptx_print(&ptx->body, "::simt::ptx::tensor_%s(",
              im2col ? "load_columns"
              : load ? "load"
                     : "store");
    ptx_append_pointer(ptx, load ? ptx_target_space(instruction, 5) : "shared",
                       instruction->operands[load ? 0 : 1]);
    append_string(&ptx->body, ", ");
    append_box(ptx, instruction->operands[load ? 1 : 0], dimensions);
    if (load) {
        if (im2col) {
            append_offsets(ptx, instruction->operands[3], dimensions - 2);
        }
        append_string(&ptx->body, ", ");
        ptx_append_pointer(ptx, ptx_target_space(instruction, 5), instruction->operands[2]);
        ptx_append_mask(ptx, instruction, several, 3u + im2col);
    } else {
        append_string(&ptx->body, columns ? ", true" : ", false");
    }
    append_string(&ptx->body, "); ");
}

/* cp.reduce.async.bulk.tensor.2d.global.shared::cta.add{.tile}.bulk_group [map, {x, y}], [from]; */
void ptx_emit_tensor_reduction(struct ptx *ptx, struct ptx_instruction *instruction)
{
    const bool hint = ptx_has(instruction, "L2::cache_hint"),
               columns = ptx_has(instruction, "im2col_no_offs");
    const char *operation = NULL;
    bool known =
        instruction->part_count > 8 && ptx_is_among(" 1d 2d 3d 4d 5d ", instruction->parts[5]) &&
        (!columns || instruction->parts[5][0] >= '3') &&
        strcmp(instruction->parts[6], "global") == 0 &&
        strcmp(instruction->parts[7], "shared::cta") == 0 && ptx_has(instruction, "bulk_group");
    for (size_t i = 8; i < instruction->part_count; i++) {
        const char *part = instruction->parts[i];
        if (ptx_is_among(" add min max inc dec and or xor ", part)) {
            operation = part;
        } else {
            known = known && ptx_is_among(" tile im2col_no_offs bulk_group L2::cache_hint ", part);
        }
    }
    if (!known || !operation || instruction->operand_count != 2u + hint) {
        ptx_refuse(ptx, "%s with %zu operands", instruction->opcode, instruction->operand_count);
        return;
    }
    append_string(&ptx->body, "::simt::ptx::tensor_reduce(");
    ptx_append_pointer(ptx, "shared", instruction->operands[1]);
    append_string(&ptx->body, ", ");
    append_box(ptx, instruction->operands[0], (size_t)(instruction->parts[5][0] - '0'));
    ptx_print(&ptx->body, ", %s, ::simt::ptx::o_%s); ", columns ? "true" : "false", operation);
}

/* ---- tensor maps ---- */

/* The fields that tensormap.replace knows: 64 bits or 32, per dimension or for the map. */
static const struct {
    const char *field;
    bool is_long, has_dimension;
} fields[] = {
    {"global_address", true, false}, {"rank", false, false},
    {"box_dim", false, true},        {"global_dim", false, true},
    {"global_stride", true, true},   {"element_stride", false, true},
    {"elemtype", false, false},      {"interleave_layout", false, false},
    {"swizzle_mode", false, false},  {"fill_mode", false, false},
};

/* tensormap.replace.tile.box_dim{.global, .shared::cta}.b1024.b32 [map]{, dimension}, value; */
static void emit_replacement(struct ptx *ptx, struct ptx_instruction *instruction)
{
    const bool spaced = instruction->part_count > 6;
    const char *space = spaced ? instruction->parts[4] : "generic", *name = instruction->parts[3];
    size_t i = 0;
    while (i < sizeof fields / sizeof *fields && strcmp(fields[i].field, name) != 0) {
        i++;
    }
    if (i == sizeof fields / sizeof *fields || instruction->part_count != 6u + spaced ||
        strcmp(instruction->parts[2], "tile") != 0 ||
        !ptx_is_among(" generic global shared::cta ", space) ||
        strcmp(instruction->parts[4 + spaced], "b1024") != 0 ||
        strcmp(instruction->parts[5 + spaced], fields[i].is_long ? "b64" : "b32") != 0 ||
        instruction->operand_count != 2u + fields[i].has_dimension) {
        ptx_refuse(ptx, "%s with these operands", instruction->opcode);
        return;
    }
    append_string(&ptx->body, "::simt::ptx::tensormap_replace(");
    ptx_append_pointer(ptx, strcmp(space, "shared::cta") == 0 ? "shared" : space,
                       instruction->operands[0]);
    ptx_print(&ptx->body, ", SIMT_MAP_%s, ", name);
    if (fields[i].has_dimension) {
        ptx_source(ptx, &ptx->body, instruction->operands[1], 32, "u32");
    } else {
        append_string(&ptx->body, "0u");
    }
    append_string(&ptx->body, ", ");
    ptx_source(ptx, &ptx->body, instruction->operands[instruction->operand_count - 1],
               fields[i].is_long ? 64 : 32, fields[i].is_long ? "b64" : "b32");
    append_string(&ptx->body, "); ");
}

/* tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [to],
 *   [from], 128; */
static void emit_map_copy(struct ptx *ptx, struct ptx_instruction *instruction)
{
    if (instruction->part_count != 9 || strcmp(instruction->parts[2], "global") != 0 ||
        strcmp(instruction->parts[3], "shared::cta") != 0 ||
        strcmp(instruction->parts[4], "tensormap::generic") != 0 ||
        strcmp(instruction->parts[5], "release") != 0 ||
        !ptx_is_among(" cta cluster gpu sys ", instruction->parts[6]) ||
        strcmp(instruction->parts[7], "sync") != 0 ||
        strcmp(instruction->parts[8], "aligned") != 0 || instruction->operand_count != 3) {
        ptx_refuse(ptx, "%s with these operands", instruction->opcode);
        return;
    }
    append_string(&ptx->body, "::simt::ptx::tensormap_copy(");
    ptx_append_pointer(ptx, "global", instruction->operands[0]);
    append_string(&ptx->body, ", ");
    ptx_append_pointer(ptx, "shared", instruction->operands[1]);
    append_string(&ptx->body, ", ");
    ptx_source(ptx, &ptx->body, instruction->operands[2], 32, "u32");
    append_string(&ptx->body, "); ");
}

/* fence.proxy.tensormap::generic.release.gpu; the same with .acquire and [map], 128; */
static void emit_map_fence(struct ptx *ptx, struct ptx_instruction *instruction)
{
    const bool acquires = ptx_has(instruction, "acquire");
    if (instruction->part_count != 5 || !ptx_is_among(" acquire release ", instruction->parts[3]) ||
        !ptx_is_among(" cta cluster gpu sys ", instruction->parts[4]) ||
        instruction->operand_count != (acquires ? 2u : 0u)) {
        ptx_refuse(ptx, "%s with these operands", instruction->opcode);
        return;
    }
    append_string(&ptx->body, "::simt::ptx::fence_proxy_tensormap(");
    if (acquires) {
        ptx_append_pointer(ptx, "generic", instruction->operands[0]);
        append_string(&ptx->body, ", ");
        ptx_source(ptx, &ptx->body, instruction->operands[1], 32, "u32");
    }
    append_string(&ptx->body, "); ");
}

bool ptx_emit_map(struct ptx *ptx, struct ptx_instruction *instruction)
{
    if (strncmp(instruction->opcode, "tensormap.replace.", 18) == 0 &&
        instruction->part_count > 5) {
        emit_replacement(ptx, instruction);
    } else if (strncmp(instruction->opcode, "tensormap.cp_fenceproxy.", 24) == 0) {
        emit_map_copy(ptx, instruction);
    } else if (strncmp(instruction->opcode, "fence.proxy.tensormap::generic.", 31) == 0) {
        emit_map_fence(ptx, instruction);
    } else {
        return false;
    }
    return true;
}
/* SPDX-License-Identifier: MIT */
