/* Tensor core operations of one warp, and their loads and stores. All lanes take part together. */
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "machine/hooks.h"
#include "machine/ptx.h"
#include "machine/reports.h"
#include "machine/sums.h"

enum { ROWS = 16, COLUMNS = SIMT_COLUMNS };

static struct lane_matrix *of_lane(struct simt_thread *lanes, unsigned int lane)
{
    return (struct lane_matrix *)(uintptr_t)lanes[lane].value;
}

/* ---- MMAs ---- */

/* Element j of the register. */
static uint32_t part_of(unsigned int type, uint32_t word, unsigned int j)
{
    unsigned int bits = simt_element_bits(type);
    return bits == 32 ? word : word >> bits * j & ((1u << bits) - 1);
}

/* Collects the elements of all lanes. The PTX ISA's figures for mma.m16n8k4 to k32 follow one
 * rule. */
static void gather(struct simt_thread *lanes, struct simt_factors a[ROWS],
                   struct simt_factors b[COLUMNS])
{
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        const struct lane_matrix *mine = of_lane(lanes, lane);
        unsigned int parts = 32 / simt_element_bits(mine->type_a), group = lane / 4,
                     first = lane % 4 * parts;
        for (unsigned int j = 0; j < parts; j++) {
            for (unsigned int i = 0; i < mine->registers; i++) {
                simt_set_factor(&a[group + i % 2 * 8], first + i / 2 * 4 * parts + j, mine->type_a,
                                part_of(mine->type_a, mine->a[i], j));
            }
            for (unsigned int i = 0; i < mine->registers / 2; i++) {
                simt_set_factor(&b[group], first + i * 4 * parts + j, mine->type_b,
                                part_of(mine->type_b, mine->b[i], j));
            }
        }
    }
}

/* A row of the result is in the registers of four lanes, two columns in each. In half precision the
 * two share a register. */
static void take_row(struct simt_thread *lanes, unsigned int row, uint32_t c[COLUMNS])
{
    for (unsigned int j = 0; j < COLUMNS; j++) {
        const struct lane_matrix *mine = of_lane(lanes, row % 8 * 4 + j / 2);
        c[j] = mine->d == SIMT_PTX_F16 ? mine->c[row / 8] >> j % 2 * 16 & 0xffff
                                       : mine->c[row / 8 * 2 + j % 2];
    }
}

static void give_row(struct simt_thread *lanes, unsigned int row, const uint32_t sums[COLUMNS])
{
    for (unsigned int j = 0; j < COLUMNS; j++) {
        struct lane_matrix *mine = of_lane(lanes, row % 8 * 4 + j / 2);
        if (mine->d == SIMT_PTX_F16) {
            mine->result[row / 8] |= sums[j] << j % 2 * 16;
        } else {
            mine->result[row / 8 * 2 + j % 2] = sums[j];
        }
    }
}

static void multiply(struct simt_thread *lanes)
{
    static struct simt_factors a[ROWS], b[COLUMNS];
    static struct simt_columns columns;
    const struct lane_matrix *first = of_lane(lanes, 0);
    const struct simt_sum_kind kind = {first->d, first->type_a, first->type_b, first->finite,
                                       false};
    const unsigned int depth = 32 / simt_element_bits(first->type_a) * 4 * (first->registers / 2);
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    gather(lanes, a, b);
    simt_set_columns(&columns, b, depth);
    for (unsigned int row = 0; row < ROWS; row++) {
        uint32_t sums[COLUMNS];
        take_row(lanes, row, sums);
        simt_sum(&kind, &a[row], &columns, depth, sums);
        give_row(lanes, row, sums);
    }
}

/* ---- matrices of 8 x 8 ---- */

/* The place of a lane's element j in its matrix. */
static void place(const struct lane_matrix *mine, unsigned int lane, unsigned int j,
                  unsigned int *row, unsigned int *column)
{
    *row = mine->transposed ? lane % 4 * 2 + j : lane / 4;
    *column = mine->transposed ? lane / 4 : lane % 4 * 2 + j;
}

static void move(struct simt_thread *lanes)
{
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        struct lane_matrix *mine = of_lane(lanes, lane);
        for (unsigned int i = 0; i < mine->registers; i++) {
            for (unsigned int j = 0; j < 2; j++) {
                unsigned int row, column;
                uint16_t half;
                char *at;
                place(mine, lane, j, &row, &column);
                at = of_lane(lanes, i * 8 + row)->row + column * sizeof half;
                if (mine->what == LOAD) {
                    memcpy(&half, at, sizeof half);
                    mine->result[i] |= (uint32_t)half << 16 * j;
                } else {
                    half = (uint16_t)(mine->a[i] >> 16 * j);
                    memcpy(at, &half, sizeof half);
                }
            }
        }
    }
}

/* A lane passes two numbers of a row, and gets two of a column. */
static void transpose(struct simt_thread *lanes)
{
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        for (unsigned int j = 0; j < 2; j++) {
            const unsigned int from = (lane % 4 * 2 + j) * 4 + lane / 8;
            const uint32_t half = of_lane(lanes, from)->a[0] >> lane / 4 % 2 * 16 & 0xffff;
            of_lane(lanes, lane)->result[0] |= half << 16 * j;
        }
    }
}

/* ---- all lanes ---- */

/* All lanes must have arrived, except for those that have left the kernel. */
static void check_whole(struct simt_thread *lanes, unsigned int together)
{
    if (together != ~0u) {
        simt_report_collective(&lanes[simt_lowest(together)],
                               "needs all 32 lanes of a warp; there are only", together,
                               "all lanes of the warp must make this call: take it out of a branch "
                               "that only some take,\n"
                               "  let no lane return before it, and launch blocks of whole warps.");
    }
    for (unsigned int i = 1; i < SIMT_WARP_SIZE; i++) {
        if (lanes[i].line != lanes[0].line) {
            simt_report_collective(&lanes[i], "is met by other lanes at another line:", 1,
                                   "all lanes of a warp must do the same one together.");
        }
    }
}

void simt_wmma_do(struct simt_thread *lanes, unsigned int together)
{
    check_whole(lanes, together);
}

void simt_matrix_do(struct simt_thread *lanes, unsigned int together)
{
    const struct lane_matrix *first = of_lane(lanes, simt_lowest(together));
    check_whole(lanes, together);
    for (unsigned int i = 1; i < SIMT_WARP_SIZE; i++) {
        if (of_lane(lanes, i)->what != first->what) {
            simt_report_collective(&lanes[i], "is met by another one of other lanes:", 1,
                                   "all lanes of a warp must do the same one together.");
        }
    }
    if (first->what == PRODUCT) {
        multiply(lanes);
    } else if (first->what >= WGMMA) {
        struct lane_matrix *mine[SIMT_WARP_SIZE];
        for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
            mine[i] = of_lane(lanes, i);
        }
        simt_wgmma_do(lanes, mine);
    } else if (first->what == TRANSPOSE) {
        transpose(lanes);
    } else {
        move(lanes);
    }
}

static simt_four meet(struct lane_matrix *mine, const void *caller, const char *file, int line)
{
    mine->result = (simt_four){0, 0, 0, 0};
    simt_matrix_collective(mine->what > WGMMA ? SIMT_WGMMA : SIMT_MATRIX, (uintptr_t)mine, caller,
                           file, line);
    return mine->result;
}

simt_four simt_product(unsigned int d, unsigned int type_a, unsigned int type_b,
                       unsigned int registers, bool finite, simt_four a, simt_four b, simt_four c,
                       const char *file, int line)
{
    struct lane_matrix mine = {.what = PRODUCT,
                               .d = d,
                               .type_a = type_a,
                               .type_b = type_b,
                               .registers = registers,
                               .finite = finite,
                               .a = a,
                               .b = b,
                               .c = c};
    return meet(&mine, __builtin_return_address(0), file, line);
}

void simt_wgmma(const struct simt_wgmma_call *call, void *const *sums, const char *file, int line)
{
    struct lane_matrix mine = {.what = WGMMA, .wgmma = call, .sums = sums};
    meet(&mine, __builtin_return_address(0), file, line);
}

void simt_wgmma_fence(const char *file, int line)
{
    struct lane_matrix mine = {.what = WGMMA_FENCE};
    meet(&mine, __builtin_return_address(0), file, line);
}

void simt_wgmma_commit(const char *file, int line)
{
    struct lane_matrix mine = {.what = WGMMA_COMMIT};
    meet(&mine, __builtin_return_address(0), file, line);
}

void simt_wgmma_wait(unsigned int groups, const char *file, int line)
{
    struct lane_matrix mine = {.what = WGMMA_WAIT, .groups = groups};
    while (!meet(&mine, __builtin_return_address(0), file, line)[0]) {
        simt_yield(file, line); /* another of the four warps has not started all of it */
    }
}

/* Each of 8 lanes gives the address of a row of a matrix. */
static void record(enum simt_event_kind kind, const void *caller, const void *row,
                   unsigned int count, const char *file, int line)
{
    unsigned int lane = simt_linear(simt_current) % SIMT_WARP_SIZE;
    if (lane < 8 * count && (uintptr_t)row % 16 != 0) {
        simt_report_place();
        fprintf(stderr, ": %s at %s:%d: the address of a row must be a multiple of 16\n",
                kind == EVENT_LOAD ? "ldmatrix" : "stmatrix", file, line);
        simt_exit();
    }
    if (lane < 8 * count && !simt_in_shared(row)) {
        simt_report_place();
        fprintf(stderr, ": %s at %s:%d: a row that does not lie in shared memory\n",
                kind == EVENT_LOAD ? "ldmatrix" : "stmatrix", file, line);
        simt_exit();
    }
    if (simt_tracing && lane < 8 * count) {
        simt_trace_event(kind, caller, (uintptr_t)row, 16);
    }
}

simt_four simt_matrix_load(const void *row, unsigned int count, bool transposed, const char *file,
                           int line)
{
    struct lane_matrix mine = {
        .what = LOAD, .registers = count, .transposed = transposed, .row = (char *)(uintptr_t)row};
    record(EVENT_LOAD, __builtin_return_address(0), row, count, file, line);
    return meet(&mine, __builtin_return_address(0), file, line);
}

void simt_matrix_store(void *row, unsigned int count, bool transposed, simt_four values,
                       const char *file, int line)
{
    struct lane_matrix mine = {
        .what = STORE, .registers = count, .transposed = transposed, .row = row, .a = values};
    record(EVENT_STORE, __builtin_return_address(0), row, count, file, line);
    meet(&mine, __builtin_return_address(0), file, line);
}

unsigned int simt_matrix_transpose(unsigned int value, const char *file, int line)
{
    struct lane_matrix mine = {.what = TRANSPOSE, .a = {value}};
    return meet(&mine, __builtin_return_address(0), file, line)[0];
}

void simt_wmma_check(const void *address, size_t stride, const char *file, int line)
{
    /* CUDA's manual requires 32 bytes; NVIDIA's own samples use 16. */
    const char *wrong = (uintptr_t)address % 16 != 0 ? "an address that is not a multiple of 16"
                        : stride % 16 != 0           ? "a stride that is not a multiple of 16 bytes"
                                                     : NULL;
    if (wrong) {
        simt_report_place();
        fprintf(stderr, ": wmma at %s:%d: %s\n", file, line, wrong);
        simt_exit();
    }
    if (simt_tracing) {
        simt_matrix_collective(SIMT_WMMA, 0, __builtin_return_address(0), file, line);
    }
}
/* SPDX-License-Identifier: MIT */
