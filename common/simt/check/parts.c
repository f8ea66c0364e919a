/* Each part has its own segments, after those of the process that it works for and of the parts
 * before it. So a tag shows its owner. Tags from the part's first one on belong to the part. Tags
 * after the fork but below that belong to a process whose blocks come before. */
#include "check/parts.h"

#include <string.h>

#include "base/bits.h"
#include "check/orders.h"
#include "check/pages.h"
#include "check/rows.h"
#include "check/shadow.h"

/* The segment at the last fork; the number of segments per part. */
static uint32_t fork_segment, room;
static unsigned int renumberings;

static uint32_t first_tag(unsigned int part)
{
    return (fork_segment + part * room + 1) << SIMT_THREAD_BITS;
}

static uint64_t misses_before; /* before the launch */

void simt_check_parts_start_launch(void)
{
    misses_before = simt_page_misses;
}

/* The number of blocks for which each part has enough segments. */
static size_t blocks_in_room(unsigned int parts)
{
    const double each = (double)simt_made.segments / (double)simt_made.blocks;
    room = (SIMT_MOST_SEGMENTS - 1 - simt_segment) / (parts + 1);
    return (size_t)(room / (1.25 * each + 1));
}

/* Approximate seconds to copy and return what `blocks` blocks use: each page once per process. */
static double copying_takes(size_t blocks)
{
    const double a_page = 3e-6, its_cells = 60e-6;
    const double misses = (double)(simt_page_misses - misses_before);
    const double pages = misses / (double)simt_made.blocks * (double)blocks;
    size_t all, in_cells;
    simt_pages_count(&all, &in_cells);
    return (pages < (double)all ? pages : (double)all) *
           (a_page + its_cells * (double)in_cells / (double)(all + 1));
}

size_t simt_check_part_may_begin(unsigned int parts, size_t wanted, double seconds)
{
    size_t blocks = blocks_in_room(parts);
    if (copying_takes(wanted) > seconds / 2) {
        return 0;
    }
    if (blocks < wanted) {
        simt_renumber();
        blocks = blocks_in_room(parts);
    }
    fork_segment = simt_segment;
    renumberings = simt_renumberings;
    return blocks < wanted ? blocks : wanted;
}

static unsigned int own_part;
static size_t first_era;

void simt_check_part_begins(unsigned int number)
{
    own_part = number;
    first_era = simt_era_count;
    simt_segment = fork_segment + number * room;
    simt_segments_end = simt_segment + room;
    simt_pages_watch();
}

/* ---- cells ---- */

static bool is_read_since(const struct simt_cell *cell, uint32_t tag)
{
    return cell->reader >= tag || cell->reader_before >= tag || cell->reader_other >= tag;
}

static bool is_stored_since(const struct simt_cell *cell, uint32_t tag)
{
    return cell->writer >= tag;
}

static bool has_since(const struct simt_cell *cell, uint32_t tag)
{
    return cell->writer >= tag || cell->changer >= tag || is_read_since(cell, tag);
}

/* Merges a cell, as if all had happened in this process. False if the result is unknown. */
static bool merge(struct simt_cell *cell, const struct simt_cell *told, uint32_t first)
{
    const uint32_t fork = first_tag(0);
    struct simt_cell merged = *told;
    if (!has_since(told, first)) {
        return true;
    }
    if (has_since(cell, fork)) {
        /* Reads do not conflict with reads, nor atomics with atomics. */
        const bool changed = cell->changer >= fork || told->changer >= first;
        const bool read = is_read_since(cell, fork) || is_read_since(told, first);
        if (cell->writer >= fork || told->writer >= first || cell->flags ||
            (changed && (read || told->flags))) {
            return false;
        }
        /* Here, the last reader moves aside for a reader of another block. */
        if (told->reader_other < first) {
            merged.reader_other = cell->reader;
            merged.other_site = cell->reader_site;
        }
        if (told->reader_before < first) {
            merged.reader_before = cell->reader_before;
            merged.before_site = cell->before_site;
        }
    }
    *cell = merged;
    return true;
}

/* ---- rows ---- */

/* The number of cells in a row. */
static unsigned int cells_of_row(bool fine)
{
    return fine ? SIMT_ROW_BYTES : SIMT_ROW_WORDS;
}

struct told_page {
    uint64_t number;
    uint32_t rows, in_rows, stored; /* its rows: returned; as one cell each; with stored bytes */
    bool fine;                      /* one cell per byte */
    bool all_written, has_written;  /* has_written: the bits follow */
};

/* The returned data of one row: its cells and its bytes. */
struct told_row {
    unsigned int number;
    bool in_row, fine;
    const struct simt_cell *cells;
    const char *bytes; /* NULL: nothing was stored there */
};

static struct simt_cell told_cell(const struct told_row *row, unsigned int i)
{
    return row->in_row ? simt_row_cell(row->cells, i) : row->cells[i];
}

/* Whether `holds` is true for any cell of the row. */
static bool any_of_row(bool (*holds)(const struct simt_cell *cell, uint32_t tag),
                       const struct simt_page *page, unsigned int number, uint32_t tag)
{
    const unsigned int count = cells_of_row(page->shift == 0);
    if (page->in_rows >> number & 1) {
        return holds(&page->rows[number], tag);
    }
    for (unsigned int i = 0; i < count; i++) {
        if (holds(&page->cells[number * count + i], tag)) {
            return true;
        }
    }
    return false;
}

/* The row is one cell in both, in the same form. */
static bool merge_rows(struct simt_cell *row, const struct simt_cell *told, uint32_t first)
{
    struct simt_cell merged = *row, plain = *told;
    merged.flags = plain.flags = 0;
    if (!merge(&merged, &plain, first)) {
        return false;
    }
    merged.flags = told->flags;
    *row = merged;
    return true;
}

/* No other process has touched the row: copies the returned row. */
static void put_row(struct simt_page *page, const struct told_row *row)
{
    const unsigned int count = cells_of_row(row->fine);
    if (!row->in_row) {
        simt_cell_of(page, row->number * SIMT_ROW_BYTES);
        memcpy(&page->cells[row->number * count], row->cells, count * sizeof *row->cells);
    } else if (page->in_rows >> row->number & 1) {
        page->rows[row->number] = *row->cells;
    } else {
        simt_page_put_in_row(page, row->number, *row->cells);
    }
}

/* `apply`: also changes the page. */
static bool merge_row(struct simt_page *page, const struct told_row *row, uint32_t first,
                      bool apply)
{
    const unsigned int count = cells_of_row(row->fine), number = row->number;
    if (!any_of_row(has_since, page, number, first_tag(0))) {
        if (apply) {
            put_row(page, row);
        }
        return true;
    }
    if (row->in_row && page->in_rows >> number & 1 &&
        page->rows[number].flags == row->cells->flags) {
        struct simt_cell copy = page->rows[number];
        return merge_rows(apply ? &page->rows[number] : &copy, row->cells, first);
    }
    simt_cell_of(page, number * SIMT_ROW_BYTES);
    for (unsigned int i = 0; i < count; i++) {
        struct simt_cell *cell = &page->cells[number * count + i], copy = *cell;
        const struct simt_cell told = told_cell(row, i);
        if (!merge(apply ? cell : &copy, &told, first)) {
            return false;
        }
    }
    return true;
}

/* Copies the bytes that the part stored to the row. */
static void put_bytes(uint64_t address, const struct told_row *row, uint32_t first)
{
    const unsigned int size = row->fine ? 1 : 4;
    char *memory = (char *)(uintptr_t)address;
    for (unsigned int i = 0; i < cells_of_row(row->fine); i++) {
        const struct simt_cell cell = told_cell(row, i);
        if (cell.writer >= first) {
            memcpy(memory + i * size, row->bytes + i * size, size);
        }
    }
}

/* ---- returning results ---- */

static void tell_row(struct simt_part *part, const struct simt_page *page, unsigned int number,
                     bool stored)
{
    const unsigned int count = cells_of_row(page->shift == 0);
    if (page->in_rows >> number & 1) {
        simt_part_put(part, &page->rows[number], sizeof *page->rows);
    } else {
        simt_part_put(part, &page->cells[number * count], count * sizeof *page->cells);
    }
    if (stored) {
        const uint64_t address = (page->number << SIMT_PAGE_SHIFT) + number * SIMT_ROW_BYTES;
        simt_part_put(part, (const void *)(uintptr_t)address, SIMT_ROW_BYTES);
    }
}

static void tell_page(struct simt_part *part, const struct simt_page *page, uint32_t first)
{
    struct told_page told = {.number = page->number,
                             .fine = page->shift == 0,
                             .all_written = page->all_written,
                             .has_written = page->tracked && !page->all_written};
    for (unsigned int i = 0; i < SIMT_PAGE_ROWS; i++) {
        if (any_of_row(has_since, page, i, first)) {
            told.rows |= (uint32_t)1 << i;
            told.stored |= (uint32_t)any_of_row(is_stored_since, page, i, first) << i;
        }
    }
    if (!told.rows) {
        return;
    }
    told.in_rows = page->in_rows & told.rows;
    simt_part_put(part, &told, sizeof told);
    if (told.has_written) {
        simt_part_put(part, page->written, sizeof page->written);
    }
    for (uint32_t set = told.rows; set; set &= set - 1) {
        tell_row(part, page, simt_lowest(set), told.stored >> simt_lowest(set) & 1);
    }
}

void simt_check_part_ends(struct simt_part *part)
{
    const size_t eras = simt_era_count - first_era;
    const struct told_page none = {0};
    size_t count;
    struct simt_page *const *pages = simt_pages_touched(&count);
    simt_part_put(part, &simt_segment, sizeof simt_segment);
    simt_part_put(part, &eras, sizeof eras);
    simt_part_put(part, &simt_eras[first_era], eras * sizeof *simt_eras);
    for (size_t i = 0; i < count; i++) {
        const struct simt_page *page = simt_page_find(pages[i]->number << SIMT_PAGE_SHIFT);
        if (!page->shared && simt_page_is_used(page)) {
            tell_page(part, page, first_tag(own_part));
        }
        simt_pages_make_room();
    }
    simt_part_put(part, &none, sizeof none);
}

/* ---- taking results over ---- */

static struct told_row next_row(struct simt_part *part, const struct told_page *page,
                                unsigned int number)
{
    struct told_row row = {number, page->in_rows >> number & 1, page->fine,
                           (const struct simt_cell *)(const void *)part->at, NULL};
    part->at += (row.in_row ? 1 : cells_of_row(page->fine)) * sizeof *row.cells;
    if (page->stored >> number & 1) {
        row.bytes = part->at;
        part->at += SIMT_ROW_BYTES;
    }
    return row;
}

static void put_written(struct simt_page *page, const struct told_page *told,
                        const uint8_t *written)
{
    page->all_written = page->all_written || told->all_written;
    for (unsigned int i = 0; told->has_written && i < sizeof page->written; i++) {
        page->written[i] |= written[i];
    }
}

/* False if nothing may be applied. */
static bool take_page(struct simt_part *part, const struct told_page *told, uint32_t first,
                      bool apply)
{
    const uint64_t address = told->number << SIMT_PAGE_SHIFT;
    struct simt_page *page;
    const uint8_t *written = (const uint8_t *)part->at;
    bool ordered = true;
    simt_pages_make_room();
    page = apply ? simt_page_of_kernel(address, SPACE_GLOBAL) : simt_page_find(address);
    part->at += told->has_written ? sizeof page->written : 0;
    if (page && simt_page_is_used(page)) {
        if (told->fine && page->shift != 0) {
            simt_page_refine(page);
        }
        ordered = told->fine == (page->shift == 0);
    }
    for (uint32_t set = told->rows; set; set &= set - 1) {
        const struct told_row row = next_row(part, told, simt_lowest(set));
        if (page && simt_page_is_used(page)) {
            ordered = ordered && merge_row(page, &row, first, apply);
        }
        if (apply && row.bytes) {
            put_bytes(address + row.number * SIMT_ROW_BYTES, &row, first);
        }
    }
    if (apply) {
        put_written(page, told, written);
    }
    return ordered;
}

static bool take_pages(struct simt_part *part, uint32_t first, bool apply)
{
    struct told_page page;
    for (simt_part_get(part, &page, sizeof page); page.rows;
         simt_part_get(part, &page, sizeof page)) {
        if (!take_page(part, &page, first, apply)) {
            return false;
        }
    }
    return true;
}

/* The data before the pages. */
struct beginning {
    uint32_t segment;
    size_t eras;
    struct simt_part told_eras;
};

static struct beginning get_beginning(struct simt_part *part)
{
    struct beginning begins;
    simt_part_get(part, &begins.segment, sizeof begins.segment);
    simt_part_get(part, &begins.eras, sizeof begins.eras);
    begins.told_eras = *part;
    part->at += begins.eras * sizeof *simt_eras;
    return begins;
}

bool simt_check_part_fits(struct simt_part part, unsigned int number)
{
    get_beginning(&part);
    return renumberings == simt_renumberings && simt_segment <= fork_segment + number * room &&
           take_pages(&part, first_tag(number), false);
}

void simt_check_part_take(struct simt_part *part, unsigned int number)
{
    struct beginning begins = get_beginning(part);
    take_pages(part, first_tag(number), true);
    for (size_t i = 0; i < begins.eras; i++) {
        struct simt_era era;
        simt_part_get(&begins.told_eras, &era, sizeof era);
        simt_causality_add_era(era);
    }
    simt_segment = begins.segment;
}
/* SPDX-License-Identifier: MIT */
