/* Step 06: the threads of a warp read each other's registers; shared memory is left for what passes
 * between warps. `in` says what is reduced, and reduce_two_stages launches a kernel over the input
 * and then over the blocks' numbers: see common/reduce.cuh. */
#include "reduce.cuh"

static const unsigned BLOCK = REDUCTION_BLOCK;
static const unsigned WARP = 32;
static const unsigned ALL_LANES = 0xffffffff;

/* Combines the values of a warp's 32 lanes; lane 0 gets the result. All lanes must call it. */
template <typename R>
__device__ typename R::value reduce_warp(typename R::value mine)
{
    for (unsigned offset = WARP / 2; offset > 0; offset /= 2)
        mine = R::combine(mine, __shfl_down_sync(ALL_LANES, mine, offset));
    return mine;
}

/* A tree by shuffles in every warp, then one warp's tree over the warps' results.
 *
 * Better than step 05: five rounds without shared memory and without a barrier; the only barrier is
 * between the warps' results being written and read.
 * Still bad: one 4-byte load at a time in flight per thread is too little to fill the memory system,
 * and the second launch costs as much as a small problem. */
template <typename R>
__global__ void shuffle(R in, size_t n, typename R::value *out)
{
    __shared__ typename R::value warp_results[BLOCK / WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

    typename R::value mine = R::identity();
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK)
        mine = R::combine(mine, in.term(i));

    mine = reduce_warp<R>(mine);
    if (lane == 0)
        warp_results[warp] = mine;
    __syncthreads();

    if (warp == 0) {
        mine = lane < BLOCK / WARP ? warp_results[lane] : R::identity();
        mine = reduce_warp<R>(mine);
        if (lane == 0)
            out[blockIdx.x] = mine;
    }
}

extern "C" void launch_shuffle(const struct reduction *call)
{
    reduce_two_stages(call, [](unsigned grid, auto in, size_t n, auto *out) {
        shuffle<<<grid, BLOCK>>>(in, n, out);
    });
}
