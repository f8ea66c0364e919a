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

static const unsigned tile_m[TILE_SHAPES] = {128, 128, 128, 256, 128, 64, 64};
static const unsigned tile_n[TILE_SHAPES] = {256, 224, 192, 128, 128, 128, 64};
static const unsigned small_m[SMALL_SHAPES] = {16, 16, 32, 32, 32};
static const unsigned small_n[SMALL_SHAPES] = {32, 32, 32, 32, 64};

static size_t ceil_of(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

static void check_tiles_plan(const struct gemm *call, const struct plan *plan)
{
    assert_true(plan->rows >= call->m - call->m % tile_m[plan->shape] && plan->rows <= call->m);
    assert_true(plan->columns >= call->n - call->n % tile_n[plan->shape] &&
                plan->columns <= call->n);
    assert_true(call->m - plan->rows <= MOST_FEW && call->n - plan->columns <= MOST_FEW);
    assert_true(plan->blocks >= 1 && plan->blocks <= (unsigned)call->multiprocessors);
    assert_true(plan->copies_b == ((uintptr_t)call->b % 16 != 0 || call->ldb % 4 != 0));
}

/* The parts of so many tiles of C have room in the workspace, and a flag per tile. */
static void check_splits(const struct gemm *call, unsigned splits, size_t tiles, size_t elements)
{
    if (splits > 1) {
        assert_true(tiles <= WORKSPACE_FLAGS);
        assert_true(tiles * splits * elements <= workspace_floats((size_t)call->multiprocessors));
    }
}

/* What a plan may ask of the workspace, and that it computes all of C. */
static void check_plan(const struct gemm *call, const struct plan *plan)
{
    switch (plan->kind) {
    case BY_NOTHING:
        fail_msg("%zu x %zu x %zu: no plan", call->m, call->n, call->k);
        break;
    case BY_TILES:
        check_tiles_plan(call, plan);
        break;
    case BY_FEW_ROWS:
        assert_true(call->m >= 1 && call->m <= MOST_FEW);
        check_splits(call, plan->splits, ceil_of(call->n, 128), MOST_FEW * 128);
        break;
    case BY_FEW_COLUMNS:
        assert_true(call->n >= 1 && call->n <= MOST_FEW);
        check_splits(call, plan->splits, ceil_of(call->m, 32), MOST_FEW * 128);
        break;
    case BY_STREAM:
        assert_true(call->m >= 9 && call->m <= MOST_STREAMED);
        check_splits(call, plan->splits, ceil_of(call->n, call->m <= 16 ? 128 : 256),
                     MOST_STREAMED * 256);
        break;
    case BY_SMALL_TILES:
        assert_true(!plan->copies_a || call->lda % 4 != 0);
        assert_true(!plan->copies_b || call->ldb % 4 != 0);
        const unsigned m = small_m[plan->shape], n = small_n[plan->shape];
        check_splits(call, plan->splits, ceil_of(call->m, m) * ceil_of(call->n, n), m * n);
        break;
    }
}

static void test_plans(void **state)
{
    static const size_t sizes[] = {1, 2, 16, 17, 64, 129, 272, 777, 1024, 4097, 65536, 1000000};
    static const int processors[] = {1, 16, 132, 200};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    (void)state;

    for (size_t i = 0; i < SIZES * SIZES * SIZES; i++) {
        struct gemm call = {.m = sizes[i % SIZES],
                            .n = sizes[i / SIZES % SIZES],
                            .k = sizes[i / SIZES / SIZES],
                            .multiprocessors = processors[i % 4]};
        call.lda = call.k;
        call.ldb = call.ldc = call.n;
        const struct plan plan = choose_plan(&call);
        check_plan(&call, &plan);
    }
}

/* Two waves of whole tiles, or more, need no other plan. */
static void test_whole_waves(void **state)
{
    static const size_t rows[] = {132 * 128, 264 * 128, 132 * 128 * 3};
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct gemm call = {.m = rows[i],
                                  .n = 4096,
                                  .k = 4096,
                                  .lda = 4096,
                                  .ldb = 4096,
                                  .ldc = 4096,
                                  .multiprocessors = 132};
        const struct plan plan = choose_plan(&call);

        assert_int_equal(plan.kind, BY_TILES);
        assert_int_equal(plan.shape, TILE_128X256);
        assert_int_equal(plan.blocks, 132);
        assert_false(plan.added_later);
    }
}

/* ---- every kernel that a plan can have ------------------------------------------------------- */

/* The plans that a test wants instead of the fastest. */
static struct plan forced;
static struct bf16_plan forced_bf16;

static void run_forced(const struct gemm *call)
{
    if (call->type == GEMM_BF16) {
        run_bf16_plan(call, &forced_bf16);
        return;
    }
    forced.rows = call->m;
    forced.columns = call->n;
    run_plan(call, &forced);
}

static void verify_with(struct problem *problem, void (*prepare)(const struct gemm *call))
{
    const struct gemm_rung rung = {
        .rung = {.name = "forced"},
        .run = run_forced,
        .depth = gemm_depth_tensor, /* the larger one */
        .prepare = prepare,
    };
    struct comparison comparison;
    struct error error;

    assert_true(verify_rung(problem, &rung.rung, &comparison, &error));
    if (!comparison.right)
        fail_msg("kind %d, shape %d, %u blocks, %d, %u splits; bf16: way %d, %ux%u, %u splits: %s",
                 (int)forced.kind, forced.shape, forced.blocks, forced.added_later, forced.splits,
                 (int)forced_bf16.way, forced_bf16.rows, forced_bf16.columns, forced_bf16.splits,
                 comparison.where);
}

static void verify_forced(struct problem *problem)
{
    verify_with(problem, prepare_workspace);
}

/* Another launch, which finds the workspace as the one before has left it. */
static void verify_again(struct problem *problem)
{
    verify_with(problem, NULL);
}

static struct problem *loaded_problem(const struct problem_kind *kind, size_t m, size_t n, size_t k,
                                      float beta)
{
    const struct machine machine = {.name = "test", .processors = 1};
    struct gemm_options options;
    struct error error;

    step_test_defaults(&options);
    options.type = kind == &gemm_bf16_kind ? GEMM_BF16 : GEMM_F32;
    options.m = m;
    options.n = n;
    options.k = k;
    options.beta = beta;
    struct problem *const problem =
        kind->create(&options.base, step_test_ladder()->back_end, &machine, &error);
    if (problem == NULL)
        fail_msg("%s", error.text);
    assert_true(kind->load(problem, 0, &error));
    return problem;
}

/* A block per tile, blocks that divide tiles, and three blocks per tile. */
static void check_tiles(struct problem *problem, unsigned count)
{
    const unsigned blocks[] = {count, count > 1 ? count - 1 : 2, 3 * count};

    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        for (int later = 0; later <= (blocks[i] > count ? 1 : 0); later++) {
            forced.blocks = blocks[i];
            forced.added_later = later;
            forced.short_stage = i > 0;
            verify_forced(problem);
        }
}

static void test_tiles(void **state)
{
    static const size_t shapes[][3] = {{130, 132, 136}, {70, 259, 131}};
    (void)state;

    if (hopper_unavailable() != NULL)
        skip();
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const size_t m = shapes[s][0], n = shapes[s][1];
        struct problem *const problem = loaded_problem(&gemm_kind, m, n, shapes[s][2], (float)s);
        forced = (struct plan){.kind = BY_TILES, .copies_b = n % 4 != 0};
        for (forced.shape = 0; forced.shape < TILE_SHAPES; forced.shape++)
            check_tiles(problem, (unsigned)(ceil_of(m, tile_m[forced.shape]) *
                                            ceil_of(n, tile_n[forced.shape])));
        forced = (struct plan){.kind = BY_SMALL_TILES};
        for (forced.shape = 0; forced.shape < SMALL_SHAPES; forced.shape++)
            for (int copies = 0; copies <= 3; copies++) {
                forced.splits = copies % 2 == 0 ? 1 : 3;
                forced.copies_a = copies & 1;
                forced.copies_b = copies & 2;
                verify_forced(problem);
            }
        gemm_kind.destroy(problem);
    }
}

/* Rows for each of the kernels, with k in one part and in three. */
static void test_streams(void **state)
{
    static const size_t rows[] = {1, 15, 16, 17, 32};
    (void)state;

    if (hopper_unavailable() != NULL)
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct problem *const problem =
            loaded_problem(&gemm_kind, rows[i], 260, 420, (float)(i % 2));
        forced = (struct plan){.kind = BY_STREAM, .kept = 200 * 260};
        for (forced.splits = 1; forced.splits <= 3; forced.splits += 2)
            verify_forced(problem);
        gemm_kind.destroy(problem);
    }
}

/* A part of the large matrix that L2 keeps ends within its rows, or is none or all of it. */
static void test_few(void **state)
{
    static const size_t few[] = {1, 2, 3, 5, 16}, kept[] = {0, 5000, SIZE_MAX};
    (void)state;

    if (hopper_unavailable() != NULL)
        skip();
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++)
        for (int columns = 0; columns <= 1; columns++) {
            struct problem *const problem = loaded_problem(
                &gemm_kind, columns ? 130 + i : few[i], columns ? few[i] : 130 + 2 * i, 420 + i, 0);
            for (size_t j = 0; j < 3; j++) {
                forced = (struct plan){.kind = columns ? BY_FEW_COLUMNS : BY_FEW_ROWS,
                                       .splits = j == 1 ? 3 : 1,
                                       .kept = kept[j]};
                verify_forced(problem);
                if (i == 1 && forced.splits > 1)
                    verify_again(problem);
            }
            gemm_kind.destroy(problem);
        }
}

static void verify_bf16(struct problem *problem, struct bf16_plan plan)
{
    forced_bf16 = plan;
    verify_forced(problem);
}

/* Tiles of 128 rows, with rows that the TMA can load and with copies (test_tensor.c has the other
 * tiles). */
static void test_bf16_tiles(void **state)
{
    static const size_t shapes[][3] = {{136, 264, 328}, {270, 131, 203}};
    (void)state;

    if (hopper_unavailable() != NULL)
        skip();
    for (unsigned s = 0; s < 2; s++) {
        struct problem *const problem =
            loaded_problem(&gemm_bf16_kind, shapes[s][0], shapes[s][1], shapes[s][2], (float)s);
        for (unsigned way = BF16_TILE_64; way <= BF16_STREAM_K; way++)
            for (unsigned splits = 1; splits <= (way <= BF16_TILE_256 ? 3 : 1); splits += 2)
                verify_bf16(problem, (struct bf16_plan){.way = (enum bf16_way)way,
                                                        .splits = splits,
                                                        .copies_a = s == 1,
                                                        .copies_b = s == 1});
        gemm_bf16_kind.destroy(problem);
    }
}

/* The sums of all splits end 32 floats before the workspace does, on the CPU back end. The threads
 * beyond the end of the last row, 184 of them, must not load any. */
static void test_bf16_full_workspace(void **state)
{
    const size_t m = 2052, n = 584, splits = 7;
    (void)state;

    if (hopper_unavailable() != NULL || STEP_TEST_SANITIZED)
        skip();
    struct problem *const problem = loaded_problem(&gemm_bf16_kind, m, n, 64 * splits, 0);
    assert_true(m * n * splits + 32 == workspace_floats(1));
    verify_bf16(problem, (struct bf16_plan){.way = BF16_TILE_256, .splits = (unsigned)splits});
    gemm_bf16_kind.destroy(problem);
}

static void test_bf16_few(void **state)
{
    static const size_t few[] = {1, 8, 9, 16}, others[] = {200, 131}, terms[] = {264, 301};
    (void)state;

    if (hopper_unavailable() != NULL)
        skip();
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++)
        for (size_t j = 0; j < 2; j++) {
            struct problem *problem =
                loaded_problem(&gemm_bf16_kind, few[i], others[j], terms[j], (float)j);
            verify_bf16(problem, (struct bf16_plan){.way = BF16_FEW_ROWS, .splits = 1});
            gemm_bf16_kind.destroy(problem);
            problem = loaded_problem(&gemm_bf16_kind, others[j], few[i], terms[j], (float)j);
            verify_bf16(problem, (struct bf16_plan){.way = BF16_FEW_COLUMNS, .splits = 1});
            if (few[i] == 1)
                verify_bf16(problem, (struct bf16_plan){.way = BF16_VECTOR, .splits = 1});
            gemm_bf16_kind.destroy(problem);
        }

    /* So many terms that the blocks of a cluster share them. */
    struct problem *const problem = loaded_problem(&gemm_bf16_kind, 2, 72, 1064, 0);
    verify_bf16(problem, (struct bf16_plan){.way = BF16_FEW_ROWS, .splits = 1});
    gemm_bf16_kind.destroy(problem);
}

/* ---- plans of bfloat16 ----------------------------------------------------------------------- */

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
    double cycles;
    const struct bf16_plan plan = bf16_even_plan(call, pairs, &cycles);
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

/* What a plan of bfloat16 may ask of the workspace, and which ways a shape has. */
static void check_bf16_plan(const struct gemm *call)
{
    static const unsigned clusters[] = {0, 132, 66, 39, 30, 22, 17, 15, 15}; /* of an H200 */
    const struct bf16_plan plan = bf16_plan_of(call, clusters);
    const bool is_thin = plan.way == BF16_THIN;

    assert_true(plan.splits >= 1 && (plan.splits <= BF16_MOST_CLUSTER || !is_thin));
    assert_true(
        plan.splits == 1 || is_thin ||
        (plan.way <= BF16_TILE_256 && plan.splits * call->m * call->n <= bf16_plan_floats(call)));
    assert_true(plan.way != BF16_FITTED || (bf16_can_be_fitted(call) && plan.rows > 0));
    assert_true(plan.way != BF16_EVEN || bf16_can_be_even(call));
    assert_true(plan.way != BF16_FEW_ROWS || call->m <= 16);
    assert_true(plan.way != BF16_FEW_COLUMNS || call->n <= 16);
    assert_true(plan.way != BF16_VECTOR || call->n == 1);
    assert_true(plan.way >= BF16_FEW_ROWS || plan.copies_a || call->lda % 8 == 0);
    assert_true(plan.way >= BF16_FEW_ROWS || plan.copies_b || call->ldb % 8 == 0);
}

static void test_bf16_plans(void **state)
{
    static const size_t sizes[] = {1, 3, 8, 17, 64, 100, 777, 1024, 3000, 4097, 65536};
    static const struct {
        size_t m, n, k;
        enum bf16_way way;
    } certain[] = {
        {4096, 4096, 4096, BF16_EVEN},        {8192, 8192, 8192, BF16_EVEN},
        {4096, 1, 4096, BF16_VECTOR},         {5, (size_t)1 << 31, 3, BF16_FEW_ROWS},
        {(size_t)1 << 31, 70, 3, BF16_OTHER}, {50, 70, 0, BF16_OTHER},
    };
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    static const unsigned clusters[] = {0, 132, 66, 39, 30, 22, 17, 15, 15};
    (void)state;

    for (size_t i = 0; i < SIZES * SIZES * SIZES; i++) {
        struct gemm call = {.type = GEMM_BF16,
                            .m = sizes[i % SIZES],
                            .n = sizes[i / SIZES % SIZES],
                            .k = sizes[i / SIZES / SIZES],
                            .multiprocessors = 132};
        call.lda = call.k;
        call.ldb = call.ldc = call.n;
        check_bf16_plan(&call);
    }
    for (size_t i = 0; i < sizeof certain / sizeof certain[0]; i++) {
        const struct gemm call = {.type = GEMM_BF16,
                                  .m = certain[i].m,
                                  .n = certain[i].n,
                                  .k = certain[i].k,
                                  .lda = certain[i].k,
                                  .ldb = certain[i].n,
                                  .ldc = certain[i].n,
                                  .multiprocessors = 132};
        assert_int_equal(bf16_plan_of(&call, clusters).way, certain[i].way);
        assert_int_equal(bf16_plan_of(&call, NULL).way, BF16_OTHER);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plans),
                                       cmocka_unit_test(test_whole_waves),
                                       cmocka_unit_test(test_tiles),
                                       cmocka_unit_test(test_streams),
                                       cmocka_unit_test(test_few),
                                       cmocka_unit_test(test_bf16_tiles),
                                       cmocka_unit_test(test_bf16_full_workspace),
                                       cmocka_unit_test(test_bf16_few),
                                       cmocka_unit_test(test_even_plans),
                                       cmocka_unit_test(test_bf16_plans)};
    return cmocka_run_group_tests_name("07_gemm, plans", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
