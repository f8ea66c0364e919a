/* Command-line options as data: each sets one member of a struct of options.
 *
 * The runner and every problem have a table of these; run/options.c reads the command line by
 * them. */
#ifndef RUNGS_OPTION_H
#define RUNGS_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* The type of the member, and how its value is written. */
enum option_kind {
    OPTION_FLAG,  /* bool; the option takes no value */
    OPTION_SIZE,  /* size_t: 1000, 64K, 1M, 2G */
    OPTION_INT,   /* int, written likewise */
    OPTION_SEED,  /* uint64_t, written likewise */
    OPTION_FLOAT, /* float, finite */
    OPTION_TEXT,  /* const char *: any text, such as a file's name */
    OPTION_NAME,  /* int: the place of the value in `names` */
    OPTION_PAIR   /* size_t height, then size_t width: 3x3 */
};

struct option_field {
    const char *name;
    const char *argument; /* as --help shows it, "[=X]" if it may be left out; NULL for a flag */
    const char *help;
    enum option_kind kind;
    size_t member;            /* offsetof the member */
    size_t minimum;           /* of a size or an int */
    const char *const *names; /* OPTION_NAME: ends with NULL */
    const char *left_out;     /* the value where the user gives none */
    bool sets_size;           /* says how large the problem is */
    char letter;              /* its short form; 0: none */
};

/* Reads `text`, NULL if the user gave no value, into the member of *options. Code:
 * EXIT_BAD_USAGE. */
bool option_set(const struct option_field *field, const char *text, void *options,
                struct error *error);

#endif
