/* A histogram of timings in text, for --histogram. */
#ifndef RUNGS_HISTOGRAM_H
#define RUNGS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Prints the range, median, mean and standard deviation of `count` samples, then a histogram:
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
 * The layout and two rules are those of the trial report of Julia's BenchmarkTools:
 * - the columns end at the 99th percentile; slower samples share one more column, marked `<`, which
 *   is left out if there are none;
 * - bars show log(1 + frequency) if the median of the well-filled columns (those with more than a
 *   tenth of an even share) is below 5% of the highest column. Then a long tail remains visible.
 * An empty column is blank; a column with a single sample is not.
 *
 * samples_us: finite times in microseconds, in any order, each the time of one evaluation, or the
 * mean of `batch` evaluations that were timed together. unicode: false prints ASCII only. */
void histogram_print(FILE *file, const double *samples_us, size_t count, size_t batch,
                     bool unicode);

#endif
/* SPDX-License-Identifier: MIT */
