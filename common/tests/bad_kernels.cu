/* Kernels that are wrong in the ways that reductions go wrong on a GPU, and a right one beside
 * them, which shows that the faults are all there is to catch. */
#include "bad_kernels.h"
#include "kernel/reduce_objects.cuh"

static const unsigned BLOCK = REDUCTION_BLOCK;

enum fault { RIGHT, NO_BARRIER, NO_ROUND_BARRIER, NO_STRIDE, ONE_TWICE };

/* Makes all warps but the first come late, so that a missing barrier always shows. */
__device__ static void wait_unless_first_warp()
{
    if (threadIdx.x >= 32 && threadIdx.x % 32 == 0)
        for (const long long start = clock64(); clock64() - start < 20000;)
            continue;
    __syncwarp();
}

/* A tree over halves (step 05). Shared memory is dynamic, since the CPU back end fills that with
 * NaN before each block. */
template <enum fault FAULT, typename R>
__global__ void tree(R in, size_t n, typename R::value *out)
{
    extern __shared__ double storage[];
    typename R::value *const partial = (typename R::value *)storage;
    const unsigned tid = threadIdx.x;

    typename R::value mine = R::identity();
    for (size_t i = (size_t)blockIdx.x * BLOCK + tid; i < n; i += (size_t)gridDim.x * BLOCK) {
        mine = R::combine(mine, in.term(i));
        if (FAULT == ONE_TWICE && i == n / 2)
            mine = R::combine(mine, in.term(i));
        if (FAULT == NO_STRIDE)
            break;
    }
    if (FAULT == NO_BARRIER)
        wait_unless_first_warp();
    partial[tid] = mine;
    if (FAULT != NO_BARRIER)
        __syncthreads();

    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (FAULT == NO_ROUND_BARRIER && stride == BLOCK / 2)
            wait_unless_first_warp();
        if (tid < stride)
            partial[tid] = R::combine(partial[tid], partial[tid + stride]);
        if (FAULT != NO_ROUND_BARRIER || stride < BLOCK / 2)
            __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

template <enum fault FAULT, typename R>
static void start(unsigned grid, R in, size_t n, typename R::value *out)
{
    tree<FAULT><<<grid, BLOCK, BLOCK * sizeof(double)>>>(in, n, out);
}

/* A first stage with the fault, and a second over `count(grid)` of the blocks' results. The second
 * is right: a missing barrier in both could give the right sum after all, when the second stage
 * finds in shared memory what the first left out. */
template <enum fault FAULT, typename Count>
static void two_stages_over(const struct reduction *call, Count count)
{
    const unsigned grid =
        reduction_grid(call, REDUCTION_BLOCK, REDUCTION_BLOCKS_PER_MULTIPROCESSOR);

    reduce_with(call, [=](auto in) {
        typedef typename decltype(in)::value value;
        value *const partials = (value *)call->workspace;
        start<FAULT>(grid, in, call->n, partials);
        start<RIGHT>(1, in.finish(partials), count(grid), (value *)call->result);
    });
}

template <enum fault FAULT>
static void two_stages(const struct reduction *call)
{
    two_stages_over<FAULT>(call, [](unsigned grid) { return grid; });
}

extern "C" void launch_right(const struct reduction *call)
{
    two_stages<RIGHT>(call);
}

extern "C" void launch_nothing(const struct reduction *call)
{
    (void)call;
}

/* The first warp reads what the others have not written yet. */
extern "C" void launch_without_barrier(const struct reduction *call)
{
    two_stages<NO_BARRIER>(call);
}

/* The second round of the tree does not wait for the first. */
extern "C" void launch_without_round_barrier(const struct reduction *call)
{
    two_stages<NO_ROUND_BARRIER>(call);
}

/* n / BLOCK where the last, partial block needs rounding up. */
extern "C" void launch_whole_blocks_only(const struct reduction *call)
{
    struct reduction shorter = *call;
    shorter.n = call->n / BLOCK * BLOCK;
    two_stages<RIGHT>(&shorter);
}

/* Vector loads without the loop over what is left. */
extern "C" void launch_whole_vectors_only(const struct reduction *call)
{
    struct reduction shorter = *call;
    shorter.n = call->n / 4 * 4;
    two_stages<RIGHT>(&shorter);
}

/* Each thread takes one element, however few threads there are. */
extern "C" void launch_without_stride(const struct reduction *call)
{
    struct reduction narrow = *call;
    narrow.multiprocessors = 1;
    two_stages<NO_STRIDE>(&narrow);
}

extern "C" void launch_one_twice(const struct reduction *call)
{
    two_stages<ONE_TWICE>(call);
}

extern "C" void launch_first_partial_only(const struct reduction *call)
{
    two_stages_over<RIGHT>(call, [](unsigned) { return 1u; });
}

extern "C" void launch_last_partial_missing(const struct reduction *call)
{
    two_stages_over<RIGHT>(call, [](unsigned grid) { return grid - 1; });
}

/* One partial too many: nobody wrote it. */
extern "C" void launch_stale_partial(const struct reduction *call)
{
    two_stages_over<RIGHT>(call, [](unsigned grid) { return grid + 1; });
}

extern "C" void launch_partials_twice(const struct reduction *call)
{
    const unsigned grid =
        reduction_grid(call, REDUCTION_BLOCK, REDUCTION_BLOCKS_PER_MULTIPROCESSOR);

    reduce_with(call, [=](auto in) {
        typedef typename decltype(in)::value value;
        value *const partials = (value *)call->workspace;
        start<RIGHT>(grid, in, call->n, partials);
        start<RIGHT>(grid, in, call->n, partials + grid);
        start<RIGHT>(1, in.finish(partials), 2 * grid, (value *)call->result);
    });
}

extern "C" void launch_first_stage_only(const struct reduction *call)
{
    const unsigned grid =
        reduction_grid(call, REDUCTION_BLOCK, REDUCTION_BLOCKS_PER_MULTIPROCESSOR);

    reduce_with(call, [=](auto in) {
        typedef typename decltype(in)::value value;
        start<RIGHT>(grid, in, call->n, (value *)call->workspace);
    });
}
