/* Counts and checks what kernels do, on the simt back end.
 *
 * There, kernels have a call before each access to memory, which counts between count_begin and
 * count_end.
 * The runner counts every rung after it has verified all of them, on a problem small enough not to
 * take longer; with --counters or --explore, on the problem asked for. */
#ifndef RUNGS_COUNT_H
#define RUNGS_COUNT_H

#include <stdbool.h>

#include "measure/result.h"

/* Whether this program can count. The sanitizers exclude the calls. */
bool count_can(const struct back_end *back_end);

/* Start counting. Stop, and store the counters, the findings and, unless the format is
 * COUNTERS_NONE, the listing of the kernels' counters in *result. */
void count_begin(const struct back_end *back_end);
void count_end(const struct back_end *back_end, enum counters_format format, struct result *result);

#endif
/* SPDX-License-Identifier: MIT */
