/* Step 07: see any_shape/float32/plan.h. A plan is chosen by its time
 * (any_shape/float32/times.c). */
#include "any_shape/float32/plan.h"

#include <float.h>
#include <math.h>

#include "any_shape/float32/times.h"

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
        const double idle = fmax(1, (double)enough / (double)(tiles_of_c * splits));
        const double time = each * idle + 0.02 * splits;
        if (time < least) {
            least = time;
            best = splits;
        }
    }
    return best;
}

/* With up to 8 rows, few_rows takes as long. */
static bool can_be_streamed(const struct gemm *call)
{
    return call->m > 8 && call->m <= MOST_STREAMED && call->n <= INT32_MAX &&
           call->k <= INT32_MAX && is_aligned(call->a, call->lda) && is_aligned(call->b, call->ldb);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

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
    const struct tile *const tile = &plan_tiles[plan.shape];
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
            consider(best, &plan, plan_tiles_time(call, &plan));
            plan.cluster = 0;
        }
        if (ideas & PLAN_SHARES && parts > 1 && plan.shape < TILE_128X224) {
            plan.in_shares = true;
            plan.added_later = false;
            consider(best, &plan, plan_tiles_time(call, &plan));
            plan.in_shares = false;
        }
        for (plan.added_later = false;; plan.added_later = true) {
            consider(best, &plan, plan_tiles_time(call, &plan));
            if (plan.added_later || parts == 1 || !(ideas & PLAN_LATER))
                break;
        }
    }
    if (count * steps <= most || count == most)
        return;
    plan.blocks = (unsigned)most;
    for (plan.added_later = false;; plan.added_later = true) {
        consider(best, &plan, plan_tiles_time(call, &plan));
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
        plan.short_stage = ideas & PLAN_SHORT && plan_beyond_k(call, &plan_tiles[plan.shape]) > 0;
        for (int edges = 0; edges <= (ideas & PLAN_EDGES ? 1 : 0); edges++) {
            plan.rows = edges ? without_edge(call->m, plan_tiles[plan.shape].m) : call->m;
            plan.columns = edges ? without_edge(call->n, plan_tiles[plan.shape].n) : call->n;
            consider_blocks(call, ideas, plan, best);
        }
    }
}

/* ---- small tiles ----------------------------------------------------------------------------- */

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
                consider(best, &plan, plan_small_time(call, &plan));
        }
    }
}

static void consider_small_tiles(const struct gemm *call, struct choice *best)
{
    struct plan plan = {.kind = BY_SMALL_TILES};

    for (plan.shape = 0; plan.shape < SMALL_SHAPES; plan.shape++) {
        const struct small_tile *const tile = &plan_small_tiles[plan.shape];

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
        consider(&best, &plan, plan_few_time(call->m, k * (double)call->n, call->multiprocessors));
    }
    if (ideas & PLAN_THIN && call->n <= MOST_FEW) {
        const struct plan plan = {.kind = BY_FEW_COLUMNS, .splits = few_columns_splits(call)};
        consider(&best, &plan,
                 plan_few_columns_time(call->n, call->m, call->k, call->multiprocessors));
    }
    if (ideas & PLAN_STREAMED && can_be_streamed(call)) {
        const struct plan plan = {.kind = BY_STREAM, .splits = streamed_splits(call)};
        consider(&best, &plan, plan_streamed_time(call, plan.splits));
    }
    if (ideas & PLAN_SMALL)
        consider_small_tiles(call, &best);
    best.plan.kept = floats_to_keep(ideas);
    return best.plan;
}

/* Where warps share a stage, in clusters and in shares there are no short ones
 * (any_shape/float32/tiles.cu). */
static bool has_short_stage(const struct plan *plan)
{
    return plan->kind == BY_TILES && plan->short_stage && plan->cluster <= 1 && !plan->in_shares &&
           (plan->shape <= TILE_256X128 || plan->shape == TILE_128X224);
}

/* How many floats of the large matrix stay in L2, of those that would not without being told. */
static size_t kept_of(const struct gemm *call, const struct plan *plan)
{
    const bool rows = plan->kind == BY_FEW_ROWS || plan->kind == BY_STREAM;
    const size_t all = rows                           ? call->k * call->ldb
                       : plan->kind == BY_FEW_COLUMNS ? call->m * call->lda
                                                      : 0;

    return plan->kept < all ? plan->kept : all;
}

bool plans_are_alike(const struct gemm *call, const struct plan *a, const struct plan *b)
{
    return a->kind == b->kind && a->shape == b->shape && a->blocks == b->blocks &&
           a->added_later == b->added_later && a->in_shares == b->in_shares &&
           a->cluster == b->cluster && has_short_stage(a) == has_short_stage(b) &&
           a->copies_a == b->copies_a && a->copies_b == b->copies_b && a->rows == b->rows &&
           a->columns == b->columns && a->splits == b->splits &&
           kept_of(call, a) == kept_of(call, b);
}
/* SPDX-License-Identifier: MIT */
