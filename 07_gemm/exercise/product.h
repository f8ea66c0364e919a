/* Grades the exercises of step 07 that multiply matrices: compares their products of many shapes
 * with products in double. */
#ifndef RUNGS_CHECK_PRODUCT_H
#define RUNGS_CHECK_PRODUCT_H

#include <math.h>

#include "grade.h"

void gemm(const float *a, const float *b, float *c, int m, int n, int k);

typedef void product(const float *a, const float *b, float *c, int m, int n, int k);

struct call {
    const float *a, *b;
    float *c;
    int m, n, k;
};

static void multiply(product *by, const struct call *call)
{
    by(call->a, call->b, call->c, call->m, call->n, call->k);
}

static void answer(void *data)
{
    multiply(gemm, data);
}

/* If there is a rung, times both the rung and the answer. */
static void run_beside(const struct call *call, void (*rung)(void *))
{
    const size_t bytes = (size_t)call->m * (size_t)call->n * sizeof(float);
    struct call device = *call;

    device.a = grade_to_device(call->a, (size_t)call->m * (size_t)call->k * sizeof(float));
    device.b = grade_to_device(call->b, (size_t)call->k * (size_t)call->n * sizeof(float));
    device.c = grade_to_device(NULL, bytes);
    if (rung != NULL) {
        grade_time(answer, rung, &device);
        device.c = grade_to_device(NULL, bytes); /* without what the rung has written */
    }
    answer(&device);
    grade_from_device(call->c, device.c, bytes);
}

static void run(void *arguments)
{
    run_beside(arguments, NULL);
}

/* If a product has many rows, about 60 of them are compared. */
static bool try_with(struct grade *grade, int m, int n, int k, void (*how)(void *))
{
    const int step = m / 64 | 1;
    struct call call = {grade_floats(grade, (size_t)m * (size_t)k),
                        grade_floats(grade, (size_t)k * (size_t)n),
                        grade_output(grade, (size_t)m * (size_t)n * sizeof(float)),
                        m,
                        n,
                        k};

    if (!grade_run(grade, how, &call))
        return false;
    for (int i = 0; i < m; i += step)
        for (int j = 0; j < n; j++) {
            double want = 0, size = 0;
            for (int l = 0; l < k; l++) {
                const double product = (double)call.a[i * k + l] * (double)call.b[l * n + j];
                want += product;
                size += fabs(product);
            }
            if (!grade_close(
                    grade,
                    grade_text(grade, "m = %d, n = %d, k = %d, row %d, column %d", m, n, k, i, j),
                    (long)i * n + j, call.c[i * n + j], want, (k + 1) * 0x1p-24 * size))
                return false;
        }
    return true;
}

static bool try_shape(struct grade *grade, int m, int n, int k)
{
    return try_with(grade, m, n, k, run);
}

static int tiles(struct grade *grade)
{
    return 32 * (int)grade_size(grade, 1, 2);
}

static void test_tiles(struct grade *grade)
{
    for (int i = 0; i < 3; i++)
        if (!try_shape(grade, tiles(grade), tiles(grade), tiles(grade)))
            return;
}

static void test_edges(struct grade *grade)
{
    const int shapes[][3] = {{1, 1, 1}, {1, 33, 2}, {31, 1, 17}, {33, 31, 32}, {17, 47, 15}};

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (!try_shape(grade, shapes[i][0], shapes[i][1], shapes[i][2]))
            return;
    try_shape(grade, (int)grade_size(grade, 2, 70), (int)grade_size(grade, 2, 70),
              (int)grade_size(grade, 2, 70));
}

static inline bool try_speed(struct grade *grade, void (*how)(void *))
{
    enum { SIZE = 1024 };
    return try_with(grade, SIZE, SIZE, SIZE, how);
}

#endif
