/* Step 06, rows: reduces each row of a matrix to one number. The matrix is row-major, so the
 * elements of a row are neighbours. The assignment of elements to threads decides the speed. */
#include "kernel/reduce.cuh"
#include "matrix.cuh"
#include "matrix_plan.h"
#include "warp_reduce.cuh"

static const unsigned BLOCK = ROW_BLOCK;

/* A thread per row, as a CPU programmer would write it.
 *
 * Still bad: the lanes of a warp read addresses that are a row apart. A load moves a 32-byte sector
 * per lane and uses 4 bytes of it. The rest may have left the cache before it is used. A matrix of
 * few rows also keeps few threads busy. */
__global__ void row_thread(const value *a, size_t rows, size_t columns, value *out)
{
    const size_t row = block_number() * BLOCK + threadIdx.x;
    if (row >= rows)
        return;

    value mine = IDENTITY;
    for (size_t column = 0; column < columns; column++)
        mine = combine(mine, a[row * columns + column]);
    out[row] = mine;
}

void launch_row_thread(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const dim3 grid = grid_of(divided_up(call->rows, BLOCK));
    row_thread<<<grid, BLOCK>>>((const value *)call->a, call->rows, call->columns,
                                (value *)call->result);
}

/* A warp per row.
 *
 * Better: a warp reads 128 neighbouring bytes at a time and uses all of them. Five shuffles combine
 * its lanes.
 * Still bad: a matrix of few, long rows keeps few warps busy. */
__global__ void row_warp(const value *a, size_t rows, size_t columns, value *out)
{
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const size_t row = block_number() * (BLOCK / WARP) + warp;
    if (row >= rows)
        return;

    value mine = IDENTITY;
    for (size_t column = lane; column < columns; column += WARP)
        mine = combine(mine, a[row * columns + column]);

    mine = reduce_warp(mine);
    if (lane == 0)
        out[row] = mine;
}

void launch_row_warp(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const dim3 grid = grid_of(divided_up(call->rows, BLOCK / WARP));
    row_warp<<<grid, BLOCK>>>((const value *)call->a, call->rows, call->columns,
                              (value *)call->result);
}

/* A block per row.
 *
 * Better: eight warps share a long row.
 * Still bad: in a short row most threads are idle. Each load reads only 4 bytes per thread. */
__global__ void row_block(const value *a, size_t rows, size_t columns, value *out)
{
    const size_t row = block_number();
    if (row >= rows)
        return;

    value mine = IDENTITY;
    for (size_t column = threadIdx.x; column < columns; column += BLOCK)
        mine = combine(mine, a[row * columns + column]);

    mine = reduce_block(mine, BLOCK);
    if (threadIdx.x == 0)
        out[row] = mine;
}

void launch_row_block(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const dim3 grid = grid_of(call->rows);
    row_block<<<grid, BLOCK>>>((const value *)call->a, call->rows, call->columns,
                               (value *)call->result);
}

/* Combines the part of thread `me` of `width` threads in the n elements at `a`. From the first
 * address that is a multiple of 16, it uses 16-byte loads, `loads` of them before it uses the first
 * value. Elements before and after are loaded one by one. */
static __device__ value reduce_span(const value *a, size_t n, unsigned me, unsigned width,
                                    unsigned loads)
{
    size_t head = (PACK - (size_t)a / sizeof(value) % PACK) % PACK;
    head = head < n ? head : n;
    const size_t packs = (n - head) / PACK;
    const size_t edges = n - packs * PACK; /* elements before and after the packs */
    const struct pack *const body = (const struct pack *)(a + head);
    value mine = IDENTITY;

    for (size_t i = me; i < packs; i += loads * width) {
        struct pack loaded[ROW_PACKS_IN_FLIGHT];
#pragma unroll
        for (unsigned k = 0; k < loads; k++) {
            if (i + k * width < packs)
                loaded[k] = body[i + k * width];
            else
                for (unsigned e = 0; e < PACK; e++)
                    loaded[k].element[e] = IDENTITY;
        }
#pragma unroll
        for (unsigned k = 0; k < loads; k++)
            for (unsigned e = 0; e < PACK; e++)
                mine = combine(mine, loaded[k].element[e]);
    }
    for (size_t i = me; i < edges; i += width)
        mine = combine(mine, a[i < head ? i : i + packs * PACK]);
    return mine;
}

/* 16-byte loads.
 *
 * Better: a quarter of the load instructions, and four times the bytes in flight.
 * Still bad: a thread waits for one pack before it loads the next. In a row of less than 4 KB, some
 * threads have no pack. */
__global__ void row_vectorized(const value *a, size_t rows, size_t columns, value *out)
{
    const size_t row = block_number();
    if (row >= rows)
        return;

    value mine = reduce_span(a + row * columns, columns, threadIdx.x, BLOCK, 1);

    mine = reduce_block(mine, BLOCK);
    if (threadIdx.x == 0)
        out[row] = mine;
}

void launch_row_vectorized(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const dim3 grid = grid_of(call->rows);
    row_vectorized<<<grid, BLOCK>>>((const value *)call->a, call->rows, call->columns,
                                    (value *)call->result);
}

/* Blocks that are on an SM at the same time. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800 /* room for 1024 threads */
enum { RESIDENT = 1024 / BLOCK };
#else
enum { RESIDENT = ROW_BLOCKS_RESIDENT };
#endif

/* Several packs at a time.
 *
 * __launch_bounds__ tells the compiler how many blocks share the registers. Without it the compiler
 * saves registers and does the loads one after the other.
 *
 * Better: four times the bytes are in flight, 80 KB per SM.
 * Still bad: in a short row most threads have nothing to load. */
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    row_in_flight(const value *a, size_t rows, size_t columns, value *out)
{
    const size_t row = block_number();
    if (row >= rows)
        return;

    value mine = reduce_span(a + row * columns, columns, threadIdx.x, BLOCK, ROW_PACKS_IN_FLIGHT);

    mine = reduce_block(mine, BLOCK);
    if (threadIdx.x == 0)
        out[row] = mine;
}

void launch_row_in_flight(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const dim3 grid = grid_of(call->rows);
    row_in_flight<<<grid, BLOCK>>>((const value *)call->a, call->rows, call->columns,
                                   (value *)call->result);
}

/* Combines the values of `width` neighbouring lanes, a power of two. The first of them gets the
 * result. All lanes of the warp must call it. */
static __device__ value reduce_lanes(value mine, unsigned width)
{
    for (unsigned offset = width / 2; offset > 0; offset /= 2)
        mine = combine(mine, __shfl_down_sync(ALL_LANES, mine, offset, width));
    return mine;
}

/* A short row gets only as many lanes as have ROW_PACKS_IN_FLIGHT loads each: a warp or a part of
 * one. A long row still gets a block.
 *
 * Better: all threads have loads to do, even in short rows.
 * Still bad: few rows keep few SMs busy, however long they are. */
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    row_fitted(const value *a, size_t rows, size_t columns, unsigned width, value *out)
{
    const unsigned rows_of_block = BLOCK / width;
    const unsigned lane = threadIdx.x % width, mine_of_block = threadIdx.x / width;

    /* All lanes do all iterations, even those without a row, because the shuffles need them. */
    for (size_t first = (size_t)blockIdx.x * rows_of_block; first < rows;
         first += (size_t)gridDim.x * rows_of_block) {
        const size_t row = first + mine_of_block;
        value mine = IDENTITY;
        if (row < rows)
            mine = reduce_span(a + row * columns, columns, lane, width, ROW_PACKS_IN_FLIGHT);

        mine = reduce_lanes(mine, width);
        if (lane == 0 && row < rows)
            out[row] = mine;
    }
}

static void start_fitted(const struct matrix_reduction *call, const value *a, size_t rows,
                         size_t columns, value *out)
{
    const struct row_plan plan = row_plan_fitted(call, rows, columns);

    if (plan.lanes > 0)
        row_fitted<<<plan.grid, BLOCK>>>(a, rows, columns, plan.lanes, out);
    else
        row_in_flight<<<grid_of(rows), BLOCK>>>(a, rows, columns, out);
}

void launch_row_fitted(const struct matrix_reduction *call)
{
    if (call->rows > 0)
        start_fitted(call, (const value *)call->a, call->rows, call->columns,
                     (value *)call->result);
}

const char *declines_row_fitted(const struct matrix_reduction *call)
{
    return call->rows > 0 && row_plan_fitted(call, call->rows, call->columns).lanes == 0
               ? "requires rows for less than a block each"
               : NULL;
}

/* Few, long rows are cut into pieces, with one block per piece. The results are a matrix with one
 * column per piece. A second launch reduces its rows, in the same order every time.
 *
 * Better: a single long row keeps all SMs busy.
 * Still bad: it needs a second launch, although the last block could finish (one_launch). */
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    row_split(const value *a, size_t columns, size_t piece_length, value *out)
{
    const size_t row = blockIdx.x, piece = blockIdx.y;
    const size_t first = piece * piece_length, left = columns - first;
    const size_t length = left < piece_length ? left : piece_length;

    value mine =
        reduce_span(a + row * columns + first, length, threadIdx.x, BLOCK, ROW_PACKS_IN_FLIGHT);

    mine = reduce_block(mine, BLOCK);
    if (threadIdx.x == 0)
        out[row * gridDim.y + piece] = mine;
}

void launch_row_split(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const struct row_plan plan = row_plan_split(call);

    const dim3 grid((unsigned)call->rows, (unsigned)plan.pieces);
    value *const pieces = (value *)call->workspace;

    row_split<<<grid, BLOCK>>>((const value *)call->a, call->columns, plan.piece_length, pieces);
    start_fitted(call, pieces, call->rows, plan.pieces, (value *)call->result);
}

const char *declines_row_split(const struct matrix_reduction *call)
{
    return call->rows > 0 && row_plan_split(call).pieces == 1 ? "requires few, long rows" : NULL;
}
/* SPDX-License-Identifier: MIT */
