/* Tensor cores: mma.sync, ldmatrix, stmatrix, movmatrix. */
#include <stdio.h>
#include <string.h>

#include "cc/simt_ptx.h"

/* The supported shapes and types of mma.sync, and how many registers of A, B and C each lane
 * holds. */
static const struct {
    const char *shape, *types; /* of D, A, B and C */
    unsigned int a, b, c;
    const char *operation; /* for single-bit types */
} products[] = {
    {"m16n8k4", "f32.tf32.tf32.f32", 2, 1, 4, ""},
    {"m16n8k8", "f32.tf32.tf32.f32", 4, 2, 4, ""},
    {"m16n8k8", "f32.bf16.bf16.f32", 2, 1, 4, ""},
    {"m16n8k16", "f32.bf16.bf16.f32", 4, 2, 4, ""},
    {"m16n8k8", "f32.f16.f16.f32", 2, 1, 4, ""},
    {"m16n8k16", "f32.f16.f16.f32", 4, 2, 4, ""},
    {"m16n8k8", "f16.f16.f16.f16", 2, 1, 2, ""},
    {"m16n8k16", "f16.f16.f16.f16", 4, 2, 2, ""},
    {"m16n8k16", "s32.s8.s8.s32", 2, 1, 4, ""},
    {"m16n8k16", "s32.u8.u8.s32", 2, 1, 4, ""},
    {"m16n8k16", "s32.s8.u8.s32", 2, 1, 4, ""},
    {"m16n8k16", "s32.u8.s8.s32", 2, 1, 4, ""},
    {"m16n8k32", "s32.s8.s8.s32", 4, 2, 4, ""},
    {"m16n8k32", "s32.u8.u8.s32", 4, 2, 4, ""},
    {"m16n8k32", "s32.s8.u8.s32", 4, 2, 4, ""},
    {"m16n8k32", "s32.u8.s8.s32", 4, 2, 4, ""},
    {"m16n8k32", "f32.e4m3.e4m3.f32", 4, 2, 4, ""},
    {"m16n8k32", "f32.e4m3.e5m2.f32", 4, 2, 4, ""},
    {"m16n8k32", "f32.e5m2.e4m3.f32", 4, 2, 4, ""},
    {"m16n8k32", "f32.e5m2.e5m2.f32", 4, 2, 4, ""},
    {"m16n8k32", "f16.e4m3.e4m3.f16", 4, 2, 2, ""},
    {"m16n8k32", "f16.e4m3.e5m2.f16", 4, 2, 2, ""},
    {"m16n8k32", "f16.e5m2.e4m3.f16", 4, 2, 2, ""},
    {"m16n8k32", "f16.e5m2.e5m2.f16", 4, 2, 2, ""},
    {"m16n8k16", "f32.e4m3.e4m3.f32", 2, 1, 4, ""},
    {"m16n8k16", "f32.e4m3.e5m2.f32", 2, 1, 4, ""},
    {"m16n8k16", "f32.e5m2.e4m3.f32", 2, 1, 4, ""},
    {"m16n8k16", "f32.e5m2.e5m2.f32", 2, 1, 4, ""},
    {"m16n8k16", "f16.e4m3.e4m3.f16", 2, 1, 2, ""},
    {"m16n8k16", "f16.e4m3.e5m2.f16", 2, 1, 2, ""},
    {"m16n8k16", "f16.e5m2.e4m3.f16", 2, 1, 2, ""},
    {"m16n8k16", "f16.e5m2.e5m2.f16", 2, 1, 2, ""},
    {"m8n8k16", "s32.s8.s8.s32", 1, 1, 2, ""},
    {"m8n8k16", "s32.s8.u8.s32", 1, 1, 2, ""},
    {"m8n8k16", "s32.u8.s8.s32", 1, 1, 2, ""},
    {"m8n8k16", "s32.u8.u8.s32", 1, 1, 2, ""},
    {"m8n8k32", "s32.s4.s4.s32", 1, 1, 2, ""},
    {"m8n8k32", "s32.s4.u4.s32", 1, 1, 2, ""},
    {"m8n8k32", "s32.u4.s4.s32", 1, 1, 2, ""},
    {"m8n8k32", "s32.u4.u4.s32", 1, 1, 2, ""},
    {"m16n8k32", "s32.s4.s4.s32", 2, 1, 4, ""},
    {"m16n8k32", "s32.s4.u4.s32", 2, 1, 4, ""},
    {"m16n8k32", "s32.u4.s4.s32", 2, 1, 4, ""},
    {"m16n8k32", "s32.u4.u4.s32", 2, 1, 4, ""},
    {"m16n8k64", "s32.s4.s4.s32", 4, 2, 4, ""},
    {"m16n8k64", "s32.s4.u4.s32", 4, 2, 4, ""},
    {"m16n8k64", "s32.u4.s4.s32", 4, 2, 4, ""},
    {"m16n8k64", "s32.u4.u4.s32", 4, 2, 4, ""},
    {"m8n8k128", "s32.b1.b1.s32", 1, 1, 2, ".and.popc"},
    {"m8n8k128", "s32.b1.b1.s32", 1, 1, 2, ".xor.popc"},
    {"m16n8k128", "s32.b1.b1.s32", 2, 1, 4, ".and.popc"},
    {"m16n8k128", "s32.b1.b1.s32", 2, 1, 4, ".xor.popc"},
    {"m16n8k256", "s32.b1.b1.s32", 4, 2, 4, ".and.popc"},
    {"m16n8k256", "s32.b1.b1.s32", 4, 2, 4, ".xor.popc"},
};

/* Appends "four{a, b, 0, 0}" for a vector operand of `count` registers. */
static void append_fragment(struct ptx *ptx, char *operand, unsigned int count, const char *type)
{
    char *elements[4];
    if (ptx_elements(ptx, operand, elements, 4) != count) {
        ptx_refuse(ptx, "a fragment that has not %u registers", count);
        return;
    }
    append_string(&ptx->body, "::simt::ptx::four{");
    for (unsigned int i = 0; i < 4; i++) {
        append_string(&ptx->body, i > 0 ? ", " : "");
        if (i < count) {
            ptx_source(ptx, &ptx->body, elements[i], 32, type);
        } else {
            append_string(&ptx->body, "0u");
        }
    }
    append_string(&ptx->body, "}");
}

static void append_results(struct ptx *ptx, char *operand, unsigned int count)
{
    char *elements[4];
    if (ptx_elements(ptx, operand, elements, 4) != count) {
        ptx_refuse(ptx, "a fragment that has not %u registers", count);
        return;
    }
    for (unsigned int i = 0; i < count; i++) {
        ptx_destination(ptx, &ptx->body, elements[i], 32, false);
        ptx_print(&ptx->body, " = simt_d[%u]; ", i);
    }
}

/* mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 d, a, b, c; */
static void emit_product(struct ptx *ptx, struct ptx_instruction *instruction)
{
    size_t i = 0;
    bool finite = strstr(instruction->opcode, ".satfinite.") != NULL;
    for (; i < sizeof products / sizeof *products; i++) {
        char opcode[128];
        snprintf(opcode, sizeof opcode, "mma.sync.aligned.%s.row.col.%s%s%s", products[i].shape,
                 finite ? "satfinite." : "", products[i].types, products[i].operation);
        if (strcmp(opcode, instruction->opcode) == 0) {
            break;
        }
    }
    if (i == sizeof products / sizeof *products || instruction->operand_count != 4 ||
        (finite && (products[i].types[0] != 's' || *products[i].operation))) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return;
    }
    append_string(&ptx->body, "{ const ::simt::ptx::four simt_d = ::simt::ptx::matrix_product<");
    for (const char *type = products[i].types; *type;) {
        size_t length = strcspn(type, ".");
        if (type[length] == '\0') {
            break; /* the type of C is the type of D */
        }
        ptx_print(&ptx->body, "::simt::ptx::t_%.*s%s, ", (int)length, type,
                  strncmp(type, "b1", length) == 0 && products[i].operation[1] == 'x' ? "_xor"
                                                                                      : "");
        type += length + 1;
    }
    /* m8n8 is computed as m16n8 with zeros in the lower half. */
    ptx_print(&ptx->body, "%u, %s>(", products[i].a == 1 ? 2 : products[i].a,
              finite ? "true" : "false");
    append_fragment(ptx, instruction->operands[1], products[i].a, "b32");
    append_string(&ptx->body, ", ");
    append_fragment(ptx, instruction->operands[2], products[i].b, "b32");
    append_string(&ptx->body, ", ");
    append_fragment(ptx, instruction->operands[3], products[i].c,
                    products[i].c == 4 && *products[i].types == 'f' ? "f32" : "b32");
    append_string(&ptx->body, "); ");
    append_results(ptx, instruction->operands[0], products[i].c);
    append_string(&ptx->body, "} ");
}

/* ldmatrix.sync.aligned.m8n8.x4{.trans}{.shared}.b16 r, [a]; stmatrix [a], r. */
static void emit_move(struct ptx *ptx, struct ptx_instruction *instruction, bool loads)
{
    size_t parts = instruction->part_count;
    bool shared = ptx_has(instruction, "shared") || ptx_has(instruction, "shared::cta");
    bool transposed = ptx_has(instruction, "trans");
    unsigned int count = ptx_has(instruction, "x4") ? 4 : ptx_has(instruction, "x2") ? 2 : 1;
    char *rest;
    for (size_t i = 1; i < parts; i++) {
        if (!ptx_is_among(" sync aligned m8n8 x1 x2 x4 trans shared shared::cta b16 ",
                          instruction->parts[i])) {
            ptx_refuse(ptx, "%s (.%s)", instruction->opcode, instruction->parts[i]);
            return;
        }
    }
    if (!ptx_has(instruction, "m8n8") || !ptx_has(instruction, "b16") ||
        instruction->operand_count != 2 || parts != 6u + shared + transposed) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return;
    }
    ptx_print(&ptx->body, "{ %s::simt::ptx::matrix_%s(::simt::ptx::at_%s(",
              loads ? "const ::simt::ptx::four simt_d = " : "", loads ? "load" : "store",
              shared ? "shared" : "generic");
    ptx_address(ptx, &ptx->body, instruction->operands[loads], &rest);
    ptx_print(&ptx->body, "), %u, %s", count, transposed ? "true" : "false");
    if (!loads) {
        append_string(&ptx->body, ", ");
        append_fragment(ptx, instruction->operands[1], count, "b32");
    }
    append_string(&ptx->body, "); ");
    if (loads) {
        append_results(ptx, instruction->operands[0], count);
    }
    append_string(&ptx->body, "} ");
}

bool ptx_emit_matrix(struct ptx *ptx, struct ptx_instruction *instruction)
{
    const char *name = instruction->parts[0];
    if (strcmp(name, "mma") == 0) {
        emit_product(ptx, instruction);
    } else if (strcmp(name, "ldmatrix") == 0 || strcmp(name, "stmatrix") == 0) {
        emit_move(ptx, instruction, *name == 'l');
    } else if (strcmp(instruction->opcode, "movmatrix.sync.aligned.m8n8.trans.b16") == 0 &&
               instruction->operand_count == 2) {
        ptx_destination(ptx, &ptx->body, instruction->operands[0], 32, false);
        append_string(&ptx->body, " = ::simt::ptx::matrix_transpose(");
        ptx_source(ptx, &ptx->body, instruction->operands[1], 32, "b32");
        append_string(&ptx->body, "); ");
    } else {
        return false;
    }
    return true;
}
/* SPDX-License-Identifier: MIT */
