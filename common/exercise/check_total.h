/* The tests shared by all exercises whose result is one sum. They compare sums of many sizes with
 * sums in double. */
#ifndef RUNGS_CHECK_TOTAL_H
#define RUNGS_CHECK_TOTAL_H

#include <math.h>

#include "grade.h"

void total(const float *in, int n, float *result, float *scratch);

enum { SCRATCH = 1024 };

struct call {
    const float *in;
    int n;
    float *result;
};

static void run(void *arguments)
{
    const struct call *const call = arguments;
    static const float zeros[SCRATCH];
    float *const result = grade_to_device(zeros, sizeof(float));

    total(grade_to_device(call->in, (size_t)call->n * sizeof(float)), call->n, result,
          grade_to_device(zeros, sizeof zeros));
    grade_from_device(call->result, result, sizeof(float));
}

static bool try_size_with(struct grade *grade, int n, void (*how)(void *))
{
    struct call call = {grade_floats(grade, (size_t)n), n, grade_output(grade, sizeof(float))};
    double sum = 0, size = 0;

    if (!grade_run(grade, how, &call))
        return false;
    for (int i = 0; i < n; i++) {
        sum += call.in[i];
        size += fabs(call.in[i]);
    }
    return grade_close(grade, grade_text(grade, "n = %d", n), -1, *call.result, sum,
                       n * 0x1p-24 * size);
}

static bool try_size(struct grade *grade, int n)
{
    return try_size_with(grade, n, run);
}

static inline void test_sums(struct grade *grade)
{
    const int sizes[] = {1, 31, 33, 255, 256, 257, 1025, (int)grade_size(grade, 2000, 6000)};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (!try_size(grade, sizes[i]))
            return;
}

#endif
/* SPDX-License-Identifier: MIT */
