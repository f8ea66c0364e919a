/* Counts as a table, and beside the lines of the source. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

static void print_access(FILE *file, int access, const struct simt_access_counters *counters)
{
    fprintf(file, "  %-15s %10" PRIu64 " requests, %4.1f lanes", access_names[access],
            counters->requests, ratio(counters->lanes, counters->requests));
    if (simt_is_shared(access)) {
        fprintf(file, ", %10" PRIu64 " wavefronts, %8" PRIu64 " bank conflicts", counters->units,
                counters->conflicts);
    } else if (access != SIMT_CONSTANT_LOAD) {
        fprintf(file, ", %10" PRIu64 " sectors, %5.2f a request, %3.0f%% of the bytes needed",
                counters->units, ratio(counters->units, counters->requests),
                100 * ratio(counters->bytes, 32 * counters->units));
    }
    if (counters->crowd > 0) {
        fprintf(file, ", up to %.1f lanes on one address",
                ratio(counters->crowd, counters->requests));
    }
    fputc('\n', file);
}

void simt_print_kernel(FILE *file, const struct simt_kernel_counters *kernel)
{
    const struct simt_line_counters *totals = &kernel->totals;
    fprintf(file,
            "kernel %s (%s:%d): %" PRIu64 " launch%s, %" PRIu64 " block%s, %" PRIu64 " thread%s\n",
            kernel->name, base_name(kernel->file), kernel->line, kernel->launches,
            kernel->launches == 1 ? "" : "es", kernel->blocks, kernel->blocks == 1 ? "" : "s",
            kernel->threads, kernel->threads == 1 ? "" : "s");
    for (int i = 0; i < SIMT_ACCESSES; i++) {
        if (totals->access[i].requests > 0) {
            print_access(file, i, &totals->access[i]);
        }
    }
    fprintf(file,
            "  %-15s %10" PRIu64 " branches of the source sent lanes of a warp different ways\n",
            "splits", totals->splits);
    if (totals->barriers + totals->syncwarps + totals->shuffles + totals->votes > 0) {
        fprintf(file,
                "  %-15s %10" PRIu64 " barriers, %" PRIu64 " syncwarps, %" PRIu64
                " shuffles, %" PRIu64 " votes\n",
                "meetings", totals->barriers, totals->syncwarps, totals->shuffles, totals->votes);
    }
    if (totals->bulk_copies > 0) {
        fprintf(file, "  %-15s %10" PRIu64 " copies, %" PRIu64 " bytes\n", "bulk",
                totals->bulk_copies, totals->bulk_bytes);
    }
    if (totals->matrix > 0) {
        fprintf(file, "  %-15s %10" PRIu64 " of mma.sync, wgmma.mma_async, ldmatrix and stmatrix\n",
                "matrix", totals->matrix);
    }
}

/* ---- as a listing ---- */

/* The columns of the listing, and the titles above them. */
enum { GLOBAL, SECTORS, SHARED, CONFLICTS, LANES, SPLITS, BARRIERS, SHUFFLES, LISTED };

static const struct {
    const char *titles[2];
    int width;
} listed[LISTED] = {
    {{"global", "requests"}, 8}, {{"sect.", "/req."}, 5},      {{"shared", "requests"}, 8},
    {{"bank", "conflicts"}, 9},  {{"", "lanes"}, 5},           {{"branches", "split"}, 8},
    {{"", "barriers"}, 8},       {{"shuffles", "& votes"}, 8},
};

/* The figures of a line of source; below 0: nothing to show. */
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

/* Columns that have something to show in some line of a kernel. */
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

void simt_print_listing(FILE *file, const struct simt_kernel_counters *kernel)
{
    enum {
        NEAR = 6,
        BEFORE = 3
    }; /* lines without counts that are shown between and before others */
    size_t count;
    struct simt_counted_line *lines = simt_counted_lines(kernel, &count);
    struct shown_columns shown = {{false}};
    for (size_t i = 0; i < count; i++) {
        const struct line_figures figures = figures_of(&lines[i].counters);
        for (int c = 0; lines[i].number > 0 && c < LISTED; c++) {
            shown.of[c] = shown.of[c] || figures.of[c] >= 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        const struct simt_counted_line *line = &lines[i];
        bool new_file = i == 0 || strcmp(line->file, lines[i - 1].file) != 0;
        int from = line->number - BEFORE;
        if (line->number <= 0) {
            continue;
        }
        if (new_file) {
            fprintf(file, "\n%s, kernel %s\n", line->file, kernel->name);
            print_titles(file, shown);
        } else if (line->number - lines[i - 1].number <= NEAR) {
            from = lines[i - 1].number + 1;
        } else {
            print_gutter(file, shown, NULL);
            fputs(" | ...\n", file);
        }
        for (int number = from > 0 ? from : 1; number < line->number; number++) {
            print_counted_line(file, shown, NULL, line->file, number);
        }
        print_counted_line(file, shown, &line->counters, line->file, line->number);
    }
    free(lines);
}
