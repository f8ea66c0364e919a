/* Tests of rungs that run on the host in a GPU step: their inputs, their verdicts and their
 * rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "files.h"
#include "measure/trial.h"
#include "measure/verify.h"
#include "problem/conv/conv.h"
#include "problem/conv/options.h"
#include "problem/gemm/gemm.h"
#include "problem/gemm/options.h"
#include "run/step.h"

/* ---- a back end that is not the host --------------------------------------------------------- */

/* A back end whose memory is not host memory. While `forbidden` is set, a host rung runs, and only
 * the CPU back end may be called. */
static struct back_end device;
static bool forbidden;

static bool device_open(int number, struct machine *machine, struct error *error)
{
    (void)error;
    machine->processors = 7 + number;
    machine->peak_gflop_per_s = 1e6;
    snprintf(machine->name, sizeof machine->name, "Test GPU");
    return true;
}

static double peak_gb_per_s = 1000;

static bool device_peak(size_t bytes, double *gb_per_s, struct error *error)
{
    (void)bytes;
    (void)error;
    *gb_per_s = peak_gb_per_s;
    return true;
}

static bool device_timer_stop(double *microseconds, struct error *error)
{
    (void)error;
    *microseconds = 1000;
    return true;
}

static bool device_download(void *to, const void *from, size_t bytes, struct error *error)
{
    assert_false(forbidden);
    return cpu_back_end.download(to, from, bytes, error);
}

static bool device_upload(void *to, const void *from, size_t bytes, struct error *error)
{
    assert_false(forbidden);
    return cpu_back_end.upload(to, from, bytes, error);
}

static bool device_fill(void *to, int byte, size_t bytes, struct error *error)
{
    assert_false(forbidden);
    return cpu_back_end.fill(to, byte, bytes, error);
}

static bool device_finish(struct error *error)
{
    assert_false(forbidden);
    return cpu_back_end.finish(error);
}

static size_t evictions, samples;
static size_t evicted; /* number of arrays since the last sample */

static bool device_timer_start(struct error *error)
{
    assert_false(forbidden);
    samples++;
    evictions += evicted;
    evicted = 0;
    return cpu_back_end.timer_start(error);
}

static bool device_evict(const void *memory, size_t bytes, struct error *error)
{
    assert_false(forbidden);
    evicted++;
    return cpu_back_end.evict(memory, bytes, error);
}

static void count_nothing(void)
{
}

static void read_counters(struct counters *counters)
{
    *counters = (struct counters){.launches = 1};
}

static int set_up(void **state)
{
    (void)state;
    device = cpu_back_end;
    device.name = "device";
    device.host_memory = false;
    device.open = device_open;
    device.peak = device_peak;
    device.download = device_download;
    device.upload = device_upload;
    device.fill = device_fill;
    device.finish = device_finish;
    device.timer_start = device_timer_start;
    device.evict = device_evict;
    return 0;
}

/* ---- rungs ----------------------------------------------------------------------------------- */

enum fault { RIGHT, NO_OP, OFF_BY_ONE, NAN_ELEMENT, WRITES_PAST_END, WRITES_BEFORE_START, FAULTS };

static const char *const fault_names[FAULTS] = {"right",       "no-op",        "off by one",
                                                "NaN element", "past the end", "before start"};

static enum fault fault;
static size_t rows_given;

/* Adds the faults of both kinds' rungs to `count` results. */
static void spoil(float *results, size_t count)
{
    if (fault == OFF_BY_ONE)
        results[count / 2] += 1;
    if (fault == NAN_ELEMENT)
        results[count / 2] = NAN;
    if (fault == WRITES_PAST_END)
        results[count] = 0;
    if (fault == WRITES_BEFORE_START)
        results[-1] = 0;
}

/* The leading dimensions equal the sizes here, so C is `m * n` contiguous numbers. */
static void product(const struct gemm *call)
{
    rows_given = call->m;
    memset(call->workspace, 1, GEMM_WORKSPACE);
    if (fault == NO_OP)
        return;
    for (size_t row = 0; row < call->m; row++)
        for (size_t column = 0; column < call->n; column++) {
            float *const c = call->c + row * call->ldc + column;
            float sum = 0;
            for (size_t p = 0; p < call->k; p++)
                sum += call->a[row * call->lda + p] * call->b[p * call->ldb + column];
            *c = call->beta == 0 ? call->alpha * sum : call->alpha * sum + call->beta * *c;
        }
    spoil(call->c, call->m * call->n);
}

/* One tap, stride 1 and no padding: one weight per channel. */
static void convolve(const struct conv *call)
{
    const size_t area = call->height * call->width;

    memset(call->workspace, 1, call->workspace_bytes);
    if (fault == NO_OP)
        return;
    for (size_t b = 0; b < call->batch; b++)
        for (size_t f = 0; f < call->filters; f++)
            for (size_t i = 0; i < area; i++) {
                float sum = 0;
                for (size_t c = 0; c < call->channels; c++)
                    sum += call->input[(b * call->channels + c) * area + i] *
                           call->filter[f * call->channels + c];
                call->output[(b * call->filters + f) * area + i] = sum;
            }
    spoil(call->output, call->batch * call->filters * area);
}

static const struct gemm_rung gemm_rung = {
    .rung = {.name = "host", .idea = "the definition", .flags = RUNG_HOST},
    .run = product,
    .depth = gemm_depth_serial,
};

static const struct conv_rung conv_rung = {
    .rung = {.name = "host", .idea = "the definition", .flags = RUNG_HOST},
    .run = convolve,
    .depth = conv_depth_serial,
};

/* ---- judging --------------------------------------------------------------------------------- */

static struct gemm_options gemm_sizes(size_t m, size_t n, size_t k)
{
    return (struct gemm_options){
        .base = {.seed = 1, .threads = 1}, .m = m, .n = n, .k = k, .alpha = 1};
}

static const struct conv_options conv_sizes = {.groups = 1,
                                               .batch = 2,
                                               .channels = 3,
                                               .height = 5,
                                               .width = 7,
                                               .filters = 4,
                                               .kernel_height = 1,
                                               .kernel_width = 1,
                                               .stride_height = 1,
                                               .stride_width = 1,
                                               .dilation = 1,
                                               .base = {.seed = 1, .threads = 1}};

/* Verifies and times the rung on every input, using only the CPU back end. */
static void judge(const struct problem_kind *kind, const struct rung *rung,
                  const struct problem_options *options, enum fault with)
{
    const struct machine machine = {.name = "test", .processors = 1};
    struct error error;
    struct problem *problem = kind->create(options, &device, &machine, &error);

    if (problem == NULL)
        fail_msg("%s", error.text);
    fault = with;
    for (size_t input = 0; input <= problem->probes; input++) {
        struct comparison comparison;
        struct trial trial;

        if (!kind->load(problem, input, &error))
            fail_msg("%s", error.text);
        forbidden = true;
        if (!verify_rung(problem, rung, &comparison, &error))
            fail_msg("%s", error.text);
        if (comparison.right != (with == RIGHT))
            fail_msg("%s, %s, input %zu: %s", fault_names[with], problem->shape, input,
                     comparison.where);
        for (int cold = 0; cold <= 1; cold++) {
            if (!trial_begin(problem, rung, 1, 2, cold != 0, &trial, &error) ||
                !trial_take(problem, rung, 0, 1, &trial, &error))
                fail_msg("%s", error.text);
            assert_true(trial.statistics.count == 2 && trial.statistics.min > 0);
            trial_free(&trial);
        }
        forbidden = false;
    }
    kind->destroy(problem);
}

static void test_judged_on_the_host(void **state)
{
    (void)state;
    for (enum fault with = RIGHT; with < FAULTS; with++) {
        for (int beta = 0; beta <= 2; beta++) {
            struct gemm_options options = gemm_sizes(9, 8, 7);
            options.beta = (float)beta;
            judge(&gemm_kind, &gemm_rung.rung, &options.base, with);
        }
        judge(&conv_kind, &conv_rung.rung, &conv_sizes.base, with);
    }
}

/* The rung gets some of the rows. A right rung does not change the others. */
static void test_part_of_the_rows(void **state)
{
    struct gemm_rung rung = gemm_rung;
    (void)state;

    rung.most_products = 4 * 8 * 7 + 3;
    for (enum fault with = RIGHT; with < FAULTS; with++)
        for (int beta = 0; beta <= 2; beta++) {
            struct gemm_options options = gemm_sizes(9, 8, 7);
            options.beta = (float)beta;
            judge(&gemm_kind, &rung.rung, &options.base, with);
            assert_int_equal(rows_given, 4);
        }
    const struct gemm_options options = gemm_sizes(9, 8, 7);
    rung.most_products = 1; /* less than one row */
    judge(&gemm_kind, &rung.rung, &options.base, RIGHT);
    assert_int_equal(rows_given, 1);
    rung.most_products = 9 * 8 * 7;
    judge(&gemm_kind, &rung.rung, &options.base, RIGHT);
    assert_int_equal(rows_given, 9);
    const struct gemm_options empty = gemm_sizes(9, 8, 0);
    judge(&gemm_kind, &rung.rung, &empty.base, RIGHT);
    assert_int_equal(rows_given, 9);
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { HOST, HOST_PART, HOST_LIBRARY, DEVICE, DEVICE_LIBRARY, DEVICE_SLOW_LIBRARY, ROWS };

static void slow_product(const struct gemm *call)
{
    for (int i = 0; i < 5; i++)
        product(call);
}

/* The step's rows as CSV and its table; the caller frees both. */
static char *run_step(char **table)
{
    struct gemm_rung rungs[ROWS];
    const struct ladder ladder = {
        .idea = "a test", .kind = &gemm_kind, .back_end = &device, LADDER_RUNGS(rungs)};
    const struct ladder *const ladders[] = {&ladder};
    const struct step step = {.name = "test_step", .ladders = ladders, .ladder_count = 1};
    char folder[PATH_SIZE], path[PATH_SIZE], output[PATH_SIZE];
    char *arguments[] = {"test_step", "--m", "16",       "--n", "16",    "--k", "16",
                         "--reps",    "3",   "--warmup", "0",   "--csv", path,  NULL};

    for (int i = 0; i < ROWS; i++)
        rungs[i] = gemm_rung;
    rungs[HOST_PART].most_products = 4 * 16 * 16;
    rungs[HOST_LIBRARY].rung.flags |= RUNG_LIBRARY;
    rungs[DEVICE].rung.flags = 0;
    rungs[DEVICE_LIBRARY].rung.flags = rungs[DEVICE_SLOW_LIBRARY].rung.flags = RUNG_LIBRARY;
    rungs[DEVICE_SLOW_LIBRARY].run = slow_product;
    fault = RIGHT;

    folder_create(folder);
    path_join(path, folder, "rows.csv");
    path_join(output, folder, "output");
    output_redirect(output);
    const int code =
        rungs_main((int)(sizeof arguments / sizeof arguments[0]) - 1, arguments, &step);
    output_restore();
    assert_int_equal(code, EXIT_ALL_VERIFIED);
    char *const csv = file_read(path);
    *table = file_read(output);
    folder_remove(folder);
    return csv;
}

static bool is_host(int row)
{
    return row <= HOST_LIBRARY;
}

static double number(const char *csv, int row, const char *name)
{
    char field[PATH_SIZE];
    csv_named(csv, (size_t)row + 1, name, field);
    return field[0] == '\0' ? (double)NAN : strtod(field, NULL);
}

static void assert_text(const char *csv, int row, const char *name, const char *wanted)
{
    char field[PATH_SIZE];
    csv_named(csv, (size_t)row + 1, name, field);
    if (strcmp(field, wanted) != 0)
        fail_msg("%s of row %d: '%s' instead of '%s'", name, row, field, wanted);
}

static void assert_near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-4 * wanted))
        fail_msg("%g instead of %g", got, wanted);
}

static void test_rows_beside_a_clocked_back_end(void **state)
{
    struct machine host = {0};
    struct error error;
    char device_text[2 * sizeof host.name + 4], *table;
    (void)state;

    assert_true(cpu_back_end.open(0, &host, &error));
    snprintf(device_text, sizeof device_text, "%s; %s", host.name, host.details);
    char *const csv = run_step(&table);

    for (int row = 0; row < ROWS; row++) {
        const double whole = row == HOST_PART ? 4 : 1; /* the whole problem is 4 times as large */
        const double time = number(csv, row, "median_us") * whole;
        const double library = is_host(row) ? number(csv, HOST_LIBRARY, "median_us")
                                            : fmin(number(csv, DEVICE_LIBRARY, "median_us"),
                                                   number(csv, DEVICE_SLOW_LIBRARY, "median_us"));

        assert_text(csv, row, "verdict", "pass");
        assert_text(csv, row, "backend", is_host(row) ? "cpu" : "device");
        assert_text(csv, row, "device", is_host(row) ? device_text : "Test GPU");
        assert_text(csv, row, "shape", row == HOST_PART ? "4x16x16" : "16x16x16");
        assert_true(isnan(number(csv, row, "percent_of_peak")) == is_host(row));
        assert_near(number(csv, row, "gflop_per_s"), 2e-3 * 16 * 16 * 16 / time);
        assert_near(number(csv, row, "speedup_first"), number(csv, HOST, "median_us") / time);
        assert_near(number(csv, row, "speedup_library"), library / time);
    }
    assert_non_null(strstr(table, "\nhost: "));
    assert_non_null(strstr(table, "ran on 4x16x16 only"));
    free(csv);
    free(table);
}

/* Emulated rungs have counts and no times. Host rungs have times and no counts. */
static void test_rows_beside_emulation(void **state)
{
    char *table;
    (void)state;

    device.clocks = false;
    device.counters_reset = count_nothing;
    device.counters_read = read_counters;
    char *const csv = run_step(&table);
    for (int row = 0; row < ROWS; row++) {
        assert_text(csv, row, "verdict", "pass");
        assert_true(isnan(number(csv, row, "median_us")) != is_host(row));
        assert_true(isnan(number(csv, row, "speedup_first")) != is_host(row));
        assert_true(isnan(number(csv, row, "speedup_library")) != is_host(row));
        assert_true(isnan(number(csv, row, "percent_of_peak")));
    }
    assert_non_null(strstr(table, "launches"));
    assert_non_null(strstr(table, "median"));
    free(csv);
    free(table);
    set_up(NULL);
    device.counters_reset = NULL;
}

/* A measured peak is not below a rung's rate. A rate above another peak has no percentage. */
static void test_no_more_than_the_peak(void **state)
{
    char *table;
    (void)state;

    device.timer_stop = device_timer_stop;
    char *csv = run_step(&table);
    peak_gb_per_s = number(csv, DEVICE, "gb_per_s") / 2;
    assert_near(number(csv, DEVICE, "percent_of_peak"), peak_gb_per_s * 2 / 10);
    assert_null(strstr(table, "no share of the peak"));
    for (int measured = 1; measured >= 0; measured--) {
        free(csv);
        free(table);
        device.measures_peak = measured;
        csv = run_step(&table);
        if (measured)
            assert_near(number(csv, DEVICE, "percent_of_peak"), 100);
        else
            assert_true(isnan(number(csv, DEVICE, "percent_of_peak")));
        assert_true((strstr(table, "no share of the peak") == NULL) == measured);
        assert_text(csv, DEVICE, "verdict", "pass");
    }
    free(csv);
    free(table);
    peak_gb_per_s = 1000;
    set_up(NULL);
}

/* ---- how long timing takes ------------------------------------------------------------------- */

static int calls;

static void slow(const struct gemm *call)
{
    const struct timespec pause = {.tv_nsec = 300 * 1000 * 1000};

    (void)call;
    calls++;
    nanosleep(&pause, NULL);
}

/* A slow rung gets few calls, unless the user asks for more. */
static void test_slow_rungs_are_timed_briefly(void **state)
{
    const struct machine machine = {.name = "test", .processors = 1};
    const struct gemm_options options = gemm_sizes(1, 1, 1);
    struct gemm_rung rung = gemm_rung;
    struct trial trial;
    struct error error;
    (void)state;

    struct problem *problem = gemm_kind.create(&options.base, &device, &machine, &error);
    assert_non_null(problem);
    rung.run = slow;
    calls = 0;
    assert_true(trial_begin(problem, &rung.rung, 10, 0, false, &trial, &error));
    assert_true(trial_take(problem, &rung.rung, 0, 1, &trial, &error));
    assert_int_equal(trial.calls, 1);
    assert_true(trial.warmups <= 3 && trial.statistics.count >= 1 && trial.statistics.count <= 3);
    assert_int_equal(calls, 1 + trial.warmups + trial.statistics.count);
    trial_free(&trial);

    calls = 0;
    assert_true(trial_begin(problem, &rung.rung, 0, 4, false, &trial, &error));
    assert_true(trial_take(problem, &rung.rung, 0, 1, &trial, &error));
    assert_int_equal(calls, 1 + 4);
    trial_free(&trial);
    problem->kind->destroy(problem);
}

/* Each round takes its share of the samples, and warms up if its share is not 0. */
static void test_rounds_share_samples(void **state)
{
    static const struct {
        size_t reps, rounds;
        size_t taken[5]; /* after each round */
    } cases[] = {{7, 3, {2, 4, 7}}, {6, 3, {2, 4, 6}}, {2, 5, {0, 0, 1, 1, 2}}, {3, 1, {3}}};
    const struct machine machine = {.name = "test", .processors = 1};
    const struct gemm_options options = gemm_sizes(1, 1, 1);
    struct gemm_rung rung = gemm_rung;
    struct error error;
    (void)state;

    struct problem *problem = gemm_kind.create(&options.base, &device, &machine, &error);
    assert_non_null(problem);
    rung.run = slow;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        size_t before = 0;
        struct trial trial;

        assert_true(trial_begin(problem, &rung.rung, 1, cases[c].reps, false, &trial, &error));
        for (size_t round = 0; round < cases[c].rounds; round++) {
            const size_t taken = cases[c].taken[round];
            calls = 0;
            assert_true(trial_take(problem, &rung.rung, round, cases[c].rounds, &trial, &error));
            assert_int_equal(trial.statistics.count, taken);
            assert_int_equal(calls, taken > before ? 1 + taken - before : 0);
            before = taken;
        }
        assert_true(trial.statistics.min > 0);
        trial_free(&trial);
    }
    problem->kind->destroy(problem);
}

/* Each cold sample is one call, right after A, B and C are evicted. Warm samples evict
 * nothing. */
static void test_cold_samples(void **state)
{
    const struct machine machine = {.name = "test", .processors = 1};
    const struct gemm_options options = gemm_sizes(16, 16, 16);
    struct gemm_rung rung = gemm_rung;
    struct trial trial;
    struct error error;
    (void)state;

    struct problem *problem = gemm_kind.create(&options.base, &device, &machine, &error);
    assert_non_null(problem);
    assert_true(problem->kind->load(problem, 0, &error));
    rung.rung.flags = 0;
    fault = RIGHT;
    for (int cold = 0; cold <= 1; cold++) {
        evictions = samples = 0;
        assert_true(trial_begin(problem, &rung.rung, 2, 3, cold, &trial, &error));
        assert_true(trial_take(problem, &rung.rung, 0, 1, &trial, &error));
        assert_true(trial_last_call(problem, &rung.rung, &trial, &error));
        assert_true(samples >= 1 + 2 + 3 + 1);
        assert_int_equal(evictions, cold ? 3 * samples : 0);
        assert_true(!cold || trial.calls == 1);
        trial_free(&trial);
    }
    problem->kind->destroy(problem);
}

static size_t made; /* calls since the timer was started */

static void quick(const struct gemm *call)
{
    (void)call;
    made++;
}

static bool start_counting(struct error *error)
{
    (void)error;
    made = 0;
    return true;
}

static bool quarter_of_a_microsecond_each(double *microseconds, struct error *error)
{
    (void)error;
    *microseconds = 0.25 * (double)made;
    return true;
}

/* A sample of short calls has many calls. Its value is the time per call. */
static void test_samples_of_many_calls(void **state)
{
    const struct machine machine = {.name = "test", .processors = 1};
    const struct gemm_options options = gemm_sizes(1, 1, 1);
    struct gemm_rung rung = gemm_rung;
    struct trial trial;
    struct error error;
    (void)state;

    device.timer_start = start_counting;
    device.timer_stop = quarter_of_a_microsecond_each;
    struct problem *problem = gemm_kind.create(&options.base, &device, &machine, &error);
    assert_non_null(problem);
    rung.rung.flags = 0;
    rung.run = quick;
    assert_true(trial_begin(problem, &rung.rung, 1, 3, false, &trial, &error));
    assert_true(trial_take(problem, &rung.rung, 0, 1, &trial, &error));
    assert_true(0.25 * (double)trial.calls >= MINIMUM_SAMPLE_US);
    assert_int_equal(made, trial.calls);
    assert_true(trial.statistics.min == 0.25 && trial.statistics.max == 0.25);
    trial_free(&trial);
    problem->kind->destroy(problem);
}

/* ---- the kernels of a rung ------------------------------------------------------------------- */

static const char *kernel;  /* the kernel that was launched last */
static size_t copied_below; /* below this number of rows, `copy` launches rung 1's kernel */

static void launch_first(const struct gemm *call)
{
    kernel = "first";
    product(call);
}

static void launch_copy(const struct gemm *call)
{
    kernel = call->m < copied_below ? "first" : "second";
    product(call);
}

static void read_launched(struct kernels *kernels)
{
    kernels->count = 1;
    kernels->of[0] = (struct launched){.function = kernel, .name = kernel, .symbol = ""};
}

/* Both rungs must have these verdicts, and the JSON must contain this text on the second. */
static void expect_kernels(const struct gemm_rung rungs[2], bool small, int wanted_code,
                           const char *wanted)
{
    const struct ladder ladder = {.idea = "a test",
                                  .kind = &gemm_kind,
                                  .back_end = &device,
                                  .rungs = rungs,
                                  .rung_size = sizeof rungs[0],
                                  .rung_count = 2};
    const struct ladder *const ladders[] = {&ladder};
    const struct step step = {.name = "test_step", .ladders = ladders, .ladder_count = 1};
    char folder[PATH_SIZE], path[PATH_SIZE], output[PATH_SIZE];
    char *arguments[] = {
        "test_step", "--m", "48",       "--n", "16",     "--k", "16",
        "--reps",    "1",   "--warmup", "0",   "--json", path,  small ? NULL : "--skip-small",
        NULL};
    const int count = (int)(sizeof arguments / sizeof arguments[0]) - (small ? 2 : 1);

    folder_create(folder);
    path_join(path, folder, "rows.json");
    path_join(output, folder, "output");
    output_redirect(output);
    const int code = rungs_main(count, arguments, &step);
    output_restore();
    char *const json = file_read(path);
    folder_remove(folder);
    assert_true(json_is_valid(json));
    assert_int_equal(code, wanted_code);
    const char *const second = strstr(json, "\"rung\": \"copy\"");
    assert_non_null(second);
    assert_non_null(strstr(second, wanted));
    assert_null(strstr(json, "\"first\", \"verdict\": \"fail\""));
    free(json);
}

/* A rung that launches another rung's kernels fails, on the problem asked for or on a small one,
 * unless its row gives a reason. */
static void test_a_kernel_has_one_rung(void **state)
{
    struct gemm_rung rungs[] = {gemm_rung, gemm_rung};
    (void)state;

    fault = RIGHT;
    device.launched_read = read_launched;
    rungs[0].rung = (struct rung){.name = "first", .idea = ""};
    rungs[0].run = launch_first;
    rungs[1].rung = (struct rung){.name = "copy", .idea = ""};
    rungs[1].run = launch_copy;
    copied_below = 0;
    expect_kernels(rungs, true, EXIT_ALL_VERIFIED, "\"kernels\": [{\"name\": \"second\", ");
    copied_below = 48; /* more rows than the small problems have */
    expect_kernels(rungs, true, EXIT_WRONG_RESULT,
                   "right, but with gemm f32 37x67x45: launches the same kernels as first");
    copied_below = 1000;
    expect_kernels(rungs, false, EXIT_WRONG_RESULT,
                   "right, but launches the same kernels as first");
    rungs[1].rung.same_kernels_as = "first";
    rungs[1].rung.same_kernels_because = "a test";
    expect_kernels(rungs, true, EXIT_ALL_VERIFIED, "\"kernels\": [{\"name\": \"first\", ");
    device.launched_read = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_samples_of_many_calls, set_up),
        cmocka_unit_test(test_cold_samples),
        cmocka_unit_test(test_judged_on_the_host),
        cmocka_unit_test(test_part_of_the_rows),
        cmocka_unit_test(test_rows_beside_a_clocked_back_end),
        cmocka_unit_test(test_rows_beside_emulation),
        cmocka_unit_test(test_no_more_than_the_peak),
        cmocka_unit_test(test_slow_rungs_are_timed_briefly),
        cmocka_unit_test(test_rounds_share_samples),
        cmocka_unit_test(test_a_kernel_has_one_rung),
    };
    return cmocka_run_group_tests_name("host_rungs", tests, set_up, NULL);
}
/* SPDX-License-Identifier: MIT */
