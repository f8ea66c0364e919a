/* Which pages of device memory are written as a whole: for allocations of any size, without a word
 * for each. */
#ifndef SIMT_WRITTEN_H
#define SIMT_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pages [first, first + count) are allocated and nobody has written them; or are no more. */
void simt_written_add(uint64_t first, size_t count);
void simt_written_remove(uint64_t first);
/* Whether the page belongs to an allocation. */
bool simt_written_knows(uint64_t page);
/* All of a page is written; false if it belongs to no allocation. */
bool simt_written_set(uint64_t page);
bool simt_written_get(uint64_t page);
/* All of all pages. */
void simt_written_set_all(void);

#endif
/* SPDX-License-Identifier: MIT */
