/* Checks of asynchronous bulk copies. They differ from a thread's own accesses. A copy sees earlier
 * writes only after a fence.proxy.async. And it reads and writes from its issue until a thread has
 * waited for it. */
#include "check/bulk_checks.h"

#include <string.h>

#include "check/causality.h"
#include "check/check.h"
#include "check/findings.h"
#include "check/races.h"
#include "check/shadow.h"
#include "model/sites.h"
#include "model/spaces.h"

#define CHUNK_BYTES 16u

/* The cells of a piece. Its address and size are multiples of a cell's size. */
static struct simt_cell *cells_of(uint64_t address, struct simt_page **page, enum simt_space space)
{
    *page = simt_page_of_kernel(address, space);
    return simt_cell_of(*page, (unsigned int)(address % SIMT_PAGE_BYTES));
}

static void add_proxy(enum simt_space space, enum simt_event_kind kind, unsigned int thread,
                      unsigned int site, uint32_t writer, unsigned int writer_site)
{
    simt_add_finding((struct finding){.wrong = NO_PROXY_FENCE,
                                      .space = space,
                                      .kind = kind,
                                      .site = site,
                                      .other_site = writer_site,
                                      .thread = thread,
                                      .other_thread = writer % SIMT_THREADS});
}

/* Whether a thread of this block wrote it in this launch. */
static bool is_own(uint32_t tag, enum simt_space space)
{
    uint32_t oldest = space == SPACE_SHARED ? simt_now.block : simt_now.launch;
    return tag >= oldest && tag % SIMT_THREADS < SIMT_MAX_BLOCK_THREADS &&
           !simt_is_other_block(tag);
}

/* Also without a fence to the async proxy. */
static bool is_hidden(uint32_t tag, unsigned int thread, enum simt_space space)
{
    return is_own(tag, space) && !simt_causality_is_proxied(tag, thread, SIMT_PROXY_ASYNC, 0);
}

/* Whether bulk reductions made the change, through the async proxy. */
static bool is_in_bulk(unsigned int site)
{
    return simt_site(site)->counters.bulk_copies > 0;
}

static void check_proxy(uint64_t address, unsigned int size, enum simt_space space,
                        enum simt_event_kind kind, unsigned int thread, unsigned int site)
{
    struct simt_page *page;
    struct simt_cell *cell = cells_of(address, &page, space);
    for (unsigned int i = 0; i < size >> page->shift; i++) {
        if (!(cell[i].flags & IN_FLIGHT) && is_hidden(cell[i].writer, thread, space)) {
            add_proxy(space, kind, thread, site, cell[i].writer, cell[i].writer_site);
        } else if (is_hidden(cell[i].changer, thread, space) && !is_in_bulk(cell[i].changer_site)) {
            add_proxy(space, kind, thread, site, cell[i].changer, cell[i].changer_site);
        }
    }
}

static bool is_inside(uint64_t address, unsigned int size, enum simt_space *space)
{
    const struct simt_range *range = simt_range_of(address);
    *space = range->space;
    return !range->illegal && address + size <= range->base + range->size &&
           (range->space == SPACE_SHARED || range->space == SPACE_GLOBAL);
}

static void check_access(uint64_t address, unsigned int size, enum simt_event_kind kind,
                         unsigned int thread, unsigned int site)
{
    uint64_t addresses[SIMT_WARP_SIZE];
    addresses[thread % SIMT_WARP_SIZE] = address;
    simt_check_access(simt_range_of(address)->space, kind, 0, site, size, thread / SIMT_WARP_SIZE,
                      1u << thread % SIMT_WARP_SIZE, addresses);
}

static void note_reading(uint64_t address, unsigned int size)
{
    struct simt_page *page;
    struct simt_cell *cell = cells_of(address, &page, SPACE_SHARED);
    for (unsigned int i = 0; i < size >> page->shift; i++) {
        cell[i].flags |= READ_IN_FLIGHT;
    }
}

bool simt_check_bulk_read(uint64_t address, unsigned int size, unsigned int thread,
                          unsigned int site)
{
    enum simt_space space;
    bool inside = is_inside(address, size, &space);
    if (inside) {
        check_proxy(address, size, space, EVENT_LOAD, thread, site);
    }
    check_access(address, size, EVENT_LOAD, thread, site);
    if (inside && space == SPACE_SHARED) {
        note_reading(address, size);
    }
    return inside;
}

/* The reader is not the thread but the group's agent, later. So the cells' known readers stay. */
void simt_check_wgmma_read(uint64_t address, unsigned int thread, unsigned int site)
{
    struct simt_cell before[CHUNK_BYTES], *cell;
    enum simt_space space;
    struct simt_page *page;
    unsigned int count;
    if (!is_inside(address, CHUNK_BYTES, &space)) {
        check_access(address, CHUNK_BYTES, EVENT_LOAD, thread, site);
        return;
    }
    check_proxy(address, CHUNK_BYTES, space, EVENT_WGMMA, thread, site);
    cell = cells_of(address, &page, space);
    count = CHUNK_BYTES >> page->shift;
    memcpy(before, cell, count * sizeof *cell);
    check_access(address, CHUNK_BYTES, EVENT_LOAD, thread, site);
    for (unsigned int i = 0; i < count; i++) {
        before[i].flags |= (cell[i].flags & MORE_READERS) | READ_IN_FLIGHT;
    }
    memcpy(cell, before, count * sizeof *cell);
}

void simt_check_wgmma_was_read(uint64_t address, uint32_t tag, unsigned int site)
{
    const struct simt_act act = simt_act_of(SPACE_SHARED, EVENT_LOAD, 0, site);
    struct simt_page *page;
    struct simt_cell *cell = cells_of(address, &page, SPACE_SHARED);
    for (unsigned int i = 0; i < CHUNK_BYTES >> page->shift; i++) {
        simt_note_reader_as(&cell[i], address + ((uint64_t)i << page->shift), &act,
                            tag % SIMT_THREADS, tag);
    }
}

bool simt_check_wgmma_finds(uint64_t address)
{
    enum simt_space space;
    struct simt_page *page;
    const struct simt_cell *cell;
    const unsigned int offset = (unsigned int)(address % SIMT_PAGE_BYTES);
    if (!is_inside(address, CHUNK_BYTES, &space)) {
        return true; /* reported separately */
    }
    cell = cells_of(address, &page, space);
    for (unsigned int i = 0; i < CHUNK_BYTES; i++) {
        if (cell[i >> page->shift].flags & IN_FLIGHT || simt_page_is_written(page, offset + i, 1)) {
            return true;
        }
    }
    return false;
}

bool simt_check_bulk_wrote(uint64_t address)
{
    struct simt_page *page;
    const struct simt_cell *cell = cells_of(address, &page, SPACE_SHARED);
    return cell->writer >= simt_now.block && cell->writer % SIMT_THREADS >= SIMT_MAX_BLOCK_THREADS;
}

static enum simt_event_kind kind_of(enum simt_bulk_way way)
{
    return way == SIMT_BULK_REDUCES ? EVENT_ATOMIC : EVENT_COPY;
}

bool simt_check_bulk_write(uint64_t address, unsigned int size, unsigned int thread,
                           unsigned int site, enum simt_bulk_way way)
{
    enum simt_space space;
    bool inside = is_inside(address, size, &space);
    if (inside && way != SIMT_BULK_STORES) {
        check_proxy(address, size, space, EVENT_COPY, thread, site);
    }
    check_access(address, size, kind_of(way), thread, site);
    return inside;
}

void simt_check_bulk_beyond(unsigned int bytes, unsigned int thread, unsigned int site,
                            enum simt_bulk_way way)
{
    simt_add_finding((struct finding){.wrong = BEYOND_ROWS,
                                      .space = SPACE_GLOBAL,
                                      .kind = kind_of(way),
                                      .site = site,
                                      .thread = thread,
                                      .size = bytes});
}

void simt_check_bulk_was_read(uint64_t address, unsigned int size)
{
    struct simt_page *page;
    struct simt_cell *cell = cells_of(address, &page, SPACE_SHARED);
    for (unsigned int i = 0; i < size >> page->shift; i++) {
        cell[i].flags &= (uint16_t)~READ_IN_FLIGHT;
    }
}

void simt_check_bulk_written(uint64_t address, unsigned int size, uint32_t tag, unsigned int site)
{
    struct simt_page *page;
    struct simt_cell *cell = cells_of(address, &page, simt_range_of(address)->space);
    for (unsigned int i = 0; i < size >> page->shift; i++) {
        cell[i].flags &= (uint16_t)~IN_FLIGHT;
        cell[i].writer = tag;
        cell[i].writer_site = (uint16_t)site;
    }
    if (page->tracked) {
        unsigned int offset = (unsigned int)(address % SIMT_PAGE_BYTES);
        simt_page_set_written(page, offset, offset + size);
    }
}

/* Like an atomic of the mbarrier's agent: only threads that wait on the mbarrier know of it. */
void simt_check_bulk_reduced(uint64_t address, unsigned int size, uint32_t tag, unsigned int site)
{
    struct simt_page *page;
    struct simt_cell *cell = cells_of(address, &page, simt_range_of(address)->space);
    for (unsigned int i = 0; i < size >> page->shift; i++) {
        cell[i].changer = tag;
        cell[i].changer_site = (uint16_t)site;
    }
}

/* For races, this is a read by the thread. The copy sees writes of its own block only after two
 * fences: a release after the writes, and an acquire of this map before the copy. */
void simt_check_map_read(uint64_t address, unsigned int size, unsigned int thread,
                         unsigned int site)
{
    for (unsigned int offset = 0; offset < size; offset += CHUNK_BYTES) {
        struct simt_page *page;
        struct simt_cell *cell = cells_of(address + offset, &page, SPACE_GLOBAL);
        for (unsigned int i = 0; i < CHUNK_BYTES >> page->shift; i++) {
            const uint32_t tag = cell[i].writer;
            if (is_own(tag, SPACE_GLOBAL) &&
                (!simt_causality_is_proxied(tag, thread, SIMT_PROXY_MAP_RELEASE, 0) ||
                 !simt_causality_is_proxied(tag, thread, SIMT_PROXY_MAP_ACQUIRE, address))) {
                simt_add_finding((struct finding){.wrong = NO_MAP_FENCE,
                                                  .space = SPACE_GLOBAL,
                                                  .kind = EVENT_COPY,
                                                  .site = site,
                                                  .other_site = cell[i].writer_site,
                                                  .thread = thread,
                                                  .other_thread = tag % SIMT_THREADS});
            }
        }
        check_access(address + offset, CHUNK_BYTES, EVENT_LOAD, thread, site);
    }
}

/* The copy must see the initialization of the mbarrier. */
void simt_check_bulk_barrier(uint64_t address, unsigned int thread, unsigned int site)
{
    struct simt_page *page;
    const struct simt_cell *cell = cells_of(address, &page, SPACE_SHARED);
    if (is_hidden(cell->writer, thread, SPACE_SHARED)) {
        add_proxy(SPACE_SHARED, EVENT_BARRIER, thread, site, cell->writer, cell->writer_site);
    }
}
/* SPDX-License-Identifier: MIT */
