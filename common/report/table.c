#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "report/columns.h"
#include "report/counters.h"
#include "report/histogram.h"
#include "report/report.h"

static const char *colour_of(enum verdict verdict)
{
    static const char *const codes[] = {"\033[32m", "\033[1;31m", "\033[33m", "\033[2m"};
    return codes[verdict];
}

/* Sets the cell to a number, or to "" for NaN. */
static void set_number(struct columns *table, size_t row, int decimals, const char *unit,
                       double value)
{
    if (!isnan(value))
        columns_set(table, row, "%.*f%s", decimals, value, unit);
    else
        columns_set(table, row, "-");
}

/* Shows two decimals. A small number has as many as it takes to show two digits. */
static void set_speed(struct columns *table, size_t row, double speed)
{
    double least = 0.095;
    int decimals = 2;

    while (speed > 0 && speed < least && decimals < 9) {
        least /= 10;
        decimals++;
    }
    set_number(table, row, decimals, "x", speed);
}

/* Whether to show GFLOP/s instead of GB/s: for problems with more arithmetic than traffic. */
static bool is_arithmetic(const struct results *results)
{
    return results->flops > 4 * results->bytes;
}

static bool has_host_rows(const struct results *results)
{
    return results->host.name[0] != '\0';
}

enum { SHAPE_TEXT_SIZE = 96 };

/* "1048576 (1M)"; a shape that is not a single number stays as it is. */
static void shape_text(char text[SHAPE_TEXT_SIZE], const char *shape)
{
    char count[FORMAT_COUNT_SIZE] = "";

    if (strspn(shape, "0123456789") == strlen(shape))
        format_count(strtoull(shape, NULL, 10), count);
    if (count[0] != '\0' && strcmp(count, shape) != 0)
        snprintf(text, SHAPE_TEXT_SIZE, "%s (%s)", shape, count);
    else
        snprintf(text, SHAPE_TEXT_SIZE, "%s", shape);
}

void report_heading(FILE *file, const struct results *results, bool colour)
{
    const struct machine *machine = &results->machine;

    char shape[SHAPE_TEXT_SIZE];

    shape_text(shape, results->shape);
    fprintf(file, "\n%s%s: %s %s, %s%s\n", colour ? "\033[1m" : "", results->step, results->op,
            results->type, shape, colour ? "\033[0m" : "");
    fprintf(file, "%s back end: %s", results->back_end, machine->name);
    if (machine->details[0] != '\0')
        fprintf(file, ", %s", machine->details);
    if (results->has_clocks && results->peak_gb_per_s > 0)
        fprintf(file, ", peak %.*f GB/s", results->peak_gb_per_s < 100 ? 1 : 0,
                results->peak_gb_per_s);
    if (results->has_clocks && results_peak_gflop_per_s(results) > 0)
        fprintf(file, ", %.1f TFLOP/s", results_peak_gflop_per_s(results) * 1e-3);
    if (has_host_rows(results))
        fprintf(file, "\nhost: %s, %s", results->host.name, results->host.details);
    fputc('\n', file);
}

/* A smaller problem for which memory was counted, or NULL. */
static const char *counted_shape(const struct results *results)
{
    for (size_t i = 0; i < results->row_count; i++)
        if (results->rows[i].counted_shape[0] != '\0')
            return results->rows[i].counted_shape;
    return NULL;
}

/* Says for which problem memory was counted, if it was not the table's. Rungs that decline the
 * smaller problem are counted on the table's. */
static void tell_counted(FILE *file, const struct results *results, size_t width)
{
    const char *titles[MOST_FIGURES];
    const size_t count = counters_of_memory(results, titles);
    const char *const smaller = counted_shape(results);

    if (smaller != NULL && count > 0) {
        char shape[SHAPE_TEXT_SIZE], text[SHAPE_TEXT_SIZE + 64], *whole = NULL;
        size_t length;
        FILE *const names = open_memstream(&whole, &length);

        for (size_t i = 0; names != NULL && i < results->row_count; i++)
            if (results->rows[i].counted && results->rows[i].counters.has_memory &&
                results->rows[i].counted_shape[0] == '\0')
                fprintf(names, ", %s", results->rows[i].rung);
        if (names != NULL)
            fclose(names);
        shape_text(shape, smaller);
        snprintf(text, sizeof text, "counted for %s (--counters counts this size)", shape);
        print_names(file, text, titles, count, width);
        if (whole != NULL && whole[0] != '\0')
            fprintf(file, "    except for rungs that decline the smaller one: %s\n", whole + 2);
        free(whole);
    } else if (results->from_files && count == 0) {
        fputs("  requests to memory: with data from files, only --counters counts them\n", file);
    }
}

/* The rows that the table shows. */
struct shown {
    const struct result **rows;
    size_t count;
};

/* Rungs that were skipped are not shown, unless they ran before the run ended early. */
static bool is_shown(const struct result *row)
{
    return row->verdict != VERDICT_SKIP || row->ran;
}

static void add_times(struct columns *table, const struct results *results,
                      const struct shown *shown)
{
    columns_add(table, "median", false);
    for (size_t i = 0; i < shown->count; i++) {
        char median[FORMAT_TIME_SIZE] = "-";
        if (shown->rows[i]->timed)
            format_time(shown->rows[i]->trial.statistics.median, median);
        columns_set(table, i, "%s", median);
    }
    columns_add(table, is_arithmetic(results) ? "GFLOP/s" : "GB/s", false);
    for (size_t i = 0; i < shown->count; i++)
        set_number(table, i, 1, "",
                   is_arithmetic(results) ? shown->rows[i]->gflop_per_s : shown->rows[i]->gb_per_s);
}

static void add_speeds(struct columns *table, const struct shown *shown)
{
    columns_add(table, "of peak", false);
    for (size_t i = 0; i < shown->count; i++)
        set_number(table, i, 1, "%", shown->rows[i]->percent_of_peak);
    columns_add(table, "vs first", false);
    for (size_t i = 0; i < shown->count; i++)
        set_speed(table, i, shown->rows[i]->speedup_first);
    columns_add(table, "vs library", false);
    for (size_t i = 0; i < shown->count; i++)
        set_speed(table, i, shown->rows[i]->speedup_library);
}

/* Marks the row in which the figure changed most from the row above. If a rise and a fall have the
 * same factor, it marks the later one. */
static void mark_change(struct columns *table, const struct shown *shown, size_t figure)
{
    double most = log(1.1);

    for (size_t i = 1; i < shown->count; i++) {
        const double change = fabs(log((figure_value(figure, shown->rows[i]) + 1) /
                                       (figure_value(figure, shown->rows[i - 1]) + 1)));
        if (change >= most) { /* false for NaN */
            most = change;
            table->marked = i;
        }
    }
}

/* Marks the rung with the largest gain over the one above. */
static void mark_gain(struct columns *table, const struct shown *shown)
{
    double most = 1.1;

    for (size_t i = 1; i < shown->count; i++) {
        const struct result *const row = shown->rows[i], *const above = shown->rows[i - 1];
        const bool timed = row->timed && above->timed && !row->is_library && !row->is_part;
        const double gain =
            timed ? above->trial.statistics.median / row->trial.statistics.median : 0;
        if (gain > most && !above->is_part) {
            most = gain;
            table->marked = i;
        }
    }
}

/* Adds the lesson's figures, and further columns if they fit. */
static void add_counters(struct columns *table, const struct results *results,
                         const struct shown *shown)
{
    size_t order[MOST_FIGURES];
    const size_t count = figures_shown(results, order);

    for (size_t figure = 0; figure < count; figure++) {
        columns_add(table, figure_title(order[figure]), false);
        if (figure >= figures_of_lesson(results))
            columns_optional(table);
        for (size_t i = 0; i < shown->count; i++) {
            char text[FIGURE_TEXT_SIZE];
            figure_text(order[figure], shown->rows[i], text);
            columns_set(table, i, "%s", text);
        }
    }
    if (count > 0 && results->lesson != NULL)
        mark_change(table, shown, order[0]);
}

/* Explains the lesson's columns, and says how rows with equal counts differ. */
static void explain_counters(FILE *file, const struct results *results, const struct shown *shown,
                             const struct columns *table, size_t width)
{
    size_t order[MOST_FIGURES];
    const size_t count = figures_shown(results, order);
    bool told = false;

    if (table->marked < shown->count)
        fprintf(file, "  < the largest change of `%s` from one rung to the next\n",
                figure_title(order[0]));
    for (size_t i = 0; i < count && i < figures_of_lesson(results); i++)
        fprintf(file, "  %s: %s\n", figure_title(order[i]), figure_meaning(order[i]));
    for (size_t i = 1; i < shown->count; i++) {
        if (!figures_equal(shown->rows[i], shown->rows[i - 1]))
            continue;
        if (!told)
            fputs("  the same counts as the rung above; what differs:\n", file);
        told = true;
        const int used = fprintf(file, "    %s: ", shown->rows[i]->rung);
        print_words(file, shown->rows[i]->idea, (size_t)used, 6, width);
    }
}

/* The computed number, with enough digits to tell any two of its type apart, and its error. */
static void add_result(struct columns *table, const struct results *results,
                       const struct shown *shown)
{
    const int digits = strstr(results->type, "f64") != NULL ? 17 : 9;

    if (results->is_scalar) {
        columns_add(table, "result", false);
        if (!results->has_clocks)
            columns_optional(table);
        for (size_t i = 0; i < shown->count; i++)
            columns_set(table, i, "%.*g", digits, shown->rows[i]->comparison.computed);
    }
    columns_add(table, "error/bound", false);
    if (!results->has_clocks)
        columns_optional(table);
    for (size_t i = 0; i < shown->count; i++) {
        const struct comparison *const comparison = &shown->rows[i]->comparison;
        if (shown->rows[i]->verdict != VERDICT_PASS)
            columns_set(table, i, "-");
        else if (comparison->bound > 0)
            columns_set(table, i, "%.4f", comparison->error / comparison->bound);
        else
            columns_set(table, i, "exact");
    }
}

/* A table of rungs that run on one processor: either the host's or the step's. */
static void print_rows(FILE *file, const struct results *results, const struct shown *shown,
                       bool on_host, size_t width, bool colour)
{
    const bool counts = !on_host && !results->has_clocks;
    const char **const paint = calloc(shown->count + 1, sizeof *paint);
    struct columns table;

    if (paint == NULL || !columns_create(&table, shown->count)) {
        fputs("  out of memory for the table\n", file);
        free(paint);
        return;
    }
    table.colour = colour;
    columns_add(&table, on_host ? "on the host" : "rung", true);
    for (size_t i = 0; i < shown->count; i++) {
        columns_set(&table, i, "%s", shown->rows[i]->rung);
        paint[i] = colour_of(shown->rows[i]->verdict);
    }
    if (counts)
        add_counters(&table, results, shown);
    else
        add_times(&table, results, shown);
    if (!counts)
        mark_gain(&table, shown);
    if (results->has_clocks)
        add_speeds(&table, shown);
    add_result(&table, results, shown);
    columns_add(&table, "used", true);
    _Static_assert(CELL_SIZE >= sizeof "calls overlap, " + RUNG_HOW_SIZE, "a whole text fits");
    for (size_t i = 0; i < shown->count; i++) {
        const struct result *const row = shown->rows[i];
        const bool overlaps = row->timed && row->trial.overlaps;
        columns_set(&table, i, "%s%s%s", overlaps ? "calls overlap" : "",
                    overlaps && row->how[0] != '\0' ? ", " : "", row->how);
    }
    if (counts)
        columns_optional(&table);
    columns_add(&table, "verdict", true);
    for (size_t i = 0; i < shown->count; i++)
        columns_set(&table, i, "%s", verdict_name(shown->rows[i]->verdict));
    columns_print(file, &table, width, colour ? paint : NULL);
    if (counts)
        explain_counters(file, results, shown, &table, width);
    else if (table.marked < shown->count)
        fputs("  < the largest gain over the rung above\n", file);
    columns_free(&table);
    free(paint);
}

/* Chooses the rows with short work, which was replayed. */
static void choose_replayed(const struct shown *all, struct shown *replayed)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->rows[i]->timed && all->rows[i]->trial.replayed)
            replayed->rows[replayed->count++] = all->rows[i];
}

static void set_time(struct columns *table, size_t row, double microseconds)
{
    char text[FORMAT_TIME_SIZE];

    format_time(microseconds, text);
    columns_set(table, row, "%s", text);
}

/* A separate table: the time of a call of short work when the host launches it. */
static void print_calls(FILE *file, const struct shown *replayed, size_t width)
{
    struct columns table;

    if (!columns_create(&table, replayed->count)) {
        fputs("  out of memory for the table\n", file);
        return;
    }
    columns_add(&table, "rung", true);
    for (size_t i = 0; i < replayed->count; i++)
        columns_set(&table, i, "%s", replayed->rows[i]->rung);
    columns_add(&table, "replayed", false);
    for (size_t i = 0; i < replayed->count; i++)
        set_time(&table, i, replayed->rows[i]->trial.statistics.median);
    columns_add(&table, "launched", false);
    for (size_t i = 0; i < replayed->count; i++)
        set_time(&table, i, replayed->rows[i]->trial.call_us);
    fputs("\n  short work: the table's times are of recorded calls, replayed on the GPU; next "
          "to them, calls launched by the host\n\n",
          file);
    columns_print(file, &table, width, NULL);
    columns_free(&table);
}

/* Lists the skipped rungs, one line per reason. */
static void tell_skipped(FILE *file, const struct results *results, size_t width,
                         const char **names)
{
    for (size_t i = 0; i < results->row_count; i++) {
        const char *const reason = results->rows[i].reason;
        char start[sizeof results->rows[i].reason + 32];
        size_t count = 0;
        bool told = results->rows[i].verdict != VERDICT_SKIP;

        for (size_t before = 0; before < i; before++)
            told = told || (results->rows[before].verdict == VERDICT_SKIP &&
                            strcmp(results->rows[before].reason, reason) == 0);
        if (told)
            continue;
        for (size_t other = i; other < results->row_count; other++)
            if (results->rows[other].verdict == VERDICT_SKIP &&
                strcmp(results->rows[other].reason, reason) == 0)
                names[count++] = results->rows[other].rung;
        snprintf(start, sizeof start, "skipped (%s)", reason);
        print_names(file, start, names, count, width);
    }
}

/* Says why rungs have no percentage of the peak. */
static void tell_other_peaks(FILE *file, const struct shown *shown, size_t width,
                             const char **names)
{
    size_t count = 0;

    for (size_t i = 0; i < shown->count; i++)
        if (shown->rows[i]->has_other_peak)
            names[count++] = shown->rows[i]->rung;
    if (count > 0)
        print_names(file, "no share of the peak (a cache, fewer multiplications or tensor cores)",
                    names, count, width);
}

/* Prints, below the table, the remarks about rungs. */
static void tell_reasons(FILE *file, const struct results *results)
{
    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *const row = &results->rows[i];
        if (row->verdict != VERDICT_SKIP && row->reason[0] != '\0')
            fprintf(file, "  %s: %s\n", row->rung, row->reason);
    }
    for (size_t i = 0; i < results->row_count; i++)
        if (results->rows[i].timed && results->rows[i].trial.not_replayed[0] != '\0')
            fprintf(file, "  %s: timed as launched by the host, since it cannot be recorded: %s\n",
                    results->rows[i].rung, results->rows[i].trial.not_replayed);
    for (size_t i = 0; i < results->row_count; i++)
        if (results->rows[i].is_part)
            fprintf(file, "  %s: ran on %s only, since the whole problem would take long\n",
                    results->rows[i].rung, results->rows[i].part.shape);
}

void report_table(FILE *file, const struct results *results, bool colour, size_t width)
{
    const struct result **const rows = calloc(results->row_count + 1, sizeof *rows);
    const struct result **const chosen = calloc(results->row_count + 1, sizeof *chosen);
    const char **const names = calloc(results->row_count + 1, sizeof *names);
    struct shown shown = {rows, 0}, host = {chosen, 0}, replayed = {chosen, 0};

    if (rows == NULL || chosen == NULL || names == NULL) {
        fputs("out of memory for the table\n", file);
        free(rows);
        free(chosen);
        free(names);
        return;
    }
    for (size_t i = 0; i < results->row_count; i++)
        if (is_shown(&results->rows[i])) {
            struct shown *const of = results->rows[i].on_host ? &host : &shown;
            of->rows[of->count++] = &results->rows[i];
        }
    fputc('\n', file);
    if (host.count > 0)
        print_rows(file, results, &host, true, width, colour);
    if (host.count > 0 && shown.count > 0)
        fputc('\n', file);
    if (shown.count > 0)
        print_rows(file, results, &shown, false, width, colour);
    if (results->is_scalar)
        fprintf(file, "  the answer%s: %.17g%s\n",
                strcmp(results->op, "dot") == 0 || strcmp(results->op, "sum") == 0
                    ? ", summed in double with compensation"
                    : "",
                results->answer,
                strcmp(results->shape, "0") == 0 ? " (an empty input has the operator's identity)"
                                                 : "");
    if (!results->has_clocks)
        tell_counted(file, results, width);
    tell_other_peaks(file, &shown, width, names);
    tell_reasons(file, results);
    tell_skipped(file, results, width, names);
    choose_replayed(&shown, &replayed);
    if (replayed.count > 0)
        print_calls(file, &replayed, width);
    free(rows);
    free(chosen);
    free(names);
}

bool prints_unicode(void)
{
    const char *encoding = getenv("LC_ALL");
    if (encoding == NULL || encoding[0] == '\0')
        encoding = getenv("LC_CTYPE");
    if (encoding == NULL || encoding[0] == '\0')
        encoding = getenv("LANG");
    return encoding != NULL && (strstr(encoding, "UTF-8") || strstr(encoding, "utf8"));
}

void report_histograms(FILE *file, const struct results *results)
{
    const bool unicode = prints_unicode();

    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *row = &results->rows[i];
        if (!row->timed)
            continue;
        fprintf(file, "\n%s\n", row->rung);
        histogram_print(file, row->trial.samples_us, row->trial.statistics.count, row->trial.calls,
                        unicode);
    }
    if (!results->has_clocks)
        fprintf(file, "\nNo histogram of GPU rungs: on %s they are not timed.\n",
                results->back_end);
}
/* SPDX-License-Identifier: MIT */
