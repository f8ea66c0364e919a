/* Step 04: many threads, one result. `in` says what is reduced: see common/reduce.cuh. */
#include "reduce.cuh"

static const unsigned BLOCK = REDUCTION_BLOCK;

/* The rungs below all accumulate in *result, which must hold the identity before they start. */
template <typename R>
__global__ void set_identity(typename R::value *result)
{
    *result = R::identity();
}

/* A LESSON, wrong on purpose: the threads of one block share the elements among them and all add to
 * the one result.
 *
 * Wrong: `*result = combine(*result, x)` is a load, an addition and a store. Between one thread's
 * load and its store others load the same old value, and all of their stores but the last are lost. */
template <typename R>
__global__ void race(R in, size_t n, typename R::value *result)
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        *result = R::combine(*result, in.term(i));
}

extern "C" void launch_race(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        typedef decltype(in) R;
        typename R::value *const result = (typename R::value *)call->result;

        set_identity<R><<<1, 1>>>(result);
        race<<<1, BLOCK>>>(in, call->n, result);
    });
}

/* The same, with an addition that nothing can come between.
 *
 * Better: right, whatever the number of threads, so the whole grid may work.
 * Still bad: n atomics on one address are carried out one after the other, and their order, which
 * decides how the sum rounds, differs from run to run. */
template <typename R>
__global__ void atomic_element(R in, size_t n, typename R::value *result)
{
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK)
        R::atomic(result, in.term(i));
}

extern "C" void launch_atomic_element(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        typedef decltype(in) R;
        typename R::value *const result = (typename R::value *)call->result;
        const unsigned grid = reduction_grid(call, BLOCK, REDUCTION_BLOCKS_PER_MULTIPROCESSOR);

        set_identity<R><<<1, 1>>>(result);
        atomic_element<<<grid, BLOCK>>>(in, call->n, result);
    });
}

/* Add up first, then one atomic a thread.
 *
 * Better: as many atomics as there are threads, however large n is.
 * Still bad: they are still 1,024 a multiprocessor, all on one address. */
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
        typedef decltype(in) R;
        typename R::value *const result = (typename R::value *)call->result;
        const unsigned grid = reduction_grid(call, BLOCK, REDUCTION_BLOCKS_PER_MULTIPROCESSOR);

        set_identity<R><<<1, 1>>>(result);
        atomic_thread<<<grid, BLOCK>>>(in, call->n, result);
    });
}

/* The order of atomics is anyone's guess; the longest way is one that meets them all. */
extern "C" double depth_atomic_thread(const struct reduction *call)
{
    const unsigned grid = reduction_grid(call, BLOCK, REDUCTION_BLOCKS_PER_MULTIPROCESSOR);
    const size_t threads = (size_t)grid * BLOCK;
    return (double)(call->n / threads + 1) + (double)threads;
}
