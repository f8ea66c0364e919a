/* Step 07, bfloat16: a kernel with tiles of 192 x 256, 64 rows for each of three consumers. Each of
 * their threads needs 168 registers, so that none are left for a producer: the last warp to leave a
 * stage of the ring fills it again. */
#ifndef RUNGS_07_BF16_THREE_CONSUMERS_CUH
#define RUNGS_07_BF16_THREE_CONSUMERS_CUH

#include "any_shape/bfloat16/launch.cuh"

template <template <typename> class UNITS>
struct three_consumers_plan {
    typedef UNITS<three_consumers_plan> units;
    static const unsigned TILE_M = 192, TILE_N = 256, STAGES = 3, CLUSTER = 1, GROUP = 12;
    static const unsigned CONSUMERS = 3 * WARPGROUP;
    static const bool STORES_BY_TMA = false, SHARED_FIRST = false;
    typedef ::tensor_ring<TILE_M, TILE_N, STAGES> ring;

    /* A consumer's buffer: 64 x 64 elements on their way to C. */
    static const unsigned BUFFER_BYTES = 64 * ROW_BYTES;
    static const unsigned SHARED_BYTES = STAGES * ring::STAGE_BYTES + 3 * BUFFER_BYTES;
};

/* ---- who brings tiles ------------------------------------------------------------------------ */

/* What the warps share beside the ring: how many have left each stage, and which step comes next.
 * Where its tiles are is found ahead, while copies are on their way: everybody will soon be waiting
 * for a stage that is to be filled. */
template <typename Plan>
struct refill {
    unsigned left[Plan::STAGES];
    volatile unsigned number;    /* where Plan::units are */
    volatile size_t row, column; /* of the unit, and of its tiles what there is */
    volatile unsigned step, end, rows, panels;
    volatile bool is_over;
};

template <typename Plan>
static __device__ void find_next_unit(struct refill<Plan> &refill, const struct gemm &call,
                                      const struct bf16_work &work)
{
    typename Plan::units units = {refill.number};
    struct unit unit = {};

    refill.is_over = !units.next(work, unit, 0);
    const struct extent extent = extent_of<Plan::TILE_M, Plan::TILE_N>(call, unit.row, unit.column);
    refill.row = unit.row;
    refill.column = unit.column;
    refill.step = unit.first_step;
    refill.end = unit.end;
    refill.rows = extent.rows;
    refill.panels = extent.panels;
    refill.number = units.number;
}

/* One thread fills the ring's current stage. */
template <typename Plan>
static __device__ void fill_stage(const typename Plan::ring &ring, struct refill<Plan> &refill,
                                  const struct gemm &call, const struct maps &maps,
                                  const struct bf16_work &work)
{
    if (refill.is_over)
        return;
    const unsigned step = refill.step;
    const struct extent extent = {refill.rows, refill.panels};

    bring_extent(ring, maps, extent, refill.row, refill.column, (size_t)step * STEP_K);
    refill.step = step + 1;
    if (step + 1 == refill.end)
        find_next_unit(refill, call, work);
}

/* The warp is through with the stage before the ring's current one. If it is the last of all, it
 * fills it. By the fences, that comes after what the others have read there, and after the stage
 * before was filled: whoever did that has left this one since. */
template <typename Plan>
static __device__ void leave_stage(typename Plan::ring ring, struct refill<Plan> &refill,
                                   const struct gemm &call, const struct maps &maps,
                                   const struct bf16_work &work)
{
    const unsigned last = Plan::CONSUMERS / 32 - 1;

    ring.stage = (ring.stage + Plan::STAGES - 1) % Plan::STAGES;
    __syncwarp();
    if (threadIdx.x % 32 > 0)
        return;
    __threadfence_block();
    if (atomicInc(&refill.left[ring.stage], last) < last)
        return;
    __threadfence_block();
    fill_stage(ring, refill, call, maps, work);
}

/* ---- consumers ------------------------------------------------------------------------------- */

/* A warpgroup whose 64 rows are outside C only lets the stages pass. */
template <typename Plan>
static __device__ void pass(typename Plan::ring &ring, struct refill<Plan> &refill,
                            const struct gemm &call, const struct maps &maps,
                            const struct bf16_work &work, unsigned steps)
{
    for (unsigned step = 0; step < steps; step++) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        ring.advance();
        leave_stage(ring, refill, call, maps, work);
    }
}

template <typename Plan>
static __device__ void multiply_and_refill(typename Plan::ring ring, struct refill<Plan> &refill,
                                           const struct gemm &call, const struct maps &maps,
                                           const struct bf16_work &work)
{
    const unsigned warpgroup = warpgroup_of_thread(), first_row = warpgroup * 64;
    unsigned char *const buffer =
        ring.tiles + Plan::STAGES * ring.STAGE_BYTES + warpgroup * Plan::BUFFER_BYTES;
    typename Plan::units units;
    struct unit unit = {};

    for (units.begin(work); units.next(work, unit, 0);) {
        const unsigned steps = unit.end - unit.first_step;
        float sum[Plan::TILE_N / 2];

        if (unit.row + first_row >= call.m) {
            pass(ring, refill, call, maps, work, steps);
            continue;
        }
        for (unsigned step = 0; step < steps; step++) {
            barrier_wait(&ring.full[ring.stage], ring.parity);
            multiply_step(sum, ring.a() + first_row * ROW_BYTES, ring.b(), step == 0);
            wgmma_wait<1>(); /* the step before has ended */
            if (step > 0)
                leave_stage(ring, refill, call, maps, work);
            ring.advance();
        }
        wgmma_finish(sum);
        leave_stage(ring, refill, call, maps, work);
        if (!units.completes(work, unit, sum))
            continue;
        if (work.c_is_mapped && call.beta == 0)
            store_by_warps(call, buffer, unit.row + first_row, unit.column, sum);
        else
            store_sums(call, unit.row + first_row, unit.column, sum);
    }
}

/* ---- the kernel ------------------------------------------------------------------------------ */

template <typename Plan>
static __device__ void run_three_consumers(const struct gemm &call, const struct maps &maps,
                                           const struct bf16_work &work)
{
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ phase_barrier full[Plan::STAGES];
    __shared__ struct refill<Plan> refill;
    typename Plan::ring ring = {tiles, full, NULL, 0, 0};

    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < Plan::STAGES; s++) {
            barrier_create(&full[s], 1);
            refill.left[s] = 0;
        }
        barriers_created();
        typename Plan::units units;
        units.begin(work);
        refill.number = units.number;
        find_next_unit(refill, call, work);
    }
    overlap_launches();
    if (threadIdx.x == 0)
        for (unsigned s = 0; s < Plan::STAGES; s++, ring.advance())
            fill_stage(ring, refill, call, maps, work);
    __syncthreads();
    multiply_and_refill<Plan>({tiles, full, NULL, 0, 0}, refill, call, maps, work);
}

#define THREE_CONSUMERS_KERNEL(name, plan)                                                         \
    static __global__ void __launch_bounds__(plan::CONSUMERS, 1)                                   \
        name(const struct gemm call, const __grid_constant__ struct maps maps,                     \
             const struct bf16_work work)                                                          \
    {                                                                                              \
        run_three_consumers<plan>(call, maps, work);                                               \
    }

/* ---- launch ---------------------------------------------------------------------------------- */

template <typename Plan>
static struct bf16_work work_of_three(const struct gemm *call)
{
    struct bf16_work work = work_of<Plan>(call);

    work.c_is_mapped = can_be_stored(call->c, call->m, call->n, call->ldc, sizeof(uint16_t));
    return work;
}

#define LAUNCH_THREE_CONSUMERS(kernel, plan, call, blocks, work)                                   \
    do {                                                                                           \
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,                  \
                             (int)plan::SHARED_BYTES);                                             \
        launch_dependent_clusters(kernel, 1, blocks, plan::CONSUMERS, plan::SHARED_BYTES, *(call), \
                                  map_operands(call, plan::TILE_M), work);                         \
    } while (false)

#endif
/* SPDX-License-Identifier: MIT */
