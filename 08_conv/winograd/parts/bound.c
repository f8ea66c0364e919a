#include "winograd/parts/bound.h"

#include <math.h>

double winograd_depth(const struct conv *call)
{
    return (double)call->channels + 9;
}

double winograd4_depth(const struct conv *call)
{
    return (double)call->channels + (call->kernel_height == 3 ? 26 : 32);
}

double winograd_3xtf32_depth(const struct conv *call)
{
    const double chunk = 64; /* products summed by tensor cores before a float32 addition */

    return winograd4_depth(call) + 32 + 24 * 3 * chunk / 8;
}

/* The absolute values of Winograd's matrices: winograd/parts/bound.h. */
enum { LARGEST_PATCH = 8, LARGEST_SIDE = 5 };

struct transforms {
    size_t tile, side, patch; /* outputs, taps and inputs, per dimension */
    double b[LARGEST_PATCH][LARGEST_PATCH], g[LARGEST_PATCH][LARGEST_SIDE], a[4][LARGEST_PATCH];
};

static const struct transforms winograd_2 = {
    .tile = 2,
    .side = 3,
    .patch = 4,
    .b = {{1, 0, 1, 0}, {0, 1, 1, 0}, {0, 1, 1, 0}, {0, 1, 0, 1}},
    .g = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0, 0, 1}},
    .a = {{1, 1, 1, 0}, {0, 1, 1, 1}},
};

static const struct transforms winograd_4 = {
    .tile = 4,
    .side = 3,
    .patch = 6,
    .b = {{4, 0, 5, 0, 1, 0},
          {0, 4, 4, 1, 1, 0},
          {0, 4, 4, 1, 1, 0},
          {0, 2, 1, 2, 1, 0},
          {0, 2, 1, 2, 1, 0},
          {0, 4, 0, 5, 0, 1}},
    .g = {{1.0 / 4, 0, 0},
          {1.0 / 6, 1.0 / 6, 1.0 / 6},
          {1.0 / 6, 1.0 / 6, 1.0 / 6},
          {1.0 / 24, 1.0 / 12, 1.0 / 6},
          {1.0 / 24, 1.0 / 12, 1.0 / 6},
          {0, 0, 1}},
    .a = {{1, 1, 1, 1, 1, 0}, {0, 1, 1, 2, 2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, 1, 8, 8, 1}},
};

static const struct transforms winograd_4_of_5 = {
    .tile = 4,
    .side = 5,
    .patch = 8,
    .b = {{1, 0, 5.25, 0, 5.25, 0, 1, 0},
          {0, 1, 1, 4.25, 4.25, 1, 1, 0},
          {0, 1, 1, 4.25, 4.25, 1, 1, 0},
          {0, 0.5, 0.25, 2.5, 1.25, 2, 1, 0},
          {0, 0.5, 0.25, 2.5, 1.25, 2, 1, 0},
          {0, 2, 4, 2.5, 5, 0.5, 1, 0},
          {0, 2, 4, 2.5, 5, 0.5, 1, 0},
          {0, 1, 0, 5.25, 0, 5.25, 0, 1}},
    .g = {{1, 0, 0, 0, 0},
          {2.0 / 9, 2.0 / 9, 2.0 / 9, 2.0 / 9, 2.0 / 9},
          {2.0 / 9, 2.0 / 9, 2.0 / 9, 2.0 / 9, 2.0 / 9},
          {1.0 / 90, 2.0 / 90, 4.0 / 90, 8.0 / 90, 16.0 / 90},
          {1.0 / 90, 2.0 / 90, 4.0 / 90, 8.0 / 90, 16.0 / 90},
          {32.0 / 45, 16.0 / 45, 8.0 / 45, 4.0 / 45, 2.0 / 45},
          {32.0 / 45, 16.0 / 45, 8.0 / 45, 4.0 / 45, 2.0 / 45},
          {0, 0, 0, 0, 1}},
    .a = {{1, 1, 1, 1, 1, 1, 1, 0},
          {0, 1, 1, 2, 2, 0.5, 0.5, 0},
          {0, 1, 1, 4, 4, 0.25, 0.25, 0},
          {0, 1, 1, 8, 8, 0.125, 0.125, 1}},
};

/* Replaces |d|, a tile in one channel, by |B^T| |d| |B|. */
static void transform_patch(const struct transforms *t, double d[LARGEST_PATCH][LARGEST_PATCH])
{
    double half[LARGEST_PATCH][LARGEST_PATCH] = {{0}};

    for (size_t i = 0; i < t->patch; i++)
        for (size_t r = 0; r < t->patch; r++)
            for (size_t s = 0; s < t->patch; s++)
                half[i][s] += t->b[i][r] * d[r][s];
    for (size_t i = 0; i < t->patch; i++)
        for (size_t j = 0; j < t->patch; j++) {
            d[i][j] = 0;
            for (size_t s = 0; s < t->patch; s++)
                d[i][j] += t->b[j][s] * half[i][s];
        }
}

/* |G| |g| |G^T| of a filter in one channel. */
static void transform_filter(const struct transforms *t, const float *filter,
                             double g[LARGEST_PATCH][LARGEST_PATCH])
{
    double half[LARGEST_PATCH][LARGEST_SIDE] = {{0}};

    for (size_t i = 0; i < t->patch; i++)
        for (size_t r = 0; r < t->side; r++)
            for (size_t s = 0; s < t->side; s++)
                half[i][s] += t->g[i][r] * fabs((double)filter[r * t->side + s]);
    for (size_t i = 0; i < t->patch; i++)
        for (size_t j = 0; j < t->patch; j++) {
            g[i][j] = 0;
            for (size_t s = 0; s < t->side; s++)
                g[i][j] += t->g[j][s] * half[i][s];
        }
}

/* The input under the first number of an output's tile. The outputs of a tile are `dilation`
 * apart. */
static size_t tile_begin(const struct conv *call, const struct transforms *t, size_t tile)
{
    const size_t phase = tile % call->dilation, number = tile / call->dilation;
    return number / t->tile * t->tile * call->dilation + phase - call->pad;
}

/* The element of |A^T| [(|G| |g| |G^T|) . (|B^T| |d| |B|)] |A| for a pixel, summed over the
 * channels. It is 0 unless the filter has the transform's size and stride 1. */
static double magnitude(const struct conv *call, const struct transforms *t,
                        struct conv_pixel pixel)
{
    const size_t taps = t->side * t->side, image = call->height * call->width;
    const size_t top = tile_begin(call, t, pixel.y), left = tile_begin(call, t, pixel.x);
    const double *const row = t->a[pixel.y / call->dilation % t->tile];
    const double *const column = t->a[pixel.x / call->dilation % t->tile];
    const float *filter = call->filter + pixel.filter * call->channels * taps;
    double sum = 0;

    if (call->kernel_height != t->side || call->kernel_width != t->side ||
        call->stride_height != 1 || call->stride_width != 1)
        return 0;
    const float *input = call->input + pixel.batch * call->channels * image;
    for (size_t c = 0; c < call->channels; c++, filter += taps, input += image) {
        double d[LARGEST_PATCH][LARGEST_PATCH] = {{0}}, g[LARGEST_PATCH][LARGEST_PATCH];

        for (size_t r = 0; r < t->patch; r++)
            for (size_t s = 0; s < t->patch; s++) {
                const size_t y = top + r * call->dilation, x = left + s * call->dilation;
                if (y < call->height && x < call->width)
                    d[r][s] = fabs((double)input[y * call->width + x]);
            }
        transform_patch(t, d);
        transform_filter(t, filter, g);
        for (size_t i = 0; i < t->patch; i++)
            for (size_t j = 0; j < t->patch; j++)
                sum += row[i] * column[j] * d[i][j] * g[i][j];
    }
    return sum;
}

double winograd_magnitude(const struct conv *call, const struct conv_pixel *pixel)
{
    return magnitude(call, &winograd_2, *pixel);
}

double winograd4_magnitude(const struct conv *call, const struct conv_pixel *pixel)
{
    return magnitude(call, call->kernel_height == 3 ? &winograd_4 : &winograd_4_of_5, *pixel);
}
/* SPDX-License-Identifier: MIT */
