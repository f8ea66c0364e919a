/* Address spaces, and ranges of addresses with the same properties. */
#ifndef SIMT_SPACE_H
#define SIMT_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum simt_space { SPACE_LOCAL, SPACE_GLOBAL, SPACE_SHARED, SPACE_CONSTANT, SPACE_HOST };

struct simt_range {
    uint64_t base;
    size_t size;
    enum simt_space space;
    bool illegal; /* in an address space, but not allocated */
};

static inline bool simt_in_range(const struct simt_range *range, uint64_t address)
{
    return address - range->base < range->size;
}

#endif
/* SPDX-License-Identifier: MIT */
