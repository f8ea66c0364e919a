/* Tests of how samples are taken: calls launched by the host, or replays of recorded calls. The
 * back end is simulated, and so is its clock, with a host time and a GPU time per call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "judging.h"
#include "measure/verify.h"
#include "problem/reduction/options.h"
#include "problem/reduction/reduction.h"
#include "report/report.h"
#include "run/step.h"

/* ---- a GPU ----------------------------------------------------------------------------------- */

static struct {
    double host_us, gpu_us; /* per call */
    double waking_us;       /* the first call takes longer by this */
    double now;
    bool recording, timing;
    const char *unrecordable; /* why a recording fails; NULL: it does not */
    size_t fails_from;        /* the first recording that fails, counted from 1; 0: all fail */
    size_t calls_recorded, dependents_per_call, dependents_between;
    size_t starts, stops, made, freed, replays, launched; /* launched: calls that did their work */
    bool wrong_when_replayed;
} gpu;

static const struct reduction *recorded_call;
static double started;

static void sum_into(const struct reduction *call, float wrong)
{
    const float *const a = call->a;
    float sum = 0;

    for (size_t i = 0; i < call->n; i++)
        sum += a[i];
    *(float *)call->result = sum + wrong;
}

static void run(const struct reduction *call)
{
    if (gpu.recording) {
        gpu.calls_recorded++;
        recorded_call = call;
        return;
    }
    gpu.launched++;
    gpu.now += fmax(gpu.host_us, gpu.gpu_us) + gpu.waking_us;
    gpu.waking_us = 0;
    sum_into(call, 0);
}

static bool timer_start(struct error *error)
{
    (void)error;
    assert_false(gpu.recording || gpu.timing);
    gpu.timing = true;
    started = gpu.now;
    return true;
}

static bool timer_stop(double *microseconds, struct error *error)
{
    (void)error;
    assert_true(gpu.timing);
    gpu.timing = false;
    *microseconds = gpu.now - started;
    return true;
}

static bool record_start(struct error *error)
{
    (void)error;
    assert_false(gpu.recording || gpu.timing);
    gpu.recording = true;
    gpu.calls_recorded = 0;
    gpu.starts++;
    return true;
}

static bool record_stop(struct recording *recording, struct error *error)
{
    assert_true(gpu.recording);
    gpu.recording = false;
    gpu.stops++;
    *recording = (struct recording){.replayable = NULL};
    if (gpu.unrecordable != NULL && gpu.starts >= gpu.fails_from)
        return error_set(error, EXIT_DEVICE_ERROR, "%s", gpu.unrecordable);
    size_t *const calls = malloc(sizeof *calls);
    assert_non_null(calls);
    *calls = gpu.calls_recorded;
    recording->replayable = calls;
    recording->dependents =
        *calls * gpu.dependents_per_call + (*calls - 1) * gpu.dependents_between;
    gpu.made++;
    return true;
}

static bool replay(const struct recording *recording, struct error *error)
{
    (void)error;
    assert_false(gpu.recording);
    gpu.replays++;
    gpu.now += (double)*(const size_t *)recording->replayable * gpu.gpu_us;
    sum_into(recorded_call, gpu.wrong_when_replayed ? 1 : 0);
    return true;
}

static void record_free(struct recording *recording)
{
    if (recording->replayable != NULL)
        gpu.freed++;
    free(recording->replayable);
    recording->replayable = NULL;
}

static struct back_end back_end_with(bool records)
{
    struct back_end made = cpu_back_end;

    made.name = "made up";
    made.host_memory = false;
    made.timer_start = timer_start;
    made.timer_stop = timer_stop;
    if (records) {
        made.record_start = record_start;
        made.record_stop = record_stop;
        made.replay = replay;
        made.record_free = record_free;
    }
    return made;
}

static void set_gpu(double host_us, double gpu_us)
{
    memset(&gpu, 0, sizeof gpu);
    gpu.host_us = host_us;
    gpu.gpu_us = gpu_us;
}

/* All recordings are freed, and none is incomplete. */
static void assert_tidy(void)
{
    assert_false(gpu.recording || gpu.timing);
    assert_int_equal(gpu.starts, gpu.stops);
    assert_int_equal(gpu.made, gpu.freed);
}

/* ---- trials ---------------------------------------------------------------------------------- */

static const char *wants_floats(const struct reduction *call)
{
    return call->type == TYPE_F32 ? NULL : "wants floats";
}

static const struct reduction_rung rung = {.rung = {.name = "sum", .idea = ""},
                                           .run = run,
                                           .depth = depth_serial,
                                           .ops = RUNG_OP(OP_SUM),
                                           .declines = wants_floats};

static struct problem *problem_on(const struct back_end *back_end)
{
    const struct judged judged = {&reduction_kind, &rung.rung, back_end};
    const struct reduction_options options = {
        .base = {.seed = 1, .threads = 1}, .n = 1000, .op = OP_SUM, .type = TYPE_F32};
    struct problem *const problem = judged_problem(&judged, &options.base);
    struct error error;

    assert_true(problem->kind->load(problem, problem->probes, &error));
    return problem;
}

/* Takes all samples, and verifies the result after them. */
static struct comparison take_all(struct problem *problem, size_t rounds, bool cold,
                                  struct trial *trial)
{
    struct comparison comparison;
    struct error error;

    assert_true(trial_begin(problem, &rung.rung, 1, 6, cold, trial, &error));
    for (size_t round = 0; round < rounds; round++)
        assert_true(trial_take(problem, &rung.rung, round, rounds, trial, &error));
    assert_int_equal(trial->statistics.count, 6);
    assert_true(verify_after_timing(problem, &rung.rung, trial, &comparison, &error));
    return comparison;
}

/* The measured time is the GPU's part; the time of a launch by the host is a separate number. */
static void short_work_is_replayed(void **state)
{
    static const struct {
        double host_us, gpu_us;
    } cases[] = {{13, 3}, {13, 0.5}, {1, 40}, {13, 150}, {199, 1}};
    const struct back_end back_end = back_end_with(true);
    struct problem *const problem = problem_on(&back_end);
    (void)state;

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct trial trial;
        set_gpu(cases[c].host_us, cases[c].gpu_us);
        assert_true(take_all(problem, 1, false, &trial).right);
        assert_true(trial.replayed && !trial.overlaps);
        assert_string_equal(trial.not_replayed, "");
        assert_true(fabs(trial.statistics.median - cases[c].gpu_us) < 1e-9);
        assert_true(fabs(trial.call_us - fmax(cases[c].host_us, cases[c].gpu_us)) < 1e-9);
        assert_true((double)trial.calls * cases[c].gpu_us >= MINIMUM_SAMPLE_US);
        assert_true((double)trial.calls * cases[c].gpu_us <= 2 * MINIMUM_SAMPLE_US);
        trial_free(&trial);
        assert_tidy();
    }
    problem->kind->destroy(problem);
}

/* Calibration also ends if the work is too short to measure. */
static void a_recording_is_no_longer_than_it_may(void **state)
{
    const struct back_end back_end = back_end_with(true);
    struct problem *const problem = problem_on(&back_end);
    struct trial trial;
    (void)state;

    set_gpu(1, 0);
    assert_true(take_all(problem, 1, false, &trial).right);
    assert_int_equal(trial.calls, 4096);
    trial_free(&trial);
    assert_tidy();
    problem->kind->destroy(problem);
}

/* A slow first call must not make the work count as long. */
static void the_first_call_is_not_believed(void **state)
{
    const struct back_end back_end = back_end_with(true);
    struct problem *const problem = problem_on(&back_end);
    struct trial trial;
    (void)state;

    set_gpu(13, 55);
    gpu.waking_us = 500;
    assert_true(take_all(problem, 1, false, &trial).right);
    assert_true(trial.replayed && fabs(trial.statistics.median - 55) < 1e-9);
    trial_free(&trial);
    assert_tidy();
    problem->kind->destroy(problem);
}

static void long_and_cold_work_is_launched(void **state)
{
    const struct back_end back_end = back_end_with(true), other = back_end_with(false);
    struct problem *problem = problem_on(&back_end);
    struct trial trial;
    (void)state;

    set_gpu(13, 201);
    assert_true(take_all(problem, 1, false, &trial).right);
    assert_true(!trial.replayed && trial.calls == 1 && isnan(trial.call_us));
    assert_true(fabs(trial.statistics.median - 201) < 1e-9);
    trial_free(&trial);
    set_gpu(13, 3);
    assert_true(take_all(problem, 1, true, &trial).right);
    assert_true(!trial.replayed && trial.calls == 1 && isnan(trial.call_us));
    assert_true(fabs(trial.statistics.median - 13) < 1e-9);
    trial_free(&trial);
    assert_int_equal(gpu.starts + gpu.replays, 0);
    problem->kind->destroy(problem);

    problem = problem_on(&other); /* cannot record */
    set_gpu(13, 3);
    assert_true(take_all(problem, 1, false, &trial).right);
    assert_true(!trial.replayed && isnan(trial.call_us));
    assert_string_equal(trial.not_replayed, "");
    assert_true(fabs(trial.statistics.median - 13) < 1e-9);
    trial_free(&trial);
    problem->kind->destroy(problem);
}

/* Work that cannot be recorded is timed as launched by the host. Its row gives the reason. */
static void a_failed_recording_leaves_no_trace(void **state)
{
    const struct back_end back_end = back_end_with(true);
    struct problem *const problem = problem_on(&back_end);
    struct trial trial;
    (void)state;

    set_gpu(13, 3);
    gpu.unrecordable = "it waits for the GPU";
    assert_true(take_all(problem, 3, false, &trial).right);
    assert_false(trial.replayed);
    assert_string_equal(trial.not_replayed, "it waits for the GPU");
    assert_true(isnan(trial.call_us) && fabs(trial.statistics.median - 13) < 1e-9);
    assert_int_equal(gpu.starts, 1);
    assert_int_equal(gpu.replays, 0);
    trial_free(&trial);
    assert_tidy();

    /* The work of several GPUs is not recorded. */
    set_gpu(13, 3);
    problem->gpus = 1;
    assert_true(take_all(problem, 1, false, &trial).right);
    assert_true(!trial.replayed && trial.not_replayed[0] != '\0');
    assert_int_equal(gpu.starts, 0);
    trial_free(&trial);
    problem->gpus = 0;

    /* A recording that fails after the first one is an error, in any place. */
    for (size_t from = 2; from <= 5; from++) {
        struct error error;
        set_gpu(13, 3);
        gpu.unrecordable = "it fails later";
        gpu.fails_from = from;
        bool done = trial_begin(problem, &rung.rung, 1, 6, false, &trial, &error);
        for (size_t round = 0; round < 5 && done; round++)
            done = trial_take(problem, &rung.rung, round, 5, &trial, &error);
        assert_false(done);
        assert_string_equal(error.text, "it fails later");
        assert_null(trial.samples_us);
        assert_tidy();
    }
    problem->kind->destroy(problem);
}

/* Each round after the first records the calls anew, because memory may have moved. */
static void rounds_record_anew(void **state)
{
    const struct back_end back_end = back_end_with(true);
    struct problem *const problem = problem_on(&back_end);
    struct trial trial;
    size_t once;
    (void)state;

    set_gpu(13, 3);
    assert_true(take_all(problem, 1, false, &trial).right);
    once = gpu.starts;
    trial_free(&trial);
    set_gpu(13, 3);
    assert_true(take_all(problem, 3, false, &trial).right);
    assert_int_equal(gpu.starts, once + 2);
    trial_free(&trial);
    assert_tidy();
    problem->kind->destroy(problem);
}

/* The verification after timing verifies the recording. */
static void a_replay_is_verified(void **state)
{
    const struct back_end back_end = back_end_with(true);
    struct problem *const problem = problem_on(&back_end);
    struct trial trial;
    (void)state;

    set_gpu(13, 3);
    gpu.wrong_when_replayed = true;
    assert_false(take_all(problem, 2, false, &trial).right);
    trial_free(&trial);
    assert_tidy();
    problem->kind->destroy(problem);
}

static void overlap_is_that_of_calls(void **state)
{
    const struct back_end back_end = back_end_with(true);
    struct problem *const problem = problem_on(&back_end);
    struct trial trial;
    (void)state;

    for (size_t within = 0; within < 2; within++)
        for (size_t between = 0; between < 2; between++) {
            set_gpu(13, 3);
            gpu.dependents_per_call = within;
            gpu.dependents_between = between;
            assert_true(take_all(problem, 1, false, &trial).right);
            assert_true(trial.overlaps == (between > 0));
            trial_free(&trial);
        }
    problem->kind->destroy(problem);
}

/* ---- the whole program ----------------------------------------------------------------------- */

static void both_times_are_reported(void **state)
{
    const struct back_end back_end = back_end_with(true);
    const struct ladder ladder = {.idea = "a test",
                                  .kind = &reduction_kind,
                                  .back_end = &back_end,
                                  .rungs = &rung,
                                  .rung_size = sizeof rung,
                                  .rung_count = 1};
    const struct ladder *const ladders[] = {&ladder};
    const struct step step = {.name = "test_step", .ladders = ladders, .ladder_count = 1};
    char folder[PATH_SIZE], csv[PATH_SIZE], json[PATH_SIZE], printed[PATH_SIZE], field[PATH_SIZE];
    char *arguments[] = {"test_step", "--op", "sum",    "--n", "1000",         "--reps", "3",
                         "--csv",     csv,    "--json", json,  "--skip-small", NULL};
    (void)state;

    set_gpu(13, 3);
    gpu.dependents_between = 1;
    folder_create(folder);
    path_join(csv, folder, "rows.csv");
    path_join(json, folder, "rows.json");
    path_join(printed, folder, "output");
    output_redirect(printed);
    const int code = rungs_main(sizeof arguments / sizeof arguments[0] - 1, arguments, &step);
    output_restore();
    char *const rows = file_read(csv), *const object = file_read(json);
    char *const table = file_read(printed);
    folder_remove(folder);
    assert_int_equal(code, EXIT_ALL_VERIFIED);
    csv_named(rows, 1, "median_us", field);
    assert_string_equal(field, "3");
    assert_non_null(strstr(object, "\"replayed\": true, \"calls_overlap\": true, \"call_us\": 13"));
    assert_non_null(strstr(table, "calls overlap"));
    assert_non_null(strstr(table, "launched\n"));
    assert_non_null(strstr(table, "13.0 us\n"));
    free(rows);
    free(object);
    free(table);

    set_gpu(13, 3);
    gpu.unrecordable = "it waits for the GPU";
    folder_create(folder);
    path_join(csv, folder, "rows.csv");
    path_join(json, folder, "rows.json");
    path_join(printed, folder, "output");
    output_redirect(printed);
    assert_int_equal(rungs_main(sizeof arguments / sizeof arguments[0] - 1, arguments, &step),
                     EXIT_ALL_VERIFIED);
    output_restore();
    char *const refused = file_read(json), *const told = file_read(printed);
    folder_remove(folder);
    assert_non_null(strstr(refused, "\"replayed\": false, \"calls_overlap\": false, \"call_us\": "
                                    "null, \"not_replayed\": \"it waits for the GPU\""));
    assert_non_null(strstr(told, "cannot be recorded: it waits for the GPU\n"));
    assert_null(strstr(told, "launched\n"));
    free(refused);
    free(told);
    assert_tidy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_work_is_replayed),
        cmocka_unit_test(a_recording_is_no_longer_than_it_may),
        cmocka_unit_test(the_first_call_is_not_believed),
        cmocka_unit_test(long_and_cold_work_is_launched),
        cmocka_unit_test(a_failed_recording_leaves_no_trace),
        cmocka_unit_test(rounds_record_anew),
        cmocka_unit_test(a_replay_is_verified),
        cmocka_unit_test(overlap_is_that_of_calls),
        cmocka_unit_test(both_times_are_reported),
    };
    return cmocka_run_group_tests_name("trial", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
