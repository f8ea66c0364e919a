/* Step 08 on the host: the definition, and the classic way to use a library's matrix product for a
 * convolution. */
#include "cpu/cpu.h"

#include <stdint.h>
#include <string.h>

#include "library/openblas.h"
#include "problem/gemm/gemm.h"

/* Which outputs [*first, *last) of a row have a tap inside the image. */
static void columns_inside(const struct conv *call, size_t tap, size_t *first, size_t *last)
{
    const size_t shift = tap * call->dilation, end = call->width + call->pad;

    *first =
        shift >= call->pad ? 0 : (call->pad - shift + call->stride_width - 1) / call->stride_width;
    *last = shift >= end ? 0 : (end - shift - 1) / call->stride_width + 1;
    if (*last > call->out_width)
        *last = call->out_width;
}

/* The definition, with x as the innermost loop: neighbouring outputs, neighbouring inputs and one
 * weight. The loop's bounds leave out the outputs for which the tap is left or right of the image.
 *
 * Still bad: it runs on one thread, and each product loads and stores a sum. */
void run_cpu_loops(const struct conv *call)
{
    for (size_t b = 0; b < call->batch; b++)
        for (size_t f = 0; f < call->filters; f++)
            for (size_t y = 0; y < call->out_height; y++) {
                float *const sums =
                    call->output +
                    ((b * call->filters + f) * call->out_height + y) * call->out_width;
                const float *weight =
                    call->filter + f * call->channels * call->kernel_height * call->kernel_width;
                const size_t group = f / (call->filters / call->groups);
                const size_t first_channel = (b * call->groups + group) * call->channels;

                for (size_t x = 0; x < call->out_width; x++)
                    sums[x] = 0;
                for (size_t c = 0; c < call->channels; c++)
                    for (size_t r = 0; r < call->kernel_height; r++) {
                        const size_t in_y =
                            y * call->stride_height + r * call->dilation - call->pad;
                        const float *const row =
                            call->input + ((first_channel + c) * call->height + in_y) * call->width;
                        for (size_t s = 0; s < call->kernel_width; s++, weight++) {
                            size_t first, last;
                            columns_inside(call, s, &first, &last);
                            if (in_y >= call->height)
                                continue;
                            for (size_t x = first; x < last; x++)
                                sums[x] +=
                                    *weight *
                                    row[x * call->stride_width + s * call->dilation - call->pad];
                        }
                    }
            }
}

/* Limits the time to seconds instead of minutes. */
const char *cpu_loops_decline(const struct conv *call)
{
    const double products = (double)call->batch * (double)call->filters * (double)call->out_height *
                            (double)call->out_width * (double)call->channels *
                            (double)call->kernel_height * (double)call->kernel_width;

    return products > 0x1p33 ? "would take too long on one core" : NULL;
}

/* Fills one row of the matrix: the inputs under one tap, for `rows` output rows from `first`. */
static void fill_row(const struct conv *call, const float *image, size_t r, size_t s, size_t first,
                     size_t rows, float *to)
{
    size_t begin, end;

    columns_inside(call, s, &begin, &end);
    for (size_t y = first; y < first + rows; y++, to += call->out_width) {
        const size_t in_y = y * call->stride_height + r * call->dilation - call->pad;
        memset(to, 0, call->out_width * sizeof *to);
        if (in_y >= call->height)
            continue;
        const float *const row = image + in_y * call->width;
        for (size_t x = begin; x < end; x++)
            to[x] = row[x * call->stride_width + s * call->dilation - call->pad];
    }
}

/* Copies the inputs of every output to a matrix, taps x pixels, then multiplies: filters x taps by
 * taps x pixels. It converts a few rows of the image at a time, as many as fit in the workspace as
 * a matrix.
 *
 * Better: OpenBLAS makes the best of registers, caches, vectors and threads. Still bad: the matrix
 * is as many times larger than the image as a filter has taps, and one thread copies it. */
void run_cpu_im2col(const struct conv *call)
{
    const size_t taps = call->channels * call->kernel_height * call->kernel_width;
    const size_t out_area = call->out_height * call->out_width;
    float *const matrix = call->workspace;
    const size_t row_floats = taps * call->out_width;
    const size_t room = call->workspace_bytes / sizeof *matrix;
    const size_t at_once = row_floats == 0 || room / row_floats > call->out_height
                               ? call->out_height
                               : room / row_floats;

    if (at_once == 0) { /* not even one row fits, or there are no rows */
        run_cpu_loops(call);
        return;
    }
    for (size_t b = 0; b < call->batch; b++)
        for (size_t y = 0; y < call->out_height; y += at_once) {
            const size_t rows = call->out_height - y < at_once ? call->out_height - y : at_once;
            const size_t columns = rows * call->out_width;
            float *to = matrix;
            for (size_t c = 0; c < call->channels; c++)
                for (size_t r = 0; r < call->kernel_height; r++)
                    for (size_t s = 0; s < call->kernel_width; s++, to += columns)
                        fill_row(call,
                                 call->input +
                                     (b * call->channels + c) * call->height * call->width,
                                 r, s, y, rows, to);

            const struct gemm gemm = {
                .m = call->filters,
                .n = columns,
                .k = taps,
                .alpha = 1,
                .a = call->filter,
                .lda = taps,
                .b = matrix,
                .ldb = columns,
                .c = call->output + b * call->filters * out_area + y * call->out_width,
                .ldc = out_area,
                .threads = call->threads,
            };
            openblas_gemm(&gemm);
        }
}

void cpu_im2col_how(const struct conv *call, char text[RUNG_HOW_SIZE])
{
    const struct gemm gemm = {.threads = call->threads};

    openblas_gemm_how(&gemm, text);
}
/* SPDX-License-Identifier: MIT */
