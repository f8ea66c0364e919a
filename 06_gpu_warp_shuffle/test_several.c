/* Several GPUs: tests every rung with up to 8 of them, at sizes where shares often fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "problem/reduction/options.h"
#include "step_test.h"

static struct machine machine;

static int choose(void **state)
{
    struct error error;

    (void)state;
    for (size_t i = 0; i < step.ladder_count; i++)
        if (step.ladders[i]->with != NULL)
            step_test_choose(step.ladders[i]);
    return step_test_ladder()->back_end->open(0, &machine, &error) ? 0 : 1;
}

static bool are_there(int gpus)
{
    struct error error;

    return step_test_ladder()->back_end->join(&gpus, &error);
}

static void verify(int gpus, enum reduce_op op, enum element_type type, size_t n, size_t offset)
{
    struct reduction_options options;

    step_test_defaults(&options);
    options.op = op;
    options.type = type;
    options.n = n;
    options.base.gpus = (unsigned)gpus;
    options.base.offset = offset;
    step_test_rungs(&options.base);
}

/* No elements, fewer than GPUs, one per GPU, and shares of different lengths. */
static void test_shares(void **state)
{
    static const int counts[] = {1, 2, 3, 4, 8};
    static const size_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 1000, 20011};

    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0] && are_there(counts[c]); c++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            verify(counts[c], OP_DOT, TYPE_F32, sizes[s], s % 3);
        for (int op = OP_SUM; op <= OP_MIN; op++)
            verify(counts[c], (enum reduce_op)op, TYPE_F32, 1003, 1);
        for (int type = TYPE_F64; type < ELEMENT_TYPES; type++)
            verify(counts[c], OP_DOT, (enum element_type)type, 1003, 0);
    }
}

/* Asks for more GPUs than there are. */
static void test_too_many(void **state)
{
    struct error error;
    int all = 0, more;

    (void)state;
    assert_true(step_test_ladder()->back_end->join(&all, &error));
    assert_true(all >= 1);
    more = all + 1;
    assert_false(step_test_ladder()->back_end->join(&more, &error));
    assert_int_equal(error.code, EXIT_DEVICE_ERROR);
    assert_non_null(strstr(error.text, "--gpus"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_test_reached),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests_name("06_gpu_warp_shuffle on several GPUs", tests, choose, NULL);
}
/* SPDX-License-Identifier: MIT */
