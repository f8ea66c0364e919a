/* Step 08, Winograd's F(4x4, 3x3) in three kernels: 36 multiplications for sixteen outputs instead
 * of 144. The transforms and the error bound: winograd_bound.h. */
#include "conv_device.cuh"
#include "kernel/dependent_launch.cuh"
#include "outer_product.cuh"

static const unsigned TILE = 4, PATCH = 6, COMPONENTS = PATCH * PATCH;
static const unsigned BLOCK = 256; /* threads per block in the transforms */

/* The blocks of the matrix products: 64 filters x 128 tiles, of which a warp computes 32 x 64 and a
 * thread 8 x 8. */
static const unsigned THREADS = 128;
static const unsigned BLOCK_FILTERS = 64, BLOCK_TILES = 128, DEPTH = 16, STAGES = 3;

/* Sizes of the arrays in the workspace, padded to whole blocks:
 *     filters  [component][channel][filter]     products [component][filter][tile]
 *     inputs   [component][channel][tile] */
struct winograd4_sizes {
    unsigned across, down;      /* tiles per image, horizontally and vertically */
    unsigned channels, filters; /* padded */
    size_t tiles;               /* in all images */
    size_t at_once;             /* tiles that the workspace has room for; padded */
    float *transformed_filters, *inputs, *products;
};

/* Multiplies six numbers, `step` apart, by B^T, in place. */
static __device__ void transform_input(float *d, unsigned step)
{
    const float d0 = d[0], d1 = d[step], d2 = d[2 * step];
    const float d3 = d[3 * step], d4 = d[4 * step], d5 = d[5 * step];
    const float even = d4 - 4 * d2, odd = d3 - 4 * d1;
    const float even2 = d4 - d2, odd2 = 2 * (d3 - d1);

    d[0] = 4 * d0 - 5 * d2 + d4;
    d[step] = even + odd;
    d[2 * step] = even - odd;
    d[3 * step] = even2 + odd2;
    d[4 * step] = even2 - odd2;
    d[5 * step] = 4 * d1 - 5 * d3 + d5;
}

/* One thread per tile and channel; neighbouring threads have neighbouring tiles. */
static __global__ void __launch_bounds__(BLOCK)
    transform_inputs(const struct conv call, const struct winograd4_sizes sizes, size_t first)
{
    const size_t thread = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    const size_t column = thread % sizes.at_once, channel = thread / sizes.at_once;
    const size_t tile = first + column;
    const size_t batch = tile / sizes.across / sizes.down;
    const long top = (long)(tile / sizes.across % sizes.down * TILE) - (long)call.pad;
    const long left = (long)(tile % sizes.across * TILE) - (long)call.pad;
    float patch[COMPONENTS] = {};

    overlap_launches();
    if (channel >= sizes.channels)
        return;
    if (channel < call.channels && tile < sizes.tiles) {
        const float *const image =
            call.input + (batch * call.channels + channel) * call.height * call.width;
#pragma unroll
        for (unsigned r = 0; r < PATCH; r++) {
            const long y = top + r;
            const float *const row = image + y * (long)call.width + left;
#pragma unroll
            for (unsigned s = 0; s < PATCH; s++)
                if (y >= 0 && y < (long)call.height && left + s >= 0 && left + s < (long)call.width)
                    patch[PATCH * r + s] = row[s];
        }
    }
#pragma unroll
    for (unsigned s = 0; s < PATCH; s++)
        transform_input(patch + s, PATCH);
#pragma unroll
    for (unsigned r = 0; r < PATCH; r++)
        transform_input(patch + PATCH * r, 1);
    float *const to = sizes.inputs + channel * sizes.at_once + column;
#pragma unroll
    for (unsigned i = 0; i < COMPONENTS; i++)
        to[i * (size_t)sizes.channels * sizes.at_once] = patch[i];
}

/* Each layer of the grid computes one component's matrix product. Both operands have channels as
 * their rows, so that tiles need not be transposed and are copied 16 bytes at a time, two stages
 * ahead. */
static __global__ void __launch_bounds__(THREADS, 4)
    multiply_components(const struct winograd4_sizes sizes)
{
    __shared__ __align__(16) float tiles_a[STAGES][DEPTH][BLOCK_FILTERS];
    __shared__ __align__(16) float tiles_b[STAGES][DEPTH][BLOCK_TILES];
    const unsigned filter_blocks = sizes.filters / BLOCK_FILTERS;
    const unsigned first_filter = blockIdx.x % filter_blocks * BLOCK_FILTERS;
    const size_t first_tile = (size_t)(blockIdx.x / filter_blocks) * BLOCK_TILES;
    const size_t component = blockIdx.y;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned row = warp % 2 * 32 + lane / 8 * 4, column = warp / 2 * 64 + lane % 8 * 4;

    /* What this thread copies first: 16 bytes of a row, which 16 threads share in A and 32 in B. */
    const float *a = sizes.transformed_filters +
                     (component * sizes.channels + threadIdx.x / 16) * sizes.filters +
                     first_filter + threadIdx.x % 16 * 4;
    const float *b = sizes.inputs +
                     (component * sizes.channels + threadIdx.x / 32) * sizes.at_once + first_tile +
                     threadIdx.x % 32 * 4;

    overlap_launches();
    float sums[8][8] = {};
    unsigned reading = 0, writing = 0;
#pragma unroll 1
    for (unsigned channel = 0; channel < sizes.channels + (STAGES - 1) * DEPTH; channel += DEPTH) {
        if (channel >= (STAGES - 1) * DEPTH) {
            __pipeline_wait_prior(STAGES - 2);
            __syncthreads(); /* the stage to read is complete; nobody reads the one to write */
        }
        if (channel < sizes.channels) {
#pragma unroll
            for (unsigned i = 0; i < DEPTH; i += THREADS / 16, a += THREADS / 16 * sizes.filters)
                __pipeline_memcpy_async(
                    &tiles_a[writing][i + threadIdx.x / 16][threadIdx.x % 16 * 4], a, 16);
#pragma unroll
            for (unsigned i = 0; i < DEPTH; i += THREADS / 32, b += THREADS / 32 * sizes.at_once)
                __pipeline_memcpy_async(
                    &tiles_b[writing][i + threadIdx.x / 32][threadIdx.x % 32 * 4], b, 16);
        }
        __pipeline_commit();
        writing = writing + 1 == STAGES ? 0 : writing + 1;
        if (channel < (STAGES - 1) * DEPTH)
            continue;
#pragma unroll
        for (unsigned p = 0; p < DEPTH; p++) {
            float x[8], y[8];
            load4(x, &tiles_a[reading][p][row]);
            load4(x + 4, &tiles_a[reading][p][row + 16]);
            load4(y, &tiles_b[reading][p][column]);
            load4(y + 4, &tiles_b[reading][p][column + 32]);
            add_outer_product(sums, x, y);
        }
        reading = reading + 1 == STAGES ? 0 : reading + 1;
    }
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
        const size_t filter = first_filter + row + i % 4 + i / 4 * 16;
        float *const to = sizes.products + (component * sizes.filters + filter) * sizes.at_once +
                          first_tile + column;
        *(float4 *)to = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
        *(float4 *)(to + 32) = make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
    }
}

/* Multiplies six numbers, `step` apart, by A^T, which gives four. */
static __device__ void transform_output(const float *m, unsigned step, float *to)
{
    const float sum = m[step] + m[2 * step], difference = m[step] - m[2 * step];
    const float sum2 = m[3 * step] + m[4 * step], difference2 = m[3 * step] - m[4 * step];

    to[0] = m[0] + sum + sum2;
    to[1] = difference + 2 * difference2;
    to[2] = sum + 4 * sum2;
    to[3] = difference + 8 * difference2 + m[5 * step];
}

/* One thread per tile and filter; neighbouring threads have neighbouring tiles. */
static __global__ void __launch_bounds__(BLOCK)
    transform_outputs(const struct conv call, const struct winograd4_sizes sizes, size_t first)
{
    const size_t thread = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    const size_t column = thread % sizes.at_once, filter = thread / sizes.at_once;
    const size_t tile = first + column;
    const size_t batch = tile / sizes.across / sizes.down;
    const size_t y = tile / sizes.across % sizes.down * TILE, x = tile % sizes.across * TILE;
    const bool vectors = call.out_width % 4 == 0 && (size_t)call.output % sizeof(float4) == 0;
    const bool pairs = call.out_width % 2 == 0 && (size_t)call.output % sizeof(float2) == 0;
    float m[COMPONENTS], half[PATCH][TILE];

    overlap_launches();
    if (filter >= call.filters || tile >= sizes.tiles)
        return;
    const float *const from = sizes.products + filter * sizes.at_once + column;
#pragma unroll
    for (unsigned i = 0; i < COMPONENTS; i++)
        m[i] = from[i * (size_t)sizes.filters * sizes.at_once];
#pragma unroll
    for (unsigned s = 0; s < PATCH; s++)
        transform_output(m + s, PATCH, half[s]);
    float *to =
        call.output + ((batch * call.filters + filter) * call.out_height + y) * call.out_width + x;
#pragma unroll
    for (unsigned r = 0; r < TILE; r++, to += call.out_width) {
        const float row[PATCH] = {half[0][r], half[1][r], half[2][r],
                                  half[3][r], half[4][r], half[5][r]};
        float out[TILE];
        transform_output(row, 1, out);
        if (y + r >= call.out_height)
            continue;
        if (vectors) {
            store4(to, out);
            continue;
        }
#pragma unroll
        for (unsigned s = 0; s < TILE; s += 2)
            if (pairs && x + s < call.out_width) {
                store2(to + s, out[s], out[s + 1]);
            } else {
                if (x + s < call.out_width)
                    to[s] = out[s];
                if (x + s + 1 < call.out_width)
                    to[s + 1] = out[s + 1];
            }
    }
}

/* Multiplies three numbers, `step` apart, by G, which gives six. */
static __device__ void transform_filter(const float *g, unsigned step, float *to)
{
    const float outer = (g[0] + g[2 * step]) * (1.0F / 6), inner = g[step] * (1.0F / 6);
    const float ends = g[0] * (1.0F / 24) + g[2 * step] * (1.0F / 6);
    const float middle = g[step] * (1.0F / 12);

    to[0] = g[0] * 0.25F;
    to[1] = -outer - inner;
    to[2] = inner - outer;
    to[3] = ends + middle;
    to[4] = ends - middle;
    to[5] = g[2 * step];
}

/* One thread per filter and channel of the padded array. */
static __global__ void transform_filters(const struct conv call, const struct winograd4_sizes sizes)
{
    const size_t thread = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    const size_t filter = thread % sizes.filters, channel = thread / sizes.filters;
    float g[9], half[3][PATCH], row[PATCH];

    if (channel >= sizes.channels)
        return;
    for (unsigned i = 0; i < 9; i++)
        g[i] = filter < call.filters && channel < call.channels
                   ? call.filter[(filter * call.channels + channel) * 9 + i]
                   : 0;
    for (unsigned s = 0; s < 3; s++)
        transform_filter(g + s, 3, half[s]);
    float *to = sizes.transformed_filters + channel * sizes.filters + filter;
    for (unsigned r = 0; r < PATCH; r++) {
        const float three[3] = {half[0][r], half[1][r], half[2][r]};
        transform_filter(three, 1, row);
        for (unsigned s = 0; s < PATCH; s++, to += (size_t)sizes.channels * sizes.filters)
            *to = row[s];
    }
}

static struct winograd4_sizes sizes_of(const struct conv *call)
{
    struct winograd4_sizes sizes;

    sizes.across = (unsigned)divided_up(call->out_width, TILE);
    sizes.down = (unsigned)divided_up(call->out_height, TILE);
    sizes.channels = (unsigned)(divided_up(call->channels, DEPTH) * DEPTH);
    sizes.filters = (unsigned)(divided_up(call->filters, BLOCK_FILTERS) * BLOCK_FILTERS);
    sizes.tiles = call->batch * sizes.across * sizes.down;

    const size_t filter_floats = (size_t)COMPONENTS * sizes.channels * sizes.filters;
    const size_t tile_floats = (size_t)COMPONENTS * (sizes.channels + sizes.filters);
    const size_t room = call->workspace_bytes / sizeof(float) - filter_floats;
    const size_t blocks =
        smaller(room / (tile_floats * BLOCK_TILES), divided_up(sizes.tiles, BLOCK_TILES));
    sizes.at_once = blocks * BLOCK_TILES;
    sizes.transformed_filters = (float *)call->workspace;
    sizes.inputs = sizes.transformed_filters + filter_floats;
    sizes.products = sizes.inputs + COMPONENTS * sizes.channels * sizes.at_once;
    return sizes;
}

/* Transforms the filters, which a user would do once for all images. */
extern "C" void prepare_winograd4(const struct conv *call)
{
    if (!has_outputs(call) || !has_products(call))
        return;
    const struct winograd4_sizes sizes = sizes_of(call);
    const size_t threads = (size_t)sizes.channels * sizes.filters;
    transform_filters<<<(unsigned)divided_up(threads, BLOCK), BLOCK>>>(*call, sizes);
}

/* The kernels pass transformed inputs and products through memory: 36 numbers for each tile and
 * channel, and for each tile and filter. They process as many tiles at once as the workspace has
 * room for.
 *
 * Better: 4 times fewer multiplications than the definition; most of the work is a plain matrix
 * product, and inputs are transformed only once, not for each block of filters as in `winograd`.
 * Still bad: the transformed arrays are 2.25 times as large as input and output, and are written to
 * memory and read back; with few channels nothing is gained. Rounding errors are several times
 * those of F(2x2, 3x3), since the transforms multiply by numbers up to 8 and by sixths. */
extern "C" void launch_winograd4(const struct conv *call)
{
    if (!has_outputs(call) || !has_products(call)) {
        launch_conv_naive(call);
        return;
    }
    const struct winograd4_sizes sizes = sizes_of(call);
    const size_t filter_blocks = sizes.filters / BLOCK_FILTERS;
    for (size_t first = 0; first < sizes.tiles; first += sizes.at_once) {
        const size_t tile_blocks =
            divided_up(smaller(sizes.at_once, sizes.tiles - first), BLOCK_TILES);
        launch_dependent(transform_inputs,
                         (unsigned)divided_up(sizes.at_once * sizes.channels, BLOCK), BLOCK, 0,
                         *call, sizes, first);
        launch_dependent(multiply_components,
                         dim3((unsigned)(tile_blocks * filter_blocks), COMPONENTS), THREADS, 0,
                         sizes);
        launch_dependent(transform_outputs,
                         (unsigned)divided_up(sizes.at_once * call->filters, BLOCK), BLOCK, 0,
                         *call, sizes, first);
    }
}

extern "C" const char *declines_winograd4(const struct conv *call)
{
    return conv_declines_3x3(call);
}
