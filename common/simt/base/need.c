#include "base/need.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/exit.h"

void *simt_needed(void *memory, const char *use)
{
    char what[128];
    if (!memory) {
        snprintf(what, sizeof what, "simt: no memory for %s", use);
        perror(what);
        simt_exit_without_memory();
    }
    return memory;
}

void *simt_with_room(void *items, size_t count, size_t *capacity, size_t size, const char *use)
{
    if (count < *capacity) {
        return items;
    }
    *capacity = *capacity ? 2 * *capacity : 64;
    return simt_needed(realloc(items, *capacity * size), use);
}
/* SPDX-License-Identifier: MIT */
