/* Data races.
 *
 * An access races with an earlier one of another thread if three things hold: one of the two
 * writes, they are not both atomic, and nothing orders them (causality.h). shadow.h describes what
 * is remembered of earlier accesses.
 *
 * Volatile accesses let threads communicate without atomics: a flag, a loop that waits for it. Two
 * of them do not race between blocks. Within a block they do not race if the writer has called a
 * fence before, or the reader reads repeatedly or at only one place. A volatile array instead of a
 * barrier does race. A plain read of a word that others change by atomics counts as intended if an
 * atomic of the same thread follows: every loop around atomicCAS begins so. An asynchronous copy
 * writes from its issue to the end of the wait for it. */
#include "check/races.h"

#include <string.h>

#include "base/bits.h"
#include "check/findings.h"
#include "machine/cluster.h"
#include "machine/ptx.h"
#include "memory/streams.h"
#include "model/sites.h"
#include "observe/recorder.h"
#include "program/source.h"

/* Lanes of a block that stored equal values in a word, in a race that is only a note. If they then
 * read the word, they get that value in any order. */
enum { AGREED_KEPT = 4096 };
static struct {
    uint64_t address;
    uint32_t barrier; /* as in simt_now: later values may differ */
    uint32_t lanes[SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE];
} agreed[AGREED_KEPT];

static void note_agreed(uint64_t address, unsigned int thread)
{
    const size_t slot = address / 4 % AGREED_KEPT;
    if (agreed[slot].address != address || agreed[slot].barrier != simt_now.barrier) {
        memset(&agreed[slot], 0, sizeof agreed[slot]);
        agreed[slot].address = address;
        agreed[slot].barrier = simt_now.barrier;
    }
    agreed[slot].lanes[thread / SIMT_WARP_SIZE] |= 1u << thread % SIMT_WARP_SIZE;
}

static bool has_agreed(uint64_t address, unsigned int thread)
{
    const size_t slot = address / 4 % AGREED_KEPT;
    return agreed[slot].address == address && agreed[slot].barrier == simt_now.barrier &&
           agreed[slot].lanes[thread / SIMT_WARP_SIZE] >> thread % SIMT_WARP_SIZE & 1;
}

/* Whether both orders of the two give the same value. */
static bool of_same_value(const struct simt_act *act, unsigned int thread, uint64_t address,
                          unsigned int other_thread, enum simt_event_kind other_kind, bool near,
                          bool same_warp)
{
    if (act->frees || (act->kind != EVENT_STORE && act->kind != EVENT_LOAD)) {
        return false;
    }
    if (act->kind == EVENT_LOAD || other_kind == EVENT_LOAD) {
        return near && !simt_now.fine && (act->kind == EVENT_STORE || other_kind == EVENT_STORE) &&
               has_agreed(address, thread) && has_agreed(address, other_thread);
    }
    if (other_kind != EVENT_STORE ||
        !simt_trace_stores_same(thread % SIMT_WARP_SIZE,
                                same_warp ? other_thread % SIMT_WARP_SIZE : SIMT_WARP_SIZE)) {
        return false;
    }
    if (near) {
        note_agreed(address, thread);
        note_agreed(address, other_thread);
    }
    return true;
}

void simt_add_race(const struct simt_act *act, unsigned int thread, uint64_t address,
                   uint32_t other, unsigned int other_site, enum simt_event_kind other_kind,
                   bool both_volatile)
{
    unsigned int other_thread = other % SIMT_THREADS;
    bool other_block = simt_is_other_block(other);
    bool same_warp = !other_block && other_thread / SIMT_WARP_SIZE == thread / SIMT_WARP_SIZE;
    unsigned int rank;
    void *own;
    enum simt_event_kind kind = act->frees ? EVENT_FREE : act->kind;
    const bool near = !other_block && other_thread < SIMT_MAX_BLOCK_THREADS;
    if (other_thread >= SIMT_MAX_BLOCK_THREADS) {
        other_thread = simt_bulk_thread_of(other_thread);
        other_kind = other_kind == EVENT_STORE ? EVENT_ARRIVED : EVENT_MULTIPLIED;
        same_warp = false;
    }
    const bool both_store = act->kind == EVENT_STORE && other_kind == EVENT_STORE;
    const bool same_value =
        (both_store || !both_volatile) &&
        of_same_value(act, thread, address, other_thread, other_kind, near, same_warp);
    if (same_value && (kind == EVENT_LOAD || other_kind == EVENT_LOAD)) {
        return; /* a note reports the stores */
    }
    /* Possibly an intended read: of data that others change by atomics, or volatile. */
    bool meant = (kind == EVENT_LOAD && other_kind == EVENT_ATOMIC) ||
                 (kind == EVENT_ATOMIC && other_kind == EVENT_LOAD) || both_volatile;
    simt_add_finding((struct finding){
        .wrong = RACE,
        .space = other_block && simt_cluster_find((const void *)(uintptr_t)address, &rank, &own)
                     ? SPACE_SHARED
                     : act->space,
        .kind = kind,
        .other_kind = other_kind,
        .site = act->site,
        .other_site = other_site,
        .thread = thread,
        .other_thread = other_thread,
        .other_block = other_block,
        .same_warp = same_warp,
        .same_instruction = same_warp && act->site == other_site && kind == EVENT_STORE &&
                            other_kind == EVENT_STORE,
        .other_operation = simt_operation_find(simt_causality_launch_of(other)),
        .almost = simt_almost_ordered(other, thread),
        .unless_guard = !meant                     ? 0
                        : kind == EVENT_LOAD       ? act->site
                        : other_kind == EVENT_LOAD ? other_site
                                                   : 0,
        .unless_flag = both_volatile,
        .same_value = same_value,
        .address = address,
    });
}

/* Whether two volatile accesses, one of them a write, communicate: see the top. */
static bool is_talk(uint32_t other, bool both_volatile, bool fenced)
{
    return both_volatile && (fenced || simt_is_other_block(other));
}

/* Both are volatile, except for a scope that contains only one of the two threads. */
static bool is_volatile_with(bool is_volatile, const struct simt_act *act, uint32_t other)
{
    return is_volatile && act->how & EVENT_VOLATILE &&
           !(act->how & EVENT_OF_BLOCK && simt_is_other_block(other));
}

static void check_reader(const struct simt_act *act, unsigned int thread, uint64_t address,
                         uint32_t reader, unsigned int site, bool is_volatile)
{
    bool both = is_volatile_with(is_volatile, act, reader);
    if (simt_races(reader, act, thread) && !(act->kind == EVENT_ATOMIC && is_volatile) &&
        !is_talk(reader, both, act->how & EVENT_STRONG || simt_has_fenced(thread))) {
        simt_add_race(act, thread, address, reader, site, EVENT_LOAD, both);
    }
}

static void check_readers(const struct simt_cell *cell, uint64_t at, const struct simt_act *act,
                          unsigned int thread, uint64_t address)
{
    check_reader(act, thread, address, cell->reader, cell->reader_site,
                 cell->flags & READER_VOLATILE);
    check_reader(act, thread, address, cell->reader_before, cell->before_site,
                 cell->flags & BEFORE_VOLATILE);
    check_reader(act, thread, address, cell->reader_other, cell->other_site,
                 cell->flags & OTHER_VOLATILE);
    for (const struct simt_reader *reader = cell->flags & MORE_READERS ? simt_readers_first(at)
                                                                       : NULL;
         reader; reader = simt_readers_next(reader)) {
        for (uint32_t set = reader->lanes; set; set &= set - 1) {
            uint32_t tag = reader->segment | simt_lowest(set);
            if (act->space != SPACE_SHARED || !simt_is_other_block(tag)) {
                check_reader(act, thread, address, tag, reader->site, reader->is_volatile);
            }
        }
    }
}

static void check_writer(const struct simt_cell *cell, const struct simt_act *act,
                         unsigned int thread, uint64_t address)
{
    bool is_volatile = cell->flags & WRITER_VOLATILE;
    bool both = is_volatile_with(is_volatile, act, cell->writer);
    bool fenced =
        cell->flags & WRITER_FENCED ||
        (act->kind == EVENT_STORE && (act->how & EVENT_STRONG || simt_has_fenced(thread)));
    if (cell->flags & IN_FLIGHT) {
        simt_add_race(act, thread, address, cell->writer, cell->writer_site, EVENT_COPY, false);
    } else if (cell->writer != simt_now.tags[thread] && simt_races(cell->writer, act, thread) &&
               !(act->kind == EVENT_ATOMIC && is_volatile) &&
               !is_talk(cell->writer, both, fenced)) {
        simt_add_race(act, thread, address, cell->writer, cell->writer_site, EVENT_STORE, both);
    }
}

static void check_changer(const struct simt_cell *cell, const struct simt_act *act,
                          unsigned int thread, uint64_t address)
{
    bool one_block = cell->flags & CHANGER_BLOCK || act->how & EVENT_OF_BLOCK;
    if (!simt_races(cell->changer, act, thread) || act->how & EVENT_VOLATILE) {
        return;
    }
    if (act->kind != EVENT_ATOMIC || (one_block && simt_is_other_block(cell->changer))) {
        simt_add_race(act, thread, address, cell->changer, cell->changer_site, EVENT_ATOMIC, false);
    }
}

/* A bulk copy still reads what the thread writes now. */
static void check_reading(struct simt_cell *cell, const struct simt_act *act, unsigned int thread,
                          uint64_t address)
{
    unsigned int other;
    const void *caller;
    if (cell->flags & READ_IN_FLIGHT) {
        const void *place = (const void *)(uintptr_t)address;
        bool copies = simt_bulk_reader(place, &other, &caller);
        if (copies || simt_wgmma_reader(place, &other, &caller)) {
            simt_add_race(act, thread, address, simt_now.tags[other],
                          simt_site_number(simt_place_of(caller)),
                          copies ? EVENT_READING : EVENT_WGMMA, false);
        }
    }
    cell->flags &= (uint16_t)~READ_IN_FLIGHT;
}

void simt_add_read_only(const struct simt_act *act, unsigned int thread, unsigned int writer_site,
                        unsigned int reader_site)
{
    simt_add_finding((struct finding){.wrong = READ_ONLY,
                                      .space = act->space,
                                      .kind = EVENT_STORE,
                                      .site = writer_site,
                                      .other_site = reader_site,
                                      .thread = thread});
}

static void slow_load(struct simt_cell *cell, uint64_t at, const struct simt_act *act,
                      unsigned int thread, uint64_t address)
{
    bool is_volatile = act->how & EVENT_VOLATILE;
    check_writer(cell, act, thread, address);
    check_changer(cell, act, thread, address);
    if (is_volatile) {
        simt_note_volatile_read(act->site, address, simt_now.era);
    }
    if (cell->reader < act->oldest) {
        cell->flags &= (uint16_t)~READ_ONLY_PATH; /* of an earlier launch */
    }
    simt_note_reader(cell, at, act, thread);
    cell->flags =
        (uint16_t)(is_volatile ? cell->flags | READER_VOLATILE : cell->flags & ~READER_VOLATILE);
}

static void slow_store(struct simt_cell *cell, uint64_t at, const struct simt_act *act,
                       unsigned int thread, uint64_t address)
{
    unsigned int flags = cell->flags & IN_FLIGHT;
    check_writer(cell, act, thread, address);
    check_changer(cell, act, thread, address);
    check_readers(cell, at, act, thread, address);
    check_reading(cell, act, thread, address);
    if (cell->flags & READ_ONLY_PATH && cell->reader >= simt_now.launch) {
        simt_add_read_only(act, thread, act->site, cell->reader_site);
    }
    if (cell->flags & MORE_READERS) {
        simt_readers_forget(at);
    }
    if (act->how & EVENT_VOLATILE) {
        flags |= WRITER_VOLATILE;
        flags |= act->how & EVENT_STRONG || simt_has_fenced(thread) ? WRITER_FENCED : 0;
    }
    if (act->kind == EVENT_COPY) {
        flags |= IN_FLIGHT;
    }
    cell->flags = (uint16_t)flags;
    cell->writer = simt_now.tags[thread];
    cell->writer_site = (uint16_t)act->site;
    cell->changer = cell->reader = cell->reader_before = cell->reader_other = 0;
}

enum { LOADS_KEPT = 16 };
static struct {
    uint32_t block; /* as in simt_now */
    uint32_t site, lanes;
} loads[SIMT_THREADS / SIMT_WARP_SIZE][LOADS_KEPT];

void simt_note_load(unsigned int site, unsigned int warp, uint32_t lanes)
{
    unsigned int slot = site % LOADS_KEPT;
    if (loads[warp][slot].site != site || loads[warp][slot].block != simt_now.block) {
        loads[warp][slot].site = site;
        loads[warp][slot].block = simt_now.block;
        loads[warp][slot].lanes = 0;
    }
    loads[warp][slot].lanes |= lanes;
}

static bool has_loaded(unsigned int thread, unsigned int site)
{
    unsigned int warp = thread / SIMT_WARP_SIZE, slot = site % LOADS_KEPT;
    return loads[warp][slot].site == site && loads[warp][slot].block == simt_now.block &&
           loads[warp][slot].lanes >> thread % SIMT_WARP_SIZE & 1;
}

static void visit_atomic(struct simt_cell *cell, uint64_t at, const struct simt_act *act,
                         unsigned int thread, uint64_t address)
{
    bool is_volatile = cell->flags & READER_VOLATILE;
    if (cell->reader >= act->oldest && !is_volatile && !simt_is_other_block(cell->reader) &&
        (cell->reader ^ simt_now.tags[thread]) % SIMT_THREADS < SIMT_WARP_SIZE &&
        has_loaded(thread, cell->reader_site)) {
        simt_note_guard(cell->reader_site);
    }
    check_writer(cell, act, thread, address);
    check_changer(cell, act, thread, address);
    check_readers(cell, at, act, thread, address);
    check_reading(cell, act, thread, address);
    cell->changer = simt_now.tags[thread];
    cell->changer_site = (uint16_t)act->site;
    cell->flags = (uint16_t)(act->how & EVENT_OF_BLOCK ? cell->flags | CHANGER_BLOCK
                                                       : cell->flags & ~CHANGER_BLOCK);
}

/* The asynchronous copy has ended: from now on it is the thread's own store. */
static void visit_copied(struct simt_cell *cell, const struct simt_act *act, unsigned int thread)
{
    cell->flags &= (uint16_t)~IN_FLIGHT;
    cell->writer = simt_now.tags[thread];
    cell->writer_site = (uint16_t)act->site;
}

void simt_visit_slowly(struct simt_cell *cell, uint64_t at, const struct simt_act *act,
                       unsigned int thread, uint64_t address)
{
    switch (act->kind) {
    case EVENT_LOAD:
        slow_load(cell, at, act, thread, address);
        break;
    case EVENT_ATOMIC:
        visit_atomic(cell, at, act, thread, address);
        break;
    case EVENT_COPIED:
        visit_copied(cell, act, thread);
        break;
    default:
        slow_store(cell, at, act, thread, address);
        break;
    }
}
/* SPDX-License-Identifier: MIT */
