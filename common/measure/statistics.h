/* Summary statistics of a set of timings. */
#ifndef RUNGS_STATISTICS_H
#define RUNGS_STATISTICS_H

#include <stddef.h>

/* All in the unit of the samples, which is microseconds throughout this repository. */
struct statistics {
    size_t count;
    double min;
    double lower_quartile; /* interpolated linearly, as by numpy.quantile(samples, 0.25) */
    double median;         /* mean of the middle two if the count is even */
    double mean;
    double upper_quartile;
    double percentile_99;      /* nearest rank: the smallest sample that 99% do not exceed */
    double standard_deviation; /* with divisor count - 1; 0 for one sample */
    double max;
};

/* Statistics of `count` finite samples in any order, which are not modified. Without samples every
 * member except for the count is NaN. A copy is sorted. If there is no memory for the copy, the
 * quartiles, the median and percentile_99 are NaN. The deviation is computed in a second pass over
 * x - mean, corrected for the rounding of the mean (Chan, Golub, LeVeque, "Algorithms for computing
 * the sample variance", 1983). The textbook formula sum(x^2) - n*mean^2 suffers from cancellation
 * if the deviation is small. */
struct statistics statistics_of(const double *samples, size_t count);

#endif
/* SPDX-License-Identifier: MIT */
