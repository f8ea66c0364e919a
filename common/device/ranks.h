/* Processes that work together, each with one GPU: the ranks that MPI's launcher has started
 * (mpirun -n N). Without one there is a single rank, number 0, and the functions do nothing.
 *
 * All ranks do the same: they parse the same arguments, make the same inputs, and verify the same
 * results. If a value could differ between them and decides what they do next, the ranks agree on
 * it here. MPI is used only for that; GPUs send data to each other through NCCL. */
#ifndef RUNGS_RANKS_H
#define RUNGS_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the other ranks, and compares the arguments with theirs. From then on only rank 0 has a
 * standard output. A rank that ends the program other than by ranks_end() ends all ranks. */
bool ranks_start(int argc, char **argv, struct error *error);

int ranks_count(void);
int ranks_rank(void);
int ranks_place(void); /* the number among the ranks of the same machine */

/* All ranks make the following calls, in the same order. */

/* True if all ranks have succeeded so far. Otherwise all ranks get the *error of the first rank
 * that has not. */
bool ranks_agree(bool succeeded, struct error *error);
/* Sends the data of rank `from` to all ranks. */
void ranks_broadcast(void *data, size_t bytes, int from);
/* The greatest of all ranks' numbers. */
double ranks_greatest(double number);
/* Returns when all ranks have called it. */
void ranks_meet(void);

/* The exit code of all ranks, derived from this rank's code. An error that the ranks have not
 * agreed on ends all of them here. */
int ranks_end(int code);
/* Whether this rank is the one that reports the error to the user. */
bool ranks_tells(void);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
