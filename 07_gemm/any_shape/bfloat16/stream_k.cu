/* Step 07, bfloat16: all SMs get about the same number of k-steps (stream-K, Osama et al. 2023). */
#include "any_shape/bfloat16/launch.cuh"
#include "any_shape/bfloat16/plan.h"
#include "parts/workspace.h"

static const unsigned PAIR = 2; /* tiles of a cluster, one below the other */

/* The k-steps of some tiles are numbered consecutively, and each cluster gets a contiguous range.
 * The other tiles, `whole_tiles`, are computed after these, as in every_nth. work.parts has room
 * for a tile's partial sums per block, and work.sent for a flag per warpgroup. */
template <typename Config>
struct stream_k {
    static const unsigned CONSUMERS = Config::WARPGROUPS * WARPGROUP;
    unsigned number; /* of the cluster's next work tile */

    __device__ void begin(const struct bf16_work &)
    {
        number = 0;
    }
    static __device__ unsigned cluster()
    {
        return blockIdx.x / PAIR;
    }
    static __device__ unsigned clusters()
    {
        return gridDim.x / PAIR;
    }
    static __device__ unsigned split_steps(const struct bf16_work &work)
    {
        return (work.count - work.whole_tiles) * work.steps;
    }
    /* Where a cluster's range begins. */
    static __device__ unsigned first_step(const struct bf16_work &work, unsigned of_cluster)
    {
        return part_begin(split_steps(work), of_cluster, clusters());
    }
    static __device__ unsigned cluster_with(const struct bf16_work &work, unsigned step)
    {
        return (unsigned)(((step + 1ULL) * clusters() - 1) / split_steps(work));
    }
    /* The last tile of a range comes first, because another cluster waits for its partial sums. The
     * first tile may need partial sums of the previous cluster, which computed these first. */
    __device__ bool next(const struct bf16_work &work, struct work_tile &tile, unsigned rank)
    {
        const unsigned from = first_step(work, cluster()), end = first_step(work, cluster() + 1);
        const unsigned first = from / work.steps, last = (end - 1) / work.steps;
        const unsigned parts = from < end ? last - first + 1 : 0;
        const unsigned whole = (work.whole_tiles + clusters() - 1 - cluster()) / clusters();
        const bool is_whole = number >= parts;
        const unsigned index = number < parts ? number : number - parts;
        const unsigned first_whole = work.count - work.whole_tiles;
        const unsigned first_of_kind = is_whole ? first_whole : 0;

        if (number >= parts + whole)
            return false;
        tile = work_tile_at<Config>(
            work, first_of_kind + (is_whole ? index * clusters() + cluster() : last - index), rank);
        tile.first_step = is_whole || index + 1 < parts ? 0 : from - first * work.steps;
        tile.end = is_whole || index > 0 ? work.steps : end - last * work.steps;
        number++;
        return true;
    }
    /* The block of that cluster with the same rank as this one. */
    static __device__ unsigned block_of(unsigned of_cluster)
    {
        return of_cluster * PAIR + blockIdx.x % PAIR;
    }
    /* A thread's partial sums, in fours. The fours of neighbouring threads are neighbours. */
    static __device__ float4 *part_of(const struct bf16_work &work, unsigned block)
    {
        return (float4 *)work.parts + (size_t)block * CONSUMERS * Config::TILE_N / 8 + threadIdx.x;
    }
    static __device__ unsigned *flag_of(const struct bf16_work &work, unsigned block)
    {
        return &work.sent[block * (CONSUMERS / WARPGROUP) + threadIdx.x / WARPGROUP];
    }
    /* Leaves the partial sums of a tile's first or middle k-steps to the cluster with its last. */
    template <unsigned SUMS>
    __device__ bool completes(const struct bf16_work &work, const struct work_tile &tile,
                              float (&sum)[SUMS])
    {
        if (tile.end < work.steps) {
            send(work, sum);
            return false;
        }
        if (tile.first_step > 0)
            collect(work, sum);
        return true;
    }
    template <unsigned SUMS>
    __device__ void send(const struct bf16_work &work, const float (&sum)[SUMS])
    {
        const unsigned block = block_of(cluster());
        float4 *const part = part_of(work, block);
#pragma unroll
        for (unsigned j = 0; j < SUMS; j += 4)
            part[j / 4 * CONSUMERS] = make_float4(sum[j], sum[j + 1], sum[j + 2], sum[j + 3]);
        warpgroup_barrier();
        if (threadIdx.x % WARPGROUP == 0) {
            __threadfence(); /* releases what all have stored */
            atomicExch(flag_of(work, block), 1);
        }
    }
    /* Adds the others' partial sums in a fixed order, for the same result in every run. */
    template <unsigned SUMS>
    __device__ void collect(const struct bf16_work &work, float (&sum)[SUMS])
    {
        const unsigned tile = first_step(work, cluster()) / work.steps; /* the range's first */
        for (unsigned other = cluster_with(work, tile * work.steps); other < cluster(); other++) {
            const float4 *const part = part_of(work, block_of(other));
            if (threadIdx.x % WARPGROUP == 0) {
                while (atomicExch(flag_of(work, block_of(other)), 0) == 0) /* also resets it */
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

/* As many clusters as run at the same time, because some wait for others. But each has at least 8
 * k-steps on average. With fewer, passing on partial sums costs more than it saves. */
static unsigned clusters_of_stream_k(unsigned tiles, unsigned steps, unsigned at_a_time)
{
    const unsigned least_steps = 8;
    const unsigned long long most = (unsigned long long)tiles * steps / least_steps;

    return (unsigned)max(min(most, (unsigned long long)at_a_time), 1ULL);
}

/* Splits that many of the tiles, or none if their k-steps do not fit in 32 bits together. */
static void split_tiles(struct bf16_work *work, unsigned tiles, unsigned split)
{
    const bool are_countable = (unsigned long long)split * work->steps <= UINT32_MAX;

    work->whole_tiles = are_countable ? tiles - split : tiles;
    work->parts = workspace_parts();
    work->sent = workspace_flags();
}

typedef config<256, 4, stream_k, 8, true> stream_config;

/* Better: no partial last wave leaves SMs idle. Still bad: tiles of 256 x 256 for each pair of
 * blocks are large for a small C. */
PERSISTENT_KERNEL(stream_k_bf16, stream_config)

extern "C" void launch_stream_k_bf16(const struct gemm *call)
{
    struct bf16_work work = work_of<stream_config>(call, PAIR, 1, 1);
    const unsigned tiles = work.count;
    const unsigned clusters =
        clusters_of_stream_k(tiles, work.steps, (unsigned)call->multiprocessors / PAIR);
    const unsigned rest = tiles % clusters;
    /* Splits the tiles of the last full wave and those of the partial wave. */
    split_tiles(&work, tiles, rest > 0 ? min(tiles, clusters + rest) : 0);
    const struct maps maps = maps_of<stream_config>(call, work);
    cudaFuncSetAttribute(stream_k_bf16, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)stream_config::SHARED_BYTES);
    launch_dependent_clusters(stream_k_bf16, PAIR, clusters * PAIR, THREADS_OF(stream_config),
                              stream_config::SHARED_BYTES, *call, maps, work);
}
/* SPDX-License-Identifier: MIT */
