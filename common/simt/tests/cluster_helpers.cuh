// Helpers of faults_cluster.cu: one line of PTX each. Reports name the line of the call.
#ifndef CLUSTER_HELPERS_CUH
#define CLUSTER_HELPERS_CUH

#include "ptx_helpers.cuh"

__device__ static __forceinline__ unsigned cluster_rank()
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ static __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

// An address in the shared memory of another block.
__device__ static __forceinline__ unsigned mapped(const void *p, unsigned rank)
{
    unsigned result;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(result) : "r"(shared(p)), "r"(rank));
    return result;
}

__device__ static __forceinline__ float read_from(unsigned address)
{
    float result;
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(result) : "r"(address) : "memory");
    return result;
}

__device__ static __forceinline__ void arrive_at(unsigned barrier)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier)
                 : "memory");
}

// Copies to the same offset in each block whose bit is set in the mask.
__device__ static __forceinline__ void load_to(void *to, const void *from, unsigned bytes,
                                               barrier_t *b, unsigned short mask)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1], %2, [%3], %4;" ::"r"(shared(to)),
        "l"(from), "r"(bytes), "r"(shared(b)), "h"(mask)
        : "memory");
}

// Adds numbers to those at `to`. Both `to` and the mbarrier may be in another block.
__device__ static __forceinline__ void add_to(unsigned to, const void *from, unsigned bytes,
                                              unsigned barrier)
{
    asm volatile(
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
        "[%0], [%1], %2, [%3];" ::"r"(to),
        "r"(shared(from)), "r"(bytes), "r"(barrier)
        : "memory");
}

#endif
