/* Checks of what kernels do with memory: data races, accesses out of bounds or misaligned, and
 * reads of what nobody wrote.
 *
 * An access races with an earlier one by another thread, if one of the two writes, not both are
 * atomic, and nothing orders them (causality.h). shadow.h says what is remembered of earlier ones.
 *
 * Volatile accesses are how threads talk without atomics: a flag, a loop that waits for it.
 * Between blocks two of them do not race, nor within a block if the writer has called a fence
 * before, or the reader reads over and over or but one place; a volatile array in place of a
 * barrier does. A plain read of a word that others change by atomics is taken to be meant so
 * where an atomic of the same warp follows: so begins every loop around atomicCAS. An
 * asynchronous copy writes from its issue to the end of the wait for it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "check/causality.h"
#include "check/findings.h"
#include "check/shadow.h"

static void *need(void *memory)
{
    if (!memory) {
        perror("simt: no memory for the checks");
        simt_exit_without_memory();
    }
    return memory;
}

static unsigned int lowest(uint32_t set)
{
    return (unsigned int)__builtin_ctz(set);
}

/* ---- address spaces ---- */

static struct simt_range image;

/* __constant__ variables, by simt_constant. */
static struct simt_range *constants;
static size_t constant_count;

static void find_image(void)
{
    extern const char __executable_start[], _end[];
    image = (struct simt_range){(uintptr_t)__executable_start, (size_t)(_end - __executable_start),
                                SPACE_GLOBAL, false};
}

static bool in_range(const struct simt_range *range, uint64_t address)
{
    return address - range->base < range->size;
}

int simt_constant(const void *address, size_t size)
{
    constants = need(realloc(constants, (constant_count + 1) * sizeof *constants));
    constants[constant_count++] =
        (struct simt_range){(uintptr_t)address, size, SPACE_CONSTANT, false};
    return 0;
}

/* A constant, or what lies between two of them. */
static struct simt_range find_in_image(uint64_t address)
{
    uint64_t from = image.base, to = image.base + image.size;
    for (size_t i = 0; i < constant_count; i++) {
        uint64_t end = constants[i].base + constants[i].size;
        if (in_range(&constants[i], address)) {
            return constants[i];
        }
        from = end <= address && end > from ? end : from;
        to = constants[i].base > address && constants[i].base < to ? constants[i].base : to;
    }
    return (struct simt_range){from, (size_t)(to - from), SPACE_GLOBAL, false};
}

static struct simt_range find_range(uint64_t address)
{
    struct simt_range found;
    if (simt_exec_range(address, &found) || simt_memory_range(address, &found) ||
        simt_shared_range(address, &found)) {
        return found;
    }
    if (in_range(&image, address)) {
        found = find_in_image(address);
        if (found.space != SPACE_CONSTANT) {
            simt_data_range(address, &found);
        }
        return found;
    }
    return (struct simt_range){address, 1, SPACE_HOST, false};
}

enum simt_space simt_space_of(uint64_t address)
{
    find_image();
    return find_range(address).space;
}

/* The ranges used last. Allocations come and go between launches only. */
enum { RANGES_KEPT = 8 };
static struct simt_range ranges[RANGES_KEPT];
static unsigned int next_range;

const struct simt_range *simt_range_of(uint64_t address)
{
    for (unsigned int i = 0; i < RANGES_KEPT; i++) {
        if (in_range(&ranges[i], address)) {
            return &ranges[i];
        }
    }
    next_range = (next_range + 1) % RANGES_KEPT;
    ranges[next_range] = find_range(address);
    return &ranges[next_range];
}

/* ---- races ---- */

/* What is being checked: the same for all lanes of a request. */
struct act {
    enum simt_space space;
    enum simt_event_kind kind;
    unsigned int how, site;
    uint32_t oldest; /* tags below are of no interest */
};

/* The store that is being checked is a free(): it ends with the memory all that others do there. */
static bool freeing;

/* Races with what `other` did. */
__attribute__((noinline, cold)) static void
add_race(const struct act *act, unsigned int thread, uint64_t address, uint32_t other,
         unsigned int other_site, enum simt_event_kind other_kind, bool both_volatile)
{
    unsigned int other_thread = other % SIMT_THREADS;
    bool other_block = simt_is_other_block(other);
    bool same_warp = !other_block && other_thread / SIMT_WARP_SIZE == thread / SIMT_WARP_SIZE;
    enum simt_event_kind kind = freeing ? EVENT_FREE : act->kind;
    if (other_thread >= SIMT_MAX_BLOCK_THREADS && other_kind == EVENT_STORE) {
        other_thread = simt_bulk_agents[other_thread - SIMT_MAX_BLOCK_THREADS];
        other_kind = EVENT_ARRIVED;
        same_warp = false;
    }
    /* A read that may be meant so: of what others change by atomics, or volatile. */
    bool meant = (kind == EVENT_LOAD && other_kind == EVENT_ATOMIC) ||
                 (kind == EVENT_ATOMIC && other_kind == EVENT_LOAD) || both_volatile;
    simt_add_finding((struct finding){
        .wrong = RACE,
        .space = act->space,
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
        .almost = simt_almost_ordered(other, thread),
        .unless_guard = !meant                     ? 0
                        : kind == EVENT_LOAD       ? act->site
                        : other_kind == EVENT_LOAD ? other_site
                                                   : 0,
        .unless_flag = both_volatile,
        .address = address,
    });
}

static inline bool races(uint32_t other, const struct act *act, unsigned int thread)
{
    return other >= act->oldest && simt_may_race(other, thread);
}

/* ---- readers ---- */

/* One gives way to another in its cell. */
static inline void evict(struct simt_cell *cell, uint64_t address, uint32_t tag, uint16_t site,
                         bool is_volatile, const struct act *act, unsigned int thread)
{
    if (simt_now.fine && tag >= act->oldest) {
        simt_readers_keep(cell, address, tag, site, is_volatile, thread);
    }
}

static void move_flag(struct simt_cell *cell, unsigned int from, unsigned int to)
{
    unsigned int flags = cell->flags & ~to;
    cell->flags = (uint16_t)(flags & from ? flags | to : flags);
}

/* The last reader, which is another one than `tag`, makes way for it: see shadow.h for where to. */
static inline void move_reader(struct simt_cell *cell, uint64_t address, uint32_t tag,
                               const struct act *act, unsigned int thread)
{
    uint32_t last = cell->reader, before = cell->reader_before;
    bool in_last_warp = (last ^ tag) % SIMT_THREADS < SIMT_WARP_SIZE;
    if (last < simt_now.era) {
        evict(cell, address, cell->reader_other, cell->other_site, cell->flags & OTHER_VOLATILE,
              act, thread);
        cell->reader_other = last;
        cell->other_site = cell->reader_site;
        if (cell->flags) {
            move_flag(cell, READER_VOLATILE, OTHER_VOLATILE);
        }
        return;
    }
    if ((last ^ tag) % SIMT_THREADS == 0) {
        return; /* the same thread, earlier */
    }
    if (in_last_warp && before >= simt_now.barrier && before >= simt_now.era &&
        (before ^ tag) % SIMT_THREADS >= SIMT_WARP_SIZE) {
        evict(cell, address, last, cell->reader_site, cell->flags & READER_VOLATILE, act, thread);
        return;
    }
    evict(cell, address, before, cell->before_site, cell->flags & BEFORE_VOLATILE, act, thread);
    cell->reader_before = last;
    cell->before_site = cell->reader_site;
    if (cell->flags) {
        move_flag(cell, READER_VOLATILE, BEFORE_VOLATILE);
    }
}

static inline void note_reader(struct simt_cell *cell, uint64_t address, const struct act *act,
                               unsigned int thread)
{
    uint32_t tag = simt_now.tags[thread];
    if (cell->reader != tag) {
        if (cell->reader >= act->oldest) {
            move_reader(cell, address, tag, act, thread);
        }
        cell->reader = tag;
    }
    cell->reader_site = (uint16_t)act->site;
}

/* ---- the usual: plain, and nothing special about the cell ---- */

static inline void visit_load(struct simt_cell *cell, uint64_t at, const struct act *act,
                              unsigned int thread, uint64_t address)
{
    if (cell->writer >= act->oldest && cell->writer != simt_now.tags[thread] &&
        simt_may_race(cell->writer, thread)) {
        add_race(act, thread, address, cell->writer, cell->writer_site, EVENT_STORE, false);
    }
    if (cell->changer >= act->oldest && simt_may_race(cell->changer, thread)) {
        add_race(act, thread, address, cell->changer, cell->changer_site, EVENT_ATOMIC, false);
    }
    note_reader(cell, at, act, thread);
}

static inline void visit_store(struct simt_cell *cell, const struct act *act, unsigned int thread,
                               uint64_t address)
{
    uint32_t tag = simt_now.tags[thread];
    if (cell->writer != tag && races(cell->writer, act, thread)) {
        add_race(act, thread, address, cell->writer, cell->writer_site, EVENT_STORE, false);
    }
    if (races(cell->changer, act, thread)) {
        add_race(act, thread, address, cell->changer, cell->changer_site, EVENT_ATOMIC, false);
    }
    if (races(cell->reader, act, thread)) {
        add_race(act, thread, address, cell->reader, cell->reader_site, EVENT_LOAD, false);
    } else if (races(cell->reader_before, act, thread)) {
        add_race(act, thread, address, cell->reader_before, cell->before_site, EVENT_LOAD, false);
    } else if (races(cell->reader_other, act, thread)) {
        add_race(act, thread, address, cell->reader_other, cell->other_site, EVENT_LOAD, false);
    }
    cell->writer = tag;
    cell->writer_site = (uint16_t)act->site;
    cell->changer = cell->reader = cell->reader_before = cell->reader_other = 0;
}

/* ---- the rest: volatile, atomic, asynchronous ---- */

/* Two accesses are volatile, of which one writes, in a way that is how threads talk: see the
 * top. */
static bool is_talk(uint32_t other, bool both_volatile, bool fenced)
{
    return both_volatile && (fenced || simt_is_other_block(other));
}

static void check_reader(const struct act *act, unsigned int thread, uint64_t address,
                         uint32_t reader, unsigned int site, bool is_volatile)
{
    bool both = is_volatile && act->how & EVENT_VOLATILE;
    if (races(reader, act, thread) && !(act->kind == EVENT_ATOMIC && is_volatile) &&
        !is_talk(reader, both, act->how & EVENT_STRONG || simt_has_fenced(thread))) {
        add_race(act, thread, address, reader, site, EVENT_LOAD, both);
    }
}

static void check_readers(const struct simt_cell *cell, uint64_t at, const struct act *act,
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
            uint32_t tag = reader->segment | lowest(set);
            if (act->space != SPACE_SHARED || !simt_is_other_block(tag)) {
                check_reader(act, thread, address, tag, reader->site, reader->is_volatile);
            }
        }
    }
}

static void check_writer(const struct simt_cell *cell, const struct act *act, unsigned int thread,
                         uint64_t address)
{
    bool is_volatile = cell->flags & WRITER_VOLATILE,
         both = is_volatile && act->how & EVENT_VOLATILE;
    bool fenced = cell->flags & WRITER_FENCED ||
                  (act->kind == EVENT_STORE &&
                   (act->how & EVENT_STRONG || simt_has_fenced(thread)));
    if (cell->flags & IN_FLIGHT) {
        add_race(act, thread, address, cell->writer, cell->writer_site, EVENT_COPY, false);
    } else if (cell->writer != simt_now.tags[thread] && races(cell->writer, act, thread) &&
               !(act->kind == EVENT_ATOMIC && is_volatile) &&
               !is_talk(cell->writer, both, fenced)) {
        add_race(act, thread, address, cell->writer, cell->writer_site, EVENT_STORE, both);
    }
}

static void check_changer(const struct simt_cell *cell, const struct act *act, unsigned int thread,
                          uint64_t address)
{
    bool one_block = cell->flags & CHANGER_BLOCK || act->how & EVENT_OF_BLOCK;
    if (!races(cell->changer, act, thread) || act->how & EVENT_VOLATILE) {
        return;
    }
    if (act->kind != EVENT_ATOMIC || (one_block && simt_is_other_block(cell->changer))) {
        add_race(act, thread, address, cell->changer, cell->changer_site, EVENT_ATOMIC, false);
    }
}

/* A bulk copy still reads what is written now. */
static void check_reading(struct simt_cell *cell, const struct act *act, unsigned int thread,
                          uint64_t address)
{
    unsigned int other, site;
    if (cell->flags & READ_IN_FLIGHT && simt_bulk_reader(address, &other, &site)) {
        add_race(act, thread, address, simt_now.tags[other], site, EVENT_READING, false);
    }
    cell->flags &= (uint16_t)~READ_IN_FLIGHT;
}

static void add_read_only(const struct act *act, unsigned int thread, unsigned int writer_site,
                          unsigned int reader_site)
{
    simt_add_finding((struct finding){.wrong = READ_ONLY,
                                      .space = act->space,
                                      .kind = EVENT_STORE,
                                      .site = writer_site,
                                      .other_site = reader_site,
                                      .thread = thread});
}

static void slow_load(struct simt_cell *cell, uint64_t at, const struct act *act,
                      unsigned int thread, uint64_t address)
{
    bool is_volatile = act->how & EVENT_VOLATILE;
    check_writer(cell, act, thread, address);
    check_changer(cell, act, thread, address);
    if (is_volatile) {
        simt_note_volatile_read(act->site, at, simt_now.era);
    }
    if (cell->reader < act->oldest) {
        cell->flags &= (uint16_t)~READ_ONLY_PATH; /* of an earlier launch */
    }
    note_reader(cell, at, act, thread);
    cell->flags =
        (uint16_t)(is_volatile ? cell->flags | READER_VOLATILE : cell->flags & ~READER_VOLATILE);
}

static void slow_store(struct simt_cell *cell, uint64_t at, const struct act *act,
                       unsigned int thread, uint64_t address)
{
    unsigned int flags = cell->flags & IN_FLIGHT;
    check_writer(cell, act, thread, address);
    check_changer(cell, act, thread, address);
    check_readers(cell, at, act, thread, address);
    check_reading(cell, act, thread, address);
    if (cell->flags & READ_ONLY_PATH && cell->reader >= act->oldest) {
        add_read_only(act, thread, act->site, cell->reader_site);
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

static void visit_atomic(struct simt_cell *cell, uint64_t at, const struct act *act,
                         unsigned int thread, uint64_t address)
{
    bool is_volatile = cell->flags & READER_VOLATILE;
    if (cell->reader >= act->oldest && !is_volatile && !simt_is_other_block(cell->reader) &&
        (cell->reader ^ simt_now.tags[thread]) % SIMT_THREADS < SIMT_WARP_SIZE) {
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
static void visit_copied(struct simt_cell *cell, const struct act *act, unsigned int thread)
{
    cell->flags &= (uint16_t)~IN_FLIGHT;
    cell->writer = simt_now.tags[thread];
    cell->writer_site = (uint16_t)act->site;
}

static void visit_slowly(struct simt_cell *cell, uint64_t at, const struct act *act,
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

/* `at`: where the cell begins. */
static inline void visit(struct simt_cell *cell, uint64_t at, const struct act *act,
                         unsigned int thread, uint64_t address)
{
    if (__builtin_expect(act->kind > EVENT_STORE || (act->how | cell->flags) != 0, 0)) {
        visit_slowly(cell, at, act, thread, address);
    } else if (act->kind == EVENT_LOAD) {
        visit_load(cell, at, act, thread, address);
    } else {
        visit_store(cell, act, thread, address);
    }
}

/* ---- accesses ---- */

static void check_bounds(const struct simt_range *range, enum simt_space space,
                         enum simt_event_kind kind, unsigned int site, unsigned int size,
                         unsigned int thread, uint64_t address)
{
    struct finding *new;
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
        new = simt_add_finding(
            (struct finding){.wrong = HOST_POINTER, .kind = kind, .site = site, .thread = thread});
        if (new &&in_range(&image, address)) {
            simt_data_describe(address, false, new->text, sizeof new->text);
        }
    } else if (range->illegal || address + size > range->base + range->size) {
        new = simt_add_finding((struct finding){
            .wrong = OUT_OF_BOUNDS, .space = space, .kind = kind, .site = site, .thread = thread});
        if (new &&space == SPACE_SHARED &&
            !simt_shared_describe(address, new->text, sizeof new->text)) {
            snprintf(new->text, sizeof new->text, "the launch asked for %zu bytes of it",
                     simt_shared_bytes());
        } else if (new &&space != SPACE_SHARED &&
                   !(in_range(&image, address) &&
                     simt_data_describe(address, true, new->text, sizeof new->text))) {
            simt_memory_describe((const void *)(uintptr_t)address, new->text, sizeof new->text);
        }
    }
}

static struct act act_of(enum simt_space space, enum simt_event_kind kind, unsigned int how,
                         unsigned int site)
{
    return (struct act){space, kind, how, site,
                        space == SPACE_SHARED ? simt_now.block : simt_now.launch};
}

bool simt_check_simple_load(enum simt_space space, unsigned int site, unsigned int warp,
                            uint64_t first, uint64_t distance)
{
    const struct act act = act_of(space, EVENT_LOAD, 0, site);
    unsigned int thread = warp * SIMT_WARP_SIZE, offset = (unsigned int)(first % SIMT_PAGE_BYTES);
    struct simt_page *page = simt_page_find(first);
    struct simt_cell *cell;
    if (!page || !page->cells || page->shift == 0 ||
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
    cell = &page->cells[offset / 4];
    if (distance == 0 && cell->writer < act.oldest && cell->changer < act.oldest && !cell->flags &&
        !simt_now.fine) {
        /* No race, and the last two are all that the cell will remember of these readers. */
        note_reader(cell, first, &act, thread + SIMT_WARP_SIZE - 2);
        note_reader(cell, first, &act, thread + SIMT_WARP_SIZE - 1);
        return true;
    }
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++, thread++, first += distance) {
        visit(cell, first, &act, thread, first);
        cell += distance / 4;
    }
    return true;
}

/* The usual case: loads, or stores, of words in one range and one page. False, and nothing is done,
 * if an address is not so, or a word that is loaded may not have been written. */
static bool check_words(const struct simt_range *range, const struct act *act, unsigned int warp,
                        uint32_t lanes, const uint64_t *addresses)
{
    uint64_t base = addresses[lowest(lanes)] & ~(uint64_t)(SIMT_PAGE_BYTES - 1);
    struct simt_page *page = simt_page_find(base);
    bool tracked;
    if (!page || !page->cells || page->shift == 0 || range->illegal || range->size < 4) {
        return false;
    }
    tracked = page->tracked && !page->all_written;
    for (uint32_t set = lanes; set; set &= set - 1) {
        uint64_t address = addresses[lowest(set)], offset = address - base;
        if (offset >= SIMT_PAGE_BYTES || offset % 4 != 0 ||
            address - range->base > range->size - 4 ||
            (act->kind == EVENT_LOAD && tracked &&
             !simt_page_is_written(page, (unsigned int)offset, 4))) {
            return false;
        }
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int lane = lowest(set), offset = (unsigned int)(addresses[lane] - base);
        if (act->kind == EVENT_STORE && tracked) {
            page->written[offset / 8] |= (uint8_t)(0xf << offset % 8);
        }
        visit(&page->cells[offset / 4], addresses[lane], act, warp * SIMT_WARP_SIZE + lane,
              addresses[lane]);
    }
    return true;
}

/* Whether all that is read has been written; what is written now, has. */
static void check_written(struct simt_page *page, const struct act *act, unsigned int size,
                          unsigned int thread, uint64_t address)
{
    unsigned int offset = (unsigned int)(address % SIMT_PAGE_BYTES);
    bool reads = act->kind == EVENT_LOAD || act->kind == EVENT_ATOMIC;
    if (page->all_written || act->kind == EVENT_COPY) {
        return;
    }
    if (reads && !(page->cells[offset >> page->shift].flags & IN_FLIGHT) &&
        !simt_page_is_written(page, offset, size)) {
        simt_add_finding((struct finding){.wrong = UNINITIALISED,
                                          .space = act->space,
                                          .kind = act->kind,
                                          .site = act->site,
                                          .thread = thread});
    }
    if (act->kind != EVENT_LOAD) {
        simt_page_set_written(page, offset, offset + size);
    }
}

/* What it tells others, and is told by them. */
static void order_by(const struct act *act, unsigned int thread, uint64_t address)
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
    const struct act act = act_of(space, kind, how, site);
    const struct simt_range *range = simt_range_of(addresses[lowest(lanes)]);
    bool orders = kind == EVENT_ATOMIC || how & EVENT_VOLATILE;
    struct simt_page *page = NULL;
    if (size == 4 && kind <= EVENT_STORE && !orders &&
        (space == SPACE_SHARED || space == SPACE_GLOBAL) &&
        check_words(range, &act, warp, lanes, addresses)) {
        return;
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int lane = lowest(set), thread = warp * SIMT_WARP_SIZE + lane, shift;
        uint64_t address = addresses[lane];
        if (!in_range(range, address)) {
            range = simt_range_of(address);
        }
        if (!is_aligned(address, size) || range->illegal ||
            address + size > range->base + range->size || space == SPACE_HOST) {
            check_bounds(range, space, kind, site, size, thread, address);
            continue;
        }
        if (space == SPACE_CONSTANT) {
            continue;
        }
        if (!page || page->number != address >> SIMT_PAGE_SHIFT) {
            page = simt_page_of_kernel(address, space);
        }
        if (size < 4 && page->shift != 0) {
            simt_page_refine(page);
        }
        if (page->tracked) {
            check_written(page, &act, size, thread, address);
        }
        shift = page->shift;
        for (uint64_t at = address >> shift << shift; at < address + size;
             at += UINT64_C(1) << shift) {
            visit(&page->cells[at % SIMT_PAGE_BYTES >> shift], at, &act, thread, address);
        }
        if (orders) {
            order_by(&act, thread, address);
        }
    }
}

void simt_check_free(unsigned int site, unsigned int warp, unsigned int lanes,
                     const uint64_t *addresses)
{
    const struct act act = act_of(SPACE_GLOBAL, EVENT_STORE, 0, site);
    freeing = true;
    for (uint32_t set = lanes; set; set &= set - 1) {
        uint64_t address = addresses[lowest(set)];
        uint64_t end = address + simt_heap_size(address);
        for (uint64_t at = address; at < end;) {
            struct simt_page *page = simt_page_find(at);
            if (!page || !page->cells) {
                at = (at | (SIMT_PAGE_BYTES - 1)) + 1;
                continue;
            }
            visit(&page->cells[at % SIMT_PAGE_BYTES >> page->shift], at, &act,
                  warp * SIMT_WARP_SIZE + lowest(set), at);
            at += (uint64_t)1 << page->shift;
        }
        simt_heap_bury(address);
    }
    freeing = false;
    memset(ranges, 0, sizeof ranges); /* they may lie in it */
}

bool simt_check_last_change(uint64_t address, struct simt_last_change *last)
{
    const struct simt_page *page = simt_page_find(address);
    const struct simt_cell *cell =
        page && page->cells ? &page->cells[address % SIMT_PAGE_BYTES >> page->shift] : NULL;
    if (!cell || cell->writer < simt_now.launch) {
        return false;
    }
    *last = (struct simt_last_change){cell->writer % SIMT_THREADS, cell->writer_site,
                                      simt_is_other_block(cell->writer)};
    return true;
}

void simt_check_read_only(unsigned int site, unsigned int size, unsigned int warp,
                          unsigned int lanes, const uint64_t *addresses)
{
    const struct act act = act_of(SPACE_GLOBAL, EVENT_LOAD, 0, site);
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int thread = warp * SIMT_WARP_SIZE + lowest(set);
        uint64_t address = addresses[lowest(set)], end = address + size;
        const struct simt_range *range = simt_range_of(address);
        struct simt_page *page;
        if (range->space != SPACE_GLOBAL || range->illegal || end - range->base > range->size) {
            continue; /* the load itself tells */
        }
        page = simt_page_of_kernel(address, SPACE_GLOBAL);
        for (uint64_t at = address >> page->shift << page->shift;
             at < end && at >> SIMT_PAGE_SHIFT == page->number; at += UINT64_C(1) << page->shift) {
            struct simt_cell *cell = &page->cells[at % SIMT_PAGE_BYTES >> page->shift];
            if (cell->writer >= act.oldest) {
                add_read_only(&act, cell->writer % SIMT_THREADS, cell->writer_site, site);
            }
            note_reader(cell, at, &act, thread);
            cell->flags |= READ_ONLY_PATH;
        }
    }
}

/* ---- launches and blocks ---- */

void simt_check_start_launch(const void *function, size_t blocks)
{
    find_image();
    simt_shared_start_launch(function);
    memset(ranges, 0, sizeof ranges);
    simt_causality_start_launch(blocks);
    simt_readers_start_launch();
}

void simt_check_start_block(size_t number, unsigned int threads)
{
    simt_causality_start_block(number, threads);
    simt_shadow_start_block();
}

/* ---- -fsanitize=bounds ---- */

/* As the compilers lay it out. */
struct bounds_data {
    const char *file;
    uint32_t line, column;
    const struct {
        uint16_t kind, information;
        char name[];
    } * array, *index;
};

void simt_check_index(const struct bounds_data *data, uint64_t index, const void *caller)
{
    uint32_t place = simt_place_of(caller);
    struct finding *new;
    if (!simt_tracing || !simt_in_kernel()) {
        return;
    }
    new = simt_add_finding((struct finding){
        .wrong = BAD_INDEX, .site = simt_site_number(place), .thread = simt_running_thread()});
    if (new) {
        snprintf(new->text, sizeof new->text, "index %" PRId64 " of %s", (int64_t)index,
                 data->array->name);
    }
}

void __ubsan_handle_out_of_bounds(const struct bounds_data *data, uint64_t index);
void __ubsan_handle_out_of_bounds(const struct bounds_data *data, uint64_t index)
{
    simt_check_index(data, index, __builtin_return_address(0));
}

void __ubsan_handle_out_of_bounds_abort(const struct bounds_data *data, uint64_t index);
void __ubsan_handle_out_of_bounds_abort(const struct bounds_data *data, uint64_t index)
{
    simt_check_index(data, index, __builtin_return_address(0));
}
