/* Files that are replaced atomically: the text is collected in memory, written to a temporary file
 * in the same directory and renamed at the end, so that an interrupted program leaves the old file
 * as it was. A path that is not a regular file (a pipe, /dev/stdout) is written in place. */
#ifndef RUNGS_WHOLE_FILE_H
#define RUNGS_WHOLE_FILE_H

#include <stdio.h>

#include "base/error.h"

struct whole_file {
    const char *path;
    FILE *text; /* write to this between open and commit */
    char *buffer;
    size_t length;
};

/* Checks that the path can be written, so that a program fails before its work, not after it. Code:
 * EXIT_FILE_ERROR. */
bool whole_file_open(struct whole_file *file, const char *path, struct error *error);

/* Writes the file and closes it; on failure an existing file is left as it was. Code:
 * EXIT_FILE_ERROR. */
bool whole_file_commit(struct whole_file *file, struct error *error);

/* Closes the file without writing anything. */
void whole_file_discard(struct whole_file *file);

#endif
