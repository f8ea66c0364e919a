/* Files for the tests of common/: scratch folders, vectors as .npy, and reading CSV and JSON. An
 * error in these functions fails the cmocka test that calls them. */
#ifndef RUNGS_TEST_FILES_H
#define RUNGS_TEST_FILES_H

#include <stdbool.h>
#include <stddef.h>

enum { PATH_SIZE = 512 };

/* Creates a new empty folder; removes it with all its files. */
void folder_create(char path[PATH_SIZE]);
void folder_remove(const char *path);
/* Entries of a folder, without . and .. */
size_t folder_count(const char *path);

/* folder/name */
void path_join(char path[PATH_SIZE], const char *folder, const char *name);
bool file_exists(const char *path);
void file_write(const char *path, const char *text);
/* The whole file, with a zero byte added at the end; the caller frees. */
char *file_read(const char *path);

/* A vector of `count` elements; `type` is NumPy's, such as "<f4". */
void npy_write(const char *path, const char *type, const void *data, size_t count,
               size_t element_size);
/* A new float32 file with `count` elements. `shape` is the shape as Python writes it, such as
 * "(3, 2)". Returns the path; npy_remove deletes the file and frees the path. */
char *npy_temporary(const char *shape, const float *data, size_t count);
void npy_remove(char *path);

/* Field `column` of line `line`, both from 0, without its quotes. False if there is none. */
bool csv_field_of(const char *text, size_t line, size_t column, char field[PATH_SIZE]);
/* The field below the header `name`. Fails the test if there is none. */
void csv_named(const char *text, size_t line, const char *name, char field[PATH_SIZE]);
size_t csv_lines(const char *text);

/* Whether the text is one JSON value (RFC 8259) and nothing more. */
bool json_is_valid(const char *text);

/* Redirects the standard output of this process to a file, and restores it. */
void output_redirect(const char *path);
void output_restore(void);

#endif
/* SPDX-License-Identifier: MIT */
