/* wgmma: matrix multiply-accumulate by four warps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/simt_ptx.h"

/* The types of D, A and B; the K of the shape; whether A and B may be transposed; integer types. */
static const struct {
    const char *types;
    unsigned int depth;
    bool transposes, integers;
} products[] = {
    {"f32.f16.f16", 16, true, false},    {"f16.f16.f16", 16, true, false},
    {"f32.bf16.bf16", 16, true, false},  {"f32.tf32.tf32", 8, false, false},
    {"f32.e4m3.e4m3", 32, false, false}, {"f32.e4m3.e5m2", 32, false, false},
    {"f32.e5m2.e4m3", 32, false, false}, {"f32.e5m2.e5m2", 32, false, false},
    {"f16.e4m3.e4m3", 32, false, false}, {"f16.e4m3.e5m2", 32, false, false},
    {"f16.e5m2.e4m3", 32, false, false}, {"f16.e5m2.e5m2", 32, false, false},
    {"s32.s8.s8", 32, false, true},      {"s32.s8.u8", 32, false, true},
    {"s32.u8.s8", 32, false, true},      {"s32.u8.u8", 32, false, true},
    {"s32.b1.b1", 256, false, true},
};

/* The suffix of the types of a single-bit product. */
#define OF_BITS ".and.popc"

/* The product's index (NONE: not known) and its number of columns. */
static size_t find_product(const char *opcode, unsigned int *columns, bool *finite)
{
    unsigned int depth;
    int length = 0;
    char types[64];
    if (sscanf(opcode, "wgmma.mma_async.sync.aligned.m64n%uk%u.%n", columns, &depth, &length) < 2 ||
        length == 0) {
        return NONE;
    }
    snprintf(types, sizeof types, "%s", opcode + length);
    *finite = strlen(types) > 10 && strcmp(types + strlen(types) - 10, ".satfinite") == 0;
    types[*finite ? strlen(types) - 10 : strlen(types)] = '\0';
    if (depth == 256) { /* without satfinite */
        const size_t end = strlen(types) - strlen(OF_BITS);
        if (*finite || strlen(types) < strlen(OF_BITS) || strcmp(types + end, OF_BITS) != 0) {
            return NONE;
        }
        types[end] = '\0';
    }
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        /* For integers: 8, 16, 24, 32, then multiples of 16. */
        bool any = !products[i].integers || *columns <= 32 || *columns % 16 == 0;
        if (strcmp(products[i].types, types) == 0 && depth == products[i].depth &&
            *columns % 8 == 0 && *columns >= 8 && *columns <= 256 && any &&
            (!*finite || products[i].integers)) {
            return i;
        }
    }
    return NONE;
}

static void append_sums(struct ptx *ptx, char *operand, unsigned int count)
{
    char *elements[128];
    if (ptx_elements(ptx, operand, elements, 128) != count) {
        ptx_refuse(ptx, "a sum that has not %u registers", count);
        return;
    }
    append_string(&ptx->body, "{ void *const simt_d[] = {");
    for (unsigned int i = 0; i < count && !ptx->failed; i++) {
        append_string(&ptx->body, i > 0 ? ", " : "");
        ptx_register_address(ptx, &ptx->body, elements[i]);
    }
    append_string(&ptx->body, "}; ");
}

/* Appends "simt_c.name = <number> == wanted; ". */
static void append_number(struct ptx *ptx, const char *name, const char *operand, const char *test)
{
    ptx_print(&ptx->body, "simt_c.%s = ", name);
    ptx_source(ptx, &ptx->body, operand, 32, "s32");
    ptx_print(&ptx->body, " %s; ", test);
}

static void append_registers(struct ptx *ptx, char *operand)
{
    char *elements[4];
    if (ptx_elements(ptx, operand, elements, 4) != 4) {
        ptx_refuse(ptx, "a fragment that has not 4 registers");
    }
    for (unsigned int i = 0; i < 4 && !ptx->failed; i++) {
        ptx_print(&ptx->body, "simt_c.a_registers[%u] = ", i);
        ptx_source(ptx, &ptx->body, elements[i], 32, "b32");
        append_string(&ptx->body, "; ");
    }
}

static void append_value(struct ptx *ptx, const char *name, const char *operand, unsigned int bits,
                         const char *type)
{
    ptx_print(&ptx->body, "simt_c.%s = ", name);
    ptx_source(ptx, &ptx->body, operand, bits, type);
    append_string(&ptx->body, "; ");
}

/* mma_async d, a, b, scale-d{, scale-a, scale-b{, transpose-a}{, transpose-b}}; integer types have
 * no scale-a and scale-b; an A in registers is not transposed. */
static void emit_product(struct ptx *ptx, struct ptx_instruction *instruction)
{
    unsigned int columns;
    bool finite, in_registers = instruction->operand_count > 1 && *instruction->operands[1] == '{';
    size_t number = find_product(instruction->opcode, &columns, &finite), count;
    char types[64], *d, *a, *b;
    if (number == NONE) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return;
    }
    count =
        products[number].integers ? 4 : 6 + (products[number].transposes ? 2 - in_registers : 0);
    if (instruction->operand_count != count) {
        ptx_refuse(ptx, "%s with %zu operands", instruction->opcode, instruction->operand_count);
        return;
    }
    snprintf(types, sizeof types, "%s", products[number].types);
    d = strtok(types, ".");
    a = strtok(NULL, ".");
    b = strtok(NULL, ".");
    append_sums(ptx, instruction->operands[0], columns / (strcmp(d, "f16") == 0 ? 4 : 2));
    ptx_print(&ptx->body,
              "simt_wgmma_call simt_c = {}; simt_c.columns = %u; simt_c.d = "
              "::simt::ptx::t_%s::code; simt_c.type_a = ::simt::ptx::t_%s::code; simt_c.type_b = "
              "::simt::ptx::t_%s::code; simt_c.a_in_registers = %s; simt_c.finite = %s; ",
              columns, d, a, b, in_registers ? "true" : "false", finite ? "true" : "false");
    if (products[number].transposes) {
        size_t transposes = count - (in_registers ? 1 : 2);
        if (!in_registers) {
            append_number(ptx, "transposed_a", instruction->operands[transposes++], "== 1");
        }
        append_number(ptx, "transposed_b", instruction->operands[transposes], "== 1");
    }
    if (!products[number].integers) {
        append_number(ptx, "negate_a", instruction->operands[4], "== ~0u");
        append_number(ptx, "negate_b", instruction->operands[5], "== ~0u");
    }
    append_value(ptx, "adds", instruction->operands[3], PTX_PREDICATE, "pred");
    append_value(ptx, "b", instruction->operands[2], 64, "b64");
    if (in_registers) {
        append_registers(ptx, instruction->operands[1]);
    } else {
        append_value(ptx, "a", instruction->operands[1], 64, "b64");
    }
    append_string(&ptx->body, "::simt::ptx::wgmma(simt_c, simt_d); } ");
}

bool ptx_emit_wgmma(struct ptx *ptx, struct ptx_instruction *instruction)
{
    const char *opcode = instruction->opcode;
    const size_t count = instruction->operand_count;
    if (strcmp(instruction->parts[0], "wgmma") != 0) {
        return false;
    }
    if (instruction->part_count > 1 && strcmp(instruction->parts[1], "mma_async") == 0) {
        emit_product(ptx, instruction);
    } else if (strcmp(opcode, "wgmma.fence.sync.aligned") == 0 && count == 0) {
        append_string(&ptx->body, "::simt::ptx::wgmma_fence(); ");
    } else if (strcmp(opcode, "wgmma.commit_group.sync.aligned") == 0 && count == 0) {
        append_string(&ptx->body, "::simt::ptx::wgmma_commit(); ");
    } else if (strcmp(opcode, "wgmma.wait_group.sync.aligned") == 0 && count == 1) {
        append_string(&ptx->body, "::simt::ptx::wgmma_wait(");
        ptx_source(ptx, &ptx->body, instruction->operands[0], 32, "u32");
        append_string(&ptx->body, "); ");
    } else {
        ptx_refuse(ptx, "%s", opcode);
    }
    return true;
}
/* SPDX-License-Identifier: MIT */
