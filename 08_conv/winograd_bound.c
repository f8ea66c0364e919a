#include "winograd_bound.h"

#include <math.h>

double winograd_depth(const struct conv *call)
{
    return (double)call->channels + 9;
}

double winograd4_depth(const struct conv *call)
{
    return (double)call->channels + 26;
}

/* The absolute values of Winograd's matrices for tiles of 2 and of 4 outputs: winograd_bound.h. */
enum { LARGEST_PATCH = 6 };

struct transforms {
    size_t tile, patch; /* outputs and inputs of a tile, per dimension */
    double b[LARGEST_PATCH][LARGEST_PATCH], g[LARGEST_PATCH][3], a[4][LARGEST_PATCH];
};

static const struct transforms winograd_2 = {
    .tile = 2,
    .patch = 4,
    .b = {{1, 0, 1, 0}, {0, 1, 1, 0}, {0, 1, 1, 0}, {0, 1, 0, 1}},
    .g = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0, 0, 1}},
    .a = {{1, 1, 1, 0}, {0, 1, 1, 1}},
};

static const struct transforms winograd_4 = {
    .tile = 4,
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

/* The element of |A^T| [(|G| |g| |G^T|) . (|B^T| |d| |B|)] |A| for a pixel, summed over the
 * channels; 0 unless the filter is 3 x 3 at stride 1. */
static double magnitude(const struct conv *call, const struct transforms *t,
                        struct conv_pixel pixel)
{
    const size_t taps = 9, image = call->height * call->width;
    const size_t top = pixel.y / t->tile * t->tile - call->pad;
    const size_t left = pixel.x / t->tile * t->tile - call->pad;
    const double *const row = t->a[pixel.y % t->tile], *const column = t->a[pixel.x % t->tile];
    const float *filter = call->filter + pixel.filter * call->channels * taps;
    double sum = 0;

    if (call->kernel_height != 3 || call->kernel_width != 3 || call->stride_height != 1 ||
        call->stride_width != 1 || call->dilation != 1)
        return 0;
    const float *input = call->input + pixel.batch * call->channels * image;
    for (size_t c = 0; c < call->channels; c++, filter += taps, input += image) {
        double d[LARGEST_PATCH][LARGEST_PATCH] = {{0}};

        for (size_t r = 0; r < t->patch; r++)
            for (size_t s = 0; s < t->patch; s++)
                if (top + r < call->height && left + s < call->width)
                    d[r][s] = fabs((double)input[(top + r) * call->width + left + s]);
        transform_patch(t, d);
        for (size_t i = 0; i < t->patch; i++)
            for (size_t j = 0; j < t->patch; j++) {
                double weight = 0;
                for (size_t tap = 0; tap < taps; tap++)
                    weight += t->g[i][tap / 3] * t->g[j][tap % 3] * fabs((double)filter[tap]);
                sum += row[i] * column[j] * d[i][j] * weight;
            }
    }
    return sum;
}

double winograd_magnitude(const struct conv *call, const struct conv_pixel *pixel)
{
    return magnitude(call, &winograd_2, *pixel);
}

double winograd4_magnitude(const struct conv *call, const struct conv_pixel *pixel)
{
    return magnitude(call, &winograd_4, *pixel);
}
