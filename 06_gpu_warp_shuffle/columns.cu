/* Step 06, columns: a matrix in, one number per column out. The matrix is row-major, so the
 * elements of a column are a row apart in memory: which thread takes which element decides the
 * speed. */
#include "matrix.cuh"

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
    for (size_t row = threadIdx.x; row < rows; row += ROW_BLOCK)
        mine = R::combine(mine, in.term(row * columns + column));

    mine = reduce_block<ROW_BLOCK, R>(mine);
    if (threadIdx.x == 0)
        out[column] = mine;
}

extern "C" void launch_column_block(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return;
    const dim3 grid = grid_of(call->columns);
    matrix_with(call, [=](auto in) {
        column_block<<<grid, ROW_BLOCK>>>(in, call->rows, call->columns, in.values(call->result));
    });
}

/* A thread a column: what was bad for rows.
 *
 * Better: the lanes of a warp read neighbours, in every row, and no thread needs another's number.
 * Still bad: as many threads as columns, too few to keep a GPU busy unless the matrix is very
 * wide. */
template <typename R>
__global__ void column_thread(R in, size_t rows, size_t columns, typename R::value *out)
{
    const size_t column = block_number() * ROW_BLOCK + threadIdx.x;
    if (column >= columns)
        return;

    typename R::value mine = R::identity();
    for (size_t row = 0; row < rows; row++)
        mine = R::combine(mine, in.term(row * columns + column));
    out[column] = mine;
}

extern "C" void launch_column_thread(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return;
    const dim3 grid = grid_of(divided_up(call->columns, ROW_BLOCK));
    matrix_with(call, [=](auto in) {
        column_thread<<<grid, ROW_BLOCK>>>(in, call->rows, call->columns, in.values(call->result));
    });
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static const unsigned BLOCK = COLUMN_BLOCK;

template <typename R, unsigned COUNT>
static __device__ Pack<typename R::value, COUNT> identities()
{
    Pack<typename R::value, COUNT> pack;
    for (unsigned e = 0; e < COUNT; e++)
        pack.element[e] = R::identity();
    return pack;
}

/* Combines x with y, element by element, in place. */
template <typename R, unsigned COUNT>
static __device__ void combine_packs(Pack<typename R::value, COUNT> &x,
                                     const Pack<typename R::value, COUNT> &y)
{
    for (unsigned e = 0; e < COUNT; e++)
        x.element[e] = R::combine(x.element[e], y.element[e]);
}

/* Combines the packs of the threads that stand in the same columns, `width` apart, and stores those
 * of the first `width` threads from `out` on: step 05's tree, ended when one pack a column is left.
 * All threads must call it; `inside` says whether a thread's columns exist. */
template <typename R, unsigned COUNT>
static __device__ void store_columns(const Pack<typename R::value, COUNT> &mine, unsigned width,
                                     bool inside, typename R::value *out)
{
    __shared__ Pack<typename R::value, COUNT> partial[BLOCK];

    partial[threadIdx.x] = mine;
    for (unsigned offset = BLOCK / 2; offset >= width; offset /= 2) {
        __syncthreads();
        if (threadIdx.x < offset)
            combine_packs<R, COUNT>(partial[threadIdx.x], partial[threadIdx.x + offset]);
    }
    if (threadIdx.x < width && inside)
        for (unsigned e = 0; e < COUNT; e++)
            out[e] = partial[threadIdx.x].element[e];
}

/* Several threads a column: a block is a tile, `width` threads across (a power of two) and BLOCK /
 * width down, which take every BLOCK / width-th row and combine their numbers in shared memory.
 *
 * Better: 16 times the threads.
 * Still bad: each load brings 4 bytes a thread. */
template <typename R>
__global__ void column_tile(R in, size_t rows, size_t columns, unsigned width,
                            typename R::value *out)
{
    typedef Pack<typename R::value, 1> pack;
    const unsigned across = threadIdx.x % width, down = threadIdx.x / width;
    const unsigned height = BLOCK / width;
    const size_t column = (size_t)blockIdx.x * width + across;

    pack mine = identities<R, 1>();
    if (column < columns)
        for (size_t row = down; row < rows; row += height) {
            const pack loaded = *(const pack *)(in.a + row * columns + column);
            combine_packs<R, 1>(mine, loaded);
        }
    store_columns<R, 1>(mine, width, column < columns, out + column);
}

extern "C" void launch_column_tile(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return;
    const struct column_plan plan = column_plan_fixed(call, 1);
    matrix_with(call, [=](auto in) {
        column_tile<<<plan.tiles, BLOCK>>>(in, call->rows, call->columns, plan.width,
                                           in.values(call->result));
    });
}

/* COUNT columns a thread: 16-byte loads, where every row starts at a multiple of 16 bytes.
 *
 * Better: a quarter of the load instructions, and four times the bytes in flight on each
 * multiprocessor.
 * Still bad: a quarter of the blocks, too, so it pays only where columns are many; and a thread
 * waits for one pack before it loads the next. */
template <unsigned COUNT, typename R>
__global__ void column_vectorized(R in, size_t rows, size_t columns, unsigned width,
                                  typename R::value *out)
{
    typedef Pack<typename R::value, COUNT> pack;
    const unsigned across = threadIdx.x % width, down = threadIdx.x / width;
    const unsigned height = BLOCK / width;
    const size_t column = ((size_t)blockIdx.x * width + across) * COUNT;

    pack mine = identities<R, COUNT>();
    if (column < columns)
        for (size_t row = down; row < rows; row += height) {
            const pack loaded = *(const pack *)(in.a + row * columns + column);
            combine_packs<R, COUNT>(mine, loaded);
        }
    store_columns<R, COUNT>(mine, width, column < columns, out + column);
}

/* In the launches, decltype(in)::PACK and not in.PACK: gcc 13.2 breaks on that. */
extern "C" void launch_column_vectorized(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return;
    const struct column_plan plan = column_plan_fixed(call, columns_a_thread(call));
    matrix_with(call, [=](auto in) {
        auto *const result = in.values(call->result);

        if (plan.count == 1)
            column_vectorized<1>
                <<<plan.tiles, BLOCK>>>(in, call->rows, call->columns, plan.width, result);
        else
            column_vectorized<decltype(in)::PACK>
                <<<plan.tiles, BLOCK>>>(in, call->rows, call->columns, plan.width, result);
    });
}

/* Blocks that are on a multiprocessor at a time. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800 /* room for 1024 threads */
enum { RESIDENT = 1024 / BLOCK };
#else
enum { RESIDENT = COLUMN_BLOCKS_RESIDENT };
#endif

/* How many rows a thread loads at a time: 64 bytes, or 32 where the loads are narrow. */
template <unsigned COUNT>
struct RowsInFlight {
    static const unsigned ROWS = COUNT == 1 ? COLUMN_ELEMENTS_IN_FLIGHT : COLUMN_PACKS_IN_FLIGHT;
};

/* Several rows at a time, and registers for them (see row_in_flight).
 *
 * Better: four times the bytes in flight, 96 KB on every multiprocessor.
 * Still bad: in a narrow matrix most threads have no column, in a low one no row. */
template <unsigned COUNT, typename R>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    column_in_flight(R in, size_t rows, size_t columns, unsigned width, typename R::value *out)
{
    typedef Pack<typename R::value, COUNT> pack;
    const unsigned ROWS = RowsInFlight<COUNT>::ROWS;
    const unsigned across = threadIdx.x % width, down = threadIdx.x / width;
    const unsigned height = BLOCK / width;
    const size_t column = ((size_t)blockIdx.x * width + across) * COUNT;

    const pack nothing = identities<R, COUNT>();
    pack mine = nothing;
    if (column < columns)
        for (size_t row = down; row < rows; row += ROWS * height) {
            pack loaded[ROWS];
#pragma unroll
            for (unsigned k = 0; k < ROWS; k++)
                loaded[k] = row + k * height < rows
                                ? *(const pack *)(in.a + (row + k * height) * columns + column)
                                : nothing;
#pragma unroll
            for (unsigned k = 0; k < ROWS; k++)
                combine_packs<R, COUNT>(mine, loaded[k]);
        }
    store_columns<R, COUNT>(mine, width, column < columns, out + column);
}

static void start_in_flight(const struct matrix_reduction *call, struct column_plan plan)
{
    matrix_with(call, [=](auto in) {
        auto *const result = in.values(call->result);

        if (plan.count == 1)
            column_in_flight<1>
                <<<plan.tiles, BLOCK>>>(in, call->rows, call->columns, plan.width, result);
        else
            column_in_flight<decltype(in)::PACK>
                <<<plan.tiles, BLOCK>>>(in, call->rows, call->columns, plan.width, result);
    });
}

extern "C" void launch_column_in_flight(const struct matrix_reduction *call)
{
    if (call->columns > 0)
        start_in_flight(call, column_plan_fixed(call, columns_a_thread(call)));
}

/* The same kernel with tiles as wide as suits the matrix: narrow ones where columns are few, wide
 * ones where rows are few.
 *
 * Better: all threads have loads to do.
 * Still bad: few columns, however long, keep few multiprocessors busy. */
extern "C" void launch_column_fitted(const struct matrix_reduction *call)
{
    if (call->columns > 0)
        start_in_flight(call, column_plan_fitted(call));
}

extern "C" const char *declines_column_fitted(const struct matrix_reduction *call)
{
    const unsigned width = column_plan_fixed(call, columns_a_thread(call)).width;

    return call->columns > 0 && column_plan_fitted(call).width == width
               ? "its tile would be as wide as column_in_flight's"
               : NULL;
}

/* Few, long columns are cut: several blocks one below the other, rows_per_block rows each. They
 * leave a matrix with a row for each of them, and a second launch reduces the columns of that, in
 * the same order every time.
 *
 * Better: a single long column keeps all multiprocessors busy.
 * Still bad: a second launch, where the last block could finish (one_launch). */
template <unsigned COUNT, typename R>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    column_split(R in, size_t rows, size_t columns, unsigned width, size_t rows_per_block,
                 typename R::value *out)
{
    typedef Pack<typename R::value, COUNT> pack;
    const unsigned ROWS = RowsInFlight<COUNT>::ROWS;
    const unsigned across = threadIdx.x % width, down = threadIdx.x / width;
    const unsigned height = BLOCK / width;
    const size_t column = ((size_t)blockIdx.x * width + across) * COUNT;
    const size_t first = blockIdx.y * rows_per_block, left = rows - first;
    const size_t last = first + (left < rows_per_block ? left : rows_per_block);

    const pack nothing = identities<R, COUNT>();
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
                combine_packs<R, COUNT>(mine, loaded[k]);
        }
    store_columns<R, COUNT>(mine, width, column < columns, out + blockIdx.y * columns + column);
}

extern "C" void launch_column_split(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return;
    const struct column_plan plan = column_plan_split(call);

    const struct column_plan second = column_plan_second(call, plan.splits);
    const dim3 grid(plan.tiles, plan.splits);
    matrix_with(call, [=](auto in) {
        auto *const partial = in.values(call->workspace);

        if (plan.count == 1)
            column_split<1><<<grid, BLOCK>>>(in, call->rows, call->columns, plan.width,
                                             plan.rows_per_block, partial);
        else
            column_split<decltype(in)::PACK><<<grid, BLOCK>>>(
                in, call->rows, call->columns, plan.width, plan.rows_per_block, partial);
        column_in_flight<1><<<second.tiles, BLOCK>>>(in.finish(partial), plan.splits, call->columns,
                                                     second.width, in.values(call->result));
    });
}

extern "C" const char *declines_column_split(const struct matrix_reduction *call)
{
    return call->columns > 0 && column_plan_split(call).splits == 1 ? "requires few, long columns"
                                                                    : NULL;
}
