/* Step 06: the threads of a warp read each other's registers; shared memory is left for what passes
 * between warps. `in` says what is reduced, and reduce_two_stages launches a kernel over the input
 * and then over the blocks' numbers: see common/kernel/reduce.cuh. The pieces that several rungs
 * share are in warp_reduce.cuh. */
#include "warp_reduce.cuh"

/* A tree by shuffles in every warp; thread 0 adds up the warps' results.
 *
 * Better than step 05: five rounds without shared memory and without a barrier. The one barrier
 * left is between the warps' results being written and read. Still bad: seven additions in a row by
 * one thread. */
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
    reduce_two_stages(call, [](unsigned grid, auto in, size_t n, auto *out) {
        shuffle<REDUCTION_BLOCK><<<grid, REDUCTION_BLOCK>>>(in, n, out);
    });
}

/* Two levels of shuffles: every warp its lanes, and the first warp the warps.
 *
 * Better: no row of additions is left.
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
    reduce_two_stages(call, [](unsigned grid, auto in, size_t n, auto *out) {
        two_level<REDUCTION_BLOCK><<<grid, REDUCTION_BLOCK>>>(in, n, out);
    });
}

/* 16-byte loads, as in step 05.
 *
 * Better: a quarter of the load instructions, and four times the bytes under way. Still bad: a
 * thread waits for one pack before it asks for the next. A multiprocessor must have some 40 KB
 * under way at all times to keep this memory busy (bandwidth times latency). */
template <unsigned THREADS, typename R>
__global__ void wide(R in, size_t n, typename R::value *out)
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

extern "C" void launch_wide(const struct reduction *call)
{
    reduce_two_stages(call, [](unsigned grid, auto in, size_t n, auto *out) {
        wide<REDUCTION_BLOCK><<<grid, REDUCTION_BLOCK>>>(in, n, out);
    });
}

/* Several packs at a time.
 *
 * Better: LOADS times the bytes under way.
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
    reduce_two_stages(call, [](unsigned grid, auto in, size_t n, auto *out) {
        in_flight<REDUCTION_BLOCK, 4><<<grid, REDUCTION_BLOCK>>>(in, n, out);
    });
}

/* One launch: the last block to finish reduces the blocks' numbers (finish_by_last_block).
 *
 * Better: no second launch, nothing to clear, and still the same bits every time. */
template <unsigned THREADS, unsigned LOADS, typename R>
__global__ void __launch_bounds__(THREADS)
    one_launch(R in, size_t n, typename R::value *block_results, typename R::value *result)
{
    const typename R::value mine = reduce_block<THREADS, R>(reduce_share<THREADS, LOADS>(in, n));
    finish_by_last_block<R>(mine, block_results, result);
}

template <unsigned THREADS, unsigned LOADS, typename R>
static void start_one_launch(const struct reduction *call, R in, unsigned blocks_per_multiprocessor)
{
    typedef typename R::value value;
    const unsigned grid =
        reduction_grid(call, THREADS * LOADS * R::PACK, blocks_per_multiprocessor);

    one_launch<THREADS, LOADS>
        <<<grid, THREADS>>>(in, call->n, (value *)call->workspace, (value *)call->result);
}

extern "C" void launch_one_launch(const struct reduction *call)
{
    reduce_with(call, [=](auto in) { start_one_launch<512, 4>(call, in, 2); });
}
