/* The rungs of step 01, for its table and its tests. */
#ifndef NAIVE_H
#define NAIVE_H

#include "problem/reduction/reduction.h"

/* Up to this many elements `pairwise` leaves to the plain loop: few enough for a small error,
 * enough for the recursion's own cost to vanish. */
enum { PAIRWISE_BLOCK = 128 };

void run_dynamic(const struct reduction *call);
void run_naive(const struct reduction *call);
void run_map_reduce_pointers(const struct reduction *call);
void run_map_reduce_inline(const struct reduction *call);
void run_wide(const struct reduction *call);
void run_pairwise(const struct reduction *call);
void run_compensated(const struct reduction *call);
void run_unrolled(const struct reduction *call);
void run_openblas(const struct reduction *call);

/* How many roundings a term meets; depth_serial (reduction.h) where the loop is one chain. */
double depth_wide(const struct reduction *call);
double depth_pairwise(const struct reduction *call);
double depth_compensated(const struct reduction *call);
double depth_unrolled(const struct reduction *call);

void how_chain(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_wide(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_pairwise(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_compensated(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_unrolled(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_openblas(const struct reduction *call, char text[RUNG_HOW_SIZE]);

#endif
