/* rungs_main: the runner, which is the same for all steps. It turns each rung into a result. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/ranks.h"
#include "measure/count.h"
#include "measure/kernels.h"
#include "measure/result.h"
#include "measure/trial.h"
#include "measure/verify.h"
#include "report/columns.h"
#include "report/recorded.h"
#include "report/report.h"
#include "run/counted.h"
#include "run/options.h"
#include "run/progress.h"
#include "run/small.h"
#include "run/step.h"

static bool wants_colour(void)
{
    const char *no_colour = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && (no_colour == NULL || no_colour[0] == '\0');
}

/* ---- one rung -------------------------------------------------------------------------------- */

/* The run of a ladder at one size. */
struct size_run {
    const struct options *options;
    const struct back_end *back_end;
    struct problem *problem;
    const struct rung **rungs;    /* those to run, one per row of the results */
    struct small_outcome **small; /* outcomes, the same at all sizes; NULL before the first */
    struct results results;
    bool is_verified; /* and the rows are being counted */
};

/* Skips a rung that cannot run on this machine or cannot do this problem. */
static void skip_unless_runnable(const struct size_run *run, const struct rung *rung,
                                 struct result *row)
{
    char text[REASON_SIZE];
    const char *reason = problem_declines(run->problem, rung, &run->results.machine, text);

    if (reason == NULL && counted_in_full(run->options) && row->on_host)
        reason = "runs on the host: nothing to count";
    if (reason != NULL)
        result_skip(row, reason);
}

/* Records which part of the problem the rung was given, if it was not the whole. */
static void note_part(const struct size_run *run, const struct rung *rung, struct result *row)
{
    if (run->problem->kind->part == NULL)
        return;
    row->part = run->problem->kind->part(run->problem, rung);
    row->is_part = strcmp(row->part.shape, run->problem->shape) != 0;
}

/* On the page, the rung's launches have its name and, with --sweep, the size. */
static void start_part(const struct size_run *run, const struct rung *rung)
{
    char name[128];

    snprintf(name, sizeof name, "%s%s%s", rung->name, run->options->sweep_factor != 0 ? ", " : "",
             run->options->sweep_factor != 0 ? run->results.shape : "");
    run->back_end->analysis->explore_part(name);
}

/* Every rank verifies its own results. All use the comparison of the first rank that is wrong. */
static void share(struct comparison *comparison)
{
    const int rank = ranks_count() - ranks_rank();
    const double wrong = ranks_greatest(comparison->right ? 0 : rank);

    ranks_broadcast(comparison, sizeof *comparison, wrong > 0 ? ranks_count() - (int)wrong : 0);
}

/* Verifies the rung on the inputs that are loaded. On the real data it also counts it. */
static bool verify_row(struct size_run *run, const struct rung *rung, bool probe,
                       struct result *row, struct error *error)
{
    const struct back_end *const back_end = rung_back_end(rung, run->back_end);
    const bool analysing = !probe && counted_in_full(run->options);
    const bool counting = !probe && back_end->counters_read != NULL;
    struct comparison comparison;

    progress_show("verifying %s, %zu of %zu", rung->name, (size_t)(row - run->results.rows) + 1,
                  run->results.row_count);
    if (counting)
        back_end->counters_reset();
    if (analysing && run->options->explore != NULL)
        start_part(run, rung);
    if (analysing)
        count_begin(run->back_end);
    if (!verify_rung(run->problem, rung, &comparison, error))
        return false;
    kernels_read(&row->kernels, back_end);
    share(&comparison);
    result_note(row, &comparison, probe);
    run->problem->kind->describe(run->problem, rung, row->how);
    note_part(run, rung, row);
    if (counting) {
        back_end->counters_read(&row->counters);
        row->counted = true;
    }
    if (analysing)
        count_end(run->back_end, (enum counters_format)run->options->counters, row);
    result_conclude(row, "see below");
    return true;
}

/* Takes the rung's samples of a round. After the last round it verifies the rung's result. */
static bool time_row(struct size_run *run, const struct rung *rung, int round, struct result *row,
                     struct error *error)
{
    const struct options *const options = run->options;
    struct comparison comparison;

    progress_show("timing %s, %zu of %zu", rung->name, (size_t)(row - run->results.rows) + 1,
                  run->results.row_count);
    if (round == 0)
        row->timed = trial_begin(run->problem, rung, options->warmup, options->reps, options->cold,
                                 &row->trial, error);
    else if (run->problem->kind->prepare != NULL)
        run->problem->kind->prepare(run->problem, rung); /* other rungs have used the workspace */
    if (!row->timed ||
        !trial_take(run->problem, rung, (size_t)round, (size_t)options->rounds, &row->trial, error))
        return false;
    if (round + 1 < options->rounds)
        return true;
    if (!verify_after_timing(run->problem, rung, &row->trial, &comparison, error))
        return false;
    share(&comparison);
    result_note_last(row, &comparison);
    result_conclude(row, "see below");
    return true;
}

/* ---- one size -------------------------------------------------------------------------------- */

/* Verifies all rungs on all inputs. On the real data, times those that passed; the first round of a
 * rung follows its verification. */
static bool run_rungs(struct size_run *run, struct error *error)
{
    const bool counting = counted_in_full(run->options);
    struct problem *const problem = run->problem;

    for (size_t input = 0; input <= problem->probes; input++) {
        const bool probe = input < problem->probes;

        progress_show("preparing inputs");
        if (!problem->kind->load(problem, input, error))
            return false;
        for (size_t i = 0; i < run->results.row_count; i++) {
            struct result *const row = &run->results.rows[i];
            const struct rung *const rung = run->rungs[i];

            /* Count wrong rungs also: the findings may say why they are wrong. */
            if (row->skipped || (row->verdict == VERDICT_FAIL && (probe || !counting)))
                continue;
            if (!verify_row(run, rung, probe, row, error))
                return false;
            /* A lesson is timed even if it is wrong: its speed is part of the lesson. */
            if (!probe && rung_back_end(rung, run->back_end)->clocks &&
                row->verdict != VERDICT_FAIL && !time_row(run, rung, 0, row, error))
                return false;
        }
    }
    for (int round = 1; round < run->options->rounds; round++)
        for (size_t i = 0; i < run->results.row_count; i++)
            if (run->results.rows[i].timed &&
                !time_row(run, run->rungs[i], round, &run->results.rows[i], error))
                return false;
    return true;
}

/* If two rungs launch the same kernels, the later one is not what its name says. */
static void compare_kernels(struct size_run *run)
{
    struct result *const rows = run->results.rows;

    for (size_t i = 0; i < run->results.row_count; i++)
        for (size_t j = 0; j < i && rows[i].same_kernels == NULL; j++)
            if (kernels_conflict(run->rungs[j], &rows[j].kernels, run->rungs[i], &rows[i].kernels))
                result_note_same_kernels(&rows[i], rows[j].rung, NULL);
}

/* Also verifies the rungs on small problems. This follows the problem that was asked for, which
 * then has a profiler's first launches, and the memory for itself. A rung that is wrong with a
 * small problem has no times. */
static bool run_small(struct size_run *run, struct error *error)
{
    if (run->options->skip_small || counted_in_full(run->options) || ranks_count() > 1)
        return true;
    if (*run->small == NULL)
        *run->small = small_verify(run->options, &run->results.machine, run->rungs,
                                   run->results.rows, run->results.row_count, error);
    if (*run->small == NULL)
        return false;
    for (size_t i = 0; i < run->results.row_count; i++) {
        const struct small_outcome *const outcome = &(*run->small)[i];
        struct result *const row = &run->results.rows[i];

        if (outcome->problem[0] == '\0' || row->skipped || row->wrong)
            continue;
        if (outcome->same_kernels != NULL)
            result_note_same_kernels(row, outcome->same_kernels, outcome->problem);
        else
            result_note_small(row, &outcome->comparison, outcome->problem);
        row->timed = false;
        result_conclude(row, "see below");
    }
    return true;
}

/* The bandwidth of all processors that work together. */
static bool find_peak(const struct size_run *run, double *gb_per_s, struct error *error)
{
    if (!run->back_end->peak((size_t)run->problem->bytes, gb_per_s, error))
        return false;
    *gb_per_s *= run->problem->gpus > 1 ? run->problem->gpus : 1;
    return true;
}

/* A rate beyond the peak may be due to a probe at a bad moment: probes again, and keeps the best.
 * A rung's rate also measures the bandwidth, so a measured peak must be at least as high. */
static bool look_again_at_peak(struct size_run *run, struct error *error)
{
    enum { MOST_PROBES = 3 };
    const bool is_measured = run->back_end->measures_peak;
    double *const peak = &run->results.peak_gb_per_s;

    for (int i = 0; i < MOST_PROBES; i++) {
        double again;
        if (!results_exceed_peak(&run->results) &&
            !(is_measured && results_most_gb_per_s(&run->results) > *peak))
            return true;
        if (!find_peak(run, &again, error))
            return false;
        *peak = again > *peak ? again : *peak;
    }
    if (is_measured)
        *peak = fmax(*peak, results_most_gb_per_s(&run->results));
    return true;
}

/* Creates the rows of the rungs to run. */
static bool start_rows(struct size_run *run, const struct step *step, const struct machine *machine,
                       struct error *error)
{
    const struct options *options = run->options;
    const struct ladder *ladder = options->ladder;
    struct results *const results = &run->results;

    *results = (struct results){
        .step = step->name,
        .back_end = ladder->back_end->name,
        .lesson = ladder->lesson,
        .has_clocks = ladder->back_end->clocks,
        .machine = *machine,
        .seed = options->problem->seed,
        .cold = options->cold,
        .rows = calloc(ladder_rung_count(ladder), sizeof *results->rows),
    };
    run->rungs = calloc(ladder_rung_count(ladder), sizeof *run->rungs);
    if (results->rows == NULL || run->rungs == NULL)
        return error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    for (size_t i = 0; i < ladder_rung_count(ladder); i++) {
        const struct rung *const rung = ladder_rung(ladder, i);
        if (!options_select(options, i))
            continue;
        struct result *const row = &results->rows[results->row_count];
        run->rungs[results->row_count++] = rung;
        result_start(row, rung, ladder->back_end);
        if (row->on_host && results->host.name[0] == '\0' &&
            !cpu_back_end.open(0, &results->host, error))
            return false;
    }
    return true;
}

static void describe_problem(struct size_run *run)
{
    const struct problem *const problem = run->problem;
    const struct problem_options *const options = run->options->problem;
    struct results *const results = &run->results;

    if (problem->gpus > 1) {
        char name[sizeof results->machine.name];
        snprintf(name, sizeof name, "%s", results->machine.name);
        snprintf(results->machine.name, sizeof results->machine.name, "%d x %.100s", problem->gpus,
                 name);
        results->machine.peak_gflop_per_s *= problem->gpus;
    }
    snprintf(results->op, sizeof results->op, "%s", problem->op);
    snprintf(results->type, sizeof results->type, "%s", problem->type);
    snprintf(results->shape, sizeof results->shape, "%s", problem->shape);
    results->bytes = problem->bytes;
    results->flops = problem->flops;
    results->units = problem->units;
    results->is_scalar = problem->is_scalar;
    results->from_files = problem_from_files(problem->kind, options);
}

static bool save(const struct size_run *run, struct error *error)
{
    if (run->problem->kind->save == NULL)
        return true;
    progress_show("saving the result");
    return run->problem->kind->save(run->problem, error);
}

/* Runs the ladder at one size, without the reports. */
static bool climb(struct size_run *run, const struct step *step, const struct machine *machine,
                  struct error *error)
{
    const struct problem_kind *const kind = run->options->ladder->kind;
    struct results *const results = &run->results;

    if (!start_rows(run, step, machine, error))
        return false;
    progress_show("preparing inputs");
    run->problem = kind->create(run->options->problem, run->back_end, machine, error);
    if (!ranks_agree(run->problem != NULL, error))
        return false;
    describe_problem(run);
    for (size_t i = 0; i < results->row_count; i++)
        skip_unless_runnable(run, run->rungs[i], &results->rows[i]);
    const bool done = find_peak(run, &results->peak_gb_per_s, error) && run_rungs(run, error) &&
                      look_again_at_peak(run, error) && save(run, error);
    compare_kernels(run);
    results->answer = run->problem->answer;
    kind->destroy(run->problem);
    if (!done || !run_small(run, error))
        return false;
    run->is_verified = true;
    progress_show("counting");
    return counted_add(run->options, machine, run->rungs, results, error);
}

struct reports {
    struct report_file csv, json, counters_csv, explore;
};

static bool any_failed(const struct results *results)
{
    for (size_t i = 0; i < results->row_count; i++)
        if (results->rows[i].verdict == VERDICT_FAIL)
            return true;
    return false;
}

static void report(const struct results *results, const struct options *options,
                   struct reports *reports)
{
    const size_t width = line_width(stdout);
    const bool colour = wants_colour(), text = options->counters != COUNTERS_JSON;
    const bool table = text && (!options->chart || any_failed(results));

    if (text)
        report_heading(stdout, results, colour);
    if (options->quiz)
        report_quiz(stdin, stdout, results);
    if (table)
        report_table(stdout, results, colour, width);
    if (options->chart)
        report_chart(stdout, results, width, prints_unicode());
    else if (!results->has_clocks && options->counters == COUNTERS_NONE &&
             options->sweep_factor == 0)
        report_recorded(stdout, results, colour, width);
    if (options->counters != COUNTERS_NONE)
        report_counters(stdout, results, (enum counters_format)options->counters);
    else
        report_findings(stdout, results);
    if (options->histogram)
        report_histograms(stdout, results);
    fflush(stdout);
    report_csv(&reports->csv, results);
    report_json(&reports->json, results);
    report_counters_csv(&reports->counters_csv, results);
}

/* Reports the rows of a run that ends early because of the rung that ran last. */
static void report_unfinished(struct size_run *run, const char *why)
{
    const struct rung *const last = verify_running();

    if (last == NULL || !ranks_tells())
        return;
    for (size_t i = 0; i < run->results.row_count; i++) {
        struct result *const row = &run->results.rows[i];
        const bool is_finished = run->is_verified && (!row->counted || row->counters.has_memory);

        if (run->rungs[i] == last)
            result_ended(row, why);
        else if (!is_finished && !row->skipped && (row->verdict == VERDICT_PASS || !row->ran))
            result_unfinished(row, last->name);
    }
    progress_end();
    run->results.is_scalar = run->results.is_scalar && run->is_verified; /* else a probe's */
    results_derive(&run->results);
    report_table(stdout, &run->results, wants_colour(), line_width(stdout));
    report_findings(stdout, &run->results);
    fflush(stdout);
}

static struct size_run *in_progress;

static void kernel_ends_run(void)
{
    if (in_progress != NULL)
        report_unfinished(in_progress, "its kernel cannot go on, as standard error says");
}

static bool run_size(const struct step *step, const struct options *options,
                     const struct machine *machine, struct small_outcome **small,
                     struct reports *reports, enum exit_code *outcome, struct error *error)
{
    struct size_run run = {
        .options = options, .back_end = options->ladder->back_end, .small = small};
    struct results *const results = &run.results;

    in_progress = &run;
    if (run.back_end->at_end != NULL)
        run.back_end->at_end(kernel_ends_run);
    const bool done = climb(&run, step, machine, error);

    in_progress = NULL;
    progress_end();
    if (done) {
        results_derive(results);
        report(results, options, reports);
    } else {
        report_unfinished(&run, error->text);
    }
    for (size_t i = 0; i < results->row_count; i++)
        if (results->rows[i].verdict == VERDICT_FAIL)
            *outcome = EXIT_WRONG_RESULT;
    results_free(results);
    free(run.rungs);
    return done;
}

/* ---- all sizes ------------------------------------------------------------------------------- */

static bool run_sizes(const struct step *step, const struct options *options,
                      const struct machine *machine, struct small_outcome **small,
                      struct reports *reports, enum exit_code *outcome, struct error *error)
{
    const struct problem_kind *const kind = options->ladder->kind;

    if (options->sweep_factor == 0)
        return run_size(step, options, machine, small, reports, outcome, error);
    for (size_t size = options->sweep_from; size <= options->sweep_to;) {
        kind->set_size(options->problem, size);
        if (!run_size(step, options, machine, small, reports, outcome, error))
            return false;
        if (size > options->sweep_to / options->sweep_factor)
            break;
        size *= options->sweep_factor;
    }
    return true;
}

/* Returns `code`, or EXIT_FILE_ERROR if standard output could not be written. */
static int end_output(const struct step *step, enum exit_code code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return (int)code;
    fprintf(stderr, "%s: cannot write standard output\n", step->name);
    return EXIT_FILE_ERROR;
}

static int fail(const struct step *step, const struct error *error)
{
    progress_end();
    if (ranks_tells())
        fprintf(stderr, "%s: %s\n", step->name, error->text);
    return ranks_end((int)error->code);
}

/* Begins to record the contents of the page. */
static bool start_page(const struct options *options, struct reports *reports, struct error *error)
{
    const char *const blocks = options->explore_blocks != NULL ? options->explore_blocks : "0";

    if (options->explore == NULL)
        return true;
    if (!options->ladder->back_end->analysis->explore_start(blocks))
        return error_set(error, EXIT_BAD_USAGE,
                         "--explore-blocks '%s': expected numbers of blocks, such as 0-3,8, or all",
                         blocks);
    return report_open(&reports->explore, options->explore, error);
}

static bool write_page(const struct step *step, const struct options *options,
                       struct reports *reports, struct error *error)
{
    if (options->explore == NULL)
        return true;
    if (!options->ladder->back_end->analysis->explore_write(reports->explore.file.text, step->name))
        return error_set(error, EXIT_FILE_ERROR,
                         "--explore: nothing to show: no kernel ran in the blocks asked for");
    return report_commit(&reports->explore, error);
}

/* Opens the device, runs all sizes and writes the reports. */
static int climb_all(const struct step *step, struct options *options)
{
    const struct back_end *const back_end = options->ladder->back_end;
    struct machine machine = {0};
    struct reports reports = {{.rows = 0}, {.rows = 0}, {.rows = 0}, {.rows = 0}};
    struct error error;
    enum exit_code outcome = EXIT_ALL_VERIFIED;
    struct small_outcome *small = NULL;

    if (ranks_rank() > 0)
        options->csv = options->json = options->counters_csv = NULL;
    const bool done = report_open(&reports.csv, options->csv, &error) &&
                      report_open(&reports.json, options->json, &error) &&
                      report_open(&reports.counters_csv, options->counters_csv, &error) &&
                      start_page(options, &reports, &error) &&
                      ranks_agree(back_end->open(options->device, &machine, &error), &error) &&
                      run_sizes(step, options, &machine, &small, &reports, &outcome, &error) &&
                      report_commit(&reports.csv, &error) && report_commit(&reports.json, &error) &&
                      report_commit(&reports.counters_csv, &error) &&
                      write_page(step, options, &reports, &error);
    free(small);
    if (!done) {
        report_discard(&reports.csv);
        report_discard(&reports.json);
        report_discard(&reports.counters_csv);
        report_discard(&reports.explore);
        return fail(step, &error);
    }
    return ranks_end(end_output(step, outcome));
}

static bool has_ladder_for_ranks(const struct step *step)
{
    for (size_t i = 0; i < step->ladder_count; i++)
        if (step->ladders[i]->with != NULL)
            return true;
    return false;
}

static bool is_for_ranks(const struct options *options, struct error *error)
{
    if (options->ladder->with == NULL)
        return error_set(error, EXIT_BAD_USAGE,
                         "mpirun has started %d processes: give --gpus 1, a GPU for each",
                         ranks_count());
    if (options->counters != COUNTERS_NONE || options->counters_csv != NULL ||
        options->explore != NULL || options->quiz)
        return error_set(error, EXIT_BAD_USAGE,
                         "--counters, --counters-csv, --explore and --quiz are for one process: "
                         "leave mpirun out");
    return true;
}

/* If a standard stream is closed, a file or pipe must not get its number: text for that stream
 * would go there. Reading from the stream finds its end; writing still fails. */
static void hold_standard_streams(void)
{
    int descriptor;

    do
        descriptor = open("/dev/null", O_RDONLY);
    while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    if (descriptor >= 0)
        close(descriptor);
}

int rungs_main(int argc, char **argv, const struct step *step)
{
    struct options options;
    struct error error;
    int code;

    hold_standard_streams();
    progress_begin(step->name);
    if (has_ladder_for_ranks(step) && !ranks_start(argc, argv, &error))
        return fail(step, &error);
    const enum options_outcome parsed = options_parse(argc, argv, step, &options, stdout, &error);
    if (parsed == OPTIONS_DONE)
        return ranks_end(end_output(step, EXIT_ALL_VERIFIED));
    bool good = parsed == OPTIONS_RUN;
    if (good && ranks_count() > 1)
        good = is_for_ranks(&options, &error);
    if (!ranks_agree(good, &error)) {
        if (parsed == OPTIONS_RUN)
            options_free(&options);
        return fail(step, &error);
    }
    if (options.quiz && !isatty(STDIN_FILENO)) {
        error_set(&error, EXIT_BAD_USAGE, "--quiz: asks on a terminal, and standard input is none");
        options_free(&options);
        return fail(step, &error);
    }
    if (options.counters != COUNTERS_NONE && options.ladder->back_end->clocks) {
        report_ncu_command(stdout, argv, options.reps != 0);
        code = end_output(step, EXIT_ALL_VERIFIED);
    } else if (counted_in_full(&options) && !count_can(options.ladder->back_end)) {
        error_set(&error, EXIT_DEVICE_ERROR, "%s: this build has sanitizers, so it cannot count",
                  options.explore != NULL ? "--explore" : "--counters");
        code = fail(step, &error);
    } else {
        code = climb_all(step, &options);
    }
    options_free(&options);
    return code;
}
/* SPDX-License-Identifier: MIT */
