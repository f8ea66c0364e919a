/* Measures the speed of an answer relative to a reference, and gives the points for it. */
#ifndef RUNGS_SPEED_H
#define RUNGS_SPEED_H

#include <stdbool.h>

struct speed {
    double answer_us, reference_us; /* one call: the median of its samples */
    double ratio;   /* the answer's speed divided by the reference's: median over the pairs of
                                       samples; a pair counts as 0 if a clock gave no time */
    unsigned pairs; /* 0: nothing was measured */
};

/* The time of `calls` consecutive calls, of the reference or of the answer, in microseconds. */
typedef double speed_clock(void *data, bool reference, unsigned calls);

/* First makes one call of each, which does not count. Then takes up to 25 pairs of samples. A
 * sample is about a millisecond of consecutive calls. Answer and reference alternate, because then
 * a drift of the clock affects both. Stops early after two seconds, but not before three pairs. */
struct speed speed_measure(speed_clock *clock, void *data);

/* The percentage of the points: 100 from the ratio `full` on, 50 from `half` on, otherwise 0. */
int speed_percent(double ratio, double full, double half);

#endif
/* SPDX-License-Identifier: MIT */
