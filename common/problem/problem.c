#include "problem/problem.h"

#include <stdio.h>

#include "base/memory.h"

const char *const problem_all_gpus[] = {"all", NULL};

const char *problem_declines(const struct problem *problem, const struct rung *rung,
                             const struct machine *machine, char text[REASON_SIZE])
{
    const int needed = rung->needs_compute_capability, found = machine->compute_capability;

    if (rung->unavailable != NULL && rung->unavailable() != NULL)
        return rung->unavailable();
    if (problem->kind->declines(problem, rung) != NULL)
        return problem->kind->declines(problem, rung);
    if (needed <= found)
        return NULL;
    snprintf(text, REASON_SIZE, "needs sm_%d, this is sm_%d", needed, found);
    return text;
}

bool problem_has_memory(const struct back_end *back_end, double arrays, double host_only,
                        struct error *error)
{
    const double copies = back_end->host_memory || back_end->clocks ? 1 : 2;
    const double bytes = copies * arrays + host_only;

    return memory_available(bytes < 0x1p63 ? (size_t)bytes : SIZE_MAX, error);
}

bool problem_evict(const struct problem *problem, const struct rung *rung,
                   const struct guarded *const arrays[], size_t count, struct error *error)
{
    const struct back_end *back_end = rung_back_end(rung, problem->back_end);
    const bool on_host = (rung->flags & RUNG_HOST) != 0;

    for (size_t i = 0; i < count; i++)
        if (!back_end->evict(on_host ? arrays[i]->host : arrays[i]->memory, arrays[i]->total,
                             error))
            return false;
    return true;
}

bool problem_join(const struct problem_options *options, const struct back_end *back_end,
                  int *count, struct error *error)
{
    *count = options->gpus == ALL_GPUS ? 0 : (int)options->gpus;
    return back_end->join(count, error);
}

bool problem_has_both_files(const struct problem_options *options, struct error *error)
{
    return (options->a == NULL) == (options->b == NULL) ||
           error_set(error, EXIT_BAD_USAGE, "--a and --b go together: there are two inputs");
}
/* SPDX-License-Identifier: MIT */
