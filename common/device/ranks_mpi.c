#include "device/ranks_mpi.h"

#include <mpi.h>

/* A failure within MPI ends all ranks, with MPI's own message. */

static void start(int *rank, int *count, int *place)
{
    MPI_Comm machine;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, count);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, place);
    MPI_Comm_free(&machine);
}

static void broadcast(void *data, size_t bytes, int from)
{
    MPI_Bcast(data, (int)bytes, MPI_BYTE, from, MPI_COMM_WORLD);
}

static double greatest(double number)
{
    double all;

    MPI_Allreduce(&number, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void abort_all(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

static void end(void)
{
    MPI_Finalize();
}

const struct rank_calls ranks_mpi = {
    .start = start,
    .broadcast = broadcast,
    .greatest = greatest,
    .barrier = barrier,
    .abort = abort_all,
    .end = end,
};
/* SPDX-License-Identifier: MIT */
