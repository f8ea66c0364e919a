#include "run/counted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/ranks.h"
#include "measure/count.h"
#include "measure/verify.h"

bool counted_in_full(const struct options *options)
{
    return options->counters != COUNTERS_NONE || options->explore != NULL;
}

static bool count_row(struct problem *problem, const struct rung *rung,
                      const struct results *results, struct result *row, struct error *error)
{
    struct comparison comparison;

    count_begin(problem->back_end);
    if (!verify_rung(problem, rung, &comparison, error))
        return false;
    count_end(problem->back_end, COUNTERS_NONE, row);
    if (strcmp(problem->shape, results->shape) != 0)
        snprintf(row->counted_shape, sizeof row->counted_shape, "%s", problem->shape);
    if (!comparison.right && !row->is_lesson && !row->wrong) {
        char name[80];
        snprintf(name, sizeof name, "%s %s %s", problem->op, problem->type, problem->shape);
        result_note_small(row, &comparison, name);
    }
    result_conclude(row, "see below");
    return true;
}

/* On one problem, counts the rungs that have not been counted and do not decline the problem. */
static bool count_on(const struct options *options, const struct problem_options *counted,
                     const struct machine *machine, const struct rung *const rungs[],
                     struct results *results, struct error *error)
{
    const struct problem_kind *const kind = options->ladder->kind;
    struct problem *problem = NULL;
    bool done = true;

    for (size_t i = 0; done && i < results->row_count; i++) {
        struct result *const row = &results->rows[i];
        char ignored[REASON_SIZE];

        if (!row->counted || row->counters.has_memory)
            continue;
        if (problem == NULL) {
            problem = kind->create(counted, options->ladder->back_end, machine, error);
            if (problem == NULL)
                return false;
            done = kind->load(problem, problem->probes, error);
        }
        if (done && problem_declines(problem, rungs[i], machine, ignored) == NULL)
            done = count_row(problem, rungs[i], results, row, error);
    }
    if (problem != NULL)
        kind->destroy(problem);
    return done;
}

bool counted_add(const struct options *options, const struct machine *machine,
                 const struct rung *const rungs[], struct results *results, struct error *error)
{
    const struct problem_kind *const kind = options->ladder->kind;

    /* Files may hold too large a problem. With files, only --counters counts. */
    if (counted_in_full(options) || !count_can(options->ladder->back_end) || ranks_count() > 1 ||
        problem_from_files(kind, options->problem))
        return true;
    struct problem_options *const limited = malloc(kind->options_size);
    if (limited == NULL)
        return error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    memcpy(limited, options->problem, kind->options_size);
    kind->limit_size(limited);
    /* Rungs that decline the smaller problem are counted on the whole problem. */
    const bool done = count_on(options, limited, machine, rungs, results, error) &&
                      count_on(options, options->problem, machine, rungs, results, error);
    free(limited);
    return done;
}
/* SPDX-License-Identifier: MIT */
