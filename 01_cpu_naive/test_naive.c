#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "ladder.h"
#include "problem/compare.h"
#include "step_test.h"

/* 2^24, a thousand ones, -2^24: the plain loop loses all of the ones. */
static void kahan_keeps_what_the_plain_loop_loses(void **state)
{
    enum { ONES = 1000 };
    float a[ONES + 2];
    (void)state;

    a[0] = 0x1p24F;
    for (int i = 1; i <= ONES; i++)
        a[i] = 1;
    a[ONES + 1] = -0x1p24F;

    assert_true(step_test_reduce(step_test_rung("naive"), OP_SUM, TYPE_F32, a, NULL, ONES + 2) ==
                0);
    assert_true(step_test_reduce(step_test_rung("compensated"), OP_SUM, TYPE_F32, a, NULL,
                                 ONES + 2) == ONES);
    assert_true(step_test_reduce(step_test_rung("wider_accumulator"), OP_SUM, TYPE_F32, a, NULL,
                                 ONES + 2) == ONES);
}

/* The same for double: a dot product of terms of both signs, with a condition number of 2^53. */
static void kahan_in_double(void **state)
{
    enum { PAIRS = 500 };
    double a[2 * PAIRS + 2], b[2 * PAIRS + 2];
    (void)state;

    for (int i = 0; i < 2 * PAIRS + 2; i++)
        b[i] = 1;
    a[0] = 0x1p53;
    for (int i = 1; i <= 2 * PAIRS; i++)
        a[i] = i % 2 == 1 ? 0.75 : -0.25;
    a[2 * PAIRS + 1] = -0x1p53;

    const double plain =
        step_test_reduce(step_test_rung("naive"), OP_DOT, TYPE_F64, a, b, 2 * PAIRS + 2);
    const double kahan =
        step_test_reduce(step_test_rung("compensated"), OP_DOT, TYPE_F64, a, b, 2 * PAIRS + 2);
    assert_true(fabs(kahan - 0.5 * PAIRS) <= 4);
    assert_true(fabs(plain - 0.5 * PAIRS) > 100);
}

static double depth_of(const char *name, enum element_type type, size_t n)
{
    const struct reduction call = {.op = OP_SUM, .type = type, .n = n};
    return step_test_rung(name)->depth(&call);
}

static void depths_are_those_of_the_order(void **state)
{
    (void)state;
    assert_true(depth_of("pairwise", TYPE_F32, 0) == 0);
    assert_true(depth_of("pairwise", TYPE_F32, PAIRWISE_BLOCK) == PAIRWISE_BLOCK);
    assert_true(depth_of("pairwise", TYPE_F32, 2 * PAIRWISE_BLOCK) == PAIRWISE_BLOCK + 1);
    /* With one more element, 257 = 128 + 129: only the larger half is cut again. */
    assert_true(depth_of("pairwise", TYPE_F32, 2 * PAIRWISE_BLOCK + 1) == PAIRWISE_BLOCK + 1);
    assert_true(depth_of("pairwise", TYPE_F32, 2 * PAIRWISE_BLOCK + 2) == 65 + 2);
    assert_true(depth_of("pairwise", TYPE_F32, 4 * PAIRWISE_BLOCK - 1) == PAIRWISE_BLOCK + 2);
    assert_true(depth_of("pairwise", TYPE_F32, (size_t)1 << 27) == PAIRWISE_BLOCK + 20);

    assert_true(depth_of("unrolled", TYPE_F32, 80) == 10 + 3);
    assert_true(depth_of("wider_accumulator", TYPE_F32, (size_t)1 << 27) < 1.5);
    assert_true(depth_of("compensated", TYPE_F64, (size_t)1 << 27) < 3.1);
    assert_true(depth_of("compensated", TYPE_F32, (size_t)1 << 24) == 3 + 2);
}

/* The errors are smaller, not only the bounds. All terms are equal, so all roundings go one way. */
static void better_orders_have_smaller_errors(void **state)
{
    enum { COUNT = 1 << 20 };
    static float a[COUNT];
    const double exact = (double)0.1F * COUNT;
    (void)state;

    for (int i = 0; i < COUNT; i++)
        a[i] = 0.1F;
    static const char *const better[] = {"wider_accumulator", "pairwise", "compensated",
                                         "unrolled"};
    const double plain =
        fabs(step_test_reduce(step_test_rung("naive"), OP_SUM, TYPE_F32, a, NULL, COUNT) - exact);
    for (size_t i = 0; i < sizeof better / sizeof better[0]; i++) {
        const double sum =
            step_test_reduce(step_test_rung(better[i]), OP_SUM, TYPE_F32, a, NULL, COUNT);
        assert_true(fabs(sum - exact) < plain / 4);
    }
}

/* The test of depths detects a depth that leaves out most of a chain. */
static void understated_depths_are_found_out(void **state)
{
    struct reduction_rung naive = *step_test_rung("naive");
    (void)state;

    assert_true(step_test_depth_holds(&naive));
    naive.depth = depth_unrolled;
    assert_false(step_test_depth_holds(&naive));
}

/* The same order gives the same bits, whatever language feature the loop uses. */
static void rungs_in_the_plain_order_agree_to_the_last_bit(void **state)
{
    enum { COUNT = 12345 };
    static const char *const alike[] = {"dynamic", "map_reduce_pointers", "map_reduce_inline"};
    static float a[COUNT], b[COUNT];
    static double a_f64[COUNT], b_f64[COUNT];
    static unsigned char mask[COUNT];
    const struct reduction_rung *const naive = step_test_rung("naive");
    (void)state;

    for (size_t i = 0; i < COUNT; i++) {
        const uint64_t bits = random_bits(7, i), more = random_bits(8, i);
        a[i] = random_float(bits) - 0.5F;
        b[i] = random_float(more);
        a_f64[i] = random_double(bits) - 0.5;
        b_f64[i] = random_double(more);
        mask[i] = (unsigned char)(more & 1);
    }
    for (size_t r = 0; r < sizeof alike / sizeof alike[0]; r++) {
        const struct reduction_rung *const rung = step_test_rung(alike[r]);
        for (int op = OP_DOT; op <= OP_MIN; op++) {
            assert_true(step_test_reduce(rung, (enum reduce_op)op, TYPE_F32, a, b, COUNT) ==
                        step_test_reduce(naive, (enum reduce_op)op, TYPE_F32, a, b, COUNT));
            assert_true(step_test_reduce(rung, (enum reduce_op)op, TYPE_F64, a_f64, b_f64, COUNT) ==
                        step_test_reduce(naive, (enum reduce_op)op, TYPE_F64, a_f64, b_f64, COUNT));
        }
        assert_true(step_test_reduce(rung, OP_DOT, TYPE_MIXED, a, mask, COUNT) ==
                    step_test_reduce(naive, OP_DOT, TYPE_MIXED, a, mask, COUNT));
    }
}

/* The rung keeps its buffer for b as floats. It must grow for a longer vector, and a shorter one
 * must not see what a longer one left. */
static void openblas_converts_b(void **state)
{
    enum { COUNT = 5000 };
    static const size_t lengths[] = {1, 100, COUNT, 100, 1, 0, COUNT - 1};
    static float a[COUNT];
    static unsigned char mask[COUNT];
    const struct reduction_rung *const rung = step_test_rung("openblas");
    (void)state;

    if (rung->rung.unavailable() != NULL)
        skip();
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        double exact = 0;
        for (size_t i = 0; i < lengths[l]; i++) {
            a[i] = (float)(1 + i % 7);
            mask[i] = (unsigned char)((i + l) % 3 == 0);
            exact += (double)a[i] * mask[i];
        }
        assert_true(step_test_reduce(rung, OP_DOT, TYPE_MIXED, a, mask, lengths[l]) == exact);
    }
}

/* The rungs of this step run on one thread, whatever --threads says. Their description must say
 * so. */
static void one_thread_is_told(void **state)
{
    const struct reduction call = {.op = OP_SUM, .type = TYPE_F64, .n = 10, .threads = 2};
    (void)state;

    for (size_t i = 0; i < ladder_rung_count(step_test_ladder()); i++) {
        char text[RUNG_HOW_SIZE] = "";
        const struct rung *const rung = ladder_rung(step_test_ladder(), i);
        if (rung->unavailable != NULL && rung->unavailable() != NULL)
            continue;
        ((const struct reduction_rung *)rung)->how(&call, text);
        assert_non_null(strstr(text, "1 thread"));
        if (strcmp(rung->name, "compensated") == 0)
            assert_non_null(strstr(text, "Kahan"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_test_reached),
        cmocka_unit_test(step_test_reductions),
        cmocka_unit_test(step_test_known_answers),
        cmocka_unit_test(kahan_keeps_what_the_plain_loop_loses),
        cmocka_unit_test(kahan_in_double),
        cmocka_unit_test(step_test_depths),
        cmocka_unit_test(understated_depths_are_found_out),
        cmocka_unit_test(depths_are_those_of_the_order),
        cmocka_unit_test(better_orders_have_smaller_errors),
        cmocka_unit_test(rungs_in_the_plain_order_agree_to_the_last_bit),
        cmocka_unit_test(openblas_converts_b),
        cmocka_unit_test(one_thread_is_told),
    };
    return cmocka_run_group_tests_name("01_cpu_naive", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
