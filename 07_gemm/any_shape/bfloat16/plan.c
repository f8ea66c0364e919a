/* Step 07, bfloat16: which way computes a shape the fastest. */
#include "any_shape/bfloat16/plan.h"

#include <math.h>
#include <stdint.h>

#include "any_shape/bfloat16/cycles.h"
#include "parts/workspace.h"

/* Two tiles of 128 x 256 per SM. */
size_t bf16_plan_floats(const struct gemm *call)
{
    return (size_t)call->multiprocessors * 2 * 128 * 256;
}

/* A product of many tiles runs at the GPU's power limit. There small tiles cost more energy than a
 * fuller last wave saves, because idle SMs leave their power to the others. */
static bool is_at_power_limit(const struct gemm *call)
{
    const double tiles = ceil((double)call->m / 128) * ceil((double)call->n / 256);

    return call->k >= 1024 && tiles >= 4.0 * call->multiprocessors;
}

/* The fastest way for the operands as they are, and its cycles. */
static struct bf16_plan plan_without_copies(const struct gemm *call, const unsigned *clusters,
                                            double *least)
{
    static const unsigned splits[] = {1, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    struct bf16_plan best = {.way = BF16_TILE_64, .splits = 1};

    *least = HUGE_VAL;
    for (unsigned way = is_at_power_limit(call) ? BF16_TILE_256 : BF16_TILE_64;
         way <= BF16_TILE_256; way++)
        for (size_t s = 0; s < (way == BF16_TILE_64 ? sizeof splits / sizeof splits[0] : 1); s++) {
            const double cycles = bf16_cycles_of(call, way, splits[s]);
            if (splits[s] > 1 && (splits[s] > bf16_steps_of(call) ||
                                  call->m * call->n > bf16_plan_floats(call) / splits[s]))
                break;
            if (cycles < *least) {
                *least = cycles;
                best = (struct bf16_plan){.way = (enum bf16_way)way, .splits = splits[s]};
            }
        }
    if (bf16_cycles_if_stream_k(call) < *least) {
        *least = bf16_cycles_if_stream_k(call);
        best = (struct bf16_plan){.way = BF16_STREAM_K, .splits = 1};
    }
    for (unsigned pairs = 0; pairs < 2 && bf16_can_be_even(call); pairs++) {
        double even;
        const struct bf16_plan if_even = bf16_even_plan(call, pairs, &even);
        if (even <= *least) { /* at least as fast as BF16_TILE_256 */
            *least = even;
            best = if_even;
        }
    }
    if (!is_at_power_limit(call)) {
        double fitted, thin;
        const struct bf16_plan if_fitted = bf16_fitted_plan(call, clusters, &fitted);
        const struct bf16_plan if_thin = bf16_thin_plan(call, clusters, &thin);
        if (fitted <= *least && bf16_can_be_fitted(call)) { /* at least as fast as BF16_TILE_64 */
            *least = fitted;
            best = if_fitted;
        }
        if (thin < *least) {
            *least = thin;
            best = if_thin;
        }
    }
    return best;
}

/* The cycles of a launch that copies A, B or both. */
static double cycles_of_copies(const struct gemm *call, bool of_a, bool of_b)
{
    const double launch = 2520, bytes_a_cycle = 2790;
    const double elements = (of_a ? (double)call->m * (double)call->k : 0) +
                            (of_b ? (double)call->k * (double)call->n : 0);

    return elements > 0 ? launch + 2 * elements * sizeof(uint16_t) / bytes_a_cycle : 0;
}

/* Copies what the TMA cannot load, and other operands if that saves more than the copy costs. */
static struct bf16_plan plan_of_tiles(const struct gemm *call, const unsigned *clusters,
                                      double *least)
{
    struct bf16_plan best = {.way = BF16_TILE_64, .splits = 1};

    for (unsigned copies = 0; copies < 4; copies++) {
        const bool copies_a = copies % 2 == 1, copies_b = copies / 2 == 1;
        struct gemm copied = *call;
        double cycles;

        if ((!copies_a && !bf16_tma_takes(call->a_bf16, call->lda)) ||
            (!copies_b && !bf16_tma_takes(call->b_bf16, call->ldb)))
            continue;
        if (copies_a) {
            copied.a_bf16 = NULL;
            copied.lda = aligned_pitch(call->k, sizeof(uint16_t));
        }
        if (copies_b) {
            copied.b_bf16 = NULL;
            copied.ldb = aligned_pitch(call->n, sizeof(uint16_t));
        }
        struct bf16_plan plan = plan_without_copies(&copied, clusters, &cycles);
        cycles += cycles_of_copies(call, copies_a, copies_b);
        if (cycles < *least) {
            *least = cycles;
            best = plan;
            best.copies_a = copies_a;
            best.copies_b = copies_b;
        }
    }
    return best;
}

/* few_rows and few_columns read each byte of the large matrix once, from L2 or from DRAM. Unaligned
 * rows are loaded twice. Rows that do not start at a multiple of 128 bytes take two lines per
 * request. Measured on an H200. */
static double cycles_if_few_rows(const struct gemm *call)
{
    const double bytes = (double)call->k * (double)call->n * sizeof(uint16_t);
    const bool aligned = bf16_tma_takes(call->b_bf16, call->ldb);
    const double start = 8460, a_row = 158, of_dram = aligned ? 5.3e-4 : 7.8e-4;
    const double of_l2 = aligned && call->ldb % 64 != 0 ? 3e-4 : 1.3e-4;
    const double cycles = (aligned ? 1 : 2) * (start + a_row * (double)call->m + of_l2 * bytes);

    return bytes > BF16_IN_L2 ? fmax(cycles, of_dram * bytes) : cycles;
}

static double cycles_if_few_columns(const struct gemm *call)
{
    const double bytes = (double)call->k * (double)call->m * sizeof(uint16_t);
    const bool aligned = bf16_tma_takes(call->a_bf16, call->lda);
    const double start = 5300, of_l2 = call->n <= 8 ? 3.4e-4 : 4.1e-4, of_dram = 5.3e-4;

    return (aligned ? 1 : 2) * (start + (bytes > BF16_IN_L2 ? of_dram : of_l2) * bytes);
}

static bool can_be_tiles(const struct gemm *call)
{
    return call->k > 0 && call->m <= INT32_MAX && call->n <= INT32_MAX && call->k <= INT32_MAX;
}

struct bf16_plan bf16_plan_of(const struct gemm *call, const unsigned *clusters)
{
    struct bf16_plan best = {.way = BF16_OTHER, .splits = 1};
    double least = HUGE_VAL;

    if (clusters == NULL)
        return best;
    if (call->k > 0 && call->n == 1) {
        best.way = BF16_VECTOR;
        return best;
    }
    if (call->n <= 8 && call->m >= 512 && call->m <= INT32_MAX && call->k > 0) {
        best.way = BF16_FEW_COLUMNS; /* the tiles of thin would be nearly empty */
        return best;
    }
    if (can_be_tiles(call))
        best = plan_of_tiles(call, clusters, &least);
    if (call->m <= 16 && cycles_if_few_rows(call) < least)
        best = (struct bf16_plan){.way = BF16_FEW_ROWS, .splits = 1};
    else if (call->n <= 16 && can_be_tiles(call) && cycles_if_few_columns(call) < least)
        best = (struct bf16_plan){.way = BF16_FEW_COLUMNS, .splits = 1};
    return best;
}
/* SPDX-License-Identifier: MIT */
