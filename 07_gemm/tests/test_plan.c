#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "any_shape/bfloat16/plan.h"
#include "any_shape/float32/plan.h"
#include "bfloat16/parts/even_plan.h"
#include "measure/verify.h"
#include "parts/workspace.h"
#include "problem/gemm/gemm.h"
#include "problem/gemm/options.h"
#include "rungs.h"
#include "step_test.h"

enum { ALL = 2 * PLAN_SMALL - 1 };

static const unsigned tile_m[TILE_SHAPES] = {128, 128, 256, 128, 64, 128, 64, 128, 128, 128, 512};
static const unsigned tile_n[TILE_SHAPES] = {256, 192, 128, 128, 128, 64, 64, 224, 32, 16, 32};

static const unsigned small_m[SMALL_SHAPES] = {16, 16, 32, 32, 32};
static const unsigned small_n[SMALL_SHAPES] = {32, 32, 32, 32, 64};

static size_t ceil_of(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

/* What a plan may ask of the workspace, and that it computes all of C. */
static void check_plan(const struct gemm *call, unsigned ideas, const struct plan *plan)
{
    const size_t processors = (size_t)call->multiprocessors;
    size_t blocks;

    switch (plan->kind) {
    case BY_NOTHING:
        assert_false(ideas & PLAN_SMALL);
        break;
    case BY_TILES:
        assert_true(plan->rows >= call->m - call->m % tile_m[plan->shape] && plan->rows <= call->m);
        assert_true(plan->columns >= call->n - call->n % tile_n[plan->shape] &&
                    plan->columns <= call->n);
        assert_true(call->m - plan->rows <= (ideas & PLAN_EDGES ? MOST_FEW : 0));
        assert_true(call->n - plan->columns <= (ideas & PLAN_EDGES ? MOST_FEW : 0));
        assert_true(plan->blocks >= 1 && plan->blocks <= processors);
        assert_true((uintptr_t)call->b % 16 == 0 && call->ldb % 4 == 0 ? !plan->copies_b
                                                                       : plan->copies_b);
        assert_true(plan->cluster == 0 || ideas & PLAN_CLUSTERS);
        if (plan->cluster > 0) {
            assert_true(plan->shape < TILE_128X224);
            assert_true(plan->cluster >= 2 && plan->cluster <= MOST_CLUSTER);
            assert_int_equal(plan->blocks, plan->cluster *
                                               ceil_of(plan->rows, tile_m[plan->shape]) *
                                               ceil_of(plan->columns, tile_n[plan->shape]));
        }
        if (plan->in_shares) {
            assert_true(ideas & PLAN_SHARES && plan->cluster == 0 && !plan->added_later);
            assert_true(plan->shape < TILE_128X224);
            assert_int_equal(plan->blocks % (ceil_of(plan->rows, tile_m[plan->shape]) *
                                             ceil_of(plan->columns, tile_n[plan->shape])),
                             0);
        }
        assert_true(!plan->added_later || ideas & PLAN_LATER);
        assert_true(!plan->short_stage || ideas & PLAN_SHORT);
        assert_true(plan->shape < TILE_128X32 || (ideas & PLAN_NARROW && call->lda % 4 == 0));
        break;
    case BY_FEW_ROWS:
    case BY_FEW_COLUMNS:
        assert_true(ideas & PLAN_THIN);
        blocks = plan->kind == BY_FEW_ROWS ? ceil_of(call->n, 128) : ceil_of(call->m, 32);
        const size_t few = plan->kind == BY_FEW_ROWS ? call->m : call->n;
        assert_true(few >= 1 && few <= MOST_FEW);
        assert_true(plan->splits == 1 || blocks <= WORKSPACE_FLAGS);
        assert_true(plan->splits == 1 ||
                    blocks * plan->splits * MOST_FEW * 128 <= workspace_floats(processors));
        break;
    case BY_STREAM:
        assert_true(ideas & PLAN_STREAMED);
        blocks = ceil_of(call->n, call->m <= 16 ? 128 : 256);
        assert_true(call->m >= 9 && call->m <= MOST_STREAMED);
        assert_true(plan->splits == 1 || blocks <= WORKSPACE_FLAGS);
        assert_true(plan->splits == 1 ||
                    blocks * plan->splits * MOST_STREAMED * 256 <= workspace_floats(processors));
        break;
    case BY_SMALL_TILES:
        assert_true(ideas & PLAN_SMALL);
        assert_true(!plan->copies_a || call->lda % 4 != 0);
        assert_true(!plan->copies_b || call->ldb % 4 != 0);
        blocks = ceil_of(call->m, small_m[plan->shape]) * ceil_of(call->n, small_n[plan->shape]);
        assert_true(plan->splits == 1 || blocks <= WORKSPACE_FLAGS);
        assert_true(plan->splits == 1 ||
                    blocks * plan->splits * small_m[plan->shape] * small_n[plan->shape] <=
                        workspace_floats(processors));
        break;
    }
}

static void test_plans(void **state)
{
    static const size_t sizes[] = {1, 2, 16, 17, 64, 129, 272, 777, 1024, 4097, 65536, 1000000};
    static const int processors[] = {1, 16, 132, 200};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    (void)state;

    for (size_t i = 0; i < SIZES * SIZES * SIZES; i++)
        for (unsigned ideas = 0; ideas <= ALL; ideas = ideas * 2 + 1) {
            struct gemm call = {.m = sizes[i % SIZES],
                                .n = sizes[i / SIZES % SIZES],
                                .k = sizes[i / SIZES / SIZES],
                                .multiprocessors = processors[i % 4]};
            call.lda = call.k;
            call.ldb = call.ldc = call.n;
            const struct plan plan = choose_plan(&call, ideas);
            check_plan(&call, ideas, &plan);
        }
}

/* Two waves of whole tiles, or more, are a plan, too. */
static void test_whole_waves(void **state)
{
    static const size_t rows[] = {132 * 128, 264 * 128, 132 * 128 * 3};
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned ideas = PLAN_SHAPES; ideas <= ALL; ideas = ideas * 2 + 1) {
            const struct gemm call = {.m = rows[i],
                                      .n = 4096,
                                      .k = 4096,
                                      .lda = 4096,
                                      .ldb = 4096,
                                      .ldc = 4096,
                                      .multiprocessors = 132};
            const struct plan plan = choose_plan(&call, ideas);

            assert_int_equal(plan.kind, BY_TILES);
            assert_int_equal(plan.shape, TILE_128X256);
            assert_int_equal(plan.blocks, 132);
            assert_false(plan.added_later);
        }
}

/* The plan that the test wants, in place of the fastest. */
static struct plan forced;

static void run_forced(const struct gemm *call)
{
    forced.rows = call->m;
    forced.columns = call->n;
    if (forced.kind == BY_TILES)
        run_tiles(call, &forced);
    else if (forced.kind == BY_FEW_ROWS)
        run_few_rows(call, forced.splits, forced.kept, false);
    else if (forced.kind == BY_FEW_COLUMNS)
        run_few_columns(call, forced.splits, forced.kept, false);
    else if (forced.kind == BY_STREAM)
        run_streamed(call, forced.splits, forced.kept);
    else
        run_small_tiles(call, &forced);
}

static void verify_forced(struct problem *problem)
{
    static const struct gemm_rung rung = {
        .rung = {.name = "forced"},
        .run = run_forced,
        .depth = gemm_depth_serial,
        .prepare = prepare_any_shape,
    };
    struct comparison comparison;
    struct error error;

    assert_true(verify_rung(problem, &rung.rung, &comparison, &error));
    if (!comparison.right)
        fail_msg("kind %d, shape %d, %u blocks, %d, %u splits: %s", (int)forced.kind, forced.shape,
                 forced.blocks, forced.added_later, forced.splits, comparison.where);
}

/* A shape of tile: one block for each, blocks that divide tiles, sums added later, and clusters. */
static void check_tiles(struct problem *problem, unsigned count, size_t k)
{
    for (unsigned blocks = 1; blocks <= count + 2; blocks += 1 + count / 2)
        for (int later = 0; later <= 1; later++) {
            forced.blocks = blocks;
            forced.added_later = later;
            forced.short_stage = later || blocks > 1;
            if (blocks <= count * ceil_of(k, 64))
                verify_forced(problem);
        }
    forced.added_later = false;
    for (forced.cluster = 2; forced.cluster <= 3 && forced.shape < TILE_128X224; forced.cluster++) {
        forced.blocks = forced.cluster * count;
        if (forced.cluster <= ceil_of(k, 64))
            verify_forced(problem);
    }
    forced.cluster = 0;
    forced.in_shares = forced.shape < TILE_128X224;
    for (unsigned parts = 1; forced.in_shares && parts <= ceil_of(k, 64); parts++) {
        forced.blocks = parts * count;
        verify_forced(problem);
    }
    forced.in_shares = false;
}

static void check_shapes(struct problem *problem, size_t m, size_t n, size_t k)
{
    forced = (struct plan){.kind = BY_TILES, .copies_b = n % 4 != 0};
    for (forced.shape = 0; forced.shape < (k % 4 == 0 ? TILE_SHAPES : TILE_128X32);
         forced.shape++) {
        const unsigned count =
            (unsigned)(ceil_of(m, tile_m[forced.shape]) * ceil_of(n, tile_n[forced.shape]));
        check_tiles(problem, count, k);
    }
    forced = (struct plan){.kind = BY_SMALL_TILES};
    for (forced.shape = 0; forced.shape < SMALL_SHAPES; forced.shape++)
        for (forced.splits = 1; forced.splits <= 3; forced.splits += 2)
            for (int copies = 0; copies <= 3; copies++) {
                forced.copies_a = copies & 1;
                forced.copies_b = copies & 2;
                verify_forced(problem);
            }
}

static struct problem *loaded_problem(const struct gemm_options *options)
{
    const struct machine machine = {.name = "test", .processors = 1};
    struct error error;
    struct problem *const problem =
        gemm_kind.create(&options->base, step_test_ladder()->back_end, &machine, &error);

    if (problem == NULL)
        fail_msg("%s", error.text);
    assert_true(gemm_kind.load(problem, 0, &error));
    return problem;
}

static void test_shapes(void **state)
{
    static const size_t shapes[][3] = {{130, 132, 72}, {70, 259, 131}, {513, 97, 44}};
    struct gemm_options options;
    (void)state;

    if (hopper_unavailable() != NULL)
        skip();
    step_test_defaults(&options);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        options.m = shapes[s][0];
        options.n = shapes[s][1];
        options.k = shapes[s][2];
        options.beta = (float)s;
        struct problem *const problem = loaded_problem(&options);
        check_shapes(problem, options.m, options.n, options.k);
        gemm_kind.destroy(problem);
    }
}

/* Rows for each of the kernels, with k in one part and in three. */
static void test_streams(void **state)
{
    static const size_t rows[] = {1, 7, 15, 16, 17, 29, 32};
    struct gemm_options options;
    (void)state;

    if (hopper_unavailable() != NULL)
        skip();
    step_test_defaults(&options);
    options.n = 260;
    options.k = 420;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        options.m = rows[i];
        options.beta = (float)(i % 2);
        struct problem *const problem = loaded_problem(&options);
        forced = (struct plan){.kind = BY_STREAM, .kept = 200 * options.n};
        for (forced.splits = 1; forced.splits <= 3; forced.splits += 2)
            verify_forced(problem);
        gemm_kind.destroy(problem);
    }
}

/* A part of the large matrix that L2 keeps ends within its rows, or is none or all of it. */
static void test_kept(void **state)
{
    static const size_t few[] = {1, 5, 16}, kept[] = {0, 5000, SIZE_MAX};
    struct gemm_options options;
    (void)state;

    if (hopper_unavailable() != NULL)
        skip();
    for (size_t i = 0; i < 3; i++)
        for (int columns = 0; columns <= 1; columns++) {
            step_test_defaults(&options);
            options.m = columns ? 130 + i : few[i];
            options.n = columns ? few[i] : 130 + 2 * i;
            options.k = 420 + i;
            struct problem *const problem = loaded_problem(&options);
            forced = (struct plan){.kind = columns ? BY_FEW_COLUMNS : BY_FEW_ROWS};
            for (size_t j = 0; j < 3; j++) {
                forced.kept = kept[j];
                for (forced.splits = 1; forced.splits <= 3; forced.splits += 2)
                    verify_forced(problem);
            }
            gemm_kind.destroy(problem);
        }
}

/* The rows that the block, or pair, with the most tiles of even_waves computes. */
static size_t most_rows(const struct gemm *call, const struct bf16_plan *plan)
{
    const size_t cluster = plan->pairs ? 2 : 1, width = EVEN_COLUMNS * cluster;
    const size_t columns = (call->n + width - 1) / width;
    const size_t high = plan->high_columns * ((call->m + EVEN_HIGH_ROWS - 1) / EVEN_HIGH_ROWS);
    const size_t low = (columns - plan->high_columns) * ((call->m + plan->rows - 1) / plan->rows);
    const size_t blocks = (size_t)call->multiprocessors / cluster;
    size_t most = 0;

    assert_true(plan->high_columns <= columns);
    for (size_t block = 0; block < blocks; block++) {
        size_t rows = 0;
        for (size_t tile = block; tile < high + low; tile += blocks)
            rows += tile < high ? EVEN_HIGH_ROWS : plan->rows;
        most = rows > most ? rows : most;
    }
    return most;
}

/* No other number of high columns is better, with either height of low tiles. */
static void check_even_plan(const struct gemm *call, bool pairs)
{
    static const unsigned low_rows[] = {208, 232};
    const struct bf16_plan plan = bf16_even_plan(call, pairs, NULL);
    const size_t width = EVEN_COLUMNS * (pairs ? 2U : 1U);
    const size_t columns = (call->n + width - 1) / width, planned = most_rows(call, &plan);
    struct bf16_plan other = plan;

    other.high_columns++; /* no more tiles are low than must be */
    if (plan.high_columns < columns && most_rows(call, &other) <= planned)
        fail_msg("%zu x %zu: more than %u columns may be high", call->m, call->n,
                 plan.high_columns);
    for (size_t l = 0; l < sizeof low_rows / sizeof low_rows[0]; l++)
        for (other.high_columns = 0; other.high_columns <= columns; other.high_columns++) {
            other.rows = low_rows[l];
            if (most_rows(call, &other) < planned)
                fail_msg("%zu x %zu: %u high columns and low tiles of %u rows, but %u and %u are "
                         "better",
                         call->m, call->n, plan.high_columns, plan.rows, other.high_columns,
                         other.rows);
        }
}

static void test_even_plans(void **state)
{
    static const size_t sizes[] = {1, 200, 256, 417, 1000, 2048, 3001, 4096, 6144};
    (void)state;

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
            const struct gemm call = {
                .m = sizes[i], .n = sizes[j], .k = 512, .multiprocessors = i % 2 == 0 ? 132 : 5};
            check_even_plan(&call, false);
            check_even_plan(&call, true);
        }

    const struct gemm call = {.m = 300, .n = 300, .k = 512, .multiprocessors = 1};
    double cycles;
    bf16_even_plan(&call, true, &cycles);
    assert_true(isinf(cycles)); /* there is no room for a pair */
}

/* What was fastest on an H200 (docs/results/07_tensor_h200.csv). */
static void test_bf16_plans(void **state)
{
    static const unsigned clusters[] = {0, 132, 66, 39, 30, 22, 17, 15, 15}; /* of an H200 */
    static const struct {
        size_t m, n, k;
        enum bf16_way way;
    } shapes[] = {
        {1, 4096, 4096, BF16_FEW_ROWS},
        {16, 4096, 4096, BF16_FEW_ROWS},
        {3, 5000, 5000, BF16_THIN},
        {5, 4095, 4097, BF16_FEW_ROWS},
        {24, 8192, 8192, BF16_THIN},
        {64, 4096, 4096, BF16_THIN},
        {2000, 64, 5000, BF16_THIN},
        {1000, 1000, 1000, BF16_FITTED},
        {1024, 1024, 1024, BF16_NARROW},
        {1536, 1536, 1536, BF16_FITTED},
        {512, 512, 4096, BF16_THIN},
        {128, 8192, 8192, BF16_THIN},
        {8192, 128, 8192, BF16_THIN},
        {4096, 1, 4096, BF16_VECTOR},
        {4096, 8, 4096, BF16_FEW_COLUMNS},
        {5000, 12, 3000, BF16_FEW_COLUMNS},
        {1000, 16, 3000, BF16_FEW_COLUMNS},
        {5000, 16, 3000, BF16_THIN},
        {5000, 8, 3001, BF16_FEW_COLUMNS},
        {300, 8, 4096, BF16_THIN},
        {4096, 17, 4096, BF16_THIN},
        {3072, 1536, 4096, BF16_FITTED},
        {3000, 3000, 3000, BF16_SHARED},
        {2047, 2049, 1023, BF16_THIN},
        {3333, 1111, 777, BF16_THIN},
        {1500, 1500, 1500, BF16_BROAD},
        {8192, 8192, 128, BF16_WIDE},
        {2048, 2048, 2048, BF16_EVEN},
        {4096, 4096, 4096, BF16_EVEN},
        {4096, 4096, 14336, BF16_EVEN},
        {6144, 6144, 6144, BF16_EVEN},
        {8192, 8192, 8192, BF16_EVEN},
        {8192, 16384, 16384, BF16_EVEN},
        {768, 28672, 8192, BF16_EVEN},
        {128, 65536, 4096, BF16_WIDE},
        {64, 64, 65536, BF16_NARROW},
        {0, 5, 3, BF16_NARROW},
        {5, 7, 0, BF16_OTHER},
        {5, (size_t)1 << 31, 3, BF16_FEW_ROWS},
        {(size_t)1 << 31, 7, 3, BF16_OTHER},
        {300, 4096, 4096, BF16_FITTED},
        {577, 1024, 4096, BF16_THIN},
        {700, 2048, 2048, BF16_FITTED},
        {160, 5120, 5120, BF16_THIN},
        {1152, 1152, 4608, BF16_FITTED},
    };
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const struct gemm call = {.m = shapes[s].m,
                                  .n = shapes[s].n,
                                  .k = shapes[s].k,
                                  .lda = shapes[s].k,
                                  .ldb = shapes[s].n,
                                  .ldc = shapes[s].n,
                                  .multiprocessors = 132};
        const struct bf16_plan plan = bf16_plan_of(&call, clusters);
        if (plan.way != shapes[s].way)
            fail_msg("%zu x %zu x %zu: way %d", call.m, call.n, call.k, (int)plan.way);
        if (plan.way == BF16_THIN)
            assert_true(plan.splits >= 1 && plan.splits <= BF16_MOST_CLUSTER);
        else
            assert_true(plan.splits == 1 ||
                        plan.splits * call.m * call.n <= bf16_plan_floats(&call));
        assert_true(plan.splits == 1 || plan.way <= BF16_WIDE || plan.way == BF16_THIN);
        assert_true(plan.way != BF16_EVEN || plan.pairs == (shapes[s].k > 2048));
        assert_true(plan.way != BF16_FITTED || (bf16_can_be_fitted(&call) && plan.rows > 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans),     cmocka_unit_test(test_whole_waves),
        cmocka_unit_test(test_shapes),    cmocka_unit_test(test_streams),
        cmocka_unit_test(test_kept),      cmocka_unit_test(test_even_plans),
        cmocka_unit_test(test_bf16_plans)};
    return cmocka_run_group_tests_name("07_gemm, plans", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
