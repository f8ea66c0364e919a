/* How the work on rows and columns is divided. Every element must be in one part. What the parts
 * leave for the second launch must fit into the workspace and into a grid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "matrix_plan.h"

/* Random shapes of every magnitude, on GPUs with little or much memory for results. */
static struct matrix_reduction random_call(uint64_t *state)
{
    uint64_t random[5];

    for (unsigned i = 0; i < 5; i++) {
        *state = *state * 6364136223846793005U + 1442695040888963407U;
        random[i] = *state >> 33;
    }
    const enum element_type type = random[0] % 2 == 0 ? TYPE_F32 : TYPE_F64;
    const struct matrix_reduction call = {
        .type = type,
        .rows = 1 + random[1] % ((size_t)1 << (1 + random[3] % 22)),
        .columns = 1 + random[2] % ((size_t)1 << (1 + random[3] / 32 % 28)),
        .workspace_bytes = (size_t)256 << random[4] % 16,
        .multiprocessors = 1 + (int)(random[4] / 16 % 200),
    };
    return call;
}

static void check_rows(const struct matrix_reduction *call)
{
    const struct row_plan plan = row_plan_split(call);

    if (plan.lanes > 0) {
        assert_true(plan.lanes >= 1 && plan.lanes <= WARP_SIZE);
        assert_true(plan.grid > 0);
        return;
    }
    assert_true(plan.pieces > 0);
    assert_true(plan.pieces * plan.piece_length >= call->columns);
    assert_true((plan.pieces - 1) * plan.piece_length < call->columns);
    if (plan.pieces == 1)
        return;
    assert_true(plan.piece_length * element_size(call->type) % 128 == 0);
    assert_true(plan.pieces <= MOST_BLOCKS_IN_Y);
    assert_true(plan.pieces * call->rows * element_size(call->type) <= call->workspace_bytes);
}

static void check_columns(const struct matrix_reduction *call)
{
    const struct column_plan plan = column_plan_split(call);

    assert_true(plan.splits > 0 && plan.splits <= MOST_BLOCKS_IN_Y);
    assert_true(plan.splits * plan.rows_per_block >= call->rows);
    assert_true((plan.splits - 1) * plan.rows_per_block < call->rows);
    assert_true((size_t)plan.tiles * plan.width * plan.count >= call->columns);
    assert_true(plan.width <= COLUMN_BLOCK);
    if (plan.splits > 1)
        assert_true(plan.splits * call->columns * element_size(call->type) <=
                    call->workspace_bytes);
}

static void test_parts(void **state)
{
    uint64_t random = 1;
    (void)state;

    for (unsigned i = 0; i < 20000; i++) {
        const struct matrix_reduction call = random_call(&random);
        check_rows(&call);
        check_columns(&call);
    }
}

/* With one row more than a block reads at once, that row goes to another block. */
static void test_last_row(void **state)
{
    enum { ROWS = COLUMN_BLOCK / WARP_SIZE * COLUMN_PACKS_IN_FLIGHT };
    struct matrix_reduction call = {
        .type = TYPE_F32,
        .rows = ROWS + 1,
        .columns = WARP_SIZE * 4,
        .workspace_bytes = 1 << 20,
        .multiprocessors = 100,
    };
    (void)state;

    assert_int_equal(column_plan_split(&call).splits, 2);
    call.rows = ROWS;
    assert_int_equal(column_plan_split(&call).splits, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_last_row)};
    return cmocka_run_group_tests_name("06_gpu_warp_shuffle, plans of rows and columns", tests,
                                       NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
