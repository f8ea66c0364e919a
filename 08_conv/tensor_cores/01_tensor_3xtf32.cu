/* Step 08, tensor cores at nearly float32's accuracy, for 3 x 3 filters at stride 1. They need
 * sm_80.
 *
 * Tensor cores multiply TF32 numbers: floats with 10 bits of fraction. Except for its last bit or
 * two, a float is the sum of two TF32 numbers, high + low. So a product of two floats is (a high +
 * a low) (b high + b low). Without low x low, the smallest term, that takes three products. Each of
 * them is far faster on tensor cores than a product of floats. */
#include "kernel/overlap.cuh"
#include "parts/conv_device.cuh"
#include "parts/conv_limits.cuh"
#include "parts/conv_shape.h"
#include "parts/tile_copies.cuh"

extern "C" {
#include "rungs.h"
#include "tensor_cores/parts/plan.h"
}

/* sum += a b, 16 x 8 times 8 x 8. The PTX ISA says which elements a lane holds: see mma.m16n8k8 for
 * .tf32. */
static __device__ void multiply(float (&sum)[4], const float (&a)[4], float b0, float b1)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
          "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b0)), "r"(__float_as_uint(b1)));
}

/* The same, 16 x 4 times 4 x 8, for a first chunk of up to 4 channels. */
static __device__ void multiply_half(float (&sum)[4], const float (&a)[4], float b0)
{
    asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(b0)));
}

/* Adds the products of one column of three taps, for the channels of a chunk. `pixel` has the
 * indices in the tile of this lane's pixels, for the first tap and the lane's first channel.
 * `second` is the distance to the lane's other number, which belongs to another channel or to the
 * next tap. HALF: there is no other. A row of inputs serves up to three of the ROWS rows of pixels,
 * but is loaded and split only once. The three products low x high, high x high and high x low go
 * to the small sums, the sums and the small sums. In this order, no instruction waits for the
 * result of the one before. */
template <unsigned N_TILES, unsigned ROWS, unsigned GROUPS, bool HALF>
static __device__ void add_column(float (&sums)[GROUPS][ROWS][N_TILES][4], const float *tile,
                                  const unsigned (&pixel)[GROUPS][2], unsigned pitch,
                                  unsigned second, const float *weights)
{
    constexpr unsigned AT_A_TIME = N_TILES % 2 == 0 ? 2 : 1; /* few n tiles, to save registers */
    float high[GROUPS][ROWS + SIDE - 1][4], low[GROUPS][ROWS + SIDE - 1][4];

#pragma unroll
    for (unsigned g = 0; g < GROUPS; g++)
#pragma unroll
        for (unsigned row = 0; row < ROWS + SIDE - 1; row++)
#pragma unroll
            for (unsigned i = 0; i < (HALF ? 2 : 4); i++) {
                const float value = tile[pixel[g][i % 2] + row * pitch + i / 2 * second];
                high[g][row][i] = __uint_as_float(__float_as_uint(value) & 0xFFFFE000);
                low[g][row][i] = value - high[g][row][i];
            }
#pragma unroll
    for (unsigned n0 = 0; n0 < N_TILES; n0 += AT_A_TIME) {
        float small[AT_A_TIME][GROUPS][ROWS][4] = {};
#pragma unroll
        for (unsigned r = 0; r < SIDE; r++) {
            float4 b[AT_A_TIME]; /* two high parts, two low parts */
#pragma unroll
            for (unsigned n = 0; n < AT_A_TIME; n++)
                b[n] = *(const float4 *)(weights + (r * SIDE * N_TILES + n0 + n) * FRAGMENT);
#pragma unroll
            for (unsigned part = 0; part < 3; part++)
#pragma unroll
                for (unsigned n = 0; n < AT_A_TIME; n++)
#pragma unroll
                    for (unsigned g = 0; g < GROUPS; g++)
#pragma unroll
                        for (unsigned m = 0; m < ROWS; m++) {
                            float(&sum)[4] = part == 1 ? sums[g][m][n0 + n] : small[n][g][m];
                            const float(&a)[4] = part == 0 ? low[g][m + r] : high[g][m + r];
                            if (HALF)
                                multiply_half(sum, a, part == 2 ? b[n].z : b[n].x);
                            else
                                multiply(sum, a, part == 2 ? b[n].z : b[n].x,
                                         part == 2 ? b[n].w : b[n].y);
                        }
        }
#pragma unroll
        for (unsigned n = 0; n < AT_A_TIME; n++)
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++)
#pragma unroll
                for (unsigned m = 0; m < ROWS; m++)
#pragma unroll
                    for (unsigned i = 0; i < 4; i++)
                        sums[g][m][n0 + n][i] += small[n][g][m][i];
    }
}

/* A warp computes GROUPS x 16 columns of ROWS pixels each, for N_TILES x 8 filters. As in `direct`,
 * a block's input tile, 8 channels at a time, is in shared memory. A tap is an offset in it, so
 * there is no im2col matrix and no index arithmetic. Inputs are split when they are loaded into
 * registers; prepare_tensor splits the weights once.
 *
 * At each instruction a tensor core truncates the sum, while float32 arithmetic would round it, so
 * errors do not cancel. Therefore only one of the three products is added to the main sums there.
 * The other two are a thousandth as large and have sums of their own, whose errors are negligible.
 * After each column of taps, a float32 addition combines them.
 *
 * Better: no longer limited by the float32 units. Still bad: three multiplications instead of one.
 * Over hundreds of channels the errors grow faster than float32's. An infinity becomes NaN, because
 * infinity - infinity is NaN. Blocks load, multiply and store in phase; nothing overlaps. The newer
 * instruction wgmma could be twice as fast, but needs whole tiles in shared memory that are already
 * split. */
template <unsigned N_TILES, unsigned ROWS, unsigned GROUPS, unsigned VECTOR>
static __global__ void __launch_bounds__(THREADS, 2)
    tensor(const struct conv call, const struct tensor_tiling tiling, const float *packed)
{
    constexpr unsigned WEIGHTS = TAPS * N_TILES * FRAGMENT; /* per stage */
    constexpr unsigned PIXELS = WARPS * GROUPS * M_TILE * ROWS;
    constexpr unsigned COPIES = (2 * PIXELS / VECTOR + THREADS - 1) / THREADS;
    extern __shared__ float4 shared[];
    float *const stages = (float *)shared;

    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned filter_block = blockIdx.x % tiling.filter_blocks;
    const unsigned rest = blockIdx.x / tiling.filter_blocks;
    const unsigned height = tiling.bands * ROWS;
    const unsigned first_x = rest % tiling.across * tiling.width;
    const unsigned first_y = rest / tiling.across % tiling.down * height;
    const unsigned batch = rest / tiling.across / tiling.down;
    const unsigned stage_size = CHUNK * tiling.plane + WEIGHTS;
    const size_t area = call.height * call.width;
    const unsigned channels = (unsigned)call.channels;
    const unsigned chunks = (channels + CHUNK - 1) / CHUNK;

    /* The first chunk has the channels that do not fill one. It should be the smallest, because
     * nothing hides its copies. The tile is 0 outside the image and in the first chunk's missing
     * channels. Those are multiplied by weights of 0, but must not be NaN. */
    tile_copies<COPIES, VECTOR> of_thread;
    find_copies(&of_thread, call, height + SIDE - 1, tiling.width + SIDE - 1, tiling.pitch,
                (int)first_y - (int)call.pad, (int)first_x - (int)call.pad);
    const unsigned planes = (chunks < STAGES ? chunks : STAGES) * CHUNK;
    const unsigned first = channels - (chunks - 1) * CHUNK;
    const unsigned read = first > CHUNK / 2 ? CHUNK : CHUNK / 2;
    for (unsigned c = 0; of_thread.inside != of_thread.tile && c < planes; c++)
        if (c < first || c >= read) /* the others are cleared below, by other threads */
            clear_outside(of_thread, stages + c / CHUNK * stage_size + c % CHUNK * tiling.plane);
    for (unsigned i = first * tiling.plane + threadIdx.x; i < read * tiling.plane; i += THREADS)
        stages[i] = 0;

    unsigned pixel[GROUPS][2];
#pragma unroll
    for (unsigned g = 0; g < GROUPS; g++)
#pragma unroll
        for (unsigned half = 0; half < 2; half++) {
            const unsigned p = (warp * GROUPS + g) * M_TILE + half * 8 + lane / 4;
            const unsigned exists = p < tiling.width * tiling.bands;
            pixel[g][half] = lane % 4 * tiling.plane +
                             exists * (p / tiling.width * ROWS * tiling.pitch + p % tiling.width);
        }

    overlap_launches();
    const float *input = call.input + (size_t)batch * channels * area;
    const float *weights_from = packed + (size_t)filter_block * chunks * WEIGHTS;
    float *const copies = opaque(stages);
    float sums[GROUPS][ROWS][N_TILES][4] = {};
#pragma unroll 1
    for (unsigned iteration = 0; iteration <= chunks; iteration++) {
        float *const stage = copies + iteration % STAGES * stage_size;
        __pipeline_wait_prior(0);
        __syncthreads(); /* the stage to read is complete; no thread reads the one to write */
        if (iteration < chunks) {
#pragma unroll
            for (unsigned c = 0; c < CHUNK; c++)
                if (iteration > 0 || c < first) {
                    copy_tile(of_thread, input, stage + c * tiling.plane);
                    input += area;
                }
            copy_floats<WEIGHTS, THREADS>(weights_from, stage + CHUNK * tiling.plane);
            weights_from += WEIGHTS;
        }
        __pipeline_commit();
        if (iteration == 0)
            continue;
        const float *const tile = stages + (iteration - 1) % STAGES * stage_size;
        const float *const weights = tile + CHUNK * tiling.plane + 4 * lane;
        const bool half = iteration == 1 && first <= CHUNK / 2;
        /* If it has at most 4 channels, the second tap of a row replaces the other 4. */
#pragma unroll 1
        for (unsigned s = 0; s < (half ? 1 : SIDE); s++)
            add_column<N_TILES, ROWS, GROUPS, false>(sums, tile + s, pixel, tiling.pitch,
                                                     half ? 1 : CHUNK / 2 * tiling.plane,
                                                     weights + s * N_TILES * FRAGMENT);
        if (half)
            add_column<N_TILES, ROWS, GROUPS, true>(sums, tile + 2, pixel, tiling.pitch, 0,
                                                    weights + 2 * N_TILES * FRAGMENT);
    }

    const size_t out_area = call.out_height * call.out_width;
    const unsigned first_filter = filter_block * N_TILES * N_TILE + lane % 4 * 2;
#pragma unroll
    for (unsigned i = 0; i < 2 * GROUPS; i++) {
        const unsigned g = i / 2, half = i % 2;
        const unsigned p = (warp * GROUPS + g) * M_TILE + half * 8 + lane / 4;
        const unsigned y = first_y + p / tiling.width * ROWS, x = first_x + p % tiling.width;
        if (p >= tiling.width * tiling.bands || x >= call.out_width)
            continue;
        float *to =
            call.output + (batch * call.filters + first_filter) * out_area + y * call.out_width + x;
#pragma unroll
        for (unsigned n = 0; n < N_TILES; n++, to += N_TILE * out_area)
#pragma unroll
            for (unsigned filter = 0; filter < 2; filter++)
#pragma unroll
                for (unsigned m = 0; m < ROWS; m++)
                    if (first_filter + n * N_TILE + filter < call.filters &&
                        y + m < call.out_height)
                        to[filter * out_area + m * call.out_width] =
                            sums[g][m][n][2 * half + filter];
    }
}

/* Splits the weights and stores them in the layout in which lanes load them: [filter
 * block][chunk][tap][n tile][lane][4]. Filters and channels that do not exist are zeros. One thread
 * per lane. */
static __global__ void split_filters(const struct conv call, unsigned n_tiles, float4 *packed)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t chunks = (call.channels + CHUNK - 1) / CHUNK;
    const unsigned lane = i % 32, n = i / 32 % n_tiles, tap = i / 32 / n_tiles % TAPS;
    const size_t chunk = i / 32 / n_tiles / TAPS % chunks;
    const size_t block = i / 32 / n_tiles / TAPS / chunks;
    const size_t filter = (block * n_tiles + n) * N_TILE + lane / 4;
    float high[2], low[2];

    if (block * n_tiles * N_TILE >= call.filters)
        return;
    const size_t first = call.channels - (chunks - 1) * CHUNK; /* channels of the first chunk */
    const size_t begin = chunk == 0 ? 0 : first + (chunk - 1) * CHUNK, end = first + chunk * CHUNK;
    const bool whole = end - begin > CHUNK / 2;
    for (unsigned half = 0; half < 2; half++) {
        /* If a chunk has at most 4 channels, the second tap of a row replaces the other 4. */
        const size_t channel = begin + lane % 4 + (whole ? half * CHUNK / 2 : 0);
        const unsigned from = whole ? tap : tap + half;
        const bool exists = filter < call.filters && channel < end && from < TAPS;
        const float value =
            exists ? call.filter[(filter * call.channels + channel) * TAPS + from] : 0;
        const unsigned cut = __float_as_uint(value) & 0xFFFFE000;
        const float rounded = __uint_as_float((__float_as_uint(value) + 0x1000) & 0xFFFFE000);
        high[half] = isinf(rounded) ? __uint_as_float(cut) : rounded; /* must not overflow */
        low[half] = value - high[half];
    }
    packed[i] = make_float4(high[0], high[1], low[0], low[1]);
}

template <unsigned N_TILES, unsigned VECTOR>
static void launch_tensor_as(const struct conv *call)
{
    constexpr unsigned ROWS = TENSOR_ROWS(N_TILES), GROUPS = TENSOR_GROUPS(N_TILES);
    const struct tensor_plan plan = tensor_plan_of(call);
    const auto kernel = tensor<N_TILES, ROWS, GROUPS, VECTOR>;

    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)plan.bytes);
    launch_dependent(kernel, (unsigned)plan.blocks, THREADS, plan.bytes, *call, plan.tiling,
                     (const float *)call->workspace);
}

/* Splits the filters. A user would do this once for all images. */
extern "C" void prepare_tensor(const struct conv *call)
{
    const unsigned n_tiles = tensor_n_tiles(call);
    const size_t threads = divided_up(call->filters, n_tiles * N_TILE) * n_tiles * 32 * TAPS *
                           divided_up(call->channels, CHUNK);

    if (threads > 0)
        split_filters<<<(unsigned)divided_up(threads, THREADS), THREADS>>>(
            *call, n_tiles, (float4 *)call->workspace);
}

extern "C" void launch_tensor(const struct conv *call)
{
    const unsigned vector = input_vector(call);

    if (is_empty(call))
        return;
    if (tensor_n_tiles(call) == 3 && vector == 4)
        launch_tensor_as<3, 4>(call);
    else if (tensor_n_tiles(call) == 3 && vector == 2)
        launch_tensor_as<3, 2>(call);
    else if (tensor_n_tiles(call) == 3)
        launch_tensor_as<3, 1>(call);
    else if (vector == 4)
        launch_tensor_as<8, 4>(call);
    else if (vector == 2)
        launch_tensor_as<8, 2>(call);
    else
        launch_tensor_as<8, 1>(call);
}

extern "C" const char *declines_tensor(const struct conv *call)
{
    const char *const why = conv_declines_3x3_or_empty(call);

    if (why != NULL || !has_outputs(call))
        return why;
    const struct tensor_plan plan = tensor_plan_of(call);
    return conv_declines_launch(plan.blocks, plan.bytes);
}
/* SPDX-License-Identifier: MIT */
