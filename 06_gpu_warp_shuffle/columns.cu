/* Step 06, columns: reduces each column of a matrix to one number. The matrix is row-major, so
 * neighbouring elements of a column are a row apart in memory. The assignment of elements to
 * threads decides the speed. */
#include "kernel/reduce.cuh"
#include "matrix.cuh"
#include "matrix_columns.cuh"
#include "matrix_plan.h"
#include "warp_reduce.cuh"

/* A block per column, because a block per row was fast.
 *
 * Still bad: neighbouring threads read addresses that are a row apart. Each thread uses 4 bytes of
 * a 32-byte sector, and the other seven elements belong to other blocks. */
__global__ void column_block(const value *a, size_t rows, size_t columns, value *out)
{
    const size_t column = block_number();
    if (column >= columns)
        return;

    value mine = IDENTITY;
    for (size_t row = threadIdx.x; row < rows; row += ROW_BLOCK)
        mine = combine(mine, a[row * columns + column]);

    mine = reduce_block(mine, ROW_BLOCK);
    if (threadIdx.x == 0)
        out[column] = mine;
}

void launch_column_block(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return;
    const dim3 grid = grid_of(call->columns);
    column_block<<<grid, ROW_BLOCK>>>((const value *)call->a, call->rows, call->columns,
                                      (value *)call->result);
}

/* A thread per column, although a thread per row was slow.
 *
 * Better: in every row, the lanes of a warp read neighbours. No thread needs another's number.
 * Still bad: there are only as many threads as columns. That is too few for a GPU unless the matrix
 * is very wide. */
__global__ void column_thread(const value *a, size_t rows, size_t columns, value *out)
{
    const size_t column = block_number() * ROW_BLOCK + threadIdx.x;
    if (column >= columns)
        return;

    value mine = IDENTITY;
    for (size_t row = 0; row < rows; row++)
        mine = combine(mine, a[row * columns + column]);
    out[column] = mine;
}

void launch_column_thread(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return;
    const dim3 grid = grid_of(divided_up(call->columns, ROW_BLOCK));
    column_thread<<<grid, ROW_BLOCK>>>((const value *)call->a, call->rows, call->columns,
                                       (value *)call->result);
}

/* Several threads per column. A block is a tile of threads: `width` across (a power of two), and
 * `height` down. A thread reduces every `height`-th row. store_column combines the threads.
 *
 * Better: there are 16 times as many threads.
 * Still bad: each load reads only 4 bytes per thread. */
__global__ void column_tile(const value *a, size_t rows, size_t columns, unsigned width, value *out)
{
    const unsigned across = threadIdx.x % width, down = threadIdx.x / width;
    const unsigned height = BLOCK / width;
    const size_t column = (size_t)blockIdx.x * width + across;

    value mine = IDENTITY;
    if (column < columns)
        for (size_t row = down; row < rows; row += height)
            mine = combine(mine, a[row * columns + column]);
    store_column(mine, width, column < columns, out + column);
}

void launch_column_tile(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return;
    const struct column_plan plan = column_plan_fixed(call, 1);
    column_tile<<<plan.tiles, BLOCK>>>((const value *)call->a, call->rows, call->columns,
                                       plan.width, (value *)call->result);
}

/* 16-byte loads: a thread reduces PACK neighbouring columns. Every row must start at a multiple of
 * 16 bytes.
 *
 * Better: a quarter of the load instructions, and four times the bytes in flight per SM.
 * Still bad: there is also only a quarter of the blocks, so it pays off only with many columns. A
 * thread waits for one pack before it loads the next. */
__global__ void column_vectorized(const value *a, size_t rows, size_t columns, unsigned width,
                                  value *out)
{
    const unsigned across = threadIdx.x % width, down = threadIdx.x / width;
    const unsigned height = BLOCK / width;
    const size_t column = ((size_t)blockIdx.x * width + across) * PACK;

    struct pack mine = identities();
    if (column < columns)
        for (size_t row = down; row < rows; row += height) {
            const struct pack loaded = *(const struct pack *)(a + row * columns + column);
            combine_packs(&mine, &loaded);
        }
    store_columns(&mine, width, column < columns, out + column);
}

void launch_column_vectorized(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return;
    const struct column_plan plan = column_plan_fixed(call, columns_a_thread(call));
    column_vectorized<<<plan.tiles, BLOCK>>>((const value *)call->a, call->rows, call->columns,
                                             plan.width, (value *)call->result);
}

const char *declines_column_vectorized(const struct matrix_reduction *call)
{
    return call->columns > 0 && columns_a_thread(call) == 1
               ? "requires rows that start at multiples of 16 bytes"
               : NULL;
}
/* SPDX-License-Identifier: MIT */
