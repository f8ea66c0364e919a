/* What was counted, by kernel and by line: kept, added up and printed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "observe/trace.h"

/* ---- keeping ---- */

struct place_counters {
    uint32_t place;
    struct simt_line_counters counters;
};

struct kernel_counters {
    const char *name, *file;
    int line;
    const void *function;
    uint64_t launches, blocks, threads;
    struct simt_line_counters totals;
    struct place_counters *places;
    size_t place_count, place_capacity;
};

static struct kernel_counters *kernels;
static size_t kernel_count, kernel_capacity;

static void *need(void *memory)
{
    if (!memory) {
        perror("simt: no memory for counters");
        simt_exit_without_memory();
    }
    return memory;
}

/* Every member is a counter. */
static void add(struct simt_line_counters *to, const struct simt_line_counters *from)
{
    uint64_t *sum = (uint64_t *)to;
    const uint64_t *term = (const uint64_t *)from;
    for (size_t i = 0; i < sizeof *to / sizeof *sum; i++) {
        sum[i] += term[i];
    }
}

static bool is_empty(const struct simt_line_counters *counters)
{
    static const struct simt_line_counters nothing;
    return memcmp(counters, &nothing, sizeof nothing) == 0;
}

static struct kernel_counters *kernel_of(const struct simt_launch *launch)
{
    for (size_t i = 0; i < kernel_count; i++) {
        if (kernels[i].function == launch->function && strcmp(kernels[i].name, launch->name) == 0) {
            return &kernels[i];
        }
    }
    if (kernel_count == kernel_capacity) {
        kernel_capacity = kernel_capacity ? 2 * kernel_capacity : 16;
        kernels = need(realloc(kernels, kernel_capacity * sizeof *kernels));
    }
    kernels[kernel_count] = (struct kernel_counters){.name = launch->name,
                                                     .file = launch->file,
                                                     .line = launch->line,
                                                     .function = launch->function};
    return &kernels[kernel_count++];
}

static struct place_counters *place_in(struct kernel_counters *kernel, uint32_t place)
{
    for (size_t i = 0; i < kernel->place_count; i++) {
        if (kernel->places[i].place == place) {
            return &kernel->places[i];
        }
    }
    if (kernel->place_count == kernel->place_capacity) {
        kernel->place_capacity = kernel->place_capacity ? 2 * kernel->place_capacity : 32;
        kernel->places =
            need(realloc(kernel->places, kernel->place_capacity * sizeof *kernel->places));
    }
    kernel->places[kernel->place_count] = (struct place_counters){.place = place};
    return &kernel->places[kernel->place_count++];
}

void simt_listing_add(const struct simt_launch *launch, const unsigned int *sites, size_t count)
{
    struct kernel_counters *kernel = kernel_of(launch);
    kernel->launches++;
    kernel->blocks += (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    kernel->threads += (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z *
                       launch->block.x * launch->block.y * launch->block.z;
    for (size_t i = 0; i < count; i++) {
        const struct simt_site *site = simt_site(sites[i]);
        if (!is_empty(&site->counters)) {
            add(&place_in(kernel, site->place)->counters, &site->counters);
            add(&kernel->totals, &site->counters);
        }
    }
}

void simt_analysis_reset(void)
{
    for (size_t i = 0; i < kernel_count; i++) {
        free(kernels[i].places);
    }
    kernel_count = 0;
    simt_requests_reset();
    simt_findings_keep(simt_findings_are_kept());
}

void simt_analysis_totals(struct simt_line_counters *totals)
{
    *totals = (struct simt_line_counters){0};
    for (size_t i = 0; i < kernel_count; i++) {
        add(totals, &kernels[i].totals);
    }
}

/* ---- by line ---- */

struct line {
    const char *file;
    int number;
    struct simt_line_counters counters;
};

static int compare_lines(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    int files = strcmp(a->file, b->file);
    return files != 0 ? files : a->number < b->number ? -1 : a->number > b->number;
}

/* The kernel's lines in order; the caller frees them. */
static struct line *lines_of(const struct kernel_counters *kernel, size_t *count)
{
    struct line *lines = need(calloc(kernel->place_count + 1, sizeof *lines));
    uint32_t *places = need(calloc(kernel->place_count + 1, sizeof *places));
    size_t used = 0;
    for (size_t i = 0; i < kernel->place_count; i++) {
        places[i] = kernel->places[i].place;
    }
    simt_sources_load(places, kernel->place_count);
    free(places);
    for (size_t i = 0; i < kernel->place_count; i++) {
        const struct simt_source *source = simt_source_of(kernel->places[i].place);
        size_t j = 0;
        while (j < used && (lines[j].number != source->kernel_line ||
                            strcmp(lines[j].file, source->kernel_file) != 0)) {
            j++;
        }
        lines[j].file = source->kernel_file;
        lines[j].number = source->kernel_line;
        used += j == used;
        add(&lines[j].counters, &kernel->places[i].counters);
    }
    qsort(lines, used, sizeof *lines, compare_lines);
    *count = used;
    return lines;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

size_t simt_analysis_lines(struct simt_line *to, size_t most)
{
    size_t used = 0;
    for (size_t i = 0; i < kernel_count; i++) {
        size_t count;
        struct line *lines = lines_of(&kernels[i], &count);
        for (size_t j = 0; j < count; j++) {
            size_t k = 0;
            while (k < used &&
                   (to[k].line != lines[j].number || strcmp(to[k].file, lines[j].file) != 0)) {
                k++;
            }
            if (k == most) {
                continue;
            }
            if (k == used) {
                to[used++] = (struct simt_line){.file = lines[j].file, .line = lines[j].number};
            }
            add(&to[k].counters, &lines[j].counters);
        }
        free(lines);
    }
    return used;
}

/* ---- as a table ---- */

static const char *const access_names[SIMT_ACCESSES] = {
    "global loads",  "global stores",  "global atomics", "shared loads",
    "shared stores", "shared atomics", "constant loads"};

static double ratio(uint64_t a, uint64_t b)
{
    return b > 0 ? (double)a / (double)b : 0;
}

static bool is_shared(int access)
{
    return access >= SIMT_SHARED_LOAD && access <= SIMT_SHARED_ATOMIC;
}

static void print_access(FILE *file, int access, const struct simt_access_counters *counters)
{
    fprintf(file, "  %-15s %10" PRIu64 " requests, %4.1f lanes", access_names[access],
            counters->requests, ratio(counters->lanes, counters->requests));
    if (is_shared(access)) {
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

static void print_kernel(FILE *file, const struct kernel_counters *kernel)
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
        fprintf(file, "  %-15s %10" PRIu64 " copies, %" PRIu64 " bytes\n", "bulk", totals->bulk_copies,
                totals->bulk_bytes);
    }
    if (totals->matrix > 0) {
        fprintf(file, "  %-15s %10" PRIu64 " instructions of tensor cores, ldmatrix and stmatrix\n",
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
        if (is_shared(i)) {
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

static void print_listing(FILE *file, const struct kernel_counters *kernel)
{
    enum {
        NEAR = 6,
        BEFORE = 3
    }; /* lines without counts that are shown between and before others */
    size_t count;
    struct line *lines = lines_of(kernel, &count);
    struct shown_columns shown = {{false}};
    for (size_t i = 0; i < count; i++) {
        const struct line_figures figures = figures_of(&lines[i].counters);
        for (int c = 0; lines[i].number > 0 && c < LISTED; c++) {
            shown.of[c] = shown.of[c] || figures.of[c] >= 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        const struct line *line = &lines[i];
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

/* ---- as JSON ---- */

static void json_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', file);
        }
        if ((unsigned char)*text >= 0x20) {
            fputc(*text, file);
        }
    }
    fputc('"', file);
}

static void json_counters(FILE *file, const struct simt_line_counters *counters)
{
    static const char *const names[SIMT_ACCESSES] = {
        "global_loads",  "global_stores",  "global_atomics", "shared_loads",
        "shared_stores", "shared_atomics", "constant_loads"};
    for (int i = 0; i < SIMT_ACCESSES; i++) {
        const struct simt_access_counters *access = &counters->access[i];
        fprintf(file, "\"%s\": {\"requests\": %" PRIu64 ", \"lanes\": %" PRIu64, names[i],
                access->requests, access->lanes);
        if (is_shared(i)) {
            fprintf(file, ", \"wavefronts\": %" PRIu64 ", \"bank_conflicts\": %" PRIu64,
                    access->units, access->conflicts);
        } else {
            fprintf(file,
                    ", \"sectors\": %" PRIu64 ", \"bytes_moved\": %" PRIu64
                    ", \"bytes_needed\": %" PRIu64,
                    access->units, 32 * access->units, access->bytes);
        }
        if (i == SIMT_GLOBAL_ATOMIC || i == SIMT_SHARED_ATOMIC) {
            fprintf(file, ", \"lanes_on_one_address\": %" PRIu64, access->crowd);
        }
        fprintf(file, "}, ");
    }
    fprintf(file,
            "\"splits\": %" PRIu64 ", \"barriers\": %" PRIu64 ", \"syncwarps\": %" PRIu64
            ", \"shuffles\": %" PRIu64 ", \"votes\": %" PRIu64,
            counters->splits, counters->barriers, counters->syncwarps, counters->shuffles,
            counters->votes);
    if (counters->bulk_copies > 0) {
        fprintf(file, ", \"bulk_copies\": %" PRIu64 ", \"bulk_bytes\": %" PRIu64,
                counters->bulk_copies, counters->bulk_bytes);
    }
    if (counters->matrix > 0) {
        fprintf(file, ", \"matrix\": %" PRIu64, counters->matrix);
    }
}

static void print_json(FILE *file)
{
    fprintf(file, "{\"instrumented\": %s, \"kernels\": [", simt_instrumented() ? "true" : "false");
    for (size_t i = 0; i < kernel_count; i++) {
        const struct kernel_counters *kernel = &kernels[i];
        size_t count;
        struct line *lines = lines_of(kernel, &count);
        fprintf(file, "%s\n {\"name\": ", i > 0 ? "," : "");
        json_text(file, kernel->name);
        fprintf(file, ", \"file\": ");
        json_text(file, kernel->file);
        fprintf(file,
                ", \"line\": %d, \"launches\": %" PRIu64 ", \"blocks\": %" PRIu64
                ", \"threads\": %" PRIu64 ",\n  ",
                kernel->line, kernel->launches, kernel->blocks, kernel->threads);
        json_counters(file, &kernel->totals);
        fprintf(file, ",\n  \"lines\": [");
        for (size_t j = 0; j < count; j++) {
            fprintf(file, "%s\n   {\"file\": ", j > 0 ? "," : "");
            json_text(file, lines[j].file);
            fprintf(file, ", \"line\": %d, ", lines[j].number);
            json_counters(file, &lines[j].counters);
            fprintf(file, "}");
        }
        fprintf(file, "]}");
        free(lines);
    }
    fprintf(file, "\n]}\n");
}

void simt_analysis_print(FILE *file, enum simt_format format)
{
    if (format == SIMT_JSON) {
        print_json(file);
        return;
    }
    if (!simt_instrumented()) {
        fputs("simt: no counters of memory: the kernels were compiled without instrumentation\n",
              file);
    }
    for (size_t i = 0; i < kernel_count; i++) {
        if (i > 0) {
            fputc('\n', file);
        }
        print_kernel(file, &kernels[i]);
        if (format == SIMT_LINES) {
            print_listing(file, &kernels[i]);
        }
    }
}

/* ---- what the environment asks for ---- */

static void print_at_end(void)
{
    const char *asked = getenv("SIMT_COUNTERS"), *path = getenv("SIMT_OUT");
    enum simt_format format = strcmp(asked, "json") == 0    ? SIMT_JSON
                              : strcmp(asked, "lines") == 0 ? SIMT_LINES
                                                            : SIMT_TABLE;
    FILE *file = path && path[0] ? fopen(path, "w") : stderr;
    if (!file) {
        fprintf(stderr, "simt: cannot write %s", path);
        perror("");
        return;
    }
    fflush(stdout);
    simt_analysis_print(file, format);
    if (file != stderr && fclose(file) != 0) {
        fprintf(stderr, "simt: cannot write %s", path);
        perror("");
    }
}

void simt_listing_prepare(void)
{
    static bool prepared;
    const char *asked = getenv("SIMT_COUNTERS");
    if (prepared || !asked) {
        return;
    }
    prepared = true;
    if (strcmp(asked, "table") != 0 && strcmp(asked, "lines") != 0 && strcmp(asked, "json") != 0) {
        fprintf(stderr, "simt: SIMT_COUNTERS is '%s': want table, lines or json\n", asked);
        exit(2);
    }
    atexit(print_at_end);
}
