/* Tests statistics.h with values computed by NumPy, and the picture that histogram.h draws. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"
#include "measure/statistics.h"
#include "report/histogram.h"

static struct npy read_samples(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.npy", TEST_DATA_DIR, name);
    struct npy array;
    struct error error;
    if (!npy_read(path, &array, &error))
        fail_msg("%s", error.text);
    assert_int_equal(array.type, NPY_FLOAT64);
    return array;
}

static void assert_near(double got, double expected, double relative)
{
    if (!(fabs(got - expected) <= relative * fabs(expected)))
        fail_msg("%.17g, expected %.17g", got, expected);
}

static void are_those_of_numpy(void **state)
{
    (void)state;
    static const char *const names[] = {"samples_skewed", "samples_even", "samples_few"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char expected_name[64];
        snprintf(expected_name, sizeof expected_name, "%s_expected", names[i]);
        struct npy samples = read_samples(names[i]);
        struct npy expected_array = read_samples(expected_name);
        const double *expected = expected_array.data;
        assert_int_equal(expected_array.count, 8);
        double *before = malloc(samples.count * sizeof *before);
        assert_non_null(before);
        memcpy(before, samples.data, samples.count * sizeof *before);

        struct statistics got = statistics_of(samples.data, samples.count);
        assert_memory_equal(before, samples.data, samples.count * sizeof *before);
        assert_int_equal(got.count, samples.count);
        assert_true(got.min == expected[0]);
        assert_near(got.lower_quartile, expected[1], 4 * DBL_EPSILON);
        assert_near(got.median, expected[2], 4 * DBL_EPSILON);
        assert_near(got.mean, expected[3], (double)samples.count * DBL_EPSILON);
        assert_near(got.upper_quartile, expected[4], 4 * DBL_EPSILON);
        assert_true(got.percentile_99 == expected[5]);
        /* The scatter of "even" is a millionth of its mean: the textbook formula would lose it. */
        assert_near(got.standard_deviation, expected[6], 1e-9);
        assert_true(got.max == expected[7]);
        free(before);
        npy_free(&samples);
        npy_free(&expected_array);
    }
}

static void of_few_samples(void **state)
{
    (void)state;
    struct statistics one = statistics_of((double[]){3.5}, 1);
    assert_true(one.min == 3.5 && one.median == 3.5 && one.mean == 3.5 && one.max == 3.5);
    assert_true(one.lower_quartile == 3.5 && one.upper_quartile == 3.5);
    assert_true(one.percentile_99 == 3.5);
    assert_true(one.standard_deviation == 0);

    struct statistics two = statistics_of((double[]){4, 1}, 2);
    assert_true(two.min == 1 && two.median == 2.5 && two.mean == 2.5 && two.max == 4);
    assert_true(two.percentile_99 == 4);
    assert_near(two.standard_deviation, sqrt(4.5), 4 * DBL_EPSILON);

    struct statistics three = statistics_of((double[]){9, 1, 2}, 3);
    assert_true(three.median == 2 && three.mean == 4);

    struct statistics none = statistics_of(NULL, 0);
    assert_int_equal(none.count, 0);
    assert_true(isnan(none.min) && isnan(none.median) && isnan(none.mean) && isnan(none.max));
    assert_true(isnan(none.standard_deviation) && isnan(none.percentile_99));
    assert_true(isnan(none.lower_quartile) && isnan(none.upper_quartile));
}

static void percentile_has_the_nearest_rank(void **state)
{
    (void)state;
    double samples[200];
    for (size_t i = 0; i < 200; i++)
        samples[i] = (double)(200 - i); /* 200 .. 1 */
    assert_true(statistics_of(samples + 101, 99).percentile_99 == 99);
    assert_true(statistics_of(samples + 100, 100).percentile_99 == 99);
    assert_true(statistics_of(samples + 99, 101).percentile_99 == 100);
    assert_true(statistics_of(samples, 200).percentile_99 == 198);
}

static void equal_samples_do_not_scatter(void **state)
{
    (void)state;
    double samples[1000];
    for (size_t i = 0; i < 1000; i++)
        samples[i] = 0.1; /* the sum is rounded, so the mean is also rounded */
    assert_true(statistics_of(samples, 1000).standard_deviation < 1e-15);
}

/* ---- the picture ---- */

/* The output of histogram_print; the caller frees. */
static char *picture(const double *samples, size_t count, size_t batch, bool unicode)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    histogram_print(file, samples, count, batch, unicode);
    assert_int_equal(fclose(file), 0);
    assert_non_null(text);
    assert_true(size > 0 && text[size - 1] == '\n');
    assert_null(strstr(text, " \n")); /* no line ends in spaces */
    /* No line is wider than 80 characters (continuation bytes do not count). */
    size_t width = 0;
    for (const char *c = text; *c != '\0'; c++) {
        width = *c == '\n' ? 0 : width + (((unsigned char)*c & 0xC0) != 0x80);
        assert_true(width <= 80);
        if (!unicode)
            assert_true((unsigned char)*c < 128);
    }
    return text;
}

static size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + strlen(part), part))
        count++;
    return count;
}

static void assert_picture(const double *samples, size_t count, size_t batch, bool unicode,
                           const char *expected)
{
    char *text = picture(samples, count, batch, unicode);
    assert_string_equal(text, expected);
    free(text);
}

static void draws_every_height(void **state)
{
    (void)state;
    /* Column i of 60 holds i / 4 + 1 samples, so its bar is about that many levels of 16 high. */
    double samples[480];
    size_t count = 0;
    for (size_t i = 0; i < 60; i++)
        for (size_t j = 0; j < i / 4 + 1; j++)
            samples[count++] = 100 + (double)i;
    assert_int_equal(count, 480);
    assert_picture(samples, count, 1, true,
                   "480 samples with 1 evaluation\n"
                   " Range (min … max):  100.000 μs … 159.000 μs\n"
                   " Time  (median):     141.000 μs\n"
                   " Time  (mean ± σ):   138.833 μs ±  14.603 μs\n"
                   "\n"
                   "                             ▁▁▁▁▂▂▂▂▃▃▃▃▄▄▄▄▅▅▅▅▆▆▆▆▇▇▇▇████\n"
                   " ▁▁▁▁▂▂▂▂▃▃▃▃▄▄▄▄▅▅▅▅▆▆▆▆▇▇▇▇████████████████████████████████\n"
                   " 100 μs          Histogram: frequency by time          159 μs\n");
}

static void marks_what_lies_beyond(void **state)
{
    (void)state;
    double samples[1000];
    for (size_t i = 0; i < 1000; i++)
        samples[i] = i < 995 ? 1000 + (double)(i % 60) : 50000;
    char *text = picture(samples, 1000, 8, true);
    assert_non_null(strstr(text, "1000 samples with 8 evaluations each\n"));
    assert_non_null(strstr(text, " Range (min … max):  1.000 ms … 50.000 ms\n"));
    assert_non_null(strstr(text, "Histogram: frequency by time"));
    assert_non_null(strstr(text, " 1.06 ms <\n")); /* not 50 ms */
    assert_int_equal(occurrences(text, " ▅\n"), 1);
    free(text);
}

static void takes_logarithms_of_long_tails(void **state)
{
    (void)state;
    struct npy samples = read_samples("samples_skewed");
    char *text = picture(samples.data, samples.count, 1, true);
    assert_non_null(strstr(text, "Histogram: log(frequency) by time"));
    assert_non_null(strstr(text, " <\n"));
    free(text);
    text = picture(samples.data, samples.count, 1, false);
    assert_non_null(strstr(text, "1001 samples with 1 evaluation\n"));
    assert_non_null(strstr(text, " Range (min .. max): "));
    assert_non_null(strstr(text, " Time  (mean +- sd): "));
    assert_non_null(strstr(text, "Histogram: log(frequency) by time"));
    assert_non_null(strstr(text, " us"));
    free(text);
    npy_free(&samples);

    samples = read_samples("samples_even");
    text = picture(samples.data, samples.count, 1, true);
    assert_non_null(strstr(text, "Histogram: frequency by time"));
    free(text);
    npy_free(&samples);
}

static void draws_in_ascii(void **state)
{
    (void)state;
    assert_picture((double[]){0.25, 0.25, 0.25, 0.25, 0.5, 0.75, 0.75}, 7, 100, false,
                   "7 samples with 100 evaluations each\n"
                   " Range (min .. max): 250.000 ns .. 750.000 ns\n"
                   " Time  (median):     250.000 ns\n"
                   " Time  (mean +- sd): 428.571 ns +- 237.797 ns\n"
                   "\n"
                   " |\n"
                   " |\n"
                   " |                                                          |\n"
                   " |                             |                            |\n"
                   " 250 ns          Histogram: frequency by time          750 ns\n");
}

static void draws_few_samples(void **state)
{
    (void)state;
    assert_picture(NULL, 0, 1, true, "0 samples with 1 evaluation\n");
    assert_picture((double[]){2.5e6}, 1, 1, true,
                   "1 sample with 1 evaluation\n"
                   " Range (min … max):  2.500 s …  2.500 s\n"
                   " Time  (median):     2.500 s\n"
                   " Time  (mean ± σ):   2.500 s ± 0.000 ns\n"
                   "\n"
                   " █\n"
                   " █\n"
                   " 2.50 s          Histogram: frequency by time          2.50 s\n");
    double same[300];
    for (size_t i = 0; i < 300; i++)
        same[i] = 7;
    char *text = picture(same, 300, 1, true);
    assert_int_equal(occurrences(text, "█"), 2);
    assert_null(strstr(text, "<"));
    free(text);
}

/* The results have no meaning, but a wrong time must not cause undefined behaviour. */
static void survives_what_is_no_time(void **state)
{
    (void)state;
    const double samples[][4] = {{NAN, 1, 2, 3},
                                 {1, NAN, NAN, 2},
                                 {NAN, NAN, NAN, NAN},
                                 {INFINITY, 1, 2, -INFINITY},
                                 {1, 2, 3, INFINITY},
                                 {-1, 0, 0, -5},
                                 {DBL_MAX, -DBL_MAX, DBL_MAX, 0},
                                 {DBL_TRUE_MIN, 0, DBL_TRUE_MIN, 0}};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        assert_non_null(file);
        histogram_print(file, samples[i], 4, 1, i % 2 == 0);
        fclose(file);
        assert_true(size > 0);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_those_of_numpy),
        cmocka_unit_test(of_few_samples),
        cmocka_unit_test(percentile_has_the_nearest_rank),
        cmocka_unit_test(equal_samples_do_not_scatter),
        cmocka_unit_test(draws_every_height),
        cmocka_unit_test(marks_what_lies_beyond),
        cmocka_unit_test(takes_logarithms_of_long_tails),
        cmocka_unit_test(draws_in_ascii),
        cmocka_unit_test(draws_few_samples),
        cmocka_unit_test(survives_what_is_no_time),
    };
    return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
