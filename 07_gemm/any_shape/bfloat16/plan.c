/* Step 07, bfloat16: which way computes a shape the fastest. */
#include "any_shape/bfloat16/plan.h"

#include <math.h>
#include <stdint.h>

#include "any_shape/bfloat16/cycles.h"
#include "parts/workspace.h"

/* As many as fill the machine twice over. */
size_t bf16_plan_floats(const struct gemm *call)
{
    return (size_t)call->multiprocessors * 2 * 128 * 256;
}

/* A product of many tiles runs at the GPU's power limit. There small tiles take more energy than a
 * fuller last wave saves: who is idle leaves its power to the others. */
static bool is_at_power_limit(const struct gemm *call)
{
    const double tiles = ceil((double)call->m / 128) * ceil((double)call->n / 256);

    return call->k >= 1024 && tiles >= 4.0 * call->multiprocessors;
}

/* The fastest way with the operands as they are, and its cycles. */
static struct bf16_plan plan_without_copies(const struct gemm *call, const unsigned *clusters,
                                            double *least)
{
    static const unsigned splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    struct bf16_plan best = {.way = BF16_NARROW, .splits = 1};

    *least = HUGE_VAL;
    for (unsigned way = is_at_power_limit(call) ? BF16_WIDE : BF16_NARROW; way <= BF16_WIDE; way++)
        for (size_t s = 0; s < sizeof splits / sizeof splits[0]; s++) {
            const double cycles = bf16_cycles_of(call, way, splits[s]);
            if (splits[s] > 1 && (splits[s] > bf16_steps_of(call) ||
                                  call->m * call->n > bf16_plan_floats(call) / splits[s]))
                break;
            if (cycles < *least) {
                *least = cycles;
                best = (struct bf16_plan){.way = (enum bf16_way)way, .splits = splits[s]};
            }
        }
    if (bf16_cycles_if_shared(call) < *least) {
        *least = bf16_cycles_if_shared(call);
        best = (struct bf16_plan){.way = BF16_SHARED, .splits = 1};
    }
    for (unsigned pairs = 0; pairs < 2 && bf16_can_be_even(call); pairs++) {
        double even;
        const struct bf16_plan if_even = bf16_even_plan(call, pairs, &even);
        if (even <= *least) { /* at least as fast as BF16_WIDE */
            *least = even;
            best = if_even;
        }
    }
    if (!is_at_power_limit(call)) {
        double fitted, thin;
        const struct bf16_plan if_fitted = bf16_fitted_plan(call, &fitted);
        const struct bf16_plan if_thin = bf16_thin_plan(call, clusters, &thin);
        if (fitted < *least && bf16_can_be_fitted(call)) {
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

/* Of A, of B or of both, by one launch. */
static double cycles_of_copies(const struct gemm *call, bool of_a, bool of_b)
{
    const double launch = 3440, bytes_a_cycle = 1740;
    const double elements = (of_a ? (double)call->m * (double)call->k : 0) +
                            (of_b ? (double)call->k * (double)call->n : 0);

    return elements > 0 ? launch + 2 * elements * sizeof(uint16_t) / bytes_a_cycle : 0;
}

/* What must be copied is; what need not be, if the product gains more than that costs. */
static struct bf16_plan plan_of_tiles(const struct gemm *call, const unsigned *clusters)
{
    struct bf16_plan best = {.way = BF16_NARROW, .splits = 1};
    double least = HUGE_VAL;

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
        if (cycles < least) {
            least = cycles;
            best = plan;
            best.copies_a = copies_a;
            best.copies_b = copies_b;
        }
    }
    return best;
}

static bool operands_are_for_tma(const struct gemm *call)
{
    return bf16_tma_takes(call->a_bf16, call->lda) && bf16_tma_takes(call->b_bf16, call->ldb);
}

/* Which shapes the kernels for few rows or columns get: those with enough tiles to keep all
 * multiprocessors busy, and between the two kernels what was faster on an H200. */
static bool has_few_rows(const struct gemm *call)
{
    const bool is_easy = operands_are_for_tma(call);

    if (call->m == 1)
        return true;
    if (is_easy && !bf16_in_lines(call->b_bf16, call->n, call->ldb) && call->n >= 1536)
        return false;
    return call->n >= 1024 && call->m <= 16;
}

/* So few that the tiles of `thin`, 64 columns wide at least, would be nearly empty, or that a
 * matrix would have to be copied for the TMA; with more than 8, B is a large part of what a block
 * reads. */
static bool has_few_columns(const struct gemm *call)
{
    const bool for_tma = operands_are_for_tma(call) && bf16_can_be_fitted(call);
    const bool are_few = call->n <= 8 || (call->n <= 16 && (!for_tma || call->m <= 1536));

    return are_few && call->m >= 512 && call->m <= INT32_MAX && call->k > 0;
}

struct bf16_plan bf16_plan_of(const struct gemm *call, const unsigned *clusters)
{
    if (clusters == NULL)
        return (struct bf16_plan){.way = BF16_OTHER, .splits = 1};
    if (call->k > 0 && call->n == 1)
        return (struct bf16_plan){.way = BF16_VECTOR, .splits = 1};
    if (has_few_rows(call))
        return (struct bf16_plan){.way = BF16_FEW_ROWS, .splits = 1};
    if (has_few_columns(call))
        return (struct bf16_plan){.way = BF16_FEW_COLUMNS, .splits = 1};
    if (call->k == 0 || call->m > INT32_MAX || call->n > INT32_MAX || call->k > INT32_MAX)
        return (struct bf16_plan){.way = BF16_OTHER, .splits = 1};
    return plan_of_tiles(call, clusters);
}
/* SPDX-License-Identifier: MIT */
