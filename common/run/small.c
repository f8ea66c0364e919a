#include "run/small.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/kernels.h"
#include "measure/verify.h"
#include "run/progress.h"

/* The rungs to verify, and the errors found. */
struct climbers {
    const struct ladder *ladder;
    const struct machine *machine;
    const struct rung *const *rungs;
    const struct result *rows;
    size_t count;
    struct small_outcome *outcomes;
};

struct machine small_machine(const struct problem_options *options, const struct machine *machine)
{
    struct machine small = *machine;

    if (options->multiprocessors > 0 && options->multiprocessors < small.processors)
        small.processors = options->multiprocessors;
    return small;
}

bool small_is_for(const struct problem_options *options, const struct problem *problem,
                  const struct rung *rung, const struct machine *machine, bool is_reached)
{
    char ignored[REASON_SIZE];

    return !(rung->flags & (RUNG_LIBRARY | RUNG_LESSON)) &&
           !(options->is_for_the_rest && is_reached) &&
           problem_declines(problem, rung, machine, ignored) == NULL;
}

static void name_problem(struct small_outcome *outcome, const struct problem *problem)
{
    snprintf(outcome->problem, sizeof outcome->problem, "%s %s %s", problem->op, problem->type,
             problem->shape);
}

/* Verifies the rungs without an error so far on the input that is loaded. Compares the kernels that
 * they launch with those of the rungs before them. */
static bool verify_input(const struct climbers *all, struct problem *problem, const bool is_for[],
                         struct kernels kernels[], struct error *error)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct rung *const rung = all->rungs[i];
        struct small_outcome *const outcome = &all->outcomes[i];

        kernels[i].count = 0;
        if (!is_for[i] || outcome->problem[0] != '\0')
            continue;
        if (!verify_rung(problem, rung, &outcome->comparison, error))
            return false;
        kernels_read(&kernels[i], rung_back_end(rung, problem->back_end));
        if (!outcome->comparison.right)
            name_problem(outcome, problem);
        for (size_t j = 0; j < i && outcome->problem[0] == '\0'; j++)
            if (kernels_conflict(all->rungs[j], &kernels[j], rung, &kernels[i])) {
                outcome->same_kernels = all->rungs[j]->name;
                name_problem(outcome, problem);
            }
    }
    return true;
}

static bool verify_problem(const struct climbers *all, const struct problem_options *options,
                           struct error *error)
{
    const struct problem_kind *const kind = all->ladder->kind;
    const struct machine machine = small_machine(options, all->machine);
    struct kernels *const kernels = calloc(all->count + 1, sizeof *kernels);
    bool *const is_for = calloc(all->count + 1, sizeof *is_for), is_for_any = false;
    struct problem *const problem = kind->create(options, all->ladder->back_end, &machine, error);
    bool done = problem != NULL;

    if (done && (kernels == NULL || is_for == NULL))
        done = error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    for (size_t i = 0; done && i < all->count; i++) {
        is_for[i] = !all->rows[i].wrong && small_is_for(options, problem, all->rungs[i], &machine,
                                                        all->outcomes[i].is_reached);
        is_for_any = is_for_any || is_for[i];
    }
    for (size_t input = 0; done && is_for_any && input <= problem->probes; input++)
        done =
            kind->load(problem, input, error) && verify_input(all, problem, is_for, kernels, error);
    for (size_t i = 0; done && i < all->count; i++)
        all->outcomes[i].is_reached = all->outcomes[i].is_reached || is_for[i];
    if (problem != NULL)
        kind->destroy(problem);
    free(kernels);
    free(is_for);
    return done;
}

/* Sets *small to small problem i; false if there are fewer. */
static bool set_problem(const struct options *options, struct problem_options *small, size_t i)
{
    const struct problem_kind *const kind = options->ladder->kind;

    memcpy(small, options->problem, kind->options_size);
    small->multiprocessors = 0;
    small->is_for_the_rest = false;
    return kind->set_small != NULL && kind->set_small(small, i);
}

struct small_outcome *small_verify(const struct options *options, const struct machine *machine,
                                   const struct rung *const rungs[], const struct result rows[],
                                   size_t count, struct error *error)
{
    const struct problem_kind *const kind = options->ladder->kind;
    struct problem_options *const small = malloc(kind->options_size);
    const struct climbers all = {.ladder = options->ladder,
                                 .machine = machine,
                                 .rungs = rungs,
                                 .rows = rows,
                                 .count = count,
                                 .outcomes = calloc(count + 1, sizeof *all.outcomes)};
    bool done = all.outcomes != NULL && small != NULL;
    size_t problems = 0;

    if (!done)
        error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    while (done && set_problem(options, small, problems))
        problems++;
    for (size_t i = 0; done && i < problems; i++) {
        progress_show("verifying with small problems, %zu of %zu", i + 1, problems);
        done = set_problem(options, small, i) && verify_problem(&all, small, error);
    }
    free(small);
    if (done)
        return all.outcomes;
    free(all.outcomes);
    return NULL;
}
/* SPDX-License-Identifier: MIT */
