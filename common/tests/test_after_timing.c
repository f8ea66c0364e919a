/* Tests of the verification after timing. It must catch rungs that do nothing once they have been
 * verified, rungs that are right only for the size asked for, results that were never written, and
 * rates that the machine cannot reach. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"
#include "device/guarded.h"
#include "files.h"
#include "judging.h"
#include "measure/result.h"
#include "problem/conv/conv.h"
#include "problem/conv/options.h"
#include "problem/gemm/gemm.h"
#include "problem/gemm/options.h"
#include "problem/matrix_reduction/matrix_reduction.h"
#include "problem/reduction/options.h"
#include "problem/reduction/reduction.h"
#include "run/step.h"

static int calls, right_calls;
static size_t unit; /* elements past the last multiple of this are left out */

/* Computes the sum in float for the first right_calls calls, then does nothing. */
static void idle_later(const struct reduction *call)
{
    const float *const a = call->a;
    float sum = 0;

    if (++calls > right_calls)
        return;
    for (size_t i = 0; i < call->n / unit * unit; i++)
        sum += a[i];
    *(float *)call->result = sum;
}

static const char *wants_floats(const struct reduction *call)
{
    return call->type == TYPE_F32 ? NULL : "wants floats";
}

/* Runs a step with these rungs. Its output goes to a file. */
static int run_ladder(const struct reduction_rung *rungs, size_t count, char **arguments,
                      const char *printed)
{
    const struct ladder ladder = {.idea = "a test",
                                  .kind = &reduction_kind,
                                  .back_end = &cpu_back_end,
                                  .rungs = rungs,
                                  .rung_size = sizeof *rungs,
                                  .rung_count = count};
    const struct ladder *const ladders[] = {&ladder};
    const struct step step = {.name = "test_step", .ladders = ladders, .ladder_count = 1};
    int argument_count = 0;

    while (arguments[argument_count] != NULL)
        argument_count++;
    output_redirect(printed);
    const int code = rungs_main(argument_count, arguments, &step);
    output_restore();
    return code;
}

/* Runs a step with one rung and one additional option. The caller frees *csv and *output. */
static int run_step(unsigned flags, char *option, char **csv, char **output)
{
    const struct reduction_rung rung = {.rung = {.name = "idle", .idea = "", .flags = flags},
                                        .run = idle_later,
                                        .depth = depth_serial,
                                        .ops = RUNG_OP(OP_SUM),
                                        .declines = wants_floats};
    char folder[PATH_SIZE], path[PATH_SIZE], printed[PATH_SIZE];
    char *arguments[] = {"test_step", "--op", "sum",   "--n", "1000", "--reps", "3",
                         "--warmup",  "0",    "--csv", path,  option, NULL};

    calls = 0;
    folder_create(folder);
    path_join(path, folder, "rows.csv");
    path_join(printed, folder, "output");
    const int code = run_ladder(&rung, 1, arguments, printed);
    *csv = file_read(path);
    *output = file_read(printed);
    folder_remove(folder);
    return code;
}

/* The rung is right on the probe and the data, as verified before timing. Then it does nothing. */
static void the_last_call_is_verified(void **state)
{
    char *csv, *output, field[PATH_SIZE];
    (void)state;

    right_calls = 2;
    unit = 1;
    assert_int_equal(run_step(0, NULL, &csv, &output), EXIT_WRONG_RESULT);
    csv_named(csv, 1, "verdict", field);
    assert_string_equal(field, "fail");
    assert_non_null(strstr(output, "in the last call after timing: got nan"));
    free(csv);
    free(output);

    right_calls = 1 << 30;
    assert_int_equal(run_step(0, NULL, &csv, &output), EXIT_ALL_VERIFIED);
    free(csv);
    free(output);

    /* A lesson may be wrong at any time. */
    right_calls = 2;
    assert_int_equal(run_step(RUNG_LESSON, NULL, &csv, &output), EXIT_ALL_VERIFIED);
    csv_named(csv, 1, "verdict", field);
    assert_string_equal(field, "racy");
    free(csv);
    free(output);
}

/* The rung is right for the 1000 elements asked for, a multiple of 8, but it leaves out a tail. */
static void small_problems_have_tails(void **state)
{
    char *csv, *output, field[PATH_SIZE];
    (void)state;

    right_calls = 1 << 30;
    unit = 8;
    assert_int_equal(run_step(0, NULL, &csv, &output), EXIT_WRONG_RESULT);
    csv_named(csv, 1, "verdict", field);
    assert_string_equal(field, "fail");
    csv_named(csv, 1, "median_us", field);
    assert_string_equal(field, "");
    assert_non_null(strstr(output, "idle: with sum f32 1003: got "));
    free(csv);
    free(output);

    char skip[] = "--skip-small";
    assert_int_equal(run_step(0, skip, &csv, &output), EXIT_ALL_VERIFIED);
    free(csv);
    free(output);
    assert_int_equal(run_step(RUNG_LESSON, NULL, &csv, &output), EXIT_ALL_VERIFIED);
    free(csv);
    free(output);
}

/* Right for the 1000 elements asked for. For other sizes it is wrong by less than the bound for
 * numbers that need rounding. */
static void nearly_whole(const struct reduction *call)
{
    const float *const a = call->a;
    double sum = 0;

    for (size_t i = 0; i < call->n; i++)
        sum += a[i];
    *(float *)call->result = call->n == 1000 ? (float)sum : nextafterf((float)sum, INFINITY);
}

/* For other sizes, right for whole numbers only. */
static void only_whole(const struct reduction *call)
{
    const float *const a = call->a;
    float sum = 0;

    for (size_t i = 0; i < call->n; i++)
        sum += call->n == 1000 ? a[i] : roundf(a[i]);
    *(float *)call->result = sum;
}

static void wrong_with_small(void (*run)(const struct reduction *call))
{
    const struct reduction_rung rung = {.rung = {.name = "nearly", .idea = ""},
                                        .run = run,
                                        .depth = depth_serial,
                                        .ops = RUNG_OP(OP_SUM),
                                        .declines = wants_floats};
    char folder[PATH_SIZE], printed[PATH_SIZE];
    char *arguments[] = {"test_step", "--op", "sum",      "--n", "1000",
                         "--reps",    "1",    "--warmup", "0",   NULL};

    folder_create(folder);
    path_join(printed, folder, "output");
    const int code = run_ladder(&rung, 1, arguments, printed);
    char *const output = file_read(printed);
    folder_remove(folder);
    assert_int_equal(code, EXIT_WRONG_RESULT);
    assert_non_null(strstr(output, "nearly: with sum f32 1003: got "));
    free(output);
}

static void small_problems_have_all_inputs(void **state)
{
    (void)state;
    wrong_with_small(nearly_whole);
    wrong_with_small(only_whole);
}

/* The first wrong result is reported, even if later results are right. */
static void a_right_result_hides_no_wrong_one(void **state)
{
    const struct comparison wrong = {.error = 1, .where = "got 1, expected 2"};
    const struct comparison right = {.right = true};
    struct result row = {.rung = "wrong"};
    (void)state;

    result_note(&row, &wrong, true);
    result_note(&row, &right, false);
    result_conclude(&row, "");
    assert_int_equal(row.verdict, VERDICT_FAIL);
    assert_non_null(strstr(row.reason, "on the probe"));
    assert_non_null(strstr(row.reason, "got 1, expected 2"));
}

/* ---- rounds ---------------------------------------------------------------------------------- */

enum { MOST_TURNS = 64 };
static char turns[MOST_TURNS + 1]; /* the rung of each turn, in order */

static void take_turn(const struct reduction *call, char who)
{
    const size_t length = strlen(turns);

    if ((length == 0 || turns[length - 1] != who) && length < MOST_TURNS)
        turns[length] = who;
    calls = 0;
    idle_later(call);
}

static void first(const struct reduction *call)
{
    take_turn(call, '1');
}

static void second(const struct reduction *call)
{
    take_turn(call, '2');
}

static void run_rounds(char *rounds)
{
    const struct reduction_rung rungs[] = {{.rung = {.name = "first", .idea = ""},
                                            .run = first,
                                            .depth = depth_serial,
                                            .ops = RUNG_OP(OP_SUM),
                                            .declines = wants_floats},
                                           {.rung = {.name = "second", .idea = ""},
                                            .run = second,
                                            .depth = depth_serial,
                                            .ops = RUNG_OP(OP_SUM),
                                            .declines = wants_floats}};
    char *arguments[] = {"test_step", "--op", "sum",      "--n",  "1000",         "--reps", "3",
                         "--warmup",  "0",    "--rounds", rounds, "--skip-small", NULL};
    char folder[PATH_SIZE], printed[PATH_SIZE];

    memset(turns, 0, sizeof turns);
    right_calls = 1 << 30;
    unit = 1;
    folder_create(folder);
    path_join(printed, folder, "output");
    const int code = run_ladder(rungs, 2, arguments, printed);
    folder_remove(folder);
    assert_int_equal(code, EXIT_ALL_VERIFIED);
}

/* On the probe and in each round, the first rung runs before the second. */
static void rungs_take_turns(void **state)
{
    (void)state;
    run_rounds("1");
    assert_string_equal(turns, "1212");
    run_rounds("3");
    assert_string_equal(turns, "12121212");
    run_rounds("5"); /* three of the rounds take a sample */
    assert_string_equal(turns, "1212121212");
}

/* ---- rates ----------------------------------------------------------------------------------- */

static bool is_refused(struct results *results, double median)
{
    struct result *const row = &results->rows[0];

    row->trial.statistics.median = median;
    row->timed = true;
    row->wrong = row->too_fast = false;
    result_conclude(row, "");
    assert_int_equal(row->verdict, VERDICT_PASS);
    const bool exceeds = results_exceed_peak(results);
    results_derive(results);
    assert_true((row->verdict == VERDICT_FAIL) == exceeds);
    assert_true((strstr(row->reason, "error of measurement") != NULL) == exceeds);
    return exceeds;
}

static void a_rate_beyond_the_peak(void **state)
{
    struct result row = {.rung = "fast"};
    struct results results = {
        .bytes = 1e6, .flops = 1e6, .peak_gb_per_s = 10, .rows = &row, .row_count = 1};
    (void)state;

    /* At the peak, it takes 100 us. */
    assert_false(is_refused(&results, 100));
    assert_false(is_refused(&results, 38)); /* the most that docs/results has: 262% */
    assert_true(is_refused(&results, 20));
    assert_true(is_refused(&results, 1e-3));
    /* A GPU, whose arithmetic also has a peak: it takes 1000 us. */
    results.machine.peak_gflop_per_s = 1;
    assert_true(is_refused(&results, 30));
    assert_false(is_refused(&results, 250)); /* Winograd's algorithm needs a quarter */
    assert_false(is_refused(&results, 70));  /* tensor cores */
    /* A host rung in a GPU's step is not compared with the GPU's peaks. */
    row.on_host = true;
    assert_false(is_refused(&results, 1e-3));
}

/* ---- results that were never written --------------------------------------------------------- */

static bool writes;
static float own_nan; /* a NaN other than the poison */

static void nan_reduction(const struct reduction *call)
{
    if (writes)
        *(float *)call->result = own_nan;
}

static void nan_rows(const struct matrix_reduction *call)
{
    for (size_t row = 0; row < call->rows && writes; row++)
        ((float *)call->result)[row] = own_nan;
}

static void nan_product(const struct gemm *call)
{
    for (size_t row = 0; row < call->m && writes; row++)
        for (size_t column = 0; column < call->n; column++)
            call->c[row * call->ldc + column] = own_nan;
}

static void nan_convolution(const struct conv *call)
{
    const size_t count = call->batch * call->filters * call->out_height * call->out_width;

    for (size_t i = 0; i < count && writes; i++)
        call->output[i] = own_nan;
}

static double no_depth(const struct reduction *call)
{
    (void)call;
    return 1;
}

static double no_matrix_depth(const struct matrix_reduction *call)
{
    (void)call;
    return 1;
}

/* On data that are NaN, the rung is right if it writes NaN, and wrong if it writes nothing. */
static void judge_nan(const struct problem_kind *kind, const void *rung,
                      const struct problem_options *options)
{
    const struct judged judged = {kind, rung, &cpu_back_end};

    for (int i = 0; i < 2; i++) {
        struct problem *const problem = judged_problem(&judged, options);
        writes = i > 0;
        const struct comparison comparison = judged_verdict(&judged, problem, problem->probes);
        assert_true(isnan(comparison.expected));
        assert_true(comparison.right == writes);
        assert_true(writes || strstr(comparison.where, "never written") != NULL);
        problem->kind->destroy(problem);
    }
}

/* The NaNs differ from the poison in one byte. */
static void nan_is_to_be_written(void **state)
{
    static const uint32_t nans[] = {0x7FC00000, 0xFFFFFF00, 0xFFFF00FF, 0x7FFFFFFF};
    enum { COUNT = 36 };
    const struct reduction_rung reduction = {
        .rung = {.name = "nan"}, .run = nan_reduction, .depth = no_depth};
    const struct matrix_rung rows = {
        .rung = {.name = "nan"}, .run = nan_rows, .depth = no_matrix_depth};
    const struct gemm_rung product = {
        .rung = {.name = "nan"}, .run = nan_product, .depth = gemm_depth_serial};
    const struct conv_rung convolution = {
        .rung = {.name = "nan"}, .run = nan_convolution, .depth = conv_depth_serial};
    float data[COUNT];
    (void)state;

    /* Then NaNs with the same bits as the poison. */
    for (int i = 0; i < COUNT; i++)
        data[i] = i % 2 == 0 ? NAN : poison_value();
    char *const vector = npy_temporary("(36,)", data, COUNT);
    char *const matrix = npy_temporary("(6, 6)", data, COUNT);
    char *const images = npy_temporary("(1, 1, 6, 6)", data, COUNT);

    for (size_t i = 0; i < sizeof nans / sizeof nans[0]; i++) {
        memcpy(&own_nan, &nans[i], sizeof own_nan);
        struct problem_options base = {.seed = 1, .threads = 1, .a = vector};
        judge_nan(
            &reduction_kind, &reduction,
            &(const struct reduction_options){.base = base, .op = OP_MAX, .type = TYPE_NOT_GIVEN}
                 .base);
        base.a = matrix;
        judge_nan(
            &row_reduction_kind, &rows,
            &(const struct reduction_options){.base = base, .op = OP_SUM, .type = TYPE_NOT_GIVEN}
                 .base);
        base.b = matrix;
        judge_nan(&gemm_kind, &product,
                  &(const struct gemm_options){.base = base, .alpha = 1}.base);
        base.a = base.b = images;
        judge_nan(
            &conv_kind, &convolution,
            &(const struct conv_options){
                .base = base, .groups = 1, .stride_height = 1, .stride_width = 1, .dilation = 1}
                 .base);
    }
    npy_remove(vector);
    npy_remove(matrix);
    npy_remove(images);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_call_is_verified),
        cmocka_unit_test(small_problems_have_tails),
        cmocka_unit_test(small_problems_have_all_inputs),
        cmocka_unit_test(a_right_result_hides_no_wrong_one),
        cmocka_unit_test(rungs_take_turns),
        cmocka_unit_test(a_rate_beyond_the_peak),
        cmocka_unit_test(nan_is_to_be_written),
    };
    return cmocka_run_group_tests_name("after_timing", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
