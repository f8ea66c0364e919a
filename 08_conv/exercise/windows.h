/* How the exercises of step 08 are graded: with random shapes of a convolution, and the inputs that
 * its windows see. */
#ifndef RUNGS_CHECK_WINDOWS_H
#define RUNGS_CHECK_WINDOWS_H

#include "grade.h"
#include "shape.h"

static int rows_of(const struct shape *shape)
{
    return shape->channels * shape->window_height * shape->window_width;
}

static int out_size(int size, int window, const struct shape *shape)
{
    return (size + 2 * shape->padding - shape->dilation * (window - 1) - 1) / shape->stride + 1;
}

static struct shape random_shape(struct grade *grade, int stride, int padding, int dilation)
{
    struct shape shape = {(int)grade_size(grade, 1, 4),
                          (int)grade_size(grade, 7, 15),
                          (int)grade_size(grade, 16, 40),
                          (int)grade_size(grade, 2, 3),
                          (int)grade_size(grade, 1, 4),
                          stride,
                          padding,
                          dilation,
                          0,
                          0};
    shape.out_height = out_size(shape.height, shape.window_height, &shape);
    shape.out_width = out_size(shape.width, shape.window_width, &shape);
    return shape;
}

/* The element of the patch matrix in row k, for output pixel p. */
static float patch(const struct shape *shape, const float *in, int k, int p)
{
    const int window = shape->window_height * shape->window_width;
    const int r = k % window / shape->window_width, s = k % window % shape->window_width;
    const int y = p / shape->out_width * shape->stride - shape->padding + r * shape->dilation;
    const int x = p % shape->out_width * shape->stride - shape->padding + s * shape->dilation;

    if (y < 0 || y >= shape->height || x < 0 || x >= shape->width)
        return 0;
    return in[(k / window * shape->height + y) * shape->width + x];
}

#endif
