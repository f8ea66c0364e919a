/* Checks of the memory accesses of kernels: data races, accesses out of bounds or misaligned, and
 * reads of unwritten memory. */
#include <stdio.h>
#include <string.h>

#include "check/check.h"

#include "base/bits.h"
#include "base/worker.h"
#include "check/causality.h"
#include "check/copies.h"
#include "check/findings.h"
#include "check/parts.h"
#include "check/passed.h"
#include "check/races.h"
#include "check/shadow.h"
#include "check/used.h"
#include "machine/cluster.h"
#include "machine/ptx.h"
#include "machine/shared.h"
#include "memory/heap.h"
#include "memory/memory.h"
#include "memory/streams.h"
#include "model/sites.h"
#include "model/spaces.h"
#include "program/layout.h"
#include "program/source.h"
#include "program/symbols.h"

static void check_bounds(const struct simt_range *range, enum simt_space space,
                         enum simt_event_kind kind, unsigned int site, unsigned int size,
                         unsigned int thread, uint64_t address)
{
    char text[sizeof((struct finding *)NULL)->text];
    struct finding *new;
    unsigned int rank;
    void *own;
    if (!is_aligned(address, size)) {
        simt_add_finding((struct finding){.wrong = MISALIGNED,
                                          .space = space,
                                          .kind = kind,
                                          .site = site,
                                          .thread = thread,
                                          .address = address,
                                          .size = size});
    }
    if (space == SPACE_HOST) {
        const bool in_program = simt_in_program(address);
        const bool is_near =
            !in_program && /* registered memory */
            simt_memory_describe((const void *)(uintptr_t)address, text, sizeof text);
        new = simt_add_finding((struct finding){.wrong = is_near ? OUT_OF_BOUNDS : HOST_POINTER,
                                                .space = SPACE_GLOBAL,
                                                .kind = kind,
                                                .site = site,
                                                .thread = thread});
        if (new &&in_program) {
            simt_data_describe(address, false, new->text, sizeof new->text);
        } else if (new &&is_near) {
            memcpy(new->text, text, sizeof text);
        }
    } else if (simt_cluster_find((const void *)(uintptr_t)address, &rank, &own)) {
        const char *state;
        const struct simt_block *block = simt_cluster_block(rank, &state);
        new = simt_add_finding((struct finding){.wrong = OUT_OF_BOUNDS,
                                                .space = SPACE_SHARED,
                                                .kind = kind,
                                                .site = site,
                                                .thread = thread});
        if (new) {
            snprintf(new->text, sizeof new->text, "of block %u of the cluster, which %s", rank,
                     block ? "has none there" : state);
        }
    } else if (simt_memory_is_foreign((const void *)(uintptr_t)address)) {
        new = simt_add_finding((struct finding){
            .wrong = OTHER_DEVICE, .space = space, .kind = kind, .site = site, .thread = thread});
        if (new) {
            simt_memory_describe((const void *)(uintptr_t)address, new->text, sizeof new->text);
        }
    } else if (range->illegal || address + size > range->base + range->size) {
        new = simt_add_finding((struct finding){
            .wrong = OUT_OF_BOUNDS, .space = space, .kind = kind, .site = site, .thread = thread});
        if (new &&space == SPACE_SHARED &&
            !simt_shared_describe(address, new->text, sizeof new->text)) {
            snprintf(new->text, sizeof new->text, "the launch asked for %zu bytes of it",
                     simt_shared_bytes());
        } else if (new &&space != SPACE_SHARED &&
                   !(simt_in_program(address) &&
                     simt_data_describe(address, true, new->text, sizeof new->text))) {
            simt_memory_describe((const void *)(uintptr_t)address, new->text, sizeof new->text);
        }
    }
}

bool simt_check_simple_load(enum simt_space space, unsigned int site, unsigned int warp,
                            uint64_t first, uint64_t distance)
{
    const struct simt_act act = simt_act_of(space, EVENT_LOAD, 0, site);
    unsigned int thread = warp * SIMT_WARP_SIZE, offset = (unsigned int)(first % SIMT_PAGE_BYTES);
    struct simt_page *page = simt_page_find(first);
    struct simt_cell *cell;
    if (!page || !simt_page_is_used(page) || page->shift == 0 || simt_has_copies(space) ||
        offset + (SIMT_WARP_SIZE - 1) * distance > SIMT_PAGE_BYTES - 4) {
        return false;
    }
    if (page->tracked && !page->all_written) {
        for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
            if (!simt_page_is_written(page, offset + (unsigned int)(i * distance), 4)) {
                return false;
            }
        }
    }
    simt_note_load(site, warp, UINT32_MAX);
    simt_note_used(page, simt_rows_of(offset, (SIMT_WARP_SIZE - 1) * (unsigned int)distance + 4),
                   EVENT_LOAD);
    simt_cell_of(page, offset + (SIMT_WARP_SIZE - 1) * (unsigned int)distance); /* its row, too */
    cell = simt_cell_of(page, offset);
    if (distance == 0 && cell->writer < act.oldest && cell->changer < act.oldest && !cell->flags &&
        !simt_now.fine) {
        /* No race: the cell will only remember the last two of these readers. */
        simt_note_reader(cell, first, &act, thread + SIMT_WARP_SIZE - 2);
        simt_note_reader(cell, first, &act, thread + SIMT_WARP_SIZE - 1);
        return true;
    }
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++, thread++, first += distance) {
        simt_visit(cell, first, &act, thread, first);
        cell += distance / 4;
    }
    return true;
}

/* The usual case: loads or stores of one to four words in one range, in which each word has a cell.
 * Stops at the first lane that is different, or loads what may be unwritten; returns the lanes
 * left. */
static uint32_t check_words(const struct simt_range *range, const struct simt_act *act,
                            unsigned int size, unsigned int warp, uint32_t lanes,
                            const uint64_t *addresses)
{
    struct simt_page *page = NULL;
    bool tracked = false;
    if (range->illegal || range->size < size) {
        return lanes;
    }
    for (; lanes; lanes &= lanes - 1) {
        const unsigned int lane = simt_lowest(lanes), thread = warp * SIMT_WARP_SIZE + lane;
        const uint64_t address = addresses[lane];
        const unsigned int offset = (unsigned int)(address % SIMT_PAGE_BYTES);
        if (!is_aligned(address, size) || address - range->base > range->size - size) {
            break;
        }
        if (!page || page->number != address >> SIMT_PAGE_SHIFT) {
            page = simt_page_find(address);
            if (!page || !simt_page_is_used(page) || page->shift == 0) {
                break;
            }
            tracked = page->tracked && !page->all_written;
        }
        if (tracked && act->kind == EVENT_LOAD && !simt_page_is_written(page, offset, size)) {
            break;
        }
        if (tracked && act->kind == EVENT_STORE) {
            simt_page_set_written(page, offset, offset + size);
        }
        for (unsigned int i = 0; i < size; i += 4) {
            simt_visit(simt_cell_of(page, offset + i), address + i, act, thread, address);
        }
        simt_note_used(page, simt_rows_of(offset, size), act->kind);
    }
    return lanes;
}

/* Describes the location of an unwritten word, and the last copy or fill in its allocation. */
static void describe_unset(const void *address, char *text, size_t size)
{
    const struct simt_region *region = simt_region_find(address);
    size_t length;
    simt_memory_describe(address, text, size);
    length = strlen(text);
    if (region && region->filled.function && length < size) {
        snprintf(text + length, size - length, ", of which %zu bytes came last",
                 region->filled_bytes);
        length = strlen(text);
        simt_call_describe(&region->filled, text + length, size - length);
    }
}

/* Checks that the bytes read are written; marks the bytes that are written now. */
static void check_written(struct simt_page *page, const struct simt_act *act, unsigned int size,
                          unsigned int thread, uint64_t address)
{
    unsigned int offset = (unsigned int)(address % SIMT_PAGE_BYTES);
    bool reads = act->kind == EVENT_LOAD || act->kind == EVENT_ATOMIC;
    if (page->all_written || act->kind == EVENT_COPY) {
        return;
    }
    if (reads && !(simt_cell_of(page, offset)->flags & IN_FLIGHT) &&
        !simt_page_is_written(page, offset, size) &&
        !(act->space == SPACE_SHARED && act->kind == EVENT_LOAD &&
          simt_passes_on(thread, address, size))) {
        struct finding *new = simt_add_finding((struct finding){.wrong = UNINITIALISED,
                                                                .space = act->space,
                                                                .kind = act->kind,
                                                                .site = act->site,
                                                                .thread = thread,
                                                                .address = address});
        if (new && act->space == SPACE_GLOBAL) {
            describe_unset((const void *)(uintptr_t)address, new->text, sizeof new->text);
        }
    }
    if (act->kind != EVENT_LOAD) {
        simt_page_set_written(page, offset, offset + size);
    }
}

/* Records the order that this access gives or receives. */
static void order_by(const struct simt_act *act, unsigned int thread, uint64_t address)
{
    enum simt_scope scope = act->how & EVENT_OF_BLOCK || act->space == SPACE_SHARED
                                ? SIMT_SCOPE_BLOCK
                                : SIMT_SCOPE_DEVICE;
    simt_causality_strong(thread, address,
                          act->kind == EVENT_ATOMIC ? SIMT_STRONG_CHANGE
                          : act->kind == EVENT_LOAD ? SIMT_STRONG_LOAD
                                                    : SIMT_STRONG_STORE,
                          scope);
}

void simt_check_access(enum simt_space space, enum simt_event_kind asked, unsigned int how,
                       unsigned int site, unsigned int size, unsigned int warp, unsigned int lanes,
                       const uint64_t *addresses)
{
    const enum simt_event_kind kind = asked == EVENT_BARRIER ? EVENT_ATOMIC
                                      : asked == EVENT_INIT  ? EVENT_STORE
                                                             : asked;
    const struct simt_act act = simt_act_of(space, kind, how, site);
    const struct simt_range *range = simt_range_of(addresses[simt_lowest(lanes)]);
    bool orders = kind == EVENT_ATOMIC || how & EVENT_VOLATILE;
    struct simt_page *page = NULL;
    if (how & EVENT_VOLATILE && space != SPACE_SHARED) {
        simt_only_in_order(); /* other blocks may communicate with this one */
    }
    if (simt_has_copies(space)) {
        simt_check_copies(&act, size, warp, lanes, addresses);
    }
    if (kind == EVENT_LOAD) {
        simt_note_load(site, warp, lanes);
    }
    if (size >= 4 && kind <= EVENT_STORE && !orders &&
        (space == SPACE_SHARED || space == SPACE_GLOBAL)) {
        lanes = check_words(range, &act, size, warp, lanes, addresses);
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int lane = simt_lowest(set), thread = warp * SIMT_WARP_SIZE + lane, shift;
        uint64_t address = addresses[lane];
        if (!simt_in_range(range, address)) {
            range = simt_range_of(address);
        }
        if (!is_aligned(address, size) || range->illegal ||
            address + size > range->base + range->size || space == SPACE_HOST) {
            check_bounds(range, space, kind, site, size, thread, address);
            continue;
        }
        if (space == SPACE_CONSTANT) {
            simt_note_constant(address, size);
            continue;
        }
        if (!page || page->number != address >> SIMT_PAGE_SHIFT) {
            page = simt_page_of_kernel(address, space);
        }
        if (size < 4 && page->shift != 0) {
            simt_page_refine(page);
        }
        simt_note_used(page, simt_rows_of((unsigned int)(address % SIMT_PAGE_BYTES), size), kind);
        if (page->tracked) {
            check_written(page, &act, size, thread, address);
        }
        shift = page->shift;
        for (uint64_t at = address >> shift << shift; at < address + size;
             at += UINT64_C(1) << shift) {
            simt_visit(simt_cell_of(page, (unsigned int)(at % SIMT_PAGE_BYTES)), at, &act, thread,
                       address);
        }
        if (orders) {
            order_by(&act, thread, address);
        }
    }
}

void simt_check_local(enum simt_event_kind kind, unsigned int site, unsigned int warp,
                      unsigned int lanes, const uint64_t *addresses)
{
    const bool has_products = simt_warp_has_wgmma(warp);
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int thread = warp * SIMT_WARP_SIZE + simt_lowest(set);
        const void *product =
            has_products
                ? simt_wgmma_register(thread, addresses[simt_lowest(set)], simt_site(site)->place)
                : NULL;
        if (product) {
            simt_add_finding(
                (struct finding){.wrong = UNDER_WAY,
                                 .kind = kind,
                                 .site = site,
                                 .other_site = simt_site_number(simt_place_of(product)),
                                 .thread = thread});
        } else if (!simt_machine_is_own(thread, addresses[simt_lowest(set)])) {
            simt_add_finding((struct finding){
                .wrong = LOCAL_OF_OTHER, .kind = kind, .site = site, .thread = thread});
        }
    }
}

void simt_check_free(unsigned int site, unsigned int warp, unsigned int lanes,
                     const uint64_t *addresses)
{
    struct simt_act act = simt_act_of(SPACE_GLOBAL, EVENT_STORE, 0, site);
    act.frees = true;
    for (uint32_t set = lanes; set; set &= set - 1) {
        uint64_t address = addresses[simt_lowest(set)];
        uint64_t end = address + simt_heap_size(address);
        for (uint64_t at = address; at < end;) {
            struct simt_page *page = simt_page_find(at);
            if (!page || !simt_page_is_used(page)) {
                at = (at | (SIMT_PAGE_BYTES - 1)) + 1;
                continue;
            }
            simt_visit(simt_cell_of(page, (unsigned int)(at % SIMT_PAGE_BYTES)), at, &act,
                       warp * SIMT_WARP_SIZE + simt_lowest(set), at);
            at += (uint64_t)1 << page->shift;
        }
        simt_heap_bury(address);
    }
    simt_ranges_forget(); /* they may lie in it */
}

bool simt_check_last_change(uint64_t address, struct simt_last_change *last)
{
    struct simt_page *page = simt_page_find(address);
    const struct simt_cell *cell =
        page && simt_page_is_used(page)
            ? simt_cell_of(page, (unsigned int)(address % SIMT_PAGE_BYTES))
            : NULL;
    if (!cell || cell->writer < simt_now.launch) {
        return false;
    }
    *last =
        (struct simt_last_change){cell->writer % SIMT_THREADS, simt_site(cell->writer_site)->place,
                                  simt_is_other_block(cell->writer)};
    return true;
}

void simt_check_read_only(unsigned int site, unsigned int size, unsigned int warp,
                          unsigned int lanes, const uint64_t *addresses)
{
    const struct simt_act act = simt_act_of(SPACE_GLOBAL, EVENT_LOAD, 0, site);
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int thread = warp * SIMT_WARP_SIZE + simt_lowest(set);
        uint64_t address = addresses[simt_lowest(set)], end = address + size;
        const struct simt_range *range = simt_range_of(address);
        struct simt_page *page;
        if (range->space != SPACE_GLOBAL || range->illegal || end - range->base > range->size) {
            continue; /* the load itself is reported */
        }
        page = simt_page_of_kernel(address, SPACE_GLOBAL);
        for (uint64_t at = address >> page->shift << page->shift;
             at < end && at >> SIMT_PAGE_SHIFT == page->number; at += UINT64_C(1) << page->shift) {
            struct simt_cell *cell = simt_cell_of(page, (unsigned int)(at % SIMT_PAGE_BYTES));
            if (cell->writer >= simt_now.launch) {
                simt_add_read_only(&act, cell->writer % SIMT_THREADS, cell->writer_site, site);
            }
            simt_note_reader(cell, at, &act, thread);
            cell->flags |= READ_ONLY_PATH;
        }
    }
}

/* ---- launches and blocks ---- */

void simt_check_start_launch(size_t blocks, const struct simt_origin *origin)
{
    simt_origin_begins(origin);
    simt_ranges_forget();
    simt_causality_start_launch(blocks, simt_operations()->number, simt_operations_first());
    simt_check_parts_start_launch();
    simt_copy_count = 0;
    if (origin || simt_operations_of_several()) {
        simt_copies_find();
        simt_causality_unordered(simt_origin_launch());
    } else {
        simt_readers_start_launch();
    }
}

void simt_check_start_block(size_t number, unsigned int threads)
{
    simt_causality_start_block(number, threads);
    simt_shadow_start_block();
}
/* SPDX-License-Identifier: MIT */
