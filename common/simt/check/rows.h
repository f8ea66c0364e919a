/* Rows: a whole warp's access to memory without a gap, a word or two or four a lane, is checked and
 * remembered at once. */
#ifndef SIMT_ROWS_H
#define SIMT_ROWS_H

#include "base/space.h"
#include "check/shadow.h"
#include "observe/event.h"

/* The one cell that tells of a row is the first word's. Its flags are other ones: 2^n words a lane,
 * of who wrote, and of who read since. It has no changer, and what it says has nothing special. */
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

/* A plain load or store of `size` bytes (4, 8 or 16) a lane by all lanes of a warp, from `first`
 * on, within an allocation. False, and nothing is done, if it must be looked at lane by lane. */
bool simt_check_row(enum simt_space space, enum simt_event_kind kind, unsigned int site,
                    unsigned int size, unsigned int warp, uint64_t first);

#endif
/* SPDX-License-Identifier: MIT */
