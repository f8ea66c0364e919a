/* The shadow memory: per word (or byte) of device and shared memory, the last writer, the last
 * atomic change, the readers since, and whether it was ever written. */
#ifndef SIMT_SHADOW_H
#define SIMT_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/space.h"

enum { SIMT_PAGE_SHIFT = 12, SIMT_PAGE_BYTES = 1 << SIMT_PAGE_SHIFT };

/* A cell remembers three readers. The last one and one of another warp (or at least another thread)
 * are enough for the orders of barriers and of whole-warp __syncwarp. The third is of another
 * block. In launches with finer orders, removed readers are stored elsewhere: simt_readers_keep. A
 * write drops all readers, because a race with them is also a race with the write. */
struct simt_cell {
    uint32_t writer, changer, reader, reader_before, reader_other; /* tags (causality.h) */
    uint16_t writer_site, changer_site, reader_site, before_site, other_site;
    uint16_t flags;
};
enum simt_cell_flags {
    WRITER_VOLATILE = 1,
    WRITER_FENCED = 2, /* after a fence */
    READER_VOLATILE = 4,
    BEFORE_VOLATILE = 8,
    OTHER_VOLATILE = 16,
    CHANGER_BLOCK = 64,    /* the atomic has block scope */
    IN_FLIGHT = 128,       /* the writer's asynchronous copy to it is pending */
    MORE_READERS = 256,    /* some are stored elsewhere */
    READ_IN_FLIGHT = 1024, /* a bulk copy from it is pending */
    READ_ONLY_PATH = 512   /* read with __ldg: no write is allowed in this launch */
};

/* Whole warps use most memory, with 1, 2 or 4 consecutive words per lane. Then one cell stands for
 * a row of words: rows.h. */
enum {
    SIMT_ROW_WORDS = 32,
    SIMT_ROW_BYTES = 4 * SIMT_ROW_WORDS,
    SIMT_PAGE_ROWS = SIMT_PAGE_BYTES / SIMT_ROW_BYTES
};

struct simt_page {
    uint64_t number;         /* address >> SIMT_PAGE_SHIFT */
    uint32_t in_rows;        /* these rows use rows[]; the others use cells[] */
    struct simt_cell *rows;  /* NULL: there are no such rows */
    struct simt_cell *cells; /* NULL: there are only rows, no accesses yet, or they are packed */
    struct simt_packed *packed;
    struct simt_page *older, *newer; /* if linked: see pages.c */
    bool linked, shared;             /* shared: in shared memory */
    unsigned int shift;              /* a cell is 4 bytes; or 1 after a smaller access */
    bool tracked;                    /* whether `written` is valid */
    bool all_written;
    bool touched;          /* in the list of simt_pages_touched() */
    uint32_t read, stored; /* rows that the launch used: check/used.h */
    uint8_t written[SIMT_PAGE_BYTES / 8];
};

/* A kernel has accessed the page, and it is not packed. */
static inline bool simt_page_is_used(const struct simt_page *page)
{
    return page->cells || page->in_rows;
}

/* ---- pages.c ---- */

/* The page with unpacked cells. They stay unpacked until simt_pages_make_room(). */
struct simt_page *simt_page_find(uint64_t address);
/* Makes an unused or packed page usable. False if it was. */
bool simt_page_use(struct simt_page *page, enum simt_space space);
/* Gives the row separate cells. */
void simt_page_expand(struct simt_page *page, unsigned int row);
/* The cell of a byte; the page must be in use. */
static inline struct simt_cell *simt_cell_of(struct simt_page *page, unsigned int offset)
{
    if (page->in_rows >> offset / SIMT_ROW_BYTES & 1) {
        simt_page_expand(page, offset / SIMT_ROW_BYTES);
    }
    return &page->cells[offset >> page->shift];
}
/* Replaces a row's separate cells by one cell, `row`. */
void simt_page_put_in_row(struct simt_page *page, unsigned int number, struct simt_cell row);
/* Neighbours of less than 4 bytes may belong to different threads: makes a cell per byte. */
void simt_page_refine(struct simt_page *page);

/* Called between checks: if cells take much memory, packs those of the oldest pages. */
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
/* Whether a kernel may read this. The padding of a copied structure is unwritten, so in each 8
 * bytes some written bytes are enough. */
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
/* Changes of device memory by the host, and of the heap by kernels: see struct simt_observer. */
void simt_check_allocated(const void *address, size_t size);
void simt_check_freed(const void *address, size_t size);
void simt_check_heap_allocated(const void *address, size_t size);
void simt_check_written(const void *address, size_t size, const void *from);
bool simt_check_is_written(const void *page);
/* A launch is not analysed. */
void simt_check_not_looked(void);

/* A block starts: its shared memory is unwritten. */
void simt_shadow_start_block(void);
/* The block ends, in a cluster: checks that all accesses of other blocks came before. */
void simt_shadow_end_block(unsigned int threads);
/* Suspends the running block's shared memory for another block's, and restores it. */
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
/* A reader moves aside for another one, `thread`. */
void simt_readers_keep(struct simt_cell *cell, uint64_t address, uint32_t tag, uint16_t site,
                       bool is_volatile, unsigned int thread);
/* The first stored reader of a cell, and the next one; NULL: none. */
const struct simt_reader *simt_readers_first(uint64_t address);
const struct simt_reader *simt_readers_next(const struct simt_reader *reader);
void simt_readers_forget(uint64_t address);
void simt_readers_copy(uint64_t from, uint64_t to);
void simt_readers_start_launch(void);
void simt_readers_renumber(uint32_t (*renumbered)(uint32_t tag));

#endif
/* SPDX-License-Identifier: MIT */
