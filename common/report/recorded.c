#include "report/recorded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "report/columns.h"

enum { MOST_SHAPES = 4, TITLE_SIZE = 80 };

/* The recordings of the results' ladder, one per shape. */
struct shapes {
    const struct recorded_ladder *of[MOST_SHAPES];
    size_t count;
};

static struct shapes find_shapes(const struct results *results)
{
    struct shapes shapes = {.count = 0};

    for (size_t i = 0; i < recording_count && shapes.count < MOST_SHAPES; i++) {
        const struct recorded_ladder *const one = &recordings[i];
        if (strcmp(one->step, results->step) == 0 && strcmp(one->op, results->op) == 0 &&
            strcmp(one->type, results->type) == 0)
            shapes.of[shapes.count++] = one;
    }
    return shapes;
}

static const struct recorded_row *find_row(const struct recorded_ladder *recording,
                                           const char *rung)
{
    for (size_t i = 0; i < recording->row_count; i++)
        if (strcmp(recording->rows[i].rung, rung) == 0)
            return &recording->rows[i];
    return NULL;
}

/* Libraries do not run on the CPU back end, but other rows are compared with them. */
static bool has_row(const struct result *row)
{
    return !row->on_host && (row->is_library || row->verdict != VERDICT_SKIP);
}

static void shorten(char text[TITLE_SIZE], const char *shape)
{
    char count[FORMAT_COUNT_SIZE] = "";

    if (strspn(shape, "0123456789") == strlen(shape))
        format_count(strtoull(shape, NULL, 10), count);
    snprintf(text, TITLE_SIZE, "%s", count[0] != '\0' ? count : shape);
}

static void add_shape(struct columns *table, const struct recorded_ladder *recording,
                      const struct result *const rows[], const char *title)
{
    char text[FORMAT_TIME_SIZE];

    columns_add(table, title, false);
    for (size_t i = 0; i < table->row_count; i++) {
        const struct recorded_row *const found = find_row(recording, rows[i]->rung);
        if (found != NULL)
            format_time(found->median_us, text);
        columns_set(table, i, "%s", found != NULL ? text : "not measured");
    }
    columns_add(table, "vs library", false);
    for (size_t i = 0; i < table->row_count; i++) {
        const struct recorded_row *const found = find_row(recording, rows[i]->rung);
        if (found != NULL && !isnan(found->speedup_library))
            columns_set(table, i, "%.*fx", found->speedup_library < 0.095 ? 4 : 2,
                        found->speedup_library);
    }
    columns_add(table, "of peak", false);
    for (size_t i = 0; i < table->row_count; i++) {
        const struct recorded_row *const found = find_row(recording, rows[i]->rung);
        if (found != NULL && !isnan(found->percent_of_peak))
            columns_set(table, i, "%.*f%%", found->percent_of_peak < 0.95 ? 3 : 1,
                        found->percent_of_peak);
    }
}

/* Marks the rung with the largest gain over the rung above, at the last shape. */
static void mark_gain(struct columns *table, const struct recorded_ladder *recording,
                      const struct result *const rows[])
{
    double most = 1;

    for (size_t i = 1; i < table->row_count; i++) {
        const struct recorded_row *const row = find_row(recording, rows[i]->rung),
                                         *const above = find_row(recording, rows[i - 1]->rung);
        if (row == NULL || above == NULL || rows[i]->is_library)
            continue;
        if (above->median_us / row->median_us > most) {
            most = above->median_us / row->median_us;
            table->marked = i;
        }
    }
}

void report_recorded(FILE *file, const struct results *results, bool colour, size_t width)
{
    const struct shapes shapes = find_shapes(results);
    const struct result **const rows = calloc(results->row_count + 1, sizeof *rows);
    char heading[256], titles[MOST_SHAPES][TITLE_SIZE];
    struct columns table;
    size_t count = 0;

    for (size_t i = 0; rows != NULL && i < results->row_count; i++)
        if (has_row(&results->rows[i]))
            rows[count++] = &results->rows[i];
    if (shapes.count == 0 || count == 0 || !columns_create(&table, count)) {
        free(rows);
        return;
    }
    const struct recorded_ladder *const last = shapes.of[shapes.count - 1];

    table.colour = colour;
    columns_add(&table, "rung", true);
    for (size_t i = 0; i < count; i++)
        columns_set(&table, i, "%s", rows[i]->rung);
    for (size_t i = 0; i < shapes.count; i++) {
        shorten(titles[i], shapes.of[i]->shape);
        if (shapes.count > 1)
            add_shape(&table, shapes.of[i], rows, titles[i]);
        else
            add_shape(&table, shapes.of[i], rows, "time");
    }
    mark_gain(&table, last, rows);
    snprintf(heading, sizeof heading, "recorded on a GPU (%s): %s %s, %s%s%s", last->device,
             results->op, results->type, titles[0], shapes.count > 1 ? " and " : "",
             shapes.count > 1 ? titles[1] : "");
    fputs("\n", file);
    columns_heading(file, heading, colour, width);
    columns_print(file, &table, width, NULL);
    if (table.marked < count)
        fprintf(file, "  < the largest gain over the rung above\n");
    fprintf(file, "  from docs/results/%s\n", last->file);
    columns_free(&table);
    free(rows);
}
/* SPDX-License-Identifier: MIT */
