/* Step 07, rung `added_in_shares`: the blocks that share a tile of C wait for one another, and each
 * adds up its share of the tile's sums, on Hopper (sm_90a). */
#include "in_shares.cuh"
#include "planned_work.cuh"
#include "shared_memory.cuh"

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
        float sum[THREAD_M][T::THREAD_N] = {}, rows[T::ROWS][T::THREAD_N];
        struct slot slot = {0, 0};

        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        multiply<T, TO_AND_FRO>(ring, at, share.steps, &slot, sum);
        add_slices<T>(at, ring.exchange, sum, rows);
        leave_part<T>(call, work, at, rows);
        wait_for_parts<T>(&work.sent[share.tile], count);
        store_share<T>(call, {part_of<T>(work, first, false), 2 * T::M * T::N, count}, rank, tile,
                       (float4 *)ring.exchange);
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
