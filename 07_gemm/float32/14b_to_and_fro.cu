/* Step 07, side rungs of specialized: another order of the multiply-adds; overlapped launches. */
#include "kernel/overlap.cuh"

#include "float32/parts/roles.cuh"

/* At launch all threads have the same number of registers. The producers release some (setmaxnreg),
 * and the consumers take them. */
static const unsigned LAUNCH_REGISTERS = 168, CONSUMER_REGISTERS = 216, PRODUCER_REGISTERS = 72;
static_assert(Large::CONSUMERS * CONSUMER_REGISTERS + PRODUCERS * PRODUCER_REGISTERS <=
                  THREADS * LAUNCH_REGISTERS,
              "the consumers would wait for registers forever");

/* Better: each multiply-add finds one operand in the operand reuse cache (add_products). Still bad:
 * the GPU is idle between two launches. */
static __global__ void __launch_bounds__(THREADS, 1)
    to_and_fro(const struct gemm call, const __grid_constant__ CUtensorMap b)
{
    __shared__ phase_barrier full[Large::STAGES], free[Large::STAGES];
    const struct ring ring = make_ring<Large>(full, free, tma_b::ARRIVALS);

    if (threadIdx.x >= Large::CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        produce(call, tma_b{&b}, ring);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        consume<TO_AND_FRO>(call, ring);
    }
}

extern "C" void launch_to_and_fro(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(to_and_fro, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         Large::SHARED_BYTES);
    to_and_fro<<<tile_count(call, Large::M, Large::N), THREADS, Large::SHARED_BYTES>>>(
        *call, describe_b(call, Large::DEPTH, Large::N));
}

/* Better: blocks start and set up their rings while the previous kernel in the stream still runs.
 * Still bad: 128 tiles fill one wave on 132 streaming multiprocessors (SMs) well, but with 162
 * tiles the second wave has only 30. */
static __global__ void __launch_bounds__(THREADS, 1)
    overlapped(const struct gemm call, const __grid_constant__ CUtensorMap b)
{
    __shared__ phase_barrier full[Large::STAGES], free[Large::STAGES];
    const struct ring ring = make_ring<Large>(full, free, tma_b::ARRIVALS);

    overlap_launches();
    if (threadIdx.x >= Large::CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        produce(call, tma_b{&b}, ring);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        consume<TO_AND_FRO>(call, ring);
    }
}

extern "C" void launch_overlapped(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(overlapped, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         Large::SHARED_BYTES);
    launch_dependent(overlapped, tile_count(call, Large::M, Large::N), THREADS, Large::SHARED_BYTES,
                     *call, describe_b(call, Large::DEPTH, Large::N));
}
/* SPDX-License-Identifier: MIT */
