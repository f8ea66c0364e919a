#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "step_test.h"

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_test_reductions),
        cmocka_unit_test(step_test_known_answers),
    };
    return cmocka_run_group_tests_name("04_gpu_atomic", tests, NULL, NULL);
}
