/* Step 07's consumer warps: they multiply the tiles in the ring and store the sums. */
#ifndef RUNGS_07_CONSUMERS_CUH
#define RUNGS_07_CONSUMERS_CUH

#include "float32/parts/ring.cuh"

/* A barrier for the consumers only. */
template <typename T>
static __device__ void consumers_sync()
{
    asm volatile("bar.sync 1, %0;" ::"n"(T::CONSUMERS) : "memory");
}

/* A warp computes 64 x WARP_N elements of the tile, with its lanes in 8 rows of 4. A lane has
 * rectangles of NEIGHBOURS x 4 elements, 8 * NEIGHBOURS rows and 16 columns apart. If WARP_N is not
 * a multiple of 16, the last rectangles are NEIGHBOURS x 2. */
struct thread_coord {
    unsigned row, column, slice;
};

template <typename T>
static __device__ struct thread_coord coord_in_tile()
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    struct thread_coord at;

    at.row = warp / T::ACROSS % T::DOWN * WARP_M + lane / 4 * T::NEIGHBOURS;
    at.column = warp % T::ACROSS * T::WARP_N + lane % 4 * 4;
    at.slice = warp / (T::ACROSS * T::DOWN);
    return at;
}

/* The column of a lane's pair, counted from the lane's first column. */
template <typename T>
static __device__ unsigned column_of_pair()
{
    return T::FOURS * 4 - threadIdx.x % 4 * 2;
}

template <typename T>
static __device__ void load_fragments(const float *tile_a, const float *tile_b, unsigned p,
                                      float a[THREAD_M], float b[T::THREAD_N])
{
#pragma unroll
    for (unsigned i = 0; i < THREAD_M / 4; i++)
        *(float4 *)&a[4 * i] = *(const float4 *)(tile_a + p * T::PADDED_M + i * 32);
#pragma unroll
    for (unsigned j = 0; j < T::FOURS; j += 4) {
        const float4 four = *(const float4 *)(tile_b + p * T::N + j * 4);
        b[j] = four.x;
        b[j + 1] = four.y;
        b[j + 2] = four.z;
        b[j + 3] = four.w;
    }
    if (T::FOURS < T::THREAD_N) {
        const float2 two = *(const float2 *)(tile_b + p * T::N + column_of_pair<T>());
        b[T::FOURS] = two.x;
        b[T::FOURS + 1] = two.y;
    }
}

/* The order in which the products for one p are added. TO_AND_FRO processes every other row of the
 * sums backwards, so each multiply-add shares an operand with the one before it. That operand is in
 * the operand reuse cache and is not read from the register file, where three reads together take
 * an extra cycle. UP_AND_DOWN does the same by columns. */
enum order { ROW_BY_ROW, TO_AND_FRO, UP_AND_DOWN };

/* The order with which the compiled code has fewer such triple reads. With pairs, per 8 values of
 * p, TO_AND_FRO has 148 of them and UP_AND_DOWN has 80. */
template <typename T>
static const enum order BETTER_ORDER = T::FOURS < T::THREAD_N ? UP_AND_DOWN : TO_AND_FRO;

template <typename T, enum order ORDER>
static __device__ void add_products(const float a[THREAD_M], const float b[T::THREAD_N],
                                    float sum[THREAD_M][T::THREAD_N])
{
    if (ORDER == UP_AND_DOWN) {
#pragma unroll
        for (unsigned j = 0; j < T::THREAD_N; j++)
#pragma unroll
            for (unsigned i = 0; i < THREAD_M; i++) {
                const unsigned row = j % 2 == 0 ? THREAD_M - 1 - i : i;
                sum[row][j] += a[row] * b[j];
            }
    } else {
#pragma unroll
        for (unsigned i = 0; i < THREAD_M; i++)
#pragma unroll
            for (unsigned j = 0; j < T::THREAD_N; j++) {
                const unsigned row = ORDER == TO_AND_FRO ? THREAD_M - 1 - i : i;
                const unsigned column = ORDER == TO_AND_FRO && i % 2 == 0 ? T::THREAD_N - 1 - j : j;
                sum[row][column] += a[row] * b[column];
            }
    }
}

/* Adds the products of `steps` stages to the sums. A slice adds its part of each stage, but in the
 * last stage only the first `last` values of p, a multiple of UNROLL. The elements for p + 1 are
 * loaded while those for p are multiplied. */
template <typename T, enum order ORDER>
static __device__ void multiply(const struct ring &ring, struct thread_coord at, unsigned steps,
                                unsigned last, struct slot *slot, float sum[THREAD_M][T::THREAD_N])
{
    const float *const all_a = ring.a + at.row + at.slice * T::SLICE_DEPTH * T::PADDED_M;
    const float *const all_b = ring.b + at.column + at.slice * T::SLICE_DEPTH * T::N;
    float a[2][THREAD_M], b[2][T::THREAD_N];

    barrier_wait(&ring.full[slot->stage], slot->parity);
    load_fragments<T>(all_a + slot->stage * T::A_FLOATS, all_b + slot->stage * T::B_FLOATS, 0, a[0],
                      b[0]);
#pragma unroll 1
    for (unsigned step = 0; step < steps; step++) {
        const float *tile_a = all_a + slot->stage * T::A_FLOATS;
        const float *tile_b = all_b + slot->stage * T::B_FLOATS;
        struct slot next = *slot;
        advance<T>(&next);

        /* p0 only counts iterations, from a variable to a constant. The other way round, the
         * compiler schedules the loop worse. */
#pragma unroll 1
        for (unsigned p0 = step + 1 < steps ? 0 : T::SLICE_DEPTH - last; p0 < T::SLICE_DEPTH;
             p0 += T::UNROLL) {
#pragma unroll
            for (unsigned p = 0; p < T::UNROLL; p++) {
                if (p < T::UNROLL - 1) {
                    load_fragments<T>(tile_a, tile_b, p + 1, a[(p + 1) % 2], b[(p + 1) % 2]);
                } else {
                    tile_a += T::UNROLL * T::PADDED_M;
                    tile_b += T::UNROLL * T::N;
                    if (p0 == T::SLICE_DEPTH - T::UNROLL) {
                        /* The last load, from inside the last stage, is not used. */
                        tile_a -= last * T::PADDED_M;
                        tile_b -= last * T::N;
                        if (step + 1 < steps) {
                            barrier_wait(&ring.full[next.stage], next.parity);
                            tile_a = all_a + next.stage * T::A_FLOATS;
                            tile_b = all_b + next.stage * T::B_FLOATS;
                        }
                    }
                    load_fragments<T>(tile_a, tile_b, 0, a[0], b[0]);
                }
                add_products<T, ORDER>(a[p % 2], b[p % 2], sum);
            }
        }
        barrier_arrive(&ring.free[slot->stage]);
        *slot = next;
    }
}

/* The row in the tile that row i of a thread's sums belongs to. */
template <typename T>
static __device__ unsigned row_of(struct thread_coord at, unsigned i)
{
    return at.row + i / T::NEIGHBOURS * 8 * T::NEIGHBOURS + i % T::NEIGHBOURS;
}

/* Adds up the slices' sums in slice order. Each slice keeps in `rows` the rows that it stores. */
template <typename T>
static __device__ void exchange_slices(struct thread_coord at, float *exchange,
                                       const float sum[THREAD_M][T::THREAD_N],
                                       float rows[T::ROWS][T::THREAD_N])
{
    const unsigned threads = T::CONSUMERS / T::SLICES, thread = threadIdx.x % threads;

    /* exchange is indexed [sender among the other slices][row and column][thread]. */
#pragma unroll
    for (unsigned i = 0; i < THREAD_M; i++) {
        const unsigned owner = i / T::ROWS;
        const unsigned sender = at.slice - (at.slice > owner);
#pragma unroll
        for (unsigned j = 0; j < T::THREAD_N; j++)
            if (owner == at.slice)
                rows[i % T::ROWS][j] = sum[i][j];
            else
                exchange[((sender * THREAD_M + i) * T::THREAD_N + j) * threads + thread] =
                    sum[i][j];
    }
    consumers_sync<T>();
#pragma unroll
    for (unsigned i = 0; i < T::ROWS; i++)
#pragma unroll
        for (unsigned j = 0; j < T::THREAD_N; j++) {
            const unsigned element = (at.slice * T::ROWS + i) * T::THREAD_N + j;
            float total = 0;
#pragma unroll
            for (unsigned s = 0; s < T::SLICES; s++) {
                const unsigned sender = s - (s > at.slice);
                const unsigned from = sender * THREAD_M * T::THREAD_N + element;
                total += s == at.slice ? rows[i][j] : exchange[from * threads + thread];
            }
            rows[i][j] = total;
        }
    consumers_sync<T>(); /* before the next tile's sums overwrite these */
}

template <typename T>
static __device__ void add_slices(struct thread_coord at, float *exchange,
                                  const float sum[THREAD_M][T::THREAD_N],
                                  float rows[T::ROWS][T::THREAD_N])
{
    if (T::SLICES > 1) {
        exchange_slices<T>(at, exchange, sum, rows);
    } else {
#pragma unroll
        for (unsigned i = 0; i < T::ROWS * T::THREAD_N; i++)
            rows[i / T::THREAD_N][i % T::THREAD_N] = sum[i / T::THREAD_N][i % T::THREAD_N];
    }
}

template <typename T>
static __device__ void store_fours(const struct gemm &call, struct tile_coord tile,
                                   struct thread_coord at, const float rows[T::ROWS][T::THREAD_N])
{
#pragma unroll
    for (unsigned i = 0; i < T::ROWS; i++) {
        const size_t row = tile.row + row_of<T>(at, at.slice * T::ROWS + i);
        const size_t column = tile.column + at.column;
#pragma unroll
        for (unsigned j = 0; j < T::FOURS; j += 4)
            store_4(call, row, column + j * 4, &rows[i][j], true);
        if (T::FOURS < T::THREAD_N)
            store_2(call, row, column + column_of_pair<T>(), &rows[i][T::FOURS]);
    }
}

/* The same if the rows of C are unaligned. If lanes stored single floats from their registers, each
 * would write to another sector. So a warp exchanges its sums through shared memory, 8 rows at a
 * time. Its lanes then store 32 neighbours, or WARP_N if that is fewer. */
template <typename T>
static __device__ void store_rows(const struct gemm &call, struct tile_coord tile,
                                  struct thread_coord at, float *exchange,
                                  const float rows[T::ROWS][T::THREAD_N])
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned across = T::WARP_N < 32 ? T::WARP_N : 32, at_once = 32 / across;
    const unsigned first = lane % across;
    const size_t column = tile.column + at.column / T::WARP_N * T::WARP_N + first;
    float *const mine = exchange + warp * 8 * T::PADDED_ROW;
    struct gemm scaled = call;

    /* The sums are scaled by alpha before they are stored in shared memory. For unscaled sums, the
     * 16-byte stores would force ptxas to keep them in groups of four registers. */
    scaled.alpha = 1;

#pragma unroll
    for (unsigned i = 0; i < T::ROWS; i++) {
        const size_t row =
            tile.row + row_of<T>(at, at.slice * T::ROWS + i) - lane / 4 * T::NEIGHBOURS;
#pragma unroll
        for (unsigned j = 0; j < T::FOURS; j += 4)
            *(float4 *)(mine + lane / 4 * T::PADDED_ROW + lane % 4 * 4 + j * 4) =
                make_float4(call.alpha * rows[i][j], call.alpha * rows[i][j + 1],
                            call.alpha * rows[i][j + 2], call.alpha * rows[i][j + 3]);
        if (T::FOURS < T::THREAD_N)
            *(float2 *)(mine + lane / 4 * T::PADDED_ROW + lane % 4 * 4 + column_of_pair<T>()) =
                make_float2(call.alpha * rows[i][T::FOURS], call.alpha * rows[i][T::FOURS + 1]);
        __syncwarp();
#pragma unroll 4
        for (unsigned r = lane / across; r < 8; r += at_once)
#pragma unroll
            for (unsigned half = 0; half < T::WARP_N; half += 32)
                if (half + first < T::WARP_N && row + r * T::NEIGHBOURS < call.m &&
                    column + half < call.n)
                    store(scaled, row + r * T::NEIGHBOURS, column + half,
                          mine[r * T::PADDED_ROW + half + first]);
        __syncwarp();
    }
}

template <typename T>
static __device__ void store_tile(const struct gemm &call, struct tile_coord tile,
                                  struct thread_coord at, float *exchange,
                                  const float rows[T::ROWS][T::THREAD_N])
{
    if (has_aligned_rows(call.c, call.ldc)) {
        store_fours<T>(call, tile, at, rows);
    } else {
        store_rows<T>(call, tile, at, exchange, rows);
        if (T::SLICES > 1)
            consumers_sync<T>(); /* the exchange is free again */
    }
}

#endif
/* SPDX-License-Identifier: MIT */
