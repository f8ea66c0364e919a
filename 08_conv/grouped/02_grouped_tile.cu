/* Step 08, grouped and depthwise convolution with 4 x 4 outputs per thread. */
#include "parts/conv_device.cuh"
#include "parts/conv_shape.h"
#include "rungs.h"

static const unsigned BLOCK = 128, ROWS = 4, COLUMNS = 4;

/* How the rows of inputs under a thread's outputs are loaded: in pieces of VECTOR floats. The first
 * piece begins LEAD floats before the first input, at a multiple of VECTOR. */
template <unsigned SIDE, unsigned STRIDE, unsigned VECTOR>
struct row_pieces {
    static const unsigned LEAD = (VECTOR - SIDE / 2 % VECTOR) % VECTOR;
    static const unsigned INPUTS = (COLUMNS - 1) * STRIDE + SIDE;
    static const unsigned PIECES = (LEAD + INPUTS + VECTOR - 1) / VECTOR;
};

template <unsigned VECTOR>
static __device__ inline void load_piece(float *to, const float *from)
{
    if (VECTOR == 4) {
        const float4 four = *(const float4 *)from;
        to[0] = four.x;
        to[1] = four.y;
        to[2 % VECTOR] = four.z;
        to[3 % VECTOR] = four.w;
    } else if (VECTOR == 2) {
        const float2 two = *(const float2 *)from;
        to[0] = two.x;
        to[1 % VECTOR] = two.y;
    } else {
        to[0] = *from;
    }
}

static __device__ inline void store_row(float *to, const float *sums, unsigned exist, bool vectors)
{
    if (vectors) {
        store4(to, sums);
        return;
    }
#pragma unroll
    for (unsigned i = 0; i < COLUMNS; i++)
        if (i < exist)
            to[i] = sums[i];
}

/* As `grouped`, but a thread computes 4 x 4 outputs.
 *
 * Better: a row of inputs is loaded once for four neighbours, 16 bytes at a time if the image's
 * width and padding allow that. A quarter of the threads compute their positions. Still bad: with
 * many channels in a group, an input is loaded again for each of the group's filters. */
template <unsigned SIDE, unsigned STRIDE, unsigned VECTOR>
static __global__ void __launch_bounds__(BLOCK, SIDE == 7 ? 3 : 4)
    grouped_tile(const struct conv call, unsigned across, unsigned down, unsigned threads)
{
    typedef row_pieces<SIDE, STRIDE, VECTOR> pieces;
    const unsigned out_width = (unsigned)call.out_width, out_height = (unsigned)call.out_height;
    const unsigned height = (unsigned)call.height, width = (unsigned)call.width;
    const unsigned filters = (unsigned)call.filters;
    const unsigned thread = blockIdx.x * BLOCK + threadIdx.x;
    const unsigned first_x = thread % across * COLUMNS, rest = thread / across;
    const unsigned first_y = rest % down * ROWS, plane = rest / down;
    const unsigned f = plane % filters, b = plane / filters;
    const unsigned group = f / (filters / (unsigned)call.groups);

    if (thread >= threads)
        return;
    const unsigned top = first_y * STRIDE - (unsigned)call.pad; /* may wrap around */
    const unsigned left = first_x * STRIDE - (unsigned)call.pad - pieces::LEAD;
    const float *weights = call.filter + (size_t)f * call.channels * SIDE * SIDE;
    const float *image =
        call.input + ((size_t)b * call.groups + group) * call.channels * height * width;
    float sums[ROWS][COLUMNS] = {};
#pragma unroll 1
    for (unsigned c = 0; c < call.channels; c++) {
        const float *from = image + (long)(int)top * (int)width + (int)left;
        float weight[SIDE][SIDE];
#pragma unroll
        for (unsigned i = 0; i < SIDE * SIDE; i++)
            weight[i / SIDE][i % SIDE] = weights[i];
#pragma unroll
        for (unsigned row = 0; row < (ROWS - 1) * STRIDE + SIDE; row++, from += width) {
            const unsigned y = top + row;
            float inputs[pieces::PIECES * VECTOR] = {};
#pragma unroll
            for (unsigned p = 0; p < pieces::PIECES; p++) {
                const unsigned x = left + p * VECTOR;
                if (y < height && x < width)
                    load_piece<VECTOR>(inputs + p * VECTOR, from + p * VECTOR);
            }
#pragma unroll
            for (unsigned i = 0; i < ROWS; i++)
                if (row >= i * STRIDE && row < i * STRIDE + SIDE) /* known when compiled */
#pragma unroll
                    for (unsigned s = 0; s < SIDE; s++)
#pragma unroll
                        for (unsigned j = 0; j < COLUMNS; j++)
                            sums[i][j] +=
                                inputs[pieces::LEAD + j * STRIDE + s] * weight[row - i * STRIDE][s];
        }
        weights += SIDE * SIDE;
        image += (size_t)height * width;
    }
    const bool vectors =
        out_width % COLUMNS == 0 && (size_t)call.output % (COLUMNS * sizeof(float)) == 0;
    float *to = call.output + ((size_t)plane * out_height + first_y) * out_width + first_x;
#pragma unroll
    for (unsigned i = 0; i < ROWS; i++, to += out_width)
        if (first_y + i < out_height)
            store_row(to, sums[i], out_width - first_x, vectors);
}

template <unsigned SIDE, unsigned STRIDE>
static void launch_stride(const struct conv *call)
{
    const unsigned across = (unsigned)divided_up(call->out_width, COLUMNS);
    const unsigned down = (unsigned)divided_up(call->out_height, ROWS);
    const unsigned threads = (unsigned)(call->batch * call->filters) * across * down;
    const unsigned blocks = (unsigned)divided_up(threads, BLOCK),
                   vector = input_vector_of_middle(call);

    if (vector == 4)
        grouped_tile<SIDE, STRIDE, 4><<<blocks, BLOCK>>>(*call, across, down, threads);
    else if (vector == 2)
        grouped_tile<SIDE, STRIDE, 2><<<blocks, BLOCK>>>(*call, across, down, threads);
    else
        grouped_tile<SIDE, STRIDE, 1><<<blocks, BLOCK>>>(*call, across, down, threads);
}

template <unsigned SIDE>
static void launch_side(const struct conv *call)
{
    if (call->stride_height == 1)
        launch_stride<SIDE, 1>(call);
    else
        launch_stride<SIDE, 2>(call);
}

extern "C" void launch_grouped_tile(const struct conv *call)
{
    if (!has_outputs(call))
        return;
    if (call->kernel_height == 3)
        launch_side<3>(call);
    else if (call->kernel_height == 5)
        launch_side<5>(call);
    else
        launch_side<7>(call);
}
/* SPDX-License-Identifier: MIT */
