/* The pages of the shadow memory: their table, and memory for their cells. */
#ifndef SIMT_PAGES_H
#define SIMT_PAGES_H

#include "check/shadow.h"

/* Like simt_page_find(), for callers that do not read cells: they may stay packed. */
struct simt_page *simt_page_peek(uint64_t address);
/* The same; creates the page if necessary. */
struct simt_page *simt_page_get(uint64_t address);
/* The number of pages, and of those that are not only rows. */
void simt_pages_count(size_t *all, size_t *in_cells);
/* How often a page was looked up that was not among the recent ones. */
extern uint64_t simt_page_misses;
/* Removes a page from the table; inserts it under its number; removes it for good. */
void simt_page_take_out(const struct simt_page *page);
void simt_page_put_in(struct simt_page *page);
void simt_page_remove(struct simt_page *page);
/* Forgets what its cells and rows hold. */
void simt_page_forget(struct simt_page *page);
void simt_pages_set_all_written(void);
/* Records which pages are looked up from now on, as long as none is removed. */
void simt_pages_watch(void);
struct simt_page *const *simt_pages_touched(size_t *count);
/* Renumbers all cells of a page, or of all pages in the table. NULL: empties them. */
void simt_page_renumber(struct simt_page *page, uint32_t (*renumbered)(uint32_t tag));
void simt_pages_renumber(uint32_t (*renumbered)(uint32_t tag));

#endif
/* SPDX-License-Identifier: MIT */
