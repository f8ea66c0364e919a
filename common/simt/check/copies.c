/* Launches, copies and fills in unordered streams: they may run at the same time. */
#include "check/copies.h"

#include "base/bits.h"
#include "base/need.h"
#include "check/check.h"
#include "check/findings.h"
#include "memory/memory.h"
#include "memory/streams.h"

/* Copies and fills that may be pending while the launch runs. */
static const struct simt_operation **copies;
size_t simt_copy_count;
static size_t copy_capacity;

static void add_copy(const struct simt_operation *operation)
{
    copies = simt_with_room(copies, simt_copy_count, &copy_capacity,
                            sizeof(struct simt_operation *), "the checks");
    copies[simt_copy_count++] = operation;
}

void simt_check_copies(const struct simt_act *act, unsigned int size, unsigned int warp,
                       uint32_t lanes, const uint64_t *addresses)
{
    bool writes = act->kind != EVENT_LOAD && act->kind != EVENT_READ_ONLY;
    for (size_t i = 0; i < simt_copy_count; i++) {
        for (uint32_t set = lanes; set; set &= set - 1) {
            uint64_t address = addresses[simt_lowest(set)];
            bool written = simt_piece_has(&copies[i]->to, address, size);
            if (written || (writes && simt_piece_has(&copies[i]->from, address, size))) {
                simt_add_finding(
                    (struct finding){.wrong = RACE,
                                     .space = act->space,
                                     .kind = act->kind,
                                     .other_kind = written ? EVENT_STORE : EVENT_LOAD,
                                     .site = act->site,
                                     .thread = warp * SIMT_WARP_SIZE + simt_lowest(set),
                                     .other_operation = copies[i],
                                     .address = address});
            }
        }
    }
}

/* For the operation that begins: finds the pending ones that are not ordered before it. */
void simt_copies_find(void)
{
    simt_copy_count = 0;
    simt_causality_none_unordered();
    for (const struct simt_operation *other = simt_operations(); other; other = other->next) {
        if (!simt_operation_unordered(other)) {
            continue;
        }
        if (other->file) {
            simt_causality_unordered(other->number);
        } else if (other->to.height > 0 || other->from.height > 0) {
            add_copy(other);
        }
    }
}

/* Checks a cell's launches against the copy that begins, which reads or `writes` the cell. */
static void check_cell(const struct simt_cell *cell, uint64_t at, bool writes)
{
    struct finding race = {.wrong = COPY_RACE, .kind = writes ? EVENT_STORE : EVENT_LOAD};
    const struct {
        uint32_t tag;
        unsigned int site;
        enum simt_event_kind kind;
    } others[] = {{cell->writer, cell->writer_site, EVENT_STORE},
                  {cell->changer, cell->changer_site, EVENT_ATOMIC},
                  {cell->reader, cell->reader_site, EVENT_LOAD},
                  {cell->reader_before, cell->before_site, EVENT_LOAD},
                  {cell->reader_other, cell->other_site, EVENT_LOAD}};
    for (size_t i = 0; i < (writes ? 5 : 2); i++) {
        uint64_t launch = others[i].tag ? simt_causality_launch_of(others[i].tag) : 0;
        if (launch) {
            race.other_operation = simt_operation_find(launch);
            race.other_kind = others[i].kind;
            race.other_site = others[i].site;
            simt_add_finding(race);
            return;
        }
    }
    for (const struct simt_reader *reader =
             writes && cell->flags & MORE_READERS ? simt_readers_first(at) : NULL;
         reader; reader = simt_readers_next(reader)) {
        uint64_t launch = simt_causality_launch_of(reader->segment);
        if (launch) {
            race.other_operation = simt_operation_find(launch);
            race.other_kind = EVENT_LOAD;
            race.other_site = reader->site;
            simt_add_finding(race);
            return;
        }
    }
}

static void check_row(uint64_t at, uint64_t end, bool writes)
{
    while (at < end) {
        uint64_t next = (at | (SIMT_PAGE_BYTES - 1)) + 1, size;
        struct simt_page *page;
        simt_pages_make_room();
        page = simt_page_find(at);
        if (!page || !simt_page_is_used(page)) {
            at = next;
            continue;
        }
        size = UINT64_C(1) << page->shift;
        for (at &= ~(size - 1); at < end && at < next; at += size) {
            check_cell(simt_cell_of(page, (unsigned int)(at % SIMT_PAGE_BYTES)), at, writes);
        }
    }
}

static void check_piece(const struct simt_piece *piece, bool writes)
{
    for (size_t row = 0; row < piece->height; row++) {
        uint64_t start = piece->address + row * piece->pitch;
        check_row(start, start + piece->width, writes);
    }
}

/* The byte that the copy will write there. */
static unsigned char brings(const struct simt_operation *copy, size_t row, size_t byte)
{
    return copy->source
               ? copy->source[row * copy->source_pitch + byte]
               : (unsigned char)(copy->value >> 8 * (byte % copy->element)); /* little-endian */
}

/* Whether the copy writes the bytes that are already there, where the other also writes. */
static bool brings_same(const struct simt_operation *copy, const struct simt_operation *other)
{
    bool same = (copy->source || copy->element > 0) && !copy->verb && !other->verb &&
                !simt_memory_is_foreign(copy->source) &&
                !simt_memory_is_foreign((const void *)(uintptr_t)copy->to.address);
    if (!same) {
        return false;
    }
    simt_memory_look(true);
    for (size_t row = 0; same && row < copy->to.height; row++) {
        const uint64_t start = copy->to.address + row * copy->to.pitch;
        for (size_t i = 0; same && i < copy->to.width; i++) {
            same = !simt_piece_has(&other->to, start + i, 1) ||
                   *(const unsigned char *)(uintptr_t)(start + i) == brings(copy, row, i);
        }
    }
    simt_memory_look(false);
    return same;
}

static void check_other_copy(const struct simt_operation *copy, const struct simt_operation *other)
{
    const bool both = simt_pieces_meet(&copy->to, &other->to);
    const bool reads = simt_pieces_meet(&copy->from, &other->to);
    const bool is_read = simt_pieces_meet(&copy->to, &other->from);
    if (both || reads || is_read) {
        simt_add_finding(
            (struct finding){.wrong = COPY_RACE,
                             .kind = both || is_read ? EVENT_STORE : EVENT_LOAD,
                             .other_kind = both || reads ? EVENT_STORE : EVENT_LOAD,
                             .same_value = both && !reads && !is_read && brings_same(copy, other),
                             .other_operation = other});
    }
}

void simt_check_operation(void)
{
    const struct simt_operation *copy = simt_operations();
    if (!simt_operations_of_several()) {
        return;
    }
    simt_copies_find();
    for (size_t i = 0; i < simt_copy_count; i++) {
        check_other_copy(copy, copies[i]);
    }
    simt_copy_count = 0;
    if (simt_causality_launch_of(simt_now.oldest)) {
        check_piece(&copy->to, true);
        check_piece(&copy->from, false);
    }
}
/* SPDX-License-Identifier: MIT */
