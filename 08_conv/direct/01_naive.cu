/* Step 08: the forward 2-D convolution of neural networks: the filter is not flipped, and every
 * output element is a sum of channels x kernel_height x kernel_width products.
 *
 * Input outside the image counts as 0. An input coordinate is output * stride + tap * dilation -
 * pad in unsigned arithmetic: left of the image it wraps around to a huge number, so that one
 * comparison with the size detects both sides. */
#include "parts/conv_device.cuh"
#include "parts/outer_product.cuh"

static const unsigned BLOCK = 256;

/* One thread per output element. Neighbouring threads have neighbouring x, so that a warp's loads
 * of the input and stores of the output are coalesced, and all its threads load the same weight.
 *
 * Still bad: every product takes two loads and about forty instructions, most of them to compute
 * the input's address and whether it is inside the image. Each input element is loaded by up to
 * filters x kernel_height x kernel_width threads: nothing that is loaded is reused. */
static __global__ void naive(const struct conv call)
{
    const size_t element = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    const size_t x = element % call.out_width;
    const size_t y = element / call.out_width % call.out_height;
    const size_t f = element / (call.out_width * call.out_height) % call.filters;
    const size_t b = element / (call.out_width * call.out_height) / call.filters;

    if (b >= call.batch)
        return;
    const float *weight = call.filter + f * call.channels * call.kernel_height * call.kernel_width;
    const size_t first = (b * call.groups + group_of(call, f)) * call.channels;
    float sum = 0;
    for (size_t c = 0; c < call.channels; c++) {
        const float *const image = call.input + (first + c) * call.height * call.width;
        for (size_t r = 0; r < call.kernel_height; r++) {
            const size_t in_y = y * call.stride_height + r * call.dilation - call.pad;
            for (size_t s = 0; s < call.kernel_width; s++, weight++) {
                const size_t in_x = x * call.stride_width + s * call.dilation - call.pad;
                if (in_y < call.height && in_x < call.width)
                    sum += image[in_y * call.width + in_x] * *weight;
            }
        }
    }
    call.output[element] = sum;
}

extern "C" void launch_conv_naive(const struct conv *call)
{
    const size_t elements = call->batch * call->filters * call->out_height * call->out_width;
    /* gridDim.x can be up to 2^31 - 1: more elements than any memory has room for. */
    const size_t blocks = (elements + BLOCK - 1) / BLOCK;

    if (blocks > 0)
        naive<<<(unsigned)blocks, BLOCK>>>(*call);
}

static const size_t CONSTANT_FLOATS = 65536 / sizeof(float); /* all of constant memory */
static __constant__ float constant_weights[CONSTANT_FLOATS];

/* The weights that are in constant memory: some whole filters, or some channels of one filter. */
struct chunk {
    size_t first_filter, filters;
    size_t first_channel, channels;
};

/* The weights are in constant memory, which has a cache of its own that broadcasts one word to a
 * whole warp. Filters that do not fit in its 64 KB are processed in several launches; if a filter's
 * channels are split, later launches add to what the first stored in the output.
 *
 * Better: one load from global memory per product instead of two. Still bad: the other was the
 * cheaper one, a single sector for a warp. The input is loaded as often as before, with hardly
 * fewer instructions per product. The copies to constant memory are part of the work: with filters
 * that need many launches this rung is slower. */
static __global__ void constant_filter(const struct conv call, const struct chunk chunk)
{
    const size_t thread = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    const size_t x = thread % call.out_width;
    const size_t y = thread / call.out_width % call.out_height;
    const size_t f = thread / (call.out_width * call.out_height) % chunk.filters;
    const size_t b = thread / (call.out_width * call.out_height) / chunk.filters;

    if (b >= call.batch)
        return;
    const float *weight =
        constant_weights + f * chunk.channels * call.kernel_height * call.kernel_width;
    float *const output =
        call.output +
        ((b * call.filters + chunk.first_filter + f) * call.out_height + y) * call.out_width + x;
    float sum = chunk.first_channel == 0 ? 0 : *output;
    for (size_t c = 0; c < chunk.channels; c++) {
        const float *const image =
            call.input + (b * call.channels + chunk.first_channel + c) * call.height * call.width;
        for (size_t r = 0; r < call.kernel_height; r++) {
            const size_t in_y = y * call.stride_height + r * call.dilation - call.pad;
            for (size_t s = 0; s < call.kernel_width; s++, weight++) {
                const size_t in_x = x * call.stride_width + s * call.dilation - call.pad;
                if (in_y < call.height && in_x < call.width)
                    sum += image[in_y * call.width + in_x] * *weight;
            }
        }
    }
    *output = sum;
}

/* Copies a chunk of the filters to constant memory and convolves with it. */
static void convolve_chunk(const struct conv *call, const struct chunk *chunk)
{
    const size_t plane = call->kernel_height * call->kernel_width;
    const size_t threads = call->batch * chunk->filters * call->out_height * call->out_width;
    const float *const weights =
        call->filter + (chunk->first_filter * call->channels + chunk->first_channel) * plane;

    cudaMemcpyToSymbolAsync(constant_weights, weights,
                            chunk->filters * chunk->channels * plane * sizeof(float), 0,
                            cudaMemcpyDeviceToDevice, 0);
    constant_filter<<<(unsigned)((threads + BLOCK - 1) / BLOCK), BLOCK>>>(*call, *chunk);
}

extern "C" const char *declines_constant_filter(const struct conv *call)
{
    if (conv_declines_empty(call) != NULL)
        return conv_declines_empty(call);
    return call->kernel_height * call->kernel_width > CONSTANT_FLOATS
               ? "a channel of a filter has no room in constant memory"
               : NULL;
}

extern "C" void launch_constant_filter(const struct conv *call)
{
    const size_t plane = call->kernel_height * call->kernel_width;
    const size_t taps = call->channels * plane;
    const size_t outputs = call->batch * call->filters * call->out_height * call->out_width;

    if (outputs == 0)
        return;
    const size_t filters = taps <= CONSTANT_FLOATS ? CONSTANT_FLOATS / taps : 1;
    const size_t channels = taps <= CONSTANT_FLOATS ? call->channels : CONSTANT_FLOATS / plane;
    for (size_t f = 0; f < call->filters; f += filters)
        for (size_t c = 0; c < call->channels; c += channels) {
            const struct chunk chunk = {f, smaller(filters, call->filters - f), c,
                                        smaller(channels, call->channels - c)};
            convolve_chunk(call, &chunk);
        }
}

static const unsigned TILE_WIDTH = 32, TILE_HEIGHT = 8; /* outputs per block */
static const size_t MOST_SHARED = 48 << 10;

/* How many rows or columns of input `outputs` adjacent outputs need. */
static size_t inputs_under(const struct conv *call, size_t outputs, size_t stride, size_t taps)
{
    return (outputs - 1) * stride + (taps - 1) * call->dilation + 1;
}

/* A block computes 32 x 8 outputs of one filter. For one channel after the other, it copies the
 * inputs of all of them to shared memory: a tile with its halo, where filters extend past it on the
 * right and at the bottom.
 *
 * Better: a block loads an input once, not once per tap, and checks only then whether it is inside
 * the image. Still bad: each product takes one load from shared memory and one of a weight, and
 * there is little work between barriers. Every filter copies the same inputs again. */
static __global__ void shared_tile(const struct conv call, unsigned rows, unsigned columns)
{
    extern __shared__ float tile[];
    const size_t across = (call.out_width + TILE_WIDTH - 1) / TILE_WIDTH;
    const size_t down = (call.out_height + TILE_HEIGHT - 1) / TILE_HEIGHT;
    const size_t first_x = blockIdx.x % across * TILE_WIDTH;
    const size_t first_y = blockIdx.x / across % down * TILE_HEIGHT;
    const size_t f = blockIdx.x / (across * down) % call.filters;
    const size_t b = blockIdx.x / (across * down) / call.filters;
    const unsigned down_by = (unsigned)call.stride_height, across_by = (unsigned)call.stride_width;
    const unsigned dilation = (unsigned)call.dilation;
    const unsigned corner = threadIdx.y * down_by * columns + threadIdx.x * across_by;
    const size_t x = first_x + threadIdx.x, y = first_y + threadIdx.y;

    const float *weight = call.filter + f * call.channels * call.kernel_height * call.kernel_width;
    float sum = 0;
    for (size_t c = 0; c < call.channels; c++) {
        const float *const image = call.input + (b * call.channels + c) * call.height * call.width;
        for (unsigned r = threadIdx.y; r < rows; r += TILE_HEIGHT)
            for (unsigned s = threadIdx.x; s < columns; s += TILE_WIDTH) {
                const size_t in_y = first_y * down_by + r - call.pad;
                const size_t in_x = first_x * across_by + s - call.pad;
                const bool inside = in_y < call.height && in_x < call.width;
                tile[r * columns + s] = inside ? image[in_y * call.width + in_x] : 0;
            }
        __syncthreads();

        for (unsigned r = 0; r < call.kernel_height; r++)
            for (unsigned s = 0; s < call.kernel_width; s++, weight++)
                sum += tile[corner + r * dilation * columns + s * dilation] * *weight;
        __syncthreads(); /* before the next channel overwrites this one */
    }
    if (x < call.out_width && y < call.out_height)
        call.output[((b * call.filters + f) * call.out_height + y) * call.out_width + x] = sum;
}

static size_t shared_tile_blocks(const struct conv *call)
{
    return divided_up(call->out_width, TILE_WIDTH) * divided_up(call->out_height, TILE_HEIGHT) *
           call->filters * call->batch;
}

extern "C" const char *declines_conv_shared_tile(const struct conv *call)
{
    const size_t rows = inputs_under(call, TILE_HEIGHT, call->stride_height, call->kernel_height);
    const size_t columns = inputs_under(call, TILE_WIDTH, call->stride_width, call->kernel_width);

    if (!has_outputs(call))
        return NULL;
    if (rows > MOST_SHARED / sizeof(float) / columns)
        return "a tile has no room in shared memory";
    return conv_declines_launch(shared_tile_blocks(call), rows * columns * sizeof(float));
}

extern "C" void launch_conv_shared_tile(const struct conv *call)
{
    const size_t blocks = shared_tile_blocks(call);
    const size_t rows = inputs_under(call, TILE_HEIGHT, call->stride_height, call->kernel_height);
    const size_t columns = inputs_under(call, TILE_WIDTH, call->stride_width, call->kernel_width);

    if (blocks > 0)
        shared_tile<<<(unsigned)blocks, dim3(TILE_WIDTH, TILE_HEIGHT),
                      rows * columns * sizeof(float)>>>(*call, (unsigned)rows, (unsigned)columns);
}

static const unsigned THREAD_FILTERS = 8;

/* As shared_tile, but a thread computes its output for 8 filters, whose weights for a channel are
 * in shared memory as well, those of a tap side by side.
 *
 * Better: an input is loaded once for 8 products, and copied once for 8 filters; 8 weights are two
 * loads. Still bad: three loads for 8 products. Neighbouring threads load the same inputs, each at
 * another tap. */
static __global__ void shared_filters(const struct conv call, unsigned rows, unsigned columns)
{
    extern __shared__ float4 shared[];
    const size_t plane = call.kernel_height * call.kernel_width;
    float *const weights = (float *)shared, *const tile = weights + plane * THREAD_FILTERS;
    const size_t across = (call.out_width + TILE_WIDTH - 1) / TILE_WIDTH;
    const size_t down = (call.out_height + TILE_HEIGHT - 1) / TILE_HEIGHT;
    const size_t filter_blocks = (call.filters + THREAD_FILTERS - 1) / THREAD_FILTERS;
    const size_t first_x = blockIdx.x % across * TILE_WIDTH;
    const size_t first_y = blockIdx.x / across % down * TILE_HEIGHT;
    const size_t first_filter = blockIdx.x / (across * down) % filter_blocks * THREAD_FILTERS;
    const size_t b = blockIdx.x / (across * down) / filter_blocks;
    const unsigned down_by = (unsigned)call.stride_height, across_by = (unsigned)call.stride_width;
    const unsigned dilation = (unsigned)call.dilation;
    const unsigned corner = threadIdx.y * down_by * columns + threadIdx.x * across_by;
    const size_t x = first_x + threadIdx.x, y = first_y + threadIdx.y;

    float sums[THREAD_FILTERS] = {};
    for (size_t c = 0; c < call.channels; c++) {
        const float *const image = call.input + (b * call.channels + c) * call.height * call.width;
        for (unsigned r = threadIdx.y; r < rows; r += TILE_HEIGHT)
            for (unsigned s = threadIdx.x; s < columns; s += TILE_WIDTH) {
                const size_t in_y = first_y * down_by + r - call.pad;
                const size_t in_x = first_x * across_by + s - call.pad;
                const bool inside = in_y < call.height && in_x < call.width;
                tile[r * columns + s] = inside ? image[in_y * call.width + in_x] : 0;
            }
        const unsigned thread = threadIdx.y * TILE_WIDTH + threadIdx.x;
        for (unsigned i = thread; i < plane * THREAD_FILTERS; i += TILE_WIDTH * TILE_HEIGHT) {
            const size_t filter = first_filter + i % THREAD_FILTERS;
            const size_t from = (filter * call.channels + c) * plane + i / THREAD_FILTERS;
            weights[i] = filter < call.filters ? call.filter[from] : 0;
        }
        __syncthreads();

        const float *weight = weights;
        for (unsigned r = 0; r < call.kernel_height; r++)
            for (unsigned s = 0; s < call.kernel_width; s++, weight += THREAD_FILTERS) {
                const float input = tile[corner + r * dilation * columns + s * dilation];
                float eight[THREAD_FILTERS];
                load4(eight, weight);
                load4(eight + 4, weight + 4);
#pragma unroll
                for (unsigned f = 0; f < THREAD_FILTERS; f++)
                    sums[f] += input * eight[f];
            }
        __syncthreads(); /* before the next channel overwrites this one */
    }
    if (x >= call.out_width || y >= call.out_height)
        return;
#pragma unroll
    for (unsigned f = 0; f < THREAD_FILTERS; f++)
        if (first_filter + f < call.filters)
            call.output[((b * call.filters + first_filter + f) * call.out_height + y) *
                            call.out_width +
                        x] = sums[f];
}

static size_t shared_filters_blocks(const struct conv *call)
{
    return divided_up(call->out_width, TILE_WIDTH) * divided_up(call->out_height, TILE_HEIGHT) *
           divided_up(call->filters, THREAD_FILTERS) * call->batch;
}

/* Of shared memory. */
static size_t shared_filters_bytes(const struct conv *call)
{
    const size_t rows = inputs_under(call, TILE_HEIGHT, call->stride_height, call->kernel_height);
    const size_t columns = inputs_under(call, TILE_WIDTH, call->stride_width, call->kernel_width);
    const size_t weights = THREAD_FILTERS * call->kernel_height * call->kernel_width;

    return (rows * columns + weights) * sizeof(float);
}

extern "C" const char *declines_shared_filters(const struct conv *call)
{
    const char *const why = declines_conv_shared_tile(call);

    if (why != NULL || !has_outputs(call))
        return why;
    if (shared_filters_bytes(call) > MOST_SHARED)
        return "a tile and its weights have no room in shared memory";
    return conv_declines_launch(shared_filters_blocks(call), shared_filters_bytes(call));
}

extern "C" void launch_shared_filters(const struct conv *call)
{
    const size_t blocks = shared_filters_blocks(call);
    const size_t rows = inputs_under(call, TILE_HEIGHT, call->stride_height, call->kernel_height);
    const size_t columns = inputs_under(call, TILE_WIDTH, call->stride_width, call->kernel_width);

    if (blocks > 0)
        shared_filters<<<(unsigned)blocks, dim3(TILE_WIDTH, TILE_HEIGHT),
                         shared_filters_bytes(call)>>>(*call, (unsigned)rows, (unsigned)columns);
}
