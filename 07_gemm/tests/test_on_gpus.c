/* Several GPUs: every rung on 1 to 8 of them, with shapes whose pieces are unusual. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "problem/gemm/options.h"
#include "step_test.h"

struct shape {
    size_t m, n, k;
};

static void verify(int gpus, struct shape shape, size_t padding, float beta)
{
    struct gemm_options options;

    step_test_defaults(&options);
    options.m = shape.m;
    options.n = shape.n;
    options.k = shape.k;
    options.beta = beta;
    options.base.gpus = (unsigned)gpus;
    options.base.padding = padding;
    options.base.offset = padding % 2;
    step_test_rungs(&options.base);
}

/* Pieces are whole units of 32. These shapes have none, one in all, fewer than GPUs, one per GPU,
 * more for some GPUs, and an end within a unit. */
static void test_shapes(void **state)
{
    static const int counts[] = {1, 2, 3, 4, 8};
    static const struct shape shapes[] = {{0, 5, 3},   {5, 0, 3},    {5, 3, 0},     {1, 1, 1},
                                          {33, 65, 7}, {70, 257, 9}, {300, 100, 17}};
    struct machine machine;
    struct error error;

    (void)state;
    assert_true(step_test_ladder()->back_end->open(0, &machine, &error));
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        int gpus = counts[c];
        if (!step_test_ladder()->back_end->join(&gpus, &error))
            break;
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s += STEP_TEST_SANITIZED ? 3 : 1)
            verify(gpus, shapes[s], s % 3, s % 2 == 0 ? 0 : 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(step_test_reached),
                                       cmocka_unit_test(test_shapes)};
    int failed = 0;

    for (size_t l = 0; l < step.ladder_count; l++) {
        if (step.ladders[l]->with == NULL)
            continue;
        step_test_choose(step.ladders[l]);
        failed += cmocka_run_group_tests_name(step.ladders[l]->idea, tests, NULL, NULL);
    }
    return failed;
}
/* SPDX-License-Identifier: MIT */
