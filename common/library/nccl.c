#include "library/nccl.h"

#include "device/back_end.h"
#include "device/ranks.h"

#ifndef RUNGS_CUDA
const char *nccl_unavailable(void)
{
    return NULL; /* simt's is always there */
}
#endif

/* With several ranks, a process has only one communicator. */
static void join_ranks(ncclComm_t *comm)
{
    ncclUniqueId id;

    if (ranks_rank() == 0)
        CHECK_NCCL(ncclGetUniqueId(&id));
    ranks_broadcast(&id, sizeof id, 0);
    CHECK_NCCL(ncclCommInitRank(comm, ranks_count(), id, ranks_rank()));
}

ncclComm_t *nccl_communicators(int gpus)
{
    static ncclComm_t made[MOST_GPUS];
    static int count;

    if (count == gpus)
        return made;
    /* Rungs should show what the links do alone, without NVLink's multicast in the switch. */
    setenv("NCCL_NVLS_ENABLE", "0", 1);
    if (ranks_count() > 1) {
        join_ranks(&made[ranks_rank()]);
        count = gpus;
        return made;
    }
    for (; count > 0; count--)
        CHECK_NCCL(ncclCommDestroy(made[count - 1]));
    CHECK_NCCL(ncclCommInitAll(made, gpus, NULL));
    count = gpus;
    return made;
}
/* SPDX-License-Identifier: MIT */
