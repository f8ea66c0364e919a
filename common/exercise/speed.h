/* How fast an answer is beside a reference, and the points for it. */
#ifndef RUNGS_SPEED_H
#define RUNGS_SPEED_H

#include <stdbool.h>

struct speed {
    double answer_us, reference_us; /* one call: the median of its samples */
    double ratio;   /* the answer's speed by the reference's: the median over the pairs of samples;
                                       0 where a clock gave no time */
    unsigned pairs; /* 0: nothing was measured */
};

/* Microseconds that `calls` calls in a row, of the reference or of the answer, take. */
typedef double speed_clock(void *data, bool reference, unsigned calls);

/* One call of each that does not count; then samples of about a millisecond of calls in a row, the
 * answer's and the reference's in turns, so that a clock that drifts changes both. Up to 25 pairs
 * of them, fewer (but three) where they take more than two seconds. */
struct speed speed_measure(speed_clock *clock, void *data);

/* Of the points: all from the ratio `full` on, half of them from `half` on. */
int speed_percent(double ratio, double full, double half);

#endif
/* SPDX-License-Identifier: MIT */
