/* Step 08, the general matrix-product road: any filter, stride, padding and dilation. */
#include "gather.cuh"
#include "outer_product.cuh"

static const unsigned STAGES = 3;

/* A warp computes 32 filters x 64 pixels, a thread 8 x 8: four squares of 4 x 4. */
static const unsigned WARP_FILTERS = 32, WARP_PIXELS = 64;

static const unsigned THREAD_SUMS = 64;

/* Stores four neighbours of a row of pixels. */
static __device__ inline void store_pixels(const struct conv &call, const struct gather_plan &plan,
                                           float *output, unsigned first_filter,
                                           unsigned first_pixel, const float (&sums)[4][4])
{
    const unsigned out_area = (unsigned)(call.out_height * call.out_width);
    const unsigned filters = (unsigned)call.filters;

    if (out_area % 4 == 0 && (size_t)output % sizeof(float4) == 0) {
        const unsigned batch = first_pixel / out_area, place = first_pixel % out_area;
        float *to = output + ((size_t)batch * filters + first_filter) * out_area + place;
        if (first_pixel >= plan.pixels)
            return;
#pragma unroll
        for (unsigned f = 0; f < 4; f++, to += out_area)
            if (first_filter + f < filters)
                store4(to, sums[f]);
        return;
    }
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
        const unsigned batch = (first_pixel + i) / out_area, place = (first_pixel + i) % out_area;
        float *to = output + ((size_t)batch * filters + first_filter) * out_area + place;
        if (first_pixel + i >= plan.pixels)
            return;
#pragma unroll
        for (unsigned f = 0; f < 4; f++, to += out_area)
            if (first_filter + f < filters)
                *to = sums[f][i];
    }
}

template <unsigned FILTERS, unsigned PIXELS, unsigned RESIDENT, unsigned VECTOR, bool UNIFORM>
static __global__ void __launch_bounds__(FILTERS *PIXELS / THREAD_SUMS, RESIDENT)
    implicit_gemm_async(const struct conv call, const struct gather_plan plan)
{
    constexpr unsigned THREADS = FILTERS * PIXELS / THREAD_SUMS;
    constexpr unsigned A_FLOATS = GATHER_DEPTH * FILTERS, B_FLOATS = GATHER_DEPTH * PIXELS;
    extern __shared__ float4 shared[];
    float *const tiles_a = (float *)shared, *const tiles_b = tiles_a + STAGES * A_FLOATS;
    const unsigned filter_tile = blockIdx.x % plan.filter_tiles;
    const unsigned pixel_tile = blockIdx.x / plan.filter_tiles % plan.pixel_tiles;
    const unsigned split = blockIdx.x / plan.filter_tiles / plan.pixel_tiles;
    const unsigned first = (unsigned)((size_t)plan.stages * split / plan.splits);
    const unsigned end = (unsigned)((size_t)plan.stages * (split + 1) / plan.splits);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned row = warp % (FILTERS / WARP_FILTERS) * WARP_FILTERS + lane / 8 * 4;
    const unsigned column = warp / (FILTERS / WARP_FILTERS) * WARP_PIXELS + lane % 8 * 4;
    const unsigned filters = plan.filter_tiles * FILTERS;

    gatherer<PIXELS, THREADS, VECTOR> gather;
    begin_gather(&gather, call, plan, threadIdx.x, pixel_tile * PIXELS);
    const unsigned a_row = threadIdx.x / (FILTERS / 4);
    const unsigned a_column = threadIdx.x % (FILTERS / 4) * 4;
    const float *weights = plan.weights + weights_of_tile(call, plan, pixel_tile * PIXELS) +
                           ((size_t)first * GATHER_DEPTH + a_row) * filters +
                           filter_tile * FILTERS + a_column;

    overlap_launches();
    float sums[2][2][4][4] = {};
    unsigned reading = 0, writing = 0;
#pragma unroll 1
    for (unsigned stage = first; stage < end + STAGES - 1; stage++) {
        if (stage >= first + STAGES - 1) {
            __pipeline_wait_prior(STAGES - 2);
            __syncthreads(); /* the stage to read is complete; nobody reads the one to write */
        }
        if (stage < end) {
            float *const to = tiles_a + writing * A_FLOATS + a_row * FILTERS + a_column;
#pragma unroll
            for (unsigned i = 0; i < GATHER_DEPTH; i += THREADS / (FILTERS / 4))
                __pipeline_memcpy_async(to + i * FILTERS, weights + (size_t)i * filters, 16);
            weights += (size_t)GATHER_DEPTH * filters;
            gather_stage<UNIFORM>(gather, call, plan, tap_of_stage(plan, UNIFORM ? stage : 0),
                                  stage, tiles_b + writing * B_FLOATS, PIXELS);
        }
        __pipeline_commit();
        writing = writing + 1 == STAGES ? 0 : writing + 1;
        if (stage < first + STAGES - 1)
            continue;
        const float *const a = tiles_a + reading * A_FLOATS + row;
        const float *const b = tiles_b + reading * B_FLOATS + column;
#pragma unroll
        for (unsigned p = 0; p < GATHER_DEPTH; p++) {
            float x[2][4], y[2][4];
            load4(x[0], a + p * FILTERS);
            load4(x[1], a + p * FILTERS + 16);
            load4(y[0], b + p * PIXELS);
            load4(y[1], b + p * PIXELS + 32);
#pragma unroll
            for (unsigned i = 0; i < 2; i++)
#pragma unroll
                for (unsigned j = 0; j < 2; j++)
                    add_outer_product(sums[i][j], x[i], y[j]);
        }
        reading = reading + 1 == STAGES ? 0 : reading + 1;
    }
    float *output = call.output;
    if (plan.splits > 1)
        output = plan.parts + split * (size_t)plan.pixels * call.filters;
#pragma unroll
    for (unsigned i = 0; i < 2; i++)
#pragma unroll
        for (unsigned j = 0; j < 2; j++)
            store_pixels(call, plan, output, filter_tile * FILTERS + row + 16 * i,
                         pixel_tile * PIXELS + column + 32 * j, sums[i][j]);
}

static __global__ void pack_weights(const struct conv call, const struct gather_plan plan)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned filters = plan.filter_tiles * plan.tile_filters;
    const unsigned filter = (unsigned)(i % filters), row = (unsigned)(i / filters);
    const unsigned plane = (unsigned)(call.kernel_height * call.kernel_width);
    unsigned channel, tap;

    if (row >= plan.stages * GATHER_DEPTH)
        return;
    row_of(call, plan, row, &channel, &tap);
    plan.weights[i] = filter < call.filters && channel < call.channels
                          ? call.filter[((size_t)filter * call.channels + channel) * plane + tap]
                          : 0;
}

static struct gather_plan plan_of(const struct conv *call, bool may_split)
{
    return gather_plan_of(call, gather_tiles, GATHER_TILES, may_split);
}

static void prepare(const struct conv *call, bool may_split)
{
    static const unsigned BLOCK = 256;

    if (!has_outputs(call) || !has_products(call))
        return;
    const struct gather_plan plan = plan_of(call, may_split);
    const size_t weights =
        (size_t)plan.stages * GATHER_DEPTH * plan.filter_tiles * plan.tile_filters;
    pack_weights<<<(unsigned)divided_up(weights, BLOCK), BLOCK>>>(*call, plan);
    write_gather_taps(call, &plan);
}

template <unsigned FILTERS, unsigned PIXELS, unsigned RESIDENT, unsigned VECTOR, bool UNIFORM>
static void launch_as(const struct conv *call, const struct gather_plan &plan)
{
    const unsigned bytes = STAGES * GATHER_DEPTH * (FILTERS + PIXELS) * sizeof(float);
    const auto kernel = implicit_gemm_async<FILTERS, PIXELS, RESIDENT, VECTOR, UNIFORM>;

    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    launch_dependent(kernel, plan.filter_tiles * plan.pixel_tiles * plan.splits,
                     FILTERS * PIXELS / THREAD_SUMS, bytes, *call, plan);
}

template <unsigned FILTERS, unsigned PIXELS, unsigned RESIDENT>
static void launch_tiles(const struct conv *call, const struct gather_plan &plan)
{
    if (plan.vector == 4)
        launch_as<FILTERS, PIXELS, RESIDENT, 4, true>(call, plan);
    else if (plan.uniform)
        launch_as<FILTERS, PIXELS, RESIDENT, 1, true>(call, plan);
    else
        launch_as<FILTERS, PIXELS, RESIDENT, 1, false>(call, plan);
}

extern "C" void multiply_gathered(const struct conv *call, const struct gather_plan *plan)
{
    if (plan->tile_filters == 128)
        launch_tiles<128, 128, 2>(call, *plan);
    else if (plan->tile_filters == 64 && plan->resident == 4)
        launch_tiles<64, 128, 4>(call, *plan);
    else if (plan->tile_filters == 64)
        launch_tiles<64, 128, 3>(call, *plan);
    else
        launch_tiles<32, 128, 6>(call, *plan);
    if (plan->splits > 1)
        add_gather_parts(call, plan);
}

static void launch(const struct conv *call, bool may_split)
{
    if (!has_outputs(call) || !has_products(call)) {
        launch_conv_naive(call);
        return;
    }
    const struct gather_plan plan = plan_of(call, may_split);
    multiply_gathered(call, &plan);
}

extern "C" void prepare_implicit_gemm_async(const struct conv *call)
{
    prepare(call, false);
}

extern "C" void launch_implicit_gemm_async(const struct conv *call)
{
    launch(call, false);
}

extern "C" void prepare_implicit_gemm_split(const struct conv *call)
{
    prepare(call, true);
}

extern "C" void launch_implicit_gemm_split(const struct conv *call)
{
    launch(call, true);
}

extern "C" const char *declines_gather(const struct conv *call)
{
    return gather_declines(call);
}
