/* Host memory, with an error if the machine has too little of it. malloc alone would not report
 * that: Linux overcommits, and kills the process later, when it touches the pages. */
#ifndef RUNGS_MEMORY_H
#define RUNGS_MEMORY_H

#include <stddef.h>

#include "base/error.h"

/* Returns `bytes` bytes of uninitialized memory, aligned to 256 bytes like cudaMalloc's; release it
 * with free(). Pages are not touched here: on a NUMA machine each page is then placed near the
 * thread that first writes to it. Large blocks request huge pages. For 0 bytes the pointer is also
 * valid. Returns NULL and fills *error if not enough memory is available. Code:
 * EXIT_DEVICE_ERROR. */
void *host_allocate(size_t bytes, struct error *error);

/* The same for rows * columns elements of `element` bytes each. */
void *host_allocate_array(size_t rows, size_t columns, size_t element, struct error *error);

/* Whether the machine has `bytes` bytes of memory available; fills *error if not. Pages that were
 * allocated but not yet written count as available. So a problem checks all its memory at once, not
 * one array at a time. */
bool memory_available(size_t bytes, struct error *error);

/* Sets *bytes to a * b * c. Returns false and fills *error if size_t cannot hold the product. */
bool checked_bytes(size_t a, size_t b, size_t c, size_t *bytes, struct error *error);

#endif
/* SPDX-License-Identifier: MIT */
