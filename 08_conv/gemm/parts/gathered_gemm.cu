/* Step 08, the kernel of the rungs from implicit_gemm_async to implicit_gemm_split
 * (gemm/08_async.cu): the implicit product for any filter, stride, padding and dilation,
 * without divisions. */
#include "gemm/parts/gathered_tile.cuh"
#include "kernel/overlap.cuh"

/* The kernel's constants: a block's tile, blocks per SM, stages in shared memory, floats per copy
 * of inputs, whether stages are uniform. */
template <unsigned FILTERS_, unsigned PIXELS_, unsigned RESIDENT_, unsigned STAGES_,
          unsigned VECTOR_, bool UNIFORM_>
struct gemm_kind {
    static const unsigned FILTERS = FILTERS_, PIXELS = PIXELS_, RESIDENT = RESIDENT_;
    static const unsigned STAGES = STAGES_, VECTOR = VECTOR_;
    static const bool UNIFORM = UNIFORM_;
    static const unsigned THREADS = FILTERS * PIXELS / THREAD_SUMS;
    static const unsigned A_FLOATS = GATHER_DEPTH * FILTERS, B_FLOATS = GATHER_DEPTH * PIXELS;
    static const unsigned BYTES = STAGES * (A_FLOATS + B_FLOATS) * sizeof(float);
};

/* A block's part of the work, and the stages in shared memory. */
struct work {
    struct k_range range;
    unsigned next, end; /* stages along the rows of the im2col matrix */
    float *a, *b;
    unsigned reading, writing;
    const float *weights; /* the next weights that this thread copies */
    unsigned a_offset;    /* where they go in a tile of A */
    int4 tap;             /* of the next stage, if stages are uniform */
};

template <typename KIND>
static __device__ inline struct work begin_work(const struct conv &call,
                                                const struct gather_plan &plan, float *shared)
{
    const unsigned a_row = threadIdx.x / (KIND::FILTERS / 4);
    const unsigned a_column = threadIdx.x % (KIND::FILTERS / 4) * 4;
    struct work work = {};

    work.range = range_of_block(call, plan);
    work.next = work.range.first_stage;
    work.end = work.range.end_stage;
    work.a = shared;
    work.b = shared + KIND::STAGES * KIND::A_FLOATS;
    work.a_offset = a_row * KIND::FILTERS + a_column;
    work.weights = plan.weights + work.range.group * plan.weights_step +
                   ((size_t)work.next * GATHER_DEPTH + a_row) * plan.filter_tiles * KIND::FILTERS +
                   work.range.filter_tile * KIND::FILTERS + a_column;
    return work;
}

/* Starts the copies of the next stage, if there is one. */
template <typename KIND>
static __device__ inline void
start_stage(struct work *work, const gatherer<KIND::PIXELS, KIND::THREADS, KIND::VECTOR> &gather,
            const struct conv &call, const struct gather_plan &plan)
{
    constexpr unsigned ROWS = KIND::THREADS / (KIND::FILTERS / 4); /* of A, per copy of the block */
    const size_t filters = plan.filter_tiles * KIND::FILTERS;

    if (work->next < work->end) {
        float *const to = work->a + work->writing * KIND::A_FLOATS + work->a_offset;
#pragma unroll
        for (unsigned i = 0; i < GATHER_DEPTH; i += ROWS)
            __pipeline_memcpy_async(to + i * KIND::FILTERS, work->weights + i * filters, 16);
        work->weights += GATHER_DEPTH * filters;
        gather_stage<KIND::UNIFORM>(gather, call, plan, work->tap, work->next,
                                    work->b + work->writing * KIND::B_FLOATS, KIND::PIXELS);
    }
    __pipeline_commit();
    work->writing = work->writing + 1 == KIND::STAGES ? 0 : work->writing + 1;
    work->next++;
    if (KIND::UNIFORM)
        work->tap = tap_of_stage<KIND::VECTOR>(call, plan, work->next);
}

template <typename KIND>
static __global__ void __launch_bounds__(KIND::THREADS, KIND::RESIDENT)
    gathered_gemm(const struct conv call, const struct gather_plan plan)
{
    constexpr int AHEAD = KIND::STAGES - 1;
    constexpr unsigned ROW_WARPS = KIND::FILTERS / WARP_FILTERS;
    extern __shared__ float4 shared[];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned row = warp % ROW_WARPS * WARP_FILTERS + lane / 8 * 4;
    const unsigned column = warp / ROW_WARPS * WARP_PIXELS + lane % 8 * 4;
    struct work work = begin_work<KIND>(call, plan, (float *)shared);
    gatherer<KIND::PIXELS, KIND::THREADS, KIND::VECTOR> gather;

    begin_gather(&gather, call, plan, threadIdx.x, work.range.group,
                 work.range.pixel_tile * KIND::PIXELS);
    overlap_launches();
    if (KIND::UNIFORM)
        work.tap = tap_of_stage<KIND::VECTOR>(call, plan, work.next);
    float sums[2][2][4][4] = {};
#pragma unroll 1
    for (int i = 0; i < AHEAD; i++)
        start_stage<KIND>(&work, gather, call, plan);
#pragma unroll 1
    while (work.next < work.end + (unsigned)AHEAD) {
        __pipeline_wait_prior((unsigned)AHEAD - 1);
        __syncthreads(); /* the stage to read is complete; no thread reads the one to write */
        start_stage<KIND>(&work, gather, call, plan);
        multiply_stage<KIND::FILTERS, KIND::PIXELS>(
            sums, work.a + work.reading * KIND::A_FLOATS + row,
            work.b + work.reading * KIND::B_FLOATS + column);
        work.reading = work.reading + 1 == KIND::STAGES ? 0 : work.reading + 1;
    }
    float *output = call.output;
    if (plan.splits > 1)
        output = plan.parts + work.range.split * (size_t)plan.pixels * call.filters;
#pragma unroll
    for (unsigned i = 0; i < 2; i++)
#pragma unroll
        for (unsigned j = 0; j < 2; j++)
            store_pixels(call, plan, output, work.range.group,
                         work.range.filter_tile * KIND::FILTERS + row + 16 * i,
                         work.range.pixel_tile * KIND::PIXELS + column + 32 * j, sums[i][j]);
}

template <typename KIND>
static void launch_as(const struct conv *call, const struct gather_plan &plan)
{
    const auto kernel = gathered_gemm<KIND>;
    const unsigned blocks = blocks_for(*call, plan);

    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)KIND::BYTES);
    /* Blocks that start while the previous kernel still runs all go to the SMs that are free first.
     * With few waves, that imbalance costs more than the overlap gains. */
    if (blocks > 2 * KIND::RESIDENT * (unsigned)call->multiprocessors)
        launch_dependent(kernel, blocks, KIND::THREADS, KIND::BYTES, *call, plan);
    else
        kernel<<<blocks, KIND::THREADS, KIND::BYTES>>>(*call, plan);
}

template <unsigned FILTERS, unsigned PIXELS, unsigned RESIDENT>
static void launch_tiles(const struct conv *call, const struct gather_plan &plan)
{
    if (plan.vector == 4)
        launch_as<gemm_kind<FILTERS, PIXELS, RESIDENT, 3, 4, true>>(call, plan);
    else if (plan.uniform)
        launch_as<gemm_kind<FILTERS, PIXELS, RESIDENT, 3, 1, true>>(call, plan);
    else
        launch_as<gemm_kind<FILTERS, PIXELS, RESIDENT, 3, 1, false>>(call, plan);
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
/* SPDX-License-Identifier: MIT */
