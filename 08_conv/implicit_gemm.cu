/* Step 08, convolution as a matrix product: the matrix of filters (a row per filter, a column per
 * channel and tap) times the im2col matrix (a row per channel and tap, a column per output pixel of
 * the batch), whose elements are the inputs that each output pixel needs. In the first rung that
 * matrix is in memory; in the others it is implicit: the index of an element says which input it
 * is. */
#include "conv_device.cuh"
#include "outer_product.cuh"
#include "problem/gemm/gemm.h"

/* Step 07's matrix product, which is compiled into this step, too. */
extern "C" void launch_async_copies(const struct gemm *call);

static const unsigned BLOCK = 256;

/* One output pixel: a column of the matrix. */
struct pixel {
    const float *image; /* the first channel of its image */
    long top, left;     /* the input that the first tap meets, which may be outside the image */
    size_t output;      /* index of the pixel in the output of the first filter */
    bool exists;
};

static __device__ struct pixel pixel_of(const struct conv &call, size_t column)
{
    const size_t out_area = call.out_height * call.out_width;
    const size_t batch = column / out_area, place = column % out_area;
    struct pixel pixel;

    pixel.image = call.input + batch * call.channels * call.height * call.width;
    pixel.top = (long)(place / call.out_width * call.stride_height) - (long)call.pad;
    pixel.left = (long)(place % call.out_width * call.stride_width) - (long)call.pad;
    pixel.output = batch * call.filters * out_area + place;
    pixel.exists = batch < call.batch;
    return pixel;
}

/* An element of the im2col matrix, in a pixel's column: an input, or 0 outside the image. */
static __device__ float input_under(const struct conv &call, const struct pixel &pixel, size_t row)
{
    const size_t plane = call.kernel_height * call.kernel_width;
    const size_t channel = row / plane, tap = row % plane;
    const long y = pixel.top + (long)(tap / call.kernel_width * call.dilation);
    const long x = pixel.left + (long)(tap % call.kernel_width * call.dilation);

    if (!pixel.exists || channel >= call.channels || y < 0 || y >= (long)call.height || x < 0 ||
        x >= (long)call.width)
        return 0;
    return pixel.image[(channel * call.height + y) * call.width + x];
}

/* Writes the im2col matrix for `columns` pixels from first_column on. Neighbouring threads write
 * neighbouring columns. */
static __global__ void im2col(const struct conv call, size_t first_column, size_t columns,
                              float *matrix)
{
    const size_t element = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    const size_t row = element / columns, column = element % columns;

    if (row < call.channels * call.kernel_height * call.kernel_width)
        matrix[element] = input_under(call, pixel_of(call, first_column + column), row);
}

/* Writes the im2col matrix to memory, then multiplies with step 07's kernel: for one image at a
 * time, or for as many pixels as the workspace has room for.
 *
 * Better: an optimized matrix product serves convolutions with any filter and stride. Still bad:
 * the matrix is as many times larger than the image as a filter has taps. It is written once and
 * read at least once; with few filters that takes longer than the product. */
extern "C" void launch_im2col(const struct conv *call)
{
    const size_t taps = call->channels * call->kernel_height * call->kernel_width;
    const size_t out_area = call->out_height * call->out_width;
    float *const matrix = (float *)call->workspace + GEMM_WORKSPACE / sizeof(float);
    const size_t room = (call->workspace_bytes - GEMM_WORKSPACE) / sizeof(float);

    if (!has_outputs(call) || !has_products(call) || room < taps) {
        launch_conv_naive(call);
        return;
    }
    for (size_t b = 0; b < call->batch; b++)
        for (size_t first = 0; first < out_area; first += room / taps) {
            const size_t columns = smaller(room / taps, out_area - first);
            struct gemm gemm = {};
            gemm.m = call->filters;
            gemm.n = columns;
            gemm.k = taps;
            gemm.alpha = 1;
            gemm.a = call->filter;
            gemm.lda = taps;
            gemm.b = matrix;
            gemm.ldb = columns;
            gemm.c = call->output + b * call->filters * out_area + first;
            gemm.ldc = out_area;
            gemm.workspace = call->workspace;
            gemm.multiprocessors = call->multiprocessors;
            gemm.threads = call->threads;
            im2col<<<(unsigned)divided_up(taps * columns, BLOCK), BLOCK>>>(
                *call, b * out_area + first, columns, matrix);
            launch_async_copies(&gemm);
        }
}

static const unsigned TILE = 32;

/* Like step 07's shared_tile, with 32 x 32 tiles in shared memory, but the im2col matrix is never
 * in memory: when a tile is loaded, index arithmetic finds the input for each element.
 *
 * Better: no matrix in memory. Still bad: the index arithmetic takes two divisions by numbers that
 * are not known at compile time, and is repeated for every block of filters; and every product
 * takes two loads from shared memory. */
static __global__ void implicit_gemm(const struct conv call)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t taps = call.channels * call.kernel_height * call.kernel_width;
    const size_t filter_blocks = (call.filters + TILE - 1) / TILE;
    const size_t filter = blockIdx.x % filter_blocks * TILE + y;
    const struct pixel pixel = pixel_of(call, blockIdx.x / filter_blocks * TILE + x);

    float sum = 0;
    for (size_t first = 0; first < taps; first += TILE) {
        const bool inside = filter < call.filters && first + x < taps;
        tile_a[y][x] = inside ? call.filter[filter * taps + first + x] : 0;
        tile_b[y][x] = input_under(call, pixel, first + y);
        __syncthreads();

        for (unsigned p = 0; p < TILE; p++)
            sum += tile_a[y][p] * tile_b[p][x];
        __syncthreads(); /* before the next tiles overwrite these */
    }
    if (filter < call.filters && pixel.exists)
        call.output[pixel.output + filter * call.out_height * call.out_width] = sum;
}

extern "C" void launch_implicit_gemm(const struct conv *call)
{
    const size_t pixels = call->batch * call->out_height * call->out_width;
    const size_t blocks = divided_up(pixels, TILE) * divided_up(call->filters, TILE);

    if (blocks > 0)
        implicit_gemm<<<(unsigned)blocks, dim3(TILE, TILE)>>>(*call);
}

/* The block's tiles in the rungs below, and a thread's part of the result: 8 x 4 sums. */
static const unsigned BLOCK_FILTERS = 64, BLOCK_PIXELS = 128, DEPTH = 16;
static const unsigned FILTERS = 8, PIXELS = 4;
static const unsigned A_PITCH = BLOCK_FILTERS + 4; /* fewer bank conflicts on stores of columns */

/* For each pair of tiles, a thread loads 8 rows of a column of the im2col matrix, always the same
 * column, and 4 floats of the filters. */
static const unsigned ROWS_LOADED = DEPTH * BLOCK_PIXELS / BLOCK;
static const unsigned FILTERS_LOADED = DEPTH * BLOCK_FILTERS / BLOCK;

struct tiles {
    float a[DEPTH][A_PITCH]; /* transposed: a thread's 8 filters are contiguous */
    float b[DEPTH][BLOCK_PIXELS];
};

/* The channel and tap of the next row that a thread loads: incremented, without divisions. */
struct tap {
    unsigned channel, y, x;
};

static __device__ struct tap tap_of(const struct conv &call, unsigned row)
{
    const unsigned width = (unsigned)call.kernel_width;
    const unsigned plane = (unsigned)call.kernel_height * width;
    struct tap tap;

    tap.channel = row / plane;
    tap.y = row % plane / width;
    tap.x = row % width;
    return tap;
}

static __device__ void next_tap(const struct conv &call, struct tap *tap)
{
    if (++tap->x < call.kernel_width)
        return;
    tap->x = 0;
    if (++tap->y < call.kernel_height)
        return;
    tap->y = 0;
    tap->channel++;
}

/* Loads rows first to first + 7 of a column of the im2col matrix. */
static __device__ void load_inputs(const struct conv &call, const struct pixel &pixel,
                                   unsigned first, float *inputs)
{
    struct tap tap = tap_of(call, first);

#pragma unroll
    for (unsigned i = 0; i < ROWS_LOADED; i++, next_tap(call, &tap)) {
        const long y = pixel.top + (long)(tap.y * call.dilation);
        const long x = pixel.left + (long)(tap.x * call.dilation);
        const bool inside = pixel.exists && tap.channel < call.channels && y >= 0 &&
                            y < (long)call.height && x >= 0 && x < (long)call.width;
        inputs[i] = inside ? pixel.image[(tap.channel * call.height + y) * call.width + x] : 0;
    }
}

static __device__ void load_weights(const struct conv &call, size_t taps, size_t first_filter,
                                    size_t first, float *weights)
{
    const size_t tap = first + threadIdx.x % DEPTH;

#pragma unroll
    for (unsigned i = 0; i < FILTERS_LOADED; i++) {
        const size_t filter = first_filter + threadIdx.x / DEPTH + i * (BLOCK / DEPTH);
        weights[i] = filter < call.filters && tap < taps ? call.filter[filter * taps + tap] : 0;
    }
}

static __device__ void store_tiles(struct tiles *tiles, const float *inputs, const float *weights)
{
    const unsigned row = threadIdx.x / BLOCK_PIXELS * ROWS_LOADED;

#pragma unroll
    for (unsigned i = 0; i < ROWS_LOADED; i++)
        tiles->b[row + i][threadIdx.x % BLOCK_PIXELS] = inputs[i];
#pragma unroll
    for (unsigned i = 0; i < FILTERS_LOADED; i++)
        tiles->a[threadIdx.x % DEPTH][threadIdx.x / DEPTH + i * (BLOCK / DEPTH)] = weights[i];
}

static __device__ void multiply_tiles(const struct tiles *tiles, float (&sums)[FILTERS][PIXELS])
{
    const unsigned lane_y = threadIdx.x / 32, lane_x = threadIdx.x % 32;

#pragma unroll
    for (unsigned p = 0; p < DEPTH; p++) {
        float a[FILTERS], b[PIXELS];
        load4(a, &tiles->a[p][lane_y * FILTERS]);
        load4(a + 4, &tiles->a[p][lane_y * FILTERS + 4]);
        load4(b, &tiles->b[p][lane_x * PIXELS]);
        add_outer_product(sums, a, b);
    }
}

static __device__ void store_sums(const struct conv &call, size_t first_filter, size_t first_pixel,
                                  const float (&sums)[FILTERS][PIXELS])
{
    const size_t out_area = call.out_height * call.out_width;
    const size_t filter = first_filter + threadIdx.x / 32 * FILTERS;

#pragma unroll
    for (unsigned x = 0; x < PIXELS; x++) {
        const struct pixel pixel = pixel_of(call, first_pixel + threadIdx.x % 32 * PIXELS + x);
#pragma unroll
        for (unsigned f = 0; f < FILTERS; f++)
            if (filter + f < call.filters && pixel.exists)
                call.output[pixel.output + (filter + f) * out_area] = sums[f][x];
    }
}

/* Tiles of 64 filters x 128 pixels, 16 channels and taps per step; 8 x 4 sums per thread, in
 * registers.
 *
 * Better: three 16-byte loads from shared memory for 32 products instead of 64 loads; and channel
 * and tap are incremented from row to row, with two divisions for eight rows. Still bad: load,
 * barrier, multiply, barrier: while a block loads, it does not multiply. */
static __global__ void __launch_bounds__(BLOCK) implicit_gemm_tiled(const struct conv call)
{
    __shared__ __align__(16) struct tiles tiles;
    const size_t taps = call.channels * call.kernel_height * call.kernel_width;
    const size_t filter_blocks = (call.filters + BLOCK_FILTERS - 1) / BLOCK_FILTERS;
    const size_t first_filter = blockIdx.x % filter_blocks * BLOCK_FILTERS;
    const size_t first_pixel = blockIdx.x / filter_blocks * BLOCK_PIXELS;
    const struct pixel pixel = pixel_of(call, first_pixel + threadIdx.x % BLOCK_PIXELS);
    const unsigned row = threadIdx.x / BLOCK_PIXELS * ROWS_LOADED;
    float inputs[ROWS_LOADED], weights[FILTERS_LOADED];

    float sums[FILTERS][PIXELS] = {};
    for (size_t first = 0; first < taps; first += DEPTH) {
        load_inputs(call, pixel, (unsigned)first + row, inputs);
        load_weights(call, taps, first_filter, first, weights);
        store_tiles(&tiles, inputs, weights);
        __syncthreads();

        multiply_tiles(&tiles, sums);
        __syncthreads(); /* before the next tiles overwrite these */
    }
    store_sums(call, first_filter, first_pixel, sums);
}

static unsigned blocks_of(const struct conv *call)
{
    const size_t pixels = call->batch * call->out_height * call->out_width;
    return (unsigned)(divided_up(pixels, BLOCK_PIXELS) * divided_up(call->filters, BLOCK_FILTERS));
}

extern "C" void launch_implicit_gemm_tiled(const struct conv *call)
{
    if (has_outputs(call))
        implicit_gemm_tiled<<<blocks_of(call), BLOCK>>>(*call);
}

/* Double buffering: while one pair of tiles is multiplied, the next is loaded into registers and
 * then stored in the other buffer.
 *
 * Better: multiplications hide the latency of the loads, and one barrier per step is enough. Yet on
 * an H200 it is 1 to 3% slower: in the previous rung, the three blocks on a multiprocessor hide
 * each other's latency, while here the loads in flight take so many registers that only two fit.
 * Still bad: the index arithmetic, for 8 elements per 512 products of a thread, takes issue slots
 * from the multiplications. */
static __global__ void __launch_bounds__(BLOCK) implicit_gemm_double(const struct conv call)
{
    __shared__ __align__(16) struct tiles tiles[2];
    const size_t taps = call.channels * call.kernel_height * call.kernel_width;
    const size_t filter_blocks = (call.filters + BLOCK_FILTERS - 1) / BLOCK_FILTERS;
    const size_t first_filter = blockIdx.x % filter_blocks * BLOCK_FILTERS;
    const size_t first_pixel = blockIdx.x / filter_blocks * BLOCK_PIXELS;
    const struct pixel pixel = pixel_of(call, first_pixel + threadIdx.x % BLOCK_PIXELS);
    const unsigned row = threadIdx.x / BLOCK_PIXELS * ROWS_LOADED;
    float inputs[ROWS_LOADED], weights[FILTERS_LOADED];
    unsigned current = 0;

    float sums[FILTERS][PIXELS] = {};
    load_inputs(call, pixel, row, inputs);
    load_weights(call, taps, first_filter, 0, weights);
    store_tiles(&tiles[current], inputs, weights);
    __syncthreads();
    for (size_t next = DEPTH; next < taps + DEPTH; next += DEPTH, current ^= 1) {
        if (next < taps) {
            load_inputs(call, pixel, (unsigned)next + row, inputs);
            load_weights(call, taps, first_filter, next, weights);
        }
        multiply_tiles(&tiles[current], sums);
        if (next < taps)
            store_tiles(&tiles[current ^ 1], inputs, weights);
        __syncthreads();
    }
    store_sums(call, first_filter, first_pixel, sums);
}

extern "C" void launch_implicit_gemm_double(const struct conv *call)
{
    if (has_outputs(call))
        implicit_gemm_double<<<blocks_of(call), BLOCK>>>(*call);
}

/* Row indices of the im2col matrix have 32 bits. */
extern "C" const char *declines_implicit_gemm(const struct conv *call)
{
    const size_t plane = call->kernel_height * call->kernel_width;

    return call->channels > 0 && plane > 0x7FFFFFFF / call->channels ? "too many taps" : NULL;
}
