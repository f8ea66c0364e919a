/* Step 06, rows: a matrix in, one number per row out. The matrix is row-major, so the elements of a
 * row are neighbours in memory: which thread takes which element decides the speed. */
#include "matrix.cuh"

static const unsigned BLOCK = ROW_BLOCK;

/* A thread a row, as one would write it for a CPU.
 *
 * Bad: the lanes of a warp read addresses that are a row apart. Each load moves a sector of 32
 * bytes to use 4, and the rest may no longer be in the cache when it is needed. And a matrix of few
 * rows keeps few threads busy. */
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

extern "C" void launch_row_thread(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const dim3 grid = grid_of(divided_up(call->rows, BLOCK));
    matrix_with(call, [=](auto in) {
        row_thread<<<grid, BLOCK>>>(in, call->rows, call->columns, in.values(call->result));
    });
}

/* A warp a row.
 *
 * Better: a warp reads 128 neighbouring bytes at a time and uses all of them, and five shuffles
 * combine its lanes.
 * Still bad: a matrix of few, long rows keeps few warps busy. */
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

    mine = reduce_warp<R>(mine);
    if (lane == 0)
        out[row] = mine;
}

extern "C" void launch_row_warp(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const dim3 grid = grid_of(divided_up(call->rows, BLOCK / WARP));
    matrix_with(call, [=](auto in) {
        row_warp<<<grid, BLOCK>>>(in, call->rows, call->columns, in.values(call->result));
    });
}

/* A block a row.
 *
 * Better: eight warps share a long row.
 * Still bad: in a short row most threads are idle. Each load brings 4 bytes a thread. */
template <typename R>
__global__ void row_block(R in, size_t rows, size_t columns, typename R::value *out)
{
    const size_t row = block_number();
    if (row >= rows)
        return;

    typename R::value mine = R::identity();
    for (size_t column = threadIdx.x; column < columns; column += BLOCK)
        mine = R::combine(mine, in.term(row * columns + column));

    mine = reduce_block<BLOCK, R>(mine);
    if (threadIdx.x == 0)
        out[row] = mine;
}

extern "C" void launch_row_block(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const dim3 grid = grid_of(call->rows);
    matrix_with(call, [=](auto in) {
        row_block<<<grid, BLOCK>>>(in, call->rows, call->columns, in.values(call->result));
    });
}

/* Thread `me` of `width` combines its part of the n elements at `a`: 16-byte loads from the first
 * address that is a multiple of 16, LOADS of them before the first is used, and one by one the
 * elements before and after. */
template <unsigned LOADS, typename R>
static __device__ typename R::value reduce_span(const typename R::value *a, size_t n, unsigned me,
                                                unsigned width)
{
    typedef typename R::value value;
    const unsigned COUNT = 16 / sizeof(value);
    typedef Pack<value, COUNT> pack;

    size_t head = (COUNT - (size_t)a / sizeof(value) % COUNT) % COUNT;
    head = head < n ? head : n;
    const size_t packs = (n - head) / COUNT;
    const size_t edges = n - packs * COUNT; /* elements before and after the packs */
    const pack *const body = (const pack *)(a + head);
    value mine = R::identity();

    for (size_t i = me; i < packs; i += LOADS * width) {
        pack loaded[LOADS];
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++) {
            if (i + k * width < packs)
                loaded[k] = body[i + k * width];
            else
                for (unsigned e = 0; e < COUNT; e++)
                    loaded[k].element[e] = R::identity();
        }
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++)
            for (unsigned e = 0; e < COUNT; e++)
                mine = R::combine(mine, loaded[k].element[e]);
    }
    for (size_t i = me; i < edges; i += width)
        mine = R::combine(mine, a[i < head ? i : i + packs * COUNT]);
    return mine;
}

/* 16-byte loads.
 *
 * Better: a quarter of the load instructions, and four times the bytes in flight.
 * Still bad: a thread waits for one pack before it loads the next. In a row of less than 4 KB some
 * threads have none. */
template <typename R>
__global__ void row_vectorized(R in, size_t rows, size_t columns, typename R::value *out)
{
    const size_t row = block_number();
    if (row >= rows)
        return;

    typename R::value mine = reduce_span<1, R>(in.a + row * columns, columns, threadIdx.x, BLOCK);

    mine = reduce_block<BLOCK, R>(mine);
    if (threadIdx.x == 0)
        out[row] = mine;
}

extern "C" void launch_row_vectorized(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const dim3 grid = grid_of(call->rows);
    matrix_with(call, [=](auto in) {
        row_vectorized<<<grid, BLOCK>>>(in, call->rows, call->columns, in.values(call->result));
    });
}

/* Blocks that are on a multiprocessor at a time. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800 /* room for 1024 threads */
enum { RESIDENT = 1024 / BLOCK };
#else
enum { RESIDENT = ROW_BLOCKS_RESIDENT };
#endif

/* Several packs at a time.
 *
 * __launch_bounds__ tells the compiler how many blocks share the registers. Without it the compiler
 * saves registers, and does the loads one after the other.
 *
 * Better: four times the bytes in flight, 80 KB on every multiprocessor.
 * Still bad: in a short row most threads find nothing to load. */
template <typename R>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    row_in_flight(R in, size_t rows, size_t columns, typename R::value *out)
{
    const size_t row = block_number();
    if (row >= rows)
        return;

    typename R::value mine =
        reduce_span<ROW_PACKS_IN_FLIGHT, R>(in.a + row * columns, columns, threadIdx.x, BLOCK);

    mine = reduce_block<BLOCK, R>(mine);
    if (threadIdx.x == 0)
        out[row] = mine;
}

extern "C" void launch_row_in_flight(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const dim3 grid = grid_of(call->rows);
    matrix_with(call, [=](auto in) {
        row_in_flight<<<grid, BLOCK>>>(in, call->rows, call->columns, in.values(call->result));
    });
}

/* Combines the values of `width` neighbouring lanes, a power of two; the first of them gets the
 * result. All lanes of the warp must call it. */
template <typename R>
static __device__ typename R::value reduce_lanes(typename R::value mine, unsigned width)
{
    for (unsigned offset = width / 2; offset > 0; offset /= 2)
        mine = R::combine(mine, __shfl_down_sync(ALL_LANES, mine, offset, width));
    return mine;
}

/* Only as many lanes for a short row as have ROW_PACKS_IN_FLIGHT loads each: a warp, or a part of
 * one. A long row still has a block.
 *
 * Better: all threads have loads to do, in short rows, too.
 * Still bad: a few rows, however long, keep few multiprocessors busy. */
template <typename R>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    row_fitted(R in, size_t rows, size_t columns, unsigned width, typename R::value *out)
{
    const unsigned rows_of_block = BLOCK / width;
    const unsigned lane = threadIdx.x % width, mine_of_block = threadIdx.x / width;

    /* All lanes do all iterations: the shuffles need them, with a row or without. */
    for (size_t first = (size_t)blockIdx.x * rows_of_block; first < rows;
         first += (size_t)gridDim.x * rows_of_block) {
        const size_t row = first + mine_of_block;
        typename R::value mine = R::identity();
        if (row < rows)
            mine = reduce_span<ROW_PACKS_IN_FLIGHT, R>(in.a + row * columns, columns, lane, width);

        mine = reduce_lanes<R>(mine, width);
        if (lane == 0 && row < rows)
            out[row] = mine;
    }
}

template <typename R>
static void start_fitted(const struct matrix_reduction *call, R in, size_t rows, size_t columns,
                         typename R::value *out)
{
    const struct row_plan plan = row_plan_fitted(call, rows, columns);

    if (plan.lanes > 0)
        row_fitted<<<plan.grid, BLOCK>>>(in, rows, columns, plan.lanes, out);
    else
        row_in_flight<<<grid_of(rows), BLOCK>>>(in, rows, columns, out);
}

extern "C" void launch_row_fitted(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    matrix_with(call, [=](auto in) {
        start_fitted(call, in, call->rows, call->columns, in.values(call->result));
    });
}

extern "C" const char *declines_row_fitted(const struct matrix_reduction *call)
{
    return call->rows > 0 && row_plan_fitted(call, call->rows, call->columns).lanes == 0
               ? "requires rows for less than a block each"
               : NULL;
}

/* Few, long rows are cut: a block for each piece of a row. It leaves a matrix with a column for
 * each piece, and a second launch reduces the rows of that, in the same order every time.
 *
 * Better: a single long row keeps all multiprocessors busy.
 * Still bad: a second launch, where the last block could finish (one_launch). */
template <typename R>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    row_split(R in, size_t columns, size_t piece_length, typename R::value *out)
{
    const size_t row = blockIdx.x, piece = blockIdx.y;
    const size_t first = piece * piece_length, left = columns - first;
    const size_t length = left < piece_length ? left : piece_length;

    typename R::value mine = reduce_span<ROW_PACKS_IN_FLIGHT, R>(in.a + row * columns + first,
                                                                 length, threadIdx.x, BLOCK);

    mine = reduce_block<BLOCK, R>(mine);
    if (threadIdx.x == 0)
        out[row * gridDim.y + piece] = mine;
}

extern "C" void launch_row_split(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return;
    const struct row_plan plan = row_plan_split(call);

    const dim3 grid((unsigned)call->rows, (unsigned)plan.pieces);
    matrix_with(call, [=](auto in) {
        auto *const pieces = in.values(call->workspace);

        row_split<<<grid, BLOCK>>>(in, call->columns, plan.piece_length, pieces);
        start_fitted(call, in.finish(pieces), call->rows, plan.pieces, in.values(call->result));
    });
}

extern "C" const char *declines_row_split(const struct matrix_reduction *call)
{
    return call->rows > 0 && row_plan_split(call).pieces == 1 ? "requires few, long rows" : NULL;
}
