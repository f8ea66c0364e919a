/* Rows and columns of a matrix: tests every rung at shapes where such kernels often fail, and on
 * data with known answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/verify.h"
#include "problem/matrix_reduction/matrix_reduction.h"
#include "problem/reduction/options.h"
#include "step_test.h"

static struct machine machine;

static int open_machine(void **state)
{
    struct error error;
    (void)state;
    if (!step.ladders[0]->back_end->open(0, &machine, &error))
        fail_msg("%s", error.text);
    return 0;
}

/* The first ladders of the step are vectors, rows and columns. */
static const struct ladder *ladder_of(enum matrix_axis axis)
{
    return step.ladders[axis == AXIS_ROWS ? 1 : 2];
}

/* ---- the problem's own inputs ---------------------------------------------------------------- */

/* The number of threads that a rung starts per result, if that number is fixed. */
static size_t threads_a_result(const char *rung)
{
    static const struct {
        const char *rung;
        size_t threads;
    } fixed[] = {{"row_warp", 32},          {"row_block", 256},      {"row_vectorized", 256},
                 {"row_in_flight", 256},    {"column_block", 256},   {"column_tile", 16},
                 {"column_vectorized", 16}, {"column_in_flight", 16}};

    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (strcmp(rung, fixed[i].rung) == 0)
            return fixed[i].threads;
    return 1;
}

/* Many threads for few elements take long to emulate, so only one test has such shapes. */
static bool is_slow(const struct rung *rung, enum matrix_axis axis,
                    const struct reduction_options *options)
{
    const size_t results = axis == AXIS_ROWS ? options->m : options->n;
    return results * threads_a_result(rung->name) > 100 * 256;
}

/* Runs every rung of the table on the probes and on random data. */
static void verify(enum matrix_axis axis, const struct reduction_options *options)
{
    const struct ladder *table = ladder_of(axis);
    struct error error;
    struct problem *problem =
        table->kind->create(&options->base, table->back_end, &machine, &error);

    if (problem == NULL)
        fail_msg("%s", error.text);
    const size_t last = step_test_last_input(problem);
    for (size_t input = step_test_first_input(problem); input <= last; input++) {
        if (!problem->kind->load(problem, input, &error))
            fail_msg("%s", error.text);
        for (size_t i = 0; i < ladder_rung_count(table); i++) {
            const struct rung *rung = ladder_rung(table, i);
            struct comparison comparison;

            if (is_slow(rung, axis, options) || problem->kind->declines(problem, rung) != NULL)
                continue;
            if (!verify_rung(problem, rung, &comparison, &error))
                fail_msg("%s, %s %s %s: %s", rung->name, problem->op, problem->type, problem->shape,
                         error.text);
            if (!comparison.right)
                fail_msg("%s, %s %s %s, input %zu, offset %zu: %s; error %g, bound %g", rung->name,
                         problem->op, problem->type, problem->shape, input, options->base.offset,
                         comparison.where, comparison.error, comparison.bound);
        }
    }
    problem->kind->destroy(problem);
}

static struct reduction_options options_of(size_t rows, size_t columns)
{
    return (struct reduction_options){
        .base = {.seed = 1, .threads = 1}, .m = rows, .n = columns, .op = OP_SUM};
}

static void verify_both(size_t rows, size_t columns, enum reduce_op op, enum element_type type,
                        size_t offset)
{
    for (int axis = AXIS_ROWS; axis <= AXIS_COLUMNS; axis++) {
        struct reduction_options options = options_of(rows, columns);
        options.op = op;
        options.type = type;
        options.base.offset = offset;
        verify((enum matrix_axis)axis, &options);
    }
}

/* Sizes around those of warps, blocks, packs and tiles. */
static const size_t sides[] = {0, 1, 2, 5, 31, 32, 33, 257, 1025};
enum { SIDES = sizeof sides / sizeof sides[0] };

static void test_edge_shapes(void **state)
{
    (void)state;
    for (size_t r = 0; r < SIDES; r++)
        for (size_t c = 0; c < SIDES; c++)
            if (sides[r] * sides[c] <= 10000)
                verify_both(sides[r], sides[c], OP_SUM, TYPE_F32, 0);
}

static void test_operators_types_and_alignment(void **state)
{
    static const size_t shapes[][2] = {{0, 3},  {3, 0},   {1, 1},    {1, 33},  {33, 1}, {5, 4},
                                       {7, 31}, {32, 32}, {9, 1025}, {257, 8}, {70, 6}};
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int op = OP_SUM; op <= OP_MIN; op++)
            for (int type = TYPE_F32; type <= TYPE_F64; type++)
                verify_both(shapes[s][0], shapes[s][1], (enum reduce_op)op, (enum element_type)type,
                            (s + (size_t)op + (size_t)type) % 2);
}

/* These matrices are so wide or so tall that a row or a column is spread over several blocks. */
static void test_second_stage(void **state)
{
    static const size_t shapes[][2] = {{1, 65537}, {3, 13001}, {2, 32768}, {65537, 1}, {13001, 3},
                                       {9001, 12}, {700, 260}, {1, 4096},  {2, 4095},  {2, 8193}};
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        verify_both(shapes[s][0], shapes[s][1], OP_SUM, TYPE_F32, 0);
        verify_both(shapes[s][0], shapes[s][1], OP_MAX, TYPE_F32, 1);
        verify_both(shapes[s][0], shapes[s][1], OP_SUM, TYPE_F64, s % 2);
    }
}

/* On a GPU of one multiprocessor there are few blocks, and each has several rounds. */
static void test_many_rounds(void **state)
{
    static const size_t shapes[][2] = {{20001, 3}, {3, 60001}, {30011, 1}, {5500, 24}};
    const int processors = machine.processors;
    (void)state;

    machine.processors = 1;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        verify_both(shapes[s][0], shapes[s][1], OP_SUM, TYPE_F32, s % 2);
        verify_both(shapes[s][0], shapes[s][1], OP_MAX, TYPE_F64, 0);
    }
    machine.processors = processors;
}

/* ---- known answers --------------------------------------------------------------------------- */

/* Runs a rung on a matrix of floats (TYPE_F32) or doubles and writes its results to `out`. Returns
 * false if the rung declines. */
static bool reduce(enum matrix_axis axis, const struct matrix_rung *rung, enum reduce_op op,
                   enum element_type type, const void *a, size_t rows, size_t columns, void *out)
{
    const struct back_end *back_end = step.ladders[0]->back_end;
    const size_t size = element_size(type);
    const size_t results = axis == AXIS_ROWS ? rows : columns;
    const size_t workspace_bytes = (size_t)machine.processors * MATRIX_WORKSPACE;
    struct error error;

    void *const placed = back_end->allocate(rows * columns * size, &error);
    struct matrix_reduction call = {
        .op = op,
        .type = type,
        .rows = rows,
        .columns = columns,
        .a = placed,
        .result = back_end->allocate(results * size, &error),
        .workspace = back_end->allocate(workspace_bytes, &error),
        .workspace_bytes = workspace_bytes,
        .multiprocessors = machine.processors,
        .threads = 1,
    };
    if (placed == NULL || call.result == NULL || call.workspace == NULL ||
        !back_end->upload(placed, a, rows * columns * size, &error) ||
        !back_end->fill(call.result, 0xFF, results * size, &error))
        fail_msg("%s", error.text);
    const bool runs = rung->declines == NULL || rung->declines(&call) == NULL;
    if (runs)
        rung->run(&call);
    if (!back_end->finish(&error) || !back_end->download(out, call.result, results * size, &error))
        fail_msg("%s: %s", rung->rung.name, error.text);
    back_end->release(placed);
    back_end->release(call.result);
    back_end->release(call.workspace);
    return runs;
}

/* A grid of so many blocks takes seconds to emulate, so only row_block runs it. */
static bool has_grid_of_row_block(const struct rung *rung)
{
    return strcmp(rung->name, "row_vectorized") == 0 || strcmp(rung->name, "row_in_flight") == 0;
}

/* Runs all rungs of both axes on a matrix of floats. Result number i must be rows_want[i] or
 * columns_want[i]. If NaN is expected, the result must be NaN. */
static void expect(enum reduce_op op, const float *a, size_t rows, size_t columns,
                   const double *rows_want, const double *columns_want)
{
    for (int axis = AXIS_ROWS; axis <= AXIS_COLUMNS; axis++) {
        const struct ladder *table = ladder_of((enum matrix_axis)axis);
        const double *const want = axis == AXIS_ROWS ? rows_want : columns_want;
        const size_t results = axis == AXIS_ROWS ? rows : columns;
        float *const got = malloc((results + 1) * sizeof *got);

        assert_non_null(got);
        for (size_t i = 0; i < ladder_rung_count(table); i++) {
            if (results > 10000 && has_grid_of_row_block(ladder_rung(table, i)))
                continue;
            if (!reduce((enum matrix_axis)axis, (const struct matrix_rung *)ladder_rung(table, i),
                        op, TYPE_F32, a, rows, columns, got))
                continue;
            for (size_t r = 0; r < results; r++)
                if ((double)got[r] != want[r] && !(isnan(got[r]) && isnan(want[r])))
                    fail_msg("%s: result %zu is %g, not %g", ladder_rung(table, i)->name, r,
                             (double)got[r], want[r]);
        }
        free(got);
    }
}

static void test_small_matrix(void **state)
{
    static const float a[] = {1, 2, 3, 4, 5, 6}; /* 2 x 3 */
    static const double row_sums[] = {6, 15}, column_sums[] = {5, 7, 9};
    static const double row_maxima[] = {3, 6}, column_maxima[] = {4, 5, 6};
    static const double row_minima[] = {1, 4}, column_minima[] = {1, 2, 3};
    (void)state;

    expect(OP_SUM, a, 2, 3, row_sums, column_sums);
    expect(OP_MAX, a, 2, 3, row_maxima, column_maxima);
    expect(OP_MIN, a, 2, 3, row_minima, column_minima);
}

/* Element (r, c) is r + c, so sums and maxima have closed forms in both directions. */
static void test_counting_matrix(void **state)
{
    enum { ROWS = 67, COLUMNS = 130 };
    static float a[ROWS * COLUMNS];
    static double row_sums[ROWS], column_sums[COLUMNS], row_maxima[ROWS], column_maxima[COLUMNS];
    (void)state;

    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            a[r * COLUMNS + c] = (float)(r + c);
    for (int r = 0; r < ROWS; r++) {
        row_sums[r] = COLUMNS * r + COLUMNS * (COLUMNS - 1) / 2;
        row_maxima[r] = r + COLUMNS - 1;
    }
    for (int c = 0; c < COLUMNS; c++) {
        column_sums[c] = ROWS * c + ROWS * (ROWS - 1) / 2;
        column_maxima[c] = c + ROWS - 1;
    }
    expect(OP_SUM, a, ROWS, COLUMNS, row_sums, column_sums);
    expect(OP_MAX, a, ROWS, COLUMNS, row_maxima, column_maxima);
}

/* There are more rows, or columns, than a grid can have blocks in y. */
static void test_more_results_than_blocks_in_y(void **state)
{
    enum { MANY = 65539 };
    static float a[MANY];
    static double each[MANY];
    static const double all[1] = {MANY - 1};
    (void)state;

    for (int i = 0; i < MANY; i++) {
        a[i] = (float)i;
        each[i] = i;
    }
    expect(OP_MAX, a, MANY, 1, each, all);
    expect(OP_MAX, a, 1, MANY, all, each);
}

/* The results of rows without columns, and of columns without rows, are the identity. */
static void test_empty(void **state)
{
    static const float a[1] = {0};
    static const double zeros[40] = {0};
    double lowest[40], highest[40];
    (void)state;

    for (int i = 0; i < 40; i++) {
        lowest[i] = (double)-INFINITY;
        highest[i] = (double)INFINITY;
    }
    for (size_t side = 0; side <= 40; side += 20) {
        expect(OP_SUM, a, side, 0, zeros, zeros);
        expect(OP_MAX, a, side, 0, lowest, lowest);
        expect(OP_MIN, a, 0, side, highest, highest);
    }
}

/* A NaN or an infinity, at any place, changes only the results of its row and its column. */
static void test_nan_and_infinity(void **state)
{
    enum { ROWS = 70, COLUMNS = 133 };
    static const size_t places[][2] = {
        {0, 0}, {ROWS - 1, COLUMNS - 1}, {0, COLUMNS - 1}, {ROWS - 1, 0}, {33, 64}, {1, 3}};
    static float a[ROWS * COLUMNS];
    static double of_rows[ROWS], of_columns[COLUMNS];
    (void)state;

    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
        for (int op = OP_SUM; op <= OP_MIN; op++)
            for (int special = 0; special <= 1; special++) {
                if (STEP_TEST_SANITIZED && (op != OP_SUM || special == 1))
                    continue; /* the same accesses */
                const float value = special == 0 ? NAN : INFINITY;
                const size_t row = places[p][0], column = places[p][1];
                for (size_t i = 0; i < ROWS * COLUMNS; i++)
                    a[i] = 1;
                for (size_t r = 0; r < ROWS; r++)
                    of_rows[r] = op == OP_SUM ? COLUMNS : 1;
                for (size_t c = 0; c < COLUMNS; c++)
                    of_columns[c] = op == OP_SUM ? ROWS : 1;
                a[row * COLUMNS + column] = value;
                if (special == 0 || op != OP_MIN)
                    of_rows[row] = of_columns[column] = (double)value;
                expect((enum reduce_op)op, a, ROWS, COLUMNS, of_rows, of_columns);
            }
}

/* The top rungs guarantee the same bits every time. */
static void test_repeatable(void **state)
{
    enum { ROWS = 9001, COLUMNS = 5, TIMES = 3 };
    float *const a = malloc(sizeof(float) * ROWS * COLUMNS);
    float *const first = malloc(sizeof(float) * ROWS), *const again = malloc(sizeof(float) * ROWS);
    (void)state;

    assert_true(a != NULL && first != NULL && again != NULL);
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++)
        a[i] = 1 / (float)(i + 1);
    for (int axis = AXIS_ROWS; axis <= AXIS_COLUMNS; axis++) {
        const struct ladder *table = ladder_of((enum matrix_axis)axis);
        const struct matrix_rung *top =
            (const struct matrix_rung *)ladder_rung(table, ladder_rung_count(table) - 1);
        const size_t rows = axis == AXIS_ROWS ? COLUMNS : ROWS; /* few results, many terms */
        const size_t columns = axis == AXIS_ROWS ? ROWS : COLUMNS;
        reduce((enum matrix_axis)axis, top, OP_SUM, TYPE_F32, a, rows, columns, first);
        for (int i = 0; i < TIMES; i++) {
            reduce((enum matrix_axis)axis, top, OP_SUM, TYPE_F32, a, rows, columns, again);
            assert_memory_equal(first, again, COLUMNS * sizeof(float));
        }
    }
    free(a);
    free(first);
    free(again);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest large[] = {cmocka_unit_test(test_more_results_than_blocks_in_y)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edge_shapes),  cmocka_unit_test(test_operators_types_and_alignment),
        cmocka_unit_test(test_second_stage), cmocka_unit_test(test_many_rounds),
        cmocka_unit_test(test_small_matrix), cmocka_unit_test(test_counting_matrix),
        cmocka_unit_test(test_empty),        cmocka_unit_test(test_nan_and_infinity),
        cmocka_unit_test(test_repeatable),
    };
    (void)arguments;
    if (count > 1)
        return cmocka_run_group_tests_name("06_gpu_warp_shuffle, large matrices", large,
                                           open_machine, NULL);
    return cmocka_run_group_tests_name("06_gpu_warp_shuffle, matrices", tests, open_machine, NULL);
}
/* SPDX-License-Identifier: MIT */
