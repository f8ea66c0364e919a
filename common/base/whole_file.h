/* Files that are written whole or not at all: kept in memory, written beside their place and moved
 * there in the end, so that an interrupted program leaves the old file whole and nothing half
 * written. A path that is no regular file (a pipe, /dev/stdout) is written in place. */
#ifndef RUNGS_WHOLE_FILE_H
#define RUNGS_WHOLE_FILE_H

#include <stdio.h>

#include "base/error.h"

struct whole_file {
    const char *path;
    FILE *text; /* to be written to between open and commit */
    char *buffer;
    size_t length;
};

/* Tries whether the place can be written before any work is done. Code: EXIT_FILE_ERROR. */
bool whole_file_open(struct whole_file *file, const char *path, struct error *error);

/* Writes the file and closes it; if that fails, what stood there before stands there still. Code:
 * EXIT_FILE_ERROR. */
bool whole_file_commit(struct whole_file *file, struct error *error);

/* Closes it without writing anything. */
void whole_file_discard(struct whole_file *file);

#endif
