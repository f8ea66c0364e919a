/* Races of one access with the contents of a shadow cell. The usual case is inline, because it runs
 * for every lane of every access. */
#ifndef SIMT_RACES_H
#define SIMT_RACES_H

#include "check/causality.h"
#include "check/shadow.h"
#include "observe/event.h"

/* The access that is checked: the same for all lanes of a request. */
struct simt_act {
    enum simt_space space;
    enum simt_event_kind kind;
    unsigned int how, site;
    bool frees;      /* a free(), treated as a store: all other accesses must come before it */
    uint32_t oldest; /* lower tags do not matter */
};

static inline struct simt_act simt_act_of(enum simt_space space, enum simt_event_kind kind,
                                          unsigned int how, unsigned int site)
{
    return (struct simt_act){
        space, kind, how, site, false, space == SPACE_SHARED ? simt_now.block : simt_now.oldest};
}

/* Adds a race with the action of `other`. */
__attribute__((cold)) void simt_add_race(const struct simt_act *act, unsigned int thread,
                                         uint64_t address, uint32_t other, unsigned int other_site,
                                         enum simt_event_kind other_kind, bool both_volatile);
/* `writer_site` writes what `reader_site` reads with __ldg. */
void simt_add_read_only(const struct simt_act *act, unsigned int thread, unsigned int writer_site,
                        unsigned int reader_site);

static inline bool simt_races(uint32_t other, const struct simt_act *act, unsigned int thread)
{
    return other >= act->oldest && simt_may_race(other, thread);
}

/* Most accesses take this path. If clang decides, it calls these functions, and a kernel with many
 * loads takes 25% longer. */
#define SIMT_ON_THE_WAY static inline __attribute__((always_inline))

/* ---- readers ---- */

/* Removes a reader from its cell to make room for another. */
SIMT_ON_THE_WAY void simt_evict(struct simt_cell *cell, uint64_t address, uint32_t tag,
                                uint16_t site, unsigned int flag, const struct simt_act *act,
                                unsigned int thread)
{
    if (__builtin_expect(simt_now.fine, 0) && tag >= act->oldest) {
        simt_readers_keep(cell, address, tag, site, cell->flags & flag, thread);
    }
}

static void simt_move_flag(struct simt_cell *cell, unsigned int from, unsigned int to)
{
    unsigned int flags = cell->flags & ~to;
    cell->flags = (uint16_t)(flags & from ? flags | to : flags);
}

/* The last reader, different from `tag`, moves aside: see shadow.h. */
static inline void simt_move_reader(struct simt_cell *cell, uint64_t address, uint32_t tag,
                                    const struct simt_act *act, unsigned int thread)
{
    uint32_t last = cell->reader, before = cell->reader_before;
    bool in_last_warp = (last ^ tag) % SIMT_THREADS < SIMT_WARP_SIZE;
    if (last < simt_now.era) {
        simt_evict(cell, address, cell->reader_other, cell->other_site, OTHER_VOLATILE, act,
                   thread);
        cell->reader_other = last;
        cell->other_site = cell->reader_site;
        if (cell->flags) {
            simt_move_flag(cell, READER_VOLATILE, OTHER_VOLATILE);
        }
        return;
    }
    if ((last ^ tag) % SIMT_THREADS == 0) {
        return; /* the same thread, earlier */
    }
    if (in_last_warp && before >= simt_now.barrier && before >= simt_now.era &&
        (before ^ tag) % SIMT_THREADS >= SIMT_WARP_SIZE) {
        simt_evict(cell, address, last, cell->reader_site, READER_VOLATILE, act, thread);
        return;
    }
    simt_evict(cell, address, before, cell->before_site, BEFORE_VOLATILE, act, thread);
    cell->reader_before = last;
    cell->before_site = cell->reader_site;
    if (cell->flags) {
        simt_move_flag(cell, READER_VOLATILE, BEFORE_VOLATILE);
    }
}

SIMT_ON_THE_WAY void simt_note_reader_as(struct simt_cell *cell, uint64_t address,
                                         const struct simt_act *act, unsigned int thread,
                                         uint32_t tag)
{
    if (cell->reader != tag) {
        if (cell->reader >= act->oldest) {
            simt_move_reader(cell, address, tag, act, thread);
        }
        cell->reader = tag;
    }
    cell->reader_site = (uint16_t)act->site;
}

SIMT_ON_THE_WAY void simt_note_reader(struct simt_cell *cell, uint64_t address,
                                      const struct simt_act *act, unsigned int thread)
{
    simt_note_reader_as(cell, address, act, thread, simt_now.tags[thread]);
}

/* Lanes of a warp make a plain load: remembers the lanes of the last few sites. */
void simt_note_load(unsigned int site, unsigned int warp, uint32_t lanes);

/* ---- the usual case: a plain access, and a cell without flags ---- */

SIMT_ON_THE_WAY void simt_visit_load(struct simt_cell *cell, uint64_t at,
                                     const struct simt_act *act, unsigned int thread,
                                     uint64_t address)
{
    if (cell->writer >= act->oldest && cell->writer != simt_now.tags[thread] &&
        simt_may_race(cell->writer, thread)) {
        simt_add_race(act, thread, address, cell->writer, cell->writer_site, EVENT_STORE, false);
    }
    if (cell->changer >= act->oldest && simt_may_race(cell->changer, thread)) {
        simt_add_race(act, thread, address, cell->changer, cell->changer_site, EVENT_ATOMIC, false);
    }
    simt_note_reader(cell, at, act, thread);
}

static inline void simt_visit_store(struct simt_cell *cell, const struct simt_act *act,
                                    unsigned int thread, uint64_t address)
{
    uint32_t tag = simt_now.tags[thread];
    if (cell->writer != tag && simt_races(cell->writer, act, thread)) {
        simt_add_race(act, thread, address, cell->writer, cell->writer_site, EVENT_STORE, false);
    }
    if (simt_races(cell->changer, act, thread)) {
        simt_add_race(act, thread, address, cell->changer, cell->changer_site, EVENT_ATOMIC, false);
    }
    if (simt_races(cell->reader, act, thread)) {
        simt_add_race(act, thread, address, cell->reader, cell->reader_site, EVENT_LOAD, false);
    } else if (simt_races(cell->reader_before, act, thread)) {
        simt_add_race(act, thread, address, cell->reader_before, cell->before_site, EVENT_LOAD,
                      false);
    } else if (simt_races(cell->reader_other, act, thread)) {
        simt_add_race(act, thread, address, cell->reader_other, cell->other_site, EVENT_LOAD,
                      false);
    }
    cell->writer = tag;
    cell->writer_site = (uint16_t)act->site;
    cell->changer = cell->reader = cell->reader_before = cell->reader_other = 0;
}

/* For accesses that are not plain, or cells with flags. */
void simt_visit_slowly(struct simt_cell *cell, uint64_t at, const struct simt_act *act,
                       unsigned int thread, uint64_t address);

/* `at`: the start of the cell. */
SIMT_ON_THE_WAY void simt_visit(struct simt_cell *cell, uint64_t at, const struct simt_act *act,
                                unsigned int thread, uint64_t address)
{
    if (__builtin_expect(act->kind > EVENT_STORE || (act->how | cell->flags) != 0, 0)) {
        simt_visit_slowly(cell, at, act, thread, address);
    } else if (act->kind == EVENT_LOAD) {
        simt_visit_load(cell, at, act, thread, address);
    } else {
        simt_visit_store(cell, act, thread, address);
    }
}

#endif
/* SPDX-License-Identifier: MIT */
