/* Kernels with the mistakes that reductions on a GPU can have, and a right kernel. The right one
 * shows that only the faults make the others fail. */
#include "bad_kernels.h"
#include "kernel/reduce.cuh"

static const unsigned BLOCK = REDUCTION_BLOCK;

enum fault { RIGHT, NO_BARRIER, NO_ROUND_BARRIER, NO_STRIDE, ONE_TWICE };

/* Delays all warps except for the first, so that a missing barrier always gives a wrong result. */
static __device__ void wait_unless_first_warp()
{
    if (threadIdx.x >= 32 && threadIdx.x % 32 == 0)
        for (const long long start = clock64(); clock64() - start < 20000;)
            continue;
    __syncwarp();
}

/* A tree over halves (step 05), with a fault. Shared memory is dynamic, because the CPU back end
 * fills dynamic shared memory with NaN before each block. */
__global__ void tree(int fault, const element *a, const second *b, size_t n, value *out)
{
    extern __shared__ double storage[];
    value *const partial = (value *)storage;
    const unsigned tid = threadIdx.x;

    value mine = IDENTITY;
    for (size_t i = (size_t)blockIdx.x * BLOCK + tid; i < n; i += (size_t)gridDim.x * BLOCK) {
        mine = combine(mine, term(a, b, i));
        if (fault == ONE_TWICE && i == n / 2)
            mine = combine(mine, term(a, b, i));
        if (fault == NO_STRIDE)
            break;
    }
    if (fault == NO_BARRIER)
        wait_unless_first_warp();
    partial[tid] = mine;
    if (fault != NO_BARRIER)
        __syncthreads();

    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (fault == NO_ROUND_BARRIER && stride == BLOCK / 2)
            wait_unless_first_warp();
        if (tid < stride)
            partial[tid] = combine(partial[tid], partial[tid + stride]);
        if (fault != NO_ROUND_BARRIER || stride < BLOCK / 2)
            __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

static unsigned grid_of(const struct reduction *call)
{
    return reduction_grid(call, REDUCTION_BLOCK, REDUCTION_BLOCKS_PER_MULTIPROCESSOR);
}

/* A first stage with the fault. Its blocks store their results from `out` on. */
static void first_stage(const struct reduction *call, int fault, value *out)
{
    tree<<<grid_of(call), BLOCK, BLOCK * sizeof(double)>>>(fault, (const element *)call->a,
                                                           (const second *)call->b, call->n, out);
}

/* A second stage over `count` of the blocks' results. It is right, because a missing barrier in
 * both stages could still give the right sum: the second stage could find in shared memory the
 * values that the first one left out. */
static void second_stage(const struct reduction *call, unsigned count)
{
    FINISH(tree)<<<1, BLOCK, BLOCK * sizeof(double)>>>(RIGHT, (const value *)call->workspace, NULL,
                                                       count, (value *)call->result);
}

static void two_stages(const struct reduction *call, int fault)
{
    first_stage(call, fault, (value *)call->workspace);
    second_stage(call, grid_of(call));
}

void launch_right(const struct reduction *call)
{
    two_stages(call, RIGHT);
}

void launch_nothing(const struct reduction *call)
{
    (void)call;
}

/* The first warp reads values that the others have not written yet. */
void launch_without_barrier(const struct reduction *call)
{
    two_stages(call, NO_BARRIER);
}

/* The second round of the tree does not wait for the first. */
void launch_without_round_barrier(const struct reduction *call)
{
    two_stages(call, NO_ROUND_BARRIER);
}

/* n / BLOCK is rounded down, so the last, partial block is missing. */
void launch_whole_blocks_only(const struct reduction *call)
{
    struct reduction shorter = *call;
    shorter.n = call->n / BLOCK * BLOCK;
    two_stages(&shorter, RIGHT);
}

/* Vector loads without the loop over the remaining elements. */
void launch_whole_vectors_only(const struct reduction *call)
{
    struct reduction shorter = *call;
    shorter.n = call->n / 4 * 4;
    two_stages(&shorter, RIGHT);
}

/* Each thread adds one element only, even if there are fewer threads than elements. */
void launch_without_stride(const struct reduction *call)
{
    struct reduction narrow = *call;
    narrow.multiprocessors = 1;
    two_stages(&narrow, NO_STRIDE);
}

void launch_one_twice(const struct reduction *call)
{
    two_stages(call, ONE_TWICE);
}

void launch_first_partial_only(const struct reduction *call)
{
    first_stage(call, RIGHT, (value *)call->workspace);
    second_stage(call, 1);
}

void launch_last_partial_missing(const struct reduction *call)
{
    first_stage(call, RIGHT, (value *)call->workspace);
    second_stage(call, grid_of(call) - 1);
}

/* The second stage reads one partial sum too many, which no block wrote. */
void launch_stale_partial(const struct reduction *call)
{
    first_stage(call, RIGHT, (value *)call->workspace);
    second_stage(call, grid_of(call) + 1);
}

void launch_partials_twice(const struct reduction *call)
{
    const unsigned grid = grid_of(call);

    first_stage(call, RIGHT, (value *)call->workspace);
    first_stage(call, RIGHT, (value *)call->workspace + grid);
    second_stage(call, 2 * grid);
}

void launch_first_stage_only(const struct reduction *call)
{
    first_stage(call, RIGHT, (value *)call->workspace);
}
/* SPDX-License-Identifier: MIT */
