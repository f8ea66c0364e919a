/* The MPI calls of ranks.c. They are in a library of their own, ranks_mpi.c. */
#ifndef RUNGS_RANKS_MPI_H
#define RUNGS_RANKS_MPI_H

#include <stddef.h>

struct rank_calls {
    void (*start)(int *rank, int *count, int *place);
    void (*broadcast)(void *data, size_t bytes, int from);
    double (*greatest)(double number);
    void (*barrier)(void);
    void (*abort)(int code);
    void (*end)(void);
};

extern const struct rank_calls ranks_mpi;

#endif
/* SPDX-License-Identifier: MIT */
