#include "check/shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/need.h"
#include "base/own.h"
#include "check/causality.h"
#include "check/check.h"
#include "check/findings.h"
#include "check/pages.h"
#include "check/written.h"
#include "cuda/simt_analysis.h"
#include "machine/cluster.h"
#include "memory/memory.h"

/* ---- pages ---- */

static struct simt_page **shared_pages;
static size_t shared_page_count, shared_page_capacity;

static void add_shared_page(struct simt_page *page)
{
    shared_pages = simt_with_room(shared_pages, shared_page_count, &shared_page_capacity,
                                  sizeof *shared_pages, "the checks");
    shared_pages[shared_page_count++] = page;
}

struct simt_page *simt_page_of_kernel(uint64_t address, enum simt_space space)
{
    struct simt_page *page = simt_page_get(address);
    if (!simt_page_is_used(page) && simt_page_use(page, space) && space == SPACE_SHARED) {
        page->tracked = true;
        add_shared_page(page);
    }
    return page;
}

void simt_page_set_written(struct simt_page *page, unsigned int first, unsigned int end)
{
    if (first == 0 && end == SIMT_PAGE_BYTES) {
        page->all_written = true;
        return;
    }
    if (first % 4 == 0 && end == first + 4) {
        page->written[first / 8] |= (uint8_t)(0xf << first % 8);
        return;
    }
    for (unsigned int i = first; i < end;) {
        if (i % 8 == 0 && i + 8 <= end) {
            page->written[i / 8] = 0xff;
            i += 8;
        } else {
            page->written[i / 8] |= (uint8_t)(1 << i % 8);
            i++;
        }
    }
}

/* Whether every byte is written. */
static bool has_written(const struct simt_page *page, unsigned int first, unsigned int size)
{
    if (page->all_written || !page->tracked) {
        return true;
    }
    for (unsigned int i = first; i < first + size; i++) {
        if (!(page->written[i / 8] >> i % 8 & 1)) {
            return false;
        }
    }
    return true;
}

/* ---- host writes to device memory ---- */

/* Set for all pages; no page was added since. */
static bool all_are_written;

/* Whether a piece of memory is all written, or not known to be unwritten. */
static bool source_is_written(uint64_t from, size_t size)
{
    for (uint64_t end = from + size; from < end; from = (from | (SIMT_PAGE_BYTES - 1)) + 1) {
        const struct simt_page *page = simt_page_peek(from);
        uint64_t number = from >> SIMT_PAGE_SHIFT;
        if (page ? page->tracked && !page->all_written
                 : simt_written_knows(number) && !simt_written_get(number)) {
            return false;
        }
    }
    return true;
}

/* Marks bytes written by the host, at most up to the end of a page. */
static void host_writes(uint64_t address, size_t size, uint64_t from)
{
    unsigned int first = (unsigned int)(address % SIMT_PAGE_BYTES);
    struct simt_page *page = simt_page_peek(address);
    if (from && !source_is_written(from, size)) {
        page = simt_page_get(address);
        for (unsigned int i = first; i < first + size; i++, from++) {
            const struct simt_page *source = simt_page_get(from);
            if (has_written(source, (unsigned int)(from % SIMT_PAGE_BYTES), 1)) {
                simt_page_set_written(page, i, i + 1);
            }
        }
    } else if (page || size < SIMT_PAGE_BYTES || !simt_written_set(address >> SIMT_PAGE_SHIFT)) {
        simt_page_set_written(simt_page_get(address), first, first + (unsigned int)size);
    }
}

static size_t pages_of(uint64_t address, size_t size)
{
    return (size_t)(((address + size - 1) >> SIMT_PAGE_SHIFT) - (address >> SIMT_PAGE_SHIFT)) + 1;
}

void simt_check_allocated(const void *address, size_t size)
{
    if (simt_instrumented()) {
        all_are_written = false;
        simt_written_add((uintptr_t)address >> SIMT_PAGE_SHIFT, pages_of((uintptr_t)address, size));
    }
}

/* Allocations share no page. */
void simt_check_freed(const void *address, size_t size)
{
    uint64_t first = (uintptr_t)address >> SIMT_PAGE_SHIFT;
    if (!simt_instrumented()) {
        return;
    }
    for (size_t i = 0, count = pages_of((uintptr_t)address, size); i < count; i++) {
        struct simt_page *page = simt_page_peek((first + i) << SIMT_PAGE_SHIFT);
        if (page) {
            simt_page_remove(page);
        }
    }
    simt_written_remove(first);
}

bool simt_check_is_written(const void *address)
{
    const struct simt_page *page = simt_page_peek((uintptr_t)address);
    return page ? page->all_written : simt_written_get((uintptr_t)address >> SIMT_PAGE_SHIFT);
}

/* Device memory, or host memory allocated for both. */
static bool is_watched(const void *address)
{
    return simt_memory_is_device(address) ||
           simt_written_knows((uintptr_t)address >> SIMT_PAGE_SHIFT);
}

void simt_check_written(const void *address, size_t size, const void *from)
{
    uint64_t at = (uintptr_t)address, source = is_watched(from) ? (uintptr_t)from : 0;
    if (!simt_instrumented() || !is_watched(address)) {
        return;
    }
    for (uint64_t end = at + size; at < end;) {
        uint64_t next = (at | (SIMT_PAGE_BYTES - 1)) + 1;
        size_t piece = (size_t)((next < end ? next : end) - at);
        host_writes(at, piece, source);
        source += source ? piece : 0;
        at += piece;
    }
}

void simt_check_heap_allocated(const void *address, size_t size)
{
    uint64_t end = (uintptr_t)address + size;
    if (simt_tracing) {
        all_are_written = false;
        for (uint64_t at = (uintptr_t)address; at < end; at = (at | (SIMT_PAGE_BYTES - 1)) + 1) {
            simt_page_get(at)->tracked = true;
        }
    }
}

/* The writes of unanalysed launches are unknown: from now on, any memory may be written. */
void simt_check_not_looked(void)
{
    if (all_are_written) {
        return;
    }
    all_are_written = true;
    simt_functions_not_looked();
    simt_written_set_all();
    simt_pages_set_all_written();
}

/* ---- blocks ---- */

void simt_shadow_start_block(void)
{
    /* The whole cluster uses these pages: nothing of an earlier one may remain. */
    while (simt_cluster_size() > 1 && shared_page_count > 0) {
        simt_page_remove(shared_pages[--shared_page_count]);
    }
    for (size_t i = 0; i < shared_page_count; i++) {
        shared_pages[i]->all_written = false;
        memset(shared_pages[i]->written, 0, sizeof shared_pages[i]->written);
        simt_page_forget(shared_pages[i]);
    }
}

/* Shared memory ends with the block's last thread, so one thread must come after the access. */
static void check_end(uint32_t tag, unsigned int site, enum simt_event_kind kind,
                      unsigned int threads)
{
    struct finding *new;
    if (tag < simt_now.launch || tag % SIMT_THREADS >= SIMT_MAX_BLOCK_THREADS ||
        !simt_is_other_block(tag)) {
        return;
    }
    for (unsigned int i = 0; i < threads; i++) {
        if (!simt_unordered(tag, i)) {
            return;
        }
    }
    new = simt_add_finding((struct finding){.wrong = OUT_OF_BOUNDS,
                                            .space = SPACE_SHARED,
                                            .kind = kind,
                                            .site = site,
                                            .thread = tag % SIMT_THREADS});
    if (new) {
        snprintf(new->text, sizeof new->text,
                 "this block of a cluster may have returned before another block comes to its "
                 "memory: it must wait for that, by cluster.sync()");
    }
}

void simt_shadow_end_block(unsigned int threads)
{
    for (size_t i = 0; i < shared_page_count; i++) {
        struct simt_page *page = shared_pages[i];
        for (unsigned int at = 0; simt_page_is_used(page) && at < SIMT_PAGE_BYTES;) {
            const unsigned int row = at / SIMT_ROW_BYTES;
            const bool whole = page->in_rows >> row & 1;
            const struct simt_cell *cell =
                whole ? &page->rows[row] : &page->cells[at >> page->shift];
            check_end(cell->reader, cell->reader_site, EVENT_LOAD, threads);
            check_end(cell->reader_before, cell->before_site, EVENT_LOAD, threads);
            check_end(cell->reader_other, cell->other_site, EVENT_LOAD, threads);
            check_end(cell->writer, cell->writer_site, EVENT_STORE, threads);
            check_end(cell->changer, cell->changer_site, EVENT_ATOMIC, threads);
            at += whole ? SIMT_ROW_BYTES : 1u << page->shift;
        }
    }
}

/* In a cluster, the pages are found under the addresses of the block's place. */
static void move_pages_to_place(void)
{
    for (size_t i = 0; i < shared_page_count; i++) {
        struct simt_page *page = shared_pages[i];
        const void *address = (const void *)(uintptr_t)(page->number << SIMT_PAGE_SHIFT);
        simt_page_take_out(page);
        page->number = (uintptr_t)simt_cluster_place(simt_block->rank, address) >> SIMT_PAGE_SHIFT;
        simt_page_put_in(page);
    }
    shared_page_count = 0;
}

static void move_pages_back(void)
{
    const size_t count = simt_cluster_place_bytes() / SIMT_PAGE_BYTES;
    char *first = simt_cluster_place(simt_block->rank, NULL);
    for (size_t i = 0; i < count; i++) {
        struct simt_page *page = simt_page_find((uintptr_t)first + i * SIMT_PAGE_BYTES);
        unsigned int rank;
        void *own;
        if (page && simt_cluster_find(first + i * SIMT_PAGE_BYTES, &rank, &own)) {
            simt_page_take_out(page);
            page->number = (uintptr_t)own >> SIMT_PAGE_SHIFT;
            simt_page_put_in(page);
            add_shared_page(page);
        }
    }
}

struct simt_shared_pages {
    struct simt_shared_pages *next;
    size_t count;
    struct simt_page *pages[];
};
static struct simt_shared_pages *suspended;

struct simt_shared_pages *simt_shadow_suspend(void)
{
    struct simt_shared_pages *kept = simt_needed(
        malloc(sizeof *kept + shared_page_count * sizeof(struct simt_page *)), "the checks");
    kept->next = suspended;
    kept->count = shared_page_count;
    suspended = kept;
    if (simt_cluster_size() > 1) {
        kept->count = 0;
        move_pages_to_place();
        return kept;
    }
    for (size_t i = 0; i < shared_page_count; i++) {
        kept->pages[i] = shared_pages[i];
        simt_page_take_out(kept->pages[i]);
    }
    shared_page_count = 0;
    return kept;
}

void simt_shadow_resume(struct simt_shared_pages *kept)
{
    struct simt_shared_pages **link = &suspended;
    while (*link != kept) {
        link = &(*link)->next;
    }
    *link = kept->next;
    while (shared_page_count > 0) { /* of a finished block */
        simt_page_remove(shared_pages[--shared_page_count]);
    }
    for (size_t i = 0; i < kept->count; i++) {
        simt_page_put_in(kept->pages[i]);
        add_shared_page(kept->pages[i]);
    }
    if (simt_cluster_size() > 1) {
        move_pages_back();
    }
    free(kept);
}

/* ---- time ---- */

void simt_shadow_renumber(uint32_t (*renumbered)(uint32_t tag))
{
    simt_pages_renumber(renumbered);
    for (struct simt_shared_pages *block = suspended; block; block = block->next) {
        for (size_t i = 0; i < block->count; i++) {
            simt_page_renumber(block->pages[i], renumbered);
        }
    }
    simt_readers_renumber(renumbered);
}
/* SPDX-License-Identifier: MIT */
