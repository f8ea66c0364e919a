/* Opens the files that users name as inputs. */
#ifndef RUNGS_REGULAR_FILE_H
#define RUNGS_REGULAR_FILE_H

#include "base/error.h"

/* Opens a regular file for reading and returns its descriptor. On failure returns -1; *error names
 * the file as `shown`, and the format that is `wanted`, such as ".npy". Never waits, not even for a
 * pipe without a writer. Code: EXIT_FILE_ERROR. */
int regular_file_open(const char *path, const char *shown, const char *wanted, struct error *error);

#endif
/* SPDX-License-Identifier: MIT */
