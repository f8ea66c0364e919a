/* Step 07, bfloat16: how the kernel of any_shape/bfloat16/persistent.cuh loads only what lies
 * within A and B, and stores a tile: through shared memory and the TMA, or as partial sums. */
#ifndef RUNGS_07_BF16_EPILOGUE_CUH
#define RUNGS_07_BF16_EPILOGUE_CUH

#include "kernel/wgmma_widths.cuh" /* before the templates that use it */

#include "any_shape/bfloat16/work.cuh"
#include "bfloat16/parts/bf16.cuh"
#include "bfloat16/parts/hopper.cuh"

/* ---- only what lies within the matrices ------------------------------------------------------ */

/* Tensor maps of the operands, and of C if the TMA stores it. The TMA takes longer for a row
 * outside the matrix than for one inside. So the last tiles have their own map of A, with only the
 * rows that exist. */
struct maps {
    CUtensorMap a, a_last, b, c;
};

static inline __device__ void prefetch_maps(const struct maps &maps, bool of_c)
{
    prefetch_map(&maps.a);
    prefetch_map(&maps.a_last);
    prefetch_map(&maps.b);
    if (of_c)
        prefetch_map(&maps.c);
}

/* How many of a tile's rows of A and panels of B are inside the matrices. */
struct extent {
    unsigned rows, panels;
};

template <unsigned TILE_M, unsigned TILE_N>
static __device__ struct extent extent_of(const struct gemm &call, size_t row, size_t column)
{
    return {row < call.m ? (unsigned)min((size_t)TILE_M, call.m - row) : 0,
            column < call.n
                ? (unsigned)min((size_t)TILE_N / PANEL, (call.n - column + PANEL - 1) / PANEL)
                : 0};
}

static inline __device__ unsigned bytes_of(const struct extent &extent)
{
    return extent.rows * ROW_BYTES + extent.panels * PANEL_BYTES;
}

/* Loads A's rows of a k-step. The other rows keep old data, which affects only elements outside
 * C. */
template <unsigned TILE_M, unsigned TILE_N, unsigned STAGES>
static __device__ void bring_rows(const tma_ring<TILE_M, TILE_N, STAGES> &ring,
                                  const struct maps &maps, const struct extent &extent, size_t row,
                                  size_t term)
{
    if (extent.rows == TILE_M)
        copy_tile(ring.a(), &maps.a, row, term, &ring.full[ring.stage]);
    else if (extent.rows > 0)
        copy_tile(ring.a(), &maps.a_last, row, term, &ring.full[ring.stage]);
}

/* Like bring_tiles, also for a tile partly outside. bring_tiles takes fewer instructions. */
template <unsigned TILE_M, unsigned TILE_N, unsigned STAGES>
static __device__ void bring_extent(const tma_ring<TILE_M, TILE_N, STAGES> &ring,
                                    const struct maps &maps, const struct extent &extent,
                                    size_t row, size_t column, size_t term)
{
    phase_barrier *const full = &ring.full[ring.stage];

    if (extent.rows == TILE_M && extent.panels == TILE_N / PANEL) {
        bring_tiles(ring, &maps.a, &maps.b, row, column, term);
        return;
    }
    barrier_arrive_expecting(full, bytes_of(extent));
    bring_rows(ring, maps, extent, row, term);
    for (unsigned panel = 0; panel < extent.panels; panel++)
        copy_tile(ring.b() + panel * PANEL_BYTES, &maps.b, term, column + panel * PANEL, full);
}

/* Writes 64 x 64 elements to the buffer. BLENDS: beta is not 0. stmatrix writes four 8 x 8 tiles,
 * and each lane gives the address of a row of 16 bytes. The rows are swizzled, as the TMA
 * expects. */
template <bool BLENDS>
static __device__ void fill_buffer(const struct gemm &call, unsigned char *buffer, size_t row,
                                   size_t column, const float *sum)
{
    const unsigned thread = threadIdx.x % WARPGROUP, lane = thread % 32;
    const unsigned buffer_row = thread / 32 * 16 + lane % 16;

    row += thread / 32 * 16 + lane / 4;
    column += lane % 4 * 2;
#pragma unroll
    for (unsigned j = 0; j < 8; j += 2) {
        const unsigned chunk = (j + lane / 16) ^ buffer_row % 8;
        unsigned pairs[4];
#pragma unroll
        for (unsigned i = 0; i < 4; i++) {
            const float *const two = sum + j * 4 + i * 2;
            const size_t to_row = row + i % 2 * 8, to_column = column + (j + i / 2) * 8;
            float first = call.alpha * two[0], second = call.alpha * two[1];
            if (BLENDS && to_row < call.m && to_column < call.n)
                first = blend_bf16(call, to_row, to_column, two[0]);
            if (BLENDS && to_row < call.m && to_column + 1 < call.n)
                second = blend_bf16(call, to_row, to_column + 1, two[1]);
            pairs[i] = bf16_pair(first, second);
        }
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                         shared_address(buffer + buffer_row * ROW_BYTES + chunk * 16)),
                     "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
                     : "memory");
    }
}

/* Waits until at most OTHERS stores of the warpgroup still read their buffers. One of its threads,
 * `is_first`, starts all stores. */
template <unsigned OTHERS>
static __device__ void wait_for_buffer(bool is_first)
{
    if (is_first)
        store_wait_read<OTHERS>();
    warpgroup_barrier();
}

/* Stores a buffer that the warpgroup has filled. */
static inline __device__ void store_buffer(bool is_first, const CUtensorMap *c, size_t row,
                                           size_t column, const unsigned char *buffer)
{
    before_async_reads();
    warpgroup_barrier();
    if (is_first) {
        store_tile(c, row, column, buffer);
        store_commit();
    }
}

/* Stores a tile, 64 columns at a time. The TMA still reads one buffer while the warpgroup fills the
 * next, and stores the last ones during the next tile's MMAs. */
template <typename Config>
static __device__ void store_by_tma(const struct gemm &call, const CUtensorMap *c,
                                    unsigned char *buffers, const struct work_tile &tile,
                                    const float (&sum)[Config::TILE_N / 2])
{
    const bool is_first = threadIdx.x % WARPGROUP == 0;
    const size_t row = tile.row + threadIdx.x / WARPGROUP * 64;

#pragma unroll
    for (unsigned panel = 0; panel < Config::TILE_N / PANEL; panel++) {
        unsigned char *const buffer = buffers + panel % Config::BUFFERS * Config::BUFFER_BYTES;
        wait_for_buffer<Config::BUFFERS - 1>(is_first);
        if (call.beta == 0)
            fill_buffer<false>(call, buffer, row, tile.column + panel * PANEL, sum + panel * 32);
        else
            fill_buffer<true>(call, buffer, row, tile.column + panel * PANEL, sum + panel * 32);
        store_buffer(is_first, c, row, tile.column + panel * PANEL, buffer);
    }
}

/* Stores the partial sums of a split, as floats. */
template <unsigned SUMS>
static __device__ void keep_sums(const struct gemm &call, float *parts, size_t row, size_t column,
                                 const float (&sum)[SUMS])
{
    const unsigned thread = threadIdx.x % WARPGROUP;

    row += thread / 32 * 16 + thread % 32 / 4;
    column += thread % 4 * 2;
#pragma unroll
    for (unsigned j = 0; j < SUMS; j++) {
        const size_t to_row = row + j / 2 % 2 * 8, to_column = column + j / 4 * 8 + j % 2;
        if (to_row < call.m && to_column < call.n)
            parts[to_row * call.n + to_column] = sum[j];
    }
}

#endif
/* SPDX-License-Identifier: MIT */
