/* What several of step 08's sources share. */
#ifndef CONV_DEVICE_CUH
#define CONV_DEVICE_CUH

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include "kernel/launch_limits.cuh"
#include "problem/conv/conv.h"

static inline size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t quotient_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

/* Whether there is an output to compute, and a picture and weights to compute it from. Where there
 * is an output but no product, it is 0, which launch_conv_naive sees to. */
static inline bool has_outputs(const struct conv *call)
{
    return call->batch * call->filters * call->out_height * call->out_width > 0;
}

static inline bool has_products(const struct conv *call)
{
    return call->channels * call->height * call->width * call->kernel_height * call->kernel_width >
           0;
}

/* What a thread copies of one channel of an input tile, VECTOR floats a piece. Where the pieces lie
 * is the same in every channel, so it is computed once. What lies outside the picture is never
 * copied: it is set to 0 once in each place that a tile may take. */
template <unsigned COPIES, unsigned VECTOR>
struct tile_copies {
    unsigned from[COPIES]; /* floats past the channel's first; wraps around where outside */
    unsigned to[COPIES];   /* floats past the tile's first */
    unsigned inside;       /* a bit for each piece */
    unsigned tile;         /* a bit for each piece that is part of the tile */
};

/* The tile has rows x columns floats, `pitch` from row to row, and begins at (top, left) of the
 * picture. Sizes are those that conv_declines_3x3 lets through. */
template <unsigned COPIES, unsigned VECTOR>
static __device__ inline void plan_tile(tile_copies<COPIES, VECTOR> *plan, const struct conv &call,
                                        unsigned rows, unsigned columns, unsigned pitch, int top,
                                        int left)
{
    const unsigned pieces = (columns + VECTOR - 1) / VECTOR; /* in a row */
    const unsigned height = (unsigned)call.height, width = (unsigned)call.width;

    plan->inside = plan->tile = 0;
#pragma unroll
    for (unsigned i = 0; i < COPIES; i++) {
        const unsigned piece = threadIdx.x + i * blockDim.x;
        const unsigned row = piece / pieces, column = piece % pieces * VECTOR;
        const unsigned y = (unsigned)top + row, x = (unsigned)left + column;

        plan->to[i] = row * pitch + column;
        plan->from[i] = y * width + x;
        if (row >= rows)
            continue;
        plan->tile |= 1U << i;
        if (y < height && x < width) /* not so if it wraps around below 0 */
            plan->inside |= 1U << i;
    }
}

template <unsigned COPIES, unsigned VECTOR>
static __device__ inline void clear_outside(const tile_copies<COPIES, VECTOR> &plan, float *tile)
{
#pragma unroll
    for (unsigned i = 0; i < COPIES; i++)
        if ((plan.tile & ~plan.inside) >> i & 1)
            for (unsigned v = 0; v < VECTOR; v++)
                tile[plan.to[i] + v] = 0;
}

/* The same address, though the compiler no longer knows which array it is in. Where it knows, it
 * computes a shared array's address anew for every copy behind a condition, out of a special
 * register that takes long to read. */
static __device__ inline float *opaque(float *address)
{
#ifdef __CUDA_ARCH__
    asm("" : "+l"(address));
#endif
    return address;
}

/* Starts the copies of one channel. */
template <unsigned COPIES, unsigned VECTOR>
static __device__ inline void copy_tile(const tile_copies<COPIES, VECTOR> &plan,
                                        const float *channel, float *tile)
{
#pragma unroll
    for (unsigned i = 0; i < COPIES; i++)
        if (plan.inside >> i & 1)
            __pipeline_memcpy_async(tile + plan.to[i], channel + plan.from[i],
                                    VECTOR * sizeof(float));
}

/* Starts to copy FLOATS floats, 16 bytes at a time. */
template <unsigned FLOATS, unsigned THREADS>
static __device__ inline void copy_floats(const float *from, float *to)
{
#pragma unroll
    for (unsigned i = 0; i < FLOATS; i += 4 * THREADS)
        if (FLOATS % (4 * THREADS) == 0 || i + 4 * threadIdx.x < FLOATS)
            __pipeline_memcpy_async(to + i + 4 * threadIdx.x, from + i + 4 * threadIdx.x,
                                    4 * sizeof(float));
}

/* How many floats of the input one copy can take: 4, 2 or 1. Rows, and a tile's first column less
 * the padding, must be whole vectors from the start of the picture. */
static inline unsigned input_vector(const struct conv *call)
{
    const size_t places = (size_t)call->input / sizeof(float) | call->width | call->pad;
    return places % 4 == 0 ? 4 : places % 2 == 0 ? 2 : 1;
}

/* Two or four neighbours in one store, at an address divisible by their size. As plain assignments
 * beside a branch that stores one by one, both branches become the same stores of one, which ncu
 * shows and the source does not: a warp whose lanes store 4 bytes 16 apart touches each sector four
 * times. */
static __device__ inline void store2(float *to, float first, float second)
{
    __stcg((float2 *)to, make_float2(first, second));
}

static __device__ inline void store4(float *to, const float *from)
{
    __stcg((float4 *)to, make_float4(from[0], from[1], from[2], from[3]));
}

/* Filters of 3 x 3, one place on at a time, in pictures of less than 2^31 floats. */
static inline const char *conv_declines_3x3(const struct conv *call)
{
    if (call->kernel_height != 3 || call->kernel_width != 3 || call->stride != 1 ||
        call->dilation != 1)
        return "only 3x3, stride 1, dilation 1";
    if (call->height >= (size_t)1 << 30 || call->width >= (size_t)1 << 30 ||
        call->pad >= (size_t)1 << 20 || call->height * call->width >= (size_t)1 << 31)
        return "pictures too large";
    return NULL;
}

/* Launches that this GPU, or any, refuses. */
static inline const char *conv_declines_launch(size_t blocks, size_t shared_bytes)
{
    if (!grid_may_have(blocks))
        return "more blocks than a launch may have";
    return block_may_have(shared_bytes) ? NULL : "a block has no room in shared memory";
}

extern "C" void launch_conv_naive(const struct conv *call);

#endif
