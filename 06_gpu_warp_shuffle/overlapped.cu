/* Step 06: launches that overlap (programmatic dependent launch), on Hopper (sm_90) and later GPUs.
 * On the CPU back end they run one after the other.
 *
 * The next kernel in the stream may start on free SMs while this one still runs. There it waits
 * until this one's stores are visible. So a series of calls pays only part of each launch. */
#include "kernel/blocks.cuh"
#include "kernel/overlap.cuh"
#include "kernel/reduce.cuh"
#include "launch_shape.cuh"
#include "warp_reduce.cuh"

/* The rung shape_by_size with launches that overlap. The syntax <<<>>> has no place for a launch
 * attribute, so cudaLaunchKernelEx takes the configuration, the kernel and its arguments.
 *
 * Better: the time of a small input was mostly launch time, and part of it is now hidden.
 * Still bad: loads pass through registers, which leaves a little bandwidth unused. */
__global__ void __launch_bounds__(256) overlapped_256x1(const element *a, const second *b, size_t n,
                                                        value *block_results, value *result)
{
    overlap_launches();
    const value mine = reduce_block(reduce_share(a, b, n, 256, 1), 256);
    finish_by_last_block(mine, block_results, result);
}

__global__ void __launch_bounds__(1024)
    overlapped_1024x1(const element *a, const second *b, size_t n, value *block_results,
                      value *result)
{
    overlap_launches();
    const value mine = reduce_block(reduce_share(a, b, n, 1024, 1), 1024);
    finish_by_last_block(mine, block_results, result);
}

__global__ void __launch_bounds__(1024)
    overlapped_1024x2(const element *a, const second *b, size_t n, value *block_results,
                      value *result)
{
    overlap_launches();
    const value mine = reduce_block(reduce_share(a, b, n, 1024, 2), 1024);
    finish_by_last_block(mine, block_results, result);
}

__global__ void __launch_bounds__(1024)
    overlapped_1024x4(const element *a, const second *b, size_t n, value *block_results,
                      value *result)
{
    overlap_launches();
    const value mine = reduce_block(reduce_share(a, b, n, 1024, 4), 1024);
    finish_by_last_block(mine, block_results, result);
}

void launch_overlapped(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const cudaStream_t stream = (cudaStream_t)call->stream;
    const struct shape shape = shape_for_size(call);
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = overlapping((const void *)overlapped_256x1, shape.blocks,
                                                  shape.threads, 0, stream, &attribute);

    if (shape.threads == 256)
        cudaLaunchKernelEx(&config, overlapped_256x1, a, b, call->n, block_results, result);
    else if (shape.loads == 1)
        cudaLaunchKernelEx(&config, overlapped_1024x1, a, b, call->n, block_results, result);
    else if (shape.loads == 2)
        cudaLaunchKernelEx(&config, overlapped_1024x2, a, b, call->n, block_results, result);
    else
        cudaLaunchKernelEx(&config, overlapped_1024x4, a, b, call->n, block_results, result);
}
/* SPDX-License-Identifier: MIT */
