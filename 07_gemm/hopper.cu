/* Step 07, the top rung: features of Hopper (sm_90a).
 *
 * A float32 product on Hopper is bound by instruction issue: a multiprocessor can issue four
 * instructions per cycle, and each of them can be a multiply-add, so that any other instruction
 * costs a multiply-add. Warp specialization leaves the consumer warps, which multiply, with little
 * more than multiply-adds and loads from shared memory:
 *
 *   - 4 producer warps copy the tiles to shared memory. B is needed as it is stored: the TMA copies
 *     a tile, for one instruction of one thread; if its rows are not aligned, asynchronous copies
 *     of 4 bytes do. A must be transposed, so it is loaded into registers and stored from there.
 *   - The threads of 8 consumer warps compute 8 x 16 elements of C each: 24 floats loaded for 128
 *     multiply-adds. That takes more registers than an equal share, so the producers release some
 *     of theirs (setmaxnreg).
 *   - The tiles are in a ring buffer of several stages. Each stage has two mbarriers, which signal
 *     that it is full or free. There is no __syncthreads in the loop, so warps need not stay
 *     together: while one waits, another works.
 *
 * The work is divided in one of two ways: each block computes tiles of C, or, if the last wave of
 * blocks would leave many multiprocessors idle, each gets an equal share of all steps along k
 * (stream-K, Osama et al. 2023). A block's share may then begin and end in the middle of a tile; it
 * passes its partial sums to the block that began the tile. If C is a few columns wider than its
 * tiles, separate blocks compute these columns. */
#include <cuda.h> /* only types: nothing of the driver library is linked */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "kernel/dependent_launch.cuh"
#include "kernel/mbarrier.cuh"
#include "tile.cuh"

extern "C" void launch_async_copies(const struct gemm *call);

static const unsigned TILE_M = 128, TILE_N = 256, TILE_K = 32; /* a block's tile; a stage's depth */
static const unsigned THREAD_M = 8, THREAD_N = 16, UNROLL = 8;
static const unsigned CONSUMERS = 256, PRODUCERS = 128;

/* Registers per thread. At launch all threads have the same number; then the producers release
 * some, which the consumers take. */
static const unsigned LAUNCH_REGISTERS = 168, CONSUMER_REGISTERS = 216, PRODUCER_REGISTERS = 72;
static_assert(CONSUMERS * CONSUMER_REGISTERS + PRODUCERS * PRODUCER_REGISTERS <=
                  (CONSUMERS + PRODUCERS) * LAUNCH_REGISTERS,
              "the consumers would wait for registers forever");

/* A tile of A is [p][row], padded to avoid bank conflicts when producers store it; one of B is
 * [p][column]. */
static const unsigned PADDED_M = TILE_M + 4;
static const unsigned A_FLOATS = TILE_K * PADDED_M, B_FLOATS = TILE_K * TILE_N;
static const unsigned STAGES = 4;
/* The buffer of store_rows is [warp][row][column], padded to avoid bank conflicts. */
static const unsigned PADDED_ROW = 64 + 16;
static const unsigned C_FLOATS = CONSUMERS / 32 * 8 * PADDED_ROW;
static const unsigned SHARED_BYTES = (STAGES * (A_FLOATS + B_FLOATS) + C_FLOATS) * sizeof(float);

/* Tiles of C are numbered column by column within groups of this many rows of tiles, so that blocks
 * that run at the same time share rows of A and columns of B in L2. */
static const unsigned GROUP = 8;

/* The work consists of units: unit u is step u % k_steps along k of tile u / k_steps. Block b does
 * units first_unit(b) to first_unit(b + 1) - 1. */
struct work {
    unsigned row_tiles, column_tiles;
    unsigned k_steps;
    unsigned blocks;
    float *parts;   /* for each block, TILE_M x TILE_N partial sums of a tile that another began */
    unsigned *sent; /* for each block, whether its parts are complete; all 0 between launches */
};

static __device__ unsigned long long first_unit(const struct work &work, unsigned block)
{
    const unsigned long long units =
        (unsigned long long)work.row_tiles * work.column_tiles * work.k_steps;
    return units * block / work.blocks;
}

/* A block's steps along k for one tile: `first` and how many. 0 steps: the block is done. */
struct share {
    unsigned tile, first, steps;
};

static __device__ struct share share_from(const struct work &work, unsigned long long unit)
{
    const unsigned long long end = first_unit(work, blockIdx.x + 1);
    struct share share;

    share.tile = (unsigned)(unit / work.k_steps);
    share.first = (unsigned)(unit % work.k_steps);
    share.steps = (unsigned)min((unsigned long long)(work.k_steps - share.first), end - unit);
    return share;
}

static __device__ struct share first_share(const struct work &work)
{
    return share_from(work, first_unit(work, blockIdx.x));
}

static __device__ struct share next_share(const struct work &work, struct share share)
{
    return share_from(work,
                      (unsigned long long)share.tile * work.k_steps + share.first + share.steps);
}

struct tile {
    size_t row, column;
};

static __device__ struct tile tile_at(const struct work &work, unsigned number)
{
    const unsigned in_group = number % (GROUP * work.column_tiles);
    const unsigned first = number / (GROUP * work.column_tiles) * GROUP;
    const unsigned rows = min(GROUP, work.row_tiles - first);
    struct tile tile;

    tile.row = (size_t)(first + in_group % rows) * TILE_M;
    tile.column = (size_t)(in_group / rows) * TILE_N;
    return tile;
}

/* The ring buffer of tiles in shared memory, with the two barriers of each stage. */
struct ring {
    float *a, *b;
    phase_barrier *full, *free;
};

/* The current stage of the ring, and the parity of the phase to wait for. */
struct slot {
    unsigned stage, parity;
};

static __device__ void advance(struct slot *slot)
{
    if (++slot->stage == STAGES) {
        slot->stage = 0;
        slot->parity ^= 1;
    }
}

/* Offsets in the rows of A that a tile needs have 32 bits. Longer rows are left to async_copies. */
static const size_t MOST_A_COLUMNS = (size_t)UINT32_MAX / sizeof(float) / TILE_M - TILE_K;

/* The TMA's coordinates are signed 32-bit integers. */
static const size_t MOST_COORDINATE = INT32_MAX;

/* ---- producers ------------------------------------------------------------------------------- */

/* 16-byte loads of A per thread. 8 lanes load 32 floats of a row, a warp 4 rows; the next load is
 * 16 rows further down. */
static const unsigned A_LOADS = TILE_M * TILE_K / 4 / PRODUCERS;

static __device__ void fetch_a(const float *tile_a, const unsigned offset[A_LOADS], size_t column,
                               size_t k, bool aligned, float4 fours[A_LOADS])
{
    if (aligned && column + 4 <= k) {
#pragma unroll
        for (unsigned i = 0; i < A_LOADS; i++)
            fours[i] = *(const float4 *)((const char *)tile_a + offset[i]);
    } else if (column + 4 <= k) {
#pragma unroll
        for (unsigned i = 0; i < A_LOADS; i++) {
            const float *const from = (const float *)((const char *)tile_a + offset[i]);
            fours[i] = make_float4(from[0], from[1], from[2], from[3]);
        }
    } else { /* zeros past the end of the rows */
#pragma unroll
        for (unsigned i = 0; i < A_LOADS; i++) {
            const float *const from = (const float *)((const char *)tile_a + offset[i]);
            fours[i] = make_float4(column < k ? from[0] : 0, column + 1 < k ? from[1] : 0,
                                   column + 2 < k ? from[2] : 0, 0);
        }
    }
}

static __device__ void copy_tile_of_b(float *to, const CUtensorMap *b, size_t column, size_t row,
                                      phase_barrier *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(b), "r"((int)column), "r"((int)row), "r"(shared_address(barrier))
                 : "memory");
}

/* The same if rows of B do not start at multiples of 16 bytes, as the TMA requires: 64 asynchronous
 * copies of 4 bytes by each producer. Outside B they read nothing and write zeros. */
static __device__ void copy_floats_of_b(float *to, const struct gemm &call, size_t column,
                                        size_t row, unsigned thread)
{
    const float *from = call.b + row * call.ldb + column + thread;
    unsigned address = shared_address(to + thread);

    column += thread;
#pragma unroll 8
    for (unsigned p = 0; p < TILE_K; p++) {
#pragma unroll
        for (unsigned j = 0; j < TILE_N; j += PRODUCERS) {
            const unsigned bytes = row + p < call.k && column + j < call.n ? sizeof(float) : 0;
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
                             address + j * (unsigned)sizeof(float)),
                         "l"(from + j), "r"(bytes)
                         : "memory");
        }
        from += call.ldb;
        address += TILE_N * sizeof(float);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Waits until all but the last LATER groups of copies are complete, then arrives at the barrier. */
template <unsigned LATER>
static __device__ void arrive_with_copies(phase_barrier *barrier)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LATER) : "memory");
    barrier_arrive(barrier);
}

static __device__ void produce(const struct gemm &call, const CUtensorMap *b,
                               const struct work &work, const struct ring &ring)
{
    const bool a_aligned = has_aligned_rows(call.a, call.lda);
    const bool b_aligned = has_aligned_rows(call.b, call.ldb);
    const unsigned thread = threadIdx.x - CONSUMERS, lane = thread % 32;
    const unsigned row = thread / 32 * 4 + lane / 8, p = lane % 8 * 4;
    const unsigned to_a = p * PADDED_M + row;
    struct slot slot = {0, 1};     /* the stages start free, as if a phase of parity 1 had ended */
    phase_barrier *copying = NULL; /* of the stage with this thread's copies of B in flight */

    for (struct share share = first_share(work); share.steps > 0; share = next_share(work, share)) {
        const struct tile tile = tile_at(work, share.tile);
        const size_t last_row = call.m - 1 - tile.row;
        /* In bytes from the tile's first row: takes fewer instructions than pointers. For a row
         * outside A, whose results are not stored, the last row is loaded. */
        unsigned offset[A_LOADS];

#pragma unroll
        for (unsigned i = 0; i < A_LOADS; i++)
            offset[i] =
                (unsigned)((min((size_t)(row + i * 16), last_row) * call.lda + p) * sizeof(float));
        for (unsigned step = share.first; step < share.first + share.steps; step++) {
            const size_t first = (size_t)step * TILE_K;
            float4 fours[A_LOADS];

            fetch_a(call.a + tile.row * call.lda + first, offset, first + p, call.k, a_aligned,
                    fours);
            barrier_wait(&ring.free[slot.stage], slot.parity); /* with the loads in flight */
            if (!b_aligned) {
                copy_floats_of_b(ring.b + slot.stage * B_FLOATS, call, tile.column, first, thread);
            } else if (thread == 0) {
                barrier_arrive_expecting(&ring.full[slot.stage], B_FLOATS * sizeof(float));
                copy_tile_of_b(ring.b + slot.stage * B_FLOATS, b, tile.column, first,
                               &ring.full[slot.stage]);
            }
            float *const to = ring.a + slot.stage * A_FLOATS + to_a;
#pragma unroll
            for (unsigned i = 0; i < A_LOADS; i++) {
                to[i * 16] = fours[i].x;
                to[PADDED_M + i * 16] = fours[i].y;
                to[2 * PADDED_M + i * 16] = fours[i].z;
                to[3 * PADDED_M + i * 16] = fours[i].w;
            }
            if (b_aligned) {
                barrier_arrive(&ring.full[slot.stage]);
            } else { /* these copies are in flight; those to the previous stage are complete */
                if (copying != NULL)
                    arrive_with_copies<1>(copying);
                copying = &ring.full[slot.stage];
            }
            advance(&slot);
        }
    }
    if (copying != NULL)
        arrive_with_copies<0>(copying);
}

/* ---- consumers ------------------------------------------------------------------------------- */

/* A warp computes 64 x 64 elements of the tile, with its lanes in 8 rows of 4. A lane's elements
 * are 2 x 4 squares of 4 x 4, 32 rows and 16 columns apart. */
struct place {
    unsigned row, column;
};

static __device__ struct place place_in_tile()
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    struct place at;

    at.row = warp / 4 * 64 + lane / 4 * 4;
    at.column = warp % 4 * 64 + lane % 4 * 4;
    return at;
}

static __device__ void load_fragments(const float *tile_a, const float *tile_b, unsigned p,
                                      float a[THREAD_M], float b[THREAD_N])
{
#pragma unroll
    for (unsigned i = 0; i < THREAD_M / 4; i++)
        *(float4 *)&a[4 * i] = *(const float4 *)(tile_a + p * PADDED_M + i * 32);
#pragma unroll
    for (unsigned j = 0; j < THREAD_N / 4; j++)
        *(float4 *)&b[4 * j] = *(const float4 *)(tile_b + p * TILE_N + j * 16);
}

/* Adds the products of `steps` stages to the sums.
 *
 * The elements for p + 1 are loaded while those for p are multiplied. Every other row of the sums
 * is processed backwards, so that each multiply-add shares an operand with the one before it. The
 * operand is then in the operand reuse cache and need not be read from the register file, where
 * three reads together take an extra cycle. */
static __device__ void multiply(const struct ring &ring, struct place at, unsigned steps,
                                struct slot *slot, float sum[THREAD_M][THREAD_N])
{
    const float *const all_a = ring.a + at.row, *const all_b = ring.b + at.column;
    float a[2][THREAD_M], b[2][THREAD_N];

    barrier_wait(&ring.full[slot->stage], slot->parity);
    load_fragments(all_a + slot->stage * A_FLOATS, all_b + slot->stage * B_FLOATS, 0, a[0], b[0]);
#pragma unroll 1
    for (unsigned step = 0; step < steps; step++) {
        const float *tile_a = all_a + slot->stage * A_FLOATS;
        const float *tile_b = all_b + slot->stage * B_FLOATS;
        struct slot next = *slot;
        advance(&next);

#pragma unroll 1
        for (unsigned p0 = 0; p0 < TILE_K; p0 += UNROLL) {
#pragma unroll
            for (unsigned p = 0; p < UNROLL; p++) {
                if (p < UNROLL - 1) {
                    load_fragments(tile_a, tile_b, p + 1, a[(p + 1) % 2], b[(p + 1) % 2]);
                } else {
                    tile_a += UNROLL * PADDED_M;
                    tile_b += UNROLL * TILE_N;
                    if (p0 == TILE_K - UNROLL) {
                        tile_a -= TILE_K * PADDED_M;
                        tile_b -= TILE_K * TILE_N;
                        if (step + 1 < steps) {
                            barrier_wait(&ring.full[next.stage], next.parity);
                            tile_a = all_a + next.stage * A_FLOATS;
                            tile_b = all_b + next.stage * B_FLOATS;
                        }
                    }
                    load_fragments(tile_a, tile_b, 0, a[0], b[0]);
                }
#pragma unroll
                for (unsigned i = 0; i < THREAD_M; i++)
#pragma unroll
                    for (unsigned j = 0; j < THREAD_N; j++) {
                        const unsigned to_and_fro = i % 2 == 0 ? THREAD_N - 1 - j : j;
                        sum[THREAD_M - 1 - i][to_and_fro] +=
                            a[p % 2][THREAD_M - 1 - i] * b[p % 2][to_and_fro];
                    }
            }
        }
        barrier_arrive(&ring.free[slot->stage]);
        *slot = next;
    }
}

static __device__ void store_fours(const struct gemm &call, struct tile tile, struct place at,
                                   const float sum[THREAD_M][THREAD_N])
{
#pragma unroll
    for (unsigned i = 0; i < THREAD_M; i++)
#pragma unroll
        for (unsigned j = 0; j < THREAD_N; j += 4)
            store_4(call, tile.row + at.row + i / 4 * 32 + i % 4, tile.column + at.column + j * 4,
                    &sum[i][j], true);
}

/* The epilogue if the rows of C are not aligned. With stores of single floats, each lane would
 * write to a sector of its own. So the sums are exchanged through shared memory, 8 rows of a warp
 * at a time, and the lanes of a warp store 32 neighbours. */
static __device__ void store_rows(const struct gemm &call, struct tile tile, float *rows,
                                  const float sum[THREAD_M][THREAD_N])
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t row = tile.row + warp / 4 * 64, column = tile.column + warp % 4 * 64 + lane;
    float *const mine = rows + warp * 8 * PADDED_ROW;
    struct gemm scaled = call;

    /* Sums are scaled by alpha before they are stored in shared memory. If they were stored as they
     * are, the 16-byte stores would force ptxas to keep them in groups of four registers. */
    scaled.alpha = 1;

#pragma unroll
    for (unsigned i = 0; i < THREAD_M; i++) {
#pragma unroll
        for (unsigned j = 0; j < THREAD_N; j += 4)
            *(float4 *)(mine + lane / 4 * PADDED_ROW + lane % 4 * 4 + j * 4) =
                make_float4(call.alpha * sum[i][j], call.alpha * sum[i][j + 1],
                            call.alpha * sum[i][j + 2], call.alpha * sum[i][j + 3]);
        __syncwarp();
#pragma unroll 4
        for (unsigned r = 0; r < 8; r++)
#pragma unroll
            for (unsigned half = 0; half < 64; half += 32)
                store(scaled, row + r * 4 + i / 4 * 32 + i % 4, column + half,
                      mine[r * PADDED_ROW + half + lane]);
        __syncwarp();
    }
}

/* A barrier for the consumers only. */
static __device__ void consumers_sync()
{
    asm volatile("bar.sync 1, %0;" ::"n"(CONSUMERS) : "memory");
}

/* Passes partial sums to the block that began the tile. */
static __device__ void send_part(const struct work &work, const float sum[THREAD_M][THREAD_N])
{
    float *const part = work.parts + (size_t)blockIdx.x * TILE_M * TILE_N;

#pragma unroll
    for (unsigned i = 0; i < THREAD_M * THREAD_N; i++)
        part[i * CONSUMERS + threadIdx.x] = sum[i / THREAD_N][i % THREAD_N];
    consumers_sync();
    if (threadIdx.x == 0) {
        __threadfence(); /* also for what the others have written, before the barrier */
        atomicExch(&work.sent[blockIdx.x], 1);
    }
}

/* Adds the partial sums of the blocks after this one, for the tile that ends at unit `end`: in the
 * order of k, so that the result does not depend on which block is first. */
static __device__ void collect_parts(const struct work &work, unsigned long long end,
                                     float sum[THREAD_M][THREAD_N])
{
    for (unsigned block = blockIdx.x + 1; first_unit(work, block) < end; block++) {
        const float *const part = work.parts + (size_t)block * TILE_M * TILE_N;

        if (threadIdx.x == 0) {
            while (atomicExch(&work.sent[block], 0) == 0) /* resets it for the next launch */
                ;
            __threadfence();
        }
        consumers_sync();
#pragma unroll
        for (unsigned i = 0; i < THREAD_M * THREAD_N; i++) /* __ldcg: L1 may be stale */
            sum[i / THREAD_N][i % THREAD_N] += __ldcg(&part[i * CONSUMERS + threadIdx.x]);
    }
}

static __device__ void consume(const struct gemm &call, const struct work &work,
                               const struct ring &ring, float *rows)
{
    const struct place at = place_in_tile();
    const bool aligned = has_aligned_rows(call.c, call.ldc);
    struct slot slot = {0, 0};

    for (struct share share = first_share(work); share.steps > 0; share = next_share(work, share)) {
        float sum[THREAD_M][THREAD_N] = {};

        multiply(ring, at, share.steps, &slot, sum);
        if (share.first > 0) {
            send_part(work, sum);
            continue;
        }
        if (share.steps < work.k_steps)
            collect_parts(work, (unsigned long long)(share.tile + 1) * work.k_steps, sum);
        if (aligned)
            store_fours(call, tile_at(work, share.tile), at, sum);
        else
            store_rows(call, tile_at(work, share.tile), rows, sum);
    }
}

/* ---- the edge -------------------------------------------------------------------------------- */

/* If C is a few columns wider than its tiles, these columns are not worth a column of tiles, nearly
 * all of which would be outside. Separate blocks compute them, on multiprocessors that the last
 * wave of tiles leaves idle. They are bound by reading A. */
static const unsigned EDGE = 8;      /* the most columns computed this way */
static const unsigned EDGE_ROWS = 4; /* rows per warp and iteration */

static __device__ void multiply_edge(const struct gemm &call, const struct work &work, float *b)
{
    const unsigned warps = (CONSUMERS + PRODUCERS) / 32, lane = threadIdx.x % 32;
    const size_t first = (size_t)work.column_tiles * TILE_N, k = call.k;
    const size_t warp = (blockIdx.x - work.blocks) * warps + threadIdx.x / 32;

    for (size_t i = threadIdx.x; i < k * EDGE; i += CONSUMERS + PRODUCERS)
        b[i % EDGE * k + i / EDGE] = load(call.b, call.ldb, k, call.n, i / EDGE, first + i % EDGE);
    __syncthreads();

    for (size_t row = warp * EDGE_ROWS; row < call.m;
         row += (gridDim.x - work.blocks) * warps * EDGE_ROWS) {
        const float *a[EDGE_ROWS];
        float sum[EDGE_ROWS][EDGE] = {};

#pragma unroll
        for (unsigned i = 0; i < EDGE_ROWS; i++)
            a[i] = call.a + min(row + i, call.m - 1) * call.lda;
#pragma unroll 2
        for (size_t p = lane; p < k; p += 32) {
            float of_a[EDGE_ROWS];
#pragma unroll
            for (unsigned i = 0; i < EDGE_ROWS; i++)
                of_a[i] = a[i][p];
#pragma unroll
            for (unsigned j = 0; j < EDGE; j++)
#pragma unroll
                for (unsigned i = 0; i < EDGE_ROWS; i++)
                    sum[i][j] += of_a[i] * b[j * k + p];
        }
#pragma unroll
        for (unsigned i = 0; i < EDGE_ROWS; i++)
#pragma unroll
            for (unsigned j = 0; j < EDGE; j++) {
                for (unsigned offset = 16; offset > 0; offset /= 2)
                    sum[i][j] += __shfl_down_sync(~0u, sum[i][j], offset);
                if (lane == 0)
                    store(call, row + i, first + j, sum[i][j]);
            }
    }
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static __global__ void __launch_bounds__(CONSUMERS + PRODUCERS, 1)
    specialized(const struct gemm call, const __grid_constant__ CUtensorMap b,
                const struct work work)
{
    extern __shared__ __align__(128) float tiles[];
    __shared__ phase_barrier full[STAGES], free[STAGES];
    const struct ring ring = {tiles + STAGES * B_FLOATS, tiles, full, free};

    if (blockIdx.x >= work.blocks) {
        overlap_launches();
        multiply_edge(call, work, tiles);
        return;
    }
    if (threadIdx.x == 0) {
        const bool b_aligned = has_aligned_rows(call.b, call.ldb);
        for (unsigned s = 0; s < STAGES; s++) {
            barrier_create(&full[s], PRODUCERS + b_aligned); /* one more arrives expecting B */
            barrier_create(&free[s], CONSUMERS);
        }
        barriers_created();
    }
    __syncthreads();
    overlap_launches();

    if (threadIdx.x >= CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        produce(call, &b, work, ring);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        consume(call, work, ring, tiles + STAGES * (A_FLOATS + B_FLOATS));
    }
}

/* ---- launch ---------------------------------------------------------------------------------- */

static void fail(const char *what)
{
    fprintf(stderr, "specialized: %s\n", what);
    exit(EXIT_DEVICE_ERROR);
}

/* The TMA's descriptor of B; outside B the TMA fills tiles with zeros. Empty if the TMA cannot copy
 * B. */
static CUtensorMap describe_b(const struct gemm *call)
{
    typedef CUresult (*encoder)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    static void *encode;
    const cuuint64_t size[] = {call->n, call->k}, stride[] = {call->ldb * sizeof(float)};
    const cuuint32_t box[] = {TILE_N, TILE_K}, element_stride[] = {1, 1};
    CUtensorMap map = {};

    if (!has_aligned_rows(call->b, call->ldb))
        return map;
    if (encode == NULL) {
        cudaDriverEntryPointQueryResult found;
        if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                             cudaEnableDefault, &found) != cudaSuccess ||
            found != cudaDriverEntryPointSuccess)
            fail("the driver has no cuTensorMapEncodeTiled");
    }
    if (((encoder)encode)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)call->b, size, stride,
                          box, element_stride, CU_TENSOR_MAP_INTERLEAVE_NONE,
                          CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        fail("cuTensorMapEncodeTiled refused the matrix B");
    return map;
}

/* Memory for stream-K's partial sums and flags, allocated by prepare_specialized and kept for the
 * next call. */
struct scratch {
    float *memory;
    size_t bytes;
};

static struct scratch scratch;

static size_t parts_floats(const struct gemm *call)
{
    return (size_t)call->multiprocessors * TILE_M * TILE_N;
}

static size_t flags_bytes(const struct gemm *call)
{
    return (size_t)call->multiprocessors * sizeof(unsigned);
}

/* How many blocks to launch: one for each tile if that keeps most multiprocessors busy. If not, the
 * blocks get equal shares, but not so small that passing on partial sums costs more than it
 * saves. */
static unsigned blocks_for(const struct gemm *call, unsigned tiles, unsigned k_steps)
{
    const unsigned multiprocessors = (unsigned)call->multiprocessors;
    const unsigned waves = (tiles + multiprocessors - 1) / multiprocessors;
    const unsigned long long units = (unsigned long long)tiles * k_steps;
    const unsigned least_units = 8;

    if ((double)tiles >= 0.9 * (double)waves * multiprocessors || waves > 8 || k_steps == 1)
        return tiles;
    if (units / least_units >= multiprocessors)
        return multiprocessors;
    return max(tiles, (unsigned)(units / least_units));
}

/* How many columns are computed separately from the tiles. */
static size_t edge_columns(const struct gemm *call)
{
    const size_t edge = call->n % TILE_N;
    const bool fits = call->k * EDGE * sizeof(float) <= SHARED_BYTES; /* B's columns */

    return call->n > TILE_N && edge <= EDGE && fits ? edge : 0;
}

/* Fills the last wave's idle multiprocessors, with at most 512 rows per block, so that none takes
 * longer than a tile, which takes as long as about 1000 rows. */
static unsigned edge_blocks_for(const struct gemm *call, unsigned blocks)
{
    const unsigned multiprocessors = (unsigned)call->multiprocessors;
    const unsigned idle = multiprocessors - 1 - (blocks - 1) % multiprocessors;

    return max(idle, (unsigned)((call->m + 511) / 512));
}

/* setmaxnreg is specific to Hopper: code for sm_90a runs on no other GPU. */
extern "C" const char *specialized_unavailable(void)
{
    const bool hopper = device_attribute(cudaDevAttrComputeCapabilityMajor) == 9 &&
                        device_attribute(cudaDevAttrComputeCapabilityMinor) == 0;
    return hopper ? NULL : "needs sm_90a, that is Hopper";
}

extern "C" void prepare_specialized(const struct gemm *call)
{
    const size_t bytes = parts_floats(call) * sizeof(float) + flags_bytes(call);

    if (bytes > scratch.bytes) {
        cudaFree(scratch.memory);
        scratch.bytes = bytes;
        if (cudaMalloc((void **)&scratch.memory, scratch.bytes) != cudaSuccess)
            fail("out of memory for the workspace");
    }
    cudaMemsetAsync(scratch.memory + parts_floats(call), 0, flags_bytes(call));
}

extern "C" void launch_specialized(const struct gemm *call)
{
    struct work work;

    if (call->m == 0 || call->n == 0)
        return;
    if (call->k == 0 || call->lda > MOST_A_COLUMNS || call->n > MOST_COORDINATE ||
        call->k > MOST_COORDINATE) {
        launch_async_copies(call);
        return;
    }
    const size_t edge = edge_columns(call);
    unsigned edge_blocks = 0;

    work.row_tiles = (unsigned)((call->m + TILE_M - 1) / TILE_M);
    work.column_tiles = (unsigned)((call->n - edge + TILE_N - 1) / TILE_N);
    work.k_steps = (unsigned)((call->k + TILE_K - 1) / TILE_K);
    work.blocks = blocks_for(call, work.row_tiles * work.column_tiles, work.k_steps);
    work.parts = scratch.memory;
    work.sent = (unsigned *)(scratch.memory + parts_floats(call));
    if (edge > 0)
        edge_blocks = edge_blocks_for(call, work.blocks);

    cudaFuncSetAttribute(specialized, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)SHARED_BYTES);
    launch_dependent(specialized, work.blocks + edge_blocks, CONSUMERS + PRODUCERS, SHARED_BYTES,
                     *call, describe_b(call), work);
}
