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
        cmocka_unit_test(step_test_determinism),
    };
    return cmocka_run_group_tests_name("05_gpu_shared_tree", tests, NULL, NULL);
}
