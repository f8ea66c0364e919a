/* Step 06: launches that overlap (programmatic dependent launch), on Hopper (sm_90) and later GPUs.
 * On the CPU back end they follow one another.
 *
 * The next kernel in the stream may start on multiprocessors that have room while this one still
 * runs. It waits there until this one's writes are visible. So calls that follow one another do not
 * pay for a launch each. */
#include "kernel/dependent_launch.cuh"
#include "launch_shape.cuh"
#include "warp_reduce.cuh"

/* The rung shape_by_size with launches that overlap.
 *
 * Better: a small input's time was mostly launch.
 * Still bad: loads pass through registers, which leaves a little bandwidth unused. */
template <unsigned THREADS, unsigned LOADS, typename R>
__global__ void __launch_bounds__(THREADS)
    overlapped(R in, size_t n, typename R::value *block_results, typename R::value *result)
{
    overlap_launches();
    const typename R::value mine = reduce_block<THREADS, R>(reduce_share<THREADS, LOADS>(in, n));
    finish_by_last_block<R>(mine, block_results, result);
}

extern "C" void launch_overlapped(const struct reduction *call)
{
    reduce_with(call, [=](auto in) {
        with_shape_by_size(call, in.PACK, [=](auto shape, unsigned grid) {
            launch_dependent_in((cudaStream_t)call->stream,
                                overlapped<shape.THREADS, shape.LOADS, decltype(in)>, grid,
                                shape.THREADS, 0, in, call->n, in.values(call->workspace),
                                in.values(call->result));
        });
    });
}
