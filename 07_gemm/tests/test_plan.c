/* any_shape: the plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "any_shape/bfloat16/plan.h"
#include "any_shape/float32/plan.h"
#include "any_shape/float32/times.h"
#include "bfloat16/parts/even_plan.h"
#include "parts/workspace.h"
#include "problem/gemm/gemm.h"

static const unsigned tile_m[TILE_SHAPES] = {128, 128, 128, 128, 128, 64};
static const unsigned tile_n[TILE_SHAPES] = {256, 192, 160, 128, 96, 128};

static void check_tiles_plan(const struct gemm *call, const struct plan *plan)
{
    assert_true(plan->rows >= call->m - call->m % tile_m[plan->shape] && plan->rows <= call->m);
    assert_true(plan->columns >= call->n - call->n % tile_n[plan->shape] &&
                plan->columns <= call->n);
    assert_true(call->m - plan->rows <= MOST_FEW && call->n - plan->columns <= MOST_FEW);
    assert_true(plan->blocks >= 1 && plan->blocks <= (unsigned)call->multiprocessors);
    assert_true(plan->copies_b == ((uintptr_t)call->b % 16 != 0 || call->ldb % 4 != 0));
}

/* Checks that the workspace holds the parts of so many tiles of C, and a flag per tile. */
static void check_splits(const struct gemm *call, unsigned splits, size_t tiles, size_t elements)
{
    if (splits > 1) {
        assert_true(tiles <= WORKSPACE_FLAGS);
        assert_true(tiles * splits * elements <= workspace_floats((size_t)call->multiprocessors));
    }
}

/* Checks that a plan computes all of C, with no more than the workspace has. */
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
    case BY_SMALL_TILES:
        assert_false(plan->copies_b);
        const unsigned m = plan_small_tiles[plan->shape].m, n = plan_small_tiles[plan->shape].n;
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

/* Products that fill two or more whole waves with whole tiles need no other plan. */
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

/* ---- plans of bfloat16 ----------------------------------------------------------------------- */

/* The rows that the busiest block of even_waves computes, or the busiest pair. */
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

/* Checks that no other number of high columns is better, with low tiles of either height. */
static void check_even_plan(const struct gemm *call, bool pairs)
{
    static const unsigned low_rows[] = {208, 232};
    double cycles;
    const struct bf16_plan plan = bf16_even_plan(call, pairs, &cycles);
    const size_t width = EVEN_COLUMNS * (pairs ? 2U : 1U);
    const size_t columns = (call->n + width - 1) / width, planned = most_rows(call, &plan);
    struct bf16_plan other = plan;

    other.high_columns++; /* no tile is low without need */
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
    assert_true(isinf(cycles)); /* one multiprocessor has no room for a pair */
}

/* Checks what a bfloat16 plan needs of the workspace, and that its way suits the shape. */
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans), cmocka_unit_test(test_whole_waves),
        cmocka_unit_test(test_even_plans), cmocka_unit_test(test_bf16_plans)};
    return cmocka_run_group_tests_name("07_gemm, plans", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
