/* Step 07: C = alpha * A * B + beta * C for row-major matrices, A m x k, B k x n, C m x n.
 *
 * Every kernel computes all of C; what differs from rung to rung is how often it asks memory for
 * the same element of A and B. A block of TILE x TILE threads owns a tile of C of that size: tile
 * column blockIdx.x, tile row blockIdx.y. */
#include "tile.cuh"

static const unsigned TILE = 32;

/* CUDA's limit for gridDim.y. (gridDim.x goes up to 2^31 - 1, more than fit in any memory.) */
static const size_t MAX_GRID_Y = 65535;

/* The product's rows from first_row on, as many as one grid can take: a smaller product. */
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

/* One thread an element of C; threadIdx.x walks down a column.
 *
 * Better than a loop on one thread: all elements of C at once.
 * Still bad: the loads do not coalesce. The 32 threads of a warp differ in threadIdx.x, so they
 * read 32 rows of A and write 32 rows of C: 32 sectors of 32 bytes where 4 would hold as much. */
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

/* The same with x and y changed places: threadIdx.x walks along a row.
 *
 * Better: the loads coalesce. A warp reads one element of A, the same for all, and 32 neighbours of
 * B; it writes 32 neighbours of C.
 * Still bad: traffic. Every product takes two loads, and each element of A is asked for n times,
 * each of B m times. The caches soften that, but every load still costs an instruction and a trip
 * there. */
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

/* The block loads a tile of A and a tile of B into shared memory, each thread one element of each,
 * and all of its threads compute from there; then the next pair of tiles along k.
 *
 * Better: an element loaded once serves 32 threads. Global loads shrink to a 32nd.
 * Still bad: every product still takes two loads, now from shared memory, and those are what the
 * multiprocessor spends its time on. A thread that computed several elements of C could keep what
 * it loads in registers and use it several times.
 *
 * Threads outside C stay: they help to load, and everyone must reach the barriers. What lies
 * outside A or B is loaded as 0 and changes no sum. */
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
        __syncthreads(); /* before the next tiles replace these */
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
