#include "speed.h"

#include <math.h>

#include "../measure/statistics.h"

enum { MOST_PAIRS = 25, FEWEST_PAIRS = 3, MOST_CALLS = 4096 };
static const double SAMPLE_US = 1e3, ALL_US = 2e6;

/* The number of consecutive calls that take about SAMPLE_US. */
static unsigned calls_of_sample(speed_clock *clock, void *data, bool reference)
{
    unsigned calls = 1;
    double us = clock(data, reference, calls);

    while (us < SAMPLE_US / 2 && calls < MOST_CALLS) {
        calls *= 2;
        us = clock(data, reference, calls);
    }
    const double wanted = ceil(SAMPLE_US / us * calls);
    if (!(wanted >= 1)) /* one call is long, or the time is NaN */
        return 1;
    return wanted < MOST_CALLS ? (unsigned)wanted : MOST_CALLS;
}

struct speed speed_measure(speed_clock *clock, void *data)
{
    double times[2][MOST_PAIRS], ratios[MOST_PAIRS], spent = 0;
    unsigned calls[2];
    struct speed speed = {0};

    for (int reference = 0; reference < 2; reference++) {
        clock(data, reference, 1);
        calls[reference] = calls_of_sample(clock, data, reference);
    }
    while (speed.pairs < MOST_PAIRS && (speed.pairs < FEWEST_PAIRS || spent < ALL_US)) {
        const unsigned pair = speed.pairs++;
        for (int turn = 0; turn < 2; turn++) {
            const int reference = (turn + (int)pair) % 2;
            const double us = clock(data, reference, calls[reference]);
            times[reference][pair] = us / calls[reference];
            spent += us;
        }
        const double ratio = times[1][pair] / times[0][pair];
        ratios[pair] = times[0][pair] > 0 && isfinite(ratio) ? ratio : 0;
    }
    speed.answer_us = statistics_of(times[0], speed.pairs).median;
    speed.reference_us = statistics_of(times[1], speed.pairs).median;
    speed.ratio = statistics_of(ratios, speed.pairs).median;
    return speed;
}

int speed_percent(double ratio, double full, double half)
{
    if (ratio >= full)
        return 100;
    return ratio >= half ? 50 : 0;
}
/* SPDX-License-Identifier: MIT */
