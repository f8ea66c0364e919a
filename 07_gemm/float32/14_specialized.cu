/* Step 07: the producers release registers for the consumers. */
#include "float32/parts/roles.cuh"

/* At launch all threads have the same number of registers. The producers release some (setmaxnreg),
 * and the consumers take them. */
static const unsigned LAUNCH_REGISTERS = 168, CONSUMER_REGISTERS = 216, PRODUCER_REGISTERS = 72;
static_assert(Large::CONSUMERS * CONSUMER_REGISTERS + PRODUCERS * PRODUCER_REGISTERS <=
                  THREADS * LAUNCH_REGISTERS,
              "the consumers would wait for registers forever");

/* Better: a consumer's 128 accumulators, and its 48 elements for two values of p, fit in its
 * registers. Still bad: a multiply-add takes an extra cycle if all three operands come from the
 * register file. */
static __global__ void __launch_bounds__(THREADS, 1)
    specialized(const struct gemm call, const __grid_constant__ CUtensorMap b)
{
    __shared__ phase_barrier full[Large::STAGES], free[Large::STAGES];
    const struct ring ring = make_ring<Large>(full, free, tma_b::ARRIVALS);

    if (threadIdx.x >= Large::CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        produce(call, tma_b{&b}, ring);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        consume<ROW_BY_ROW>(call, ring);
    }
}

extern "C" void launch_specialized(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(specialized, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         Large::SHARED_BYTES);
    specialized<<<tile_count(call, Large::M, Large::N), THREADS, Large::SHARED_BYTES>>>(
        *call, describe_b(call, Large::DEPTH, Large::N));
}
/* SPDX-License-Identifier: MIT */
