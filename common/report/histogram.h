/* A set of timings as a picture, for --histogram. */
#ifndef RUNGS_HISTOGRAM_H
#define RUNGS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Prints range, median, mean and deviation of `count` samples, and a histogram under them:
 *
 *     10000 samples with 1 evaluation
 *      Range (min … max):  244.474 μs …  43.973 ms
 *      Time  (median):     252.275 μs
 *      Time  (mean ± σ):   314.178 μs ± 884.297 μs
 *
 *      ▇█▄▃▂▁▁▁▁▁▁▁ ▁▂                                              ▂
 *      ████████████████▇▇▇▇▇█▇▇▇▇▇▇▇▇▆▆▅▆▇▇▅▃▅▅▄▃▄▄▃▃▄▃▅▇██▆▅▅▃▄▁▃▃ █
 *      244 μs         Histogram: log(frequency) by time        594 μs <
 *
 * The layout and the two rules are those of the trial report of Julia's BenchmarkTools:
 * - the columns end at the 99th percentile; what lies beyond is one column of its own, marked `<`
 *   (absent when nothing lies beyond);
 * - bars are log(1 + frequency) when the median of the well-filled columns (more than a tenth of an
 *   even share) is below 5% of the highest column, so that a long tail stays visible.
 * An empty column is blank and one sample shows.
 *
 * samples_us: finite times in microseconds, in any order, each the time of one evaluation: with
 * `batch` evaluations timed together, their mean. unicode: false prints ASCII only. */
void histogram_print(FILE *file, const double *samples_us, size_t count, size_t batch,
                     bool unicode);

#endif
