/* Command-line options as data: each entry of a table describes an option and the member of a
 * struct that it sets. The runner has one table and each kind of problem has another. run/options.c
 * parses the command line by both. */
#ifndef RUNGS_OPTION_H
#define RUNGS_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* The type of the member, and what its value looks like on the command line. */
enum option_kind {
    OPTION_FLAG,   /* bool; the option takes no value */
    OPTION_SIZE,   /* size_t: 1000, 64K, 1M, 2G */
    OPTION_INT,    /* int, in the same form */
    OPTION_SEED,   /* uint64_t, in the same form */
    OPTION_FLOAT,  /* float, finite */
    OPTION_TEXT,   /* const char *: any text */
    OPTION_INPUT,  /* const char *: a file that is read (or, if there is none, a name) */
    OPTION_OUTPUT, /* const char *: a file that is written; no other option may name it */
    OPTION_NAME,   /* int: one of `names`, stored as its index */
    OPTION_PAIR,   /* two size_t, height and width: 3x3; if `square`, 3 is 3x3 */
    OPTION_COUNT   /* unsigned, in the same form; name i of `names` is stored as UINT_MAX - i */
};

struct option_field {
    const char *name;
    const char *argument; /* as --help shows it, "[=X]" if optional; NULL for a flag */
    const char *help;
    enum option_kind kind;
    size_t member;            /* offsetof the member */
    size_t minimum;           /* the smallest value accepted (size, int, pair, count) */
    size_t maximum;           /* the largest value accepted (int, count); 0: any */
    const char *const *names; /* the accepted names (name, count), ending with NULL */
    const char *left_out;     /* the value if the user gives no optional argument */
    bool square;              /* OPTION_PAIR: one number stands for both */
    bool sets_size;           /* part of the problem's size */
    char letter;              /* short form, such as 'n' for -n; 0: none */
};

/* Parses `text` (NULL if the user gave no value) and stores it in the member of *options. Code:
 * EXIT_BAD_USAGE. */
bool option_set(const struct option_field *field, const char *text, void *options,
                struct error *error);

#endif
/* SPDX-License-Identifier: MIT */
