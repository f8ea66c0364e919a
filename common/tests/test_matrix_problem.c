/* Tests that the matrix reduction judges correctly: right rungs pass for all shapes, and each fault
 * of a wrong rung is caught. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "files.h"
#include "judging.h"
#include "problem/matrix_reduction/matrix_reduction.h"
#include "problem/reduction/options.h"

/* ---- rungs ----------------------------------------------------------------------------------- */

enum fault {
    RIGHT,
    RIGHT_BACKWARDS,
    NO_OP, /* stale output */
    NAN_ELEMENT,
    LAST_ROW_SKIPPED,
    LAST_COLUMN_SKIPPED,
    ONE_ROW_TWICE,
    ONE_COLUMN_TWICE,
    LAST_RESULT_MISSING,
    TRANSPOSED, /* the results of the other axis */
    FIRST_RESULT_EVERYWHERE,
    STARTS_AT_0, /* also for max and min */
    NAN_DROPPED, /* as C's fmax and fmin do */
    SCALED,
    OFF_BY_ONE_UNIT,
    WRITES_PAST_END,
    WRITES_BEFORE_START,
    FAULTS
};

static const char *const fault_names[FAULTS] = {
    "right",        "right, backwards", "no-op",        "NaN element",  "last row skipped",
    "last column",  "one row twice",    "column twice", "last result",  "transposed",
    "first result", "starts at 0",      "NaN dropped",  "scaled by 1%", "off by one",
    "past the end", "before start",
};

static enum fault fault;
static enum matrix_axis axis;

static double element(const struct matrix_reduction *call, size_t i)
{
    return call->type == TYPE_F64 ? ((const double *)call->a)[i]
                                  : (double)((const float *)call->a)[i];
}

static void put(const struct matrix_reduction *call, ptrdiff_t i, double value)
{
    if (call->type == TYPE_F64)
        ((double *)call->result)[i] = value;
    else
        ((float *)call->result)[i] = (float)value;
}

static double combine(const struct matrix_reduction *call, double x, double y)
{
    if (call->op == OP_SUM)
        return call->type == TYPE_F64 ? x + y : (double)((float)x + (float)y);
    if (fault == NAN_DROPPED)
        return call->op == OP_MAX ? fmax(x, y) : fmin(x, y);
    if (isnan(x) || isnan(y))
        return (double)NAN;
    return call->op == OP_MAX ? fmax(x, y) : fmin(x, y);
}

static double identity(const struct matrix_reduction *call)
{
    if (call->op == OP_SUM || fault == STARTS_AT_0)
        return 0;
    return call->op == OP_MAX ? (double)-INFINITY : (double)INFINITY;
}

static double result_of(const struct matrix_reduction *call, size_t result)
{
    const bool rows = (axis == AXIS_ROWS) != (fault == TRANSPOSED);
    const size_t terms = rows ? call->columns : call->rows;
    double value = identity(call);

    for (size_t t = 0; t < terms; t++) {
        const size_t term = fault == RIGHT_BACKWARDS ? terms - 1 - t : t;
        const size_t row = rows ? result : term, column = rows ? term : result;
        const double x = element(call, row * call->columns + column);
        if (fault == LAST_ROW_SKIPPED && row == call->rows - 1)
            continue;
        if (fault == LAST_COLUMN_SKIPPED && column == call->columns - 1)
            continue;
        value = combine(call, value, x);
        if ((fault == ONE_ROW_TWICE && row == call->rows / 2) ||
            (fault == ONE_COLUMN_TWICE && column == call->columns / 2))
            value = combine(call, value, x);
    }
    return value;
}

static void reduce(const struct matrix_reduction *call)
{
    const size_t results = axis == AXIS_ROWS ? call->rows : call->columns;

    if (fault == NO_OP)
        return;
    for (size_t i = 0; i < results; i++) {
        const bool middle = i == results / 2;
        double value = result_of(call, fault == FIRST_RESULT_EVERYWHERE ? 0 : i);
        if (fault == NAN_ELEMENT && middle)
            value = (double)NAN;
        if (fault == SCALED)
            value *= 1.01;
        if (fault == OFF_BY_ONE_UNIT && middle)
            value += 1;
        if (!(fault == LAST_RESULT_MISSING && i == results - 1))
            put(call, (ptrdiff_t)i, value);
    }
    if (fault == WRITES_PAST_END)
        put(call, (ptrdiff_t)results, 0);
    if (fault == WRITES_BEFORE_START)
        put(call, -1, 0);
}

static double depth(const struct matrix_reduction *call)
{
    return (double)(axis == AXIS_ROWS ? call->columns : call->rows);
}

static const struct matrix_rung rung = {
    .rung = {.name = "reduce", .idea = "the definition"},
    .run = reduce,
    .depth = depth,
};

/* ---- helpers --------------------------------------------------------------------------------- */

/* A back end whose memory the problem must not treat as host memory: it must copy all data. */
static struct back_end copying_back_end;

static int set_up(void **state)
{
    (void)state;
    copying_back_end = cpu_back_end;
    copying_back_end.host_memory = false;
    return 0;
}

/* Reduces by rows, unless the test changes that. */
static struct reduction_options shape(size_t rows, size_t columns)
{
    axis = AXIS_ROWS;
    return (struct reduction_options){.base = {.seed = 1, .threads = 1},
                                      .m = rows,
                                      .n = columns,
                                      .op = OP_SUM,
                                      .type = TYPE_NOT_GIVEN};
}

static struct judged judged_on(const struct back_end *back_end)
{
    return (struct judged){.kind = axis == AXIS_ROWS ? &row_reduction_kind : &column_reduction_kind,
                           .rung = &rung.rung,
                           .back_end = back_end};
}

static struct problem *create(const struct reduction_options *options,
                              const struct back_end *back_end)
{
    const struct judged judged = judged_on(back_end);
    struct problem *const problem = judged_problem(&judged, &options->base);

    assert_int_equal(problem->probes, options->op == OP_SUM ? 1 : 3);
    return problem;
}

static struct comparison verdict(struct problem *problem, size_t input, enum fault with)
{
    const struct judged judged = judged_on(problem->back_end);

    fault = with;
    return judged_verdict(&judged, problem, input);
}

static void assert_right(const struct reduction_options *options, const struct back_end *back_end,
                         enum fault with)
{
    const struct judged judged = judged_on(back_end);

    fault = with;
    assert_judged_right(&judged, &options->base, fault_names[with]);
}

/* A probe or the real data must show the fault. */
static void assert_caught(const struct reduction_options *options, enum fault with)
{
    const struct judged judged = judged_on(&cpu_back_end);

    fault = with;
    assert_judged_wrong(&judged, &options->base, ANY_INPUT, fault_names[with]);
}

static void assert_refused(const struct reduction_options *options, enum exit_code code,
                           const char *text)
{
    const struct judged judged = judged_on(&cpu_back_end);
    assert_judged_refused(&judged, &options->base, code, text);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_right_at_all_shapes(void **state)
{
    static const size_t shapes[][2] = {{0, 0},   {0, 5},    {5, 0},   {1, 1},   {1, 9},
                                       {9, 1},   {2, 3},    {31, 33}, {1, 257}, {257, 1},
                                       {64, 64}, {3, 1025}, {70, 2},  {4099, 3}};
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int which = AXIS_ROWS; which <= AXIS_COLUMNS; which++)
            for (int op = OP_SUM; op <= OP_MIN; op++)
                for (int type = TYPE_F32; type <= TYPE_F64; type++)
                    for (size_t offset = 0; offset <= 1; offset++) {
                        struct reduction_options options = shape(shapes[s][0], shapes[s][1]);
                        axis = (enum matrix_axis)which;
                        options.op = op;
                        options.type = type;
                        options.base.offset = offset;
                        assert_right(&options, &cpu_back_end, RIGHT);
                        assert_right(&options, &copying_back_end, RIGHT_BACKWARDS);
                    }
}

static bool applies(enum fault with, const struct reduction_options *options)
{
    const bool sum = options->op == OP_SUM;
    const size_t results = axis == AXIS_ROWS ? options->m : options->n;

    switch (with) {
    case RIGHT:
    case RIGHT_BACKWARDS:
    case NAN_DROPPED: /* needs a NaN: tested below */
        return false;
    case ONE_ROW_TWICE: /* does not change an extremum */
    case ONE_COLUMN_TWICE:
        return sum;
    case STARTS_AT_0:
        return !sum;
    case TRANSPOSED:
        return options->m == options->n && options->m > 1;
    case FIRST_RESULT_EVERYWHERE:
        return results > 1;
    default:
        return true;
    }
}

static void test_faults_are_caught(void **state)
{
    static const size_t shapes[][2] = {{1, 1},   {4, 4},   {1, 7},  {7, 1},
                                       {33, 31}, {64, 64}, {3, 300}};
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int which = AXIS_ROWS; which <= AXIS_COLUMNS; which++)
            for (int op = OP_SUM; op <= OP_MIN; op++)
                for (int type = TYPE_F32; type <= TYPE_F64; type++)
                    for (enum fault with = RIGHT; with < FAULTS; with++) {
                        struct reduction_options options = shape(shapes[s][0], shapes[s][1]);
                        axis = (enum matrix_axis)which;
                        options.op = op;
                        options.type = type;
                        if (applies(with, &options))
                            assert_caught(&options, with);
                    }
}

/* A row without elements must still get the operator's identity. */
static void test_empty_rows(void **state)
{
    struct reduction_options options = shape(5, 0);
    (void)state;

    assert_caught(&options, NO_OP);
    assert_caught(&options, LAST_RESULT_MISSING);
    options.op = OP_MAX;
    assert_caught(&options, STARTS_AT_0);
    options = shape(0, 5);
    axis = AXIS_COLUMNS;
    options.op = OP_MIN;
    assert_caught(&options, NO_OP);
    assert_caught(&options, STARTS_AT_0);
}

static void test_report_names_the_result(void **state)
{
    struct reduction_options options = shape(9, 7);
    (void)state;

    axis = AXIS_ROWS;
    struct problem *problem = create(&options, &cpu_back_end);
    for (size_t input = 0; input <= 1; input++)
        assert_non_null(strstr(verdict(problem, input, OFF_BY_ONE_UNIT).where, "row 4: got "));
    assert_non_null(strstr(verdict(problem, 0, NO_OP).where, "row 0: got nan"));
    problem->kind->destroy(problem);

    for (int type = TYPE_F32; type <= TYPE_F64; type++) {
        options.type = type;
        axis = AXIS_COLUMNS;
        problem = create(&options, &cpu_back_end);
        assert_non_null(strstr(verdict(problem, 0, OFF_BY_ONE_UNIT).where, "column 3: got "));
        assert_non_null(
            strstr(verdict(problem, 0, WRITES_PAST_END).where, "0 elements past its end"));
        assert_non_null(
            strstr(verdict(problem, 1, WRITES_BEFORE_START).where, "1 elements before it"));
        problem->kind->destroy(problem);
    }
}

static void test_facts(void **state)
{
    struct reduction_options options = shape(3, 5);
    (void)state;

    struct problem *problem = create(&options, &cpu_back_end);
    assert_string_equal(problem->op, "row_sum");
    assert_string_equal(problem->type, "f32");
    assert_string_equal(problem->shape, "3x5");
    assert_true(problem->bytes == 4 * (15 + 3) && problem->flops == 15);
    assert_false(problem->is_scalar);
    problem->kind->destroy(problem);

    axis = AXIS_COLUMNS;
    options.op = OP_MAX;
    options.type = TYPE_F64;
    problem = create(&options, &cpu_back_end);
    assert_string_equal(problem->op, "column_max");
    assert_string_equal(problem->type, "f64");
    assert_true(problem->bytes == 8 * (15 + 5));
    problem->kind->destroy(problem);
}

/* ---- the user's data ------------------------------------------------------------------------- */

static void test_file(void **state)
{
    static const float data[6] = {1, NAN, -2, INFINITY, -INFINITY, 4};
    struct reduction_options options = shape(0, 0);
    char *const path = npy_temporary("(3, 2)", data, 6);
    (void)state;

    options.base.a = path;
    for (int which = AXIS_ROWS; which <= AXIS_COLUMNS; which++)
        for (int op = OP_SUM; op <= OP_MIN; op++) {
            axis = (enum matrix_axis)which;
            options.op = op;
            struct problem *problem = create(&options, &cpu_back_end);
            assert_string_equal(problem->shape, "3x2");
            problem->kind->destroy(problem);
            assert_right(&options, &cpu_back_end, RIGHT);
            if (op != OP_SUM)
                assert_caught(&options, NAN_DROPPED);
        }
    npy_remove(path);
}

static void test_refused(void **state)
{
    static const float data[6] = {0};
    struct reduction_options options = shape(1, 1);
    char *const path = npy_temporary("(3, 2)", data, 6);
    (void)state;

    options.base.a = path;
    options.type = TYPE_F64;
    assert_refused(&options, EXIT_FILE_ERROR, "but --type is f64");
    options.base.a = "/nonexistent.npy";
    assert_refused(&options, EXIT_FILE_ERROR, "/nonexistent.npy");
    npy_remove(path);

    options = shape(SIZE_MAX, SIZE_MAX);
    assert_refused(&options, EXIT_DEVICE_ERROR, "out of memory");
    options = shape((size_t)1 << 31, (size_t)1 << 31);
    assert_refused(&options, EXIT_DEVICE_ERROR, "out of memory");
    options = shape(SIZE_MAX, 0);
    assert_refused(&options, EXIT_DEVICE_ERROR, "out of memory");
    axis = AXIS_COLUMNS;
    options = shape(0, SIZE_MAX / 4 + 1);
    axis = AXIS_COLUMNS;
    assert_refused(&options, EXIT_DEVICE_ERROR, "out of memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_at_all_shapes),
        cmocka_unit_test(test_faults_are_caught),
        cmocka_unit_test(test_empty_rows),
        cmocka_unit_test(test_report_names_the_result),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("matrix_problem", tests, set_up, NULL);
}
/* SPDX-License-Identifier: MIT */
