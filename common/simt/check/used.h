/* The rows of memory that a launch reads, and those that it writes. */
#ifndef SIMT_USED_H
#define SIMT_USED_H

#include "check/shadow.h"
#include "observe/event.h"
#include "observe/part.h"

extern bool simt_used_is_noted;

/* Starts recording. */
void simt_used_begin(void);
/* A launch reads or writes these rows of a page. */
void simt_used_add(struct simt_page *page, uint32_t rows, enum simt_event_kind kind);
static inline void simt_note_used(struct simt_page *page, uint32_t rows, enum simt_event_kind kind)
{
    if (__builtin_expect(simt_used_is_noted, 0)) {
        simt_used_add(page, rows, kind);
    }
}
/* The rows of `size` bytes of a page. */
static inline uint32_t simt_rows_of(unsigned int offset, unsigned int size)
{
    const unsigned int first = offset / SIMT_ROW_BYTES, last = (offset + size - 1) / SIMT_ROW_BYTES;
    return UINT32_MAX >> (SIMT_PAGE_ROWS - 1 - last) & UINT32_MAX << first;
}
/* Constant memory has no page of its own. */
void simt_note_constant(uint64_t address, unsigned int size);
/* Returns and takes over what another process recorded for some of the blocks. */
void simt_used_part_ends(struct simt_part *part);
void simt_used_part_take(struct simt_part *part);

/* The pages used so far, in ascending order; ends recording. */
struct simt_page *const *simt_used_pages(size_t *count);
void simt_used_end(void);

#endif
/* SPDX-License-Identifier: MIT */
