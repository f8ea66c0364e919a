/* Step 07, bfloat16 without wgmma: the TMA copies, on GPUs that have one (sm_90 and later). The
 * tiles and their order are as in persistent_tiles. */
#include "bfloat16_mma/parts/block_tile.cuh"
#include "kernel/launch_limits.cuh"
#include "kernel/tma.cuh"
#include "rungs.h"

static const unsigned GROUP = 8;

/* The second is for GPUs whose blocks have less shared memory. */
typedef block_tile<128, 256, 64, 4> tile_of_four_stages;
typedef block_tile<128, 256, 32, 3> tile_of_short_stages;

/* The tiles of C, and the stages per tile. */
struct tile_grid {
    unsigned rows, columns, stages;
};

/* Tensor maps. One copy loads a stage's tile of A or 64 columns of its tile of B, or stores some
 * rows of a warp's elements of C. */
struct maps {
    CUtensorMap a, b, c;
};

/* The stages in shared memory, in rows of 128 bytes. If stages are short, such a row has two rows
 * of A. Behind the stages, each warp has a buffer for some rows of C. */
template <typename T>
struct memory_of {
    typedef tma_ring<T::M * T::K / 64, T::N * T::K / 64, T::STAGES> ring;
    static const unsigned WARPS = T::THREADS / 32;
    static const unsigned STORED_ROWS = T::K / 2; /* 32 or 16: so much memory is left */
    static const unsigned STORED_BYTES = STORED_ROWS * ROW_BYTES;
    static const unsigned SHARED_BYTES = T::SHARED_BYTES + WARPS * STORED_BYTES;
    static_assert(T::WARP_N == GROUP_N, "a row of the buffer has 128 bytes");
};

/* Starts the copies of a stage: terms of the tile from k on. One thread calls this. */
template <typename T>
static __device__ void start_copies(const typename memory_of<T>::ring &ring, unsigned stage,
                                    const struct maps &maps, struct tile_of_c tile, unsigned k)
{
    phase_barrier *const full = &ring.full[stage];
    unsigned char *const a = ring.tiles + stage * T::STAGE_BYTES, *const b = a + ring.A_BYTES;

    barrier_arrive_expecting(full, T::STAGE_BYTES);
    copy_tile(a, &maps.a, tile.row * T::M, k, full);
#pragma unroll
    for (unsigned i = 0; i < T::N / GROUP_N; i++)
        copy_tile(b + i * T::K * ROW_BYTES, &maps.b, k, tile.column * T::N + i * GROUP_N, full);
}

/* Stores the warp's accumulators. stmatrix writes four 8 x 8 tiles to the buffer, swizzled as the
 * TMA expects. The TMA stores the last rows during the next tile's MMAs. */
template <typename T>
static __device__ void store_by_tma(const struct gemm &call, const CUtensorMap *c,
                                    unsigned char *buffer, size_t row, size_t column,
                                    const float (&sum)[ROWS_A][T::COLUMNS_B][4])
{
    const unsigned STORED_ROWS = memory_of<T>::STORED_ROWS, lane = threadIdx.x % 32;

#pragma unroll
    for (unsigned first = 0; first < WARP_M; first += STORED_ROWS) {
        if (lane == 0)
            store_wait_read<0>();
        __syncwarp();
#pragma unroll
        for (unsigned i = 0; i < STORED_ROWS / 16 * T::COLUMNS_B; i += 2) {
            const unsigned j = i % T::COLUMNS_B, to_row = i / T::COLUMNS_B * 16 + lane % 16;
            const unsigned chunk = (j + lane / 16) ^ to_row % 8;
            unsigned pairs[4];
#pragma unroll
            for (unsigned p = 0; p < 4; p++) {
                const float *const four = sum[first / 16 + i / T::COLUMNS_B][j + p / 2];
                pairs[p] =
                    bf16_pair(call.alpha * four[p % 2 * 2], call.alpha * four[p % 2 * 2 + 1]);
            }
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                             shared_address(buffer + to_row * ROW_BYTES + chunk * 16)),
                         "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
                         : "memory");
        }
        before_async_reads();
        __syncwarp();
        if (lane == 0) {
            store_tile(c, row + first, column, buffer);
            store_commit();
        }
    }
}

/* Better: one thread starts all copies of a stage, and mbarriers per stage replace __syncthreads: a
 * warp waits until its next stage is full, and a warp that copies, until the stage that it fills is
 * free. Still bad: it declines unaligned rows, and leaves SMs idle if C has few tiles. */
template <typename T>
static __global__ void __launch_bounds__(T::THREADS, 1)
    tma_copies(const struct gemm call, const __grid_constant__ struct maps maps,
               const struct tile_grid grid, const bool stores_by_tma)
{
    extern __shared__ __align__(1024) unsigned char bytes[];
    __shared__ phase_barrier full[T::STAGES], free[T::STAGES];
    const unsigned AHEAD = T::STAGES - 1, WARPS = memory_of<T>::WARPS, warp = threadIdx.x / 32;
    const unsigned turn = threadIdx.x % 32 == 0 ? warp : WARPS; /* WARPS: never copies */
    const unsigned tiles = grid.rows * grid.columns;
    const struct warp_coord in_tile = coord_in_tile<T>();
    unsigned char *const buffer = bytes + T::SHARED_BYTES + warp * memory_of<T>::STORED_BYTES;
    struct tile_of_c at = tile_in_order(blockIdx.x, grid.rows, grid.columns, GROUP);
    typename memory_of<T>::ring ring = {bytes, full, free, 0, 0};
    struct fragments<T> of[2];
    unsigned next_turn = 0;

    if (threadIdx.x == 0) {
        ring.create_barriers(WARPS);
        for (unsigned i = 0; i < AHEAD; i++)
            start_copies<T>(ring, i, maps, at, i * T::K);
    }
    __syncthreads();
    barrier_wait(&full[0], 0);
    load_fragments<T>(of[0], shared_address(bytes), in_tile.lane, 0);
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const bool is_last = tile + gridDim.x >= tiles;
        const struct tile_of_c next =
            is_last ? at : tile_in_order(tile + gridDim.x, grid.rows, grid.columns, GROUP);
        float sum[ROWS_A][T::COLUMNS_B][4] = {};

#pragma unroll 1
        for (unsigned i = 0; i < grid.stages; i++, next_turn = (next_turn + 1) % WARPS) {
            const unsigned now = ring.stage, to_fill = (now + AHEAD) % T::STAGES;
            const bool is_here = i + AHEAD < grid.stages; /* in this tile, not in the next one */

#pragma unroll
            for (unsigned step = 0; step < T::STEPS; step++) {
                /* The stage before `now`. If `now` is 0, its phase is of the previous round; in the
                 * first round, the wait ends at once. */
                if (step == T::STEPS - 2 && turn == next_turn && (is_here || !is_last)) {
                    barrier_wait(&free[to_fill], now > 0 ? ring.parity : ring.parity ^ 1);
                    start_copies<T>(ring, to_fill, maps, is_here ? at : next,
                                    (is_here ? i + AHEAD : i + AHEAD - grid.stages) * T::K);
                }
                if (step == T::STEPS - 1) {
                    /* After the last stage, waits for a phase that has ended, and loads fragments
                     * in vain, because a branch takes more time. */
                    const bool is_end = is_last && i + 1 == grid.stages;
                    ring.advance();
                    barrier_wait(&full[ring.stage], ring.parity ^ is_end);
                }
                load_fragments<T>(of[(step + 1) % 2],
                                  shared_address(bytes) + ring.stage * T::STAGE_BYTES, in_tile.lane,
                                  (step + 1) % T::STEPS);
                if (step == T::STEPS - 1)
                    release(&free[now]);
                multiply_fragments<T>(sum, of[step % 2]);
            }
        }
        const size_t row = at.row * T::M + in_tile.row, column = at.column * T::N + in_tile.column;
        if (stores_by_tma)
            store_by_tma<T>(call, &maps.c, buffer, row, column, sum);
        else
            store_pairs(call, row, column, sum);
        at = next;
    }
    if (threadIdx.x % 32 == 0)
        store_wait();
}

static CUtensorMap map_of(const uint16_t *elements, size_t rows, size_t columns, size_t leading,
                          unsigned tile_rows, unsigned tile_columns)
{
    const struct mapped_matrix matrix = {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                                         sizeof(uint16_t),
                                         elements,
                                         rows,
                                         columns,
                                         leading,
                                         tile_rows,
                                         tile_columns};
    return map_matrix(&matrix, tile_columns * sizeof(uint16_t) == ROW_BYTES
                                   ? CU_TENSOR_MAP_SWIZZLE_128B
                                   : CU_TENSOR_MAP_SWIZZLE_64B);
}

/* A tile has at least as many stages as the ring, so copies run at most one tile ahead, and the
 * wait after the last stage ends. The TMA fills stages beyond k with zeros. */
template <typename T>
static void launch(const struct gemm *call)
{
    const unsigned shared_bytes = memory_of<T>::SHARED_BYTES, rows = memory_of<T>::STORED_ROWS;
    const struct tile_grid grid = {(unsigned)((call->m + T::M - 1) / T::M),
                                   (unsigned)((call->n + T::N - 1) / T::N),
                                   max((unsigned)((call->k + T::K - 1) / T::K), T::STAGES)};
    const unsigned blocks = min((unsigned)call->multiprocessors, grid.rows * grid.columns);
    const bool stores_by_tma = call->beta == 0 && can_be_stored(call->c_bf16, call->m, call->n,
                                                                call->ldc, sizeof(uint16_t));
    struct maps maps = {};

    if (blocks == 0)
        return;
    maps.a = map_of(call->a_bf16, call->m, call->k, call->lda, T::M, T::K);
    maps.b = map_of(call->b_bf16, call->k, call->n, call->ldb, T::K, GROUP_N);
    if (stores_by_tma)
        maps.c = map_of(call->c_bf16, call->m, call->n, call->ldc, rows, GROUP_N);
    cudaFuncSetAttribute(tma_copies<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    tma_copies<T><<<blocks, T::THREADS, shared_bytes>>>(*call, maps, grid, stores_by_tma);
}

extern "C" bool prefers_tma_copies(const struct gemm *call)
{
    const size_t tiles = tile_count(call, tile_of_four_stages::M, tile_of_four_stages::N);

    return device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9 &&
           declines_tma_loads(call) == NULL && tiles >= (unsigned)call->multiprocessors;
}

extern "C" void launch_tma_copies(const struct gemm *call)
{
    const unsigned barriers = 1024; /* bytes: the stages after them are aligned to that */

    if (block_may_have(barriers + memory_of<tile_of_four_stages>::SHARED_BYTES))
        launch<tile_of_four_stages>(call);
    else
        launch_short_stages_bf16(call);
}

extern "C" void launch_short_stages_bf16(const struct gemm *call)
{
    launch<tile_of_short_stages>(call);
}
/* SPDX-License-Identifier: MIT */
