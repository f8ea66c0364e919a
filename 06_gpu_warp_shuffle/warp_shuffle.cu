/* Step 06: the threads of a warp read each other's registers; shared memory is left for what passes
 * between warps. `in` says what is reduced (common/kernel/reduce_objects.cuh). The first rungs
 * launch their kernel twice, as in step 05: over the input, then over the blocks' numbers. What
 * several rungs share is in warp_reduce.cuh. */
#include "kernel/blocks.cuh"
#include "launch_shape.cuh"
#include "warp_reduce.cuh"

static const unsigned BLOCK = REDUCTION_BLOCK;

/* A tree by shuffles in every warp; thread 0 adds up the warps' results.
 *
 * Better than step 05: five rounds without shared memory and without a barrier. The one barrier
 * left is between writing and reading the warps' results.
 * Still bad: seven additions in a row by one thread. */
template <unsigned THREADS, typename R>
__global__ void shuffle(R in, size_t n, typename R::value *out)
{
    __shared__ typename R::value warp_results[THREADS / WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

    typename R::value mine = R::identity();
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (size_t)gridDim.x * THREADS)
        mine = R::combine(mine, in.term(i));

    mine = reduce_warp<R>(mine);
    if (lane == 0)
        warp_results[warp] = mine;
    __syncthreads();

    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < THREADS / WARP; w++)
            mine = R::combine(mine, warp_results[w]);
        out[blockIdx.x] = mine;
    }
}

extern "C" void launch_shuffle(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const block_results = in.values(call->workspace);
        const unsigned grid = blocks_of(call, shuffle<BLOCK, decltype(in)>).count;

        shuffle<BLOCK><<<grid, BLOCK>>>(in, call->n, block_results);
        shuffle<BLOCK><<<1, BLOCK>>>(in.finish(block_results), grid, in.values(call->result));
    });
}

/* Two levels of shuffles: every warp its lanes, and the first warp the warps.
 *
 * Better: three rounds in place of seven additions.
 * Still bad: each load brings 4 bytes a thread. */
template <unsigned THREADS, typename R>
__global__ void two_level(R in, size_t n, typename R::value *out)
{
    typename R::value mine = R::identity();
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (size_t)gridDim.x * THREADS)
        mine = R::combine(mine, in.term(i));

    mine = reduce_block<THREADS, R>(mine);
    if (threadIdx.x == 0)
        out[blockIdx.x] = mine;
}

extern "C" void launch_two_level(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const block_results = in.values(call->workspace);
        const unsigned grid = blocks_of(call, two_level<BLOCK, decltype(in)>).count;

        two_level<BLOCK><<<grid, BLOCK>>>(in, call->n, block_results);
        two_level<BLOCK><<<1, BLOCK>>>(in.finish(block_results), grid, in.values(call->result));
    });
}

/* 16-byte loads, as in step 05.
 *
 * Better: a quarter of the load instructions, and four times the bytes in flight.
 * Still bad: a thread waits for one pack before it loads the next. To keep the memory of an H200
 * busy, each multiprocessor needs some 40 KB in flight at all times (bandwidth times latency). */
template <unsigned THREADS, typename R>
__global__ void vectorized(R in, size_t n, typename R::value *out)
{
    const size_t thread = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t threads = (size_t)gridDim.x * THREADS;
    const size_t head = in.head(n), packs = (n - head) / R::PACK, tail = head + packs * R::PACK;

    typename R::value mine = R::identity();
    for (size_t p = thread; p < packs; p += threads)
        mine = R::combine(mine, in.pack(head + p * R::PACK));
    for (size_t i = thread; i < head; i += threads)
        mine = R::combine(mine, in.term(i));
    for (size_t i = tail + thread; i < n; i += threads)
        mine = R::combine(mine, in.term(i));

    mine = reduce_block<THREADS, R>(mine);
    if (threadIdx.x == 0)
        out[blockIdx.x] = mine;
}

extern "C" void launch_vectorized(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const block_results = in.values(call->workspace);
        const unsigned grid = blocks_of(call, vectorized<BLOCK, decltype(in)>).count;

        vectorized<BLOCK><<<grid, BLOCK>>>(in, call->n, block_results);
        vectorized<BLOCK><<<1, BLOCK>>>(in.finish(block_results), grid, in.values(call->result));
    });
}

/* Several packs an iteration, each added to an accumulator of its own (reduce_share).
 *
 * Better: LOADS times the bytes in flight.
 * Still bad: the second launch, which takes longer than the first for a small input. */
template <unsigned THREADS, unsigned LOADS, typename R>
__global__ void in_flight(R in, size_t n, typename R::value *out)
{
    const typename R::value mine = reduce_block<THREADS, R>(reduce_share<THREADS, LOADS>(in, n));
    if (threadIdx.x == 0)
        out[blockIdx.x] = mine;
}

extern "C" void launch_in_flight(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const block_results = in.values(call->workspace);
        const unsigned grid = blocks_of(call, in_flight<BLOCK, 4, decltype(in)>).count;

        in_flight<BLOCK, 4><<<grid, BLOCK>>>(in, call->n, block_results);
        in_flight<BLOCK, 4><<<1, BLOCK>>>(in.finish(block_results), grid, in.values(call->result));
    });
}

/* One launch: the last block to finish reduces the blocks' numbers (finish_by_last_block).
 * __launch_bounds__ is for the next rung, whose blocks of 1024 threads leave each 64 registers.
 *
 * Better: no second launch, nothing to clear, and still the same bits every time.
 * Still bad: one shape for all sizes. A small input has blocks that find nothing to read and draw a
 * ticket all the same. */
template <unsigned THREADS, unsigned LOADS, typename R>
__global__ void __launch_bounds__(THREADS)
    one_launch(R in, size_t n, typename R::value *block_results, typename R::value *result)
{
    const typename R::value mine = reduce_block<THREADS, R>(reduce_share<THREADS, LOADS>(in, n));
    finish_by_last_block<R>(mine, block_results, result);
}

extern "C" void launch_one_launch(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        const unsigned grid = blocks_of(call, one_launch<BLOCK, 4, decltype(in)>).count;

        one_launch<BLOCK, 4>
            <<<grid, BLOCK>>>(in, call->n, in.values(call->workspace), in.values(call->result));
    });
}

/* The same kernel in a shape that suits the size of the input (launch_shape.cuh).
 *
 * Better: every block has something to read, a small input needs no ticket at all, and a large one
 * has larger blocks, so fewer tickets.
 * Still bad: each launch waits until the one before has ended. */
extern "C" void launch_shape_by_size(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        with_shape_by_size(call, in.PACK, [=](auto shape, unsigned grid) {
            typedef decltype(shape) Shape; /* gcc 13.2 breaks on shape.THREADS here */

            one_launch<Shape::THREADS, Shape::LOADS>
                <<<grid, Shape::THREADS, 0, (cudaStream_t)call->stream>>>(
                    in, call->n, in.values(call->workspace), in.values(call->result));
        });
    });
}
