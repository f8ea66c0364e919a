/* Rows: an access of a whole warp to contiguous memory (1, 2 or 4 words per lane) is checked and
 * stored as one. */
#ifndef SIMT_ROWS_H
#define SIMT_ROWS_H

#include "base/space.h"
#include "check/shadow.h"
#include "observe/event.h"

/* A row's single cell is that of its first word. Its flags differ: 2^n words per lane, for the
 * writer and for the readers since. It has no changer and nothing special. */
enum { SIMT_ROW_WRITER = 3, SIMT_ROW_READERS_SHIFT = 2 };

/* The cell of the row's word i. */
static inline struct simt_cell simt_row_cell(const struct simt_cell *row, unsigned int i)
{
    const uint32_t writer = i >> (row->flags & SIMT_ROW_WRITER);
    const uint32_t reader = i >> (row->flags >> SIMT_ROW_READERS_SHIFT);
    struct simt_cell cell = *row;
    cell.flags = 0;
    cell.writer += cell.writer ? writer : 0;
    cell.reader += cell.reader ? reader : 0;
    cell.reader_before += cell.reader_before ? reader : 0;
    cell.reader_other += cell.reader_other ? reader : 0;
    return cell;
}

/* A plain load or store of `size` bytes (4, 8 or 16) per lane by all lanes of a warp, from `first`
 * on, in one allocation. False, without effect, if each lane must be checked by itself. */
bool simt_check_row(enum simt_space space, enum simt_event_kind kind, unsigned int site,
                    unsigned int size, unsigned int warp, uint64_t first);

#endif
/* SPDX-License-Identifier: MIT */
