/* Counts and checks what kernels do, on the simt back end.
 *
 * There, kernels make a call before each access to memory. The call counts between count_begin and
 * count_end. The runner counts every rung after it has verified all of them. The problem is so
 * small that this takes no longer; with --counters or --explore, it is the problem that the user
 * asked for. */
#ifndef RUNGS_COUNT_H
#define RUNGS_COUNT_H

#include <stdbool.h>

#include "measure/result.h"

/* Whether this program can count. Builds with sanitizers do not have the calls. */
bool count_can(const struct back_end *back_end);

/* count_begin starts counting. count_end stops, and stores the counters, the findings and, unless
 * the format is COUNTERS_NONE, the listing of the kernels' counters in *result. */
void count_begin(const struct back_end *back_end);
void count_end(const struct back_end *back_end, enum counters_format format, struct result *result);

#endif
/* SPDX-License-Identifier: MIT */
