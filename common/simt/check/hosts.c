/* Checks of what the host does with memory that launches and copies may still use, and of
 * copies. */
#include <stdio.h>

#include "base/bits.h"
#include "check/causality.h"
#include "check/check.h"
#include "check/findings.h"
#include "check/pages.h"
#include "memory/memory.h"
#include "memory/streams.h"
#include "model/sites.h"
#include "program/source.h"

/* ---- pending operations ---- */

static uint32_t oldest;
static bool fine;

/* Until pending_ends(), launches that the host has not waited for count as unordered. False if
 * there are too many, or none. */
static bool pending_begins(void)
{
    enum { MOST = 64 };
    size_t count = 0;
    oldest = simt_now.oldest;
    fine = simt_now.fine;
    for (const struct simt_operation *one = simt_operations(); one && count <= MOST;
         one = one->next) {
        count++;
    }
    if (count == 0 || count > MOST) {
        return false;
    }
    simt_causality_none_unordered();
    for (const struct simt_operation *one = simt_operations(); one; one = one->next) {
        if (one->file) {
            simt_causality_unordered(one->number);
        }
    }
    return true;
}

static void pending_ends(void)
{
    simt_causality_none_unordered();
    simt_now.oldest = oldest;
    simt_now.fine = fine;
}

/* Whether the word is a message that a launch has released to the host. */
static bool is_released(const struct simt_cell *cell, bool heard)
{
    return simt_causality_released(cell->changer, heard) ||
           (cell->flags & WRITER_VOLATILE && simt_causality_released(cell->writer, heard));
}

/* The use of a word by a pending launch. A volatile store counts as a message to the host. */
static const struct simt_operation *use_of(const struct simt_cell *cell, bool host_writes,
                                           struct finding *use)
{
    const struct {
        uint32_t tag;
        unsigned int site;
        enum simt_event_kind kind;
    } uses[] = {{cell->flags & WRITER_VOLATILE ? 0 : cell->writer, cell->writer_site, EVENT_STORE},
                {!host_writes && simt_causality_released(cell->changer, false) ? 0 : cell->changer,
                 cell->changer_site, EVENT_ATOMIC},
                {cell->reader, cell->reader_site, EVENT_LOAD},
                {cell->reader_before, cell->before_site, EVENT_LOAD},
                {cell->reader_other, cell->other_site, EVENT_LOAD}};
    for (size_t i = 0; i < (host_writes ? 5 : 2); i++) {
        const uint64_t launch = uses[i].tag ? simt_causality_launch_of(uses[i].tag) : 0;
        if (launch) {
            use->other_kind = uses[i].kind;
            use->other_site = uses[i].site;
            return simt_operation_find(launch);
        }
    }
    return NULL;
}

static enum simt_region_access use_of_page(uint64_t address)
{
    enum simt_region_access access = SIMT_WRITTEN; /* by the host: everything is allowed */
    struct simt_page *page = simt_page_find(address);
    struct finding use = {.wrong = HOST_ACCESS};
    for (const struct simt_operation *one = simt_operations(); one; one = one->next) {
        if (!one->file && simt_piece_has(&one->to, address, SIMT_PAGE_BYTES)) {
            return SIMT_CLOSED;
        }
        if (!one->file && simt_piece_has(&one->from, address, SIMT_PAGE_BYTES)) {
            access = SIMT_READ;
        }
    }
    for (unsigned int row = 0; page && simt_page_is_used(page) && row < SIMT_PAGE_ROWS; row++) {
        const bool joined = page->in_rows >> row & 1;
        const unsigned int words = SIMT_ROW_BYTES >> page->shift;
        for (unsigned int i = 0; i < (joined ? 1 : words); i++) {
            const struct simt_cell *cell =
                joined ? &page->rows[row] : &page->cells[row * words + i];
            if (use_of(cell, false, &use) || is_released(cell, false)) {
                return SIMT_CLOSED;
            }
            access = access == SIMT_WRITTEN && use_of(cell, true, &use) ? SIMT_READ : access;
        }
    }
    return access;
}

void simt_check_host_pages(const struct simt_region *region,
                           void (*found)(char *page, enum simt_region_access access))
{
    if (!pending_begins()) {
        return;
    }
    for (size_t at = 0; at < region->map_size; at += SIMT_PAGE_BYTES) {
        found(region->map + at, use_of_page((uintptr_t)region->map + at));
    }
    pending_ends();
}

/* ---- actions of the host ---- */

/* Whether the instruction one byte before this address is atomic: lock or xchg, after other
 * prefixes of x86-64. */
static bool is_atomic(const unsigned char *code)
{
#ifdef __x86_64__
    code--;
    while (*code == 0x66 || *code == 0xf2 || *code == 0xf3) {
        code++;
    }
    return *code == 0xf0 || (code[(*code & 0xf0) == 0x40] & 0xfe) == 0x86;
#else
    (void)code;
    return false;
#endif
}

bool simt_check_host_access(const void *address, bool writes, const void *at)
{
    const uint64_t word = (uintptr_t)address & ~UINT64_C(3);
    struct simt_page *page = simt_page_find(word);
    struct finding access = {.wrong = HOST_ACCESS,
                             .space = SPACE_GLOBAL,
                             .kind = writes ? EVENT_STORE : EVENT_LOAD,
                             .site = simt_site_number(simt_place_of(at)),
                             .address = word};
    struct finding *new;
    if (!pending_begins()) {
        return false;
    }
    if (page && simt_page_is_used(page)) {
        const struct simt_cell *cell = simt_cell_of(page, (unsigned int)(word % SIMT_PAGE_BYTES));
        access.other_operation = use_of(cell, writes, &access);
        if (!writes) {
            is_released(cell, true);
        }
    }
    for (const struct simt_operation *one = simt_operations(); one && !access.other_operation;
         one = one->next) {
        const bool written = !one->file && simt_piece_has(&one->to, word, 4);
        if (written || (!one->file && writes && simt_piece_has(&one->from, word, 4))) {
            access.other_operation = one;
            access.other_kind = written ? EVENT_STORE : EVENT_LOAD;
        }
    }
    pending_ends();
    if (access.other_kind == EVENT_ATOMIC && at && is_atomic(at)) { /* the two communicate */
        return false;
    }
    new = access.other_operation ? simt_add_finding(access) : NULL;
    if (new) {
        simt_memory_describe(address, new->text, sizeof new->text);
    }
    return access.other_operation;
}

/* ---- copies to the host ---- */

/* Unwritten bytes that cannot be the padding of structures. */
struct unset {
    size_t bytes, run, runs, longest;
    uint64_t first, run_begin;
};

static void end_run(struct unset *unset)
{
    if (unset->run > 0) {
        unset->runs++;
        unset->longest = unset->run > unset->longest ? unset->run : unset->longest;
    }
    unset->run = 0;
}

static void add_bytes(struct unset *unset, uint64_t at, size_t size)
{
    unset->first = unset->bytes == 0 ? at : unset->first;
    unset->bytes += size;
    unset->run += size;
}

static void look_at_row(struct unset *unset, uint64_t at, uint64_t end)
{
    while (at < end) {
        const uint64_t next = (at | (SIMT_PAGE_BYTES - 1)) + 1, stop = next < end ? next : end;
        const struct simt_page *page = simt_page_peek(at);
        if (simt_check_is_written((const void *)(uintptr_t)at)) {
            end_run(unset);
        } else if (!page) {
            add_bytes(unset, at, (size_t)(stop - at));
        } else {
            for (uint64_t byte = at; byte < stop; byte++) {
                const unsigned int offset = (unsigned int)(byte % SIMT_PAGE_BYTES);
                if (page->written[offset / 8] >> offset % 8 & 1) {
                    end_run(unset);
                } else {
                    add_bytes(unset, byte, 1);
                }
            }
        }
        at = stop;
    }
}

static void check_copied_out(const struct simt_operation *copy)
{
    const struct simt_piece *from = &copy->from;
    const struct simt_region *region = simt_region_find((const void *)(uintptr_t)from->address);
    const struct simt_region *to = simt_region_find((const void *)(uintptr_t)copy->to.address);
    const size_t all = from->width * from->height;
    struct unset unset = {0};
    struct finding *new;
    bool ends_unset;
    if (!copy->source || !region || region->kind != REGION_DEVICE ||
        (to && to->kind != REGION_HOST && to->kind != REGION_REGISTERED)) {
        return;
    }
    for (size_t row = 0; row < from->height; row++) {
        const uint64_t start = from->address + row * from->pitch;
        look_at_row(&unset, start, start + from->width);
    }
    ends_unset = unset.run >= 4;
    end_run(&unset);
    if (unset.bytes == 0 || (unset.bytes < all && unset.first != from->address &&
                             unset.longest < 16 && !(ends_unset && unset.runs == 1 && all >= 64))) {
        return;
    }
    new = simt_add_finding((struct finding){.wrong = COPY_UNSET,
                                            .kind = EVENT_LOAD,
                                            .site = simt_site_number(simt_place_of(copy->caller))});
    if (new) {
        const int length = snprintf(new->text, sizeof new->text, "%zu of %zu bytes, the first is ",
                                    unset.bytes, all);
        simt_memory_describe((const void *)(uintptr_t)unset.first, new->text + length,
                             sizeof new->text - (size_t)length);
    }
}

bool simt_check_goes_to_host(void)
{
    const struct simt_operation *copy = simt_operations();
    return copy->source && !simt_memory_is_device((const void *)(uintptr_t)copy->to.address);
}

void simt_check_copy(void)
{
    const struct simt_operation *copy = simt_operations();
    struct finding *new = NULL;
    check_copied_out(copy);
    if (copy->wrong_way[0]) {
        new = simt_add_finding(
            (struct finding){.wrong = WRONG_WAY,
                             .kind = EVENT_LOAD,
                             .site = simt_site_number(simt_place_of(copy->caller))});
    }
    if (new) {
        snprintf(new->text, sizeof new->text, "%s", copy->wrong_way);
    }
}
/* SPDX-License-Identifier: MIT */
