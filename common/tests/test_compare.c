/* Tests of compare.h, which decides what counts as right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "device/guarded.h"
#include "problem/compare.h"
#include "problem/judge.h"

static struct comparison compare(double computed, double expected, double bound, double largest)
{
    const struct reference reference = {.value = expected, .magnitude = fabs(expected)};
    struct comparison comparison = compare_number(computed, &reference, bound, largest);

    comparison_describe(&comparison, NULL);
    assert_true(comparison.bound == bound || isnan(bound));
    assert_true(comparison.where[0] != '\0' && strchr(comparison.where, '\n') == NULL);
    assert_null(strstr(comparison.where, "-nan")); /* the sign of a NaN means nothing */
    assert_true(isnan(computed) ? isnan(comparison.computed) : comparison.computed == computed);
    /* The share of the bound that reports show must not contradict the verdict. */
    assert_true(comparison.right == (comparison.error <= bound) || isnan(bound));
    return comparison;
}

static bool right(double computed, double expected, double bound)
{
    return compare(computed, expected, bound, DBL_MAX).right;
}

static void numbers(void **state)
{
    (void)state;
    assert_true(right(1, 1, 0));
    assert_true(right(0, -0.0, 0));
    assert_true(right(1.5, 1, 0.5)); /* the bound itself is within it */
    assert_true(right(0.5, 1, 0.5));
    assert_false(right(1.5 + DBL_EPSILON, 1, 0.5));
    assert_false(right(0.5 - DBL_EPSILON, 1, 0.5));
    assert_false(right(nextafter(1, 2), 1, 0)); /* a bound of 0 means exact */
    assert_false(right(-1, 1, 1));
    assert_false(right(DBL_TRUE_MIN, 0, 0));
    assert_true(compare(1.25, 1, 0.5, DBL_MAX).error == 0.25);
    assert_true(compare(0.75, 1, 0.5, DBL_MAX).error == 0.25);
}

static void nan_is_no_number(void **state)
{
    (void)state;
    assert_false(right(NAN, 1, 0));
    assert_false(right(NAN, 1, 1e300));
    assert_false(right(-NAN, 1, INFINITY));
    assert_false(right(NAN, INFINITY, 1));
    assert_false(right(1, NAN, 1e300));
    assert_false(right(INFINITY, NAN, INFINITY));
    assert_true(right(NAN, NAN, 0));
    assert_true(right(-NAN, NAN, 0)); /* all NaNs are equivalent */
    assert_true(right(NAN, NAN, NAN));
    assert_true(isnan(compare(NAN, 1, 1, DBL_MAX).error));
    assert_true(isnan(compare(1, NAN, 1, DBL_MAX).error));
    assert_true(compare(NAN, NAN, 1, DBL_MAX).error == 0);
    /* A bound that is NaN accepts no number. */
    assert_false(right(1, 2, NAN));
}

static void infinities(void **state)
{
    (void)state;
    assert_true(right(INFINITY, INFINITY, 0));
    assert_true(right(-INFINITY, -INFINITY, 0));
    assert_false(right(-INFINITY, INFINITY, 0));
    assert_false(right(INFINITY, -INFINITY, 1e300));
    assert_false(right(1, INFINITY, 1e300));
    assert_false(right(DBL_MAX, INFINITY, 0));
    assert_false(right(INFINITY, 1, 0));
    assert_false(right(INFINITY, 1, 1e300));
    assert_true(compare(INFINITY, 1, 0, DBL_MAX).error == INFINITY);
    assert_true(compare(INFINITY, INFINITY, 0, DBL_MAX).error == 0);
}

/* A result that the type cannot hold, or that rounding may make too large for the type. */
static void overflow(void **state)
{
    const double largest = FLT_MAX;
    (void)state;

    assert_true(compare(INFINITY, 4e38, 1e30, largest).right);
    assert_true(compare(-INFINITY, -4e38, 1e30, largest).right);
    assert_false(compare(-INFINITY, 4e38, 1e30, largest).right);
    assert_false(compare(4e37, 4e38, 1e30, largest).right);
    assert_true(compare(INFINITY, 3.4e38, 1e36, largest).right);
    assert_false(compare(INFINITY, 3.4e38, 1e35, largest).right);
    assert_true(compare(FLT_MAX, 3.4e38, 1e36, largest).right);
    assert_false(compare(INFINITY, FLT_MAX, 0, largest).right);
    assert_false(compare(INFINITY, 4e38, 1e30, DBL_MAX).right);
}

/* The reference is more precise than the bound, so its tail counts. */
static void tail_counts(void **state)
{
    const struct reference reference = {.value = 1, .tail = 0x1p-60, .magnitude = 1};
    (void)state;

    assert_false(compare_number(1, &reference, 0x1p-61, DBL_MAX).right);
    assert_true(compare_number(1, &reference, 0x1p-60, DBL_MAX).right);
    assert_true(compare_number(1, &reference, 0x1p-60, DBL_MAX).error == 0x1p-60);
    const double above = 1 + 0x1p-52;
    assert_true(compare_number(above, &reference, 1, DBL_MAX).error == 0x1p-52 - 0x1p-60);
}

static void bounds(void **state)
{
    (void)state;
    assert_true(rounding_bound_f64(1, 0, 1) == UNIT_ROUNDOFF_F64);
    assert_true(rounding_bound_f32(1, 0, 1) == UNIT_ROUNDOFF_F32);
    assert_true(rounding_bound_f32(10, 0, 1000) == 10000 * UNIT_ROUNDOFF_F32);
    assert_true(rounding_bound_f64(0, 0, 1000) == 0);
    assert_true(rounding_bound_f32(5, 0, 0) == 0);
    /* Products that underflow. */
    assert_true(rounding_bound_f32(5, 100, 0) == 50 * (double)FLT_TRUE_MIN);
    assert_true(rounding_bound_f64(5, 100, 0) == 50 * DBL_TRUE_MIN);
    assert_true(isnan(rounding_bound_f32(5, 100, NAN)));
    assert_true(rounding_bound_f32(5, 100, INFINITY) == INFINITY);
    assert_true(UNIT_ROUNDOFF_F32 == (double)FLT_EPSILON / 2);
    assert_true(UNIT_ROUNDOFF_F64 == DBL_EPSILON / 2);
}

/* c u / (1 - c u) for a tree, and c u for the depth of one loop, which is the largest depth. */
static void bounds_of_trees(void **state)
{
    const double u = UNIT_ROUNDOFF_F32;
    (void)state;

    assert_true(fabs(rounding_bound_f32(10, 1000, 3) - 10 * u / (1 - 10 * u) * 3) < 1e-15);
    assert_true(rounding_bound_f32(10, 1000, 3) > 30 * u);
    assert_true(fabs(rounding_bound_f32(1000, 1000, 3) - 3000 * u) < 1e-15);
    assert_true(fabs(rounding_bound_f32(2000, 1000, 3) - 6000 * u) < 1e-15);
    /* A larger depth never gives a tighter bound, and the denominator never reaches 0. */
    const size_t terms = (size_t)1 << 30;
    double before = 0;
    for (double depth = 1; depth <= 0x1p31; depth *= 2) {
        const double bound = rounding_bound_f32(depth, terms, 1);
        assert_true(bound >= before && bound <= 2 * 64 + 1);
        before = bound;
    }
}

/* The largest possible error of one addition is within the bound for one rounding. Twice that error
 * is not. */
static void bound_is_sharp(void **state)
{
    const float a = 1, b = 0x1p-24F; /* half way between 1 and the next float */
    const struct reference reference = {.value = 1 + 0x1p-24, .magnitude = 1 + 0x1p-24};
    const double bound = rounding_bound_f32(1, 0, reference.magnitude);
    (void)state;

    assert_true(compare_number((double)(float)(a + b), &reference, bound, FLT_MAX).right);
    assert_true(compare_number(1, &reference, bound, FLT_MAX).right);
    assert_false(compare_number(1 - 0x1p-24, &reference, bound, FLT_MAX).right);
}

/* The element that is reported: a wrong one rather than a right one, then the one with the largest
 * share of the bound. NaN, which has no share, comes first. */
static void the_worst_is_kept(void **state)
{
    static const struct comparison ascending[] = {
        {.right = true, .error = 0, .bound = 0},     {.right = true, .error = 1, .bound = 10},
        {.right = true, .error = 0.5, .bound = 1},   {.right = false, .error = 2, .bound = 1.5},
        {.right = false, .error = 20, .bound = 1.5}, {.right = false, .error = NAN, .bound = 100},
    };
    enum { COUNT = sizeof ascending / sizeof ascending[0] };
    (void)state;

    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < COUNT; j++) {
            struct comparison worst = ascending[i];
            strcpy(worst.where, "first");
            assert_true(judge_keep_worse(&worst, &ascending[j]) == (j > i));
            assert_memory_equal(&worst.error, &ascending[j > i ? j : i].error, sizeof worst.error);
        }
}

/* Every byte of a margin is checked, and no byte of the array. */
static void every_guarded_byte(void **state)
{
    enum { COUNT = 12, OFFSET = 4 };
    struct guarded array;
    struct error error;
    ptrdiff_t place;
    (void)state;

    assert_true(guarded_create(&array, COUNT, OFFSET, MARGIN_AFTER, &cpu_back_end, &error));
    guarded_fill(&array, guard_value());
    assert_true(guarded_margins_hold(&array, guard_value(), &place));
    for (size_t i = 0; i < array.total; i++) {
        const bool inside = i >= array.before && i < array.before + COUNT;
        array.host[i] ^= 1;
        assert_true(guarded_margins_hold(&array, guard_value(), &place) == inside);
        assert_true(inside || place == (ptrdiff_t)i - MARGIN_BEFORE - OFFSET);
        array.host[i] ^= 1;
    }
    guarded_destroy(&array, &cpu_back_end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),           cmocka_unit_test(nan_is_no_number),
        cmocka_unit_test(infinities),        cmocka_unit_test(overflow),
        cmocka_unit_test(tail_counts),       cmocka_unit_test(bounds),
        cmocka_unit_test(bounds_of_trees),   cmocka_unit_test(bound_is_sharp),
        cmocka_unit_test(the_worst_is_kept), cmocka_unit_test(every_guarded_byte),
    };
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
