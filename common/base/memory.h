/* Host memory that is refused rather than promised: Linux hands out more memory than there is and
 * kills the process that uses it. */
#ifndef RUNGS_MEMORY_H
#define RUNGS_MEMORY_H

#include <stddef.h>

#include "base/error.h"

/* Contents are undefined, and pages are not touched: whoever writes them first decides where they
 * lie. Large blocks ask for huge pages. Aligned to 256 bytes (as cudaMalloc's are); free() releases
 * it. 0 bytes give a valid pointer. NULL and *error if the machine has no room for it. */
void *host_allocate(size_t bytes, struct error *error);

/* The same for rows * columns elements of that many bytes. */
void *host_allocate_array(size_t rows, size_t columns, size_t element, struct error *error);

/* Whether the machine has room for `bytes` more; *error if not. Memory that was allocated but not
 * yet written does not count as taken, so a problem asks for all that it will need at once. */
bool memory_available(size_t bytes, struct error *error);

/* a * b * c bytes, or false and *error if that is more than a size_t holds. */
bool checked_bytes(size_t a, size_t b, size_t c, size_t *bytes, struct error *error);

#endif
