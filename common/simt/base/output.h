/* Output files that an environment variable asks for. The text is collected in memory and replaces
 * the file at the end. If the program fails or the disk is full, the old file stays. Anything that
 * is not a regular file is written in place. */
#ifndef SIMT_OUTPUT_H
#define SIMT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

enum { SIMT_EXIT_FILE = 4 }; /* as the programs of the steps do */

/* If the file cannot be written, prints one line and exits with status 4. */
void simt_output_check(const char *variable, const char *path);
/* Whether the file can be written repeatedly (it is regular or does not exist yet). */
bool simt_output_is_regular(const char *path);

struct simt_output {
    const char *variable, *path;
    char *text;
    size_t size;
};
/* Opens a file to print to. The second one closes it and writes the text; if that fails, it prints
 * the reason and returns false. */
FILE *simt_output_begin(struct simt_output *output, const char *variable, const char *path);
bool simt_output_end(struct simt_output *output, FILE *file);
/* For a program that is already exiting: the rest of its exit follows, with status 4. */
__attribute__((noreturn)) void simt_output_failed(void);

/* The most characters per line: the environment variable COLUMNS or, for a terminal, its width;
 * otherwise 0 (no limit). */
size_t simt_line_width(FILE *file);

#endif
/* SPDX-License-Identifier: MIT */
