/* Tests of reference.h (sums with a known value, sums in a wider type) and half.h (every half). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/half.h"
#include "base/random.h"
#include "problem/reference.h"

/* A type with at least 113 bits, if the compiler has one. */
#if LDBL_MANT_DIG < 113 && defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 wide;
enum { WIDE_BITS = 113 };
#else
typedef long double wide;
enum { WIDE_BITS = LDBL_MANT_DIG };
#endif

static void assert_exact(struct reference reference, double value, double magnitude)
{
    if (reference.value != value || reference.tail != 0 || reference.magnitude != magnitude)
        fail_msg("got %.17g + %g (magnitude %.17g), expected %.17g (%.17g)", reference.value,
                 reference.tail, reference.magnitude, value, magnitude);
}

static void integers(void **state)
{
    enum { MOST = 1000 };
    float narrow[MOST], narrow_ones[MOST];
    double numbers[MOST], alternating[MOST];
    unsigned char odd[MOST];
    uint16_t halfs[MOST];
    (void)state;

    for (int i = 0; i < MOST; i++) {
        numbers[i] = i + 1;
        narrow[i] = (float)(i + 1);
        narrow_ones[i] = 1;
        alternating[i] = i % 2 == 0 ? 1 : -1;
        odd[i] = i % 2 == 0;
        halfs[i] = half_of_float(narrow[i]);
    }
    for (size_t n = 0; n <= MOST; n++) {
        const double count = (double)n, odds = (double)((n + 1) / 2);
        const double sum = count * (count + 1) / 2;
        assert_exact(reference_sum_f32(narrow, n), sum, sum);
        assert_exact(reference_sum_f64(numbers, n), sum, sum);
        assert_exact(reference_dot_f32(narrow, 1, narrow_ones, 1, n), sum, sum);
        const double squares = count * (count + 1) * (2 * count + 1) / 6;
        assert_exact(reference_dot_f64(numbers, 1, numbers, 1, n), squares, squares);
        assert_exact(reference_f16(halfs, NULL, n), sum, sum);
        assert_exact(reference_f16(halfs, halfs, n), squares, squares);
        assert_exact(reference_dot_mixed(narrow, odd, n), odds * odds, odds * odds);
        const double rest = n % 2 == 0 ? -count / 2 : (count + 1) / 2;
        assert_exact(reference_dot_f64(numbers, 1, alternating, 1, n), rest, sum);
    }
}

/* Large terms that cancel leave the small terms, whatever the order. */
static void cancellation(void **state)
{
    enum { COUNT = 27 };
    double values[COUNT];
    (void)state;

    for (int large = 0; large < COUNT; large++)
        for (int opposite = 0; opposite < COUNT; opposite++) {
            if (large == opposite)
                continue;
            for (int i = 0; i < COUNT; i++)
                values[i] = 1 + i % 3;
            const double sum = 54 - values[large] - values[opposite];
            values[large] = 0x1p60;
            values[opposite] = -0x1p60;
            assert_exact(reference_sum_f64(values, COUNT), sum,
                         0x1p61); /* a double cannot hold more of the magnitude */
        }
}

static void products_are_split(void **state)
{
    /* (1 + e)(1 - e) = 1 - e^2, which plain double rounds to 1. */
    const double e = 0x1p-30;
    const double a[] = {1 + e, 1}, b[] = {1 - e, -1};
    /* (2^27 + 1)^2 - 2^54 - 2^28 = 1 */
    const double c[] = {0x1p27 + 1, 0x1p27, 0x1p28}, d[] = {0x1p27 + 1, -0x1p27, -1};
    /* Floats: 2^24 - 1 squared needs 48 bits. */
    const float f[] = {0x1p24F - 1, 0x1p24F, 0x1p24F, 1}, g[] = {0x1p24F - 1, -0x1p24F, 2, -1};
    (void)state;

    const struct reference first = reference_dot_f64(a, 1, b, 1, 2);
    assert_true(first.value == -e * e && first.tail == 0);
    const struct reference second = reference_dot_f64(c, 1, d, 1, 3);
    assert_true(second.value == 1 && second.tail == 0);
    const struct reference third = reference_dot_f32(f, 1, g, 1, 4);
    assert_true(third.value == 0 && third.tail == 0);
}

/* The part that double cannot hold goes to the tail. */
static void tail_holds_the_rest(void **state)
{
    const double values[] = {1, 0x1p-70, 0x1p-80}, large[] = {0x1p53, 1};
    (void)state;

    struct reference reference = reference_sum_f64(values, 3);
    assert_true(reference.value == 1 && reference.tail == 0x1p-70 + 0x1p-80);
    reference = reference_sum_f64(large, 2);
    assert_true((wide)reference.value + (wide)reference.tail == (wide)0x1p53 + 1);
}

/* (x + 1) y - x y - 1 y = 0, in products of 100 bits that each round differently. Terms in random
 * order must leave only a small rest. With twice double's precision, the magnitude bounds the
 * error. Plain double arithmetic is wrong by 10^15 and more. */
static void ill_conditioned_dot(void **state)
{
    enum { TRIPLES = 300, COUNT = 3 * TRIPLES + 1 };
    static double a[COUNT], b[COUNT];
    (void)state;

    for (uint64_t seed = 1; seed <= 20; seed++) {
        const double rest = (double)random_small_integer(random_bits(seed, 0));
        for (size_t i = 0; i < TRIPLES; i++) {
            const double x = (double)(random_bits(seed, 3 * i + 1) >> 14);
            const double y = (double)(random_bits(seed, 3 * i + 2) >> 14);
            const double scale = ldexp(1, -(int)(random_bits(seed, 3 * i + 3) % 20));
            a[3 * i] = (x + 1) * scale;
            a[3 * i + 1] = -x * scale;
            a[3 * i + 2] = -scale;
            b[3 * i] = b[3 * i + 1] = b[3 * i + 2] = y;
        }
        a[COUNT - 1] = rest;
        b[COUNT - 1] = 1;
        for (size_t i = COUNT - 1; i > 0; i--) {
            const size_t j = random_bits(seed + 100, i) % (i + 1);
            const double a_kept = a[i], b_kept = b[i];
            a[i] = a[j];
            b[i] = b[j];
            a[j] = a_kept;
            b[j] = b_kept;
        }
        const struct reference reference = reference_dot_f64(a, 1, b, 1, COUNT);
        const double gamma = (COUNT / 8.0 + 16) * DBL_EPSILON;
        const double error = fabs((reference.value - rest) + reference.tail);
        assert_true(reference.magnitude > 1e31);
        if (!(error <= gamma * gamma * reference.magnitude))
            fail_msg("seed %d: got %g + %g, expected %g; magnitude %g", (int)seed, reference.value,
                     reference.tail, rest, reference.magnitude);
        double plain = 0;
        for (size_t i = 0; i < COUNT; i++)
            plain += a[i] * b[i];
        assert_true(fabs(plain - rest) > 1e6 * gamma * gamma * reference.magnitude);
    }
}

/* Random terms of widely different sizes. */
static void agrees_with_wider_type(void **state)
{
    enum { COUNT = 1000 };
    static double a[COUNT], b[COUNT];
    static float c[COUNT], d[COUNT];
    static unsigned char e[COUNT];
    (void)state;

    for (uint64_t seed = 1; seed <= 20; seed++) {
        wide dot = 0, sum = 0, narrow_dot = 0, narrow_sum = 0, mixed = 0, promoted = 0,
             magnitude = 0;
        for (size_t i = 0; i < COUNT; i++) {
            const uint64_t bits = random_bits(seed, 3 * i);
            const int exponent = (int)(bits % 60) - 30;
            a[i] = ldexp(random_double(random_bits(seed, 3 * i + 1)) - 0.5, exponent);
            b[i] = random_double(random_bits(seed, 3 * i + 2)) - 0.5;
            c[i] = (float)a[i];
            d[i] = (float)b[i];
            e[i] = bits >> 63;
            dot += (wide)a[i] * (wide)b[i];
            sum += (wide)a[i];
            narrow_dot += (wide)c[i] * (wide)d[i];
            narrow_sum += (wide)c[i];
            mixed += e[i] ? (wide)c[i] : 0;
            promoted += (wide)c[i] * (wide)b[i];
            magnitude += (wide)fabs(a[i]);
        }
        const struct {
            struct reference got;
            wide want;
        } cases[] = {
            {reference_dot_f64(a, 1, b, 1, COUNT), dot},
            {reference_sum_f64(a, COUNT), sum},
            {reference_dot_f32(c, 1, d, 1, COUNT), narrow_dot},
            {reference_sum_f32(c, COUNT), narrow_sum},
            {reference_dot_mixed(c, e, COUNT), mixed},
            {reference_dot_f32_f64(c, b, COUNT), promoted},
        };
        const double gamma = COUNT * DBL_EPSILON;
        const double of_wide = COUNT * ldexp(1, -WIDE_BITS);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const struct reference got = cases[i].got;
            const double off = fabs((double)((wide)got.value + (wide)got.tail - cases[i].want));
            const double allowed = (gamma * gamma + of_wide) * got.magnitude;
            if (!(off <= allowed))
                fail_msg("seed %d, case %d: off by %g, at most %g allowed", (int)seed, (int)i, off,
                         allowed);
            /* value alone is the nearest double, except for ties */
            assert_true(fabs(got.tail) <= DBL_EPSILON / 2 * fabs(got.value) * (1 + 1e-9));
        }
        const double off = (double)((wide)cases[1].got.magnitude - magnitude);
        assert_true(fabs(off) <= gamma * cases[1].got.magnitude);
    }
}

static void special_values(void **state)
{
    enum { COUNT = 20 };
    double a[COUNT], ones[COUNT];
    float c[COUNT], narrow_ones[COUNT];
    unsigned char all[COUNT], none[COUNT];
    (void)state;

    for (int i = 0; i < COUNT; i++) {
        a[i] = c[i] = (float)(i + 1);
        ones[i] = narrow_ones[i] = 1;
        all[i] = 1;
        none[i] = 0;
    }
    for (int place = 0; place < COUNT; place++) {
        const double kept = a[place];
        static const double specials[] = {INFINITY, -INFINITY, NAN};
        for (int s = 0; s < 3; s++) {
            a[place] = specials[s];
            c[place] = (float)specials[s];
            const double results[] = {
                reference_sum_f64(a, COUNT).value,
                reference_sum_f32(c, COUNT).value,
                reference_dot_f64(a, 1, ones, 1, COUNT).value,
                reference_dot_f64(ones, 1, a, 1, COUNT).value,
                reference_dot_f32(c, 1, narrow_ones, 1, COUNT).value,
                reference_dot_mixed(c, all, COUNT).value,
                reference_dot_f32_f64(c, ones, COUNT).value,
            };
            for (size_t r = 0; r < sizeof results / sizeof results[0]; r++)
                assert_true(s == 2 ? isnan(results[r]) : results[r] == specials[s]);
            /* 0 times a NaN or an infinity is NaN. */
            assert_true(isnan(reference_dot_mixed(c, none, COUNT).value));

            a[(place + 7) % COUNT] = -specials[s];
            assert_true(isnan(reference_sum_f64(a, COUNT).value));
            a[(place + 7) % COUNT] = (place + 7) % COUNT + 1;
        }
        a[place] = kept;
        c[place] = (float)kept;
    }
    const double large[] = {1e200, 1e200}, opposite[] = {1e200, -1e200};
    assert_true(reference_dot_f64(large, 1, large, 1, 2).value == INFINITY);
    assert_true(isnan(reference_dot_f64(large, 1, opposite, 1, 2).value));
    assert_true(reference_dot_f64(large, 1, large, 1, 2).tail == 0);
}

static void steps_walk_columns(void **state)
{
    enum { COUNT = 40, STEP_A = 3, STEP_B = 5 };
    double a[COUNT * STEP_A], b[COUNT * STEP_B], a_near[COUNT], b_near[COUNT];
    float c[COUNT * STEP_A], d[COUNT * STEP_B], c_near[COUNT], d_near[COUNT];
    (void)state;

    for (size_t i = 0; i < COUNT * STEP_A; i++) {
        a[i] = random_double(random_bits(1, i));
        c[i] = random_float(random_bits(2, i));
    }
    for (size_t i = 0; i < COUNT * STEP_B; i++) {
        b[i] = random_double(random_bits(3, i)) - 0.5;
        d[i] = random_float(random_bits(4, i)) - 0.5F;
    }
    for (size_t i = 0; i < COUNT; i++) {
        a_near[i] = a[i * STEP_A];
        b_near[i] = b[i * STEP_B];
        c_near[i] = c[i * STEP_A];
        d_near[i] = d[i * STEP_B];
    }
    for (size_t n = 0; n <= COUNT; n++) {
        const struct reference pairs[][2] = {
            {reference_dot_f64(a, STEP_A, b, STEP_B, n),
             reference_dot_f64(a_near, 1, b_near, 1, n)},
            {reference_dot_f32(c, STEP_A, d, STEP_B, n),
             reference_dot_f32(c_near, 1, d_near, 1, n)},
        };
        for (int p = 0; p < 2; p++) {
            assert_true(pairs[p][0].value == pairs[p][1].value);
            assert_true(pairs[p][0].tail == pairs[p][1].tail);
            assert_true(pairs[p][0].magnitude == pairs[p][1].magnitude);
        }
    }
}

/* The value of a finite half, computed from its definition. */
static double value_of(unsigned half)
{
    const int exponent = (int)(half >> 10 & 31), fraction = (int)(half & 1023);
    const double value =
        exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    return half & 0x8000 ? -value : value;
}

/* Tests each half's value, and the point between two neighbours at which the rounding changes. */
static void halfs_are_converted(void **state)
{
    (void)state;
    for (unsigned sign = 0; sign <= 0x8000; sign += 0x8000) {
        for (unsigned half = sign; half < sign + 0x7C00; half++) {
            const double value = value_of(half);
            const double next =
                half + 1 == sign + 0x7C00 ? copysign(65536, value) : value_of(half + 1);
            const float middle = (float)((value + next) / 2);
            assert_true((double)float_of_half((uint16_t)half) == value);
            assert_true(!signbit(float_of_half((uint16_t)half)) == (sign == 0));
            assert_int_equal(half_of_float((float)value), half);
            assert_int_equal(half_of_float(middle), half + half % 2);
            assert_int_equal(half_of_float(nextafterf(middle, (float)value)), half);
            assert_int_equal(half_of_float(nextafterf(middle, (float)next)), half + 1);
        }
        assert_true(isinf(float_of_half((uint16_t)(sign | 0x7C00))));
        assert_int_equal(half_of_float(copysignf(FLT_MAX, sign == 0 ? 1 : -1)), sign | 0x7C00);
        assert_int_equal(half_of_float(copysignf(0x1p-149F, sign == 0 ? 1 : -1)), sign);
        for (unsigned half = sign | 0x7C01; half < sign + 0x8000; half++)
            assert_true(isnan(float_of_half((uint16_t)half)));
    }
    assert_true(isnan(float_of_half(half_of_float(NAN))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(cancellation),
        cmocka_unit_test(products_are_split),
        cmocka_unit_test(tail_holds_the_rest),
        cmocka_unit_test(ill_conditioned_dot),
        cmocka_unit_test(agrees_with_wider_type),
        cmocka_unit_test(special_values),
        cmocka_unit_test(steps_walk_columns),
        cmocka_unit_test(halfs_are_converted),
    };
    return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
