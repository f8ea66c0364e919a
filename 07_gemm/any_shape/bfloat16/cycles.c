/* Step 07, bfloat16: a model of how long each way takes for a shape. */
#include "any_shape/bfloat16/cycles.h"

#include <math.h>
#include <stdint.h>

#include "bfloat16/parts/even_plan.h"

/* In cycles, 1,586 per microsecond. With these values, the plans chosen for 207 shapes on H200s are
 * on average 2.8% slower than the fastest of about 75 plans. The values are costs in this model,
 * not measurements of single steps. */
static const struct {
    double start, crowded;       /* a launch: cycles_of_launch */
    double clustered, doubled;   /* a cluster, and each doubling of it: cycles_of_cluster */
    double mma, halves, step;    /* 64 columns of a row; cycles_of_step; every k-step */
    double row[3], of_dram;      /* 128 bytes that a block loads: enum rows; factor for DRAM */
    double busy, norm;           /* exponents: cycles_of_step */
    double element, turns_end;   /* per element, by the TMA; unhidden part of the last store */
    double direct_tile, direct;  /* by threads: per tile, per element */
    double thin, not_persistent; /* an element of thin; factor if it has several waves */
    double second_kernel, a_split, bytes_a_cycle, of_byte; /* split-K in two kernels; DRAM */
    double waiting, even_tile, start_of_pairs;             /* stream_k; even_waves; even_pairs */
} cost = {
    .start = 2740,
    .crowded = 241,
    .clustered = 882,
    .doubled = 224,
    .mma = 1.61,
    .halves = 1.06,
    .step = 102,
    .row = {1.28, 1.59, 2.8},
    .of_dram = 1.37,
    .busy = 0.24,
    .norm = 4.85,
    .element = 0.0551,
    .turns_end = 0.301,
    .direct_tile = 367,
    .direct = 0.4,
    .thin = 0.193,
    .not_persistent = 2.04,
    .second_kernel = 1900,
    .a_split = 20,
    .bytes_a_cycle = 2320,
    .of_byte = 4.6e-4,
    .waiting = 37650,
    .even_tile = 1830,
    .start_of_pairs = 1200,
};

struct tile {
    unsigned rows, columns, down, across; /* down, across: tiles per cluster */
    bool turns;                           /* one warpgroup stores while the other multiplies */
};

static const struct tile persistent[] = {[BF16_TILE_64] = {128, 64, 1, 1, false},
                                         [BF16_TILE_192] = {128, 192, 1, 1, false},
                                         [BF16_TILE_256] = {128, 256, 1, 1, false}};

/* A k-step has 64 terms. */
size_t bf16_steps_of(const struct gemm *call)
{
    return (call->k + 63) / 64;
}

/* A row of a k-step's tile has 128 bytes. It is in two lines if rows do not start at multiples of
 * 128 bytes, and in five sectors instead of four if not at multiples of 32. */
enum rows { IN_LINES, IN_SECTORS, IN_CHUNKS };

static enum rows rows_of(const uint16_t *matrix, size_t columns, size_t leading)
{
    const size_t both = (uintptr_t)matrix | leading * sizeof(uint16_t);

    if (columns <= 64 || both % 128 == 0)
        return IN_LINES;
    return both % 32 == 0 ? IN_SECTORS : IN_CHUNKS;
}

/* The cycles to load 128 bytes of a row. */
static double cycles_of_row(const uint16_t *matrix, size_t rows, size_t columns, size_t leading)
{
    const double bytes = (double)rows * (double)leading * sizeof(uint16_t);
    const enum rows kind = rows_of(matrix, columns, leading);

    return cost.row[kind] * (kind != IN_LINES && bytes > BF16_IN_L2 ? cost.of_dram : 1);
}

/* A smooth maximum of two costs. */
static double norm_of(double a, double b)
{
    return pow(pow(a, cost.norm) + pow(b, cost.norm), 1 / cost.norm);
}

/* The MMAs, or the rows that the block loads for its cluster, whichever take longer. If each
 * warpgroup has half of the rows, both read all columns (`halves`). `busy`: the fraction of SMs
 * with a tile. */
static double cycles_of_step(const struct gemm *call, const struct tile *tile, double busy)
{
    const double of_a = cycles_of_row(call->a_bf16, call->m, call->k, call->lda);
    const double of_b = cycles_of_row(call->b_bf16, call->k, call->n, call->ldb);
    const double load = pow(busy, cost.busy) * (of_a * tile->rows / tile->across +
                                                of_b * fmax(tile->columns, 64) / tile->down);
    const bool halves = tile->columns > 128 && !tile->turns;
    const double products = cost.mma * (halves ? cost.halves : 1) * tile->rows * tile->columns / 64;

    return cost.step + norm_of(products, load);
}

/* A launch takes longer if its blocks leave no SMs to the next launch, whose blocks could create
 * their barriers there. */
static double cycles_of_launch(double busy)
{
    return cost.start + (busy > 0.5 ? cost.crowded : 0);
}

static double cycles_of_cluster(double blocks)
{
    return blocks > 1 ? cost.clustered + cost.doubled * log2(blocks) : 0;
}

/* The clusters that cover C. Some of their tiles may be outside it. */
static double count_clusters(const struct gemm *call, const struct tile *tile)
{
    return ceil((double)call->m / (tile->rows * tile->down)) *
           ceil((double)call->n / (tile->columns * tile->across));
}

/* No way takes less than moving the matrices from and to DRAM, if L2 does not hold them. */
static double with_dram(const struct gemm *call, double cycles)
{
    const double m = (double)call->m, n = (double)call->n, k = (double)call->k;
    const double bytes = (m * k + k * n + m * n) * sizeof(uint16_t);

    return bytes > BF16_IN_L2 ? norm_of(cycles, bytes * cost.of_byte) : cycles;
}

/* Persistent blocks: `clusters` run at the same time, and a cluster's blocks wait for each other.
 * If warpgroups take turns, one alone stores the last tile, and a part of that is not hidden. */
static double cycles_of_waves(const struct gemm *call, const struct tile *tile, unsigned splits,
                              double clusters)
{
    const double size = tile->down * tile->across, work = count_clusters(call, tile) * splits;
    const double busy = fmin(work / clusters, 1), waves = ceil(work / clusters);
    const double steps = ceil((double)bf16_steps_of(call) / splits);
    const double elements = tile->rows * tile->columns;
    const double a_tile = bf16_can_be_fitted(call) ? cost.element * elements
                                                   : cost.direct_tile + cost.direct * elements;

    return with_dram(call, cycles_of_launch(busy) + (tile->turns ? cost.turns_end * a_tile : 0) +
                               waves * (steps * cycles_of_step(call, tile, busy) + a_tile +
                                        cycles_of_cluster(size)));
}

double bf16_cycles_of(const struct gemm *call, unsigned way, unsigned splits)
{
    const double product = cycles_of_waves(call, &persistent[way], splits, call->multiprocessors);

    if (splits == 1)
        return product;
    return product + cost.second_kernel +
           splits * (cost.a_split + (double)call->m * (double)call->n * 8 / cost.bytes_a_cycle);
}

/* The blocks share the tiles of the last waves. No SM is idle, but some wait for the partial sums
 * of others. */
double bf16_cycles_if_stream_k(const struct gemm *call)
{
    static const struct tile tile = {128, 256, 2, 1, false};
    const double waves = count_clusters(call, &tile) * 2 / call->multiprocessors;

    return waves * (double)bf16_steps_of(call) * cycles_of_step(call, &tile, 1) +
           fmax(waves, 1) * (cost.element * 128 * 256) + cost.waiting;
}

/* ---- the rung even_waves --------------------------------------------------------------------- */

bool bf16_can_be_even(const struct gemm *call)
{
    return bf16_can_be_fitted(call) && call->beta == 0 && bf16_steps_of(call) >= EVEN_PARTS;
}

/* Pairs take a microsecond longer to start and to end. They are faster if bytes are the limit: at
 * the power limit, and on an H100, whose L2 does not keep up with single blocks. */
struct bf16_plan bf16_even_plan(const struct gemm *call, bool pairs, double *cycles_of_best)
{
    const struct tile high = {EVEN_HIGH_ROWS, EVEN_COLUMNS, 1, pairs ? 2 : 1, false};
    const struct even_plan even = even_plan_of(call, pairs);
    const double bytes_saved = 0.85; /* factor for pairs at the power limit */
    const double clusters = call->multiprocessors / (pairs ? 2 : 1);
    const double busy = fmin(count_clusters(call, &high) / clusters, 1);
    double cycles = even.rows / EVEN_HIGH_ROWS * cycles_of_step(call, &high, busy) *
                        (double)bf16_steps_of(call) +
                    cost.start + cost.element * EVEN_HIGH_ROWS * EVEN_COLUMNS +
                    even.waves * cost.even_tile;

    if (even.low_rows == 0)
        cycles = HUGE_VAL;
    if (pairs)
        cycles = (cycles > 2e5 ? cycles * bytes_saved : cycles) + cost.start_of_pairs;
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

struct bf16_plan bf16_fitted_plan(const struct gemm *call, const unsigned *clusters,
                                  double *cycles_of_best)
{
#define TILE(rows, panels, turns) {rows, (panels)*64, 1, 1, turns},
    static const struct tile tiles[] = {BF16_FITTED_TILES(TILE)};
#undef TILE
    struct bf16_plan best = {.way = BF16_FITTED, .splits = 1};

    *cycles_of_best = HUGE_VAL;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        for (unsigned down = 1; down <= 4; down *= 2)
            for (unsigned across = 1; across <= 4 && down * across <= BF16_MOST_CLUSTER;
                 across *= 2) {
                const struct tile tile = {tiles[i].rows, tiles[i].columns, down, across,
                                          tiles[i].turns};
                const double cycles = cycles_of_waves(call, &tile, 1, clusters[down * across]);
                if (cycles < *cycles_of_best) {
                    *cycles_of_best = cycles;
                    best.rows = tile.rows;
                    best.columns = tile.columns;
                    best.down = down;
                    best.across = across;
                    best.turns = tile.turns;
                }
            }
    return best;
}

static double cycles_if_thin(const struct gemm *call, const struct tile *tile, unsigned splits,
                             unsigned clusters)
{
    const double elements = tile->rows * tile->columns, tiles = count_clusters(call, tile);
    const double busy = fmin(tiles * splits / call->multiprocessors, 1);
    const double steps = ceil((double)bf16_steps_of(call) / splits);
    const double waves = ceil(tiles / clusters);

    return with_dram(call,
                     cycles_of_launch(busy) + cycles_of_cluster(splits) +
                         waves * (waves > 1 ? cost.not_persistent : 1) *
                             (steps * cycles_of_step(call, tile, busy) + cost.thin * elements));
}

struct bf16_plan bf16_thin_plan(const struct gemm *call, const unsigned *clusters,
                                double *cycles_of_best)
{
#define TILE(few, wide, many) {wide ? few : many, wide ? many : few, 1, 1, false},
    static const struct tile tiles[] = {BF16_THIN_TILES(TILE)};
#undef TILE
    struct bf16_plan best = {.way = BF16_THIN};

    *cycles_of_best = HUGE_VAL;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        for (unsigned splits = 1; splits <= BF16_MOST_CLUSTER && splits <= bf16_steps_of(call);
             splits++) {
            const double cycles = cycles_if_thin(call, &tiles[i], splits, clusters[splits]);
            if (cycles < *cycles_of_best) {
                *cycles_of_best = cycles;
                best.splits = splits;
                best.rows = tiles[i].rows;
                best.columns = tiles[i].columns;
            }
        }
    return best;
}
/* SPDX-License-Identifier: MIT */
