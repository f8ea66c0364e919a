/* Step 07, rung `clustered`: the blocks that share a tile of C are a cluster, and add up their sums
 * by reading one another's shared memory, on Hopper (sm_90a). */
#include "any_shape/float32/planned_work.cuh"
#include "kernel/cluster_sums.cuh"
#include "parts/shared_memory.cuh"

/* Four neighbours in a row are a thread's `four`; it has FOURS of them after add_slices. */
template <typename T>
struct Sums {
    static const unsigned PER_ROW = T::THREAD_N / 4, FOURS = T::ROWS * PER_ROW;
    static_assert(FOURS * T::CONSUMERS * sizeof(float4) <= T::SHARED_BYTES, "they fit");
};

/* Leaves the block's sums, times alpha, where the ring was: [four][thread]. */
template <typename T>
static __device__ void leave_sums(const struct gemm &call, float4 *sums,
                                  const float rows[T::ROWS][T::THREAD_N])
{
    consumers_sync<T>(); /* all have read the last stage */
#pragma unroll
    for (unsigned i = 0; i < T::ROWS; i++)
#pragma unroll
        for (unsigned j = 0; j < T::THREAD_N; j += 4)
            sums[(i * Sums<T>::PER_ROW + j / 4) * T::CONSUMERS + threadIdx.x] =
                make_float4(call.alpha * rows[i][j], call.alpha * rows[i][j + 1],
                            call.alpha * rows[i][j + 2], call.alpha * rows[i][j + 3]);
}

/* A four of all blocks, added up in their order. */
static __device__ float4 add_blocks(const float4 *four, unsigned blocks)
{
    const unsigned AT_ONCE = 4; /* loads in flight */
    float4 total = make_float4(0, 0, 0, 0);

    for (unsigned first = 0; first < blocks; first += AT_ONCE) {
        float4 of_block[AT_ONCE];
#pragma unroll
        for (unsigned i = 0; i < AT_ONCE; i++)
            if (first + i < blocks)
                of_block[i] = load_from_block(four, first + i);
#pragma unroll
        for (unsigned i = 0; i < AT_ONCE; i++)
            if (first + i < blocks) {
                total.x += of_block[i].x;
                total.y += of_block[i].y;
                total.z += of_block[i].z;
                total.w += of_block[i].w;
            }
    }
    return total;
}

/* Each block of the cluster adds up and stores its share of the fours. */
template <typename T>
static __device__ void store_share(const struct gemm &call, const float4 *sums, struct place tile,
                                   unsigned rank, unsigned blocks)
{
    const struct within at = place_in_tile<T>();
    const bool aligned = has_aligned_rows(call.c, call.ldc);
    struct gemm scaled = call;

    scaled.alpha = 1;
    for (unsigned f = Sums<T>::FOURS * rank / blocks; f < Sums<T>::FOURS * (rank + 1) / blocks;
         f++) {
        const float4 total = add_blocks(&sums[f * T::CONSUMERS + threadIdx.x], blocks);
        const unsigned row = row_of<T>(at, at.slice * T::ROWS + f / Sums<T>::PER_ROW);

        store_4(scaled, tile.row + row, tile.column + at.column + f % Sums<T>::PER_ROW * 16,
                (const float *)&total, aligned);
    }
}

template <typename T>
static __global__ void __launch_bounds__(T::CONSUMERS + PRODUCERS, 1)
    clustered_tiles(const struct gemm call, const __grid_constant__ CUtensorMap b,
                    const struct work work)
{
    __shared__ phase_barrier full[T::STAGES], free[T::STAGES];
    const struct ring ring = make_ring<T>(full, free, tensor_b::ARRIVALS);
    const struct share share = first_share(work);
    const struct place tile = tile_at<T>(work, share.tile);
    const unsigned blocks = work.blocks / (work.row_tiles * work.column_tiles);

    if (threadIdx.x == T::CONSUMERS)
        prefetch_map(&b);
    overlap_launches();
    if (threadIdx.x >= T::CONSUMERS) {
        struct slot slot = {0, 1};

        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        produce_tile<T>(call, tensor_b{&b}, tile, share.first, share.steps, ring, &slot);
    } else {
        const struct within at = place_in_tile<T>();
        float sum[THREAD_M][T::THREAD_N] = {}, rows[T::ROWS][T::THREAD_N];
        struct slot slot = {0, 0};

        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        multiply<T, TO_AND_FRO>(ring, at, share.steps, T::SHARE, &slot, sum);
        add_slices<T>(at, ring.exchange, sum, rows);
        leave_sums<T>(call, (float4 *)ring.b, rows);
    }
    cluster_barrier();
    if (threadIdx.x < T::CONSUMERS)
        store_share<T>(call, (const float4 *)ring.b, tile, rank_in_cluster(), blocks);
    cluster_barrier(); /* nobody may end while others read its memory */
}

template <typename T>
static void launch(const struct gemm *call, const struct plan *plan)
{
    static bool allowed[MOST_GPUS];
    const struct work work = planned_work<T>(call, plan);

    allow_shared_memory(clustered_tiles<T>, T::SHARED_BYTES, allowed);
    launch_dependent_clusters(clustered_tiles<T>, plan->cluster, work.blocks,
                              T::CONSUMERS + PRODUCERS, T::SHARED_BYTES, *call,
                              describe_b(call, T::DEPTH, T::N), work);
}

void launch_clustered_tiles(const struct gemm *call, const struct plan *plan)
{
    static void (*const launches[])(const struct gemm *, const struct plan *) = {
        LAUNCHES_OF_TILES(launch),
    };
    launches[plan->shape](call, plan);
}

/* A cluster lies within a group of multiprocessors (GPC), and groups differ in size, so that the
 * device must say. */
unsigned clusters_at_once(unsigned cluster)
{
    static unsigned found[MOST_GPUS][MOST_CLUSTER + 1];
    unsigned *const clusters = &found[gpu_place()][cluster];

    if (*clusters == 0) {
        cudaFuncSetAttribute(clustered_tiles<Large>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)Large::SHARED_BYTES);
        *clusters = max(most_clusters(clustered_tiles<Large>, cluster, Large::CONSUMERS + PRODUCERS,
                                      Large::SHARED_BYTES),
                        1U);
    }
    return *clusters;
}
/* SPDX-License-Identifier: MIT */
