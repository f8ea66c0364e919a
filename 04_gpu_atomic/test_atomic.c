#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "step_test.h"

/* The race must lose updates: 10,000 additions of 1 by 256 threads give far less than 10,000. */
static void race_loses_updates(void **state)
{
    enum { COUNT = 10000 };
    static float ones[COUNT];
    (void)state;

#ifdef __SANITIZE_ADDRESS__
    if (strcmp(step_test_ladder()->back_end->name, "simt") == 0)
        skip(); /* this build cannot interleave the threads */
#endif
    assert_string_equal(ladder_rung(step_test_ladder(), 0)->name, "race");
    for (int i = 0; i < COUNT; i++)
        ones[i] = 1;
    assert_true(step_test_reduce((const struct reduction_rung *)ladder_rung(step_test_ladder(), 0),
                                 OP_SUM, TYPE_F32, ones, NULL, COUNT) < COUNT);
}

static struct counters counters_of(const char *name, enum reduce_op op, size_t n)
{
    enum { MOST = 200000 };
    static float a[MOST];
    struct counters counters = {0};

    assert_true(n <= MOST);
    for (size_t i = 0; i < ladder_rung_count(step_test_ladder()); i++)
        if (strcmp(ladder_rung(step_test_ladder(), i)->name, name) == 0) {
            step_test_ladder()->back_end->counters_reset();
            step_test_reduce((const struct reduction_rung *)ladder_rung(step_test_ladder(), i), op,
                             TYPE_F32, a, NULL, n);
            step_test_ladder()->back_end->counters_read(&counters);
        }
    assert_int_equal(counters.launches, 2); /* the first launch writes the identity */
    return counters;
}

/* For sums the counter must equal the number of atomics in the code. A maximum may need more,
 * because a compare-and-swap may be repeated. */
static void atomics_are_counted(void **state)
{
    static const size_t sizes[] = {0, 1, 1000, 200000};
    (void)state;

    if (step_test_ladder()->back_end->counters_reset == NULL)
        skip();
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const size_t n = sizes[s];
        const size_t grid = counters_of("atomic_thread", OP_SUM, n).blocks - 1;

        assert_int_equal(counters_of("slices", OP_SUM, n).blocks - 1, grid);
        assert_int_equal(counters_of("slices", OP_SUM, n).atomics, grid * REDUCTION_BLOCK);
        const size_t covering = n == 0 ? 1 : (n + REDUCTION_BLOCK - 1) / REDUCTION_BLOCK;

        assert_true(n > 100000 ? grid > 1 && grid < covering : grid == covering);
        assert_int_equal(counters_of("race", OP_SUM, n).atomics, 0);
        assert_int_equal(counters_of("atomic_element", OP_SUM, n).atomics, n);
        assert_int_equal(counters_of("one_block", OP_SUM, n).atomics, REDUCTION_BLOCK);
        assert_int_equal(counters_of("atomic_thread", OP_SUM, n).atomics, grid * REDUCTION_BLOCK);
        assert_int_equal(counters_of("atomic_block", OP_SUM, n).atomics,
                         grid * REDUCTION_BLOCK + grid);
        assert_int_equal(counters_of("atomic_block", OP_SUM, n).block_barriers, 2 * grid);
        assert_true(counters_of("atomic_block", OP_MAX, n).atomics >=
                    grid * REDUCTION_BLOCK + grid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_test_reached),       cmocka_unit_test(step_test_reductions),
        cmocka_unit_test(step_test_known_answers), cmocka_unit_test(step_test_depths),
        cmocka_unit_test(step_test_blocks),        cmocka_unit_test(race_loses_updates),
        cmocka_unit_test(atomics_are_counted),
    };
    return cmocka_run_group_tests_name("04_gpu_atomic", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
