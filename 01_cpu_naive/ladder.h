/* The rungs of step 01, for its table and its tests. */
#ifndef LADDER_H
#define LADDER_H

#include "problem/reduction/reduction.h"

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
#error "step 01 is about the order of additions: build it without -ffast-math"
#endif

/* `pairwise` sums this many elements or fewer in a plain loop. That is few enough for a small
 * error, and enough to hide the cost of the recursion. */
enum { PAIRWISE_BLOCK = 128 };

/* dynamic.c, naive.c, map_reduce.c */
void run_dynamic(const struct reduction *call);
void run_naive(const struct reduction *call);
void run_map_reduce_pointers(const struct reduction *call);
void run_map_reduce_inline(const struct reduction *call);

/* accuracy.c */
void run_wider_accumulator(const struct reduction *call);
void run_pairwise(const struct reduction *call);
void run_compensated(const struct reduction *call);

/* unrolled.c */
void run_unrolled(const struct reduction *call);

/* narrow_indices.c */
void run_narrow_indices(const struct reduction *call);
const char *declines_narrow_indices(const struct reduction *call);

/* checked.c */
void run_checked(const struct reduction *call);

/* one_thread.c */
void run_openblas(const struct reduction *call);

/* How often a term is rounded. A loop that is one chain uses depth_serial (reduction.h). */
double depth_wider_accumulator(const struct reduction *call);
double depth_pairwise(const struct reduction *call);
double depth_compensated(const struct reduction *call);
double depth_unrolled(const struct reduction *call);

/* Describes what a rung uses, for the report. */
void how_chain(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_wider_accumulator(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_pairwise(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_compensated(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_unrolled(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_openblas(const struct reduction *call, char text[RUNG_HOW_SIZE]);

#endif
/* SPDX-License-Identifier: MIT */
