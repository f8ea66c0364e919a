/* Tests of the measurement of speed, with simulated clocks, and of the points for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "speed.h"

struct made_up {
    double call_us[2]; /* per call: of the answer, of the reference */
    double start_us;   /* per sample, in addition to its calls */
    double drift;      /* each sample takes 1 + drift times the one before */
    unsigned bad;      /* one sample in `bad` takes ten times as long; 0: none */
    unsigned samples, most_calls;
    bool had_one_call[2];
};

static double tell(void *data, bool reference, unsigned calls)
{
    struct made_up *const clock = data;
    double us = clock->start_us + calls * clock->call_us[reference];

    assert_true(clock->had_one_call[reference] || calls == 1); /* the first does not count */
    clock->had_one_call[reference] = true;
    clock->samples++;
    clock->most_calls = calls > clock->most_calls ? calls : clock->most_calls;
    us *= pow(1 + clock->drift, clock->samples);
    return clock->bad > 0 && clock->samples % clock->bad == 0 ? 10 * us : us;
}

static void test_ratio(void **state)
{
    struct made_up clock = {.call_us = {20, 10}};
    const struct speed speed = speed_measure(tell, &clock);

    (void)state;
    assert_true(fabs(speed.ratio - 0.5) < 1e-9);
    assert_true(fabs(speed.answer_us - 20) < 1e-9 && fabs(speed.reference_us - 10) < 1e-9);
    assert_int_equal(speed.pairs, 25);
    assert_int_equal(clock.most_calls, 100); /* a millisecond of the reference */
}

/* A clock that slows down by 1% per sample, and samples that were interrupted. */
static void test_drift_and_outliers(void **state)
{
    struct made_up clock = {.call_us = {20, 10}, .drift = 0.01, .bad = 7};
    const struct speed speed = speed_measure(tell, &clock);

    (void)state;
    assert_true(fabs(speed.ratio - 0.5) < 0.01);
}

/* A slow call gets few samples. A call that takes no time gets many calls, up to a limit. */
static void test_extremes(void **state)
{
    struct made_up slow = {.call_us = {3e5, 10}}, fast = {.call_us = {1e-4, 1e-4}},
                   none = {.call_us = {0, 10}}, broken = {.call_us = {NAN, 10}};

    (void)state;
    assert_int_equal(speed_measure(tell, &slow).pairs, 7);
    assert_true(slow.samples < 40);
    slow.call_us[0] = 5e6;
    assert_int_equal(speed_measure(tell, &slow).pairs, 3);
    assert_true(fabs(speed_measure(tell, &fast).ratio - 1) < 1e-9);
    assert_int_equal(fast.most_calls, 4096);
    assert_true(speed_measure(tell, &none).ratio == 0);
    assert_true(speed_measure(tell, &broken).ratio == 0);
}

static void test_points(void **state)
{
    (void)state;
    assert_int_equal(speed_percent(0.9, 0.9, 0.6), 100);
    assert_int_equal(speed_percent(7, 0.9, 0.6), 100);
    assert_int_equal(speed_percent(0.8999, 0.9, 0.6), 50);
    assert_int_equal(speed_percent(0.6, 0.9, 0.6), 50);
    assert_int_equal(speed_percent(0.5999, 0.9, 0.6), 0);
    assert_int_equal(speed_percent(0, 0.9, 0.6), 0);
    assert_int_equal(speed_percent(NAN, 0.9, 0.6), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_drift_and_outliers),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
