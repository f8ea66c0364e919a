#include "../windows.h"

void im2col(const float *in, float *matrix, const struct shape *shape);

struct call {
    struct shape shape;
    const float *in;
    float *matrix;
};

static void run(void *arguments)
{
    const struct call *const call = arguments;
    const struct shape *const shape = &call->shape;
    const size_t in_bytes =
        (size_t)(shape->channels * shape->height * shape->width) * sizeof(float);
    const size_t bytes =
        (size_t)(rows_of(shape) * shape->out_height * shape->out_width) * sizeof(float);
    float *const matrix = grade_to_device(NULL, bytes);

    im2col(grade_to_device(call->in, in_bytes), matrix, shape);
    grade_from_device(call->matrix, matrix, bytes);
}

static bool try_shape(struct grade *grade, int stride, int padding, int dilation)
{
    const struct shape shape = random_shape(grade, stride, padding, dilation);
    const int pixels = shape.out_height * shape.out_width;
    struct call call = {shape,
                        grade_floats(grade, (size_t)(shape.channels * shape.height * shape.width)),
                        grade_output(grade, (size_t)(rows_of(&shape) * pixels) * sizeof(float))};

    if (!grade_run(grade, run, &call))
        return false;
    for (int k = 0; k < rows_of(&shape); k++)
        for (int p = 0; p < pixels; p++)
            if (!grade_close(
                    grade,
                    grade_text(
                        grade,
                        "window %d x %d, stride %d, padding %d, dilation %d, row %d, pixel %d",
                        shape.window_height, shape.window_width, stride, padding, dilation, k, p),
                    (long)k * pixels + p, call.matrix[k * pixels + p], patch(&shape, call.in, k, p),
                    0))
                return false;
    return true;
}

static void test_plain(struct grade *grade)
{
    if (try_shape(grade, 1, 0, 1))
        try_shape(grade, 1, 0, 1);
}

static void test_stride(struct grade *grade)
{
    if (try_shape(grade, 2, 0, 1))
        try_shape(grade, 3, 0, 1);
}

static void test_padding(struct grade *grade)
{
    if (try_shape(grade, 1, 1, 1))
        try_shape(grade, 1, 2, 1);
}

static void test_all(struct grade *grade)
{
    if (try_shape(grade, 2, 1, 2))
        try_shape(grade, (int)grade_size(grade, 1, 3), (int)grade_size(grade, 0, 3),
                  (int)grade_size(grade, 1, 2));
}

const char grade_title[] = "im2col indices";
const struct grade_test grade_tests[] = {
    {"no extras", GRADE_RESULT, test_plain},
    {"stride", GRADE_RESULT, test_stride},
    {"padding", GRADE_RESULT, test_padding},
    {"all together", GRADE_RESULT, test_all},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
