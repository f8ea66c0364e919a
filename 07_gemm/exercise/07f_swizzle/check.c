#include "grade.h"

void transpose(const float *in, float *out, int rows, int columns);

struct call {
    const float *in;
    float *out;
    int rows, columns;
};

static void run(void *arguments)
{
    const struct call *const call = arguments;
    const size_t bytes = (size_t)call->rows * (size_t)call->columns * sizeof(float);
    float *const out = grade_to_device(NULL, bytes);

    transpose(grade_to_device(call->in, bytes), out, call->rows, call->columns);
    grade_from_device(call->out, out, bytes);
}

static bool try_shape(struct grade *grade, int rows, int columns)
{
    const size_t count = (size_t)rows * (size_t)columns;
    struct call call = {grade_floats(grade, count), grade_output(grade, count * sizeof(float)),
                        rows, columns};

    if (!grade_run(grade, run, &call))
        return false;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            if (call.out[j * rows + i] != call.in[i * columns + j])
                return grade_close(grade, grade_text(grade, "%d x %d", rows, columns),
                                   (long)j * rows + i, call.out[j * rows + i],
                                   call.in[i * columns + j], 0);
    return true;
}

static void test_results(struct grade *grade)
{
    const int shapes[][2] = {{32, 32}, {1, 1}, {1, 40}, {40, 1}, {33, 31}, {64, 96}};

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (!try_shape(grade, shapes[i][0], shapes[i][1]))
            return;
    try_shape(grade, (int)grade_size(grade, 2, 130), (int)grade_size(grade, 2, 130));
}

/* Half of the accesses are along rows. Along columns, 32 ways are 31 conflicts, 4 ways are 3. */
static void test_few(struct grade *grade)
{
    if (try_shape(grade, 64, 96))
        grade_conflicts(grade, 150);
}

static void test_none(struct grade *grade)
{
    if (try_shape(grade, 64, 96))
        grade_conflicts(grade, 0);
}

const char grade_title[] = "a swizzle instead of padding";
const struct grade_test grade_tests[] = {
    {"results", GRADE_RESULT, test_results},
    {"four ways at most", GRADE_QUALITY, test_few},
    {"no bank conflicts", GRADE_QUALITY, test_none},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
