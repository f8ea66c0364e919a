/* Counters as a table, and beside the lines of the source. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "count/counted.h"
#include "program/source.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *const access_names[SIMT_ACCESSES] = {
    "global loads",  "global stores",  "global atomics", "shared loads",
    "shared stores", "shared atomics", "constant loads"};

static double ratio(uint64_t a, uint64_t b)
{
    return b > 0 ? (double)a / (double)b : 0;
}

/* ---- lines that fit ---- */

/* A line with `used` characters so far, at most `width` (0: no limit). The rest continues on the
 * next line, after `margin` and `indent` spaces. */
struct line {
    FILE *file;
    size_t width, used;
    const char *margin;
    size_t indent;
};

/* Appends a part of the line. The part begins with its separator: a space, or a comma and
 * spaces. */
__attribute__((format(printf, 2, 3))) static void put(struct line *line, const char *format, ...)
{
    char part[1024];
    const char *text = part;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(part, sizeof part, format, arguments);
    va_end(arguments);
    const size_t comma = part[0] == ',';
    if (line->width > 0 && line->used + strlen(part) + 1 > line->width) {
        text += comma;
        text += strspn(text, " ");
        fprintf(line->file, "%s\n%s%*s", comma ? "," : "", line->margin, (int)line->indent, "");
        line->used = strlen(line->margin) + line->indent;
    }
    fputs(text, line->file);
    line->used += strlen(text);
}

/* Begins a line of a kernel's table. */
static struct line begin(FILE *file, const char *name, uint64_t value, const char *what)
{
    struct line line = {.file = file, .width = simt_line_width(file), .margin = "", .indent = 18};

    line.used = (size_t)fprintf(file, "  %-15s %10" PRIu64 " %s", name, value, what);
    return line;
}

/* ---- as a table ---- */

static void print_access(FILE *file, int access, const struct simt_access_counters *counters)
{
    struct line line = begin(file, access_names[access], counters->requests, "requests");

    put(&line, ", %4.1f lanes", ratio(counters->lanes, counters->requests));
    if (simt_is_shared(access)) {
        put(&line, ", %10" PRIu64 " wavefronts", counters->units);
        put(&line, ", %8" PRIu64 " bank conflicts", counters->conflicts);
    } else if (access != SIMT_CONSTANT_LOAD) {
        put(&line, ", %10" PRIu64 " sectors", counters->units);
        put(&line, ", %5.2f a request", ratio(counters->units, counters->requests));
        put(&line, ", %3.0f%% of the bytes needed",
            100 * ratio(counters->bytes, 32 * counters->units));
    }
    if (counters->crowd > 0) {
        put(&line, ", up to %.1f lanes on one address", ratio(counters->crowd, counters->requests));
    }
    fputc('\n', file);
}

static void print_launches(FILE *file, const struct simt_kernel_counters *kernel)
{
    struct line line = {.file = file, .width = simt_line_width(file), .margin = "", .indent = 2};

    line.used = (size_t)fprintf(file, "kernel %s (%s:%d):", kernel->name, base_name(kernel->file),
                                kernel->line);
    put(&line, " %" PRIu64 " launch%s", kernel->launches, kernel->launches == 1 ? "" : "es");
    put(&line, ", %" PRIu64 " block%s", kernel->blocks, kernel->blocks == 1 ? "" : "s");
    put(&line, ", %" PRIu64 " thread%s", kernel->threads, kernel->threads == 1 ? "" : "s");
    fputc('\n', file);
}

void simt_print_kernel(FILE *file, const struct simt_kernel_counters *kernel)
{
    const struct simt_line_counters *totals = &kernel->totals;

    print_launches(file, kernel);
    for (int i = 0; i < SIMT_ACCESSES; i++) {
        if (totals->access[i].requests > 0) {
            print_access(file, i, &totals->access[i]);
        }
    }
    struct line line = begin(file, "splits", totals->splits, "branches of the source");
    put(&line, " sent lanes of a warp");
    put(&line, " different ways\n");
    if (totals->barriers + totals->syncwarps + totals->shuffles + totals->votes > 0) {
        line = begin(file, "meetings", totals->barriers, "barriers");
        put(&line, ", %" PRIu64 " syncwarps", totals->syncwarps);
        put(&line, ", %" PRIu64 " shuffles", totals->shuffles);
        put(&line, ", %" PRIu64 " votes\n", totals->votes);
    }
    if (totals->bulk_copies > 0) {
        line = begin(file, "bulk", totals->bulk_copies, "copies");
        put(&line, ", %" PRIu64 " bytes\n", totals->bulk_bytes);
    }
    if (totals->matrix > 0) {
        line = begin(file, "matrix", totals->matrix, "of mma.sync, wgmma.mma_async,");
        put(&line, " ldmatrix and stmatrix");
        if (totals->matrix_wavefronts > 0) {
            put(&line, "; wgmma reads shared memory in %" PRIu64 " wavefronts",
                totals->matrix_wavefronts);
        }
        put(&line, "\n");
    }
}

/* ---- as a listing ---- */

/* The columns of the listing, and the titles above them. */
enum { GLOBAL, SECTORS, SHARED, CONFLICTS, LANES, SPLITS, BARRIERS, SHUFFLES, LISTED };

static const struct {
    const char *titles[2], *name;
    int width;
} listed[LISTED] = {
    {{"global", "requests"}, "global requests", 8},
    {{"sect.", "/req."}, "sectors a request", 5},
    {{"shared", "requests"}, "shared requests", 8},
    {{"bank", "conflicts"}, "bank conflicts", 9},
    {{"", "lanes"}, "lanes", 5},
    {{"branches", "split"}, "branches split", 8},
    {{"", "barriers"}, "barriers", 8},
    {{"shuffles", "& votes"}, "shuffles and votes", 8},
};

/* The numbers of a source line; negative: nothing to show. */
struct line_figures {
    double of[LISTED];
};

static double some(uint64_t value)
{
    return value > 0 ? (double)value : -1;
}

static struct line_figures figures_of(const struct simt_line_counters *line)
{
    uint64_t global = 0, sectors = 0, shared = 0, conflicts = 0, lanes = 0, all = 0;
    for (int i = 0; i < SIMT_ACCESSES; i++) {
        const struct simt_access_counters *access = &line->access[i];
        all += access->requests;
        lanes += access->lanes;
        if (simt_is_shared(i)) {
            shared += access->requests;
            conflicts += access->conflicts;
        } else if (i != SIMT_CONSTANT_LOAD) {
            global += access->requests;
            sectors += access->units;
        }
    }
    return (struct line_figures){{
        [GLOBAL] = some(global),
        [SECTORS] = global > 0 ? ratio(sectors, global) : -1,
        [SHARED] = some(shared),
        [CONFLICTS] = some(conflicts),
        [LANES] = all > 0 ? ratio(lanes, all) : -1,
        [SPLITS] = some(line->splits),
        [BARRIERS] = some(line->barriers + line->syncwarps),
        [SHUFFLES] = some(line->shuffles + line->votes),
    }};
}

/* The columns that have something to show in some line of a kernel. */
struct shown_columns {
    bool of[LISTED];
};

static void print_gutter(FILE *file, struct shown_columns shown, const struct line_figures *figures)
{
    for (int c = 0; c < LISTED; c++) {
        if (!shown.of[c]) {
            continue;
        }
        if (!figures || figures->of[c] < 0) {
            fprintf(file, " %*s", listed[c].width, "");
        } else {
            fprintf(file, " %*.*f", listed[c].width, c == SECTORS || c == LANES, figures->of[c]);
        }
    }
}

static void print_titles(FILE *file, struct shown_columns shown)
{
    for (int row = 0; row < 2; row++) {
        for (int c = 0; c < LISTED; c++) {
            if (shown.of[c]) {
                fprintf(file, " %*s", listed[c].width, listed[c].titles[row]);
            }
        }
        fputs(row == 0 ? " |\n" : " | line\n", file);
    }
}

static void print_counted_line(FILE *file, struct shown_columns shown,
                               const struct simt_line_counters *line, const char *path, int number)
{
    const char *text = simt_source_text(path, number);
    if (line) {
        const struct line_figures figures = figures_of(line);
        print_gutter(file, shown, &figures);
    } else {
        print_gutter(file, shown, NULL);
    }
    if (text && *text) {
        fprintf(file, " | %4d %s\n", number, text);
    } else {
        fprintf(file, " | %4d\n", number);
    }
}

static void print_beside(FILE *file, struct shown_columns shown,
                         const struct simt_counted_line *line, int from, bool new_file, bool gap)
{
    if (new_file) {
        print_titles(file, shown);
    }
    if (gap) {
        print_gutter(file, shown, NULL);
        fputs(" | ...\n", file);
    }
    for (int number = from; number < line->number; number++) {
        print_counted_line(file, shown, NULL, line->file, number);
    }
    print_counted_line(file, shown, &line->counters, line->file, line->number);
}

/* ---- as a listing in a narrow terminal: the numbers below the lines ---- */

static const char margin[] = "      | ";

/* Prints the text, with line breaks between words if it does not fit. */
static void print_source(FILE *file, size_t width, const char *path, int number)
{
    const char *text = simt_source_text(path, number);
    struct line line = {.file = file, .width = width, .margin = margin};

    line.used = (size_t)fprintf(file, " %4d |", number);
    line.indent = text ? strspn(text, " ") + 4 : 0;
    while (text && *text) {
        const size_t spaces = strspn(text, " "), word = spaces + strcspn(text + spaces, " ");
        put(&line, "%s%.*s", line.used == strlen(margin) - 1 ? " " : "", (int)word, text);
        text += word;
    }
    fputc('\n', file);
}

static void print_noted_line(FILE *file, size_t width, const struct simt_counted_line *counted)
{
    const struct line_figures figures = figures_of(&counted->counters);
    const char *text = simt_source_text(counted->file, counted->number);
    struct line line = {.file = file, .width = width, .margin = margin};
    bool any = false;

    print_source(file, width, counted->file, counted->number);
    line.indent = text ? strspn(text, " ") : 0;
    line.used = (size_t)fprintf(file, "%s%*s^", margin, (int)line.indent, "");
    line.indent += 2;
    for (int c = 0; c < LISTED; c++) {
        if (figures.of[c] >= 0) {
            put(&line, "%s %s %.*f", any ? "," : "", listed[c].name, c == SECTORS || c == LANES,
                figures.of[c]);
            any = true;
        }
    }
    fputc('\n', file);
}

static void print_below(FILE *file, size_t width, const struct simt_counted_line *line, int from,
                        bool gap)
{
    if (gap) {
        fprintf(file, "%s...\n", margin);
    }
    for (int number = from; number < line->number; number++) {
        print_source(file, width, line->file, number);
    }
    print_noted_line(file, width, line);
}

/* ---- the lines to show ---- */

/* The first source line to show with lines[i]; whether it begins a new file, and whether lines are
 * left out before it. */
static int first_shown(const struct simt_counted_line *lines, size_t i, bool *new_file, bool *gap)
{
    enum { NEAR = 6, BEFORE = 3 }; /* lines without counts shown between and before others */
    const int from = lines[i].number - BEFORE;

    *new_file = i == 0 || strcmp(lines[i].file, lines[i - 1].file) != 0;
    *gap = !*new_file && lines[i].number - lines[i - 1].number > NEAR;
    if (!*new_file && !*gap) {
        return lines[i - 1].number + 1;
    }
    return from > 0 ? from : 1;
}

/* Whether the numbers fit beside the lines. */
static bool fits(const struct simt_counted_line *lines, size_t count, struct shown_columns shown,
                 size_t width)
{
    size_t gutter = strlen(margin), longest = 0;
    bool new_file, gap;

    for (int c = 0; c < LISTED; c++) {
        gutter += shown.of[c] ? 1 + (size_t)listed[c].width : 0;
    }
    for (size_t i = 0; i < count; i++) {
        for (int number = first_shown(lines, i, &new_file, &gap); number <= lines[i].number;
             number++) {
            const char *text = simt_source_text(lines[i].file, number);
            const size_t length = text ? strlen(text) : 0;
            longest = length > longest ? length : longest;
        }
    }
    return width == 0 || gutter + longest <= width;
}

static struct shown_columns columns_of(const struct simt_counted_line *lines, size_t count)
{
    struct shown_columns shown = {{false}};

    for (size_t i = 0; i < count; i++) {
        const struct line_figures figures = figures_of(&lines[i].counters);
        for (int c = 0; lines[i].number > 0 && c < LISTED; c++) {
            shown.of[c] = shown.of[c] || figures.of[c] >= 0;
        }
    }
    return shown;
}

void simt_print_listing(FILE *file, const struct simt_kernel_counters *kernel)
{
    size_t count;
    struct simt_counted_line *lines = simt_counted_lines(kernel, &count);
    const struct shown_columns shown = columns_of(lines, count);
    const size_t width = simt_line_width(file);
    const bool beside = fits(lines, count, shown, width);

    for (size_t i = 0; i < count; i++) {
        const struct simt_counted_line *line = &lines[i];
        bool new_file, gap;
        const int from = first_shown(lines, i, &new_file, &gap);
        if (line->number <= 0) {
            continue;
        }
        if (new_file) {
            struct line title = {.file = file, .width = width, .margin = ""};
            title.used = (size_t)fprintf(file, "\n%s", line->file) - 1;
            put(&title, ", kernel %s\n", kernel->name);
        }
        if (beside) {
            print_beside(file, shown, line, from, new_file, gap);
        } else {
            print_below(file, width, line, from, gap);
        }
    }
    free(lines);
}
/* SPDX-License-Identifier: MIT */
