/* Memory that the runtime cannot do without: where there is none, the program ends, and says
 * what it was for. */
#ifndef SIMT_NEED_H
#define SIMT_NEED_H

#include <stddef.h>

/* What an allocation gave, unless that is NULL. `use`: "the checks". */
void *simt_needed(void *memory, const char *use);
/* An array of `*capacity` items of `size` bytes, moved and twice as large if `count` items fill
 * it. */
void *simt_with_room(void *items, size_t count, size_t *capacity, size_t size, const char *use);

#endif
/* SPDX-License-Identifier: MIT */
