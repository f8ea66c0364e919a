/* Step 07, bfloat16: waves of tiles that come out even, since a part of C has lower ones
 * (bfloat16/parts/even_tiles.cuh). As in any_shape/bfloat16/fitted.cu, the rows of a tile are the
 * columns of wgmma's products, of which there may be any multiple of 8; as in
 * bfloat16/11_stored_later.cu, a tile is stored while the next one's products run. For a beta of 0,
 * and a C that the TMA can store.
 *
 * even_pairs: two blocks beside each other bring A's tile together, half of it each. */
#include "bfloat16/parts/even_tiles.cuh"
#include "bfloat16/parts/kept_tile.cuh"
#include "rungs.h"

/* ---- producer -------------------------------------------------------------------------------- */

template <unsigned LOW, unsigned CLUSTER>
static __device__ void produce_even(even_ring ring, const struct gemm &,
                                    const struct even_maps &maps, const struct even_work &work,
                                    unsigned rank)
{
    even_tiles<LOW, CLUSTER> tiles(rank);
    struct even_tile tile = {};

    while (tiles.next(work, tile)) {
        const struct shares &whole = tile.is_low ? maps.low : maps.high;
        const struct shares &last = tile.is_low ? maps.low_last : maps.high_last;
        const bool is_whole = tile.rows == (tile.is_low ? LOW : HIGH);
        const CUtensorMap *const a = &(is_whole ? whole : last).of_rank[rank];
        const unsigned first = rank * (tile.is_low ? first_half(LOW) : first_half(HIGH));
        for (unsigned step = 0; step < work.steps; step++) {
            phase_barrier *const full = &ring.full[ring.stage];
            barrier_wait(&ring.free[ring.stage], ring.parity ^ 1);
            barrier_arrive_expecting(full, tile.rows * ROW_BYTES + even_ring::B_BYTES);
            if (CLUSTER == 1)
                copy_tile(ring.a(), a, tile.row, step * STEP_K, full);
            else if (first < tile.rows)
                copy_tile_to_blocks(ring.a() + first * ROW_BYTES, a, tile.row + first,
                                    step * STEP_K, full, 3);
#pragma unroll
            for (unsigned column = 0; column < TILE_N; column += PANEL)
                copy_tile(ring.b() + column * ROW_BYTES, &maps.b, step * STEP_K,
                          tile.column + column, full);
            ring.advance();
        }
    }
}

/* ---- consumers ------------------------------------------------------------------------------- */

/* Stores one part of the kept tile, ROWS rows. stmatrix writes two 8 x 8 tiles, transposed, to the
 * places that the TMA expects in swizzled rows. */
template <unsigned ROWS>
static __device__ void store_part(const CUtensorMap *c, unsigned char *buffers, unsigned part,
                                  const struct kept_tile &kept)
{
    const unsigned thread = threadIdx.x % WARPGROUP, lane = thread % 32;
    const unsigned chunk = (thread / 32 * 2 + lane / 8 % 2) ^ lane % 8;
    unsigned char *const buffer = buffers + part % BUFFERS * PART_BYTES;

    wait_for_buffer<BUFFERS - 1>(thread == 0);
#pragma unroll
    for (unsigned j = 0; j < ROWS / 8; j++) {
        const unsigned *const pairs = kept.pairs + part * PART_PAIRS + 2 * j;
        asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(
                         shared_address(buffer + (j * 8 + lane % 8) * ROW_BYTES + chunk * 16)),
                     "r"(pairs[0]), "r"(pairs[1])
                     : "memory");
    }
    store_buffer(thread == 0, c, kept.row + part * PART, kept.column, buffer);
}

template <unsigned LOW>
static __device__ void store_kept(const struct even_maps &maps, unsigned char *buffers,
                                  unsigned part, const struct kept_tile &kept, bool is_low)
{
    if (part == PARTS - 1 && is_low)
        store_part<LOW - (PARTS - 1) * PART>(&maps.c_low_last, buffers, part, kept);
    else
        store_part<PART>(&maps.c, buffers, part, kept);
}

/* Leaves the stage before the ring's current one. */
template <unsigned CLUSTER>
static __device__ void release_last(const even_ring &ring)
{
    release_stage<CLUSTER>(&ring.free[(ring.stage + STAGES - 1) % STAGES]);
}

/* What a consumer has from tile to tile. */
struct even_consumer {
    even_ring ring;
    unsigned warpgroup;
    unsigned char *buffers;
    struct kept_tile kept;
    bool low_is_kept;
};

template <unsigned ROWS, unsigned LOW, unsigned CLUSTER>
static __device__ void multiply_tile(struct even_consumer &consumer, const struct gemm &call,
                                     const struct even_maps &maps, const struct even_work &work,
                                     const struct even_tile &tile)
{
    even_ring &ring = consumer.ring;
    const unsigned panel = consumer.warpgroup * PANEL_BYTES;
    float sum[ROWS / 2];
    unsigned step;

#pragma unroll
    for (step = 0; step < PARTS; step++) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        multiply_transposed(sum, ring.b() + panel, ring.a(), step == 0);
        if (consumer.kept.is_there)
            store_kept<LOW>(maps, consumer.buffers, step, consumer.kept, consumer.low_is_kept);
        wgmma_wait<1>(); /* the step before has ended */
        if (step > 0)
            release_last<CLUSTER>(ring);
        ring.advance();
    }
    for (; step < work.steps; step++) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        multiply_transposed(sum, ring.b() + panel, ring.a(), false);
        wgmma_wait<1>();
        release_last<CLUSTER>(ring);
        ring.advance();
    }
    wgmma_finish(sum);
    release_last<CLUSTER>(ring);
    keep_tile(call, tile.row, tile.column + consumer.warpgroup * PANEL, sum, consumer.kept);
    consumer.low_is_kept = ROWS == LOW;
}

template <unsigned LOW, unsigned CLUSTER>
static __device__ void consume_even(even_ring ring, const struct gemm &call,
                                    const struct even_maps &maps, const struct even_work &work,
                                    unsigned rank)
{
    struct even_consumer consumer;
    even_tiles<LOW, CLUSTER> tiles(rank);
    struct even_tile tile = {};

    consumer.ring = ring;
    consumer.warpgroup = warpgroup_of_thread();
    consumer.buffers =
        ring.tiles + STAGES * even_ring::STAGE_BYTES + consumer.warpgroup * BUFFERS * PART_BYTES;
    consumer.kept.is_there = false;
    while (tiles.next(work, tile))
        if (tile.is_low)
            multiply_tile<LOW, LOW, CLUSTER>(consumer, call, maps, work, tile);
        else
            multiply_tile<HIGH, LOW, CLUSTER>(consumer, call, maps, work, tile);
    if (consumer.kept.is_there)
#pragma unroll
        for (unsigned part = 0; part < PARTS; part++)
            store_kept<LOW>(maps, consumer.buffers, part, consumer.kept, consumer.low_is_kept);
    if (threadIdx.x % WARPGROUP == 0)
        store_wait();
}

/* ---- the kernel ------------------------------------------------------------------------------ */

#define EVEN_KERNEL(name, low, cluster)                                                            \
    static __global__ void __launch_bounds__(THREADS, 1)                                           \
        name(const struct gemm call, const __grid_constant__ struct even_maps maps,                \
             const struct even_work work)                                                          \
    {                                                                                              \
        produce_and_consume<even_ring, cluster, struct even_maps, struct even_work,                \
                            produce_even<low, cluster>, consume_even<low, cluster>>(call, maps,    \
                                                                                    work);         \
    }

/* Better: all multiprocessors end at about the same time. Still bad: neighbours bring the same rows
 * of A. */
EVEN_KERNEL(even_waves_208, 208, 1)
EVEN_KERNEL(even_waves_232, 232, 1)

/* Better: a third less comes from L2. Still bad: the tensor cores wait while sums are rounded. */
EVEN_KERNEL(even_pairs_208, 208, 2)
EVEN_KERNEL(even_pairs_232, 232, 2)

/* ---- launch ---------------------------------------------------------------------------------- */

/* If the plan has low tiles of so many rows. */
#define LAUNCH_IF(height, by_pairs, kernel)                                                        \
    if (plan->rows == height && plan->pairs == by_pairs) {                                         \
        const struct even_prepared *const with =                                                   \
            even_prepared_for((const void *)kernel, call, plan);                                   \
        launch_dependent_clusters(kernel, with->cluster, with->blocks, THREADS, SHARED_BYTES,      \
                                  *call, with->maps, with->work);                                  \
    }

extern "C" void launch_even_tiles(const struct gemm *call, const struct bf16_plan *plan)
{
    LAUNCH_IF(208, false, even_waves_208);
    LAUNCH_IF(232, false, even_waves_232);
    LAUNCH_IF(208, true, even_pairs_208);
    LAUNCH_IF(232, true, even_pairs_232);
}

extern "C" const char *declines_even_waves(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return NULL;
    if (!tma_can_load(call) || !bf16_can_be_fitted(call))
        return declines_fitted_bf16(call);
    if (bf16_can_be_even(call))
        return NULL;
    return call->beta != 0 ? "requires beta = 0: a tile is stored after its sums have left"
                           : "requires k > 192: a tile is stored in four steps along k";
}

extern "C" const char *declines_even_pairs(const struct gemm *call)
{
    return call->multiprocessors < 2 ? "requires two multiprocessors" : declines_even_waves(call);
}

static void launch_even(const struct gemm *call, bool pairs)
{
    if (call->m == 0 || call->n == 0)
        return;
    const struct bf16_plan plan = bf16_even_plan(call, pairs, NULL);
    launch_even_tiles(call, &plan);
}

extern "C" void launch_even_waves(const struct gemm *call)
{
    launch_even(call, false);
}

extern "C" void launch_even_pairs(const struct gemm *call)
{
    launch_even(call, true);
}
/* SPDX-License-Identifier: MIT */
