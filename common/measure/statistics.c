#include "measure/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t count, double fraction)
{
    double position = fraction * (double)(count - 1);
    size_t below = (size_t)position;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

static void add_order_statistics(struct statistics *result, const double *samples, size_t count)
{
    double *sorted = count <= SIZE_MAX / sizeof *sorted ? malloc(count * sizeof *sorted) : NULL;
    if (sorted == NULL)
        return;
    memcpy(sorted, samples, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    result->lower_quartile = quantile(sorted, count, 0.25);
    result->median =
        count % 2 == 1 ? sorted[count / 2] : sorted[count / 2 - 1] / 2 + sorted[count / 2] / 2;
    result->upper_quartile = quantile(sorted, count, 0.75);
    /* The sample of rank ceil(0.99 * count), in arithmetic that neither rounds nor overflows. */
    result->percentile_99 = sorted[count - count / 100 - 1];
    free(sorted);
}

struct statistics statistics_of(const double *samples, size_t count)
{
    struct statistics result = {count, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (count == 0)
        return result;

    double sum = 0;
    result.min = samples[0];
    result.max = samples[0];
    for (size_t i = 0; i < count; i++) {
        sum += samples[i];
        result.min = fmin(result.min, samples[i]);
        result.max = fmax(result.max, samples[i]);
    }
    result.mean = sum / (double)count;

    double squares = 0;
    double rest = 0; /* the sum of the differences, which would be 0 if the mean were exact */
    for (size_t i = 0; i < count; i++) {
        double difference = samples[i] - result.mean;
        squares += difference * difference;
        rest += difference;
    }
    result.standard_deviation =
        count == 1 ? 0 : sqrt(fmax(0, squares - rest * rest / (double)count) / (double)(count - 1));

    add_order_statistics(&result, samples, count);
    return result;
}
/* SPDX-License-Identifier: MIT */
