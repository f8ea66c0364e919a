/* Step 06, several GPUs: NCCL combines the GPUs' numbers. Every GPU gets the result; on the first
 * one, it is stored where the call expects it. */
#include "library/nccl.h"

#ifdef RUNGS_NCCL

#include "device/pool.h"
#include "library/cuda_check.h"
#include "several_gpus.h"

static ncclComm_t *comms;

void prepare_all_reduce(const struct reduction *call)
{
    place_shares(call);
    comms = nccl_communicators(call->gpus);
}

static void all_reduce(const struct reduction *call, int gpu)
{
    const ncclDataType_t type = is_f64_result(call->type) ? ncclDouble : ncclFloat;
    const struct reduction *const share = &shares.of[gpu];

    CHECK_NCCL(ncclAllReduce(share->result, gpu == shares.first ? call->result : share->result, 1,
                             type, ncclSum, comms[gpu], (cudaStream_t)share->stream));
}

/* An all-reduce in the streams, after the kernels. One thread calls for all ranks, so the calls
 * form a group. (Only for sums, because NCCL's maximum and minimum drop NaN.)
 *
 * Better: one operation replaces the copies and the second launch, and every GPU has the result.
 * Still bad: one thread launches on all GPUs, so the last one starts late. */
void launch_nccl(const struct reduction *call)
{
    fork_gpus();
    reduce_shares();
    CHECK_NCCL(ncclGroupStart());
    for (int gpu = shares.first; gpu < shares.end; gpu++)
        all_reduce(call, gpu);
    CHECK_NCCL(ncclGroupEnd());
    join_gpus();
}

/* The work of one thread. Each thread has its own current GPU. */
static void work(void *argument, int gpu)
{
    CHECK(cudaSetDevice(gpu));
    reduce_on_one_gpu(&shares.of[gpu]);
    CHECK(cudaGetLastError()); /* each thread has its own last error */
    all_reduce(argument, gpu);
}

/* One thread per GPU (device/pool.h). Each calls for its own rank, without a group.
 *
 * Better: all GPUs start at about the same time.
 * Still bad: every call has to wake the threads and wait for them. */
void launch_nccl_threads(const struct reduction *call)
{
    struct reduction argument = *call;

    fork_gpus();
    pool_run(shares.gpus, work, &argument);
    join_gpus();
}

#endif
/* SPDX-License-Identifier: MIT */
