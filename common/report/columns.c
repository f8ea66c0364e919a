#include "report/columns.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 40, MARK_WIDTH = 2 };

#define BOLD "\033[1m"
#define PLAIN "\033[0m"

bool columns_create(struct columns *columns, size_t rows)
{
    *columns = (struct columns){.row_count = rows, .marked = rows};
    columns->cells = calloc(rows * COLUMNS_MOST + 1, sizeof *columns->cells);
    return columns->cells != NULL;
}

void columns_free(struct columns *columns)
{
    free(columns->cells);
    columns->cells = NULL;
}

static char *cell_of(const struct columns *columns, size_t row, size_t column)
{
    return columns->cells[row * COLUMNS_MOST + column];
}

void columns_add(struct columns *columns, const char *title, bool left)
{
    if (columns->column_count == COLUMNS_MOST)
        abort(); /* a mistake in the program; raise COLUMNS_MOST */
    columns->column[columns->column_count].title = title;
    columns->column[columns->column_count++].left = left;
}

void columns_optional(struct columns *columns)
{
    columns->column[columns->column_count - 1].optional = true;
}

void columns_set(struct columns *columns, size_t row, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(cell_of(columns, row, columns->column_count - 1), CELL_SIZE, format, arguments);
    va_end(arguments);
}

static bool is_empty(const char *cell)
{
    return cell[0] == '\0' || strcmp(cell, "-") == 0;
}

/* The width of a column; 0 if it is empty. */
static size_t width_of(const struct columns *columns, size_t column)
{
    size_t width = strlen(columns->column[column].title);
    bool empty = columns->row_count > 0;

    for (size_t row = 0; row < columns->row_count; row++) {
        const char *const cell = cell_of(columns, row, column);
        empty = empty && is_empty(cell);
        width = strlen(cell) > width ? strlen(cell) : width;
    }
    return empty || columns->column[column].folded || columns->column[column].left_out ? 0 : width;
}

/* Whether a column has the same text in all of several rows. */
static bool is_constant(const struct columns *columns, size_t column)
{
    const char *const first = cell_of(columns, 0, column);

    for (size_t row = 1; row < columns->row_count; row++)
        if (strcmp(cell_of(columns, row, column), first) != 0)
            return false;
    return columns->row_count > 1 && column > 0 && !is_empty(first);
}

/* The first column that no longer fits into a line with the first column and those from `from`. */
static size_t end_of_line(const struct columns *columns, size_t from, size_t width)
{
    size_t used = 2 + width_of(columns, 0), column = from;
    bool any = false;

    for (; column < columns->column_count; column++) {
        const size_t own = width_of(columns, column);
        if (own == 0)
            continue;
        used += 2 + own;
        if (width > 0 && any && used > width)
            break;
        any = true;
    }
    return column;
}

/* Prints a line: the first column and those from `from` to before `end`, without final spaces. */
static void print_line(FILE *file, const struct columns *columns, const char *const *texts,
                       size_t from, size_t end, const char *paint, bool bold, bool marked)
{
    size_t spaces = 2;

    fputs(bold && columns->colour ? BOLD : "", file);
    for (size_t column = 0; column < end; column++) {
        const size_t width = width_of(columns, column), length = strlen(texts[column]);
        if (width == 0 || (column > 0 && column < from))
            continue;
        const size_t before = columns->column[column].left ? 0 : width - length;
        if (length > 0) {
            const bool painted = paint != NULL && column + 1 == columns->column_count;
            fprintf(file, "%*s%s%s%s", (int)(spaces + before), "", painted ? paint : "",
                    texts[column], painted ? PLAIN : "");
            spaces = 0;
        } else {
            spaces += before;
        }
        spaces += width - before - length + 2;
    }
    if (marked)
        fprintf(file, "%*s<", (int)(spaces - 1), "");
    fprintf(file, "%s\n", bold && columns->colour ? PLAIN : "");
}

/* Whether the row is empty in the columns from `from` to before `end`. */
static bool is_blank(const struct columns *columns, size_t row, size_t from, size_t end)
{
    for (size_t column = from; column < end; column++)
        if (width_of(columns, column) > 0 && !is_empty(cell_of(columns, row, column)))
            return false;
    return true;
}

static void tell_folded(FILE *file, const struct columns *columns, size_t width)
{
    char texts[COLUMNS_MOST][2 * CELL_SIZE];
    const char *names[COLUMNS_MOST];
    size_t count = 0;

    for (size_t column = 0; column < columns->column_count; column++)
        if (columns->column[column].folded) {
            snprintf(texts[count], sizeof texts[count], "%s %s", columns->column[column].title,
                     cell_of(columns, 0, column));
            names[count] = texts[count];
            count++;
        }
    if (count > 0)
        print_names(file, "in every row", names, count, width);
}

static void tell_left_out(FILE *file, const struct columns *columns, size_t width)
{
    const char *names[COLUMNS_MOST];
    size_t count = 0;

    for (size_t column = 0; column < columns->column_count; column++)
        if (columns->column[column].left_out)
            names[count++] = columns->column[column].title;
    if (count > 0)
        print_names(file, "in a wider terminal", names, count, width);
}

/* If the table does not fit, makes it as narrow as it can be without continuing below. */
static void narrow(struct columns *columns, size_t width)
{
    for (size_t column = 0; column < columns->column_count; column++)
        columns->column[column].folded = columns->column[column].left_out = false;
    if (end_of_line(columns, 1, width) == columns->column_count)
        return;
    for (size_t column = 1; column < columns->column_count; column++)
        columns->column[column].folded = is_constant(columns, column);
    for (size_t column = columns->column_count; column-- > 1;) {
        if (end_of_line(columns, 1, width) == columns->column_count)
            return;
        if (columns->column[column].optional && width_of(columns, column) > 0)
            columns->column[column].left_out = true;
    }
}

void columns_print(FILE *file, struct columns *columns, size_t width, const char *const *paint)
{
    const size_t room =
        width > 0 && columns->marked < columns->row_count ? width - MARK_WIDTH : width;
    const char *texts[COLUMNS_MOST];

    narrow(columns, room);
    for (size_t from = 1, end; from < columns->column_count; from = end) {
        end = end_of_line(columns, from, room);
        if (from > 1)
            fputc('\n', file);
        for (size_t column = 0; column < columns->column_count; column++)
            texts[column] = columns->column[column].title;
        print_line(file, columns, texts, from, end, NULL, true, false);
        for (size_t row = 0; row < columns->row_count; row++) {
            const bool marked = row == columns->marked;
            if (from > 1 && is_blank(columns, row, from, end))
                continue;
            for (size_t column = 0; column < columns->column_count; column++)
                texts[column] = cell_of(columns, row, column);
            print_line(file, columns, texts, from, end, paint != NULL ? paint[row] : NULL, marked,
                       marked && from == 1);
        }
    }
    tell_folded(file, columns, width);
    tell_left_out(file, columns, width);
}

void columns_heading(FILE *file, const char *text, bool colour, size_t width)
{
    fprintf(file, "%s  ", colour ? BOLD : "");
    print_words(file, text, 2, 4, width);
    fprintf(file, "%s\n", colour ? PLAIN : "");
}

size_t line_width(FILE *file)
{
    const char *const variable = getenv("COLUMNS");
    const long said = variable != NULL ? strtol(variable, NULL, 10) : 0;
    struct winsize size;

    if (said > 0)
        return said < NARROWEST ? NARROWEST : (size_t)said;
    if (isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col < NARROWEST ? NARROWEST : size.ws_col;
    return 0;
}

void print_names(FILE *file, const char *start, const char *const *names, size_t count,
                 size_t width)
{
    size_t used = (size_t)fprintf(file, "  %s:", start);

    for (size_t i = 0; i < count; i++) {
        const size_t length = 1 + strlen(names[i]) + (i + 1 < count);
        if (width > 0 && used + length > width)
            used = (size_t)fprintf(file, "\n   ") - 1;
        used += (size_t)fprintf(file, " %s%s", names[i], i + 1 < count ? "," : "");
    }
    fputc('\n', file);
}

void print_words(FILE *file, const char *text, size_t used, size_t indent, size_t width)
{
    for (bool first = true; *text != '\0'; first = false) {
        const size_t length = strcspn(text, " ");
        if (!first && width > 0 && used + 1 + length > width) {
            fprintf(file, "\n%*s", (int)indent, "");
            used = indent;
        } else if (!first) {
            fputc(' ', file);
            used++;
        }
        fprintf(file, "%.*s", (int)length, text);
        used += length;
        text += length + (text[length] == ' ');
    }
    fputc('\n', file);
}
/* SPDX-License-Identifier: MIT */
