/* Clusters: blocks that run at the same time on neighbouring SMs and can access each other's shared
 * memory, on Hopper (sm_90) and later GPUs. Source: PTX ISA, Cluster of Cooperative Thread
 * Arrays. */
#ifndef RUNGS_CLUSTER_CUH
#define RUNGS_CLUSTER_CUH

#include "kernel/tma.cuh"

/* The block's number in its cluster. */
static inline __device__ unsigned rank_in_cluster()
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* Waits for all threads of the cluster. */
static inline __device__ void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

/* Arrives at the barrier at that address in the shared memory of block `rank`. */
static inline __device__ void barrier_arrive_at(phase_barrier *barrier, unsigned rank)
{
    asm volatile(
        "{\n\t.reg .b32 there;\n\t"
        "mapa.shared::cluster.u32 there, %0, %1;\n\t"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n\t}" ::"r"(shared_address(barrier)),
        "r"(rank)
        : "memory");
}

/* Starts to copy the tile that begins at (row, column) into the memory of all blocks of the cluster
 * whose bits are in `blocks`, at the same address in each. In each block, the barrier at the same
 * address counts the bytes. */
static inline __device__ void copy_tile_to_blocks(void *to, const CUtensorMap *matrix, size_t row,
                                                  size_t column, phase_barrier *barrier,
                                                  unsigned short blocks)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
                 "l"(matrix), "r"((int)column), "r"((int)row), "r"(shared_address(barrier)),
                 "h"(blocks)
                 : "memory");
}

#endif
/* SPDX-License-Identifier: MIT */
