/* Step 05: the threads of a block meet in shared memory and combine their partial results there.
 *
 * All kernels here begin and end alike. A grid-stride loop leaves each thread with one partial
 * result, however large n is; the thread writes it to shared memory; the block reduces those to one
 * number, which thread 0 stores in out[blockIdx.x]. What differs from rung to rung is the reduction
 * in between. The rungs from the one whose last warp finishes alone are in unrolled_tree.cu.
 *
 * Blocks cannot wait for each other within a launch. So every kernel is launched twice: over the
 * input, which leaves one number a block, and then, as a single block, over those numbers.
 *
 * `in` says what is reduced (common/kernel/reduce.cuh): in.term(i) is a[i] * b[i] for a dot
 * product, R::combine adds two of them, R::identity() is 0. */
#include "kernel/blocks.cuh"
#include "kernel/reduce.cuh"

/* Thread 0 adds up what the others left.
 *
 * Better than step 04: no atomics, and always in the same order.
 * Still bad: 255 additions in a row, while 255 threads wait. */
template <typename R>
__global__ void serial(R in, size_t n, typename R::value *out)
{
    __shared__ typename R::value partial[MOST_THREADS];
    const unsigned tid = threadIdx.x;

    typename R::value mine = R::identity();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + tid; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        mine = R::combine(mine, in.term(i));
    partial[tid] = mine;
    __syncthreads();

    if (tid == 0) {
        for (unsigned t = 1; t < blockDim.x; t++)
            mine = R::combine(mine, partial[t]);
        out[blockIdx.x] = mine;
    }
}

extern "C" void launch_serial(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const block_results = in.values(call->workspace);
        const struct blocks blocks = blocks_of(call, serial<decltype(in)>);

        serial<<<blocks.count, blocks.threads>>>(in, call->n, block_results);
        serial<<<1, blocks.threads>>>(in.finish(block_results), blocks.count,
                                      in.values(call->result));
    });
}

/* A tree over neighbours: in the round of `stride`, every thread whose number is a multiple of
 * 2 * stride adds the value `stride` further on. Indices are 64 bits wide: size_t, as for elements.
 *
 * Better: log2(256) = 8 rounds.
 * Still bad: a GPU's registers and adders have 32 bits, so a 64-bit operation is two or more
 * instructions. Divisions are routines, the 64-bit one so long that the compiled code first asks,
 * in every thread and round, whether the 32-bit one will do. */
template <typename R>
__global__ void wide_indices(R in, size_t n, typename R::value *out)
{
    __shared__ typename R::value partial[MOST_THREADS];
    const size_t tid = threadIdx.x;

    typename R::value mine = R::identity();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + tid; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        mine = R::combine(mine, in.term(i));
    partial[tid] = mine;
    __syncthreads();

    for (size_t stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0)
            partial[tid] = R::combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" void launch_wide_indices(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const block_results = in.values(call->workspace);
        const struct blocks blocks = blocks_of(call, wide_indices<decltype(in)>);

        wide_indices<<<blocks.count, blocks.threads>>>(in, call->n, block_results);
        wide_indices<<<1, blocks.threads>>>(in.finish(block_results), blocks.count,
                                            in.values(call->result));
    });
}

/* The same tree with indices of 32 bits, enough for the threads of a block; those of elements stay
 * 64 bits wide, since n may exceed 2^32.
 *
 * Better: fewer instructions for the same requests.
 * Still bad: divergence. Up to stride 16 all eight warps have working threads, in the fifth round
 * one lane of 32 each, and a warp takes as long for one lane as for all. */
template <typename R>
__global__ void interleaved(R in, size_t n, typename R::value *out)
{
    __shared__ typename R::value partial[MOST_THREADS];
    const unsigned tid = threadIdx.x;

    typename R::value mine = R::identity();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + tid; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        mine = R::combine(mine, in.term(i));
    partial[tid] = mine;
    __syncthreads();

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0)
            partial[tid] = R::combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" void launch_interleaved(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const block_results = in.values(call->workspace);
        const struct blocks blocks = blocks_of(call, interleaved<decltype(in)>);

        interleaved<<<blocks.count, blocks.threads>>>(in, call->n, block_results);
        interleaved<<<1, blocks.threads>>>(in.finish(block_results), blocks.count,
                                           in.values(call->result));
    });
}

/* The same additions by the first threads: thread t does what thread 2 * stride * t did.
 *
 * Better: the working threads fill whole warps, and warps without work skip the round.
 * Still bad: bank conflicts. Neighbouring threads now access words 2 * stride apart, so two, four
 * or eight threads of a warp need different words of the same bank, and get them one after the
 * other. */
template <typename R>
__global__ void strided(R in, size_t n, typename R::value *out)
{
    __shared__ typename R::value partial[MOST_THREADS];
    const unsigned tid = threadIdx.x;

    typename R::value mine = R::identity();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + tid; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        mine = R::combine(mine, in.term(i));
    partial[tid] = mine;
    __syncthreads();

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        const unsigned left = 2 * stride * tid;
        if (left < blockDim.x)
            partial[left] = R::combine(partial[left], partial[left + stride]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" void launch_strided(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const block_results = in.values(call->workspace);
        const struct blocks blocks = blocks_of(call, strided<decltype(in)>);

        strided<<<blocks.count, blocks.threads>>>(in, call->n, block_results);
        strided<<<1, blocks.threads>>>(in.finish(block_results), blocks.count,
                                       in.values(call->result));
    });
}

/* Halves in place of neighbours: each round adds the next `stride` values to the first `stride`.
 *
 * Better: neighbouring threads access neighbouring words, each in a bank of its own.
 * Still bad: half of the threads are idle from the first round on: after loading they do nothing
 * more. */
template <typename R>
__global__ void sequential(R in, size_t n, typename R::value *out)
{
    __shared__ typename R::value partial[MOST_THREADS];
    const unsigned tid = threadIdx.x;

    typename R::value mine = R::identity();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + tid; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        mine = R::combine(mine, in.term(i));
    partial[tid] = mine;
    __syncthreads();

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            partial[tid] = R::combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" void launch_sequential(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const block_results = in.values(call->workspace);
        const struct blocks blocks = blocks_of(call, sequential<decltype(in)>);

        sequential<<<blocks.count, blocks.threads>>>(in, call->n, block_results);
        sequential<<<1, blocks.threads>>>(in.finish(block_results), blocks.count,
                                          in.values(call->result));
    });
}

/* Two elements an iteration: they are added before anything is written to shared memory.
 *
 * Better: two loads are in flight at a time, and every thread has added something before it falls
 * idle.
 * Still bad: the last six rounds synchronise the whole block for the work of one warp. */
template <typename R>
__global__ void first_add(R in, size_t n, typename R::value *out)
{
    __shared__ typename R::value partial[MOST_THREADS];
    const unsigned tid = threadIdx.x;

    typename R::value mine = R::identity();
    size_t i = (size_t)blockIdx.x * 2 * blockDim.x + tid;
    for (; i + blockDim.x < n; i += (size_t)gridDim.x * 2 * blockDim.x)
        mine = R::combine(mine, R::combine(in.term(i), in.term(i + blockDim.x)));
    if (i < n) /* the first of a pair whose second lies past the end */
        mine = R::combine(mine, in.term(i));
    partial[tid] = mine;
    __syncthreads();

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            partial[tid] = R::combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" void launch_first_add(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const block_results = in.values(call->workspace);
        const struct blocks blocks = blocks_of(call, first_add<decltype(in)>);

        first_add<<<blocks.count, blocks.threads>>>(in, call->n, block_results);
        first_add<<<1, blocks.threads>>>(in.finish(block_results), blocks.count,
                                         in.values(call->result));
    });
}
