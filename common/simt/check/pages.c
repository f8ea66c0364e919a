#include "check/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/available.h"
#include "base/bits.h"
#include "base/exit.h"
#include "base/need.h"
#include "base/setting.h"
#include "base/worker.h"
#include "check/packed.h"
#include "check/rows.h"
#include "check/written.h"

/* ---- the table ---- */

static struct simt_page **pages; /* open addressing */
static size_t page_count, page_capacity;
enum { RECENT_BITS = 10 };
static struct simt_page *recent[1 << RECENT_BITS]; /* pages with unpacked cells */

/* Mixes all bits, because columns of a matrix are powers of two apart. */
static uint64_t mixed(uint64_t number)
{
    return number * UINT64_C(0x9e3779b97f4a7c15);
}

static struct simt_page **recent_slot(uint64_t number)
{
    return &recent[mixed(number) >> (64 - RECENT_BITS)];
}

static size_t page_slot(uint64_t number)
{
    size_t slot = (size_t)(mixed(number) >> 20) & (page_capacity - 1); /* a power of two */
    while (pages[slot] && pages[slot]->number != number) {
        slot = (slot + 1) & (page_capacity - 1);
    }
    return slot;
}

/* Replaces a removed page; no address has this number. */
static struct simt_page removed = {.number = UINT64_MAX};

/* Makes room for more pages, and drops removed ones. */
static void rehash(void)
{
    struct simt_page **old = pages;
    size_t old_capacity = page_capacity, kept = 0;
    for (size_t i = 0; i < old_capacity; i++) {
        kept += old[i] && old[i] != &removed;
    }
    page_capacity = 1024;
    while (page_capacity < 4 * kept) {
        page_capacity *= 2;
    }
    pages = simt_needed(calloc(page_capacity, sizeof(struct simt_page *)), "the checks");
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i] && old[i] != &removed) {
            pages[page_slot(old[i]->number)] = old[i];
        }
    }
    page_count = kept;
    free(old);
}

void simt_page_put_in(struct simt_page *page)
{
    if (2 * page_count >= page_capacity) {
        rehash();
    }
    pages[page_slot(page->number)] = page;
    page_count++;
}

static struct simt_page **touched;
static size_t touched_count, touched_capacity;
static bool watching;

static void note_touched(struct simt_page *page)
{
    if (watching && !page->touched) {
        page->touched = true;
        touched = simt_with_room(touched, touched_count, &touched_capacity, sizeof *touched,
                                 "the checks");
        touched[touched_count++] = page;
    }
}

/* From here on, no page counts as looked up. */
void simt_pages_watch(void)
{
    memset(recent, 0, sizeof recent);
    watching = true;
}

struct simt_page *const *simt_pages_touched(size_t *count)
{
    *count = touched_count;
    return touched;
}

static struct simt_page *add_page(uint64_t number)
{
    struct simt_page *page = simt_needed(calloc(1, sizeof *page), "the checks");
    page->number = number;
    page->shift = 2;
    page->tracked = simt_written_knows(number);
    page->all_written = simt_written_get(number);
    simt_page_put_in(page);
    note_touched(page);
    return page;
}

static void forget_recent(const struct simt_page *page)
{
    struct simt_page **slot = recent_slot(page->number);
    if (*slot == page) {
        *slot = NULL;
    }
}

void simt_page_take_out(const struct simt_page *page)
{
    pages[page_slot(page->number)] = &removed;
    forget_recent(page);
}

uint64_t simt_page_misses;

struct simt_page *simt_page_peek(uint64_t address)
{
    uint64_t number = address >> SIMT_PAGE_SHIFT;
    struct simt_page **slot = recent_slot(number), *page = *slot;
    if (page && page->number == number) {
        return page;
    }
    page = page_capacity ? pages[page_slot(number)] : NULL;
    simt_page_misses++;
    if (page) {
        note_touched(page);
        if (!page->packed) {
            *slot = page;
        }
    }
    return page;
}

struct simt_page *simt_page_get(uint64_t address)
{
    struct simt_page *page = simt_page_peek(address);
    return page ? page : add_page(address >> SIMT_PAGE_SHIFT);
}

void simt_pages_set_all_written(void)
{
    for (size_t i = 0; i < page_capacity; i++) {
        if (pages[i]) {
            pages[i]->all_written = true;
        }
    }
}

/* ---- cells of pages ---- */

/* Pages of global memory with unpacked cells, in the order in which they were allocated. */
static struct simt_page *oldest, *newest;
static size_t with_cells, packed_count;
size_t simt_cell_bytes; /* of all these */
size_t simt_most_cell_bytes;

enum { KEPT_BUFFERS = 256 };
static struct simt_cell *buffers[KEPT_BUFFERS]; /* free buffers, each for a page of words */
static unsigned int buffer_count;

static size_t cells_of(const struct simt_page *page)
{
    return (size_t)SIMT_PAGE_BYTES >> page->shift;
}

static struct simt_cell *new_cells(size_t count, bool zero)
{
    struct simt_cell *cells;
    if (count != SIMT_PAGE_BYTES / 4 || buffer_count == 0) {
        return simt_needed(calloc(count, sizeof *cells), "the checks");
    }
    cells = buffers[--buffer_count];
    if (zero) {
        memset(cells, 0, count * sizeof *cells);
    }
    return cells;
}

static void give_back_cells(struct simt_page *page)
{
    if (page->shift == 2 && buffer_count < KEPT_BUFFERS) {
        buffers[buffer_count++] = page->cells;
    } else {
        free(page->cells);
    }
    page->cells = NULL;
}

static void link_page(struct simt_page *page)
{
    page->older = newest;
    page->newer = NULL;
    *(newest ? &newest->newer : &oldest) = page;
    newest = page;
    page->linked = true;
    with_cells++;
    simt_cell_bytes += cells_of(page) * sizeof *page->cells;
}

static void unlink_page(struct simt_page *page)
{
    *(page->older ? &page->older->newer : &oldest) = page->newer;
    *(page->newer ? &page->newer->older : &newest) = page->older;
    page->linked = false;
    with_cells--;
    simt_cell_bytes -= cells_of(page) * sizeof *page->cells;
}

void simt_page_expand(struct simt_page *page, unsigned int number)
{
    if (!page->cells) {
        page->cells = new_cells(cells_of(page), false);
        if (!page->shared) {
            link_page(page);
        }
    }
    for (unsigned int i = 0; i < SIMT_ROW_WORDS; i++) {
        page->cells[number * SIMT_ROW_WORDS + i] = simt_row_cell(&page->rows[number], i);
    }
    page->in_rows &= ~((uint32_t)1 << number);
}

static void expand_all(struct simt_page *page)
{
    for (uint32_t set = page->in_rows; set; set &= set - 1) {
        simt_page_expand(page, simt_lowest(set));
    }
}

static void new_rows(struct simt_page *page)
{
    page->rows = simt_needed(calloc(SIMT_PAGE_ROWS, sizeof *page->rows), "the checks");
}

void simt_page_put_in_row(struct simt_page *page, unsigned int number, struct simt_cell row)
{
    if (!page->rows) {
        new_rows(page);
    }
    page->rows[number] = row;
    page->in_rows |= (uint32_t)1 << number;
    if (page->in_rows == UINT32_MAX && page->linked) {
        unlink_page(page);
        give_back_cells(page);
    }
}

void simt_page_forget(struct simt_page *page)
{
    if (page->shift == 2 && page->rows) {
        memset(page->rows, 0, SIMT_PAGE_ROWS * sizeof *page->rows);
        page->in_rows = UINT32_MAX;
    }
}

static void unpack(struct simt_page *page)
{
    packed_count--;
    page->cells = new_cells(cells_of(page), false);
    simt_cells_unpack(page->packed, page->cells);
    free(page->packed);
    page->packed = NULL;
    link_page(page);
}

struct simt_page *simt_page_find(uint64_t address)
{
    struct simt_page *page = simt_page_peek(address);
    if (page && page->packed) {
        unpack(page);
    }
    return page;
}

bool simt_page_use(struct simt_page *page, enum simt_space space)
{
    if (page->packed) {
        unpack(page);
        return false;
    }
    page->shared = space == SPACE_SHARED;
    new_rows(page);
    page->in_rows = UINT32_MAX;
    return true;
}

void simt_page_refine(struct simt_page *page)
{
    struct simt_cell *fine = new_cells(SIMT_PAGE_BYTES, true);
    bool linked;
    expand_all(page);
    linked = page->linked;
    for (unsigned int i = 0; i < SIMT_PAGE_BYTES; i++) {
        uint64_t address = page->number << SIMT_PAGE_SHIFT | i;
        fine[i] = page->cells[i / 4];
        if (i % 4 != 0 && fine[i].flags & MORE_READERS) {
            simt_readers_copy(address & ~UINT64_C(3), address);
        }
    }
    if (linked) {
        unlink_page(page);
    }
    give_back_cells(page);
    page->cells = fine;
    page->shift = 0;
    if (linked) {
        link_page(page);
    }
}

void simt_page_remove(struct simt_page *page)
{
    if (page->touched) {
        simt_only_in_order();
    }
    simt_page_take_out(page);
    if (page->linked) {
        unlink_page(page);
    }
    if (page->cells) {
        give_back_cells(page);
    }
    packed_count -= page->packed != NULL;
    free(page->rows);
    free(page->packed);
    free(page);
}

void simt_pages_count(size_t *all, size_t *in_cells)
{
    *all = page_count;
    *in_cells = with_cells + packed_count;
}

/* ---- packing of cells ---- */

/* A quarter of the available memory leaves enough for the program itself. */
static size_t choose_most(void)
{
    enum { LEAST = 64 << 20 };
    const size_t quarter = simt_available_memory() / 4, usual = quarter > LEAST ? quarter : LEAST;
    return (size_t)(simt_setting("SIMT_SHADOW_MB", (double)(usual >> 20)) * (1 << 20)) +
           1; /* 0 means: not chosen yet */
}

static bool pack(struct simt_page *page)
{
    expand_all(page);
    page->packed = simt_cells_pack(page->cells, cells_of(page));
    if (!page->packed) {
        return false;
    }
    packed_count++;
    unlink_page(page);
    forget_recent(page);
    give_back_cells(page);
    free(page->rows);
    page->rows = NULL;
    return true;
}

/* Nothing more can be packed: ends the program before the system does it without a message. */
static void need_memory(void)
{
    enum { LEAST = 256 << 20 };
    const size_t left = simt_available_memory();
    if (left > 0 && left < LEAST) {
        fprintf(stderr,
                "simt: memory runs out: the checks take %zu MB, and %zu MB are left. A smaller "
                "problem shows the same mistakes; SIMT_CHECKS=off runs without checks.\n",
                simt_cell_bytes >> 20, left >> 20);
        simt_exit_without_memory();
    }
}

void simt_pages_pack(void)
{
    const struct simt_page *const last = newest;
    bool all = false;
    if (simt_most_cell_bytes == 0) {
        simt_most_cell_bytes = choose_most();
    }
    while (!all && simt_cell_bytes > simt_most_cell_bytes / 4 * 3) {
        struct simt_page *page = oldest;
        all = page == last;
        if (!pack(page)) {
            unlink_page(page);
            link_page(page); /* now the newest; try another one */
        }
    }
    if (simt_cell_bytes > simt_most_cell_bytes / 4 * 3) {
        need_memory();
        simt_most_cell_bytes = simt_cell_bytes / 4 * 5; /* to delay the next attempt */
    }
}

/* ---- time ---- */

static void renumber_cell(struct simt_cell *cell, uint32_t (*renumbered)(uint32_t tag))
{
    cell->writer = renumbered(cell->writer);
    cell->changer = renumbered(cell->changer);
    cell->reader = renumbered(cell->reader);
    cell->reader_before = renumbered(cell->reader_before);
    cell->reader_other = renumbered(cell->reader_other);
}

static void renumber_cells(struct simt_cell *cells, size_t count,
                           uint32_t (*renumbered)(uint32_t tag))
{
    if (!renumbered) {
        memset(cells, 0, count * sizeof *cells);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        renumber_cell(&cells[i], renumbered);
    }
}

static void renumber_rows(struct simt_page *page, uint32_t (*renumbered)(uint32_t tag))
{
    renumber_cells(page->rows, SIMT_PAGE_ROWS, renumbered);
    for (unsigned int i = 0; page->cells && i < SIMT_PAGE_ROWS; i++) {
        if (!(page->in_rows >> i & 1)) {
            renumber_cells(&page->cells[i * SIMT_ROW_WORDS], SIMT_ROW_WORDS, renumbered);
        }
    }
}

void simt_page_renumber(struct simt_page *page, uint32_t (*renumbered)(uint32_t tag))
{
    const bool was_packed = page->packed != NULL;
    if (was_packed) {
        unpack(page);
    }
    if (page->in_rows) {
        renumber_rows(page, renumbered);
    } else if (page->cells) {
        renumber_cells(page->cells, cells_of(page), renumbered);
    }
    if (was_packed) {
        pack(page);
    }
}

void simt_pages_renumber(uint32_t (*renumbered)(uint32_t tag))
{
    for (size_t i = 0; i < page_capacity; i++) {
        if (pages[i]) {
            simt_page_renumber(pages[i], renumbered);
        }
    }
}
/* SPDX-License-Identifier: MIT */
