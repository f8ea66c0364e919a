/* Step 07: warps with roles (warp specialization), on Hopper (sm_90a). */
#include "float32/parts/roles.cuh"

/* setmaxnreg is specific to Hopper: code for sm_90a runs on no other GPU. */
extern "C" const char *hopper_unavailable(void)
{
    int device = 0, major = 0, minor = 0;

    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    return major == 9 && minor == 0 ? NULL : "needs sm_90a, that is Hopper";
}

/* Better: the warps that multiply copy nothing, and the loop has no __syncthreads. Each stage of
 * the ring has two mbarriers, which signal that it is full or free. Warps need not stay together,
 * because while one waits, another works. Still bad: each of 128 threads issues 16 copies per tile
 * of B. Each thread has at most 168 registers, too few for a consumer. */
static __global__ void __launch_bounds__(THREADS, 1) producer_warps(const struct gemm call)
{
    __shared__ phase_barrier full[Large::STAGES], free[Large::STAGES];
    const struct ring ring = make_ring<Large>(full, free, copied_b::ARRIVALS);

    if (threadIdx.x >= Large::CONSUMERS)
        produce(call, copied_b{call.b, call.ldb, call.k, call.n}, ring);
    else
        consume<ROW_BY_ROW>(call, ring);
}

extern "C" const char *declines_producer_warps(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return NULL;
    if (call->k == 0)
        return "requires k > 0";
    return has_short_rows<Large>(call) ? NULL : "requires rows of A of at most 8 million floats";
}

extern "C" void launch_producer_warps(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(producer_warps, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         Large::SHARED_BYTES);
    producer_warps<<<tile_count(call, Large::M, Large::N), THREADS, Large::SHARED_BYTES>>>(*call);
}
/* SPDX-License-Identifier: MIT */
