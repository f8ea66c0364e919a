/* Step 04: many threads, one result. `in` says what is reduced: see
 * common/kernel/reduce_objects.cuh. */
#include "kernel/blocks.cuh"
#include "kernel/reduce_objects.cuh"

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
        const unsigned threads = threads_of(call, race<decltype(in)>);

        set_identity<decltype(in)><<<1, 1>>>(result);
        race<<<1, threads>>>(in, call->n, result);
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
        const unsigned threads = threads_of(call, atomic_element<decltype(in)>);

        set_identity<decltype(in)><<<1, 1>>>(result);
        atomic_element<<<1, threads>>>(in, call->n, result);
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
        const unsigned threads = threads_of(call, one_block<decltype(in)>);

        set_identity<decltype(in)><<<1, 1>>>(result);
        one_block<<<1, threads>>>(in, call->n, result);
    });
}

/* The same by many blocks: a contiguous slice of the elements for each.
 *
 * Better: all multiprocessors work, and together have far more loads in flight.
 * Still bad: a slice starts wherever the one before it ends, in the middle of a sector as a rule.
 * Then a warp's 128 bytes touch five sectors in place of four. */
template <typename R>
__global__ void slices(R in, size_t n, size_t slice, typename R::value *result)
{
    const size_t first = blockIdx.x * slice, left = first < n ? n - first : 0;
    const size_t end = first + (left < slice ? left : slice);

    typename R::value mine = R::identity();
    for (size_t i = first + threadIdx.x; i < end; i += blockDim.x)
        mine = R::combine(mine, in.term(i));
    R::atomic(result, mine);
}

extern "C" void launch_slices(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const result = in.values(call->result);
        const struct blocks blocks = blocks_of(call, slices<decltype(in)>);
        const size_t slice = (call->n + blocks.count - 1) / blocks.count;

        set_identity<decltype(in)><<<1, 1>>>(result);
        slices<<<blocks.count, blocks.threads>>>(in, call->n, slice, result);
    });
}

/* A grid-stride loop in place of slices: a thread starts at its number in the grid and goes on by
 * the number of threads in the grid.
 *
 * Better: nothing to cut, and a warp starts at a multiple of 32 elements in every iteration.
 * Still bad: 1,024 atomics for each multiprocessor, all on one address. */
template <typename R>
__global__ void atomic_thread(R in, size_t n, typename R::value *result)
{
    typename R::value mine = R::identity();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        mine = R::combine(mine, in.term(i));
    R::atomic(result, mine);
}

extern "C" void launch_atomic_thread(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        auto *const result = in.values(call->result);
        const struct blocks blocks = blocks_of(call, atomic_thread<decltype(in)>);

        set_identity<decltype(in)><<<1, 1>>>(result);
        atomic_thread<<<blocks.count, blocks.threads>>>(in, call->n, result);
    });
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
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
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
        const struct blocks blocks = blocks_of(call, atomic_block<decltype(in)>);

        set_identity<decltype(in)><<<1, 1>>>(result);
        atomic_block<<<blocks.count, blocks.threads>>>(in, call->n, result);
    });
}
