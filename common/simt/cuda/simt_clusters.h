/* Clusters of blocks: the intrinsics of CUDA's sm_90_rt.h. */
#ifndef SIMT_CLUSTERS_H
#define SIMT_CLUSTERS_H

#include "cuda_runtime.h"

SIMT_INLINE unsigned int __isCtaShared(const void *pointer)
{
    return simt_in_shared(pointer);
}

SIMT_INLINE unsigned int __isClusterShared(const void *pointer)
{
    return simt_in_cluster(pointer);
}

SIMT_INLINE void *__cluster_map_shared_rank(const void *pointer, unsigned int rank)
{
    return simt_cluster_map(pointer, rank);
}

SIMT_INLINE unsigned int __cluster_query_shared_rank(const void *pointer)
{
    return simt_cluster_rank_of(pointer);
}

SIMT_INLINE unsigned int __clusterDimIsSpecified()
{
    return simt_cluster_is_explicit();
}

SIMT_INLINE dim3 __clusterDim()
{
    return simt_cluster_dimensions();
}

SIMT_INLINE dim3 __clusterRelativeBlockIdx()
{
    return simt_cluster_block_index();
}

SIMT_INLINE dim3 __clusterGridDimInClusters()
{
    const uint3 grid = simt_grid_dimensions(), size = simt_cluster_dimensions();
    return dim3(grid.x / size.x, grid.y / size.y, grid.z / size.z);
}

SIMT_INLINE dim3 __clusterIdx()
{
    const uint3 block = simt_block_index(), size = simt_cluster_dimensions();
    return dim3(block.x / size.x, block.y / size.y, block.z / size.z);
}

SIMT_INLINE unsigned int __clusterRelativeBlockRank()
{
    return simt_cluster_rank();
}

SIMT_INLINE unsigned int __clusterSizeInBlocks()
{
    return simt::ptx::cluster_size();
}

SIMT_INLINE void __cluster_barrier_arrive(SIMT_SITE)
{
    simt_cluster_arrive(false, simt_file, simt_line);
}

SIMT_INLINE void __cluster_barrier_arrive_relaxed(SIMT_SITE)
{
    simt_cluster_arrive(true, simt_file, simt_line);
}

SIMT_INLINE void __cluster_barrier_wait(SIMT_SITE)
{
    simt_cluster_wait(simt_file, simt_line);
}

SIMT_INLINE void __threadfence_cluster()
{
    __threadfence();
}

#endif
