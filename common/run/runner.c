/* rungs_main: the one runner behind every step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "measure/count.h"
#include "measure/trial.h"
#include "report/report.h"
#include "run/options.h"
#include "run/step.h"

/* ---- progress -------------------------------------------------------------------------------- */

/* One line on a terminal, written over and over; nothing anywhere else. */
static void progress(const char *step, const char *what, const char *rung)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s: %s %s", step, what, rung);
}

static void progress_end(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

static bool wants_colour(void)
{
    const char *no_colour = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && (no_colour == NULL || no_colour[0] == '\0');
}

/* ---- one size -------------------------------------------------------------------------------- */

static bool is_selected(const struct options *options, const struct rung *rung)
{
    if (options->rung_count == 0)
        return true;
    for (size_t i = 0; i < options->rung_count; i++)
        if (strcmp(options->rungs[i], rung->name) == 0)
            return true;
    return false;
}

/* Whether the rung can run here and do what is asked for; if not, the row says why. */
static bool is_runnable(const struct step *step, const struct options *options,
                        const struct machine *machine, struct row *row)
{
    const int needed = row->rung->needs_compute_capability;

    if (row->rung->run.reduce == NULL && needed > 0)
        snprintf(row->reason, sizeof row->reason, "needs sm_%d", needed);
    else if (row->rung->run.reduce == NULL)
        snprintf(row->reason, sizeof row->reason, "not in this build (%s back end)",
                 step->back_end->name);
    else if (counted_is_here(step) && (row->rung->flags & RUNG_HOST) != 0)
        snprintf(row->reason, sizeof row->reason, "runs on the host: nothing to count");
    else if (needed > machine->compute_capability)
        snprintf(row->reason, sizeof row->reason, "needs sm_%d, this is sm_%d", needed,
                 machine->compute_capability);
    else if (row->rung->unavailable != NULL && row->rung->unavailable() != NULL)
        snprintf(row->reason, sizeof row->reason, "%s", row->rung->unavailable());
    else if (!rung_does(row->rung, options->op))
        snprintf(row->reason, sizeof row->reason, "has no %s", reduce_op_name(options->op));
    else
        return true;
    row->verdict = VERDICT_SKIP;
    return false;
}

/* Rungs that do not do this problem are skipped; the row says why. */
static void skip_declined(const struct problem *problem, struct run *run)
{
    for (size_t i = 0; i < run->row_count && problem->family->declines != NULL; i++) {
        struct row *const row = &run->rows[i];
        const char *const reason = problem->family->declines(problem, row->rung);
        if (row->verdict == VERDICT_SKIP || reason == NULL)
            continue;
        snprintf(row->reason, sizeof row->reason, "%s", reason);
        row->verdict = VERDICT_SKIP;
    }
}

/* Notes the outcome of one input. What was wrong once stays wrong; of a lesson, which goes on, the
 * last wrong answer is kept: the real data's, if that was wrong too. */
static void judge(struct row *row, const struct comparison *comparison, bool probe)
{
    if (comparison->right && row->verdict != VERDICT_PASS)
        return;
    row->comparison = *comparison;
    if (comparison->right)
        return;
    row->verdict = row->rung->flags & RUNG_LESSON ? VERDICT_RACY : VERDICT_FAIL;
    snprintf(row->reason, sizeof row->reason, "%s%s",
             probe ? "on the probe, whole numbers that need no rounding: " : "", comparison->where);
}

/* What the rung was given, if that is not all of the problem. */
static void note_part(const struct problem *problem, struct row *row)
{
    struct part part;

    if (problem->family->part == NULL)
        return;
    problem->family->part(problem, row->rung, &part);
    if (strcmp(part.shape, problem->shape) != 0)
        row->part = part;
}

/* Verifies all rungs on all inputs, and times those that passed on the real data. */
static bool run_rungs(struct problem *problem, const struct options *options, struct run *run,
                      struct error *error)
{
    const struct step *step = run->step;
    const bool counting = counted_is_here(step);

    for (size_t input = counted_beside() ? problem->probes : 0; input <= problem->probes; input++) {
        const bool probe = input < problem->probes;

        progress(step->name, "preparing inputs", "");
        if (!problem->family->load(problem, input, error))
            return false;
        for (size_t i = 0; i < run->row_count; i++) {
            struct row *row = &run->rows[i];
            const struct back_end *back_end = rung_back_end(row->rung, step->back_end);
            struct comparison comparison;

            /* What is wrong is counted all the same: the checks may say why. */
            if (row->verdict == VERDICT_SKIP ||
                (row->verdict == VERDICT_FAIL && (probe || !counting)))
                continue;
            progress(step->name, "verifying", row->rung->name);
            if (!probe && back_end->counters_reset != NULL)
                back_end->counters_reset();
            if (counting && !probe)
                counted_begin(step);
            if (!problem_verify(problem, row->rung, &comparison, error))
                return false;
            judge(row, &comparison, probe);
            problem->family->describe(problem, row->rung, row->how);
            note_part(problem, row);
            if (!probe && back_end->counters_read != NULL) {
                back_end->counters_read(&row->counters);
                row->counted = true;
            }
            if (counting && !probe && !counted_end(step, options, row)) {
                if (row->verdict != VERDICT_FAIL)
                    snprintf(row->reason, sizeof row->reason, "breaks a rule of CUDA: see below");
                row->verdict = VERDICT_FAIL;
            }
            /* A racing lesson is timed all the same: how slow a wrong answer is belongs to it. */
            if (!probe && back_end->clocks && row->verdict != VERDICT_FAIL) {
                progress(step->name, "timing", row->rung->name);
                if (!trial_run(problem, row->rung, options->warmup, options->reps, options->cold,
                               &row->trial, error))
                    return false;
                row->timed = true;
            }
        }
    }
    return true;
}

struct reports {
    struct report_file csv, json;
};

static bool run_size(const struct step *step, const struct options *options,
                     const struct machine *machine, struct reports *reports, bool *all_right,
                     struct error *error)
{
    struct run run = {
        .step = step, .machine = machine, .seed = options->seed, .cold = options->cold};
    struct machine host = {0};
    bool done = false;

    run.rows = calloc(step->rung_count, sizeof *run.rows);
    if (run.rows == NULL)
        return error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    for (size_t i = 0; i < step->rung_count; i++)
        if (is_selected(options, &step->rungs[i])) {
            struct row *row = &run.rows[run.row_count++];
            row->rung = &step->rungs[i];
            is_runnable(step, options, machine, row);
            if (rung_back_end(row->rung, step->back_end) != step->back_end)
                run.host = &host;
        }
    if (run.host != NULL && !cpu_back_end.open(0, &host, error)) {
        free(run.rows);
        return false;
    }

    struct problem *problem = step->family->create(options, step->back_end, machine, error);
    if (problem != NULL) {
        snprintf(run.op, sizeof run.op, "%s", problem->op);
        snprintf(run.type, sizeof run.type, "%s", problem->type);
        snprintf(run.shape, sizeof run.shape, "%s", problem->shape);
        run.bytes = problem->bytes;
        run.flops = problem->flops;
        run.is_scalar = problem->is_scalar;
        run.from_files = options->a != NULL;
        skip_declined(problem, &run);
        done = step->back_end->peak((size_t)problem->bytes, &run.peak_gb_per_s, error) &&
               run_rungs(problem, options, &run, error) &&
               (problem->family->save == NULL || problem->family->save(problem, error));
        run.answer = problem->answer;
        problem->family->destroy(problem);
    }
    progress_end();
    if (done && counted_beside()) {
        counted_send(&run);
    } else if (done) {
        counted_receive(&run);
        report_finish_run(&run);
        if (options->counters != COUNTERS_JSON)
            report_table(stdout, &run, wants_colour());
        if (options->counters != COUNTERS_NONE)
            counted_print(stdout, &run, options);
        if (options->histogram)
            report_histograms(stdout, &run);
        fflush(stdout);
        report_csv(&reports->csv, &run);
        report_json(&reports->json, &run);
    }
    for (size_t i = 0; i < run.row_count; i++) {
        *all_right = *all_right && run.rows[i].verdict != VERDICT_FAIL;
        trial_free(&run.rows[i].trial);
        free(run.rows[i].findings);
        free(run.rows[i].listing);
    }
    free(run.rows);
    return done;
}

/* ---- all sizes ------------------------------------------------------------------------------- */

static bool run_sizes(const struct step *step, const struct options *options,
                      const struct machine *machine, struct reports *reports, bool *all_right,
                      struct error *error)
{
    struct options at_size = *options;

    if (options->sweep_factor == 0)
        return run_size(step, options, machine, reports, all_right, error);
    for (size_t size = options->sweep_from; size <= options->sweep_to;) {
        at_size.n = at_size.m = at_size.k = size;
        if (counted_beside())
            at_size = counted_options(step, &at_size);
        if (!run_size(step, &at_size, machine, reports, all_right, error))
            return false;
        if (size > options->sweep_to / options->sweep_factor)
            break;
        size *= options->sweep_factor;
    }
    return true;
}

/* The exit code `code`, unless what was printed could not be written. */
static int end_output(const struct step *step, enum exit_code code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return (int)code;
    fprintf(stderr, "%s: cannot write standard output\n", step->name);
    return EXIT_FILE_ERROR;
}

int rungs_main(int argc, char **argv, const struct step *step)
{
    struct options options;
    struct machine machine = {0};
    struct reports reports = {{0}, {0}};
    struct error error;
    bool all_right = true;

    switch (options_parse(argc, argv, step, &options, stdout, &error)) {
    case OPTIONS_DONE:
        return end_output(step, EXIT_ALL_VERIFIED);
    case OPTIONS_BAD:
        fprintf(stderr, "%s: %s\n", step->name, error.text);
        return (int)error.code;
    case OPTIONS_RUN:
        step = options.table;
        break;
    }
    if (options.counters != COUNTERS_NONE && step->back_end->clocks) {
        counted_print_ncu(stdout, argv, &options);
        return end_output(step, EXIT_ALL_VERIFIED);
    }
    if (options.counters != COUNTERS_NONE && !counted_is_here(step)) {
        counted_become(argv, &error);
        fprintf(stderr, "%s: %s\n", step->name, error.text);
        return (int)error.code;
    }
    if (counted_beside()) {
        options = counted_options(step, &options);
        options.csv = options.json = NULL;
    }
    counted_start(argv, step, &options);
    if (!report_open(&reports.csv, options.csv, &error) ||
        !report_open(&reports.json, options.json, &error) ||
        !step->back_end->open(options.device, &machine, &error) ||
        !run_sizes(step, &options, &machine, &reports, &all_right, &error) ||
        !report_commit(&reports.csv, &error) || !report_commit(&reports.json, &error)) {
        progress_end();
        fprintf(stderr, "%s: %s\n", step->name, error.text);
        report_discard(&reports.csv);
        report_discard(&reports.json);
        counted_finish();
        return (int)error.code;
    }
    counted_finish();
    return end_output(step, all_right ? EXIT_ALL_VERIFIED : EXIT_WRONG_RESULT);
}
