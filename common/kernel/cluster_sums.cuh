/* Clusters whose blocks add their partial sums: loads from each other's shared memory, and how many
 * such clusters run at the same time. Source: PTX ISA, mapa and ld.shared::cluster. */
#ifndef RUNGS_CLUSTER_SUMS_CUH
#define RUNGS_CLUSTER_SUMS_CUH

#include "kernel/cluster.cuh"

/* Loads the value at that address in the shared memory of block `rank`. */
static inline __device__ float load_from_block(const float *here, unsigned rank)
{
    float one;
    asm volatile("{\n\t.reg .b32 there;\n\t"
                 "mapa.shared::cluster.u32 there, %1, %2;\n\t"
                 "ld.shared::cluster.f32 %0, [there];\n\t}"
                 : "=f"(one)
                 : "r"(shared_address(here)), "r"(rank)
                 : "memory");
    return one;
}

static inline __device__ float4 load_from_block(const float4 *here, unsigned rank)
{
    float4 four;
    asm volatile("{\n\t.reg .b32 there;\n\t"
                 "mapa.shared::cluster.u32 there, %4, %5;\n\t"
                 "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there];\n\t}"
                 : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
                 : "r"(shared_address(here)), "r"(rank)
                 : "memory");
    return four;
}

/* How many clusters of that many blocks can run at the same time. */
template <typename... Parameters>
static inline unsigned most_clusters(void (*kernel)(Parameters...), unsigned cluster,
                                     unsigned threads, size_t shared_bytes)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    int clusters = 0;

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(cluster);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess
               ? (unsigned)clusters
               : 0;
}

#endif
/* SPDX-License-Identifier: MIT */
