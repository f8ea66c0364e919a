#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "step_test.h"

/* Tests every number of elements that the rungs with 16 accumulators can leave over. */
static void every_tail_is_added(void **state)
{
    enum { MOST = 100 };
    float a[MOST];
    (void)state;

    for (int i = 0; i < MOST; i++)
        a[i] = (float)(i + 1);
    for (int n = 0; n <= MOST; n++) {
        assert_true(step_test_reduce(step_test_rung("accumulators"), OP_SUM, TYPE_F32, a, NULL,
                                     (size_t)n) == n * (n + 1) / 2);
        assert_true(step_test_reduce(step_test_rung("loads_in_flight"), OP_SUM, TYPE_F32, a, NULL,
                                     (size_t)n) == n * (n + 1) / 2);
    }
}

static void *placed(const void *vector, size_t bytes)
{
    struct error error;
    void *const memory = step_test_ladder()->back_end->allocate(bytes, &error);

    assert_non_null(memory);
    assert_true(step_test_ladder()->back_end->upload(memory, vector, bytes, &error));
    return memory;
}

/* with_copies reads the elements from the host, so the device may hold anything when it starts. A
 * rung may be prepared several times. The last time counts. */
static void copies_come_from_the_host(void **state)
{
    enum { COUNT = 100 };
    const struct back_end *back_end = step_test_ladder()->back_end;
    const struct reduction_rung *const rung = step_test_rung("with_copies");
    double a[COUNT], b[COUNT], result = 0;
    struct machine machine = {0};
    struct error error;
    (void)state;

    assert_true(back_end->open(0, &machine, &error));
    for (int i = 0; i < COUNT; i++) {
        a[i] = i + 1;
        b[i] = 2;
    }
    void *const a_placed = placed(a, sizeof a), *const b_placed = placed(b, sizeof b);
    const struct reduction call = {
        .op = OP_DOT,
        .type = TYPE_F64,
        .n = COUNT,
        .a = a_placed,
        .b = b_placed,
        .result = placed(&result, sizeof result),
        .multiprocessors = machine.processors,
        .threads = 1,
    };
    for (int times = 1; times <= 3; times++) {
        b[0] = times;
        assert_true(back_end->upload(b_placed, b, sizeof b, &error));
        rung->prepare(&call);
        assert_true(back_end->fill(a_placed, 0xFF, sizeof a, &error));
        assert_true(back_end->fill(b_placed, 0xFF, sizeof b, &error));
        rung->run(&call);
        assert_true(back_end->finish(&error));
        assert_true(back_end->download(&result, call.result, sizeof result, &error));
        assert_true(result == COUNT * (COUNT + 1) - 2 + times);
    }
    back_end->release(a_placed);
    back_end->release(b_placed);
    back_end->release(call.result);
}

/* Every rung launches one kernel of one thread. */
static void one_thread_is_launched(void **state)
{
    const float a[] = {1, 2, 3};
    struct counters counters;
    (void)state;

    if (step_test_ladder()->back_end->counters_reset == NULL)
        skip();
    for (size_t i = 0; i < ladder_rung_count(step_test_ladder()); i++) {
        step_test_ladder()->back_end->counters_reset();
        assert_true(
            step_test_reduce((const struct reduction_rung *)ladder_rung(step_test_ladder(), i),
                             OP_SUM, TYPE_F32, a, NULL, 3) == 6);
        step_test_ladder()->back_end->counters_read(&counters);
        assert_int_equal(counters.launches, 1);
        assert_int_equal(counters.threads, 1);
        assert_int_equal(counters.atomics, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_test_reached),       cmocka_unit_test(step_test_reductions),
        cmocka_unit_test(step_test_known_answers), cmocka_unit_test(step_test_depths),
        cmocka_unit_test(every_tail_is_added),     cmocka_unit_test(copies_come_from_the_host),
        cmocka_unit_test(one_thread_is_launched),
    };
    return cmocka_run_group_tests_name("03_gpu_single_thread", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
