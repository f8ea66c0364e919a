/* A table of texts that fits a width. Columns are as wide as their texts, and empty columns are
 * left out. If columns do not fit, they are continued below. */
#ifndef RUNGS_COLUMNS_H
#define RUNGS_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { COLUMNS_MOST = 32, CELL_SIZE = 96 };

struct columns {
    struct {
        const char *title;
        bool left;     /* aligned to the left */
        bool optional; /* may be left out if it does not fit */
        bool folded;   /* set by columns_print: shown below, not as a column */
        bool left_out; /* set by columns_print: not shown at all */
    } column[COLUMNS_MOST];
    size_t column_count, row_count;
    size_t marked;            /* a row with "<" after it; row_count or more: none */
    bool colour;              /* the titles and the marked row are bold */
    char (*cells)[CELL_SIZE]; /* "" or "-": empty */
};

/* Returns false if there is no memory. */
bool columns_create(struct columns *columns, size_t rows);
void columns_free(struct columns *columns);

/* Adds a column; its cells are empty until columns_set. */
void columns_add(struct columns *columns, const char *title, bool left);

/* Sets the cell of a row in the latest column. */
void columns_set(struct columns *columns, size_t row, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* If a table is too wide, the latest column may be left out, the last such column first. */
void columns_optional(struct columns *columns);

/* Prints lines of at most `width` characters, 0: of any length. If the table is wider, columns with
 * one value in every row become a line below it. If it is still wider, optional columns are left
 * out. If that is not enough, other columns are continued below, after the first column again, for
 * the rows with values there. If `paint` is not NULL, paint[row] precedes the last column's cell of
 * a row; the terminal's normal colour follows it. */
void columns_print(FILE *file, struct columns *columns, size_t width, const char *const *paint);

/* Prints a line above a table, and an empty line. */
void columns_heading(FILE *file, const char *text, bool colour, size_t width);

/* How many characters a line may have: the environment variable COLUMNS or, if `file` is a
 * terminal, its width. Otherwise 0: any number. */
size_t line_width(FILE *file);

/* Prints "START: a, b, c" with line breaks between the names. Further lines are indented. */
void print_names(FILE *file, const char *start, const char *const *names, size_t count,
                 size_t width);

/* Prints the text and ends the line, with line breaks between words. `used` characters of the first
 * line are already taken. Further lines are indented. */
void print_words(FILE *file, const char *text, size_t used, size_t indent, size_t width);

#endif
/* SPDX-License-Identifier: MIT */
