/* Instructions that the lanes of a warp execute together. */
#include <string.h>

#include "cc/simt_ptx.h"

/* shfl.sync.up.b32 d|p, a, b, c, mask; */
static void emit_shuffle(struct ptx *ptx, struct ptx_instruction *instruction)
{
    char *first, *second;
    struct text *out = &ptx->body;
    if (instruction->part_count != 4 || strcmp(instruction->parts[1], "sync") != 0 ||
        !ptx_is_among(" up down bfly idx ", instruction->parts[2]) ||
        strcmp(instruction->parts[3], "b32") != 0 || instruction->operand_count != 5) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return;
    }
    ptx_pair(instruction->operands[0], &first, &second);
    append_string(out, "{ [[maybe_unused]] bool simt_p; ");
    ptx_destination(ptx, out, first, 32, false);
    ptx_print(out, " = ::simt::ptx::shuffle_%s(simt_p", instruction->parts[2]);
    for (size_t i = 1; i < 5; i++) {
        append_string(out, ", ");
        ptx_source(ptx, out, instruction->operands[i], 32, "b32");
    }
    append_string(out, "); ");
    if (second) {
        ptx_destination(ptx, out, second, PTX_PREDICATE, false);
        append_string(out, " = simt_p; ");
    }
    append_string(out, "} ");
}

/* vote.sync.ballot.b32 d, {!}a, mask; ptxas also accepts vote.ballot.sync. */
static void emit_vote(struct ptx *ptx, struct ptx_instruction *instruction)
{
    bool ballot = ptx_has(instruction, "ballot");
    size_t mode =
        instruction->part_count == 4 && strcmp(instruction->parts[1], "sync") == 0 ? 2 : 1;
    if (instruction->part_count != 4 || strcmp(instruction->parts[3 - mode], "sync") != 0 ||
        !ptx_is_among(" all any uni ballot ", instruction->parts[mode]) ||
        strcmp(instruction->parts[3], ballot ? "b32" : "pred") != 0 ||
        instruction->operand_count != 3) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return;
    }
    ptx_destination(ptx, &ptx->body, instruction->operands[0], ballot ? 32 : PTX_PREDICATE, false);
    ptx_print(&ptx->body, " = ::simt::ptx::vote_%s(", instruction->parts[mode]);
    ptx_source(ptx, &ptx->body, instruction->operands[1], PTX_PREDICATE, "pred");
    append_string(&ptx->body, ", ");
    ptx_source(ptx, &ptx->body, instruction->operands[2], 32, "b32");
    append_string(&ptx->body, "); ");
}

/* match.any.sync.b32 d, a, mask; match.all.sync.b64 d|p, a, mask; */
static void emit_match(struct ptx *ptx, struct ptx_instruction *instruction)
{
    const struct ptx_type *type =
        instruction->part_count == 4 && ptx_is_among(" b32 b64 ", instruction->parts[3])
            ? ptx_type(instruction->parts[3])
            : NULL;
    char *first, *second;
    struct text *out = &ptx->body;
    if (!type || !ptx_is_among(" any all ", instruction->parts[1]) ||
        strcmp(instruction->parts[2], "sync") != 0 || instruction->operand_count != 3) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return;
    }
    ptx_pair(instruction->operands[0], &first, &second);
    append_string(out, "{ const unsigned int simt_m = ");
    ptx_print(out, "::simt::ptx::match_%s<::simt::ptx::t_%s>(", instruction->parts[1], type->name);
    ptx_source(ptx, out, instruction->operands[1], type->bits, type->name);
    append_string(out, ", ");
    ptx_source(ptx, out, instruction->operands[2], 32, "b32");
    append_string(out, "); ");
    ptx_destination(ptx, out, first, 32, false);
    append_string(out, " = simt_m; ");
    if (second) {
        ptx_destination(ptx, out, second, PTX_PREDICATE, false);
        append_string(out, " = simt_m != 0; ");
    }
    append_string(out, "} ");
}

/* redux.sync.add.u32 d, a, mask; */
static void emit_reduction(struct ptx *ptx, struct ptx_instruction *instruction)
{
    bool bits = instruction->part_count == 4 && strcmp(instruction->parts[3], "b32") == 0;
    if (instruction->part_count != 4 || strcmp(instruction->parts[1], "sync") != 0 ||
        !ptx_is_among(bits ? " and or xor " : " add min max ", instruction->parts[2]) ||
        !ptx_is_among(" b32 u32 s32 ", instruction->parts[3]) || instruction->operand_count != 3) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return;
    }
    ptx_destination(ptx, &ptx->body, instruction->operands[0], 32, false);
    ptx_print(&ptx->body, " = ::simt::ptx::reduce_%s<::simt::ptx::t_%s>(", instruction->parts[2],
              instruction->parts[3]);
    ptx_source(ptx, &ptx->body, instruction->operands[1], 32, instruction->parts[3]);
    append_string(&ptx->body, ", ");
    ptx_source(ptx, &ptx->body, instruction->operands[2], 32, "b32");
    append_string(&ptx->body, "); ");
}

/* elect.sync d|p, mask; activemask.b32 d; */
static bool emit_active(struct ptx *ptx, struct ptx_instruction *instruction)
{
    char *first, *second;
    struct text *out = &ptx->body;
    if (strcmp(instruction->opcode, "activemask.b32") == 0 && instruction->operand_count == 1) {
        ptx_destination(ptx, out, instruction->operands[0], 32, false);
        append_string(out, " = __activemask(); ");
        return true;
    }
    if (strcmp(instruction->opcode, "elect.sync") != 0 || instruction->operand_count != 2) {
        return false;
    }
    ptx_pair(instruction->operands[0], &first, &second);
    if (!second) {
        ptx_refuse(ptx, "elect.sync without a predicate");
        return true;
    }
    append_string(out, "{ const unsigned int simt_m = ::simt::ptx::elect(");
    ptx_source(ptx, out, instruction->operands[1], 32, "b32");
    append_string(out, "); ");
    ptx_destination(ptx, out, first, 32, false);
    append_string(out, " = simt_m; ");
    ptx_destination(ptx, out, second, PTX_PREDICATE, false);
    append_string(out, " = simt_m == ::simt::ptx::lane(); } ");
    return true;
}

bool ptx_emit_lanes(struct ptx *ptx, struct ptx_instruction *instruction)
{
    const char *name = instruction->parts[0];
    if (strcmp(name, "shfl") == 0) {
        emit_shuffle(ptx, instruction);
    } else if (strcmp(name, "vote") == 0) {
        emit_vote(ptx, instruction);
    } else if (strcmp(name, "match") == 0) {
        emit_match(ptx, instruction);
    } else if (strcmp(name, "redux") == 0) {
        emit_reduction(ptx, instruction);
    } else {
        return emit_active(ptx, instruction);
    }
    return true;
}
/* SPDX-License-Identifier: MIT */
