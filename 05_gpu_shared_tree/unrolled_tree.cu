/* Step 05, continued: the tree when the compiler knows the block's size, and when one warp does its
 * last rounds alone; then how the input is read, and how blocks' numbers meet without a second
 * launch over them. The rungs before, and what all of them share, are in shared_tree.cu. */
#include "kernel/blocks.cuh"
#include "kernel/reduce.cuh"

/* Threads of a block where the compiler must know them. */
static const unsigned BLOCK = REDUCTION_BLOCK;
static const unsigned WARP = 32;

/* The last six rounds by one warp.
 *
 * Before Volta (2017) the lanes of a warp ran in lockstep, and this was written without any
 * synchronisation and with a volatile pointer. Now each thread has a program counter of its own: a
 * lane may write before another has read, and volatile stops the compiler from reordering, not the
 * hardware. So every round reads, synchronises the warp, writes, and synchronises again. Lanes past
 * the middle write values that nobody uses: that costs nothing, and a condition would.
 *
 * Better: six rounds without a barrier for the block.
 * Still bad: the other rounds are a loop, with a comparison, a shift and a branch each. */
template <typename R>
__device__ void reduce_last_warp(typename R::value *partial, unsigned tid)
{
    typename R::value mine = partial[tid];

    mine = R::combine(mine, partial[tid + 32]);
    __syncwarp();
    partial[tid] = mine;
    __syncwarp();
    mine = R::combine(mine, partial[tid + 16]);
    __syncwarp();
    partial[tid] = mine;
    __syncwarp();
    mine = R::combine(mine, partial[tid + 8]);
    __syncwarp();
    partial[tid] = mine;
    __syncwarp();
    mine = R::combine(mine, partial[tid + 4]);
    __syncwarp();
    partial[tid] = mine;
    __syncwarp();
    mine = R::combine(mine, partial[tid + 2]);
    __syncwarp();
    partial[tid] = mine;
    __syncwarp();
    mine = R::combine(mine, partial[tid + 1]);
    __syncwarp();
    partial[tid] = mine;
}

template <typename R>
__global__ void last_warp(R in, size_t n, typename R::value *out)
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

    for (unsigned stride = blockDim.x / 2; stride > WARP; stride /= 2) {
        if (tid < stride)
            partial[tid] = R::combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid < WARP)
        reduce_last_warp<R>(partial, tid);
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" void launch_last_warp(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const block_results = in.values(call->workspace);
        const struct blocks blocks = blocks_of(call, last_warp<decltype(in)>);

        last_warp<<<blocks.count, blocks.threads>>>(in, call->n, block_results);
        last_warp<<<1, blocks.threads>>>(in.finish(block_results), blocks.count,
                                         in.values(call->result));
    });
}

/* The block size as a template parameter: the compiler knows it, and unrolls the loop over the
 * rounds.
 *
 * Better: only loads, additions, stores and barriers are left of the tree.
 * Still bad: the tree was never what took long. Each load brings 4 bytes a thread. */
template <unsigned THREADS, typename R>
__global__ void unrolled_tree(R in, size_t n, typename R::value *out)
{
    __shared__ typename R::value partial[THREADS];
    const unsigned tid = threadIdx.x;

    typename R::value mine = R::identity();
    size_t i = (size_t)blockIdx.x * 2 * THREADS + tid;
    for (; i + THREADS < n; i += (size_t)gridDim.x * 2 * THREADS)
        mine = R::combine(mine, R::combine(in.term(i), in.term(i + THREADS)));
    if (i < n) /* the first of a pair whose second lies past the end */
        mine = R::combine(mine, in.term(i));
    partial[tid] = mine;
    __syncthreads();

#pragma unroll
    for (unsigned stride = THREADS / 2; stride > WARP; stride /= 2) {
        if (tid < stride)
            partial[tid] = R::combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid < WARP)
        reduce_last_warp<R>(partial, tid);
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" void launch_unrolled_tree(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const block_results = in.values(call->workspace);
        const struct blocks blocks = blocks_of(call, unrolled_tree<BLOCK, decltype(in)>);

        unrolled_tree<BLOCK><<<blocks.count, BLOCK>>>(in, call->n, block_results);
        unrolled_tree<BLOCK>
            <<<1, BLOCK>>>(in.finish(block_results), blocks.count, in.values(call->result));
    });
}

/* 16 bytes a load: four floats or two doubles. The address must be a multiple of 16, so the few
 * elements before the first such address and after the last are read one by one. Where a and b are
 * not aligned alike, that is all of them.
 *
 * Better: a quarter of the load instructions, and more bytes in flight.
 * Still bad: one load of each operand at a time; and the tree goes through shared memory, where
 * registers would do (step 06). */
template <unsigned THREADS, typename R>
__global__ void vectorized(R in, size_t n, typename R::value *out)
{
    __shared__ typename R::value partial[THREADS];
    const unsigned tid = threadIdx.x;
    const size_t thread = (size_t)blockIdx.x * THREADS + tid, threads = (size_t)gridDim.x * THREADS;
    const size_t head = in.head(n), packs = (n - head) / R::PACK, tail = head + packs * R::PACK;

    typename R::value mine = R::identity();
    for (size_t p = thread; p < packs; p += threads)
        mine = R::combine(mine, in.pack(head + p * R::PACK));
    for (size_t i = thread; i < head; i += threads)
        mine = R::combine(mine, in.term(i));
    for (size_t i = tail + thread; i < n; i += threads)
        mine = R::combine(mine, in.term(i));
    partial[tid] = mine;
    __syncthreads();

#pragma unroll
    for (unsigned stride = THREADS / 2; stride > WARP; stride /= 2) {
        if (tid < stride)
            partial[tid] = R::combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid < WARP)
        reduce_last_warp<R>(partial, tid);
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" void launch_vectorized(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const block_results = in.values(call->workspace);
        const struct blocks blocks = blocks_of(call, vectorized<BLOCK, decltype(in)>);

        vectorized<BLOCK><<<blocks.count, BLOCK>>>(in, call->n, block_results);
        vectorized<BLOCK>
            <<<1, BLOCK>>>(in.finish(block_results), blocks.count, in.values(call->result));
    });
}

/* The block's number added to the result by an atomic: nobody has to wait for the other blocks.
 *
 * Better: no second launch over the blocks' numbers, and one atomic a block where step 04's
 * atomic_block has 256 more in shared memory.
 * Still bad: the result must hold the identity before, which takes a launch again, if one of a
 * single thread; and the blocks add in the order in which they finish, so the last bits differ from
 * run to run. */
template <typename R>
__global__ void write_identity(typename R::value *result)
{
    *result = R::identity();
}

template <unsigned THREADS, typename R>
__global__ void tree_atomic(R in, size_t n, typename R::value *result)
{
    __shared__ typename R::value partial[THREADS];
    const unsigned tid = threadIdx.x;
    const size_t thread = (size_t)blockIdx.x * THREADS + tid, threads = (size_t)gridDim.x * THREADS;
    const size_t head = in.head(n), packs = (n - head) / R::PACK, tail = head + packs * R::PACK;

    typename R::value mine = R::identity();
    for (size_t p = thread; p < packs; p += threads)
        mine = R::combine(mine, in.pack(head + p * R::PACK));
    for (size_t i = thread; i < head; i += threads)
        mine = R::combine(mine, in.term(i));
    for (size_t i = tail + thread; i < n; i += threads)
        mine = R::combine(mine, in.term(i));
    partial[tid] = mine;
    __syncthreads();

#pragma unroll
    for (unsigned stride = THREADS / 2; stride > WARP; stride /= 2) {
        if (tid < stride)
            partial[tid] = R::combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid < WARP)
        reduce_last_warp<R>(partial, tid);
    if (tid == 0)
        R::atomic(result, partial[0]);
}

extern "C" void launch_tree_atomic(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const result = in.values(call->result);
        const struct blocks blocks = blocks_of(call, tree_atomic<BLOCK, decltype(in)>);

        write_identity<decltype(in)><<<1, 1>>>(result);
        tree_atomic<BLOCK><<<blocks.count, BLOCK>>>(in, call->n, result);
    });
}
