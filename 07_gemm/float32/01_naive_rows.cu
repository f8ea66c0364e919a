/* Step 07: C = alpha * A * B + beta * C for row-major matrices, A m x k, B k x n, C m x n.
 *
 * Every kernel computes all of C; the rungs differ in how often each element of A and B is loaded.
 * Here a block of TILE x TILE threads computes a tile of C of that size, in tile column blockIdx.x
 * and tile row blockIdx.y. */
#include "rungs.h"
#include "parts/matrix.cuh"

static const unsigned TILE = 32;

/* CUDA's limit for gridDim.y. (That for gridDim.x is 2^31 - 1, more than any memory has room
 * for.) */
static const size_t MAX_GRID_Y = 65535;

/* The product of the rows from first_row on, as many as one grid can compute. */
static struct gemm band_of(const struct gemm *call, size_t first_row)
{
    const size_t rows = call->m - first_row;
    struct gemm band = *call;

    band.m = rows < MAX_GRID_Y * TILE ? rows : MAX_GRID_Y * TILE;
    band.a += first_row * call->lda;
    band.c += first_row * call->ldc;
    return band;
}

static dim3 tiles_of(const struct gemm *call)
{
    return dim3((unsigned)((call->n + TILE - 1) / TILE), (unsigned)((call->m + TILE - 1) / TILE));
}

/* One thread per element of C; threadIdx.x is the row.
 *
 * Better than a loop on one thread: all elements of C are computed in parallel.
 * Still bad: the loads are not coalesced. The 32 threads of a warp differ in threadIdx.x, so they
 * read from 32 rows of A and write to 32 rows of C: 32 sectors of 32 bytes, when 4 would do. */
static __global__ void naive_rows(const struct gemm call)
{
    const size_t row = (size_t)blockIdx.y * TILE + threadIdx.x;
    const size_t column = (size_t)blockIdx.x * TILE + threadIdx.y;

    if (row >= call.m || column >= call.n)
        return;
    float sum = 0;
    for (size_t p = 0; p < call.k; p++)
        sum += call.a[row * call.lda + p] * call.b[p * call.ldb + column];

    float *const c = call.c + row * call.ldc + column;
    *c = blend(call.alpha, sum, call.beta, c);
}

extern "C" void launch_naive_rows(const struct gemm *call)
{
    for (size_t row = 0; row < call->m && call->n > 0; row += MAX_GRID_Y * TILE) {
        const struct gemm band = band_of(call, row);
        naive_rows<<<tiles_of(&band), dim3(TILE, TILE)>>>(band);
    }
}

/* The same with x and y swapped: threadIdx.x is the column.
 *
 * Better: the loads are coalesced. A warp reads one element of A, the same for all threads, and 32
 * neighbours in a row of B; it writes 32 neighbours in a row of C.
 * Still bad: traffic. Every product takes two loads; each element of A is loaded n times, each
 * element of B m times. Most loads hit the caches, but each still costs an instruction and the
 * latency of the cache. */
static __global__ void naive(const struct gemm call)
{
    const size_t row = (size_t)blockIdx.y * TILE + threadIdx.y;
    const size_t column = (size_t)blockIdx.x * TILE + threadIdx.x;

    if (row >= call.m || column >= call.n)
        return;
    float sum = 0;
    for (size_t p = 0; p < call.k; p++)
        sum += call.a[row * call.lda + p] * call.b[p * call.ldb + column];

    float *const c = call.c + row * call.ldc + column;
    *c = blend(call.alpha, sum, call.beta, c);
}

extern "C" void launch_naive(const struct gemm *call)
{
    for (size_t row = 0; row < call->m && call->n > 0; row += MAX_GRID_Y * TILE) {
        const struct gemm band = band_of(call, row);
        naive<<<tiles_of(&band), dim3(TILE, TILE)>>>(band);
    }
}

/* For each step along k, the block loads a tile of A and a tile of B into shared memory, each
 * thread one element of both, and computes from there.
 *
 * Better: an element that is loaded once serves 32 threads: a 32nd of the global loads. Still bad:
 * every product still takes two loads, now from shared memory, and these limit the speed. A thread
 * that computed several elements of C could keep what it loads in registers and use it several
 * times.
 *
 * Threads outside C do not return early: they help to load the tiles, and all threads must reach
 * the barriers. Elements outside A or B are loaded as 0, which changes no sum. */
static __global__ void shared_tile(const struct gemm call)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t row = (size_t)blockIdx.y * TILE + y;
    const size_t column = (size_t)blockIdx.x * TILE + x;

    float sum = 0;
    for (size_t first = 0; first < call.k; first += TILE) {
        const bool inside_a = row < call.m && first + x < call.k;
        const bool inside_b = first + y < call.k && column < call.n;
        tile_a[y][x] = inside_a ? call.a[row * call.lda + first + x] : 0;
        tile_b[y][x] = inside_b ? call.b[(first + y) * call.ldb + column] : 0;
        __syncthreads();

        for (unsigned p = 0; p < TILE; p++)
            sum += tile_a[y][p] * tile_b[p][x];
        __syncthreads(); /* before the next tiles overwrite these */
    }
    if (row >= call.m || column >= call.n)
        return;

    float *const c = call.c + row * call.ldc + column;
    *c = blend(call.alpha, sum, call.beta, c);
}

extern "C" void launch_shared_tile(const struct gemm *call)
{
    for (size_t row = 0; row < call->m && call->n > 0; row += MAX_GRID_Y * TILE) {
        const struct gemm band = band_of(call, row);
        shared_tile<<<tiles_of(&band), dim3(TILE, TILE)>>>(band);
    }
}
