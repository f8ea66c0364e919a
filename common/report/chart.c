/* Bars: one per rung for every figure of the lesson that differs between rungs. If there is no such
 * figure, another one is shown. */
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "report/counters.h"
#include "report/report.h"

enum { LEAST_BAR = 10, USUAL_WIDTH = 80, VALUE_SIZE = 40 };

/* One chart: a title, and a value and its text for each row; NaN: no bar. */
struct chart {
    const char *title, *meaning;
    double values[MOST_BARS];
    char texts[MOST_BARS][VALUE_SIZE];
};

/* Draws eighths of a character, if the terminal has such characters. */
static void print_bar(FILE *file, double share, int width, bool unicode)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int units = (int)(share * width * 8 + 0.5);

    for (int i = 0; i < units / 8; i++)
        fputs(unicode ? "█" : "#", file);
    if (unicode)
        fputs(eighths[units % 8], file);
    else if (units > 0 && units < 8)
        fputc('#', file); /* not 0 */
}

static void print_chart(FILE *file, const struct results *results, const struct chart *chart,
                        size_t width, bool unicode)
{
    size_t name_width = 0, text_width = 0;
    double most = 0;

    for (size_t i = 0; i < results->row_count; i++) {
        if (isnan(chart->values[i]))
            continue;
        const size_t name = strlen(results->rows[i].rung), text = strlen(chart->texts[i]);
        name_width = name > name_width ? name : name_width;
        text_width = text > text_width ? text : text_width;
        most = fmax(most, chart->values[i]);
    }
    const int others = (int)(2 + name_width + 2 + text_width + 1);
    const int left = (int)(width > 0 ? width : USUAL_WIDTH) - others - 1;

    fprintf(file, "\n  %s: %s\n", chart->title, chart->meaning);
    for (size_t i = 0; i < results->row_count; i++) {
        if (isnan(chart->values[i]))
            continue;
        fprintf(file, "  %-*s  %*s", (int)name_width, results->rows[i].rung, (int)text_width,
                chart->texts[i]);
        if (chart->values[i] > 0) {
            fputc(' ', file);
            print_bar(file, chart->values[i] / most, left > LEAST_BAR ? left : LEAST_BAR, unicode);
        }
        fputc('\n', file);
    }
}

/* Whether the values differ: a chart of equal bars says nothing. */
static bool differs(const struct results *results, const struct chart *chart)
{
    double least = INFINITY, most = -INFINITY;

    for (size_t i = 0; i < results->row_count; i++) {
        least = fmin(least, chart->values[i]); /* fmin and fmax ignore NaN */
        most = fmax(most, chart->values[i]);
    }
    return most > least;
}

static bool chart_times(const struct results *results, struct chart *chart)
{
    bool any = false;

    chart->title = "median time";
    chart->meaning = "of one call";
    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *const row = &results->rows[i];
        chart->values[i] = row->timed ? row->trial.statistics.median : NAN;
        if (row->timed)
            format_time(row->trial.statistics.median, chart->texts[i]);
        any = any || row->timed;
    }
    return any;
}

void report_chart(FILE *file, const struct results *results, size_t width, bool unicode)
{
    static struct chart chart;
    size_t charts = 0;

    if (results->row_count > MOST_BARS)
        return;
    if (results->has_clocks && chart_times(results, &chart)) {
        print_chart(file, results, &chart, width, unicode);
        return;
    }
    size_t order[MOST_FIGURES];
    const size_t count = figures_shown(results, order);
    for (size_t figure = 0; figure < count; figure++) {
        if (figure >= figures_of_lesson(results) && results->lesson != NULL && charts > 0)
            break;
        chart.title = figure_title(order[figure]);
        chart.meaning = figure_meaning(order[figure]);
        for (size_t i = 0; i < results->row_count; i++) {
            chart.values[i] = figure_value(order[figure], &results->rows[i]);
            figure_text(order[figure], &results->rows[i], chart.texts[i]);
        }
        if (!differs(results, &chart))
            continue;
        print_chart(file, results, &chart, width, unicode);
        charts++;
    }
    if (charts == 0)
        fputs("\n  no chart: all rungs have the same counts\n", file);
}
/* SPDX-License-Identifier: MIT */
