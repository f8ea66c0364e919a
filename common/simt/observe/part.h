/* The results that a worker returns to the process that it works for: bytes in shared memory of
 * both processes. */
#ifndef SIMT_PART_H
#define SIMT_PART_H

#include <stddef.h>
#include <string.h>

#include "base/worker.h"

struct simt_part {
    char *at, *end;
};

/* If there is no room left, the worker gives up. */
static inline void simt_part_put(struct simt_part *part, const void *bytes, size_t size)
{
    if ((size_t)(part->end - part->at) < size) {
        simt_worker_gives_up();
    }
    memcpy(part->at, bytes, size);
    part->at += size;
}

static inline void simt_part_get(struct simt_part *part, void *bytes, size_t size)
{
    memcpy(bytes, part->at, size);
    part->at += size;
}

#endif
/* SPDX-License-Identifier: MIT */
