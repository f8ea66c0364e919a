/* Step 08, convolution as a matrix product with the im2col matrix in memory. */
#include "parts/conv_device.cuh"
#include "problem/gemm/gemm.h"
#include "rungs.h"

/* Step 07's matrix product, which is also compiled into this step. */
extern "C" void launch_async_copies(const struct gemm *call);

static const unsigned BLOCK = 256;

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
 * time, or for fewer pixels if the workspace has no room for an image.
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

    if (is_empty(call))
        return;
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

extern "C" const char *declines_im2col(const struct conv *call)
{
    const size_t taps = call->channels * call->kernel_height * call->kernel_width;

    if (conv_declines_empty(call) != NULL)
        return conv_declines_empty(call);
    return (call->workspace_bytes - GEMM_WORKSPACE) / sizeof(float) < taps
               ? "the inputs of an output do not fit in the workspace"
               : NULL;
}
/* SPDX-License-Identifier: MIT */
