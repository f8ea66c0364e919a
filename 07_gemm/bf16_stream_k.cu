/* Step 07, bfloat16: all multiprocessors get the same share of the work (stream-K, Osama et al.
 * 2023). */
#include "bf16_persistent.cuh"
#include "workspace.h"

extern "C" void launch_swizzled(const struct gemm *call);

/* The first tiles are shared: their steps along k, put in a row, are divided among all clusters, a
 * contiguous range each. What is left, `whole_tiles`, is the same number of tiles for each cluster.
 * work.parts has room for the sums of a tile for each block, work.sent for a flag of each
 * warpgroup. */
template <typename Plan>
struct shared_tiles {
    const struct bf16_work &work;
    unsigned cluster, clusters, tiles, whole;
    unsigned long long begin, end; /* of its range, what is left: it is done from the end on */

    __device__ shared_tiles(const struct bf16_work &all)
        : work(all), cluster(blockIdx.x / Plan::CLUSTER), clusters(gridDim.x / Plan::CLUSTER),
          tiles(unit_count<Plan>(all)), whole(tiles - all.whole_tiles + cluster),
          begin(first_step(cluster)), end(first_step(cluster + 1))
    {
    }
    __device__ unsigned long long shared_steps() const
    {
        return (unsigned long long)(tiles - work.whole_tiles) * work.steps;
    }
    __device__ unsigned long long first_step(unsigned of_cluster) const
    {
        return shared_steps() * of_cluster / clusters;
    }
    __device__ unsigned cluster_of(unsigned long long step) const
    {
        return (unsigned)(((step + 1) * clusters - 1) / shared_steps());
    }
    /* Of its range the last tile comes first: that is the one whose sums another cluster is waiting
     * for. The first one may need sums that the cluster before it computed in the same way. */
    __device__ bool next(struct unit &unit, unsigned rank)
    {
        if (begin < end) {
            const unsigned tile = (unsigned)((end - 1) / work.steps);
            const unsigned long long first = (unsigned long long)tile * work.steps;
            unit = unit_at<Plan>(work, tile, rank);
            unit.first_step = begin > first ? (unsigned)(begin - first) : 0;
            unit.end = (unsigned)(end - first);
            end = first + unit.first_step;
            return true;
        }
        if (whole >= tiles)
            return false;
        unit = unit_at<Plan>(work, whole, rank);
        whole += clusters;
        return true;
    }
    /* The block of that cluster which has the same rank as this one. */
    __device__ unsigned block_of(unsigned of_cluster) const
    {
        return of_cluster * Plan::CLUSTER + blockIdx.x % Plan::CLUSTER;
    }
    /* A thread's sums, four by four; all threads' are next to each other. */
    __device__ float4 *part_of(unsigned block) const
    {
        return (float4 *)work.parts + (size_t)block * CONSUMERS * Plan::TILE_N / 8 + threadIdx.x;
    }
    __device__ unsigned *flag_of(unsigned block) const
    {
        return &work.sent[block * 2 + threadIdx.x / WARPGROUP];
    }
    /* Sums of a tile's first or middle steps are left for the cluster that has its last. */
    template <unsigned SUMS>
    __device__ bool completes(const struct unit &unit, float (&sum)[SUMS])
    {
        if (unit.end < work.steps) {
            send(sum);
            return false;
        }
        if (unit.first_step > 0)
            collect((unsigned long long)work.steps, sum);
        return true;
    }
    template <unsigned SUMS>
    __device__ void send(const float (&sum)[SUMS])
    {
        const unsigned block = block_of(cluster);
        float4 *const part = part_of(block);
#pragma unroll
        for (unsigned j = 0; j < SUMS; j += 4)
            part[j / 4 * CONSUMERS] = make_float4(sum[j], sum[j + 1], sum[j + 2], sum[j + 3]);
        warpgroup_barrier();
        if (threadIdx.x % WARPGROUP == 0) {
            __threadfence(); /* releases what all have stored */
            atomicExch(flag_of(block), 1);
        }
    }
    /* In a fixed order, so that the result is the same in every run. */
    template <unsigned SUMS>
    __device__ void collect(unsigned long long steps, float (&sum)[SUMS])
    {
        const unsigned long long tile = end / steps; /* the range's first: `end` is within it */
        for (unsigned other = cluster_of(tile * steps); other < cluster; other++) {
            const float4 *const part = part_of(block_of(other));
            if (threadIdx.x % WARPGROUP == 0) {
                while (atomicExch(flag_of(block_of(other)), 0) == 0) /* resets it, too */
                    ;
                __threadfence();
            }
            warpgroup_barrier();
#pragma unroll
            for (unsigned j = 0; j < SUMS; j += 4) { /* __ldcg: L1 may be stale */
                const float4 four = __ldcg(part + j / 4 * CONSUMERS);
                sum[j] += four.x;
                sum[j + 1] += four.y;
                sum[j + 2] += four.z;
                sum[j + 3] += four.w;
            }
        }
    }
};

typedef plan<256, 4, 2, true, shared_tiles> stream_plan;

/* Better than whole tiles: no last wave leaves multiprocessors idle. Still bad: tiles of 256 x 256
 * for each pair of blocks are large for a small C. */
PERSISTENT_KERNEL(stream_k_bf16, stream_plan)

/* How many clusters: as many as run at the same time, since some wait for others, but none gets so
 * little that passing on sums costs more than it saves. */
static unsigned clusters_for(const struct gemm *call, unsigned long long steps)
{
    const unsigned least_steps = 8;
    const unsigned long long most = max(steps / least_steps, 1ULL);

    return (unsigned)min(most, (unsigned long long)call->multiprocessors / stream_plan::CLUSTER);
}

extern "C" void launch_stream_k_bf16(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    if (!tma_can_load(call)) {
        launch_swizzled(call);
        return;
    }
    struct bf16_work work = work_of<stream_plan>(call);
    const unsigned tiles = unit_count<stream_plan>(work);
    const unsigned clusters = max(clusters_for(call, (unsigned long long)tiles * work.steps), 1U);
    const unsigned waves = tiles / clusters;
    /* The tiles of the last full wave are shared with those of the one that is not full. */
    if (tiles % clusters == 0)
        work.whole_tiles = tiles;
    else if (waves > 1)
        work.whole_tiles = (waves - 1) * clusters;
    work.parts = workspace_parts();
    work.sent = workspace_flags();
    const struct maps maps = maps_of<stream_plan>(call, work);
    cudaFuncSetAttribute(stream_k_bf16, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)stream_plan::SHARED_BYTES);
    launch_dependent_clusters(stream_k_bf16, stream_plan::CLUSTER, clusters * stream_plan::CLUSTER,
                              THREADS, stream_plan::SHARED_BYTES, *call, maps, work);
}
