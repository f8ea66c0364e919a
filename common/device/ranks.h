/* Processes that work together, each with one GPU: the ranks that MPI's launcher has started
 * (mpirun -n N). Without one there is a single rank, number 0, and the functions do nothing.
 *
 * All ranks do the same: they parse the same arguments, make the same inputs, and verify the same
 * results. What could differ between them, and what comes next depends on, they agree on here. MPI
 * is for that alone: what GPUs send each other goes through NCCL. */
#ifndef RUNGS_RANKS_H
#define RUNGS_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the other ranks, and compares the arguments with theirs. From then on only rank 0 has a
 * standard output, and a rank that ends the program otherwise than by ranks_end() ends all. */
bool ranks_start(int argc, char **argv, struct error *error);

int ranks_count(void);
int ranks_rank(void);
int ranks_place(void); /* the number among the ranks of its machine */

/* The calls below are made by all ranks, in the same order. */

/* True if all have succeeded so far; otherwise *error is, on all ranks, that of the first rank that
 * has not. */
bool ranks_agree(bool succeeded, struct error *error);
/* What a rank has, to all. */
void ranks_broadcast(void *data, size_t bytes, int from);
/* The greatest of all ranks' numbers. */
double ranks_greatest(double number);
/* Returns when all have come. */
void ranks_meet(void);

/* The exit code that follows for all ranks from this one's. An error that the ranks have not agreed
 * on ends all of them here. */
int ranks_end(int code);
/* Whether it is this rank that tells the user of the error. */
bool ranks_tells(void);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
