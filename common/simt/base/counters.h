/* Structures of which every member is a counter. */
#ifndef SIMT_COUNTERS_H
#define SIMT_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

/* `size`: of the structure. All its members must have 64 bits. */
static inline void simt_add_counters(void *to, const void *from, size_t size)
{
    uint64_t *sum = to;
    const uint64_t *term = from;
    for (size_t i = 0; i < size / sizeof *sum; i++) {
        sum[i] += term[i];
    }
}

#endif
/* SPDX-License-Identifier: MIT */
