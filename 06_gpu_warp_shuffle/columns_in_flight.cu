/* Step 06, columns: the rungs with more bytes in flight, from tiles that suit the matrix and from
 * several blocks per column. */
#include "kernel/reduce.cuh"
#include "matrix.cuh"
#include "matrix_columns.cuh"
#include "matrix_plan.h"

/* Blocks that are on an SM at the same time. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800 /* room for 1024 threads */
enum { RESIDENT = 1024 / BLOCK };
#else
enum { RESIDENT = COLUMN_BLOCKS_RESIDENT };
#endif

/* Reduces a thread's part of one column: every `height`-th row from `row` on, with
 * COLUMN_ELEMENTS_IN_FLIGHT loads at a time. The first element of the column is at `a`. */
static __device__ value reduce_column(const value *a, size_t row, size_t rows, size_t columns,
                                      unsigned height)
{
    value mine = IDENTITY;

    for (; row < rows; row += COLUMN_ELEMENTS_IN_FLIGHT * height) {
        value loaded[COLUMN_ELEMENTS_IN_FLIGHT];
#pragma unroll
        for (unsigned k = 0; k < COLUMN_ELEMENTS_IN_FLIGHT; k++)
            loaded[k] = row + k * height < rows ? a[(row + k * height) * columns] : IDENTITY;
#pragma unroll
        for (unsigned k = 0; k < COLUMN_ELEMENTS_IN_FLIGHT; k++)
            mine = combine(mine, loaded[k]);
    }
    return mine;
}

/* The same as reduce_column, for the columns of a pack. It combines them into *mine. */
static __device__ void reduce_columns(struct pack *mine, const value *a, size_t row, size_t rows,
                                      size_t columns, unsigned height)
{
    const struct pack nothing = identities();

    for (; row < rows; row += COLUMN_PACKS_IN_FLIGHT * height) {
        struct pack loaded[COLUMN_PACKS_IN_FLIGHT];
#pragma unroll
        for (unsigned k = 0; k < COLUMN_PACKS_IN_FLIGHT; k++)
            loaded[k] = row + k * height < rows
                            ? *(const struct pack *)(a + (row + k * height) * columns)
                            : nothing;
#pragma unroll
        for (unsigned k = 0; k < COLUMN_PACKS_IN_FLIGHT; k++)
            combine_packs(mine, &loaded[k]);
    }
}

/* Several rows at a time, with registers for them (see row_in_flight). A thread has 64 bytes in
 * flight, or 32 with narrow loads, if rows do not start at multiples of 16 bytes.
 *
 * Better: four times the bytes are in flight, 96 KB per SM.
 * Still bad: most threads have no column in a narrow matrix, and no row in one of few rows. */
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    column_in_flight(const value *a, size_t rows, size_t columns, unsigned width, value *out)
{
    const unsigned across = threadIdx.x % width, down = threadIdx.x / width;
    const size_t column = ((size_t)blockIdx.x * width + across) * PACK;

    struct pack mine = identities();
    if (column < columns)
        reduce_columns(&mine, a + column, down, rows, columns, BLOCK / width);
    store_columns(&mine, width, column < columns, out + column);
}

__global__ void __launch_bounds__(BLOCK, RESIDENT)
    column_in_flight_narrow(const value *a, size_t rows, size_t columns, unsigned width, value *out)
{
    const unsigned across = threadIdx.x % width, down = threadIdx.x / width;
    const size_t column = (size_t)blockIdx.x * width + across;

    value mine = IDENTITY;
    if (column < columns)
        mine = reduce_column(a + column, down, rows, columns, BLOCK / width);
    store_column(mine, width, column < columns, out + column);
}

static void start_in_flight(const struct matrix_reduction *call, struct column_plan plan)
{
    const value *const a = (const value *)call->a;
    value *const result = (value *)call->result;

    if (plan.count == 1)
        column_in_flight_narrow<<<plan.tiles, BLOCK>>>(a, call->rows, call->columns, plan.width,
                                                       result);
    else
        column_in_flight<<<plan.tiles, BLOCK>>>(a, call->rows, call->columns, plan.width, result);
}

void launch_column_in_flight(const struct matrix_reduction *call)
{
    if (call->columns > 0)
        start_in_flight(call, column_plan_fixed(call, columns_a_thread(call)));
}

/* The same kernel, with a tile width that suits the matrix: narrow tiles if there are few columns,
 * wide tiles if there are few rows.
 *
 * Better: all threads have loads to do.
 * Still bad: few columns keep few SMs busy, however long they are. */
void launch_column_fitted(const struct matrix_reduction *call)
{
    if (call->columns > 0)
        start_in_flight(call, column_plan_fitted(call));
}

const char *declines_column_fitted(const struct matrix_reduction *call)
{
    const unsigned width = column_plan_fixed(call, columns_a_thread(call)).width;

    return call->columns > 0 && column_plan_fitted(call).width == width
               ? "its tile would be as wide as column_in_flight's"
               : NULL;
}

/* Few, long columns are cut: several blocks one below the other take rows_per_block rows each.
 * Their results are a matrix with one row per block. A second launch reduces its columns, in the
 * same order every time.
 *
 * Better: a single long column keeps all SMs busy.
 * Still bad: it needs a second launch, although the last block could finish (one_launch). */
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    column_split(const value *a, size_t rows, size_t columns, unsigned width, size_t rows_per_block,
                 value *out)
{
    const unsigned across = threadIdx.x % width, down = threadIdx.x / width;
    const size_t column = ((size_t)blockIdx.x * width + across) * PACK;
    const size_t first = blockIdx.y * rows_per_block, left = rows - first;
    const size_t last = first + (left < rows_per_block ? left : rows_per_block);

    struct pack mine = identities();
    if (column < columns)
        reduce_columns(&mine, a + column, first + down, last, columns, BLOCK / width);
    store_columns(&mine, width, column < columns, out + blockIdx.y * columns + column);
}

__global__ void __launch_bounds__(BLOCK, RESIDENT)
    column_split_narrow(const value *a, size_t rows, size_t columns, unsigned width,
                        size_t rows_per_block, value *out)
{
    const unsigned across = threadIdx.x % width, down = threadIdx.x / width;
    const size_t column = (size_t)blockIdx.x * width + across;
    const size_t first = blockIdx.y * rows_per_block, left = rows - first;
    const size_t last = first + (left < rows_per_block ? left : rows_per_block);

    value mine = IDENTITY;
    if (column < columns)
        mine = reduce_column(a + column, first + down, last, columns, BLOCK / width);
    store_column(mine, width, column < columns, out + blockIdx.y * columns + column);
}

void launch_column_split(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return;
    const value *const a = (const value *)call->a;
    value *const partial = (value *)call->workspace, *const result = (value *)call->result;
    const struct column_plan plan = column_plan_split(call);
    const struct column_plan second = column_plan_second(call, plan.splits);
    const dim3 grid(plan.tiles, plan.splits);

    if (plan.count == 1)
        column_split_narrow<<<grid, BLOCK>>>(a, call->rows, call->columns, plan.width,
                                             plan.rows_per_block, partial);
    else
        column_split<<<grid, BLOCK>>>(a, call->rows, call->columns, plan.width, plan.rows_per_block,
                                      partial);
    column_in_flight_narrow<<<second.tiles, BLOCK>>>(partial, plan.splits, call->columns,
                                                     second.width, result);
}

const char *declines_column_split(const struct matrix_reduction *call)
{
    return call->columns > 0 && column_plan_split(call).splits == 1 ? "requires few, long columns"
                                                                    : NULL;
}
/* SPDX-License-Identifier: MIT */
