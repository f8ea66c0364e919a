#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "measure/count.h"
#include "report/histogram.h"

static const char *const verdict_names[] = {"pass", "fail", "racy", "skip"};

/* ---- derived figures ------------------------------------------------------------------------- */

static bool is_library(const struct row *row)
{
    return (row->rung->flags & RUNG_LIBRARY) != 0;
}

static const struct back_end *back_end_of(const struct run *run, const struct row *row)
{
    return rung_back_end(row->rung, run->step->back_end);
}

/* Whether the row is of a host rung in a GPU step. */
static bool is_on_host(const struct run *run, const struct row *row)
{
    return back_end_of(run, row) != run->step->back_end;
}

static struct part part_of(const struct run *run, const struct row *row)
{
    struct part all = {.bytes = run->bytes, .flops = run->flops};

    snprintf(all.shape, sizeof all.shape, "%s", run->shape);
    return row->part.shape[0] != '\0' ? row->part : all;
}

/* The median; of a rung that was given a part, the time that all would take at the same rate. NaN
 * if the row is not timed. */
static double time_for_all(const struct run *run, const struct row *row)
{
    const double median = row->trial.statistics.median;

    if (!row->timed)
        return NAN;
    return row->part.shape[0] != '\0' ? median * (run->flops / row->part.flops) : median;
}

/* The best time of a library on the processor that runs the row's rung; NaN if there is none. */
static double library_time(const struct run *run, const struct row *row)
{
    double best = NAN;

    for (size_t i = 0; i < run->row_count; i++) {
        const struct row *library = &run->rows[i];
        if (is_library(library) && back_end_of(run, library) == back_end_of(run, row))
            best = fmin(best, time_for_all(run, library)); /* fmin passes over NaN */
    }
    return best;
}

void report_finish_run(struct run *run)
{
    const struct machine *machine = run->machine;
    double first = NAN;

    for (size_t i = 0; i < run->row_count && isnan(first); i++)
        first = time_for_all(run, &run->rows[i]);
    for (size_t i = 0; i < run->row_count; i++) {
        struct row *row = &run->rows[i];
        const double median = row->trial.statistics.median;

        row->gb_per_s = row->gflop_per_s = row->percent_of_peak = NAN;
        row->speedup_first = row->speedup_library = NAN;
        if (!row->timed || !(median > 0))
            continue;
        const struct part part = part_of(run, row);
        row->gb_per_s = part.bytes / median * 1e-3;
        row->gflop_per_s = part.flops / median * 1e-3;
        row->speedup_first = first / time_for_all(run, row);
        row->speedup_library = library_time(run, row) / time_for_all(run, row);
        if (run->peak_gb_per_s > 0 && !is_on_host(run, row)) {
            const double memory_us = run->bytes / run->peak_gb_per_s * 1e-3;
            const double arithmetic_us =
                machine->peak_gflop_per_s > 0 ? run->flops / machine->peak_gflop_per_s * 1e-3 : 0;
            row->percent_of_peak = 100 * fmax(memory_us, arithmetic_us) / median;
        }
    }
}

/* ---- table ----------------------------------------------------------------------------------- */

static const char *colour_of(enum verdict verdict)
{
    static const char *const codes[] = {"\033[32m", "\033[1;31m", "\033[33m", "\033[2m"};
    return codes[verdict];
}

/* A figure, or a dash where there is none. */
static void cell(FILE *file, int width, int decimals, const char *unit, double value)
{
    char text[32] = "-";
    if (!isnan(value))
        snprintf(text, sizeof text, "%.*f%s", decimals, value, unit);
    fprintf(file, " %*s", width, text);
}

static void error_cell(FILE *file, const struct row *row)
{
    const struct comparison *comparison = &row->comparison;

    if (row->verdict != VERDICT_PASS)
        fprintf(file, " %11s", "-");
    else if (comparison->bound > 0)
        fprintf(file, " %11.4f", comparison->error / comparison->bound);
    else
        fprintf(file, " %11s", "exact");
}

/* The computed number, with the digits that its type holds. */
static void result_cell(FILE *file, const struct run *run, const struct row *row)
{
    const bool f64 = strcmp(run->type, "f64") == 0;
    char text[32] = "-";

    if (!run->is_scalar)
        return;
    if (row->verdict != VERDICT_SKIP)
        snprintf(text, sizeof text, "%.*g", f64 ? 17 : 9, row->comparison.computed);
    fprintf(file, " %*s", f64 ? 20 : 13, text);
}

static int name_width(const struct run *run)
{
    size_t width = strlen("rung");
    for (size_t i = 0; i < run->row_count; i++) {
        const size_t length = strlen(run->rows[i].rung->name);
        if (length > width)
            width = length;
    }
    return (int)width;
}

/* The column that says what each rung used: 0 where none tells. */
static int how_width(const struct run *run)
{
    size_t width = 0;
    for (size_t i = 0; i < run->row_count; i++) {
        const size_t length = strlen(run->rows[i].how);
        if (length > width)
            width = length;
    }
    return (int)width;
}

/* Arithmetic where it outweighs the traffic, otherwise bandwidth. */
static bool is_arithmetic(const struct run *run)
{
    return run->flops > 4 * run->bytes;
}

static void time_columns(FILE *file, const struct run *run, const struct row *row)
{
    char median[FORMAT_TIME_SIZE] = "-";

    if (row->timed)
        format_time(row->trial.statistics.median, median);
    fprintf(file, " %9s", median);
    cell(file, 9, 1, "", is_arithmetic(run) ? row->gflop_per_s : row->gb_per_s);
}

static void timed_columns(FILE *file, const struct run *run, const struct row *row)
{
    time_columns(file, run, row);
    cell(file, 7, 1, "%", row->percent_of_peak);
    cell(file, 9, 2, "x", row->speedup_first);
    cell(file, 10, 2, "x", row->speedup_library);
}

static bool has_host_rows(const struct run *run)
{
    bool any = false;
    for (size_t i = 0; i < run->row_count; i++)
        any |= is_on_host(run, &run->rows[i]);
    return any && run->host != NULL;
}

/* 1048576 (1M), or a shape that is no single number as it is. */
static void print_shape(FILE *file, const char *shape)
{
    char count[FORMAT_COUNT_SIZE] = "";

    if (strspn(shape, "0123456789") == strlen(shape))
        format_count(strtoull(shape, NULL, 10), count);
    fputs(shape, file);
    if (count[0] != '\0' && strcmp(count, shape) != 0)
        fprintf(file, " (%s)", count);
}

static void heading(FILE *file, const struct run *run)
{
    const struct machine *machine = run->machine;

    fprintf(file, "\n%s: %s %s, ", run->step->name, run->op, run->type);
    print_shape(file, run->shape);
    fputc('\n', file);
    fprintf(file, "%s back end: %s", run->step->back_end->name, machine->name);
    if (machine->details[0] != '\0')
        fprintf(file, ", %s", machine->details);
    if (run->step->back_end->clocks && run->peak_gb_per_s > 0)
        fprintf(file, ", peak %.*f GB/s", run->peak_gb_per_s < 100 ? 1 : 0, run->peak_gb_per_s);
    if (run->step->back_end->clocks && machine->peak_gflop_per_s > 0)
        fprintf(file, ", %.1f TFLOP/s", machine->peak_gflop_per_s * 1e-3);
    if (has_host_rows(run))
        fprintf(file, "\nhost: %s, %s", run->host->name, run->host->details);
    fprintf(file, "\n\n");
}

/* Which problem the columns of memory are of, if not the table's. */
static void tell_counted(FILE *file, const struct run *run)
{
    const char *const first = counted_first_of_memory(run);

    if (run->counted_shape[0] != '\0' && first != NULL) {
        fprintf(file, "  from the column `%s` on, counted on a smaller problem, ", first);
        print_shape(file, run->counted_shape);
        fputs("; --counters counts this one\n", file);
    } else if (run->from_files && first == NULL) {
        fputs("  requests to memory: with data from files, only --counters counts them\n", file);
    }
}

void report_table(FILE *file, const struct run *run, bool colour)
{
    const int width = name_width(run), used = how_width(run);
    const bool clocks = run->step->back_end->clocks, host = has_host_rows(run);
    const char *const rate = is_arithmetic(run) ? "GFLOP/s" : "GB/s";

    heading(file, run);
    if (clocks)
        fprintf(file, "  %-*s %9s %9s %7s %9s %10s", width, "rung", "median", rate, "of peak",
                "vs first", "vs library");
    else
        fprintf(file, "  %-*s", width, "rung"), counted_heading(file, run);
    if (!clocks && host) /* their times are real */
        fprintf(file, " %9s %9s", "median", rate);
    if (run->is_scalar)
        fprintf(file, " %*s", strcmp(run->type, "f64") == 0 ? 20 : 13, "result");
    fprintf(file, " %11s  %-*s%sverdict\n", "error/bound", used, used > 0 ? "used" : "",
            used > 0 ? "  " : "");

    for (size_t i = 0; i < run->row_count; i++) {
        const struct row *row = &run->rows[i];
        fprintf(file, "  %-*s", width, row->rung->name);
        if (clocks)
            timed_columns(file, run, row);
        else
            counted_cells(file, run, row);
        if (!clocks && host)
            time_columns(file, run, row);
        result_cell(file, run, row);
        error_cell(file, row);
        fprintf(file, "  %-*s%s%s%s%s\n", used, row->how, used > 0 ? "  " : "",
                colour ? colour_of(row->verdict) : "", verdict_names[row->verdict],
                colour ? "\033[0m" : "");
    }
    if (run->is_scalar)
        fprintf(file, "  the answer%s: %.17g%s\n",
                strcmp(run->op, "dot") == 0 || strcmp(run->op, "sum") == 0
                    ? ", summed in double with compensation"
                    : "",
                run->answer,
                strcmp(run->shape, "0") == 0 ? " (an empty input has the operator's identity)"
                                             : "");
    if (!clocks)
        tell_counted(file, run);
    for (size_t i = 0; i < run->row_count; i++)
        if (run->rows[i].reason[0] != '\0')
            fprintf(file, "  %s: %s\n", run->rows[i].rung->name, run->rows[i].reason);
    for (size_t i = 0; i < run->row_count; i++)
        if (run->rows[i].part.shape[0] != '\0')
            fprintf(file, "  %s: ran on %s only, since all would take long\n",
                    run->rows[i].rung->name, run->rows[i].part.shape);
}

void report_histograms(FILE *file, const struct run *run)
{
    const char *encoding = getenv("LC_ALL");
    if (encoding == NULL || encoding[0] == '\0')
        encoding = getenv("LC_CTYPE");
    if (encoding == NULL || encoding[0] == '\0')
        encoding = getenv("LANG");
    const bool unicode =
        encoding != NULL && (strstr(encoding, "UTF-8") || strstr(encoding, "utf8"));

    for (size_t i = 0; i < run->row_count; i++) {
        const struct row *row = &run->rows[i];
        if (!row->timed)
            continue;
        fprintf(file, "\n%s\n", row->rung->name);
        histogram_print(file, row->trial.samples_us, row->trial.statistics.count, row->trial.calls,
                        unicode);
    }
}

/* ---- rows as fields -------------------------------------------------------------------------- */

enum field_kind { FIELD_TEXT, FIELD_NUMBER };

struct field {
    const char *name;
    enum field_kind kind;
    char text[264]; /* "" where it does not apply */
};

enum { FIELD_COUNT = 24 };

static void text_field(struct field *field, const char *name, const char *text)
{
    field->name = name;
    field->kind = FIELD_TEXT;
    snprintf(field->text, sizeof field->text, "%s", text);
}

static void number_field(struct field *field, const char *name, double value, int digits)
{
    field->name = name;
    field->kind = FIELD_NUMBER;
    if (isnan(value))
        field->text[0] = '\0';
    else
        snprintf(field->text, sizeof field->text, "%.*g", digits, value);
}

static void fields_of(const struct run *run, const struct row *row,
                      struct field fields[FIELD_COUNT])
{
    const struct statistics *statistics = &row->trial.statistics;
    const double warmups = row->timed ? (double)row->trial.warmups : NAN;
    const double reps = row->timed ? (double)statistics->count : NAN;
    const bool ran = row->verdict != VERDICT_SKIP;
    struct field *field = fields;
    const struct machine *machine =
        is_on_host(run, row) && run->host != NULL ? run->host : run->machine;
    char seed[24], device[264];

    snprintf(seed, sizeof seed, "%" PRIu64, run->seed);
    snprintf(device, sizeof device, "%s%s%s", machine->name,
             machine->details[0] != '\0' ? "; " : "", machine->details);
    text_field(field++, "step", run->step->name);
    text_field(field++, "rung", row->rung->name);
    text_field(field++, "op", run->op);
    text_field(field++, "type", run->type);
    text_field(field++, "shape", part_of(run, row).shape);
    text_field(field, "seed", seed);
    field++->kind = FIELD_NUMBER;
    text_field(field++, "backend", back_end_of(run, row)->name);
    text_field(field++, "device", device);
    text_field(field++, "cache", row->timed ? run->cold ? "cold" : "warm" : "");
    number_field(field++, "warmups", warmups, 15);
    number_field(field++, "reps", reps, 15);
    number_field(field++, "min_us", row->timed ? statistics->min : NAN, 7);
    number_field(field++, "median_us", row->timed ? statistics->median : NAN, 7);
    number_field(field++, "mean_us", row->timed ? statistics->mean : NAN, 7);
    number_field(field++, "std_us", row->timed ? statistics->standard_deviation : NAN, 7);
    number_field(field++, "max_us", row->timed ? statistics->max : NAN, 7);
    number_field(field++, "gb_per_s", row->gb_per_s, 6);
    number_field(field++, "gflop_per_s", row->gflop_per_s, 6);
    number_field(field++, "percent_of_peak", row->percent_of_peak, 6);
    number_field(field++, "speedup_first", row->speedup_first, 6);
    number_field(field++, "speedup_library", row->speedup_library, 6);
    number_field(field++, "error", ran ? row->comparison.error : NAN, 9);
    number_field(field++, "error_bound", ran ? row->comparison.bound : NAN, 9);
    text_field(field++, "verdict", verdict_names[row->verdict]);
}

/* Quoted where CSV asks for it (RFC 4180). */
static void csv_field(FILE *file, const char *text)
{
    const bool quoted = strpbrk(text, ",\"\r\n") != NULL;

    if (quoted)
        putc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putc('"', file);
        putc(*text, file);
    }
    if (quoted)
        putc('"', file);
}

void report_csv(struct report_file *report, const struct run *run)
{
    if (report->path == NULL)
        return;
    for (size_t i = 0; i < run->row_count; i++) {
        struct field fields[FIELD_COUNT];
        fields_of(run, &run->rows[i], fields);
        if (report->rows++ == 0)
            for (int f = 0; f < FIELD_COUNT; f++)
                fprintf(report->text, "%s%s", fields[f].name, f < FIELD_COUNT - 1 ? "," : "\n");
        for (int f = 0; f < FIELD_COUNT; f++) {
            csv_field(report->text, fields[f].text);
            putc(f < FIELD_COUNT - 1 ? ',' : '\n', report->text);
        }
    }
}

static void json_string(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text != '\0'; text++)
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(file, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            putc(*text, file);
    putc('"', file);
}

static void json_machine(FILE *file, const struct run *run)
{
    const struct machine *machine = run->machine;

    fprintf(file, "{\"name\": ");
    json_string(file, machine->name);
    fprintf(file, ", \"details\": ");
    json_string(file, machine->details);
    fprintf(file,
            ", \"multiprocessors\": %d, \"compute_capability\": %d, \"peak_gb_per_s\": %.6g, "
            "\"peak_gflop_per_s\": %.6g}",
            machine->multiprocessors, machine->compute_capability, run->peak_gb_per_s,
            machine->peak_gflop_per_s);
}

static void json_memory(FILE *file, const struct run *run, const struct memory_counters *memory)
{
    const struct {
        const char *name;
        uint64_t value;
    } fields[] = {
        {"global_load_requests", memory->load_requests},
        {"global_load_sectors", memory->load_sectors},
        {"global_load_bytes_needed", memory->load_bytes},
        {"global_store_requests", memory->store_requests},
        {"global_store_sectors", memory->store_sectors},
        {"global_store_bytes_needed", memory->store_bytes},
        {"global_atomic_requests", memory->atomic_requests},
        {"shared_load_requests", memory->shared_load_requests},
        {"shared_load_conflicts", memory->shared_load_conflicts},
        {"shared_store_requests", memory->shared_store_requests},
        {"shared_store_conflicts", memory->shared_store_conflicts},
        {"shared_atomic_requests", memory->shared_atomic_requests},
        {"constant_load_requests", memory->constant_requests},
        {"lanes_on_one_address", memory->atomic_crowd},
        {"active_lanes", memory->lanes},
        {"splits", memory->splits},
    };

    fprintf(file, ", \"counted_shape\": ");
    json_string(file, run->counted_shape[0] != '\0' ? run->counted_shape : run->shape);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        fprintf(file, ", \"%s\": %" PRIu64, fields[i].name, fields[i].value);
}

void report_json(struct report_file *report, const struct run *run)
{
    if (report->path == NULL)
        return;
    FILE *const file = report->text;
    for (size_t i = 0; i < run->row_count; i++) {
        const struct row *row = &run->rows[i];
        struct field fields[FIELD_COUNT];

        fields_of(run, row, fields);
        if (report->rows++ == 0) {
            fprintf(file, "{\"version\": \"%s\",\n \"machine\": ", RUNGS_VERSION);
            json_machine(file, run);
            fprintf(file, ",\n \"rows\": [\n");
            report->ending = "\n ]}\n";
        } else {
            fprintf(file, ",\n");
        }
        fprintf(file, "  {");
        for (int f = 0; f < FIELD_COUNT; f++) {
            fprintf(file, "\"%s\": ", fields[f].name);
            if (fields[f].kind == FIELD_TEXT)
                json_string(file, fields[f].text);
            else if (fields[f].text[0] == '\0' || strstr(fields[f].text, "inf") != NULL)
                fprintf(file, "null"); /* JSON has no infinity */
            else
                fprintf(file, "%s", fields[f].text);
            fprintf(file, ", ");
        }
        if (run->is_scalar && row->verdict != VERDICT_SKIP && isfinite(row->comparison.computed))
            fprintf(file, "\"result\": %.17g, ", row->comparison.computed);
        fprintf(file, "\"used\": ");
        json_string(file, row->how);
        fprintf(file, ", \"reason\": ");
        json_string(file, row->reason);
        fprintf(file, ", \"calls_per_sample\": %zu, \"samples_us\": [", row->trial.calls);
        for (size_t s = 0; row->timed && s < row->trial.statistics.count; s++)
            fprintf(file, "%s%.7g", s > 0 ? ", " : "", row->trial.samples_us[s]);
        fprintf(file, "]");
        if (row->counted)
            fprintf(file,
                    ", \"counters\": {\"launches\": %" PRIu64 ", \"blocks\": %" PRIu64
                    ", \"threads\": %" PRIu64 ", \"block_barriers\": %" PRIu64
                    ", \"warp_barriers\": %" PRIu64 ", \"shuffles\": %" PRIu64
                    ", \"votes\": %" PRIu64 ", \"atomics\": %" PRIu64,
                    row->counters.launches, row->counters.blocks, row->counters.threads,
                    row->counters.block_barriers, row->counters.warp_barriers,
                    row->counters.shuffles, row->counters.votes, row->counters.atomics);
        if (row->counted && row->counters.has_memory)
            json_memory(file, run, &row->counters.memory);
        if (row->counted)
            fprintf(file, "}");
        fprintf(file, "}");
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool cannot_write(const char *path, struct error *error)
{
    return error_set(error, EXIT_FILE_ERROR, "cannot write %s: %s", path, strerror(errno));
}

/* Whether the path is to be written in place: it is there and is no regular file. */
static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* Whether the path is what standard output goes to: a file of that kind must not be replaced, nor
 * what was printed to it overwritten. */
static bool is_standard_output(const char *path)
{
    struct stat file, output;
    return stat(path, &file) == 0 && fstat(STDOUT_FILENO, &output) == 0 &&
           file.st_dev == output.st_dev && file.st_ino == output.st_ino;
}

/* What a path stands for where links are followed; NULL and errno on failure. */
static char *followed(const char *path)
{
    enum { MOST_LINKS = 40 };
    char link[PATH_MAX];
    char *target = realpath(path, NULL);

    if (target != NULL)
        return target;
    /* No file yet, but perhaps a link to where it is to be. */
    target = strdup(path);
    for (int links = 0; target != NULL; links++) {
        const ssize_t length = readlink(target, link, sizeof link);
        if (length < 0)
            break;
        const char *const slash = link[0] != '/' ? strrchr(target, '/') : NULL;
        const size_t folder = slash != NULL ? (size_t)(slash - target) + 1 : 0;
        char *const next = links < MOST_LINKS ? malloc(folder + (size_t)length + 1) : NULL;
        if (next != NULL) {
            memcpy(next, target, folder);
            memcpy(next + folder, link, (size_t)length);
            next[folder + (size_t)length] = '\0';
        }
        free(target);
        target = next;
        errno = links < MOST_LINKS ? errno : ELOOP;
    }
    return target;
}

/* Creates an empty file beside `path` (beside what it points to, if it is a link). */
static int create_beside(const char *path, char **temporary, char **target)
{
    if (path[0] == '\0') {
        errno = ENOENT;
        return -1;
    }
    *target = followed(path);
    *temporary = *target != NULL ? malloc(strlen(*target) + sizeof ".XXXXXX") : NULL;
    if (*temporary == NULL)
        return -1;
    sprintf(*temporary, "%s.XXXXXX", *target);
    return mkstemp(*temporary);
}

bool report_open(struct report_file *report, const char *path, struct error *error)
{
    *report = (struct report_file){.path = path};
    if (path == NULL)
        return true;

    if (is_special(path)) {
        struct stat status;
        if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
            errno = EISDIR;
            return cannot_write(path, error);
        }
        if (access(path, W_OK) != 0)
            return cannot_write(path, error);
    } else {
        char *temporary = NULL, *target = NULL;
        const int trial = create_beside(path, &temporary, &target);
        const int reason = errno;
        if (trial >= 0) {
            close(trial);
            unlink(temporary);
        }
        free(temporary);
        free(target);
        errno = reason;
        if (trial < 0 || (access(path, F_OK) == 0 && access(path, W_OK) != 0))
            return cannot_write(path, error);
    }
    report->text = open_memstream(&report->buffer, &report->length);
    if (report->text == NULL)
        return error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    return true;
}

static bool write_whole(int descriptor, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(descriptor, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        text += written;
        length -= (size_t)written;
    }
    return true;
}

static bool write_in_place(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return false;
    const bool written = fwrite(text, 1, length, file) == length;
    return fclose(file) == 0 && written;
}

static bool write_and_rename(const char *path, const char *text, size_t length)
{
    char *temporary = NULL, *target = NULL;
    const mode_t mask = umask(0);
    umask(mask);

    const int descriptor = create_beside(path, &temporary, &target);
    bool done = descriptor >= 0;
    if (done) {
        struct stat old;
        const mode_t mode = stat(target, &old) == 0 ? old.st_mode & 0777 : 0666 & ~mask;
        done = write_whole(descriptor, text, length) && fchmod(descriptor, mode) == 0;
        done = close(descriptor) == 0 && done;
        done = done && rename(temporary, target) == 0;
        if (!done) {
            const int reason = errno;
            unlink(temporary);
            errno = reason;
        }
    }
    free(temporary);
    free(target);
    return done;
}

bool report_commit(struct report_file *report, struct error *error)
{
    bool done;

    if (report->path == NULL)
        return true;
    if (report->ending != NULL)
        fputs(report->ending, report->text);
    if (fclose(report->text) != 0) {
        report->text = NULL;
        return error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    }
    report->text = NULL;
    if (is_standard_output(report->path))
        done = fwrite(report->buffer, 1, report->length, stdout) == report->length &&
               fflush(stdout) == 0;
    else
        done = is_special(report->path)
                   ? write_in_place(report->path, report->buffer, report->length)
                   : write_and_rename(report->path, report->buffer, report->length);
    if (!done)
        cannot_write(report->path, error);
    report_discard(report);
    return done;
}

void report_discard(struct report_file *report)
{
    if (report->text != NULL)
        fclose(report->text);
    free(report->buffer);
    *report = (struct report_file){0};
}
