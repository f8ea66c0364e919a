#include "check/again.h"

#include <stdlib.h>

#include "base/need.h"
#include "check/shadow.h"

/* A set of bytes of a row. */
struct bytes {
    uint64_t set[SIMT_ROW_BYTES / 64];
};

/* The bytes that the launch read, wrote and changed by atomics; and a tag for each kind. */
struct simt_again_row {
    struct bytes read, stored, changed, of_block; /* of_block: changed, with block scope */
    uint32_t reader, writer, changer;
    uint16_t reader_site, writer_site, changer_site;
};

static bool has(const struct bytes *bytes, unsigned int number)
{
    return bytes->set[number / 64] >> number % 64 & 1;
}

/* Adds `count` bytes from `first` on. */
static void add(struct bytes *bytes, unsigned int first, unsigned int count)
{
    for (unsigned int i = first; i < first + count; i++) {
        bytes->set[i / 64] |= UINT64_C(1) << i % 64;
    }
}

static bool is_empty(const struct bytes *bytes)
{
    return !(bytes->set[0] | bytes->set[1]);
}

static bool is_of(const struct simt_stretch *tags, uint32_t tag)
{
    return tag >= tags->start && tag < tags->end;
}

/* ---- saving ---- */

/* Saves the cell, which covers `count` bytes. */
static void keep_cell(struct simt_again_row *row, const struct simt_cell *cell, unsigned int first,
                      unsigned int count, const struct simt_stretch *tags)
{
    if (is_of(tags, cell->writer)) {
        add(&row->stored, first, count);
        row->writer = cell->writer;
        row->writer_site = cell->writer_site;
    }
    if (is_of(tags, cell->changer)) {
        add(&row->changed, first, count);
        row->changer = cell->changer;
        row->changer_site = cell->changer_site;
        add(&row->of_block, first, cell->flags & CHANGER_BLOCK ? count : 0);
    }
    if (is_of(tags, cell->reader)) {
        add(&row->read, first, count);
        row->reader = cell->reader;
        row->reader_site = cell->reader_site;
    }
}

static struct simt_again_row keep_row(uint64_t address, const struct simt_stretch *tags)
{
    const unsigned int offset = (unsigned int)(address % SIMT_PAGE_BYTES);
    struct simt_again_row row = {0};
    struct simt_page *page;
    simt_pages_make_room();
    page = simt_page_find(address);
    if (!page || !simt_page_is_used(page)) {
        return row; /* constant memory */
    }
    if (page->in_rows >> offset / SIMT_ROW_BYTES & 1) {
        keep_cell(&row, &page->rows[offset / SIMT_ROW_BYTES], 0, SIMT_ROW_BYTES, tags);
        return row;
    }
    for (unsigned int i = 0, size = 1u << page->shift; i < SIMT_ROW_BYTES; i += size) {
        keep_cell(&row, simt_cell_of(page, offset + i), i, size, tags);
    }
    return row;
}

void simt_again_keep(struct simt_again *again, const struct simt_snapshot *snapshot)
{
    size_t count = 0;
    simt_stretch_keep(&again->tags);
    again->rows = simt_needed(malloc((snapshot->bytes / SIMT_ROW_BYTES + 1) * sizeof *again->rows),
                              "repeats");
    for (size_t i = 0; i < snapshot->count; i++) {
        for (size_t at = 0; at < snapshot->pieces[i].size; at += SIMT_ROW_BYTES) {
            again->rows[count++] =
                keep_row((uintptr_t)snapshot->pieces[i].address + at, &again->tags);
        }
    }
}

void simt_again_drop(struct simt_again *again)
{
    simt_stretch_drop(&again->tags);
    free(again->rows);
    *again = (struct simt_again){0};
}

/* ---- restoring ---- */

/* The tags of the launch so far, and the start of its new ones. */
struct renewal {
    struct simt_stretch before;
    uint32_t start;
};

static bool renew(uint32_t *tag, const struct renewal *renewal)
{
    if (!is_of(&renewal->before, *tag)) {
        return false;
    }
    *tag = renewal->start | *tag % SIMT_THREADS;
    return true;
}

static void tell_changer(struct simt_cell *cell, const struct simt_again_row *row,
                         unsigned int first, const struct renewal *renewal)
{
    if (!has(&row->changed, first)) {
        return;
    }
    cell->changer = renewal->start | row->changer % SIMT_THREADS;
    cell->changer_site = row->changer_site;
    cell->flags = (uint16_t)(has(&row->of_block, first) ? cell->flags | CHANGER_BLOCK
                                                        : cell->flags & ~CHANGER_BLOCK);
}

/* Other launches may have used the cell since this one ran. The repeat replaces earlier accesses;
 * accesses made after the repeat stay. */
static void tell_cell(struct simt_cell *cell, const struct simt_again_row *row, unsigned int first,
                      const struct renewal *renewal)
{
    const uint32_t since = renewal->before.since;
    bool wrote, has_read;
    if (has(&row->stored, first) && cell->writer < since &&
        !is_of(&renewal->before, cell->writer)) {
        const uint32_t reader = cell->reader >= since ? cell->reader : 0;
        *cell = (struct simt_cell){.writer = renewal->start | row->writer % SIMT_THREADS,
                                   .writer_site = row->writer_site,
                                   .reader = reader,
                                   .reader_site = cell->reader_site};
        tell_changer(cell, row, first, renewal);
        return;
    }
    wrote = renew(&cell->writer, renewal);
    if (!renew(&cell->changer, renewal) && !wrote && cell->writer < since &&
        cell->changer < since) {
        tell_changer(cell, row, first, renewal);
    }
    has_read = renew(&cell->reader, renewal);
    has_read = renew(&cell->reader_before, renewal) || has_read;
    has_read = renew(&cell->reader_other, renewal) || has_read;
    if (has(&row->read, first) && !has_read && !wrote && cell->writer < since &&
        cell->reader < since) {
        cell->reader = renewal->start | row->reader % SIMT_THREADS;
        cell->reader_site = row->reader_site;
    }
}

static void tell_row(uint64_t address, const struct simt_again_row *row,
                     const struct renewal *renewal)
{
    const unsigned int offset = (unsigned int)(address % SIMT_PAGE_BYTES);
    struct simt_page *page;
    if (is_empty(&row->read) && is_empty(&row->stored) && is_empty(&row->changed)) {
        return;
    }
    simt_pages_make_room();
    page = simt_page_find(address);
    if (!page || !simt_page_is_used(page)) {
        return;
    }
    for (unsigned int i = 0, size = 1u << page->shift; i < SIMT_ROW_BYTES; i += size) {
        tell_cell(simt_cell_of(page, offset + i), row, i, renewal);
    }
}

void simt_again_tell(struct simt_again *again, const struct simt_snapshot *snapshot,
                     uint64_t number, uint64_t first)
{
    const struct simt_stretch before = simt_stretch_renew(&again->tags, number, first);
    const struct renewal renewal = {before, again->tags.start};
    size_t count = 0;
    for (size_t i = 0; i < snapshot->count; i++) {
        for (size_t at = 0; at < snapshot->pieces[i].size; at += SIMT_ROW_BYTES) {
            tell_row((uintptr_t)snapshot->pieces[i].address + at, &again->rows[count++], &renewal);
        }
    }
}
/* SPDX-License-Identifier: MIT */
