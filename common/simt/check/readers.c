/* Readers of a word that were removed from its cell, in launches with fences or partial masks: the
 * two readers in a cell are not enough for such orders. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/need.h"
#include "base/worker.h"
#include "check/causality.h"
#include "check/shadow.h"

enum { NONE = 0, MOST_OF_A_CELL = 64 };

static struct simt_reader *readers; /* the first is unused */
static uint32_t reader_count, free_readers;
static size_t reader_capacity;
static uint32_t *heads; /* per address; open addressing: the first reader of a cell */
static size_t head_count, head_capacity;

static size_t slot_of(uint64_t address)
{
    size_t slot = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 20) % head_capacity;
    while (heads[slot] && readers[heads[slot]].address != address) {
        slot = (slot + 1) % head_capacity;
    }
    return slot;
}

/* A cell keeps its slot: an entry without lanes reserves it while it has no readers. */
static uint32_t new_reader(uint64_t address)
{
    uint32_t number = free_readers;
    if (number) {
        free_readers = readers[number].next;
    } else {
        readers = simt_with_room(readers, reader_count + 1, &reader_capacity, sizeof *readers,
                                 "the checks");
        number = ++reader_count;
    }
    readers[number] = (struct simt_reader){.address = address};
    return number;
}

static uint32_t *head_of(uint64_t address)
{
    size_t slot;
    if (2 * (head_count + 1) > head_capacity) {
        uint32_t *old = heads;
        size_t old_capacity = head_capacity;
        head_capacity = old_capacity ? 2 * old_capacity : 1024;
        heads = simt_needed(calloc(head_capacity, sizeof *heads), "the checks");
        for (size_t i = 0; i < old_capacity; i++) {
            if (old[i]) {
                heads[slot_of(readers[old[i]].address)] = old[i];
            }
        }
        free(old);
    }
    slot = slot_of(address);
    if (!heads[slot]) {
        uint32_t holder = new_reader(address);
        heads[slot] = holder;
        head_count++;
    }
    return &heads[slot];
}

static bool is_over(const struct simt_reader *reader, unsigned int thread)
{
    unsigned int lane = reader->lanes ? simt_lowest(reader->lanes) : 0;
    for (uint32_t set = reader->lanes; set; set &= set - 1) {
        lane = simt_lowest(set);
        if (simt_unordered(reader->segment | lane, thread)) {
            return false;
        }
    }
    return true;
}

void simt_readers_keep(struct simt_cell *cell, uint64_t address, uint32_t tag, uint16_t site,
                       bool is_volatile, unsigned int thread)
{
    uint32_t segment = tag & ~(uint32_t)(SIMT_WARP_SIZE - 1);
    uint32_t lane = UINT32_C(1) << tag % SIMT_WARP_SIZE, *head, number;
    struct simt_reader *first;
    unsigned int count = 0;
    simt_only_in_order();
    if (!simt_unordered(tag, thread)) {
        return; /* a race with it is also a race with the new one */
    }
    head = head_of(address);
    first = &readers[*head];
    first = first->next ? &readers[first->next] : NULL;
    cell->flags |= MORE_READERS;
    if (first && first->segment == segment && first->site == site &&
        first->is_volatile == is_volatile) {
        first->lanes |= lane;
        return;
    }
    for (uint32_t *link = &readers[*head].next; *link;) {
        struct simt_reader *reader = &readers[*link];
        if (++count >= MOST_OF_A_CELL || is_over(reader, thread)) {
            uint32_t removed = *link;
            *link = reader->next;
            reader->next = free_readers;
            free_readers = removed;
        } else {
            link = &reader->next;
        }
    }
    number = new_reader(address); /* this may move the array */
    readers[number].segment = segment;
    readers[number].lanes = lane;
    readers[number].site = site;
    readers[number].is_volatile = is_volatile;
    readers[number].next = readers[*head].next;
    readers[*head].next = number;
}

const struct simt_reader *simt_readers_next(const struct simt_reader *reader)
{
    return reader->next ? &readers[reader->next] : NULL;
}

const struct simt_reader *simt_readers_first(uint64_t address)
{
    return head_count ? simt_readers_next(&readers[*head_of(address)]) : NULL;
}

void simt_readers_forget(uint64_t address)
{
    struct simt_reader *head = head_count ? &readers[*head_of(address)] : NULL;
    while (head && head->next) {
        uint32_t removed = head->next;
        head->next = readers[removed].next;
        readers[removed].next = free_readers;
        free_readers = removed;
    }
}

void simt_readers_copy(uint64_t from, uint64_t to)
{
    for (const struct simt_reader *reader = simt_readers_first(from); reader;) {
        struct simt_reader copy = *reader;
        uint32_t head = *head_of(to), number = new_reader(to);
        copy.address = to;
        copy.next = readers[head].next;
        reader = reader->next ? &readers[reader->next] : NULL; /* not moved any more */
        readers[number] = copy;
        readers[head].next = number;
    }
}

void simt_readers_start_launch(void)
{
    if (head_count) {
        memset(heads, 0, head_capacity * sizeof *heads);
        head_count = 0;
    }
    reader_count = free_readers = NONE;
}

void simt_readers_renumber(uint32_t (*renumbered)(uint32_t tag))
{
    for (size_t i = 0; head_count > 0 && i < head_capacity; i++) {
        for (struct simt_reader *reader = heads[i] ? &readers[heads[i]] : NULL; reader;
             reader = reader->next ? &readers[reader->next] : NULL) {
            reader->segment = renumbered ? renumbered(reader->segment) : 0;
            reader->lanes = reader->segment ? reader->lanes : 0;
        }
    }
}
/* SPDX-License-Identifier: MIT */
