/* Keeps, sums and prints the counters, by kernel and by line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/need.h"
#include "base/output.h"
#include "base/setting.h"
#include "count/counted.h"
#include "count/listing.h"
#include "model/sites.h"
#include "program/source.h"

/* ---- keeping ---- */

static struct simt_kernel_counters *kernels;
static size_t kernel_count, kernel_capacity;

static bool is_empty(const struct simt_line_counters *counters)
{
    static const struct simt_line_counters nothing;
    return memcmp(counters, &nothing, sizeof nothing) == 0;
}

/* A source that is compiled in several namespaces has one listing: kernels of the same name that
 * the same file launches. */
static bool is_listed_as(const struct simt_kernel_counters *kernel,
                         const struct simt_launch *launch)
{
    return strcmp(kernel->name, launch->name) == 0 &&
           (kernel->function == launch->function || strcmp(kernel->file, launch->file) == 0);
}

static struct simt_kernel_counters *kernel_of(const struct simt_launch *launch)
{
    for (size_t i = 0; i < kernel_count; i++) {
        if (is_listed_as(&kernels[i], launch)) {
            return &kernels[i];
        }
    }
    kernels = simt_with_room(kernels, kernel_count, &kernel_capacity, sizeof *kernels, "counters");
    kernels[kernel_count] = (struct simt_kernel_counters){.name = launch->name,
                                                          .file = launch->file,
                                                          .line = launch->line,
                                                          .function = launch->function};
    return &kernels[kernel_count++];
}

static struct simt_place_counters *place_in(struct simt_kernel_counters *kernel, uint32_t place)
{
    for (size_t i = 0; i < kernel->place_count; i++) {
        if (kernel->places[i].place == place) {
            return &kernel->places[i];
        }
    }
    kernel->places = simt_with_room(kernel->places, kernel->place_count, &kernel->place_capacity,
                                    sizeof *kernel->places, "counters");
    kernel->places[kernel->place_count] = (struct simt_place_counters){.place = place};
    return &kernel->places[kernel->place_count++];
}

void simt_listing_add(const struct simt_launch *launch, const unsigned int *sites, size_t count)
{
    struct simt_kernel_counters *kernel = kernel_of(launch);
    kernel->launches++;
    kernel->blocks += (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    kernel->threads += (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z *
                       launch->block.x * launch->block.y * launch->block.z;
    for (size_t i = 0; i < count; i++) {
        const struct simt_site *site = simt_site(sites[i]);
        if (!is_empty(&site->counters)) {
            simt_line_counters_add(&place_in(kernel, site->place)->counters, &site->counters);
            simt_line_counters_add(&kernel->totals, &site->counters);
        }
    }
}

void simt_listing_reset(void)
{
    for (size_t i = 0; i < kernel_count; i++) {
        free(kernels[i].places);
    }
    kernel_count = 0;
}

void simt_analysis_totals(struct simt_line_counters *totals)
{
    *totals = (struct simt_line_counters){0};
    for (size_t i = 0; i < kernel_count; i++) {
        simt_line_counters_add(totals, &kernels[i].totals);
    }
}

/* ---- by line ---- */

static int compare_lines(const void *left, const void *right)
{
    const struct simt_counted_line *a = left, *b = right;
    int files = strcmp(a->file, b->file);
    return files != 0 ? files : a->number < b->number ? -1 : a->number > b->number;
}

struct simt_counted_line *simt_counted_lines(const struct simt_kernel_counters *kernel,
                                             size_t *count)
{
    struct simt_counted_line *lines =
        simt_needed(calloc(kernel->place_count + 1, sizeof *lines), "counters");
    uint32_t *places = simt_needed(calloc(kernel->place_count + 1, sizeof *places), "counters");
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
        simt_line_counters_add(&lines[j].counters, &kernel->places[i].counters);
    }
    qsort(lines, used, sizeof *lines, compare_lines);
    *count = used;
    return lines;
}

size_t simt_analysis_lines(struct simt_line *to, size_t most)
{
    size_t used = 0;
    for (size_t i = 0; i < kernel_count; i++) {
        size_t count;
        struct simt_counted_line *lines = simt_counted_lines(&kernels[i], &count);
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
            simt_line_counters_add(&to[k].counters, &lines[j].counters);
        }
        free(lines);
    }
    return used;
}

/* ---- printing ---- */

void simt_analysis_print(FILE *file, enum simt_format format)
{
    if (format == SIMT_JSON) {
        simt_print_json(file, kernels, kernel_count);
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
        simt_print_kernel(file, &kernels[i]);
        if (format == SIMT_LINES) {
            simt_print_listing(file, &kernels[i]);
        }
    }
}

/* ---- settings in the environment ---- */

static int format_asked;

static void print_at_end(void)
{
    const char *path = simt_asked("SIMT_OUT"); /* NULL: standard error */
    struct simt_output output;
    FILE *file = path ? simt_output_begin(&output, "SIMT_OUT", path) : stderr;
    fflush(stdout);
    simt_analysis_print(file, (enum simt_format)format_asked);
    if (path && !simt_output_end(&output, file)) {
        simt_output_failed();
    }
}

void simt_listing_prepare(void)
{
    static bool prepared;
    if (!prepared) {
        prepared = true;
        format_asked = simt_choice("SIMT_COUNTERS");
        if (format_asked >= 0) {
            atexit(print_at_end);
        }
    }
}
/* SPDX-License-Identifier: MIT */
