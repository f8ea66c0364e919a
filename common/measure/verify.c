#include "measure/verify.h"

static const struct rung *running;

const struct rung *verify_running(void)
{
    return running;
}

bool verify_rung(struct problem *problem, const struct rung *rung, struct comparison *comparison,
                 struct error *error)
{
    const struct problem_kind *kind = problem->kind;

    running = rung;
    if (!kind->poison(problem, rung, true, error))
        return false;
    if (kind->prepare != NULL)
        kind->prepare(problem, rung);
    if (problem->back_end->launched_reset != NULL)
        problem->back_end->launched_reset();
    kind->run(problem, rung);
    if (!rung_back_end(rung, problem->back_end)->finish(error) ||
        !kind->check(problem, rung, comparison, error))
        return false;
    running = NULL;
    return true;
}

bool verify_after_timing(struct problem *problem, const struct rung *rung, struct trial *trial,
                         struct comparison *comparison, struct error *error)
{
    return problem->kind->poison(problem, rung, false, error) &&
           trial_last_call(problem, rung, trial, error) &&
           problem->kind->check(problem, rung, comparison, error);
}
/* SPDX-License-Identifier: MIT */
