/* Step 08, direct convolution for 3 x 3 filters at stride 1: no matrix, and every number that reaches a
 * register is used there many times. */
#include "conv_device.cuh"
#include "dependent_launch.cuh"
#include "outer_product.cuh"

/* A thread computes STRIP outputs side by side in ROWS rows, of a few filters. */
static const unsigned SIDE = 3;
static const unsigned STRIP = 4, ROWS = 2;
static const unsigned CHUNK = 4, STAGES = 3; /* channels in a stage; stages in flight or in use */
static const unsigned WIDEST = 16;           /* strips side by side in a block */

/* How the output is cut up. For each of its groups of FILTERS filters a block has strips x bands threads. */
struct direct_tiling {
    unsigned strips, bands; /* side by side, below each other */
    unsigned pitch;         /* floats from a row of the input tile to the next */
    unsigned across, down;  /* blocks side by side, below each other */
    unsigned filter_blocks;
};

/* Number `i` of a walk over `count` places that turns round in every other row: the last place of a row is the first
 * of the next, so that a multiply-add finds two of its three operands where the one before had them. One that
 * reads three registers anew takes two cycles. */
static __device__ constexpr unsigned to_and_fro(unsigned row, unsigned i, unsigned count)
{
    return row % 2 == 0 ? i : count - 1 - i;
}

/* The STRIP + SIDE - 1 inputs of a row that a thread's outputs are made of. */
static __device__ void load_row(float *row, const float *from)
{
    const float2 last = *(const float2 *)(from + STRIP);

    load4(row, from);
    row[STRIP] = last.x;
    row[STRIP + 1] = last.y;
}

/* The definition: nine products for an output of a channel. A step is a row of the filter. */
struct nine_taps {
    static const unsigned FILTERS = 8, STEPS = SIDE,
                          WEIGHTS = SIDE; /* a thread's; a channel's; a step's */
    float sums[FILTERS][ROWS][STRIP];
    float input[ROWS][STRIP + SIDE - 1], weight[WEIGHTS][FILTERS];

    template <unsigned BLOCK_FILTERS>
    __device__ void fetch(const float *tile, unsigned pitch, const float *weights)
    {
#pragma unroll
        for (unsigned w = 0; w < WEIGHTS; w++)
#pragma unroll
            for (unsigned f = 0; f < FILTERS; f += 4)
                load4(weight[w] + f, weights + w * BLOCK_FILTERS + f);
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++)
            load_row(input[r], tile + r * pitch);
    }

    __device__ void multiply()
    {
#pragma unroll
        for (unsigned w = 0; w < WEIGHTS; w++)
#pragma unroll
            for (unsigned f = 0; f < FILTERS; f++)
#pragma unroll
                for (unsigned i = 0; i < ROWS * STRIP; i++) {
                    const unsigned place = to_and_fro(f, i, ROWS * STRIP);
                    sums[f][place / STRIP][place % STRIP] +=
                        weight[w][f] * input[place / STRIP][place % STRIP + w];
                }
    }

    __device__ float output(unsigned f, unsigned r, unsigned x) const
    {
        return sums[f][r][x];
    }

    static __device__ float pack(const float *filter, unsigned weight)
    {
        return filter[weight];
    }
};

/* Winograd's F(2, 3) along the rows: four products where two outputs have six. Four inputs d and three weights g are
 * transformed to four numbers each, and the sums of their products back to two outputs (conv.h). */
struct four_components {
    static const unsigned COMPONENTS = 4, PAIRS = STRIP / 2;
    static const unsigned FILTERS = 4, STEPS = 1, WEIGHTS = SIDE * COMPONENTS;
    float sums[FILTERS][ROWS][PAIRS][COMPONENTS];
    float input[ROWS + SIDE - 1][PAIRS][COMPONENTS], weight[WEIGHTS][FILTERS];

    template <unsigned BLOCK_FILTERS>
    __device__ void fetch(const float *tile, unsigned pitch, const float *weights)
    {
#pragma unroll
        for (unsigned w = 0; w < WEIGHTS; w++)
            load4(weight[w], weights + w * BLOCK_FILTERS);
#pragma unroll
        for (unsigned r = 0; r < ROWS + SIDE - 1; r++) {
            float d[STRIP + SIDE - 1];
            load_row(d, tile + r * pitch);
#pragma unroll
            for (unsigned pair = 0; pair < PAIRS; pair++) {
                const float *const from = d + 2 * pair;
                input[r][pair][0] = from[0] - from[2];
                input[r][pair][1] = from[1] + from[2];
                input[r][pair][2] = from[2] - from[1];
                input[r][pair][3] = from[1] - from[3];
            }
        }
    }

    __device__ void multiply()
    {
#pragma unroll
        for (unsigned w = 0; w < WEIGHTS; w++)
#pragma unroll
            for (unsigned f = 0; f < FILTERS; f++)
#pragma unroll
                for (unsigned i = 0; i < ROWS * PAIRS; i++) {
                    const unsigned place = to_and_fro(f, i, ROWS * PAIRS);
                    const unsigned r = place / PAIRS, pair = place % PAIRS;
                    sums[f][r][pair][w % COMPONENTS] +=
                        weight[w][f] * input[r + w / COMPONENTS][pair][w % COMPONENTS];
                }
    }

    __device__ float output(unsigned f, unsigned r, unsigned x) const
    {
        const float *const of = sums[f][r][x / 2];
        return x % 2 == 0 ? of[0] + of[1] + of[2] : of[1] - of[2] - of[3];
    }

    static __device__ float pack(const float *filter, unsigned weight)
    {
        const float *const g = filter + weight / COMPONENTS * SIDE;
        switch (weight % COMPONENTS) {
        case 0:
            return g[0];
        case 1:
            return (g[0] + g[1] + g[2]) / 2;
        case 2:
            return (g[0] - g[1] + g[2]) / 2;
        default:
            return g[2];
        }
    }
};

/* Pieces of the largest input tile that `places` threads of a group can work on. */
static constexpr __host__ __device__ unsigned most_pieces(unsigned places, unsigned vector)
{
    unsigned most = 0;
    for (unsigned strips = 1; strips <= WIDEST && strips <= places; strips++) {
        const unsigned rows = places / strips * ROWS + SIDE - 1;
        const unsigned pieces = rows * ((STRIP * strips + SIDE - 1 + vector - 1) / vector);
        most = pieces > most ? pieces : most;
    }
    return most;
}

/* One channel takes a thread 8 loads of inputs and 18 of weights, of up to 16 bytes, all from shared memory,
 * for 576 products: 94 of 100 instructions multiply. (Implicit GEMM with 8 x 4 sums a thread loads three
 * times for 32 products, since it does not know that a tap's neighbour wants the same inputs, moved by one.)
 * CHUNK channels of inputs and weights make a stage. While one is worked on, two are on their way.
 *
 * Better: arithmetic is what is left.
 * Still bad: all of it. Of what float32 units can do, the inner loop reaches two thirds: every fifth
 * multiply-add reads three registers, which takes an extra cycle, and ptxas alone decides which. Before the
 * first and after the last product nothing overlaps, and only 3 x 3 at stride 1 is done. */
template <typename METHOD, unsigned GROUPS, unsigned PLACES, unsigned VECTOR>
static __device__ void convolve_tile(const struct conv &call, const struct direct_tiling &tiling,
                                     const float *packed)
{
    constexpr unsigned THREADS = GROUPS * PLACES, FILTERS = METHOD::FILTERS;
    constexpr unsigned BLOCK_FILTERS = GROUPS * FILTERS;
    constexpr unsigned COPIES = (most_pieces(PLACES, VECTOR) + THREADS - 1) / THREADS;
    constexpr unsigned WEIGHTS =
        CHUNK * METHOD::STEPS * METHOD::WEIGHTS * BLOCK_FILTERS; /* a stage's */
    extern __shared__ float4 shared[];
    float *const stages = (float *)shared;

    const unsigned tile_x = blockIdx.x % tiling.across;
    const unsigned tile_y = blockIdx.x / tiling.across % tiling.down;
    const unsigned rest = blockIdx.x / tiling.across / tiling.down;
    const unsigned filter_block = rest % tiling.filter_blocks;
    const size_t batch = rest / tiling.filter_blocks;
    const unsigned group = threadIdx.x / PLACES, place = threadIdx.x % PLACES;
    const unsigned strip = place % tiling.strips, band = place / tiling.strips;

    const bool working = band < tiling.bands;
    const unsigned rows = tiling.bands * ROWS + SIDE - 1;
    const unsigned tile_size = rows * tiling.pitch;
    const unsigned stage_size = CHUNK * tile_size + WEIGHTS;
    const size_t area = call.height * call.width;
    const unsigned channels = (unsigned)call.channels;
    const size_t first_x = (size_t)tile_x * tiling.strips * STRIP;
    const size_t first_y = (size_t)tile_y * tiling.bands * ROWS;

    tile_copies<COPIES, VECTOR> plan;
    plan_tile(&plan, call, rows, tiling.strips * STRIP + SIDE - 1, tiling.pitch,
              (long)first_y - (long)call.pad, (long)first_x - (long)call.pad);
    for (unsigned c = 0; c < STAGES * CHUNK; c++)
        clear_outside(plan, stages + c / CHUNK * stage_size + c % CHUNK * tile_size);

    overlap_launches();
    const float *input = call.input + batch * channels * area;
    const unsigned chunks = (channels + CHUNK - 1) / CHUNK;
    const float *weights_from = packed + (size_t)filter_block * chunks * WEIGHTS;
    METHOD method = {};
    unsigned reading = 0, writing = 0, loaded = 0;
#pragma unroll 1
    for (unsigned turn = 0; loaded < channels + (STAGES - 1) * CHUNK; turn++, loaded += CHUNK) {
        if (turn >= STAGES - 1) {
            __pipeline_wait_prior(STAGES - 2);
            __syncthreads(); /* the stage to read is complete; the one to write is read */
        }
        if (loaded < channels) {
            float *const stage = stages + writing * stage_size;
#pragma unroll
            for (unsigned c = 0; c < CHUNK; c++, input += area)
                if (loaded + c < channels)
                    copy_tile(plan, input, stage + c * tile_size);
            copy_floats<WEIGHTS, THREADS>(weights_from, stage + CHUNK * tile_size);
            weights_from += WEIGHTS;
        }
        __pipeline_commit();
        writing = writing + 1 == STAGES ? 0 : writing + 1;
        if (turn < STAGES - 1)
            continue;

        const unsigned first = loaded - (STAGES - 1) * CHUNK;
        const float *const ready = stages + reading * stage_size;
        const float *tile = ready + (working ? band : 0) * ROWS * tiling.pitch + strip * STRIP;
        const float *weights = ready + CHUNK * tile_size + group * FILTERS;
#pragma unroll 1
        for (unsigned c = 0; c < CHUNK && first + c < channels; c++) {
#pragma unroll 1
            for (unsigned step = 0; step < METHOD::STEPS; step++) {
                if (working) /* loads behind a branch: they stay apart from what uses them */
                    method.template fetch<BLOCK_FILTERS>(tile, tiling.pitch, weights);
                method.multiply();
                tile += tiling.pitch;
                weights += METHOD::WEIGHTS * BLOCK_FILTERS;
            }
            tile += tile_size - METHOD::STEPS * tiling.pitch;
        }
        reading = reading + 1 == STAGES ? 0 : reading + 1;
    }

    const size_t x = first_x + strip * STRIP, y = first_y + band * ROWS;
    const size_t first_filter = (size_t)filter_block * BLOCK_FILTERS + group * FILTERS;
    if (band >= tiling.bands || x >= call.out_width)
        return;
    const bool vectors = call.out_width % 4 == 0 && (size_t)call.output % sizeof(float4) == 0;
    const size_t out_area = call.out_height * call.out_width;
    float *to =
        call.output + (batch * call.filters + first_filter) * out_area + y * call.out_width + x;
#pragma unroll
    for (unsigned f = 0; f < FILTERS; f++, to += out_area)
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            float *const row = to + r * call.out_width;
            if (first_filter + f >= call.filters || y + r >= call.out_height)
                continue;
            if (vectors) { /* __stcg: as a plain store, the compiler makes it four */
                __stcg((float4 *)row, make_float4(method.output(f, r, 0), method.output(f, r, 1),
                                                  method.output(f, r, 2), method.output(f, r, 3)));
                continue;
            }
#pragma unroll
            for (unsigned s = 0; s < STRIP; s++)
                if (x + s < call.out_width)
                    row[s] = method.output(f, r, s);
        }
}

template <unsigned GROUPS, unsigned PLACES, unsigned VECTOR>
static __global__ void __launch_bounds__(GROUPS *PLACES, 384 / (GROUPS * PLACES))
    direct(const struct conv call, const struct direct_tiling tiling, const float *packed)
{
    convolve_tile<nine_taps, GROUPS, PLACES, VECTOR>(call, tiling, packed);
}

template <unsigned GROUPS, unsigned PLACES, unsigned VECTOR>
static __global__ void __launch_bounds__(GROUPS *PLACES, 384 / (GROUPS * PLACES))
    winograd_1d(const struct conv call, const struct direct_tiling tiling, const float *packed)
{
    convolve_tile<four_components, GROUPS, PLACES, VECTOR>(call, tiling, packed);
}

/* ---- launch ---------------------------------------------------------------------------------- */

/* Weights in the order in which blocks read them, [filter block][channel][weight][filter of the block], with
 * zeros for filters that do not exist and channels to whole stages. One thread a weight. */
template <typename METHOD>
static __global__ void pack_filters(const struct conv call, unsigned block_filters,
                                    size_t padded_channels, float *packed)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned weights = METHOD::STEPS * METHOD::WEIGHTS; /* of a filter, in a channel */
    const unsigned weight = (unsigned)(i / block_filters % weights);
    const size_t channel = i / block_filters / weights % padded_channels;
    const size_t block = i / block_filters / weights / padded_channels;
    const size_t filter = block * block_filters + i % block_filters;

    if (block * block_filters >= call.filters)
        return;
    packed[i] =
        filter < call.filters && channel < call.channels
            ? METHOD::pack(call.filter + (filter * call.channels + channel) * SIDE * SIDE, weight)
            : 0;
}

/* What a user does once for all pictures: the filters in the order above. */
template <typename METHOD>
static void pack(const struct conv *call, unsigned block_filters)
{
    const size_t channels = quotient_up(call->channels, CHUNK) * CHUNK;
    const size_t weights = quotient_up(call->filters, block_filters) * block_filters * channels *
                           METHOD::STEPS * METHOD::WEIGHTS;

    if (weights > 0)
        pack_filters<METHOD><<<(unsigned)quotient_up(weights, 256), 256>>>(
            *call, block_filters, channels, (float *)call->workspace);
}

/* Filters of a block: the larger of two choices where that leaves no more of them idle. */
static unsigned block_filters_of(const struct conv *call, unsigned larger, unsigned other)
{
    return quotient_up(call->filters, larger) * larger <= quotient_up(call->filters, other) * other
               ? larger
               : other;
}

/* Blocks as wide as fits, but no wider than an equal share of the row, and as high as threads are left. */
static struct direct_tiling direct_tiling_of(const struct conv *call, unsigned places,
                                             unsigned block_filters)
{
    const size_t strips = quotient_up(call->out_width, STRIP);
    struct direct_tiling tiling;

    tiling.across = (unsigned)quotient_up(strips, smaller(WIDEST, places));
    tiling.strips = (unsigned)quotient_up(strips, tiling.across);
    tiling.bands = (unsigned)smaller(places / tiling.strips, quotient_up(call->out_height, ROWS));
    tiling.down = (unsigned)quotient_up(call->out_height, (size_t)tiling.bands * ROWS);
    tiling.filter_blocks = (unsigned)quotient_up(call->filters, block_filters);
    tiling.pitch = STRIP * tiling.strips + STRIP;
    /* Where a warp spans bands, let the next band's banks follow on the last's: no conflicts. */
    for (unsigned pitch = tiling.pitch; pitch < tiling.pitch + 16 && tiling.strips < 32; pitch += 4)
        if (ROWS * pitch % 32 == STRIP * tiling.strips % 32) {
            tiling.pitch = pitch;
            break;
        }
    return tiling;
}

typedef void (*tile_kernel)(const struct conv, const struct direct_tiling, const float *);

template <typename METHOD>
static void launch_tiles(const struct conv *call, tile_kernel kernel, unsigned groups,
                         unsigned places)
{
    const unsigned block_filters = groups * METHOD::FILTERS;
    const struct direct_tiling tiling = direct_tiling_of(call, places, block_filters);
    const size_t blocks = call->batch * tiling.filter_blocks * (size_t)tiling.down * tiling.across;
    const size_t rows = (size_t)tiling.bands * ROWS + SIDE - 1;
    const size_t stage =
        CHUNK * (rows * tiling.pitch + METHOD::STEPS * METHOD::WEIGHTS * block_filters);
    const size_t bytes = STAGES * stage * sizeof(float);

    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    launch_dependent(kernel, (unsigned)blocks, groups * places, bytes, *call, tiling,
                     (const float *)call->workspace);
}

template <unsigned GROUPS, unsigned PLACES>
static void launch_direct_as(const struct conv *call)
{
    const unsigned vector = input_vector(call);

    launch_tiles<nine_taps>(call,
                            vector == 4   ? direct<GROUPS, PLACES, 4>
                            : vector == 2 ? direct<GROUPS, PLACES, 2>
                                          : direct<GROUPS, PLACES, 1>,
                            GROUPS, PLACES);
}

template <unsigned GROUPS, unsigned PLACES>
static void launch_winograd_1d_as(const struct conv *call)
{
    const unsigned vector = input_vector(call);

    launch_tiles<four_components>(call,
                                  vector == 4   ? winograd_1d<GROUPS, PLACES, 4>
                                  : vector == 2 ? winograd_1d<GROUPS, PLACES, 2>
                                                : winograd_1d<GROUPS, PLACES, 1>,
                                  GROUPS, PLACES);
}

extern "C" void prepare_direct(const struct conv *call)
{
    pack<nine_taps>(call, block_filters_of(call, 24, 16));
}

extern "C" void launch_direct(const struct conv *call)
{
    if (!has_outputs(call) || !has_products(call))
        launch_conv_naive(call);
    else if (block_filters_of(call, 24, 16) == 24)
        launch_direct_as<3, 64>(call);
    else
        launch_direct_as<2, 64>(call);
}

extern "C" void prepare_winograd_1d(const struct conv *call)
{
    pack<four_components>(call, block_filters_of(call, 24, 16));
}

extern "C" void launch_winograd_1d(const struct conv *call)
{
    if (!has_outputs(call) || !has_products(call))
        launch_conv_naive(call);
    else if (block_filters_of(call, 24, 16) == 24)
        launch_winograd_1d_as<6, 32>(call);
    else
        launch_winograd_1d_as<4, 32>(call);
}

extern "C" const char *declines_direct(const struct conv *call)
{
    return conv_declines_3x3(call);
}
