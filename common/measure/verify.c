#include "measure/verify.h"

bool verify_rung(struct problem *problem, const struct rung *rung, struct comparison *comparison,
                 struct error *error)
{
    const struct problem_kind *kind = problem->kind;

    if (!kind->poison(problem, rung, error))
        return false;
    if (kind->prepare != NULL)
        kind->prepare(problem, rung);
    kind->run(problem, rung);
    return rung_back_end(rung, problem->back_end)->finish(error) &&
           kind->check(problem, rung, comparison, error);
}
