/* Step 07: see any_shape/float32/times.h. */
#include "any_shape/float32/times.h"

#include <math.h>

const struct tile plan_tiles[TILE_SHAPES] = {
    [TILE_128X256] = {128, 256, 32, 4.78, 2.3}, [TILE_128X224] = {128, 224, 32, 4.78, 2.4},
    [TILE_128X192] = {128, 192, 32, 3.82, 2.2}, [TILE_256X128] = {256, 128, 32, 5.22, 2.7},
    [TILE_128X128] = {128, 128, 32, 2.95, 2.6}, [TILE_64X128] = {64, 128, 32, 1.57, 2.0},
    [TILE_64X64] = {64, 64, 64, 1.45, 2.0},
};

const struct small_tile plan_small_tiles[SMALL_SHAPES] = {
    [SMALL_16X32] = {16, 32, 1, 0.0054, 102e3}, [SMALL_16X32_3] = {16, 32, 3, 0.0064, 104e3},
    [SMALL_32X32] = {32, 32, 1, 0.0088, 107e3}, [SMALL_32X32_2] = {32, 32, 2, 0.0118, 107e3},
    [SMALL_32X64] = {32, 64, 1, 0.0141, 108e3},
};

static const double LAUNCH = 3.2, SECOND_LAUNCH = 1.8; /* alone; behind another */
static const double READ = 0.27e-6;                    /* for each byte from DRAM */
static const double SMALL_READ = 0.41e-6;              /* of small tiles, and to it */
static const double ADDED_LATER = 0.22e-6; /* for each byte of partial sums of all blocks */
static const double COLLECTED = 18e-6;     /* for each byte that one block adds up */
static const double WAIT = 1.1;            /* for the other blocks of a tile */
static const double OF_PART = 0.004;       /* for each part of a tile, if add_parts adds them up */
static const double UNALIGNED = 0.125e-3;  /* of small tiles, for each float copied by itself */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Of up to MOST_FEW rows or columns of C, how many are computed. */
static double computed_of(size_t few)
{
    size_t computed = 1;

    while (computed < few)
        computed *= 2;
    return (double)computed;
}

double plan_few_time(size_t few, double elements, int multiprocessors)
{
    const double products = 77e3 * multiprocessors; /* per us */

    return LAUNCH + larger(elements * sizeof(float) * READ, computed_of(few) * elements / products);
}

double plan_few_columns_time(size_t few, size_t rows, size_t k, int multiprocessors)
{
    const double sum = 3e-3; /* of a multiprocessor: its lanes add up theirs, for each element */

    return plan_few_time(few, (double)rows * (double)k, multiprocessors) +
           computed_of(few) * (double)rows * sum / multiprocessors;
}

double plan_streamed_time(const struct gemm *call, unsigned splits)
{
    const double elements = (double)call->k * (double)call->n;
    const double rows = call->m <= 16 ? 16 : 32;                                     /* computed */
    const double products = (call->m <= 16 ? 105e3 : 130e3) * call->multiprocessors; /* per us */
    const double ends = 2, part = 0.15; /* the first stage and the last sums; to add one more */

    return LAUNCH + ends + part * splits +
           larger(elements * sizeof(float) * READ, rows * elements / products);
}

/* Tiles whose kernels have no short stages: several warps compute the same elements of them. */
static bool is_small_tile(const struct tile *tile)
{
    return tile->m * tile->n < 128 * 192;
}

double plan_beyond_k(const struct gemm *call, const struct tile *tile)
{
    const size_t last = call->k - (ceil_of(call->k, tile->depth) - 1) * tile->depth;

    return is_small_tile(tile) ? 0 : 1 - (double)ceil_of(last, 8) * 8 / tile->depth;
}

/* What it takes to divide tiles among blocks. */
static double division_time(const struct plan *plan, const struct tile *tile, double count)
{
    const double tile_bytes = (double)tile->m * tile->n * sizeof(float), blocks = plan->blocks;
    double time = tile->store + (is_small_tile(tile) ? WAIT : 0); /* as measured: they end sooner */

    if ((size_t)count % plan->blocks == 0)
        return 0;
    if (blocks > count && plan->blocks % (size_t)count != 0) /* a block has parts of two tiles */
        time += tile->store + WAIT;
    return time + (plan->added_later ? blocks * tile_bytes * ADDED_LATER + blocks / count * OF_PART
                                     : larger(1, blocks / count - 1) * tile_bytes * COLLECTED);
}

double plan_tiles_time(const struct gemm *call, const struct plan *plan)
{
    const struct tile *const tile = &plan_tiles[plan->shape];
    const double count =
        (double)ceil_of(plan->rows, tile->m) * (double)ceil_of(plan->columns, tile->n);
    const double steps = (double)ceil_of(call->k, tile->depth), blocks = plan->blocks;
    const double of_block =
        (double)ceil_of((size_t)(count * steps), plan->blocks) -
        (plan->short_stage ? floor(count / blocks) * plan_beyond_k(call, tile) : 0);
    double time = LAUNCH + of_block * tile->step + tile->store * larger(1, count / blocks) +
                  division_time(plan, tile, count);

    if (plan->copies_b)
        time += SECOND_LAUNCH + (double)call->k * (double)call->n * 2 * sizeof(float) * READ;
    if (plan->rows < call->m)
        time += plan_few_time(call->m - plan->rows, (double)call->k * (double)call->n,
                              call->multiprocessors);
    if (plan->columns < call->n)
        time += plan_few_columns_time(call->n - plan->columns, plan->rows, call->k,
                                      call->multiprocessors);
    return time;
}

double plan_small_time(const struct gemm *call, const struct plan *plan)
{
    const struct small_tile *const tile = &plan_small_tiles[plan->shape];
    const size_t blocks = ceil_of(call->m, tile->m) * ceil_of(call->n, tile->n) * plan->splits;
    const size_t processors = (size_t)call->multiprocessors;
    const double waves = (double)ceil_of(blocks, processors * tile->resident);
    const double k = (double)ceil_of(call->k, plan->splits);
    const double launch = 0.4, block = 1.3; /* the first loads and the last sums of a block */
    const double of_one = k * (double)ceil_of(blocks, processors); /* multiprocessor */
    const double of_a = (double)call->m * (double)call->k, of_b = (double)call->k * (double)call->n;
    const double bytes = sizeof(float) * (of_a + of_b + (double)call->m * (double)call->n);
    const double copied = (plan->copies_a ? of_a : 0) + (plan->copies_b ? of_b : 0);
    double time =
        launch + block * (1 + (waves - 1) / tile->resident) +
        larger(larger(k * tile->term, tile->m * tile->n * of_one / tile->rate), bytes * SMALL_READ);

    if (plan->splits > 1)
        time += 1.8 + 0.03 * plan->splits;
    if (!plan->copies_a && !is_aligned(call->a, call->lda))
        time += tile->m * of_one * UNALIGNED;
    if (!plan->copies_b && !is_aligned(call->b, call->ldb))
        time += tile->n * of_one * UNALIGNED;
    if (copied > 0)
        time += SECOND_LAUNCH + copied * 2 * sizeof(float) * SMALL_READ;
    return time;
}
/* SPDX-License-Identifier: MIT */
