/* Step 07: two buffers for the tiles. */
#include "float32/parts/eight_by_eight.cuh"

/* While one pair of tiles is multiplied, the next pair is loaded into registers. It is then stored
 * in the other half of shared memory.
 *
 * Better: the multiplications hide the latency of global memory. A k-step needs only one barrier,
 * because the half that is written was last read before the previous barrier. Still bad: each
 * thread needs 8 registers and 5 store instructions only to pass the data on. */
static __global__ void __launch_bounds__(THREADS) double_buffered(const struct gemm call)
{
    __shared__ __align__(16) float tile_a[2][BLOCK_K][PADDED_M];
    __shared__ __align__(16) float tile_b[2][BLOCK_K][BLOCK_N];
    const bool a_aligned = has_aligned_rows(call.a, call.lda);
    const bool b_aligned = has_aligned_rows(call.b, call.ldb);
    const size_t tile_row = first_row_of_tile(call.n, BLOCK_M, BLOCK_N);
    const size_t tile_column = first_column_of_tile(call.n, BLOCK_N);
    const struct thread_coord at = coord_in_warp();
    unsigned half = 0;

    put_a(tile_a[0], fetch_a(call, tile_row, 0, a_aligned));
    put_b(tile_b[0], fetch_b(call, tile_column, 0, b_aligned));
    __syncthreads();

    float sum[THREAD_M][THREAD_N] = {};
    for (size_t first = 0; first < call.k; first += BLOCK_K) {
        const float4 next_a = fetch_a(call, tile_row, first + BLOCK_K, a_aligned);
        const float4 next_b = fetch_b(call, tile_column, first + BLOCK_K, b_aligned);
        multiply_tiles(tile_a[half], tile_b[half], at, sum);
        half ^= 1;
        put_a(tile_a[half], next_a);
        put_b(tile_b[half], next_b);
        __syncthreads();
    }
    store_tile(call, tile_row, tile_column, at, sum);
}

extern "C" void launch_double_buffered(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        double_buffered<<<tile_count(call, BLOCK_M, BLOCK_N), THREADS>>>(*call);
}
/* SPDX-License-Identifier: MIT */
