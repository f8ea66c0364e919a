#include "run/small.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/verify.h"

/* The rungs to verify, and what was wrong with them. */
struct climbers {
    const struct ladder *ladder;
    const struct machine *machine;
    const struct rung *const *rungs;
    const struct result *rows;
    size_t count;
    struct small_outcome *outcomes;
};

/* Verifies those that are still right on the input that is loaded. */
static bool verify_input(const struct climbers *all, struct problem *problem, struct error *error)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct rung *const rung = all->rungs[i];
        struct small_outcome *const outcome = &all->outcomes[i];
        char ignored[REASON_SIZE];

        if (outcome->problem[0] != '\0' || all->rows[i].wrong ||
            rung->flags & (RUNG_LIBRARY | RUNG_LESSON) ||
            problem_declines(problem, rung, all->machine, ignored) != NULL)
            continue;
        if (!verify_rung(problem, rung, &outcome->comparison, error))
            return false;
        if (!outcome->comparison.right)
            snprintf(outcome->problem, sizeof outcome->problem, "%s %s %s", problem->op,
                     problem->type, problem->shape);
    }
    return true;
}

static bool verify_problem(const struct climbers *all, const struct problem_options *options,
                           struct error *error)
{
    const struct problem_kind *const kind = all->ladder->kind;
    struct problem *const problem =
        kind->create(options, all->ladder->back_end, all->machine, error);
    bool done = problem != NULL;

    for (size_t input = 0; done && input <= problem->probes; input++)
        done = kind->load(problem, input, error) && verify_input(all, problem, error);
    if (problem != NULL)
        kind->destroy(problem);
    return done;
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

    if (!done)
        error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    for (size_t i = 0; done && kind->set_small != NULL; i++) {
        memcpy(small, options->problem, kind->options_size);
        if (!kind->set_small(small, i))
            break;
        done = verify_problem(&all, small, error);
    }
    free(small);
    if (done)
        return all.outcomes;
    free(all.outcomes);
    return NULL;
}
