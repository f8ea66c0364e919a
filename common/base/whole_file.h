/* Files that are replaced atomically. The contents are collected in memory, written to a temporary
 * file in the same directory and renamed at the end. If the program fails or is interrupted, the
 * old file stays as it was. A path that is not a regular file (a pipe, /dev/stdout) is written in
 * place. */
#ifndef RUNGS_WHOLE_FILE_H
#define RUNGS_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

struct whole_file {
    const char *path;
    FILE *text; /* write to this between open and commit */
    char *buffer;
    size_t length;
    int pipe; /* the open pipe, if the path is one; or -1 */
};

/* Checks that the path can be written, so that a program fails before its work, not after it. For a
 * pipe, checks that a process reads from it. Code: EXIT_FILE_ERROR. */
bool whole_file_open(struct whole_file *file, const char *path, struct error *error);

/* Writes the file and closes it; on failure an existing file is left as it was. Code:
 * EXIT_FILE_ERROR. */
bool whole_file_commit(struct whole_file *file, struct error *error);

/* Closes the file without writing anything. */
void whole_file_discard(struct whole_file *file);

/* Whether two paths lead to the same regular file, or will, once it is written. */
bool whole_file_same(const char *one, const char *other);

#endif
/* SPDX-License-Identifier: MIT */
