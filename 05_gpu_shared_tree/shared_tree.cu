/* Step 05: the threads of a block meet in shared memory and combine their partial results in a tree.
 *
 * All kernels here begin and end alike. A grid-stride loop leaves each thread with one partial
 * result, however large n is; the thread writes it to shared memory; the block reduces those to one
 * number, which thread 0 stores in out[blockIdx.x]. What differs from rung to rung is the tree.
 *
 * `in` says what is reduced (common/reduce.cuh): in.term(i) is a[i] * b[i] for a dot product,
 * R::combine adds two of them, R::identity() is 0. reduce_two_stages launches a kernel twice, over
 * the input and then, as a single block, over the blocks' numbers. */
#include "reduce.cuh"

static const unsigned BLOCK = REDUCTION_BLOCK; /* threads; a power of two */

/* Neighbours first: in round `stride`, every thread whose number is a multiple of 2 * stride takes
 * in the value `stride` further on.
 *
 * Better than step 04: no atomics, and log2(256) = 8 rounds in place of 255 additions in a row.
 * Still bad: divergence. The working threads are spread thinly: up to stride 16 all eight warps have some,
 * in the fifth round one lane of 32 each, and a warp takes as long for one lane as for all. */
template <typename R>
__global__ void interleaved(R in, size_t n, typename R::value *out)
{
    __shared__ typename R::value partial[BLOCK];
    const unsigned tid = threadIdx.x;

    typename R::value mine = R::identity();
    for (size_t i = (size_t)blockIdx.x * BLOCK + tid; i < n; i += (size_t)gridDim.x * BLOCK)
        mine = R::combine(mine, in.term(i));
    partial[tid] = mine;
    __syncthreads();

    for (unsigned stride = 1; stride < BLOCK; stride *= 2) {
        if (tid % (2 * stride) == 0)
            partial[tid] = R::combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" void launch_interleaved(const struct reduction *call)
{
    reduce_two_stages(call, [](unsigned grid, auto in, size_t n, auto *out) {
        interleaved<<<grid, BLOCK>>>(in, n, out);
    });
}

/* The same additions, handed to the first threads: thread t does what thread 2 * stride * t did.
 *
 * Better: the working threads fill whole warps, and the warps without work are skipped.
 * Still bad: bank conflicts. Neighbouring threads now touch words 2 * stride apart, so that two, four or
 * eight threads of a warp want different words of the same one of 32 banks, and take turns. */
template <typename R>
__global__ void strided(R in, size_t n, typename R::value *out)
{
    __shared__ typename R::value partial[BLOCK];
    const unsigned tid = threadIdx.x;

    typename R::value mine = R::identity();
    for (size_t i = (size_t)blockIdx.x * BLOCK + tid; i < n; i += (size_t)gridDim.x * BLOCK)
        mine = R::combine(mine, in.term(i));
    partial[tid] = mine;
    __syncthreads();

    for (unsigned stride = 1; stride < BLOCK; stride *= 2) {
        const unsigned left = 2 * stride * tid;
        if (left < BLOCK)
            partial[left] = R::combine(partial[left], partial[left + stride]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" void launch_strided(const struct reduction *call)
{
    reduce_two_stages(call, [](unsigned grid, auto in, size_t n, auto *out) {
        strided<<<grid, BLOCK>>>(in, n, out);
    });
}

/* Halves, not neighbours: in each round the first `stride` values take in the next `stride`.
 *
 * Better: neighbouring threads touch neighbouring words, each in a bank of its own.
 * Still bad: half of the threads are idle from the first round on, and the last six rounds synchronise
 * the whole block for the work of one warp. */
template <typename R>
__global__ void sequential(R in, size_t n, typename R::value *out)
{
    __shared__ typename R::value partial[BLOCK];
    const unsigned tid = threadIdx.x;

    typename R::value mine = R::identity();
    for (size_t i = (size_t)blockIdx.x * BLOCK + tid; i < n; i += (size_t)gridDim.x * BLOCK)
        mine = R::combine(mine, in.term(i));
    partial[tid] = mine;
    __syncthreads();

    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            partial[tid] = R::combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" void launch_sequential(const struct reduction *call)
{
    reduce_two_stages(call, [](unsigned grid, auto in, size_t n, auto *out) {
        sequential<<<grid, BLOCK>>>(in, n, out);
    });
}
