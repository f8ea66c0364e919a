/* A table of texts that fits a width: columns as wide as their texts, empty columns left out, and
 * what does not fit beside the others continued below. */
#ifndef RUNGS_COLUMNS_H
#define RUNGS_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { COLUMNS_MOST = 32, CELL_SIZE = 64 };

struct columns {
    struct {
        const char *title;
        bool left;   /* aligned to the left */
        bool folded; /* set by columns_print: has no column, but stands below */
    } column[COLUMNS_MOST];
    size_t column_count, row_count;
    char (*cells)[CELL_SIZE]; /* "" or "-": nothing there */
};

/* Returns false if there is no memory. */
bool columns_create(struct columns *columns, size_t rows);
void columns_free(struct columns *columns);

/* Adds a column; its cells are empty until columns_set. */
void columns_add(struct columns *columns, const char *title, bool left);

/* Sets the cell of a row in the latest column. */
void columns_set(struct columns *columns, size_t row, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints lines of at most `width` characters, 0: of any length. If the table is wider, columns that
 * are alike in all rows become a line below it; then, the first column is repeated where others are
 * continued below it, for the rows that have something there. paint[row], where `paint` is not
 * NULL, precedes the last column's cell of a row; the terminal's normal colour follows it. */
void columns_print(FILE *file, struct columns *columns, size_t width, const char *const *paint);

/* How many characters a line may have: the environment variable COLUMNS or, of a terminal, its
 * width; otherwise 0, any number. */
size_t line_width(FILE *file);

/* Prints "START: a, b, c" with line breaks between the names; lines that follow are indented. */
void print_names(FILE *file, const char *start, const char *const *names, size_t count,
                 size_t width);

/* Prints the text and ends the line, of which `used` characters are taken, with line breaks between
 * words; lines that follow are indented. */
void print_words(FILE *file, const char *text, size_t used, size_t indent, size_t width);

#endif
