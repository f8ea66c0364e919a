/* Which pages of device memory are completely written: for allocations of any size, without a word
 * of memory for each. */
#ifndef SIMT_WRITTEN_H
#define SIMT_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pages [first, first + count) are allocated and unwritten; or are freed. */
void simt_written_add(uint64_t first, size_t count);
void simt_written_remove(uint64_t first);
/* Whether the page belongs to an allocation. */
bool simt_written_knows(uint64_t page);
/* The whole page is written; false if it belongs to no allocation. */
bool simt_written_set(uint64_t page);
bool simt_written_get(uint64_t page);
/* All pages are completely written. */
void simt_written_set_all(void);

#endif
/* SPDX-License-Identifier: MIT */
