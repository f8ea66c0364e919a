#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "step_test.h"

/* The test of depths detects a depth that leaves out the 255 additions in a row by thread 0. */
static void understated_depths_are_found_out(void **state)
{
    struct reduction_rung serial = *step_test_rung("serial");
    (void)state;

    assert_true(step_test_depth_holds(&serial));
    serial.depth = depth_two_stages;
    assert_false(step_test_depth_holds(&serial));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_test_reached),
        cmocka_unit_test(step_test_reductions),
        cmocka_unit_test(step_test_known_answers),
        cmocka_unit_test(step_test_depths),
        cmocka_unit_test(step_test_blocks),
        cmocka_unit_test(understated_depths_are_found_out),
        cmocka_unit_test(step_test_determinism),
    };
    return cmocka_run_group_tests_name("05_gpu_shared_tree", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
