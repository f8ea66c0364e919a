/* Files that a variable of the environment asks for. They are collected in memory and replaced as a
 * whole at the end: a program that fails, or a full disk, leaves an old one as it was. What is no
 * regular file is written in place. */
#ifndef SIMT_OUTPUT_H
#define SIMT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

enum { SIMT_EXIT_FILE = 4 }; /* as the programs of the steps */

/* Where it cannot be written, the program ends with one line and status 4. */
void simt_output_check(const char *variable, const char *path);
/* Whether it is one that can be written again and again. */
bool simt_output_is_regular(const char *path);

struct simt_output {
    const char *variable, *path;
    char *text;
    size_t size;
};
/* A file to print to. Closing it and writing what was printed; false after a
 * line that says why not. */
FILE *simt_output_begin(struct simt_output *output, const char *variable, const char *path);
bool simt_output_end(struct simt_output *output, FILE *file);
/* For a program that ends already: what is left of its end is done, with status 4. */
__attribute__((noreturn)) void simt_output_failed(void);

/* How many characters a line of any file may have: the environment variable COLUMNS or, of a
 * terminal, its width; otherwise 0, any number. */
size_t simt_line_width(FILE *file);

#endif
/* SPDX-License-Identifier: MIT */
