#include "plan.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

/* What has been measured of each kind, in us, on an H200: what a launch takes with next to nothing
 * to multiply, and what each of its steps takes. On H100: small tiles, 128 x 224, 512 x 32, sums in
 * shares, WAIT, the sums of few columns. */

struct tile {
    unsigned m, n, depth; /* of C; along k */
    double step;          /* of a block, one stage */
    double clustered;     /* the same in a cluster, by a kernel without spills */
    double store;         /* of a block's tile, or its partial sums */
};

static const struct tile tiles[TILE_SHAPES] = {
    [TILE_128X256] = {128, 256, 32, 4.92, 4.86, 2.2},
    [TILE_128X192] = {128, 192, 32, 3.80, 3.81, 2.2},
    [TILE_256X128] = {256, 128, 32, 5.29, 4.92, 2.5},
    [TILE_128X128] = {128, 128, 32, 2.79, 2.56, 2.7},
    [TILE_64X128] = {64, 128, 32, 1.49, 1.42, 2.2},
    [TILE_128X64] = {128, 64, 32, 1.57, 1.46, 2.1},
    [TILE_64X64] = {64, 64, 64, 1.47, 1.48, 2.0},
    [TILE_128X224] = {128, 224, 32, 4.49, 0, 2.2},
    [TILE_128X32] = {128, 32, 32, 0.82, 0, 2.5},
    [TILE_128X16] = {128, 16, 32, 0.54, 0, 2.7},
    [TILE_512X32] = {512, 32, 32, 3.3, 0, 4.0},
};

struct small_tile {
    unsigned m, n, resident; /* resident: blocks per multiprocessor */
    double term;             /* of a block, one value of p, if it is alone */
    double rate;             /* products per us and multiprocessor, if it is not */
};

static const struct small_tile small_tiles[SMALL_SHAPES] = {
    [SMALL_16X32] = {16, 32, 1, 0.0046, 111e3}, [SMALL_16X32_3] = {16, 32, 3, 0.0102, 110e3},
    [SMALL_32X32] = {32, 32, 1, 0.0088, 116e3}, [SMALL_32X32_2] = {32, 32, 2, 0.0129, 128e3},
    [SMALL_32X64] = {32, 64, 1, 0.0141, 145e3},
};

static const double LAUNCH = 3, SECOND_LAUNCH = 2.5; /* alone; behind another */
static const double READ = 0.26e-6;                  /* for each byte from DRAM */
static const double SMALL_READ = 0.6e-6;             /* of small tiles, and to it */
static const double ADDED_LATER = 0.25e-6; /* for each byte of partial sums of all blocks */
static const double COLLECTED = 24e-6;     /* for each byte that one block adds up */
static const double IN_CLUSTER = 30e-6;    /* for each byte of a tile, whatever the cluster */
static const double WAIT = 1.5;            /* for the other blocks of a tile, on an H100 */
static const double IN_SHARES = 60e-6;     /* for each byte of a tile, whatever their number */
static const double OF_PART = 0.004;       /* for each part of a tile, if add_parts adds them up */
static const double UNALIGNED = 0.14e-3;   /* of small tiles, for each float copied by itself */

static size_t ceil_of(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

static bool is_aligned(const float *matrix, size_t leading)
{
    return (uintptr_t)matrix % 16 == 0 && leading % 4 == 0;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* ---- few rows, few columns ------------------------------------------------------------------- */

/* As many blocks as run at the same time; of those that are equally fast, the fewest. */
static unsigned splits_of_rows(const struct gemm *call, unsigned columns, unsigned turn,
                               unsigned resident)
{
    const size_t turns = ceil_of(call->k, turn);
    const size_t most = resident * (size_t)call->multiprocessors / ceil_of(call->n, columns);

    return (unsigned)ceil_of(turns, ceil_of(turns, most < 1 ? 1 : most < turns ? most : turns));
}

unsigned few_rows_splits(const struct gemm *call)
{
    return splits_of_rows(call, 128, 64, call->m == 1 ? 4 : 2);
}

unsigned streamed_splits(const struct gemm *call)
{
    const unsigned splits =
        call->m <= 16 ? splits_of_rows(call, 128, 32, 2) : splits_of_rows(call, 256, 32, 1);
    const unsigned most = 32; /* for more, adding up their sums takes longer than they save */

    return splits < most ? splits : most;
}

/* Such that all multiprocessors have nearly the same number of blocks, and enough of them. */
unsigned few_columns_splits(const struct gemm *call)
{
    const size_t tiles_of_c = ceil_of(call->m, 32), turns = ceil_of(call->k, 128);
    const size_t processors = (size_t)call->multiprocessors, most = 6 * processors / tiles_of_c;
    const size_t enough = call->n <= 2 ? 3 * processors : processors + 1;
    unsigned best = 1;
    double least = DBL_MAX;

    for (unsigned splits = 1; splits <= most && splits <= turns; splits++) {
        const double each = (double)ceil_of(tiles_of_c * splits, processors) / splits;
        const double idle = larger(1, (double)enough / (double)(tiles_of_c * splits));
        const double time = each * idle + 0.02 * splits;
        if (time < least) {
            least = time;
            best = splits;
        }
    }
    return best;
}

/* Of up to MOST_FEW rows or columns of C, how many are computed. */
static double computed_of(size_t few)
{
    size_t computed = 1;

    while (computed < few)
        computed *= 2;
    return (double)computed;
}

/* `few` rows or columns of C, with a matrix of `elements` to read. */
static double few_time(size_t few, double elements, int multiprocessors)
{
    const double products = 45e3 * multiprocessors; /* per us */

    return LAUNCH + larger(elements * sizeof(float) * READ, computed_of(few) * elements / products);
}

/* Columns: the lanes of a warp must add up their sums, for each element of C. */
static double few_columns_time(size_t few, size_t rows, size_t k, int multiprocessors)
{
    const double sum = 3e-3; /* of a multiprocessor, on an H100 */

    return few_time(few, (double)rows * (double)k, multiprocessors) +
           computed_of(few) * (double)rows * sum / multiprocessors;
}

/* With up to 8 rows, few_rows takes as long. */
static bool can_be_streamed(const struct gemm *call)
{
    return call->m > 8 && call->m <= MOST_STREAMED && call->n <= INT32_MAX &&
           call->k <= INT32_MAX && is_aligned(call->a, call->lda) && is_aligned(call->b, call->ldb);
}

static double streamed_time(const struct gemm *call, unsigned splits)
{
    const double elements = (double)call->k * (double)call->n;
    const double rows = call->m <= 16 ? 16 : 32;                                     /* computed */
    const double products = (call->m <= 16 ? 105e3 : 130e3) * call->multiprocessors; /* per us */
    const double ends = 2, part = 0.15; /* the first stage and the last sums; to add one more */

    return LAUNCH + ends + part * splits +
           larger(elements * sizeof(float) * READ, rows * elements / products);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* Tiles whose kernels have no short stages: several warps compute the same elements of them, or
 * they are narrow. */
static bool is_small_tile(const struct tile *tile)
{
    return tile->m * tile->n < 128 * 192;
}

/* What is beyond k of a tile's last stage, as a fraction of a stage, in whole turns of a consumer's
 * loop. */
static double beyond_k(const struct gemm *call, const struct tile *tile)
{
    const size_t last = call->k - (ceil_of(call->k, tile->depth) - 1) * tile->depth;

    return is_small_tile(tile) ? 0 : 1 - (double)ceil_of(last, 8) * 8 / tile->depth;
}

/* What it takes to divide tiles among blocks. */
static double division_time(const struct plan *plan, const struct tile *tile, double count)
{
    const double tile_bytes = (double)tile->m * tile->n * sizeof(float), blocks = plan->blocks;
    double time = tile->store + (is_small_tile(tile) ? WAIT : 0); /* as measured: they end sooner */

    if (plan->cluster > 1)
        return tile_bytes * IN_CLUSTER;
    if (plan->in_shares)
        return WAIT + tile_bytes * IN_SHARES;
    if ((size_t)count % plan->blocks == 0)
        return 0;
    if (blocks > count && plan->blocks % (size_t)count != 0) /* a block has parts of two tiles */
        time += tile->store + WAIT;
    return time + (plan->added_later ? blocks * tile_bytes * ADDED_LATER + blocks / count * OF_PART
                                     : larger(1, blocks / count - 1) * tile_bytes * COLLECTED);
}

static double tiles_time(const struct gemm *call, const struct plan *plan)
{
    const struct tile *const tile = &tiles[plan->shape];
    const double count =
        (double)ceil_of(plan->rows, tile->m) * (double)ceil_of(plan->columns, tile->n);
    const double steps = (double)ceil_of(call->k, tile->depth), blocks = plan->blocks;
    const double of_block = (double)ceil_of((size_t)(count * steps), plan->blocks) -
                            (plan->short_stage ? floor(count / blocks) * beyond_k(call, tile) : 0);
    const bool has_one_tile = plan->cluster > 1 || plan->in_shares; /* a block */
    double time = LAUNCH + of_block * (has_one_tile ? tile->clustered : tile->step) +
                  tile->store * larger(1, count / blocks) + division_time(plan, tile, count);

    if (plan->copies_b)
        time += SECOND_LAUNCH + (double)call->k * (double)call->n * 2 * sizeof(float) * READ;
    if (plan->rows < call->m)
        time += few_time(call->m - plan->rows, (double)call->k * (double)call->n,
                         call->multiprocessors);
    if (plan->columns < call->n)
        time +=
            few_columns_time(call->n - plan->columns, plan->rows, call->k, call->multiprocessors);
    return time;
}

/* What is known of the fastest plan so far. */
struct choice {
    struct plan plan;
    double time;
};

static void consider(struct choice *best, const struct plan *plan, double time)
{
    if (time < best->time) {
        best->plan = *plan;
        best->time = time;
    }
}

/* All numbers of blocks for a shape, and both ways to add up partial sums. */
static void consider_blocks(const struct gemm *call, unsigned ideas, struct plan plan,
                            struct choice *best)
{
    const struct tile *const tile = &tiles[plan.shape];
    const size_t count = ceil_of(plan.rows, tile->m) * ceil_of(plan.columns, tile->n);
    const size_t steps = ceil_of(call->k, tile->depth), most = (size_t)call->multiprocessors;

    if (count > UINT32_MAX)
        return;
    for (size_t parts = 1; parts <= steps && parts * count <= most; parts++) {
        plan.blocks = (unsigned)(parts * count);
        if (ideas & PLAN_CLUSTERS && parts > 1 && parts <= MOST_CLUSTER &&
            plan.shape < TILE_128X224 && count <= clusters_at_once((unsigned)parts)) {
            plan.cluster = (unsigned)parts;
            plan.added_later = false;
            consider(best, &plan, tiles_time(call, &plan));
            plan.cluster = 0;
        }
        if (ideas & PLAN_SHARES && parts > 1 && plan.shape < TILE_128X224) {
            plan.in_shares = true;
            plan.added_later = false;
            consider(best, &plan, tiles_time(call, &plan));
            plan.in_shares = false;
        }
        for (plan.added_later = false;; plan.added_later = true) {
            consider(best, &plan, tiles_time(call, &plan));
            if (plan.added_later || parts == 1 || !(ideas & PLAN_LATER))
                break;
        }
    }
    if (count * steps <= most || count == most)
        return;
    plan.blocks = (unsigned)most;
    for (plan.added_later = false;; plan.added_later = true) {
        consider(best, &plan, tiles_time(call, &plan));
        if (plan.added_later || count > most || !(ideas & PLAN_LATER))
            break;
    }
}

/* How much of a length is left to the edge: what is beyond the last whole tile, if that is
 * little. */
static size_t without_edge(size_t length, size_t tile)
{
    return length > tile && length % tile <= MOST_FEW ? length / tile * tile : length;
}

static void consider_tiles(const struct gemm *call, unsigned ideas, struct choice *best)
{
    const bool aligned = is_aligned(call->b, call->ldb);
    const bool takes_narrow =
        ideas & PLAN_NARROW && call->m <= INT32_MAX && is_aligned(call->a, call->lda);
    const int shapes = takes_narrow ? TILE_SHAPES : ideas & PLAN_SHAPES ? TILE_128X32 : 1;
    struct plan plan = {.kind = BY_TILES, .copies_b = !aligned, .splits = 1};

    if (call->n > INT32_MAX || call->k > INT32_MAX || call->lda > UINT32_MAX / 2048 ||
        (!aligned && !(ideas & PLAN_COPIES)))
        return;
    for (plan.shape = 0; plan.shape < shapes; plan.shape++) {
        plan.short_stage = ideas & PLAN_SHORT && beyond_k(call, &tiles[plan.shape]) > 0;
        for (int edges = 0; edges <= (ideas & PLAN_EDGES ? 1 : 0); edges++) {
            plan.rows = edges ? without_edge(call->m, tiles[plan.shape].m) : call->m;
            plan.columns = edges ? without_edge(call->n, tiles[plan.shape].n) : call->n;
            consider_blocks(call, ideas, plan, best);
        }
    }
}

/* ---- small tiles ----------------------------------------------------------------------------- */

static double small_time(const struct gemm *call, const struct plan *plan)
{
    const struct small_tile *const tile = &small_tiles[plan->shape];
    const size_t blocks = ceil_of(call->m, tile->m) * ceil_of(call->n, tile->n) * plan->splits;
    const size_t processors = (size_t)call->multiprocessors;
    const double waves = (double)ceil_of(blocks, processors * tile->resident);
    const double k = (double)ceil_of(call->k, plan->splits);
    const double launch = 0.5, block = 1.7; /* the first loads and the last sums of a block */
    const double of_one = k * (double)ceil_of(blocks, processors); /* multiprocessor */
    const double of_a = (double)call->m * (double)call->k, of_b = (double)call->k * (double)call->n;
    const double bytes = sizeof(float) * (of_a + of_b + (double)call->m * (double)call->n);
    const double copied = (plan->copies_a ? of_a : 0) + (plan->copies_b ? of_b : 0);
    double time =
        launch + block * (1 + (waves - 1) / tile->resident) +
        larger(larger(k * tile->term, tile->m * tile->n * of_one / tile->rate), bytes * SMALL_READ);

    if (plan->splits > 1)
        time += 1.7 + 0.03 * plan->splits;
    if (!plan->copies_a && !is_aligned(call->a, call->lda))
        time += tile->m * of_one * UNALIGNED;
    if (!plan->copies_b && !is_aligned(call->b, call->ldb))
        time += tile->n * of_one * UNALIGNED;
    if (copied > 0)
        time += SECOND_LAUNCH + copied * 2 * sizeof(float) * SMALL_READ;
    return time;
}

/* All ways to divide k, with and without aligned copies of what is not aligned. */
static void consider_small_splits(const struct gemm *call, struct plan plan, size_t count,
                                  struct choice *best)
{
    const size_t most = 1 << 24; /* floats to copy */
    const bool a = !is_aligned(call->a, call->lda) && call->m * call->k <= most;
    const bool b = !is_aligned(call->b, call->ldb) && call->k * call->n <= most;

    for (plan.splits = 1;
         plan.splits == 1 || (plan.splits * 128 <= call->k && plan.splits * count <= 2048);
         plan.splits *= 2) {
        if (count > UINT32_MAX / plan.splits)
            continue;
        for (int copies = 0; copies <= 3; copies++) {
            plan.copies_a = copies & 1;
            plan.copies_b = copies & 2;
            if ((a || !plan.copies_a) && (b || !plan.copies_b))
                consider(best, &plan, small_time(call, &plan));
        }
    }
}

static void consider_small_tiles(const struct gemm *call, struct choice *best)
{
    struct plan plan = {.kind = BY_SMALL_TILES};

    for (plan.shape = 0; plan.shape < SMALL_SHAPES; plan.shape++) {
        const struct small_tile *const tile = &small_tiles[plan.shape];

        consider_small_splits(call, plan, ceil_of(call->m, tile->m) * ceil_of(call->n, tile->n),
                              best);
    }
}

/* How many floats of the large matrix stay in L2 until the next product. Without the idea none is
 * marked to go first, and of a matrix larger than L2 every line has been evicted when it is needed
 * again. With it, 45% of L2: each half keeps copies of what it reads from the other, so that half
 * is the most, and what passes needs some room. */
static size_t floats_to_keep(unsigned ideas)
{
    return ideas & PLAN_KEPT ? l2_bytes() / 100 * 45 / sizeof(float) : SIZE_MAX;
}

struct plan choose_plan(const struct gemm *call, unsigned ideas)
{
    const double k = (double)call->k;
    struct choice best = {.time = DBL_MAX, .plan = {.kind = BY_NOTHING}};

    consider_tiles(call, ideas, &best);
    if (ideas & PLAN_THIN && call->m <= MOST_FEW) {
        const struct plan plan = {.kind = BY_FEW_ROWS, .splits = few_rows_splits(call)};
        consider(&best, &plan, few_time(call->m, k * (double)call->n, call->multiprocessors));
    }
    if (ideas & PLAN_THIN && call->n <= MOST_FEW) {
        const struct plan plan = {.kind = BY_FEW_COLUMNS, .splits = few_columns_splits(call)};
        consider(&best, &plan, few_columns_time(call->n, call->m, call->k, call->multiprocessors));
    }
    if (ideas & PLAN_STREAMED && can_be_streamed(call)) {
        const struct plan plan = {.kind = BY_STREAM, .splits = streamed_splits(call)};
        consider(&best, &plan, streamed_time(call, plan.splits));
    }
    if (ideas & PLAN_SMALL)
        consider_small_tiles(call, &best);
    best.plan.kept = floats_to_keep(ideas);
    return best.plan;
}
