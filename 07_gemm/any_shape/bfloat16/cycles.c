/* Step 07, bfloat16: how long each way takes for a shape. */
#include "any_shape/bfloat16/cycles.h"

#include <math.h>
#include <stdint.h>

#include "bfloat16/parts/even_plan.h"

/* In cycles, 1586 per microsecond. The constants are such that, for 134 shapes on an H100, the plan
 * chosen is on average 2% slower than the fastest of about 20 that were tried. They are costs in
 * this model, and no measurements of single steps. */

/* A tile, and what a step of it costs if rows of A and B start at multiples of 128 bytes: little
 * more than the tensor cores take, since the TMA brings nothing from outside the matrices. */
struct tile {
    unsigned rows, columns;
    double step_cycles;
};

static const struct tile persistent[] = {[BF16_TILE_64] = {128, 64, 326},
                                         [BF16_TILE_128] = {128, 128, 575},
                                         [BF16_TILE_192] = {128, 192, 815},
                                         [BF16_TILE_256] = {128, 256, 921}};

/* A step along k has 64 terms. */
size_t bf16_steps_of(const struct gemm *call)
{
    return (call->k + 63) / 64;
}

/* If rows do not start at multiples of 128 bytes, a row of a step's tile is in two lines; and if
 * not at multiples of 32, in five sectors instead of four. */
enum rows { IN_LINES, IN_SECTORS, IN_CHUNKS };

static enum rows rows_of(const uint16_t *matrix, size_t columns, size_t leading)
{
    const size_t both = (uintptr_t)matrix | leading * sizeof(uint16_t);

    if (columns <= 64 || both % 128 == 0)
        return IN_LINES;
    return both % 32 == 0 ? IN_SECTORS : IN_CHUNKS;
}

static double bytes_of(unsigned rows, enum rows kind)
{
    return rows * 128 * (kind == IN_CHUNKS ? 1.6 : 1);
}

/* `pairs`: of blocks that bring B's tile together. `busy`: the part of the multiprocessors that
 * have a tile. Each has the others' part of L2, for which tiles wait that are not in lines. */
static double cycles_of_step(const struct gemm *call, const struct tile *tile, bool pairs,
                             double busy)
{
    const enum rows a = rows_of(call->a_bf16, call->k, call->lda);
    const enum rows b = rows_of(call->b_bf16, call->n, call->ldb);
    const double bytes_a_cycle = a == IN_CHUNKS && b == IN_CHUNKS ? 41 : 49;
    const double bytes = bytes_of(tile->rows, a) + bytes_of(tile->columns, b) / (pairs ? 2 : 1);

    if (a == IN_LINES && b == IN_LINES)
        return tile->step_cycles;
    return pow(pow(tile->step_cycles, 8) + pow(sqrt(busy) * bytes / bytes_a_cycle, 8), 0.125);
}

static double count_tiles(const struct gemm *call, const struct tile *tile, bool pairs)
{
    const unsigned blocks = pairs ? 2 : 1;

    return ceil((double)call->m / (tile->rows * blocks)) * blocks *
           ceil((double)call->n / tile->columns);
}

/* All tiles of a row of tiles need the same rows of A: what is larger than half of L2 comes from
 * DRAM for each column of tiles, and tiles of 64 columns are many. */
static struct tile tile_of(const struct gemm *call, unsigned way)
{
    const double half_of_l2 = 30e6, bytes = (double)call->m * (double)call->k * sizeof(uint16_t);
    struct tile tile = persistent[way];

    if (way == BF16_TILE_64 && bytes > half_of_l2)
        tile.step_cycles = 541;
    return tile;
}

/* To start a tile and to store its sums: threads do if the TMA cannot, two bytes at a time, and the
 * longer the wider the tile. */
static double cycles_of_tile(const struct gemm *call, const struct tile *tile)
{
    const double wider = tile->columns - 64.0;

    return bf16_can_be_fitted(call) ? 2720 + 7.8 * wider : 3700 + 42 * wider;
}

double bf16_cycles_of(const struct gemm *call, unsigned way, unsigned splits)
{
    const double second_kernel = 3020, a_split = 78, bytes_a_cycle = 1900;
    const struct tile tile = tile_of(call, way);
    const double work_tiles = count_tiles(call, &tile, false) * splits;
    const double waves = ceil(work_tiles / call->multiprocessors);
    const double busy = fmin(work_tiles / call->multiprocessors, 1);
    const double steps = ceil((double)bf16_steps_of(call) / splits);
    const double product =
        waves * (steps * cycles_of_step(call, &tile, false, busy) + cycles_of_tile(call, &tile));

    if (splits == 1)
        return product;
    return product + second_kernel +
           splits * (a_split + (double)call->m * (double)call->n * 8 / bytes_a_cycle);
}

/* With the last wave's tiles shared: no multiprocessor is idle, but some wait for the sums of
 * others, and with fewer tiles than multiprocessors for those of several, one after the other.
 * Pairs of blocks load B together. */
double bf16_cycles_if_stream_k(const struct gemm *call)
{
    static const double step_cycles[] = {990, 1087, 1137};
    const struct tile *const tile = &persistent[BF16_TILE_256];
    const double waiting = 2e4, sums_of_another = 3300;
    const double waves = count_tiles(call, tile, false) / call->multiprocessors;
    const double others = fmax(1 / waves - 1, 0);
    const enum rows a = rows_of(call->a_bf16, call->k, call->lda);
    const enum rows b = rows_of(call->b_bf16, call->n, call->ldb);

    return waves * (double)bf16_steps_of(call) * step_cycles[a > b ? a : b] +
           fmax(waves, 1) * cycles_of_tile(call, tile) + waiting + others * sums_of_another;
}

/* ---- the rung even_waves --------------------------------------------------------------------- */

bool bf16_can_be_even(const struct gemm *call)
{
    return bf16_can_be_fitted(call) && call->beta == 0 && bf16_steps_of(call) >= EVEN_PARTS;
}

/* Pairs take a microsecond more to start and to end, and pay when bytes count: at the power limit,
 * and on an H100, whose L2 does not keep up with single blocks. */
struct bf16_plan bf16_even_plan(const struct gemm *call, bool pairs, double *cycles_of_best)
{
    static const struct tile high = {EVEN_HIGH_ROWS, EVEN_COLUMNS, 1016};
    const struct even_plan even = even_plan_of(call, pairs);
    const double start = 1500, bytes_saved = 0.85; /* of pairs */
    const int cluster = pairs ? 2 : 1;
    const double blocks = call->multiprocessors / cluster;
    const double columns = ceil((double)call->n / (EVEN_COLUMNS * cluster));
    const double high_tiles = ceil((double)call->m / EVEN_HIGH_ROWS);
    const double busy = fmin(columns * high_tiles / blocks, 1), a_tile = 900; /* between two */
    const double a_step = cycles_of_step(call, &high, false, busy);
    double cycles = even.rows / EVEN_HIGH_ROWS * a_step * (double)bf16_steps_of(call) +
                    cycles_of_tile(call, &persistent[BF16_TILE_256]) + (even.waves - 1) * a_tile;

    if (even.low_rows == 0)
        cycles = HUGE_VAL;
    if (pairs) {
        if (cycles > 1e5) /* from here on, the GPU meets its power limit, where bytes count */
            cycles *= bytes_saved;
        cycles += start;
    }
    *cycles_of_best = cycles;
    return (struct bf16_plan){.way = BF16_EVEN,
                              .splits = 1,
                              .pairs = pairs,
                              .rows = even.low_rows,
                              .high_columns = even.high_columns};
}

/* ---- the rungs fitted and thin --------------------------------------------------------------- */

bool bf16_can_be_fitted(const struct gemm *call)
{
    return bf16_tma_takes(call->c_bf16, call->ldc) && call->n % 8 == 0;
}

struct bf16_plan bf16_fitted_plan(const struct gemm *call, double *cycles_of_best)
{
    static const struct tile tiles[][2] = {
        {{80, 128, 498}, {80, 128, 468}},   {{96, 128, 620}, {96, 128, 590}},
        {{104, 128, 564}, {104, 128, 534}}, {{128, 128, 646}, {128, 128, 616}},
        {{160, 128, 710}, {160, 128, 680}},
    }; /* of single blocks and of pairs */
    struct bf16_plan best = {.way = BF16_FITTED, .splits = 1};
    double least = HUGE_VAL;

    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        for (unsigned pairs = 0; pairs < 2; pairs++) {
            const struct tile *const tile = &tiles[i][pairs];
            const double work_tiles = count_tiles(call, tile, pairs);
            const double busy = fmin(work_tiles / call->multiprocessors, 1);
            const double cycles =
                ceil(work_tiles / call->multiprocessors) *
                ((double)bf16_steps_of(call) * cycles_of_step(call, tile, pairs, busy) + 2570 +
                 (pairs ? 940 : 0));
            if (cycles < least) {
                least = cycles;
                best.rows = tile->rows;
                best.columns = tile->columns;
                best.pairs = pairs;
            }
        }
    *cycles_of_best = least;
    return best;
}

/* The blocks of a cluster read each other's sums, at 12.7 bytes per cycle. */
static double cycles_if_thin(const struct gemm *call, const struct tile *tile, unsigned splits,
                             unsigned clusters)
{
    const double elements = tile->rows * tile->columns, tiles = count_tiles(call, tile, false);
    const double busy = fmin(tiles * splits / call->multiprocessors, 1);
    const double steps = ceil((double)bf16_steps_of(call) / splits);
    const double sums = elements * sizeof(float) * (splits - 1) / splits / 12.7;

    const double waves = ceil(tiles / clusters), not_persistent = waves > 1 ? 1.34 : 1;

    return waves * not_persistent *
           (steps * cycles_of_step(call, tile, false, busy) + 2010 + 0.17 * elements + sums);
}

struct bf16_plan bf16_thin_plan(const struct gemm *call, const unsigned *clusters,
                                double *cycles_of_best)
{
    static const struct tile tiles[] = {{64, 128, 546},  {80, 128, 531}, {104, 128, 546},
                                        {128, 128, 527}, {64, 256, 848}, {128, 256, 907},
                                        {128, 64, 490},  {256, 64, 533}, {256, 128, 963}};
    struct bf16_plan best = {.way = BF16_THIN, .splits = 1};
    double least = HUGE_VAL;

    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        for (unsigned splits = 1; splits <= BF16_MOST_CLUSTER && splits <= bf16_steps_of(call);
             splits++) {
            const double cycles = cycles_if_thin(call, &tiles[i], splits, clusters[splits]);
            if (cycles < least) {
                least = cycles;
                best.splits = splits;
                best.rows = tiles[i].rows;
                best.columns = tiles[i].columns;
            }
        }
    *cycles_of_best = least;
    return best;
}
/* SPDX-License-Identifier: MIT */
