/* Step 07, several GPUs: NCCL copies B. It does so with kernels of its own, on streaming
 * multiprocessors (SMs) that multiply nothing meanwhile. */
#include "library/nccl.h"

#ifdef RUNGS_NCCL

#include "library/cublas.h"
#include "library/cuda_check.h"
#include "several_gpus/several_gpus.h"

static ncclComm_t *comms;

static ncclDataType_t element_type(void)
{
    return shares.call.type == GEMM_BF16 ? ncclBfloat16 : ncclFloat;
}

void broadcast_block(void *block, size_t elements, int rank)
{
    const ncclComm_t comm = nccl_communicators(shares.call.gpus)[shares.first];

    if (elements > 0)
        CHECK_NCCL(ncclBroadcast(block, block, elements, element_type(), rank, comm, 0));
}

/* ---- B first --------------------------------------------------------------------------------- */

void prepare_all_gather(const struct gemm *call)
{
    place_and_prepare(call, B_BY_ROWS, launch_all_gather, prepare_multiply);
    comms = nccl_communicators(call->gpus);
}

/* Copies all GPUs' slots of B to all GPUs. Their products wait for that. */
static void gather_b(void)
{
    const size_t count = elements_of_slot();

    if (shares.without_copies || count == 0)
        return;
    CHECK_NCCL(ncclGroupStart());
    for (int gpu = shares.first; gpu < shares.end; gpu++)
        CHECK_NCCL(ncclAllGather(address_of_slot(gpu, gpu), address_of_slot(gpu, 0), count,
                                 element_type(), comms[gpu], shares.of[gpu].copies));
    CHECK_NCCL(ncclGroupEnd());
    for (int gpu = shares.first; gpu < shares.end; gpu++) {
        select_gpu(gpu);
        wait_for_copies(gpu);
    }
}

/* Each GPU has a share of B's rows. An all-gather copies all shares to every GPU.
 *
 * Better: B may come from a computation that was also shared, and need not lie everywhere for long.
 * Still bad: no GPU multiplies until it has all of B. */
void launch_all_gather(const struct gemm *call)
{
    (void)call; /* its shares have been placed */
    fork_gpus();
    gather_b();
    multiply_with_b(multiply);
    join_gpus();
}

/* ---- B in pieces ----------------------------------------------------------------------------- */

void prepare_nccl_pieces(const struct gemm *call)
{
    place_and_prepare(call, B_BY_COLUMNS, launch_nccl_pieces, prepare_multiply);
    comms = nccl_communicators(call->gpus);
}

/* In each step every GPU sends its own piece of B to another one, and receives another's piece. */
static void exchange_pieces(int step)
{
    const int gpus = shares.call.gpus;

    if (shares.without_copies)
        return;
    CHECK_NCCL(ncclGroupStart());
    for (int gpu = shares.first; gpu < shares.end; gpu++) {
        const int own = piece_of_b(gpu, 0), other = piece_of_b(gpu, step);
        const int to = (gpu + gpus - step) % gpus;
        cudaStream_t stream = shares.of[gpu].copies;

        if (elements_of_b(own) > 0)
            CHECK_NCCL(ncclSend(address_of_b(gpu, own), elements_of_b(own), element_type(), to,
                                comms[gpu], stream));
        if (elements_of_b(other) > 0)
            CHECK_NCCL(ncclRecv(address_of_b(gpu, other), elements_of_b(other), element_type(),
                                owner_of_b(other), comms[gpu], stream));
    }
    CHECK_NCCL(ncclGroupEnd());
    for (int gpu = shares.first; gpu < shares.end; gpu++) {
        select_gpu(gpu);
        CHECK(cudaEventRecord(shares.of[gpu].b_came[step], shares.of[gpu].copies));
    }
}

/* Each GPU has a share of B's columns. With the GPU's rows of A, it gives a part of C. The GPU
 * starts with its own share; meanwhile the next piece arrives, in another stream.
 *
 * Better: a GPU waits only for a copy that takes longer than the product before it.
 * Still bad: NCCL's kernels and those that multiply share the SMs. */
void launch_nccl_pieces(const struct gemm *call)
{
    fork_gpus();
    for (int step = 0; step < call->gpus; step++) {
        if (step > 0)
            exchange_pieces(step);
        for (int gpu = shares.first; gpu < shares.end; gpu++) {
            select_gpu(gpu);
            multiply_pieces(gpu, 0, step);
        }
    }
    join_gpus();
}

/* ---- the library ----------------------------------------------------------------------------- */

#ifdef RUNGS_CUBLAS

void prepare_cublas_nccl(const struct gemm *call)
{
    place_and_prepare(call, B_BY_ROWS, launch_cublas_nccl, cublas_prepare_gemm);
    comms = nccl_communicators(call->gpus);
}

/* Like all_gather, but with cuBLAS. */
void launch_cublas_nccl(const struct gemm *call)
{
    (void)call; /* its shares have been placed */
    fork_gpus();
    gather_b();
    multiply_with_b(cublas_gemm);
    join_gpus();
}

#endif

#else

#include "several_gpus/placement.h"

void broadcast_block(void *block, size_t elements, int rank)
{
    (void)block, (void)elements, (void)rank; /* without NCCL, no rung runs in ranks */
}

#endif
/* SPDX-License-Identifier: MIT */
