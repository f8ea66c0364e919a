/* Step 08, the general implicit product on Hopper's tensor cores, at nearly float32's accuracy. */
#include "gemm/parts/gather.cuh"
#include "kernel/overlap.cuh"
#include "kernel/wgmma.cuh"
#include "rungs.h"

/* Describes a tile without swizzle, for rows along k: blocks of 8 rows x 16 bytes, each contiguous.
 * The next 8 rows are 128 bytes further on, the next 16 bytes of k `k_bytes` further on. */
static __device__ uint64_t wgmma_blocks(const void *tile, unsigned k_bytes)
{
    const uint64_t eight_rows = 128;

    return (shared_address(tile) & 0x3FFFF) >> 4 | (uint64_t)(k_bytes >> 4) << 16 |
           eight_rows >> 4 << 32;
}

static const unsigned THREADS = 256, WARPGROUPS = THREADS / 128;
static const unsigned STAGES = 5, AHEAD = STAGES - 2;
static const unsigned K_STEP = 8; /* per instruction */
static const unsigned PROMOTE = 4;

/* Waits until the current stage is complete and no thread reads the one to write. */
static __device__ inline void wait_for_stage()
{
    __pipeline_wait_prior(AHEAD - 1);
    before_async_reads();
    __syncthreads();
}

/* Splits an input into two TF32 numbers: the mask keeps the 10 bits of fraction. */
static __device__ inline void split(float value, float *high, float *low)
{
    *high = __uint_as_float(__float_as_uint(value) & 0xFFFFE000);
    *low = value - *high;
}

template <unsigned N, unsigned GROUPS>
struct sizes {
    static const unsigned PIXELS = WARPGROUPS * GROUPS * 64, PITCH = PIXELS + 8;
    static const unsigned WEIGHTS = GATHER_DEPTH * N * 2, INPUTS = GATHER_DEPTH * PITCH;
};

/* A ring of stages in shared memory. */
struct ring {
    float *weights, *inputs;
    const float *weights_from; /* of the next stage, for this thread's copies */
    unsigned next, end;        /* stages along the rows of the im2col matrix */
    unsigned reading, writing; /* stages of the ring */
    int4 tap;                  /* of the next stage */
};

/* Starts the copies of the next stage, if there is one. */
template <unsigned N, unsigned GROUPS, unsigned VECTOR, bool UNIFORM>
static __device__ inline void
start_stage(struct ring *ring, const gatherer<sizes<N, GROUPS>::PIXELS, THREADS, VECTOR> &gather,
            const struct conv &call, const struct gather_plan &plan)
{
    typedef sizes<N, GROUPS> size;

    if (ring->next < ring->end) {
        float *const to = ring->weights + ring->writing * size::WEIGHTS + threadIdx.x * 4;
#pragma unroll
        for (unsigned i = 0; i < size::WEIGHTS; i += THREADS * 4)
            __pipeline_memcpy_async(to + i, ring->weights_from + i, 16);
        gather_stage<UNIFORM>(gather, call, plan, ring->tap, ring->next,
                              ring->inputs + ring->writing * size::INPUTS, size::PITCH);
    }
    __pipeline_commit();
    ring->weights_from += size::WEIGHTS;
    ring->writing = ring->writing + 1 == STAGES ? 0 : ring->writing + 1;
    ring->next++;
    if (UNIFORM)
        ring->tap = tap_of_stage<VECTOR>(call, plan, ring->next);
}

/* part = the products of step k of the ring's current stage, or part += these if `add`. */
template <unsigned N, unsigned GROUPS>
static __device__ inline void multiply_step(float (&part)[GROUPS][N / 2], float (&high)[GROUPS][4],
                                            float (&low)[GROUPS][4], const struct ring &ring,
                                            unsigned k, unsigned from, bool add)
{
    typedef sizes<N, GROUPS> size;
    const float *const a = ring.inputs + ring.reading * size::INPUTS + from;
    const float *const b = ring.weights + ring.reading * size::WEIGHTS;
    const uint64_t b_high = wgmma_blocks(b + k * K_STEP * N * 2, N * 16);
    const uint64_t b_low = wgmma_blocks(b + (k * 2 + 1) * K_STEP * N, N * 16);

    wgmma_wait<1>(); /* the products that use high and low are complete */
#pragma unroll
    for (unsigned g = 0; g < GROUPS; g++)
#pragma unroll
        for (unsigned i = 0; i < 4; i++)
            split(a[(k * K_STEP + i / 2 * 4) * size::PITCH + g * 64 + i % 2 * 8], &high[g][i],
                  &low[g][i]);
    wgmma_start();
#pragma unroll
    for (unsigned g = 0; g < GROUPS; g++) {
        multiply_tf32(part[g], low[g], b_high, add);
        multiply_tf32(part[g], high[g], b_low, true);
        multiply_tf32(part[g], high[g], b_high, true);
    }
    wgmma_commit();
}

/* Multiplies a stage. Between its products, it starts the copies of a later stage. */
template <unsigned N, unsigned GROUPS, unsigned VECTOR, bool UNIFORM>
static __device__ inline void
do_stage(float (&part)[GROUPS][N / 2], float (&high)[2][GROUPS][4], float (&low)[2][GROUPS][4],
         struct ring *ring, const gatherer<sizes<N, GROUPS>::PIXELS, THREADS, VECTOR> &gather,
         const struct conv &call, const struct gather_plan &plan, unsigned from, bool add)
{
    wait_for_stage();
    multiply_step<N, GROUPS>(part, high[0], low[0], *ring, 0, from, add);
    start_stage<N, GROUPS, VECTOR, UNIFORM>(ring, gather, call, plan);
    multiply_step<N, GROUPS>(part, high[1], low[1], *ring, 1, from, true);
    ring->reading = ring->reading + 1 == STAGES ? 0 : ring->reading + 1;
}

template <unsigned N, unsigned GROUPS>
static __device__ inline void add_part(float (&sums)[GROUPS][N / 2],
                                       const float (&part)[GROUPS][N / 2])
{
    wgmma_wait<0>();
#pragma unroll
    for (unsigned g = 0; g < GROUPS; g++)
#pragma unroll
        for (unsigned i = 0; i < N / 2; i++)
            sums[g][i] += part[g][i];
}

template <unsigned N, unsigned GROUPS, unsigned VECTOR, bool UNIFORM>
static __global__ void __launch_bounds__(THREADS, N *GROUPS > 64 ? 1 : 2)
    implicit_3xtf32(const struct conv call, const struct gather_plan plan)
{
    typedef sizes<N, GROUPS> size;
    extern __shared__ float4 shared[];
    const struct k_range range = range_of_block(call, plan);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    /* this lane's first pixel in the tile, and its first row of a step */
    const unsigned pixel = warp / 4 * GROUPS * 64 + warp % 4 * 16 + lane / 4;
    const unsigned from = lane % 4 * size::PITCH + pixel;

    gatherer<size::PIXELS, THREADS, VECTOR> gather;
    begin_gather(&gather, call, plan, threadIdx.x, range.group, range.pixel_tile * size::PIXELS);
    struct ring ring = {};
    ring.weights = (float *)shared;
    ring.inputs = ring.weights + STAGES * size::WEIGHTS;
    ring.next = range.first_stage;
    ring.end = range.end_stage;
    ring.weights_from = plan.weights + range.group * plan.weights_step +
                        ((size_t)range.filter_tile * plan.stages + ring.next) * size::WEIGHTS +
                        threadIdx.x * 4;

    overlap_launches();
    float sums[GROUPS][N / 2] = {}, part[GROUPS][N / 2];
    float high[2][GROUPS][4], low[2][GROUPS][4];
    unsigned left = ring.end - ring.next;
    if (UNIFORM)
        ring.tap = tap_of_stage<VECTOR>(call, plan, ring.next);
    for (unsigned i = 0; i < AHEAD; i++)
        start_stage<N, GROUPS, VECTOR, UNIFORM>(&ring, gather, call, plan);
#pragma unroll 1
    for (; left >= PROMOTE; left -= PROMOTE) {
#pragma unroll
        for (unsigned i = 0; i < PROMOTE; i++) {
            do_stage<N, GROUPS, VECTOR, UNIFORM>(part, high, low, &ring, gather, call, plan, from,
                                                 i > 0);
        }
        add_part<N, GROUPS>(sums, part);
    }
#pragma unroll 1
    for (; left > 0; left--) {
        do_stage<N, GROUPS, VECTOR, UNIFORM>(part, high, low, &ring, gather, call, plan, from,
                                             false);
        add_part<N, GROUPS>(sums, part);
    }

    const unsigned out_area = (unsigned)(call.out_height * call.out_width);
    const unsigned groups = (unsigned)call.groups;
    const unsigned first_filter = range.filter_tile * N + lane % 4 * 2;
    float *output = call.output;
    if (plan.splits > 1)
        output = plan.parts + range.split * (size_t)plan.pixels * call.filters;
#pragma unroll
    for (unsigned g = 0; g < GROUPS; g++)
#pragma unroll
        for (unsigned half = 0; half < 2; half++) {
            const unsigned p = range.pixel_tile * size::PIXELS + pixel + g * 64 + half * 8;
            const unsigned picture = p / out_area * groups + range.group;
            float *to = output + (picture * plan.filters + first_filter) * out_area + p % out_area;
            if (p >= plan.pixels)
                continue;
#pragma unroll
            for (unsigned n = 0; n < N / 8; n++, to += 8 * (size_t)out_area)
#pragma unroll
                for (unsigned f = 0; f < 2; f++)
                    if (first_filter + n * 8 + f < plan.filters)
                        to[f * (size_t)out_area] = sums[g][n * 4 + half * 2 + f];
        }
}

/* Splits the weights, with zeros in the padding. One thread per weight. */
static __global__ void split_weights(const struct conv call, const struct gather_plan plan)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned filters = plan.filter_tiles * plan.tile_filters;
    const unsigned rows = plan.stages * GATHER_DEPTH;
    const unsigned filter = (unsigned)(i % filters), row = (unsigned)(i / filters % rows);
    const size_t group = i / filters / rows;

    if (group < call.groups)
        store_in_two(plan.weights + group * plan.weights_step, plan, row, filter,
                     weight_of(call, plan, (unsigned)group, filter, row));
}

static struct gather_plan plan_of(const struct conv *call)
{
    return gather_plan_of(call, tensor_tiles, TENSOR_TILES, GATHER_TAP_ORDER | GATHER_SPLIT);
}

extern "C" void prepare_implicit_3xtf32(const struct conv *call)
{
    static const unsigned BLOCK = 256;

    if (is_empty(call))
        return;
    const struct gather_plan plan = plan_of(call);
    const size_t weights = call->groups * plan.weights_step / 2; /* two floats each */
    split_weights<<<(unsigned)divided_up(weights, BLOCK), BLOCK>>>(*call, plan);
    write_gather_taps(call, &plan);
}

template <unsigned N, unsigned GROUPS, unsigned VECTOR, bool UNIFORM>
static void launch_as(const struct conv *call, const struct gather_plan &plan)
{
    const unsigned bytes =
        STAGES * GATHER_DEPTH * (2 * N + WARPGROUPS * GROUPS * 64 + 8) * (unsigned)sizeof(float);
    const auto kernel = implicit_3xtf32<N, GROUPS, VECTOR, UNIFORM>;
    const unsigned blocks = blocks_for(*call, plan);

    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (blocks >
        2 * plan.resident * (unsigned)call->multiprocessors) /* as in gemm/parts/gathered_gemm.cu */
        launch_dependent(kernel, blocks, THREADS, bytes, *call, plan);
    else
        kernel<<<blocks, THREADS, bytes>>>(*call, plan);
}

template <unsigned N, unsigned GROUPS>
static void launch_tiles(const struct conv *call, const struct gather_plan &plan)
{
    if (plan.vector == 4)
        launch_as<N, GROUPS, 4, true>(call, plan);
    else if (plan.uniform)
        launch_as<N, GROUPS, 1, true>(call, plan);
    else
        launch_as<N, GROUPS, 1, false>(call, plan);
}

extern "C" void multiply_gathered_3xtf32(const struct conv *call, const struct gather_plan *plan)
{
    if (plan->tile_filters == 128)
        launch_tiles<128, 1>(call, *plan);
    else if (plan->tile_filters == 64 && plan->tile_pixels == 256)
        launch_tiles<64, 2>(call, *plan);
    else if (plan->tile_filters == 64)
        launch_tiles<64, 1>(call, *plan);
    else if (plan->tile_pixels == 256)
        launch_tiles<32, 2>(call, *plan);
    else
        launch_tiles<32, 1>(call, *plan);
    if (plan->splits > 1)
        add_gather_parts(call, plan);
}

extern "C" void launch_implicit_3xtf32(const struct conv *call)
{
    if (is_empty(call))
        return;
    const struct gather_plan plan = plan_of(call);
    multiply_gathered_3xtf32(call, &plan);
}

/* As depth_tensor for the sums of a chunk, plus one addition per chunk. */
extern "C" double depth_implicit_3xtf32(const struct conv *call)
{
    const double rows =
        (double)call->channels * (double)call->kernel_height * (double)call->kernel_width;
    const double chunks = rows / (GATHER_DEPTH * PROMOTE) + 1;

    return 32 + 3 * 24 * PROMOTE * GATHER_DEPTH / K_STEP + chunks + PROMOTE + 32;
}
/* SPDX-License-Identifier: MIT */
