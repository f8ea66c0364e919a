#include "report/histogram.h"

#include "base/format.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 60, TAIL = COLUMNS, ALL_COLUMNS = COLUMNS + 1, MAX_LEVELS = 8, TEXT_SIZE = 32 };

/* The characters to print. Bars are `rows` text lines high, each with `levels` heights. */
struct glyphs {
    const char *micro;
    const char *dots;
    const char *plus_minus;
    const char *sigma;
    size_t rows;
    size_t levels;
    const char *heights[MAX_LEVELS + 1]; /* [0] is empty, [levels] is full */
};

static const struct glyphs unicode_glyphs = {
    "μ", "…", "±", "σ", 2, 8, {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}};

static const struct glyphs ascii_glyphs = {"u", "..", "+-", "sd", 4, 3, {" ", ".", ":", "|"}};

/* The width of a UTF-8 string on the screen, for the characters used here. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80; /* continuation bytes have no width */
    return width;
}

/* Right-aligns by the width on the screen; printf's %*s would count bytes. */
static void print_right(FILE *file, const char *text, int width)
{
    fprintf(file, "%*s%s", width > width_of(text) ? width - width_of(text) : 0, "", text);
}

/* "244.474 μs": more digits than format_time, for the lines above the histogram. */
static void format_precise(double microseconds, const struct glyphs *glyphs, char text[TEXT_SIZE])
{
    double size = fabs(microseconds);
    /* From 999.9995 on, three decimals round to 1000.000. */
    if (size < 0.9999995)
        snprintf(text, TEXT_SIZE, "%.3f ns", microseconds * 1e3);
    else if (size < 999.9995)
        snprintf(text, TEXT_SIZE, "%.3f %ss", microseconds, glyphs->micro);
    else if (size < 999999.5)
        snprintf(text, TEXT_SIZE, "%.3f ms", microseconds * 1e-3);
    else
        snprintf(text, TEXT_SIZE, size < 1e15 ? "%.3f s" : "%.3e s", microseconds * 1e-6);
}

/* format_time, with a micro sign if the glyphs have one. */
static void format_label(double microseconds, const struct glyphs *glyphs, char text[TEXT_SIZE])
{
    char time[FORMAT_TIME_SIZE];
    format_time(microseconds, time);
    size_t length = strlen(time);
    if (length > 2 && strcmp(time + length - 2, "us") == 0)
        snprintf(text, TEXT_SIZE, "%.*s%ss", (int)length - 2, time, glyphs->micro);
    else
        snprintf(text, TEXT_SIZE, "%s", time);
}

static void print_summary(FILE *file, const struct statistics *statistics,
                          const struct glyphs *glyphs)
{
    char min[TEXT_SIZE], median[TEXT_SIZE], mean[TEXT_SIZE], deviation[TEXT_SIZE], max[TEXT_SIZE];
    format_precise(statistics->min, glyphs, min);
    format_precise(statistics->median, glyphs, median);
    format_precise(statistics->mean, glyphs, mean);
    format_precise(statistics->standard_deviation, glyphs, deviation);
    format_precise(statistics->max, glyphs, max);
    const char *left[] = {min, median, mean};
    int left_width = 0;
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        left_width = width_of(left[i]) > left_width ? width_of(left[i]) : left_width;
    int right_width = width_of(max) > width_of(deviation) ? width_of(max) : width_of(deviation);

    const int title_width = 20;
    char title[TEXT_SIZE];

    snprintf(title, sizeof title, "Range (min %s max): ", glyphs->dots);
    fprintf(file, " %s%*s", title, title_width - width_of(title), "");
    print_right(file, min, left_width);
    fprintf(file, " %s ", glyphs->dots);
    print_right(file, max, right_width + (width_of(glyphs->plus_minus) - width_of(glyphs->dots)));

    snprintf(title, sizeof title, "Time  (median): ");
    fprintf(file, "\n %s%*s", title, title_width - width_of(title), "");
    print_right(file, median, left_width);

    snprintf(title, sizeof title, "Time  (mean %s %s): ", glyphs->plus_minus, glyphs->sigma);
    fprintf(file, "\n %s%*s", title, title_width - width_of(title), "");
    print_right(file, mean, left_width);
    fprintf(file, " %s ", glyphs->plus_minus);
    print_right(file, deviation, right_width);
    fprintf(file, "\n");
}

/* Counts the samples in each column. Samples above percentile_99 go to the column TAIL. */
static void fill_columns(const double *samples, const struct statistics *statistics,
                         size_t columns[ALL_COLUMNS])
{
    memset(columns, 0, ALL_COLUMNS * sizeof columns[0]);
    double span = statistics->percentile_99 - statistics->min;
    for (size_t i = 0; i < statistics->count; i++) {
        if (samples[i] > statistics->percentile_99) {
            columns[TAIL]++;
            continue;
        }
        double position = (samples[i] - statistics->min) * COLUMNS / span;
        /* If all samples are equal, the position is NaN: column 0. The largest sample belongs to
         * the last column, not to the one past it. */
        size_t column = position >= COLUMNS ? COLUMNS - 1 : position > 0 ? (size_t)position : 0;
        columns[column]++;
    }
}

static int compare_counts(const void *left, const void *right)
{
    size_t a = *(const size_t *)left;
    size_t b = *(const size_t *)right;
    return (a > b) - (a < b);
}

static size_t highest_of(const size_t columns[ALL_COLUMNS])
{
    size_t highest = 0;
    for (size_t i = 0; i < ALL_COLUMNS; i++)
        highest = columns[i] > highest ? columns[i] : highest;
    return highest;
}

/* Whether linear bars would show little except for one peak (see histogram.h). */
static bool wants_logarithm(const size_t columns[ALL_COLUMNS], size_t count)
{
    size_t filled[ALL_COLUMNS];
    size_t filled_count = 0;
    for (size_t i = 0; i < ALL_COLUMNS; i++)
        if ((double)columns[i] > 0.1 * (double)count / COLUMNS)
            filled[filled_count++] = columns[i];
    if (filled_count == 0)
        return false;
    qsort(filled, filled_count, sizeof filled[0], compare_counts);
    double median = ((double)filled[(filled_count - 1) / 2] + (double)filled[filled_count / 2]) / 2;
    return median < 0.05 * (double)highest_of(columns);
}

/* A bar's height in levels: 0 for an empty column, at least 1 for any other. */
static size_t height_of(size_t frequency, size_t highest, bool logarithm, size_t full)
{
    if (frequency == 0)
        return 0;
    double share = logarithm ? log1p((double)frequency) / log1p((double)highest)
                             : (double)frequency / (double)highest;
    size_t height = (size_t)(share * (double)full + 0.5);
    return height < 1 ? 1 : height > full ? full : height;
}

static void print_bars(FILE *file, const size_t heights[ALL_COLUMNS], const struct glyphs *glyphs)
{
    for (size_t row = glyphs->rows; row-- > 0;) {
        size_t below = row * glyphs->levels; /* levels shown by the rows below this one */
        fprintf(file, " ");
        int blanks = 0; /* printed only before another glyph, so that no line ends in spaces */
        for (size_t i = 0; i < ALL_COLUMNS; i++) {
            if (i == TAIL)
                blanks++; /* a gap before the tail */
            size_t level = heights[i] > below ? heights[i] - below : 0;
            if (level == 0) {
                blanks++;
                continue;
            }
            fprintf(file, "%*s%s", blanks, "",
                    glyphs->heights[level < glyphs->levels ? level : glyphs->levels]);
            blanks = 0;
        }
        fprintf(file, "\n");
    }
}

void histogram_print(FILE *file, const double *samples_us, size_t count, size_t batch, bool unicode)
{
    const struct glyphs *glyphs = unicode ? &unicode_glyphs : &ascii_glyphs;
    fprintf(file, "%zu sample%s with %zu evaluation%s\n", count, count == 1 ? "" : "s", batch,
            batch == 1 ? "" : "s each");
    if (count == 0)
        return;
    struct statistics statistics = statistics_of(samples_us, count);
    print_summary(file, &statistics, glyphs);
    if (isnan(statistics.percentile_99))
        return; /* no memory to sort, or a sample that is NaN: no histogram */

    size_t columns[ALL_COLUMNS];
    fill_columns(samples_us, &statistics, columns);
    bool logarithm = wants_logarithm(columns, count);
    size_t heights[ALL_COLUMNS];
    for (size_t i = 0; i < ALL_COLUMNS; i++)
        heights[i] =
            height_of(columns[i], highest_of(columns), logarithm, glyphs->rows * glyphs->levels);
    fprintf(file, "\n");
    print_bars(file, heights, glyphs);

    char first[TEXT_SIZE], last[TEXT_SIZE];
    format_label(statistics.min, glyphs, first);
    format_label(statistics.percentile_99, glyphs, last);
    const char *title =
        logarithm ? "Histogram: log(frequency) by time" : "Histogram: frequency by time";
    int free_width = COLUMNS - width_of(first) - width_of(title) - width_of(last);
    int before = free_width > 2 ? free_width / 2 : 1;
    int after = free_width > 2 ? free_width - before : 1;
    fprintf(file, " %s%*s%s%*s%s%s\n", first, before, "", title, after, "", last,
            columns[TAIL] > 0 ? " <" : "");
}
/* SPDX-License-Identifier: MIT */
