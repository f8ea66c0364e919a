#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "report/counters.h"
#include "report/histogram.h"
#include "report/report.h"

static const char *colour_of(enum verdict verdict)
{
    static const char *const codes[] = {"\033[32m", "\033[1;31m", "\033[33m", "\033[2m"};
    return codes[verdict];
}

/* Prints a number, or a dash for NaN. */
static void cell(FILE *file, int width, int decimals, const char *unit, double value)
{
    char text[32] = "-";
    if (!isnan(value))
        snprintf(text, sizeof text, "%.*f%s", decimals, value, unit);
    fprintf(file, " %*s", width, text);
}

static void error_cell(FILE *file, const struct result *row)
{
    const struct comparison *comparison = &row->comparison;

    if (row->verdict != VERDICT_PASS)
        fprintf(file, " %11s", "-");
    else if (comparison->bound > 0)
        fprintf(file, " %11.4f", comparison->error / comparison->bound);
    else
        fprintf(file, " %11s", "exact");
}

/* The computed number, with enough digits to tell any two of its type apart. */
static void result_cell(FILE *file, const struct results *results, const struct result *row)
{
    const bool f64 = strcmp(results->type, "f64") == 0;
    char text[32] = "-";

    if (!results->is_scalar)
        return;
    if (row->verdict != VERDICT_SKIP)
        snprintf(text, sizeof text, "%.*g", f64 ? 17 : 9, row->comparison.computed);
    fprintf(file, " %*s", f64 ? 20 : 13, text);
}

static int name_width(const struct results *results)
{
    size_t width = strlen("rung");
    for (size_t i = 0; i < results->row_count; i++) {
        const size_t length = strlen(results->rows[i].rung);
        if (length > width)
            width = length;
    }
    return (int)width;
}

/* The width of the column that says how each rung ran; 0 if none does. */
static int how_width(const struct results *results)
{
    size_t width = 0;
    for (size_t i = 0; i < results->row_count; i++) {
        const size_t length = strlen(results->rows[i].how);
        if (length > width)
            width = length;
    }
    return (int)width;
}

/* Whether to show GFLOP/s, for problems with more arithmetic than traffic, rather than GB/s. */
static bool is_arithmetic(const struct results *results)
{
    return results->flops > 4 * results->bytes;
}

static void time_columns(FILE *file, const struct results *results, const struct result *row)
{
    char median[FORMAT_TIME_SIZE] = "-";

    if (row->timed)
        format_time(row->trial.statistics.median, median);
    fprintf(file, " %9s", median);
    cell(file, 9, 1, "", is_arithmetic(results) ? row->gflop_per_s : row->gb_per_s);
}

static void timed_columns(FILE *file, const struct results *results, const struct result *row)
{
    time_columns(file, results, row);
    cell(file, 7, 1, "%", row->percent_of_peak);
    cell(file, 9, 2, "x", row->speedup_first);
    cell(file, 10, 2, "x", row->speedup_library);
}

static bool has_host_rows(const struct results *results)
{
    return results->host.name[0] != '\0';
}

/* "1048576 (1M)"; a shape that is not a single number as it is. */
static void print_shape(FILE *file, const char *shape)
{
    char count[FORMAT_COUNT_SIZE] = "";

    if (strspn(shape, "0123456789") == strlen(shape))
        format_count(strtoull(shape, NULL, 10), count);
    fputs(shape, file);
    if (count[0] != '\0' && strcmp(count, shape) != 0)
        fprintf(file, " (%s)", count);
}

static void heading(FILE *file, const struct results *results)
{
    const struct machine *machine = &results->machine;

    fprintf(file, "\n%s: %s %s, ", results->step, results->op, results->type);
    print_shape(file, results->shape);
    fputc('\n', file);
    fprintf(file, "%s back end: %s", results->back_end, machine->name);
    if (machine->details[0] != '\0')
        fprintf(file, ", %s", machine->details);
    if (results->has_clocks && results->peak_gb_per_s > 0)
        fprintf(file, ", peak %.*f GB/s", results->peak_gb_per_s < 100 ? 1 : 0,
                results->peak_gb_per_s);
    if (results->has_clocks && machine->peak_gflop_per_s > 0)
        fprintf(file, ", %.1f TFLOP/s", machine->peak_gflop_per_s * 1e-3);
    if (has_host_rows(results))
        fprintf(file, "\nhost: %s, %s", results->host.name, results->host.details);
    fprintf(file, "\n\n");
}

/* Says for which problem memory was counted, if not for the table's. */
static void tell_counted(FILE *file, const struct results *results)
{
    const char *const first = counters_first_of_memory(results);

    if (results->not_counted[0] != '\0') {
        fprintf(file, "  requests to memory: not counted, %s\n", results->not_counted);
    } else if (results->counted_shape[0] != '\0' && first != NULL) {
        fprintf(file, "  from the column `%s` on, counted on a smaller problem, ", first);
        print_shape(file, results->counted_shape);
        fputs("; --counters counts this one\n", file);
    } else if (results->from_files && first == NULL) {
        fputs("  requests to memory: with data from files, only --counters counts them\n", file);
    }
}

void report_table(FILE *file, const struct results *results, bool colour)
{
    const int width = name_width(results), used = how_width(results);
    const bool clocks = results->has_clocks, host = has_host_rows(results);
    const char *const rate = is_arithmetic(results) ? "GFLOP/s" : "GB/s";

    heading(file, results);
    if (clocks)
        fprintf(file, "  %-*s %9s %9s %7s %9s %10s", width, "rung", "median", rate, "of peak",
                "vs first", "vs library");
    else
        fprintf(file, "  %-*s", width, "rung"), counters_heading(file, results);
    if (!clocks && host) /* host rungs are not emulated: their times are real */
        fprintf(file, " %9s %9s", "median", rate);
    if (results->is_scalar)
        fprintf(file, " %*s", strcmp(results->type, "f64") == 0 ? 20 : 13, "result");
    fprintf(file, " %11s  %-*s%sverdict\n", "error/bound", used, used > 0 ? "used" : "",
            used > 0 ? "  " : "");

    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *row = &results->rows[i];
        fprintf(file, "  %-*s", width, row->rung);
        if (clocks)
            timed_columns(file, results, row);
        else
            counters_cells(file, results, row);
        if (!clocks && host)
            time_columns(file, results, row);
        result_cell(file, results, row);
        error_cell(file, row);
        fprintf(file, "  %-*s%s%s%s%s\n", used, row->how, used > 0 ? "  " : "",
                colour ? colour_of(row->verdict) : "", verdict_name(row->verdict),
                colour ? "\033[0m" : "");
    }
    if (results->is_scalar)
        fprintf(file, "  the answer%s: %.17g%s\n",
                strcmp(results->op, "dot") == 0 || strcmp(results->op, "sum") == 0
                    ? ", summed in double with compensation"
                    : "",
                results->answer,
                strcmp(results->shape, "0") == 0 ? " (an empty input has the operator's identity)"
                                                 : "");
    if (!clocks)
        tell_counted(file, results);
    for (size_t i = 0; i < results->row_count; i++)
        if (results->rows[i].reason[0] != '\0')
            fprintf(file, "  %s: %s\n", results->rows[i].rung, results->rows[i].reason);
    for (size_t i = 0; i < results->row_count; i++)
        if (results->rows[i].is_part)
            fprintf(file, "  %s: ran on %s only, since the whole problem would take long\n",
                    results->rows[i].rung, results->rows[i].part.shape);
}

void report_histograms(FILE *file, const struct results *results)
{
    const char *encoding = getenv("LC_ALL");
    if (encoding == NULL || encoding[0] == '\0')
        encoding = getenv("LC_CTYPE");
    if (encoding == NULL || encoding[0] == '\0')
        encoding = getenv("LANG");
    const bool unicode =
        encoding != NULL && (strstr(encoding, "UTF-8") || strstr(encoding, "utf8"));

    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *row = &results->rows[i];
        if (!row->timed)
            continue;
        fprintf(file, "\n%s\n", row->rung);
        histogram_print(file, row->trial.samples_us, row->trial.statistics.count, row->trial.calls,
                        unicode);
    }
}
