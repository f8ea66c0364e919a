/* Step 07: see any_shape/float32/times.h. */
#include "any_shape/float32/times.h"

#include <math.h>

const struct tile plan_tiles[TILE_SHAPES] = {
    [TILE_128X256] = {128, 256, 32, 4.8, 4.8}, [TILE_128X192] = {128, 192, 32, 3.89, 3},
    [TILE_128X160] = {128, 160, 32, 3.39, 3},  [TILE_128X128] = {128, 128, 32, 2.71, 2.2},
    [TILE_128X96] = {128, 96, 32, 2.07, 3.3},  [TILE_64X128] = {64, 128, 32, 1.36, 2.8},
};

const struct small_tile plan_small_tiles[SMALL_SHAPES] = {
    {16, 32, 128, 2, 1.34, 0.0039, 119e3}, {16, 32, 128, 3, 1.40, 0.0040, 127e3},
    {24, 32, 64, 4, 1.12, 0.0076, 119e3},  {24, 32, 128, 2, 1.59, 0.0056, 132e3},
    {32, 32, 64, 4, 1.59, 0.0093, 125e3},  {32, 16, 128, 2, 1.18, 0.0048, 101e3},
    {128, 16, 64, 2, 1.27, 0.0224, 98e3},  {20, 64, 64, 3, 1.47, 0.0120, 137e3},
    {24, 64, 64, 3, 1.38, 0.0128, 140e3},  {28, 64, 64, 2, 1.83, 0.0145, 150e3},
    {32, 64, 64, 2, 2.02, 0.0154, 152e3},  {36, 64, 64, 2, 1.87, 0.0170, 152e3},
    {40, 64, 64, 2, 1.79, 0.0187, 159e3},  {48, 64, 32, 2, 2.28, 0.0234, 153e3},
    {56, 64, 32, 2, 2.26, 0.0271, 152e3},  {72, 64, 64, 2, 3.06, 0.0305, 173e3},
};

static const double LAUNCH = 3.2, SECOND_LAUNCH = 1.4; /* alone; behind another */
static const double READ = 0.19e-6;                    /* per byte from DRAM */
static const double ADDED_LATER = 0.037e-6;            /* per byte of partial sums of all blocks */
static const double COLLECTED = 14.6e-6;               /* per byte that one block adds up */
static const double WAIT = 0.07;                       /* for the other blocks of a tile */
static const double OF_PART = 0.004; /* per part of a tile, if add_parts adds them up */

/* Small tiles: per byte from and to DRAM, and more if an SM has only one block, with few copies in
 * flight; per float of unaligned rows; per further block of a wave on the same SM; for split-K
 * once, per split and per byte. */
static const double SMALL_READ = 0.31e-6, SMALL_READ_ALONE = 0.37e-6;
static const double COPIED_BY_TWO = 0.0086e-3, COPIED_BY_ONE = 0.0216e-3;
static const double START = 0.18;
static const double SPLIT = 1.66, OF_SPLIT = 0.029, SPLIT_BYTE = 22e-6; /* if k is split */

/* How many rows or columns a kernel for `few` of them computes: the next power of two. */
static double computed_of(size_t few)
{
    size_t computed = 1;

    while (computed < few)
        computed *= 2;
    return (double)computed;
}

double plan_few_time(size_t few, double elements, int multiprocessors)
{
    const double products = 63e3 * multiprocessors; /* per us */
    const double sum = 0.3;                         /* per row: the warps of a block add theirs */

    return LAUNCH + computed_of(few) * sum +
           fmax(elements * sizeof(float) * READ, computed_of(few) * elements / products);
}

double plan_few_columns_time(size_t few, size_t rows, size_t k, int multiprocessors)
{
    const double sum = 3.4e-3; /* per element and SM: the lanes of a warp add theirs */

    return plan_few_time(few, (double)rows * (double)k, multiprocessors) +
           computed_of(few) * (double)rows * sum / multiprocessors;
}

double plan_beyond_k(const struct gemm *call, const struct tile *tile)
{
    const size_t last = call->k - (ceil_of(call->k, tile->depth) - 1) * tile->depth;
    const bool warps_share = tile->m * tile->n < 128 * 128;

    return warps_share ? 0 : 1 - (double)ceil_of(last, 8) * 8 / tile->depth;
}

/* The time that dividing tiles among blocks adds. */
static double division_time(const struct plan *plan, const struct tile *tile, double count)
{
    const double tile_bytes = (double)tile->m * tile->n * sizeof(float), blocks = plan->blocks;
    double time = tile->store;

    if ((size_t)count % plan->blocks == 0)
        return 0;
    if (blocks > count && plan->blocks % (size_t)count != 0) /* a block has parts of two tiles */
        time += tile->store + WAIT;
    return time + (plan->added_later ? blocks * tile_bytes * ADDED_LATER + blocks / count * OF_PART
                                     : fmax(1, blocks / count - 1) * tile_bytes * COLLECTED);
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
    double time = LAUNCH + of_block * tile->step + tile->store * fmax(1, count / blocks) +
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

/* The time that small tiles lose if they cannot copy four floats at once. */
static double copy_time(const float *matrix, size_t leading)
{
    const size_t both = (uintptr_t)matrix / sizeof(float) | leading;

    return both % 4 == 0 ? 0 : both % 2 == 0 ? COPIED_BY_TWO : COPIED_BY_ONE;
}

double plan_small_time(const struct gemm *call, const struct plan *plan)
{
    const struct small_tile *const tile = &plan_small_tiles[plan->shape];
    const size_t blocks = ceil_of(call->m, tile->m) * ceil_of(call->n, tile->n) * plan->splits;
    const size_t each = ceil_of(blocks, (size_t)call->multiprocessors);
    const double waves = (double)ceil_of(each, tile->resident);
    const double rounds = (double)ceil_of(ceil_of(call->k, plan->splits), tile->round);
    const double k = rounds * tile->round, elements = tile->m * tile->n;
    const double of_term = elements / tile->rate + tile->m * copy_time(call->a, call->lda) +
                           tile->n * copy_time(call->b, call->ldb);
    const double of_a = (double)call->m * (double)call->k, of_b = (double)call->k * (double)call->n;
    const double bytes = sizeof(float) * (of_a + of_b + (double)call->m * (double)call->n);
    const double time = tile->ends * waves + START * ((double)each - waves) +
                        fmax(k * fmax(tile->term * waves, of_term * (double)each),
                             bytes * (each > 1 ? SMALL_READ : SMALL_READ_ALONE));

    if (plan->splits == 1)
        return time;
    return time + SPLIT + plan->splits * (OF_SPLIT + elements * sizeof(float) * SPLIT_BYTE);
}
/* SPDX-License-Identifier: MIT */
