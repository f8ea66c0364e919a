/* What the checks know of every word (or byte) of device and shared memory: who wrote it last, who
 * changed it last by an atomic, who has read it since, and whether anybody has ever written it. */
#ifndef SIMT_SHADOW_H
#define SIMT_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/space.h"

enum { SIMT_PAGE_SHIFT = 12, SIMT_PAGE_BYTES = 1 << SIMT_PAGE_SHIFT };

/* Of two readers, the last one and one of another warp (failing that, another thread) tell all that
 * a barrier or a whole warp's __syncwarp leaves unordered; one more is of another block. Where a
 * launch has finer orders, those that make way for others are kept aside: simt_readers_keep. A
 * write makes readers forgotten: who races with them races with the write, too. */
struct simt_cell {
    uint32_t writer, changer, reader, reader_before, reader_other; /* tags (causality.h) */
    uint16_t writer_site, changer_site, reader_site, before_site, other_site;
    uint16_t flags;
};
enum simt_cell_flags {
    WRITER_VOLATILE = 1,
    WRITER_FENCED = 2, /* it had called a fence before */
    READER_VOLATILE = 4,
    BEFORE_VOLATILE = 8,
    OTHER_VOLATILE = 16,
    CHANGER_BLOCK = 64,    /* the atomic's scope is the block */
    IN_FLIGHT = 128,       /* an asynchronous copy to it is under way: the writer's */
    MORE_READERS = 256,    /* there are some kept aside */
    READ_IN_FLIGHT = 1024, /* a bulk copy from it is under way */
    READ_ONLY_PATH = 512   /* read by __ldg: nobody may write it in this launch */
};

/* Most memory is used by whole warps, a word (or two, or four) a lane, one behind the other: one
 * cell then tells of a row of words. rows.h */
enum {
    SIMT_ROW_WORDS = 32,
    SIMT_ROW_BYTES = 4 * SIMT_ROW_WORDS,
    SIMT_PAGE_ROWS = SIMT_PAGE_BYTES / SIMT_ROW_BYTES
};

struct simt_page {
    uint64_t number;         /* address >> SIMT_PAGE_SHIFT */
    uint32_t in_rows;        /* of these rows, rows[] tells; of the others, cells[] */
    struct simt_cell *rows;  /* NULL: no row is so */
    struct simt_cell *cells; /* NULL: all rows are so, or nobody was here, or they are packed */
    struct simt_packed *packed;
    struct simt_page *older, *newer; /* if linked, as pages.c has them */
    bool linked, shared;             /* shared: in shared memory */
    unsigned int shift; /* a cell is 4 bytes, or 1 once a smaller piece has been touched */
    bool tracked;       /* whether `written` means anything */
    bool all_written;
    bool touched;          /* it is in the list of simt_pages_touched() */
    uint32_t read, stored; /* rows that the launch has: check/used.h */
    uint8_t written[SIMT_PAGE_BYTES / 8];
};

/* A kernel has been here, and nothing is packed. */
static inline bool simt_page_is_used(const struct simt_page *page)
{
    return page->cells || page->in_rows;
}

/* ---- pages.c ---- */

/* With its cells unpacked. They stay so until simt_pages_make_room(). */
struct simt_page *simt_page_find(uint64_t address);
/* It is not used yet, or packed. False if it was. */
bool simt_page_use(struct simt_page *page, enum simt_space space);
/* The row gets cells of its own. */
void simt_page_expand(struct simt_page *page, unsigned int row);
/* Of a page that is used, the cell of a byte. */
static inline struct simt_cell *simt_cell_of(struct simt_page *page, unsigned int offset)
{
    if (page->in_rows >> offset / SIMT_ROW_BYTES & 1) {
        simt_page_expand(page, offset / SIMT_ROW_BYTES);
    }
    return &page->cells[offset >> page->shift];
}
/* The row has cells of its own, which are as one cell, `row`, tells. */
void simt_page_put_in_row(struct simt_page *page, unsigned int number, struct simt_cell row);
/* Neighbours of less than 4 bytes may belong to different threads: from now on a cell is a byte. */
void simt_page_refine(struct simt_page *page);

/* Between checks: where cells take much memory, those of the oldest pages are packed. */
extern size_t simt_cell_bytes, simt_most_cell_bytes;
void simt_pages_pack(void);
static inline void simt_pages_make_room(void)
{
    if (simt_cell_bytes > simt_most_cell_bytes) {
        simt_pages_pack();
    }
}

/* ---- shadow.c ---- */

/* The page as a kernel uses it. */
struct simt_page *simt_page_of_kernel(uint64_t address, enum simt_space space);
void simt_page_set_written(struct simt_page *page, unsigned int first, unsigned int end);
/* What a kernel may read. Of a structure that is copied as a whole nobody has written the padding:
 * some bytes of each 8 will do. */
static inline bool simt_page_is_written(const struct simt_page *page, unsigned int first,
                                        unsigned int size)
{
    if (page->all_written || !page->tracked) {
        return true;
    }
    if (size == 4 && first % 4 == 0) {
        return (page->written[first / 8] >> first % 8 & 0xf) != 0;
    }
    for (unsigned int i = first, any = 0; i < first + size; i++) {
        any |= page->written[i / 8] >> i % 8 & 1;
        if ((i - first) % 8 == 7 || i + 1 == first + size) {
            if (!any) {
                return false;
            }
            any = 0;
        }
    }
    return true;
}
/* What the host does with device memory, and kernels with their heap: see struct simt_observer. */
void simt_check_allocated(const void *address, size_t size);
void simt_check_freed(const void *address, size_t size);
void simt_check_heap_allocated(const void *address, size_t size);
void simt_check_written(const void *address, size_t size, const void *from);
bool simt_check_is_written(const void *page);
/* A launch is not looked at. */
void simt_check_not_looked(void);

/* A block starts: nobody has written its shared memory. */
void simt_shadow_start_block(void);
/* It ends, in a cluster: whether all that others did there was before. */
void simt_shadow_end_block(unsigned int threads);
/* The running block's shared memory gives way to another block's, and comes back. */
struct simt_shared_pages *simt_shadow_suspend(void);
void simt_shadow_resume(struct simt_shared_pages *pages);

/* ---- readers.c ---- */

/* Lanes of a warp that read a cell in one segment. */
struct simt_reader {
    uint64_t address; /* of the cell */
    uint32_t segment; /* a tag without its lane */
    uint32_t lanes;
    uint32_t next; /* of the same cell; 0: none */
    uint16_t site;
    bool is_volatile;
};
/* A reader makes way for another one, `thread`. */
void simt_readers_keep(struct simt_cell *cell, uint64_t address, uint32_t tag, uint16_t site,
                       bool is_volatile, unsigned int thread);
/* The first kept of a cell, and the one after; NULL: none. */
const struct simt_reader *simt_readers_first(uint64_t address);
const struct simt_reader *simt_readers_next(const struct simt_reader *reader);
void simt_readers_forget(uint64_t address);
void simt_readers_copy(uint64_t from, uint64_t to);
void simt_readers_start_launch(void);
void simt_readers_renumber(uint32_t (*renumbered)(uint32_t tag));

#endif
/* SPDX-License-Identifier: MIT */
