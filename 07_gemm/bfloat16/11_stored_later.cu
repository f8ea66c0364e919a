/* Step 07, bfloat16: a tile's sums are stored while the next tile's products run. Consumers only
 * start products; the time until a step of them ends is free for the stores. With a beta that is
 * not 0, or a C that the TMA cannot store, a tile is stored at its end, as before. */
#include "bfloat16/parts/kept_tile.cuh"
#include "bfloat16/parts/launch.cuh"
#include "bfloat16/parts/plan.h"
#include "rungs.h"

typedef plan<256, 4, 1, true, every_nth, 16> later_plan;

static const unsigned PANELS = later_plan::TILE_N / PANEL, PANEL_PAIRS = 16; /* of a thread */

/* Stores 64 columns of the tile, by way of the buffer and the TMA. */
static __device__ void store_kept_panel(const CUtensorMap *c, unsigned char *buffers,
                                        unsigned panel, const struct kept_tile &kept)
{
    const unsigned thread = threadIdx.x % WARPGROUP, lane = thread % 32;
    const unsigned buffer_row = thread / 32 * 16 + lane % 16;
    unsigned char *const buffer = buffers + panel % later_plan::BUFFERS * later_plan::BUFFER_BYTES;

    wait_for_buffer<later_plan::BUFFERS - 1>(thread == 0);
#pragma unroll
    for (unsigned j = 0; j < 8; j += 2) {
        const unsigned chunk = (j + lane / 16) ^ buffer_row % 8;
        const unsigned *const pairs = kept.pairs + panel * PANEL_PAIRS + j * 2;
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                         shared_address(buffer + buffer_row * ROW_BYTES + chunk * 16)),
                     "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
                     : "memory");
    }
    store_buffer(thread == 0, c, kept.row, kept.column + panel * PANEL, buffer);
}

/* The consumers, for products of at least PANELS steps: one panel of the tile before is stored in
 * each of the first. */
static __device__ void consume_and_store(later_plan::ring ring, const struct gemm &call,
                                         const struct maps &maps, const struct bf16_work &work,
                                         unsigned)
{
    const unsigned warpgroup = warpgroup_of_thread(), stages = later_plan::STAGES;
    unsigned char *const buffers = ring.tiles + stages * ring.STAGE_BYTES +
                                   warpgroup * later_plan::BUFFERS * later_plan::BUFFER_BYTES;
    struct kept_tile kept;
    later_plan::units units;
    struct unit unit = {};

    kept.is_there = false;
    for (units.begin(work); units.next(work, unit, 0);) {
        float sum[later_plan::SUMS];
        unsigned step;

#pragma unroll
        for (step = 0; step < PANELS; step++) {
            barrier_wait(&ring.full[ring.stage], ring.parity);
            later_plan::multiply(sum, ring, warpgroup, step == 0);
            if (kept.is_there)
                store_kept_panel(&maps.c, buffers, step, kept);
            wgmma_wait<1>(); /* the step before has ended */
            if (step > 0)
                release_stage<1>(&ring.free[(ring.stage + stages - 1) % stages]);
            ring.advance();
        }
        for (; step < unit.end; step++) {
            barrier_wait(&ring.full[ring.stage], ring.parity);
            later_plan::multiply(sum, ring, warpgroup, false);
            wgmma_wait<1>();
            release_stage<1>(&ring.free[(ring.stage + stages - 1) % stages]);
            ring.advance();
        }
        wgmma_finish(sum);
        release_stage<1>(&ring.free[(ring.stage + stages - 1) % stages]);
        if (call.beta == 0 && work.c_is_mapped)
            keep_tile(call, unit.row + warpgroup * 64, unit.column, sum, kept);
        else
            later_plan::store(call, &maps.c, work, buffers, unit, warpgroup, sum);
    }
    if (kept.is_there)
#pragma unroll
        for (unsigned panel = 0; panel < PANELS; panel++)
            store_kept_panel(&maps.c, buffers, panel, kept);
    if (threadIdx.x % WARPGROUP == 0)
        store_wait();
}

/* Better: the tensor cores no longer wait while sums are rounded and put into shared memory, 64
 * columns at a time. Still bad: a tile's last products must end before its sums are rounded. */
static __global__ void __launch_bounds__(THREADS, 1)
    stored_later(const struct gemm call, const __grid_constant__ struct maps maps,
                 const struct bf16_work work)
{
    multiply_units<later_plan, consume_and_store>(call, maps, work);
}

extern "C" bool bf16_can_be_stored_later(const struct gemm *call)
{
    return tma_can_load(call) && steps_along_k(call) >= PANELS;
}

extern "C" const char *declines_stored_later(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0 || bf16_can_be_stored_later(call))
        return NULL;
    return tma_can_load(call) ? "requires k > 192: a tile is stored in four steps along k"
                              : declines_tma_loads(call);
}

extern "C" void launch_stored_later(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        LAUNCH_PREPARED(stored_later, later_plan, call, 1, NULL);
}
/* SPDX-License-Identifier: MIT */
