/* The pages of the shadow memory: where they are found, and room for their cells. */
#ifndef SIMT_PAGES_H
#define SIMT_PAGES_H

#include "check/shadow.h"

/* Those that simt_page_find() finds, for who does not look at cells: these may be packed. */
struct simt_page *simt_page_peek(uint64_t address);
/* The same, made if there is none. */
struct simt_page *simt_page_get(uint64_t address);
/* How many there are, and how many of them not as rows only. */
void simt_pages_count(size_t *all, size_t *in_cells);
/* How often one was looked up that was not among the latest. */
extern uint64_t simt_page_misses;
/* Out of the table and back, under its number; and for good. */
void simt_page_take_out(const struct simt_page *page);
void simt_page_put_in(struct simt_page *page);
void simt_page_remove(struct simt_page *page);
/* What its cells tell, or one tells of a row, is of no interest any more. */
void simt_page_forget(struct simt_page *page);
void simt_pages_set_all_written(void);
/* From now on, which pages were looked up, as long as none is removed. */
void simt_pages_watch(void);
struct simt_page *const *simt_pages_touched(size_t *count);
/* Of every cell of a page, and of all pages in the table. NULL: they are emptied. */
void simt_page_renumber(struct simt_page *page, uint32_t (*renumbered)(uint32_t tag));
void simt_pages_renumber(uint32_t (*renumbered)(uint32_t tag));

#endif
/* SPDX-License-Identifier: MIT */
