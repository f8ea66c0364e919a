/* What a set of timings says, in a few numbers. */
#ifndef RUNGS_STATISTICS_H
#define RUNGS_STATISTICS_H

#include <stddef.h>

/* All in the unit of the samples, which is microseconds throughout this repository. */
struct statistics {
    size_t count;
    double min;
    double lower_quartile; /* interpolated linearly, as numpy.quantile(samples, 0.25) */
    double median;         /* mean of the middle two when the count is even */
    double mean;
    double upper_quartile;
    double percentile_99;      /* nearest rank: the smallest sample that 99% do not exceed */
    double standard_deviation; /* of a sample, divisor count - 1; 0 for one sample */
    double max;
};

/* Statistics of `count` finite samples, in any order, which is left as it is.
 * With no samples every field but the count is NaN. Sorting needs a copy: when memory for it runs
 * out, the quartiles, the median and percentile_99 are NaN, and the others stand. The deviation
 * comes from a second pass over x - mean, with the correction for the rounding of the mean (Chan,
 * Golub, LeVeque, "Algorithms for computing the sample variance", 1983); the textbook sum(x^2) -
 * n*mean^2 cancels when times scatter little. */
struct statistics statistics_of(const double *samples, size_t count);

#endif
