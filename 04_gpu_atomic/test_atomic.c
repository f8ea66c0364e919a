#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "step_test.h"

/* The lesson must stay one: 10,000 additions of 1 by 256 threads give far less than 10,000. */
static void race_loses_updates(void **state)
{
    enum { COUNT = 10000 };
    static float ones[COUNT];
    (void)state;

#ifdef __SANITIZE_ADDRESS__
    if (strcmp(step.back_end->name, "simt") == 0)
        skip(); /* such a build cannot interleave the threads */
#endif
    assert_string_equal(step.rungs[0].name, "race");
    for (int i = 0; i < COUNT; i++)
        ones[i] = 1;
    assert_true(step_test_reduce(&step.rungs[0], OP_SUM, TYPE_F32, ones, NULL, COUNT) < COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_test_reductions),
        cmocka_unit_test(step_test_known_answers),
        cmocka_unit_test(race_loses_updates),
    };
    return cmocka_run_group_tests_name("04_gpu_atomic", tests, NULL, NULL);
}
