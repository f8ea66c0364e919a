/* Step 07: see any_shape/float32/plan.h. A plan is chosen by its time
 * (any_shape/float32/times.c). */
#include "any_shape/float32/plan.h"

#include <float.h>
#include <math.h>

#include "any_shape/float32/times.h"
#include "parts/workspace.h"

/* ---- few rows, few columns ------------------------------------------------------------------- */

/* As many blocks as run at the same time, or the fewest that are equally fast. */
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

/* All SMs should have nearly the same number of blocks, and enough of them. */
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

/* ---- tiles ----------------------------------------------------------------------------------- */

/* The fastest plan so far. */
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

/* Considers the plan twice: partial sums are added by the block that ends a tile, or by a second
 * kernel. */
static void consider_sums(const struct gemm *call, struct plan plan, bool has_parts,
                          struct choice *best)
{
    consider(best, &plan, plan_tiles_time(call, &plan));
    plan.added_later = true;
    if (has_parts)
        consider(best, &plan, plan_tiles_time(call, &plan));
}

/* Considers a shape of tile with whole numbers of blocks per tile, and with one block per SM. */
static void consider_blocks(const struct gemm *call, struct plan plan, struct choice *best)
{
    const struct tile *const tile = &plan_tiles[plan.shape];
    const size_t count = ceil_of(plan.rows, tile->m) * ceil_of(plan.columns, tile->n);
    const size_t steps = ceil_of(call->k, tile->depth), most = (size_t)call->multiprocessors;

    if (count > UINT32_MAX)
        return;
    for (size_t parts = 1; parts <= steps && parts * count <= most; parts++) {
        plan.blocks = (unsigned)(parts * count);
        consider_sums(call, plan, parts > 1, best);
    }
    if (count * steps <= most || count == most)
        return;
    plan.blocks = (unsigned)most;
    consider_sums(call, plan, count <= most, best);
}

/* A length without its edge: what is past the last whole tile, if that is at most MOST_FEW. */
static size_t without_edge(size_t length, size_t tile)
{
    return length > tile && length % tile <= MOST_FEW ? length / tile * tile : length;
}

static void consider_tiles(const struct gemm *call, struct choice *best)
{
    struct plan plan = {.kind = BY_TILES, .copies_b = !is_aligned(call->b, call->ldb), .splits = 1};

    if (call->n > INT32_MAX || call->k > INT32_MAX || call->lda > UINT32_MAX / 2048)
        return;
    for (plan.shape = 0; plan.shape < TILE_SHAPES; plan.shape++) {
        plan.short_stage = plan_beyond_k(call, &plan_tiles[plan.shape]) > 0;
        for (int edges = 0; edges <= 1; edges++) {
            plan.rows = edges ? without_edge(call->m, plan_tiles[plan.shape].m) : call->m;
            plan.columns = edges ? without_edge(call->n, plan_tiles[plan.shape].n) : call->n;
            consider_blocks(call, plan, best);
        }
    }
}

/* ---- small tiles ----------------------------------------------------------------------------- */

/* Considers k in as many parts as give an SM so many blocks, up to a few waves of them. */
static void consider_small_tiles(const struct gemm *call, struct choice *best)
{
    const size_t processors = (size_t)call->multiprocessors, longest = INT32_MAX / 2;
    struct plan plan = {.kind = BY_SMALL_TILES};

    if (call->m > longest || call->n > longest || call->k > longest)
        return;
    for (plan.shape = 0; plan.shape < SMALL_SHAPES; plan.shape++) {
        const struct small_tile *const tile = &plan_small_tiles[plan.shape];
        const size_t count = ceil_of(call->m, tile->m) * ceil_of(call->n, tile->n);
        const size_t most = call->k / 40; /* more parts would be too short */

        if (count > INT32_MAX)
            continue;
        for (size_t each = 0; each <= 2 * tile->resident + 1; each++) {
            const size_t splits = each * processors / count;

            plan.splits = splits < 1 ? 1 : (unsigned)splits;
            if (plan.splits == 1 || plan.splits <= most)
                consider(best, &plan, plan_small_time(call, &plan));
        }
    }
}

struct plan choose_plan(const struct gemm *call)
{
    const double k = (double)call->k;
    struct choice best = {.time = DBL_MAX, .plan = {.kind = BY_NOTHING}};

    consider_tiles(call, &best);
    if (call->m <= MOST_FEW) {
        const struct plan plan = {.kind = BY_FEW_ROWS, .splits = few_rows_splits(call)};
        consider(&best, &plan, plan_few_time(call->m, k * (double)call->n, call->multiprocessors));
    }
    if (call->n <= MOST_FEW) {
        const struct plan plan = {.kind = BY_FEW_COLUMNS, .splits = few_columns_splits(call)};
        consider(&best, &plan,
                 plan_few_columns_time(call->n, call->m, call->k, call->multiprocessors));
    }
    consider_small_tiles(call, &best);
    const size_t large = best.plan.kind == BY_FEW_ROWS ? call->k * call->ldb : call->m * call->lda;
    best.plan.kept = count_kept_in_l2(large, sizeof(float));
    return best.plan;
}
/* SPDX-License-Identifier: MIT */
