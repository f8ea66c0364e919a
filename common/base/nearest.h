/* The name that a user may have meant: of the names tried, the one that differs from a text in the
 * fewest letters. */
#ifndef RUNGS_NEAREST_H
#define RUNGS_NEAREST_H

#include <stddef.h>

enum { HINT_SIZE = 80 };

struct nearest {
    const char *text; /* what the user wrote */
    const char *name; /* the nearest name that was tried; NULL: none */
    size_t distance;  /* letters that are wrong, missing, too many or swapped */
};

void nearest_try(struct nearest *nearest, const char *name);

/* " Did you mean PREFIXname?", or "" if no name is near. */
void nearest_hint(const struct nearest *nearest, const char *prefix, char hint[HINT_SIZE]);

#endif
/* SPDX-License-Identifier: MIT */
