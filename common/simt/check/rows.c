#include "check/rows.h"

#include <string.h>

#include "check/copies.h"
#include "check/races.h"
#include "check/used.h"

enum { MOST_WORDS = 4 /* per lane, and rows per access */ };

/* The tags of the warp's threads are consecutive. */
static bool in_one_segment(unsigned int warp)
{
    const uint32_t *tags = &simt_now.tags[warp * SIMT_WARP_SIZE];
    uint32_t differ = 0;
    for (uint32_t i = 0; i < SIMT_WARP_SIZE; i++) {
        differ |= tags[i] ^ (tags[0] + i);
    }
    return differ == 0;
}

/* Quick test: no current thread races with a thread of these tags, of which the row's first is
 * `tag`. */
static bool is_ordered(uint32_t tag, const struct simt_act *act)
{
    return tag < act->oldest || (tag >= simt_now.era && tag < simt_now.barrier);
}

/* The same threads of the same block, word by word. */
static bool is_same(uint32_t tag, unsigned int words, uint32_t now, unsigned int words_now)
{
    return words == words_now && tag >= simt_now.era && (tag ^ now) % SIMT_THREADS == 0;
}

static unsigned int writer_words(const struct simt_cell *row)
{
    return row->flags & SIMT_ROW_WRITER;
}

static unsigned int reader_words(const struct simt_cell *row)
{
    return row->flags >> SIMT_ROW_READERS_SHIFT;
}

/* Updates `row` for a load by threads from `tag` on. False if one cell cannot hold it, or there may
 * be a race. `words`: a power of two. */
static bool load(struct simt_cell *row, uint32_t tag, unsigned int words,
                 const struct simt_act *act)
{
    struct simt_cell cell = *row;
    if (!is_ordered(row->writer, act) && !is_same(row->writer, writer_words(row), tag, words)) {
        return false;
    }
    if (words != reader_words(row)) {
        if (row->reader >= act->oldest) { /* the latest reader */
            return false;
        }
        cell.reader = cell.reader_before = cell.reader_other = 0;
    }
    simt_note_reader_as(&cell, 0, act, tag % SIMT_THREADS, tag);
    cell.flags = (uint16_t)(writer_words(row) | words << SIMT_ROW_READERS_SHIFT);
    *row = cell;
    return true;
}

static bool may_store(const struct simt_cell *row, uint32_t reader, uint32_t tag,
                      unsigned int words, const struct simt_act *act)
{
    return is_ordered(reader, act) || is_same(reader, reader_words(row), tag, words);
}

static bool store(struct simt_cell *row, uint32_t tag, unsigned int words,
                  const struct simt_act *act)
{
    if ((!is_ordered(row->writer, act) && !is_same(row->writer, writer_words(row), tag, words)) ||
        !may_store(row, row->reader, tag, words, act) ||
        !may_store(row, row->reader_before, tag, words, act) ||
        !may_store(row, row->reader_other, tag, words, act)) {
        return false;
    }
    row->writer = tag;
    row->writer_site = (uint16_t)act->site;
    row->reader = row->reader_before = row->reader_other = 0;
    row->flags = (uint16_t)words;
    return true;
}

/* The row has separate cells. Now whole warps write it, and afterwards one cell is enough. */
static void store_in_cells(struct simt_page *page, unsigned int number, uint64_t address,
                           unsigned int thread, unsigned int words, const struct simt_act *act)
{
    struct simt_cell *cells = &page->cells[number * SIMT_ROW_WORDS], row;
    unsigned int flags = 0;
    for (unsigned int i = 0; i < SIMT_ROW_WORDS; i++) {
        const uint64_t at = address + 4 * (i >> words << words);
        simt_visit(&cells[i], address + 4 * i, act, thread + (i >> words), at);
        flags |= cells[i].flags;
    }
    if (flags == 0) {
        row = cells[0];
        row.flags = (uint16_t)words;
        simt_page_put_in_row(page, number, row);
    }
}

static bool all_bytes_are_written(const struct simt_page *page, unsigned int first,
                                  unsigned int size)
{
    unsigned char all = 0xff;
    for (unsigned int i = first / 8; i < (first + size) / 8; i++) {
        all &= page->written[i];
    }
    return all == 0xff;
}

/* All rows have one cell each. False: nothing has changed. */
static bool visit_rows(struct simt_page *page, unsigned int number, unsigned int thread,
                       unsigned int words, const struct simt_act *act)
{
    const unsigned int rows = 1u << words;
    struct simt_cell changed[MOST_WORDS];
    for (unsigned int i = 0; i < rows; i++) {
        const uint32_t tag = simt_now.tags[thread + (i * SIMT_ROW_WORDS >> words)];
        changed[i] = page->rows[number + i];
        if (!(act->kind == EVENT_LOAD ? load : store)(&changed[i], tag, words, act)) {
            return false;
        }
    }
    memcpy(&page->rows[number], changed, rows * sizeof *changed);
    return true;
}

bool simt_check_row(enum simt_space space, enum simt_event_kind kind, unsigned int site,
                    unsigned int size, unsigned int warp, uint64_t first)
{
    const struct simt_act act = simt_act_of(space, kind, 0, site);
    const unsigned int words = size == 4 ? 0 : size == 8 ? 1 : 2, rows = 1u << words;
    const unsigned int thread = warp * SIMT_WARP_SIZE, bytes = SIMT_WARP_SIZE * size;
    const unsigned int offset = (unsigned int)(first % SIMT_PAGE_BYTES);
    const unsigned int number = offset / SIMT_ROW_BYTES;
    const uint32_t those = (((uint32_t)1 << rows) - 1) << number;
    struct simt_page *page;
    bool tracked, in_rows;
    if (first % bytes != 0 || simt_now.fine || simt_has_copies(space)) {
        return false;
    }
    page = simt_page_of_kernel(first, space);
    tracked = page->tracked && !page->all_written;
    in_rows = (page->in_rows & those) == those;
    if (page->shift == 0 || !in_one_segment(warp) ||
        (kind == EVENT_LOAD &&
         (!in_rows || (tracked && !all_bytes_are_written(page, offset, bytes))))) {
        return false;
    }
    if (in_rows) {
        if (!visit_rows(page, number, thread, words, &act)) {
            return false;
        }
    } else {
        for (unsigned int i = 0; i < rows; i++) {
            simt_cell_of(page, (number + i) * SIMT_ROW_BYTES); /* make separate cells */
            store_in_cells(page, number + i, first + i * SIMT_ROW_BYTES,
                           thread + (i * SIMT_ROW_WORDS >> words), words, &act);
        }
    }
    if (kind == EVENT_LOAD) {
        simt_note_load(site, warp, UINT32_MAX);
    } else if (tracked) {
        memset(&page->written[offset / 8], 0xff, bytes / 8);
    }
    simt_note_used(page, those, kind);
    return true;
}
/* SPDX-License-Identifier: MIT */
