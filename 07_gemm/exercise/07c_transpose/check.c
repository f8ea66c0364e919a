#include "grade.h"

void transpose(const float *in, float *out, int rows, int columns);
GRADE_ON_GPU_ONLY void copy_matrix(const float *in, float *out, int rows, int columns);

struct call {
    const float *in;
    float *out;
    int rows, columns;
    bool timed;
};

static void answer(void *data)
{
    const struct call *const call = data;
    transpose(call->in, call->out, call->rows, call->columns);
}

static void copy(void *data)
{
    const struct call *const call = data;
    copy_matrix(call->in, call->out, call->rows, call->columns);
}

static void run(void *arguments)
{
    const struct call *const call = arguments;
    const size_t bytes = (size_t)call->rows * (size_t)call->columns * sizeof(float);
    struct call device = *call;

    device.in = grade_to_device(call->in, bytes);
    device.out = grade_to_device(NULL, bytes);
    if (call->timed) {
        grade_time(answer, copy, &device);
        device.out = grade_to_device(NULL, bytes); /* without what was written before */
    }
    answer(&device);
    grade_from_device(call->out, device.out, bytes);
}

static bool try_run(struct grade *grade, int rows, int columns, bool timed)
{
    const size_t count = (size_t)rows * (size_t)columns;
    struct call call = {grade_floats(grade, count), grade_output(grade, count * sizeof(float)),
                        rows, columns, timed};

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

static bool try_shape(struct grade *grade, int rows, int columns)
{
    return try_run(grade, rows, columns, false);
}

static void test_results(struct grade *grade)
{
    const int shapes[][2] = {{1, 1}, {32, 32}, {1, 40}, {40, 1}, {33, 31}, {64, 96}};

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (!try_shape(grade, shapes[i][0], shapes[i][1]))
            return;
    try_shape(grade, (int)grade_size(grade, 2, 130), (int)grade_size(grade, 2, 130));
}

static uint64_t sectors(const struct grade_line *line)
{
    return line->load_sectors + line->store_sectors;
}

static void test_coalesced(struct grade *grade)
{
    if (!try_shape(grade, 64, 96))
        return;
    const struct grade_line total = grade_total(grade), worst = grade_worst(grade, sectors);
    const unsigned long found = (unsigned long)sectors(&total), least = 2UL * 64 * 96 * 4 / 32;
    if (found > least)
        grade_fail(grade, worst.line,
                   "memory moves in sectors of 32 bytes, of which each lane wants 4 here.",
                   "%lu sectors moved; %lu hold all elements", found, least);
}

static void test_conflicts(struct grade *grade)
{
    test_coalesced(grade); /* without the tile there can be no conflicts */
    if (!grade_failed(grade))
        grade_conflicts(grade, 0);
}

/* The matrix has 64 MiB, more than a second-level cache holds. */
static void test_speed(struct grade *grade)
{
    if (try_run(grade, 4096, 4096, true))
        grade_speed(grade, "a copy of the matrix by cudaMemcpy", 0.70, 0.40);
}

const char grade_title[] = "a transposed tile without conflicts";
const struct grade_test grade_tests[] = {
    {"results", GRADE_RESULT, test_results},
    {"loads and stores coalesced", GRADE_QUALITY, test_coalesced},
    {"no bank conflicts", GRADE_QUALITY, test_conflicts},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
    {"speed", GRADE_SPEED, test_speed},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
