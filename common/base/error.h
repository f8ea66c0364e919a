/* Errors as values: a message of one line and the exit code that belongs to it. */
#ifndef RUNGS_ERROR_H
#define RUNGS_ERROR_H

#include <stdbool.h>

/* Exit codes of every program in this repository. */
enum exit_code {
    EXIT_ALL_VERIFIED = 0,
    EXIT_WRONG_RESULT = 1,
    EXIT_BAD_USAGE = 2,
    EXIT_DEVICE_ERROR = 3, /* a device call or an allocation failed */
    EXIT_FILE_ERROR = 4    /* a file is unreadable, malformed or not writable */
};

struct error {
    enum exit_code code;
    char text[512]; /* one line, without a newline */
};

/* Fills *error and returns false, so that a failing function can `return error_set(...)`. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool error_set(struct error *error, enum exit_code code, const char *format, ...);

#endif
/* SPDX-License-Identifier: MIT */
