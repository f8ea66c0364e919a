/* Grades the exercises of step 05 that compute one sum per block of BLOCK elements. The sums are
 * compared with sums in double. */
#ifndef RUNGS_CHECK_BLOCK_SUMS_H
#define RUNGS_CHECK_BLOCK_SUMS_H

#include <math.h>

#include "grade.h"

enum { BLOCK = 256 };

void block_sums(const float *in, int n, float *out, int blocks);
GRADE_ON_GPU_ONLY void rung_sequential(const float *in, int n, float *out, int blocks);

struct call {
    const float *in;
    int n, blocks;
    float *out;
    bool timed;
};

static void answer(void *data)
{
    const struct call *const call = data;
    block_sums(call->in, call->n, call->out, call->blocks);
}

static void rung(void *data)
{
    const struct call *const call = data;
    rung_sequential(call->in, call->n, call->out, call->blocks);
}

static void run(void *arguments)
{
    const struct call *const call = arguments;
    const size_t bytes = (size_t)call->blocks * sizeof *call->out;
    struct call device = *call;

    device.in = grade_to_device(call->in, (size_t)call->n * sizeof *call->in);
    device.out = grade_to_device(NULL, bytes);
    if (call->timed) {
        grade_time(answer, rung, &device);
        device.out = grade_to_device(NULL, bytes); /* new memory, without the rung's results */
    }
    answer(&device);
    grade_from_device(call->out, device.out, bytes);
}

/* Runs the answer once on n elements and compares its sums with sums in double. */
static bool try_run(struct grade *grade, int n, bool timed)
{
    const int blocks = (n + BLOCK - 1) / BLOCK;
    struct call call = {grade_floats(grade, (size_t)n), n, blocks,
                        grade_output(grade, (size_t)blocks * sizeof(float)), timed};

    if (!grade_run(grade, run, &call))
        return false;
    for (int b = 0; b < blocks; b++) {
        double sum = 0, size = 0;
        for (int i = b * BLOCK; i < n && i < (b + 1) * BLOCK; i++) {
            sum += call.in[i];
            size += fabs(call.in[i]);
        }
        if (!grade_close(grade, grade_text(grade, "n = %d", n), b, call.out[b], sum,
                         BLOCK * 0x1p-24 * size))
            return false;
    }
    return true;
}

static bool try_size(struct grade *grade, int n)
{
    return try_run(grade, n, false);
}

static void test_sums(struct grade *grade)
{
    const int sizes[] = {1, 31, 32, 33, 255, 256, 257, 1023, (int)grade_size(grade, 300, 3000)};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (!try_size(grade, sizes[i]))
            return;
}

static inline void need_conflicts(struct grade *grade, unsigned long most_in_100)
{
    if (try_size(grade, 8 * BLOCK))
        grade_conflicts(grade, most_in_100);
}

/* 16 MiB fill many blocks per multiprocessor and still fit into the second-level cache of a large
 * GPU. So the time of the tree matters. */
static inline void need_speed(struct grade *grade, double full, double half)
{
    if (try_run(grade, 1 << 22, true))
        grade_speed(grade, "the rung sequential", full, half);
}

#endif
