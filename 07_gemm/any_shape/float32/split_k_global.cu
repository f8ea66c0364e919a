/* Step 07, rung `added_in_shares`: the blocks that share a tile of C wait for one another, and each
 * adds up its share of the tile's sums, on Hopper (sm_90a). */
#include "any_shape/float32/planned_work.cuh"
#include "parts/shared_memory.cuh"

/* Leaves the block's sums, times alpha, in its part, row-major. */
template <typename T>
static __device__ void leave_part(const struct gemm &call, const struct work &work,
                                  struct within at, const float rows[T::ROWS][T::THREAD_N])
{
    struct gemm part = call;

    part.c = part_of<T>(work, blockIdx.x, false);
    part.m = T::M;
    part.n = part.ldc = T::N;
    part.beta = 0;
    store_fours<T>(part, {0, 0}, at, rows);
}

/* Waits until all blocks of the tile have left their parts; then these are visible. The last to see
 * that resets the counter, for the next launch. */
template <typename T>
static __device__ void wait_for_parts(unsigned *arrived, unsigned parts)
{
    consumers_sync<T>();
    if (threadIdx.x == 0) {
        __threadfence(); /* releases what all have stored */
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < parts)
            ;
        __threadfence();
        if (atomicAdd(arrived, 1) == 2 * parts - 1)
            atomicExch(arrived, 0);
    }
    consumers_sync<T>();
}

/* Adds up four neighbours of the parts from `first` to before `end`, which are `stride` apart. */
static __device__ float4 add_four(const float4 *four, size_t stride, unsigned first, unsigned end)
{
    const unsigned AT_ONCE = 8; /* loads in flight */
    float4 total = make_float4(0, 0, 0, 0);

    for (; first < end; first += AT_ONCE) {
        float4 of_part[AT_ONCE];
#pragma unroll
        for (unsigned i = 0; i < AT_ONCE; i++) /* __ldcg: L1 may be stale */
            of_part[i] = __ldcg(four + min(first + i, end - 1) * stride);
#pragma unroll
        for (unsigned i = 0; i < AT_ONCE; i++)
            if (first + i < end) {
                total.x += of_part[i].x;
                total.y += of_part[i].y;
                total.z += of_part[i].z;
                total.w += of_part[i].w;
            }
    }
    return total;
}

/* Adds up and stores the block's share of the tile: fours `begin` to `end`. If there are fewer
 * fours than threads, the threads form groups, each of which adds up some of the parts. */
template <typename T>
static __device__ void store_share(const struct gemm &call, const float *parts, float4 *sums,
                                   struct place tile, unsigned begin, unsigned end, unsigned count)
{
    const size_t stride = 2 * T::M * T::N / 4;
    const unsigned fours = end - begin;
    const unsigned groups = fours < T::CONSUMERS ? min(T::CONSUMERS / fours, count) : 1;
    const unsigned group = groups > 1 ? threadIdx.x / fours : 0;
    const bool aligned = has_aligned_rows(call.c, call.ldc);
    struct gemm scaled = call;

    scaled.alpha = 1;
    for (unsigned i = begin + threadIdx.x - group * fours; i < end; i += T::CONSUMERS) {
        float4 total;

        if (group < groups)
            total = add_four((const float4 *)parts + i, stride, count * group / groups,
                             count * (group + 1) / groups);
        if (groups > 1) {
            if (group < groups)
                sums[threadIdx.x] = total;
            consumers_sync<T>();
            if (group > 0)
                return;
            for (unsigned g = 1; g < groups; g++) {
                const float4 more = sums[g * fours + threadIdx.x];
                total.x += more.x;
                total.y += more.y;
                total.z += more.z;
                total.w += more.w;
            }
        }
        store_4(scaled, tile.row + i / (T::N / 4), tile.column + i % (T::N / 4) * 4,
                (const float *)&total, aligned);
    }
}

template <typename T>
static __global__ void __launch_bounds__(T::CONSUMERS + PRODUCERS, 1)
    tiles_in_shares(const struct gemm call, const __grid_constant__ CUtensorMap b,
                    const struct work work)
{
    __shared__ phase_barrier full[T::STAGES], free[T::STAGES];
    const struct ring ring = make_ring<T>(full, free, tensor_b::ARRIVALS);
    const struct share share = first_share(work);
    const struct place tile = tile_at<T>(work, share.tile);
    const unsigned count = work.blocks / (work.row_tiles * work.column_tiles);

    if (threadIdx.x == T::CONSUMERS)
        prefetch_map(&b);
    overlap_launches();
    if (threadIdx.x >= T::CONSUMERS) {
        struct slot slot = {0, 1};

        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        produce_tile<T>(call, tensor_b{&b}, tile, share.first, share.steps, ring, &slot);
    } else {
        const struct within at = place_in_tile<T>();
        const unsigned first = share.tile * count, rank = blockIdx.x - first;
        const unsigned fours = T::M * T::N / 4;
        float sum[THREAD_M][T::THREAD_N] = {}, rows[T::ROWS][T::THREAD_N];
        struct slot slot = {0, 0};

        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        multiply<T, TO_AND_FRO>(ring, at, share.steps, T::SHARE, &slot, sum);
        add_slices<T>(at, ring.exchange, sum, rows);
        leave_part<T>(call, work, at, rows);
        wait_for_parts<T>(&work.sent[share.tile], count);
        store_share<T>(call, part_of<T>(work, first, false), (float4 *)ring.exchange, tile,
                       fours * rank / count, fours * (rank + 1) / count, count);
    }
}

template <typename T>
static void launch(const struct gemm *call, const struct plan *plan)
{
    static bool allowed[MOST_GPUS];
    const struct work work = planned_work<T>(call, plan);

    allow_shared_memory(tiles_in_shares<T>, T::SHARED_BYTES, allowed);
    launch_dependent_together(tiles_in_shares<T>, work.blocks, T::CONSUMERS + PRODUCERS,
                              T::SHARED_BYTES, *call, describe_b(call, T::DEPTH, T::N), work);
}

void launch_tiles_in_shares(const struct gemm *call, const struct plan *plan)
{
    static void (*const launches[])(const struct gemm *, const struct plan *) = {
        LAUNCHES_OF_TILES(launch),
    };
    launches[plan->shape](call, plan);
}
/* SPDX-License-Identifier: MIT */
