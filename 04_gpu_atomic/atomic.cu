/* Step 04: many threads, one result. `in` says what is reduced: see common/kernel/reduce.cuh. */
#include "kernel/reduce.cuh"

static const unsigned BLOCK = REDUCTION_BLOCK;

/* The rungs below accumulate in *result, which must hold the identity before they start. */
template <typename R>
__global__ void set_identity(typename R::value *result)
{
    *result = R::identity();
}

/* A LESSON, wrong on purpose: the threads of one block divide the elements among themselves and all
 * add to the one result.
 *
 * Wrong: `*result = combine(*result, x)` is a load, an addition and a store. Between one thread's
 * load and its store other threads load the same old value, and all their stores but the last are
 * lost. */
template <typename R>
__global__ void race(R in, size_t n, typename R::value *result)
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        *result = R::combine(*result, in.term(i));
}

extern "C" void launch_race(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const result = in.values(call->result);

        set_identity<decltype(in)><<<1, 1>>>(result);
        race<<<1, BLOCK>>>(in, call->n, result);
    });
}

/* The same with an atomic addition: nothing comes between its load and its store.
 *
 * Better: right.
 * Still bad: n atomics on one address execute one after the other, and their order, which decides
 * how the sum rounds, differs from run to run. */
template <typename R>
__global__ void atomic_element(R in, size_t n, typename R::value *result)
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        R::atomic(result, in.term(i));
}

extern "C" void launch_atomic_element(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const result = in.values(call->result);

        set_identity<decltype(in)><<<1, 1>>>(result);
        atomic_element<<<1, BLOCK>>>(in, call->n, result);
    });
}

/* Each thread first adds up its elements in a register, then does one atomic.
 *
 * Better: as many atomics as there are threads, however large n is.
 * Still bad: one block runs on one multiprocessor, and all others are idle. */
template <typename R>
__global__ void one_block(R in, size_t n, typename R::value *result)
{
    typename R::value mine = R::identity();
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        mine = R::combine(mine, in.term(i));
    R::atomic(result, mine);
}

extern "C" void launch_one_block(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const result = in.values(call->result);

        set_identity<decltype(in)><<<1, 1>>>(result);
        one_block<<<1, BLOCK>>>(in, call->n, result);
    });
}

/* A thread's own additions, then the atomics. Their order is unknown; an element of the first
 * thread goes through all of them. */
static double depth_of(size_t n, size_t threads, size_t atomics)
{
    return (double)(n / threads + 1) + (double)atomics;
}

extern "C" double depth_one_block(const struct reduction *call)
{
    return depth_of(call->n, BLOCK, BLOCK);
}

/* Enough blocks to fill the GPU. */
static unsigned grid_of(const struct reduction *call)
{
    return reduction_grid(call, BLOCK, REDUCTION_BLOCKS_PER_MULTIPROCESSOR);
}

/* The same by many blocks, with a grid-stride loop: a thread starts at its number in the grid and
 * goes on by the number of threads in the grid.
 *
 * Better: all multiprocessors work, and together have far more loads in flight.
 * Still bad: 1,024 atomics for each multiprocessor, all on one address. */
template <typename R>
__global__ void atomic_thread(R in, size_t n, typename R::value *result)
{
    typename R::value mine = R::identity();
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK)
        mine = R::combine(mine, in.term(i));
    R::atomic(result, mine);
}

extern "C" void launch_atomic_thread(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const result = in.values(call->result);
        const unsigned grid = grid_of(call);

        set_identity<decltype(in)><<<1, 1>>>(result);
        atomic_thread<<<grid, BLOCK>>>(in, call->n, result);
    });
}

extern "C" double depth_atomic_thread(const struct reduction *call)
{
    const size_t threads = (size_t)grid_of(call) * BLOCK;
    return depth_of(call->n, threads, threads);
}

/* The threads of a block first combine their numbers by atomics in shared memory.
 *
 * Better: one atomic a block on the result. Those in shared memory stay on the multiprocessor, and
 * different blocks do them at the same time.
 * Still bad: within a block the atomics still execute one after the other, and where shared memory
 * has no floating-point addition of its own, each is a loop around a compare-and-swap. */
template <typename R>
__global__ void atomic_block(R in, size_t n, typename R::value *result)
{
    __shared__ typename R::value of_block;
    if (threadIdx.x == 0)
        of_block = R::identity();
    __syncthreads();

    typename R::value mine = R::identity();
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK)
        mine = R::combine(mine, in.term(i));
    R::atomic(&of_block, mine);
    __syncthreads();

    if (threadIdx.x == 0)
        R::atomic(result, of_block);
}

extern "C" void launch_atomic_block(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const result = in.values(call->result);
        const unsigned grid = grid_of(call);

        set_identity<decltype(in)><<<1, 1>>>(result);
        atomic_block<<<grid, BLOCK>>>(in, call->n, result);
    });
}

/* At worst an element goes through all atomics of its block, then through those of all blocks. */
extern "C" double depth_atomic_block(const struct reduction *call)
{
    const size_t grid = grid_of(call);
    return depth_of(call->n, grid * BLOCK, BLOCK + grid);
}
