/* The assembler source of one translation and the names in it, for simt_twice.c. */
#ifndef SIMT_TWICE_H
#define SIMT_TWICE_H

#include <stdbool.h>
#include <stdint.h>

#include "cc/simt_rewrite.h"

struct names {
    struct symbol {
        const char *begin;
        size_t length;
    } * slots;
    size_t count, capacity; /* a power of two */
};

uint64_t hash_of(const char *bytes, size_t length);
/* The index in `slots`; NO_SYMBOL if the name is not there. */
static const size_t NO_SYMBOL = (size_t)-1;
size_t index_of(const struct names *names, const char *begin, size_t length);
bool has_name(const struct names *names, const char *begin, size_t length);
void keep_name(struct names *names, const char *begin, size_t length);

/* The length of the name that begins here; 0 if none does. */
size_t name_length(const char *at);
bool begins(const char *line, const char *with);
const char *next_line(const char *line);

/* What the file declares. */
struct file {
    struct text text;
    struct names functions, data, external;
    struct names kept; /* variables outside the sections that are left out */
};

/* Collects the names from the file's text. */
void read_assembly(struct file *file);

/* ---- simt_twice_waits.c ---- */

/* Returns the functions of the instrumented translation that may wait. The caller frees the
 * slots. */
struct names find_waiting(const struct file *file);

#endif
/* SPDX-License-Identifier: MIT */
