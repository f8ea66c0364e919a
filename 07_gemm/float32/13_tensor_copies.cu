/* Step 07: the TMA copies the tiles of B. */
#include "float32/parts/roles.cuh"

extern "C" const char *declines_tensor_copies(const struct gemm *call)
{
    const char *const reason = declines_producer_warps(call);

    if (call->m == 0 || call->n == 0 || reason != NULL || tma_takes_b(call))
        return reason;
    return has_aligned_rows(call->b, call->ldb) ? "requires n and k below 2^31"
                                                : "requires rows of B aligned to 16 bytes";
}

/* Better: B needs no transposition, so the TMA can copy a tile of it with one instruction of one
 * thread. (A must be transposed.) Still bad: consumers have too few registers, and the TMA does not
 * copy unaligned rows of B. */
static __global__ void __launch_bounds__(THREADS, 1)
    tensor_copies(const struct gemm call, const __grid_constant__ CUtensorMap b)
{
    __shared__ phase_barrier full[Large::STAGES], free[Large::STAGES];
    const struct ring ring = make_ring<Large>(full, free, tma_b::ARRIVALS);

    if (threadIdx.x >= Large::CONSUMERS)
        produce(call, tma_b{&b}, ring);
    else
        consume<ROW_BY_ROW>(call, ring);
}

extern "C" void launch_tensor_copies(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(tensor_copies, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         Large::SHARED_BYTES);
    tensor_copies<<<tile_count(call, Large::M, Large::N), THREADS, Large::SHARED_BYTES>>>(
        *call, describe_b(call, Large::DEPTH, Large::N));
}
/* SPDX-License-Identifier: MIT */
