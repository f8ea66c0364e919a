#include "../windows.h"

#include <math.h>

void convolve(const float *in, const float *weights, float *out, int images, int filters,
              const struct shape *shape);
GRADE_ON_GPU_ONLY void rung_implicit_gemm(const float *in, const float *weights, float *out,
                                          int images, int filters, const struct shape *shape);

struct call {
    struct shape shape;
    const float *in, *weights;
    float *out;
    int images, filters;
    bool timed;
};

static void answer(void *data)
{
    const struct call *const call = data;
    convolve(call->in, call->weights, call->out, call->images, call->filters, &call->shape);
}

static void rung(void *data)
{
    const struct call *const call = data;
    rung_implicit_gemm(call->in, call->weights, call->out, call->images, call->filters,
                       &call->shape);
}

static void run(void *arguments)
{
    const struct call *const call = arguments;
    const struct shape *const shape = &call->shape;
    const size_t in_bytes =
        (size_t)(call->images * shape->channels * shape->height * shape->width) * sizeof(float);
    const size_t bytes =
        (size_t)(call->filters * call->images * shape->out_height * shape->out_width) *
        sizeof(float);
    struct call device = *call;

    device.in = grade_to_device(call->in, in_bytes);
    device.weights =
        grade_to_device(call->weights, (size_t)(call->filters * rows_of(shape)) * sizeof(float));
    device.out = grade_to_device(NULL, bytes);
    if (call->timed) {
        grade_time(answer, rung, &device);
        device.out = grade_to_device(NULL, bytes); /* without anything that the rung wrote */
    }
    answer(&device);
    grade_from_device(call->out, device.out, bytes);
}

/* If there are very many pixels, about 130 of them are compared. */
static bool try_filters(struct grade *grade, struct shape shape, int images, int filters,
                        bool timed)
{
    const int plane = shape.channels * shape.height * shape.width,
              pixels = shape.out_height * shape.out_width, rows = rows_of(&shape),
              step = images * pixels > 4096 ? images * pixels / 128 | 1 : 1;
    struct call call = {shape,
                        grade_floats(grade, (size_t)(images * plane)),
                        grade_floats(grade, (size_t)(filters * rows)),
                        grade_output(grade, (size_t)(filters * images * pixels) * sizeof(float)),
                        images,
                        filters,
                        timed};

    if (!grade_run(grade, run, &call))
        return false;
    for (int f = 0; f < filters; f++)
        for (int p = 0; p < images * pixels; p += step) {
            double want = 0, size = 0;
            for (int k = 0; k < rows; k++) {
                const double product =
                    (double)call.weights[f * rows + k] *
                    (double)patch(&shape, call.in + p / pixels * plane, k, p % pixels);
                want += product;
                size += fabs(product);
            }
            if (!grade_close(
                    grade,
                    grade_text(grade,
                               "%d images, %d channels, window %d x %d, stride %d, padding %d, "
                               "dilation %d, filter %d, pixel %d",
                               images, shape.channels, shape.window_height, shape.window_width,
                               shape.stride, shape.padding, shape.dilation, f, p),
                    (long)f * images * pixels + p, call.out[f * images * pixels + p], want,
                    (rows + 1) * 0x1p-24 * size))
                return false;
        }
    return true;
}

static bool try_shape(struct grade *grade, struct shape shape, int images)
{
    return try_filters(grade, shape, images, (int)grade_size(grade, 1, 5), false);
}

static void test_one(struct grade *grade)
{
    struct shape shape = random_shape(grade, 1, 0, 1);

    shape.window_height = shape.window_width = 1;
    shape.out_height = shape.height;
    shape.out_width = shape.width;
    try_shape(grade, shape, 1);
}

static void test_window(struct grade *grade)
{
    try_shape(grade, random_shape(grade, 1, 0, 1), 1);
}

static void test_extras(struct grade *grade)
{
    if (try_shape(grade, random_shape(grade, 1, 1, 1), 1))
        try_shape(grade, random_shape(grade, 2, 2, 2), 1);
}

static void test_batch(struct grade *grade)
{
    if (try_shape(grade, random_shape(grade, 1, 1, 1), (int)grade_size(grade, 2, 3)))
        try_shape(grade, random_shape(grade, 2, 1, 1), (int)grade_size(grade, 2, 3));
}

static void test_speed(struct grade *grade)
{
    const struct shape shape = {64, 56, 56, 3, 3, 1, 1, 1, 56, 56};
    if (try_filters(grade, shape, 8, 64, true))
        grade_speed(grade, "the rung implicit_gemm", 0.80, 0.50);
}

const char grade_title[] = "implicit GEMM indices";
const struct grade_test grade_tests[] = {
    {"windows of 1 x 1", GRADE_RESULT, test_one},
    {"larger windows", GRADE_RESULT, test_window},
    {"padding, stride, dilation", GRADE_RESULT, test_extras},
    {"batches", GRADE_RESULT, test_batch},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
    {"speed", GRADE_SPEED, test_speed},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
