/* Step 06, rows and columns: a matrix in, one number per row or per column out. The matrix is
 * row-major, so the elements of a row are neighbours in memory and those of a column are not: which
 * thread takes which element decides the speed.
 *
 * `in` is the matrix and the operator (common/kernel/reduce.cuh): in.a the elements, in.term(i)
 * element i. */
#include <stdint.h>
#include <stdio.h>

#include "kernel/reduce.cuh"
#include "problem/matrix_reduction/matrix_reduction.h"

static const unsigned WARP = 32;
static const unsigned ALL_LANES = 0xffffffff;

/* Threads a block; where one number of a block is wanted per column, more of them. */
static const unsigned BLOCK = 256;
static const unsigned COLUMNS_BLOCK = 512;

/* Bytes in flight on a multiprocessor: blocks x threads x packs x 16, 80 KB for rows, 96 for
 * columns. __launch_bounds__ promises the compiler no more blocks than these, and so the registers
 * for the packs; left alone it saves registers and does the loads one after the other. */
static const unsigned PACKS_IN_FLIGHT = 4;
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800 /* room for 1024 threads */
static const unsigned BLOCKS_PER_MULTIPROCESSOR = 4;
static const unsigned COLUMNS_BLOCKS_PER_MULTIPROCESSOR = 2;
#else
static const unsigned BLOCKS_PER_MULTIPROCESSOR = 5;
static const unsigned COLUMNS_BLOCKS_PER_MULTIPROCESSOR = 3;
#endif

/* How many times as many blocks as fit at a time, where work can be cut at will: more of them leave
 * less to wait for at the end, and cost more to start and to combine. */
static const unsigned WAVES = 16;
static const unsigned COLUMNS_WAVES = 8;

/* Bytes of a row from which a block, not a warp, takes it. */
static const size_t LONG_ROW = 16 << 10;

/* Bytes of a row that a block of `columns` takes at least, if there are as many. */
static const unsigned TILE_BYTES = 512;
static const unsigned SECTOR_BYTES = 32;

/* The hardware's limit of a grid in y. */
static const size_t MOST_BLOCKS_IN_Y = 65535;

/* COUNT elements that are loaded at once: one load of up to 16 bytes. */
template <typename T, unsigned COUNT>
struct __align__(sizeof(T) * COUNT) Pack
{
    T element[COUNT];
};

/* ---- parts of kernels ------------------------------------------------------------------------ */

/* A block for each of very many results: more than a grid has in x go on in y. */
static dim3 grid_of(size_t blocks)
{
    const size_t most = (size_t)1 << 30;
    const size_t x = blocks < most ? blocks : most;
    return dim3((unsigned)x, (unsigned)((blocks + x - 1) / x));
}

static __device__ size_t block_number()
{
    return (size_t)blockIdx.y * gridDim.x + blockIdx.x;
}

/* Combines the values of `width` neighbouring lanes, a power of two; the first of them gets the
 * result. All lanes of the warp must call it. */
template <typename R>
static __device__ typename R::value combine_lanes(typename R::value mine, unsigned width)
{
    for (unsigned offset = width / 2; offset > 0; offset /= 2)
        mine = R::combine(mine, __shfl_down_sync(ALL_LANES, mine, offset, width));
    return mine;
}

/* Combines the values of a block of BLOCK threads; thread 0 gets the result. */
template <typename R>
static __device__ typename R::value combine_block(typename R::value mine)
{
    __shared__ typename R::value warp_results[BLOCK / WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

    mine = combine_lanes<R>(mine, WARP);
    if (lane == 0)
        warp_results[warp] = mine;
    __syncthreads();

    if (warp == 0) {
        mine = lane < BLOCK / WARP ? warp_results[lane] : R::identity();
        mine = combine_lanes<R>(mine, BLOCK / WARP);
    }
    return mine;
}

/* Thread `me` of `width` combines its part of the n elements at `a`: 16-byte loads, several in
 * flight, from the first address that is a multiple of 16; what lies before and behind, singly. */
template <typename R>
static __device__ typename R::value combine_span(const typename R::value *a, size_t n, unsigned me,
                                                 unsigned width)
{
    typedef typename R::value value;
    const unsigned COUNT = 16 / sizeof(value);
    typedef Pack<value, COUNT> pack;

    size_t head = (COUNT - (size_t)a / sizeof(value) % COUNT) % COUNT;
    head = head < n ? head : n;
    const size_t packs = (n - head) / COUNT;
    const size_t edges = n - packs * COUNT; /* elements before and behind the packs */
    const pack *const body = (const pack *)(a + head);
    value mine = R::identity();

    for (size_t i = me; i < packs; i += PACKS_IN_FLIGHT * width) {
        pack loaded[PACKS_IN_FLIGHT];
#pragma unroll
        for (unsigned k = 0; k < PACKS_IN_FLIGHT; k++) {
            if (i + k * width < packs)
                loaded[k] = body[i + k * width];
            else
                for (unsigned e = 0; e < COUNT; e++)
                    loaded[k].element[e] = R::identity();
        }
#pragma unroll
        for (unsigned k = 0; k < PACKS_IN_FLIGHT; k++)
            for (unsigned e = 0; e < COUNT; e++)
                mine = R::combine(mine, loaded[k].element[e]);
    }
    for (size_t i = me; i < edges; i += width)
        mine = R::combine(mine, a[i < head ? i : i + packs * COUNT]);
    return mine;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A thread a row, as one would write it on a CPU.
 *
 * Bad: the lanes of a warp read addresses that are a row apart, so each of them moves a sector of
 * 32 bytes to use 4, and is lucky if the rest is still in the cache when its turn comes. And a
 * matrix of few rows occupies few threads. */
template <typename R>
__global__ void row_thread(R in, size_t rows, size_t columns, typename R::value *out)
{
    const size_t row = block_number() * BLOCK + threadIdx.x;
    if (row >= rows)
        return;

    typename R::value mine = R::identity();
    for (size_t column = 0; column < columns; column++)
        mine = R::combine(mine, in.term(row * columns + column));
    out[row] = mine;
}

/* A warp a row.
 *
 * Better: a warp reads 128 neighbouring bytes at a time, all of which it uses, and five shuffles
 * combine them.
 * Still bad: one 4-byte load a lane in flight; a matrix of few, long rows occupies few warps. */
template <typename R>
__global__ void row_warp(R in, size_t rows, size_t columns, typename R::value *out)
{
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const size_t row = block_number() * (BLOCK / WARP) + warp;
    if (row >= rows)
        return;

    typename R::value mine = R::identity();
    for (size_t column = lane; column < columns; column += WARP)
        mine = R::combine(mine, in.term(row * columns + column));

    mine = combine_lanes<R>(mine, WARP);
    if (lane == 0)
        out[row] = mine;
}

/* A block a row.
 *
 * Better: eight warps share a long row. Still bad: most of the block idles in a short row and in
 * the tree; a few rows, however long, still leave multiprocessors without work. */
template <typename R>
__global__ void row_block(R in, size_t rows, size_t columns, typename R::value *out)
{
    const size_t row = block_number();
    if (row >= rows)
        return;

    typename R::value mine = R::identity();
    for (size_t column = threadIdx.x; column < columns; column += BLOCK)
        mine = R::combine(mine, in.term(row * columns + column));

    mine = combine_block<R>(mine);
    if (threadIdx.x == 0)
        out[row] = mine;
}

/* Short rows: `width` lanes a row, so few that each has PACKS_IN_FLIGHT loads to do, and a warp has
 * several rows if they are shorter than that. */
template <typename R>
__global__ void __launch_bounds__(BLOCK, BLOCKS_PER_MULTIPROCESSOR)
    rows_short(R in, size_t rows, size_t columns, unsigned width, typename R::value *out)
{
    const unsigned rows_of_block = BLOCK / width;
    const unsigned lane = threadIdx.x % width, mine_of_block = threadIdx.x / width;

    /* All lanes go round together: they are needed in the shuffles, with a row or without. */
    for (size_t first = (size_t)blockIdx.x * rows_of_block; first < rows;
         first += (size_t)gridDim.x * rows_of_block) {
        const size_t row = first + mine_of_block;
        typename R::value mine = R::identity();
        if (row < rows)
            mine = combine_span<R>(in.a + row * columns, columns, lane, width);

        mine = combine_lanes<R>(mine, width);
        if (lane == 0 && row < rows)
            out[row] = mine;
    }
}

/* Long rows: a block for each piece of a row. With one piece a row `out` is the result; with more
 * it is a matrix of as many columns, to be reduced in its turn. */
template <typename R>
__global__ void __launch_bounds__(BLOCK, BLOCKS_PER_MULTIPROCESSOR)
    rows_long(R in, size_t columns, size_t piece_length, typename R::value *out)
{
    const size_t row = blockIdx.x, piece = blockIdx.y;
    const size_t first = piece * piece_length, left = columns - first;
    const size_t length = left < piece_length ? left : piece_length;

    typename R::value mine =
        combine_span<R>(in.a + row * columns + first, length, threadIdx.x, BLOCK);

    mine = combine_block<R>(mine);
    if (threadIdx.x == 0)
        out[row * gridDim.y + piece] = mine;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* A block a column, since a block a row did well.
 *
 * Bad: neighbouring threads read addresses that are a row apart. Each 4 bytes cost a sector of 32,
 * and the other seven elements of it belong to other blocks. */
template <typename R>
__global__ void column_block(R in, size_t rows, size_t columns, typename R::value *out)
{
    const size_t column = block_number();
    if (column >= columns)
        return;

    typename R::value mine = R::identity();
    for (size_t row = threadIdx.x; row < rows; row += BLOCK)
        mine = R::combine(mine, in.term(row * columns + column));

    mine = combine_block<R>(mine);
    if (threadIdx.x == 0)
        out[column] = mine;
}

/* A thread a column: what was bad for rows.
 *
 * Better: the lanes of a warp read neighbours, in every row, and no thread needs another's number.
 * Still bad: 4 bytes a load, and as many threads as columns, which is too few to keep a GPU busy
 * unless the matrix is very wide. */
template <typename R>
__global__ void column_thread(R in, size_t rows, size_t columns, typename R::value *out)
{
    const size_t column = block_number() * BLOCK + threadIdx.x;
    if (column >= columns)
        return;

    typename R::value mine = R::identity();
    for (size_t row = 0; row < rows; row++)
        mine = R::combine(mine, in.term(row * columns + column));
    out[column] = mine;
}

/* As many rows as a thread of `columns` has in flight: 64 bytes, or 32 where loads are narrow. */
template <unsigned COUNT>
struct RowsInFlight {
    static const unsigned ROWS = COUNT == 1 ? 8 : 4;
};

/* The block is `width` threads across (a power of two), COUNT columns each, and as many down as
 * that leaves. It takes rows_per_block rows of its columns, all threads combining their own, and a
 * tree in shared memory combines those that stand in one column. blockIdx.y says which rows: with
 * one block a column `out` is the result; with more it is a matrix of as many rows, to be reduced
 * in its turn. */
template <unsigned COUNT, typename R>
__global__ void __launch_bounds__(COLUMNS_BLOCK, COLUMNS_BLOCKS_PER_MULTIPROCESSOR)
    columns_tile(R in, size_t rows, size_t columns, unsigned width, size_t rows_per_block,
                 typename R::value *out)
{
    typedef Pack<typename R::value, COUNT> pack;
    const unsigned ROWS = RowsInFlight<COUNT>::ROWS;
    __shared__ pack partial[COLUMNS_BLOCK];
    const unsigned across = threadIdx.x % width, down = threadIdx.x / width;
    const unsigned height = COLUMNS_BLOCK / width;
    const size_t column = ((size_t)blockIdx.x * width + across) * COUNT;
    const size_t first = blockIdx.y * rows_per_block, left = rows - first;
    const size_t last = first + (left < rows_per_block ? left : rows_per_block);

    pack nothing;
    for (unsigned e = 0; e < COUNT; e++)
        nothing.element[e] = R::identity();

    pack mine = nothing;
    if (column < columns)
        for (size_t row = first + down; row < last; row += ROWS * height) {
            pack loaded[ROWS];
#pragma unroll
            for (unsigned k = 0; k < ROWS; k++)
                loaded[k] = row + k * height < last
                                ? *(const pack *)(in.a + (row + k * height) * columns + column)
                                : nothing;
#pragma unroll
            for (unsigned k = 0; k < ROWS; k++)
                for (unsigned e = 0; e < COUNT; e++)
                    mine.element[e] = R::combine(mine.element[e], loaded[k].element[e]);
        }
    partial[threadIdx.x] = mine;

    /* Step 05's tree, ended when one number a column is left. */
    for (unsigned offset = COLUMNS_BLOCK / 2; offset >= width; offset /= 2) {
        __syncthreads();
        if (threadIdx.x < offset)
            for (unsigned e = 0; e < COUNT; e++)
                partial[threadIdx.x].element[e] = R::combine(
                    partial[threadIdx.x].element[e], partial[threadIdx.x + offset].element[e]);
    }
    if (down == 0 && column < columns)
        for (unsigned e = 0; e < COUNT; e++)
            out[blockIdx.y * columns + column + e] = partial[threadIdx.x].element[e];
}

/* ---- launches -------------------------------------------------------------------------------- */

static size_t at_most(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t divided_up(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* The least power of two from n up, no more than `most`, which is one. */
static unsigned power_of_two(size_t n, unsigned most)
{
    unsigned power = 1;
    while (power < n && power < most)
        power *= 2;
    return power;
}

/* Calls launch(in) with the matrix and the operator. */
template <typename Launch>
static void matrix_with(const struct matrix_reduction *call, Launch launch)
{
    if (call->type == TYPE_F64)
        reduce_unary<double>(call->op, call->a, launch);
    else
        reduce_unary<float>(call->op, call->a, launch);
}

static size_t element_size(const struct matrix_reduction *call)
{
    return call->type == TYPE_F64 ? sizeof(double) : sizeof(float);
}

extern "C" void launch_row_thread(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const dim3 grid = grid_of(divided_up(call->rows, BLOCK));
    matrix_with(call, [=](auto in) {
        typedef typename decltype(in)::value value;
        row_thread<<<grid, BLOCK>>>(in, call->rows, call->columns, (value *)call->result);
    });
}

extern "C" void launch_row_warp(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const dim3 grid = grid_of(divided_up(call->rows, BLOCK / WARP));
    matrix_with(call, [=](auto in) {
        typedef typename decltype(in)::value value;
        row_warp<<<grid, BLOCK>>>(in, call->rows, call->columns, (value *)call->result);
    });
}

extern "C" void launch_row_block(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const dim3 grid = grid_of(call->rows);
    matrix_with(call, [=](auto in) {
        typedef typename decltype(in)::value value;
        row_block<<<grid, BLOCK>>>(in, call->rows, call->columns, (value *)call->result);
    });
}

extern "C" void launch_column_block(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return;
    const dim3 grid = grid_of(call->columns);
    matrix_with(call, [=](auto in) {
        typedef typename decltype(in)::value value;
        column_block<<<grid, BLOCK>>>(in, call->rows, call->columns, (value *)call->result);
    });
}

extern "C" void launch_column_thread(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return;
    const dim3 grid = grid_of(divided_up(call->columns, BLOCK));
    matrix_with(call, [=](auto in) {
        typedef typename decltype(in)::value value;
        column_thread<<<grid, BLOCK>>>(in, call->rows, call->columns, (value *)call->result);
    });
}

/* ---- rows: the shape decides ----------------------------------------------------------------- */

struct row_plan {
    unsigned width;      /* lanes a row, or 0: a block for each piece of a row */
    unsigned short_grid; /* blocks of rows_short */
    size_t pieces, piece_length;
};

/* Of rows x columns elements, where a row may be cut into `most_pieces`. */
static struct row_plan plan_rows(const struct matrix_reduction *call, size_t rows, size_t columns,
                                 size_t most_pieces)
{
    const size_t size = element_size(call), pack = 16 / size;
    const size_t blocks =
        (size_t)call->multiprocessors * BLOCKS_PER_MULTIPROCESSOR * WAVES; /* wanted */
    struct row_plan plan = {0, 0, 1, columns};

    if (columns < LONG_ROW / size) {
        plan.width = power_of_two(divided_up(columns, pack * PACKS_IN_FLIGHT), WARP);
        plan.short_grid = (unsigned)at_most(divided_up(rows, BLOCK / plan.width), blocks);
        return plan;
    }
    /* Pieces as long as what counts as a long row, or longer; each starts as aligned as its row. */
    plan.pieces = at_most(blocks / rows, columns / (LONG_ROW / size));
    plan.pieces = at_most(plan.pieces, at_most(most_pieces, MOST_BLOCKS_IN_Y));
    if (plan.pieces > 1) {
        plan.piece_length = divided_up(divided_up(columns, plan.pieces), 8 * pack) * 8 * pack;
        plan.pieces = divided_up(columns, plan.piece_length);
    } else {
        plan.pieces = 1;
    }
    return plan;
}

static struct row_plan first_row_plan(const struct matrix_reduction *call)
{
    const size_t fitting = call->workspace_bytes / element_size(call) / call->rows;
    return plan_rows(call, call->rows, call->columns, fitting);
}

template <typename R>
static void reduce_rows(const struct row_plan *plan, R in, size_t rows, size_t columns,
                        typename R::value *out)
{
    if (plan->width > 0)
        rows_short<<<plan->short_grid, BLOCK>>>(in, rows, columns, plan->width, out);
    else
        rows_long<<<dim3((unsigned)rows, (unsigned)plan->pieces), BLOCK>>>(in, columns,
                                                                           plan->piece_length, out);
}

/* Lanes, a warp or a block a row, or several blocks where rows are few, long, or both: then a
 * second launch combines what they leave, in the same order every time. */
extern "C" void launch_rows(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const struct row_plan plan = first_row_plan(call);
    matrix_with(call, [=](auto in) {
        typedef typename decltype(in)::value value;
        value *const result = (value *)call->result;

        if (plan.pieces == 1) {
            reduce_rows(&plan, in, call->rows, call->columns, result);
        } else {
            value *const partial = (value *)call->workspace;
            const struct row_plan second = plan_rows(call, call->rows, plan.pieces, 1);
            reduce_rows(&plan, in, call->rows, call->columns, partial);
            reduce_rows(&second, in.finish(partial), call->rows, plan.pieces, result);
        }
    });
}

/* ---- columns: the shape decides -------------------------------------------------------------- */

struct column_plan {
    unsigned count;  /* columns a thread */
    unsigned width;  /* threads across */
    unsigned tiles;  /* blocks side by side */
    unsigned splits; /* blocks one below the other */
    size_t rows_per_block;
};

/* Of rows x columns elements, `count` columns a thread, at least `narrowest` threads across if
 * there are columns for them, and at most most_splits blocks one below the other. */
static struct column_plan plan_columns(const struct matrix_reduction *call, size_t rows,
                                       size_t columns, unsigned count, unsigned narrowest,
                                       size_t most_splits)
{
    const unsigned in_flight = count == 1 ? RowsInFlight<1>::ROWS : RowsInFlight<2>::ROWS;
    const size_t blocks =
        (size_t)call->multiprocessors * COLUMNS_BLOCKS_PER_MULTIPROCESSOR * COLUMNS_WAVES;
    const size_t threads_across = divided_up(columns, count);
    struct column_plan plan = {count, 0, 0, 0, rows};

    /* No more threads down than there are rows for, and none across beyond the last column. */
    const unsigned height = power_of_two(divided_up(rows, in_flight), COLUMNS_BLOCK / narrowest);
    plan.width = power_of_two(threads_across, COLUMNS_BLOCK / height);
    plan.tiles = (unsigned)divided_up(threads_across, plan.width);

    const size_t rows_at_once = (size_t)(COLUMNS_BLOCK / plan.width) * in_flight;
    size_t splits = at_most(blocks / plan.tiles, divided_up(rows, rows_at_once));
    splits = at_most(splits, at_most(most_splits, MOST_BLOCKS_IN_Y));
    if (splits > 1) {
        plan.rows_per_block = divided_up(rows, splits);
        splits = divided_up(rows, plan.rows_per_block);
    }
    plan.splits = splits > 1 ? (unsigned)splits : 1;
    return plan;
}

/* 16-byte loads if every row starts at a multiple of 16. */
static struct column_plan first_column_plan(const struct matrix_reduction *call)
{
    const size_t size = element_size(call), pack = 16 / size;
    const bool aligned = (uintptr_t)call->a % 16 == 0 && call->columns % pack == 0;
    const unsigned count = aligned ? (unsigned)pack : 1;
    const size_t fitting = call->workspace_bytes / size / call->columns;

    return plan_columns(call, call->rows, call->columns, count,
                        TILE_BYTES / (count * (unsigned)size), fitting);
}

/* The second stage has far less to read: narrow blocks, so that there are many. */
static struct column_plan second_column_plan(const struct matrix_reduction *call, size_t splits)
{
    return plan_columns(call, splits, call->columns, 1, SECTOR_BYTES / (unsigned)element_size(call),
                        1);
}

template <typename R>
static void reduce_columns(const struct column_plan *plan, R in, size_t rows, size_t columns,
                           typename R::value *out)
{
    const unsigned COUNT = 16 / sizeof(typename R::value);
    const dim3 grid(plan->tiles, plan->splits);

    if (plan->count == 1)
        columns_tile<1>
            <<<grid, COLUMNS_BLOCK>>>(in, rows, columns, plan->width, plan->rows_per_block, out);
    else
        columns_tile<COUNT>
            <<<grid, COLUMNS_BLOCK>>>(in, rows, columns, plan->width, plan->rows_per_block, out);
}

/* Tiles of columns, several loads of each thread in flight, and where there are few columns several
 * blocks to a tile: then a second launch combines what they leave, in the same order every time. */
extern "C" void launch_columns(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return;
    const struct column_plan plan = first_column_plan(call);
    matrix_with(call, [=](auto in) {
        typedef typename decltype(in)::value value;
        value *const result = (value *)call->result;

        if (plan.splits == 1) {
            reduce_columns(&plan, in, call->rows, call->columns, result);
        } else {
            value *const partial = (value *)call->workspace;
            const struct column_plan second = second_column_plan(call, plan.splits);
            reduce_columns(&plan, in, call->rows, call->columns, partial);
            reduce_columns(&second, in.finish(partial), plan.splits, call->columns, result);
        }
    });
}

/* ---- how often a term is rounded, and what was chosen ---------------------------------------- */

static double rounds_of_tree(unsigned leaves)
{
    double rounds = 0;
    for (; leaves > 1; leaves /= 2)
        rounds++;
    return rounds;
}

extern "C" double depth_row_thread(const struct matrix_reduction *call)
{
    return (double)call->columns;
}

extern "C" double depth_row_warp(const struct matrix_reduction *call)
{
    return (double)divided_up(call->columns, WARP) + rounds_of_tree(WARP);
}

extern "C" double depth_row_block(const struct matrix_reduction *call)
{
    return (double)divided_up(call->columns, BLOCK) + rounds_of_tree(BLOCK);
}

extern "C" double depth_column_block(const struct matrix_reduction *call)
{
    return (double)divided_up(call->rows, BLOCK) + rounds_of_tree(BLOCK);
}

extern "C" double depth_column_thread(const struct matrix_reduction *call)
{
    return (double)call->rows;
}

/* A thread's own packs, and an element before and behind; then the tree. */
static double depth_of_row_plan(const struct row_plan *plan, size_t pack)
{
    const unsigned threads = plan->width > 0 ? plan->width : BLOCK;
    const size_t packs = divided_up(plan->piece_length / pack, threads);
    return (double)(packs * pack + divided_up(2 * (pack - 1), threads)) + rounds_of_tree(threads);
}

extern "C" double depth_rows(const struct matrix_reduction *call)
{
    const size_t pack = 16 / element_size(call);
    if (call->rows == 0)
        return 0;
    const struct row_plan plan = first_row_plan(call);
    const double depth = depth_of_row_plan(&plan, pack);
    if (plan.pieces == 1)
        return depth;
    const struct row_plan second = plan_rows(call, call->rows, plan.pieces, 1);
    return depth + depth_of_row_plan(&second, pack);
}

static double depth_of_column_plan(const struct column_plan *plan)
{
    const unsigned height = COLUMNS_BLOCK / plan->width;
    return (double)divided_up(plan->rows_per_block, height) + rounds_of_tree(height);
}

extern "C" double depth_columns(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return 0;
    const struct column_plan plan = first_column_plan(call);
    const double depth = depth_of_column_plan(&plan);
    if (plan.splits == 1)
        return depth;
    const struct column_plan second = second_column_plan(call, plan.splits);
    return depth + depth_of_column_plan(&second);
}

extern "C" void describe_rows(const struct matrix_reduction *call, char text[RUNG_HOW_SIZE])
{
    if (call->rows == 0)
        return;
    const struct row_plan plan = first_row_plan(call);
    if (plan.width > 0)
        snprintf(text, RUNG_HOW_SIZE, "%u lane%s a row", plan.width, plan.width == 1 ? "" : "s");
    else
        snprintf(text, RUNG_HOW_SIZE, "%zu block%s a row", plan.pieces,
                 plan.pieces == 1 ? "" : "s");
}

extern "C" void describe_columns(const struct matrix_reduction *call, char text[RUNG_HOW_SIZE])
{
    if (call->columns == 0)
        return;
    const struct column_plan plan = first_column_plan(call);
    snprintf(text, RUNG_HOW_SIZE, "%u x %u blocks, %u columns wide", plan.splits, plan.tiles,
             plan.width * plan.count);
}
