/* Step 03: the CPU's loop, unchanged, on one thread of a GPU. `in` says what is reduced: see
 * common/reduce.cuh. */
#include "reduce.cuh"

/* One thread, one accumulator: the definition again.
 *
 * Right, and a lesson in what a GPU is not. One thread has a latency of hundreds of cycles to memory
 * and nothing to do meanwhile; the GPU hides that latency with thousands of other threads, of which
 * there are none here. */
template <typename R>
__global__ void single_thread(R in, size_t n, typename R::value *result)
{
    typename R::value sum = R::identity();
    for (size_t i = 0; i < n; i++)
        sum = R::combine(sum, in.term(i));
    *result = sum;
}

extern "C" void launch_single_thread(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        typedef typename decltype(in)::value value;
        single_thread<<<1, 1>>>(in, call->n, (value *)call->result);
    });
}
