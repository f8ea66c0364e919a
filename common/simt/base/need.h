/* Memory that the runtime needs. If there is none, the program says what it was for and ends. */
#ifndef SIMT_NEED_H
#define SIMT_NEED_H

#include <stddef.h>

/* Returns `memory`, or ends the program if it is NULL. `use`: "the checks". */
void *simt_needed(void *memory, const char *use);
/* Makes room for one more item in an array of `*capacity` items of `size` bytes. If `count` items
 * fill it, the array moves and doubles. */
void *simt_with_room(void *items, size_t count, size_t *capacity, size_t size, const char *use);

#endif
/* SPDX-License-Identifier: MIT */
