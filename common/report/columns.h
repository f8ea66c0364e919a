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
        bool left;     /* aligned to the left */
        bool optional; /* may be left out where it does not fit */
        bool folded;   /* set by columns_print: has no column, but stands below */
        bool left_out; /* set by columns_print: neither */
    } column[COLUMNS_MOST];
    size_t column_count, row_count;
    size_t marked;            /* a row with "<" behind it; from row_count on: none */
    bool colour;              /* the titles and the marked row are bold */
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

/* The latest column is left out, the last such column first, where a table is too wide. */
void columns_optional(struct columns *columns);

/* Prints lines of at most `width` characters, 0: of any length. If the table is wider, columns with
 * one value in every row become a line below it; then optional columns are left out; then the first
 * column is repeated where others are continued below it, for the rows that have something there.
 * paint[row], where `paint` is not NULL, precedes the last column's cell of a row; the terminal's
 * normal colour follows it. */
void columns_print(FILE *file, struct columns *columns, size_t width, const char *const *paint);

/* Prints a line above a table, and an empty one. */
void columns_heading(FILE *file, const char *text, bool colour, size_t width);

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
/* SPDX-License-Identifier: MIT */
