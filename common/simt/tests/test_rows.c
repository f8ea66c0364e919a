/* Checks of a whole row give the same results as checks lane by lane: the same races, and the same
 * record of earlier accesses. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

#include "base/bits.h"
#include "check/copies.h"
#include "check/pages.h"
#include "check/races.h"
#include "check/rows.h"

enum {
    BYTES = 3 * SIMT_PAGE_BYTES,
    HOT_BYTES = 512 /* most accesses go there */,
    WARPS = 4,
#ifdef __SANITIZE_ADDRESS__ /* it watches addresses, of which there are few */
    STEPS = 300000,
#else
    STEPS = 1200000,
#endif
    MOST_RACES = 4096
};

/* The same accesses happen in two memories. The test never dereferences these addresses. */
static const uint64_t bases[2] = {UINT64_C(1) << 40, UINT64_C(3) << 40};
static unsigned int memory; /* the memory of the current accesses */

static struct race {
    unsigned int thread, site, other_site;
    uint32_t other;
    uint64_t offset;
    enum simt_event_kind kind;
} races[2][MOST_RACES];
static size_t race_count[2];
static uint64_t checked_as_rows, raced;

/* ---- functions that the checks call ---- */

size_t simt_copy_count;

void simt_add_race(const struct simt_act *act, unsigned int thread, uint64_t address,
                   uint32_t other, unsigned int other_site, enum simt_event_kind other_kind,
                   bool both_volatile)
{
    assert_false(both_volatile);
    assert_true(race_count[memory] < MOST_RACES);
    races[memory][race_count[memory]++] =
        (struct race){thread, act->site, other_site, other, address - bases[memory], other_kind};
}

/* Some atomics leave special contents in a cell. */
void simt_visit_slowly(struct simt_cell *cell, uint64_t at, const struct simt_act *act,
                       unsigned int thread, uint64_t address)
{
    if (act->kind == EVENT_LOAD) {
        simt_visit_load(cell, at, act, thread, address);
    } else if (act->kind == EVENT_STORE) {
        simt_visit_store(cell, act, thread, address);
        cell->flags = (uint16_t)(act->site % 2 ? 0 : cell->flags);
    } else {
        cell->changer = simt_now.tags[thread];
        cell->changer_site = (uint16_t)act->site;
        cell->flags = CHANGER_BLOCK;
    }
}

/* The readers that are recorded separately must also be the same. */
void simt_readers_keep(struct simt_cell *cell, uint64_t address, uint32_t tag, uint16_t site,
                       bool is_volatile, unsigned int thread)
{
    const struct simt_act act = {.site = site};
    (void)cell;
    simt_add_race(&act, thread, address, tag, site, EVENT_FREE, is_volatile);
}

void simt_readers_copy(uint64_t from, uint64_t to)
{
    (void)from, (void)to;
}

void simt_note_load(unsigned int site, unsigned int warp, uint32_t lanes)
{
    (void)site, (void)warp, (void)lanes;
}

struct simt_page *simt_page_of_kernel(uint64_t address, enum simt_space space)
{
    struct simt_page *page = simt_page_get(address);
    if (!simt_page_is_used(page)) {
        simt_page_use(page, space);
    }
    return page;
}

void simt_shadow_renumber(uint32_t (*renumbered)(uint32_t tag))
{
    simt_pages_renumber(renumbered);
}

/* ---- events ---- */

struct access {
    enum simt_space space;
    enum simt_event_kind kind;
    unsigned int site, size, warp;
    uint32_t lanes;
    uint64_t offset, distance;
};

static unsigned int below(unsigned int count)
{
    return (unsigned int)rand() % count;
}

/* Some launches have few stores, so that readers of several blocks accumulate. */
static struct access random_access(enum simt_space space, bool mostly_loads)
{
    const unsigned int kind = below(400);
    struct access access = {.space = space,
                            .kind = kind == 0                           ? EVENT_ATOMIC
                                    : kind < (mostly_loads ? 380 : 220) ? EVENT_LOAD
                                                                        : EVENT_STORE,
                            .site = 1 + below(5),
                            .size = below(2) ? 4 : 4u << below(3),
                            .warp = below(WARPS),
                            .lanes = below(mostly_loads ? 200 : 8) ? ~0u : (uint32_t)rand()};
    const unsigned int bytes = access.size * SIMT_WARP_SIZE, room = below(4) ? HOT_BYTES : BYTES;
    access.distance = below(mostly_loads ? 200 : 8) ? access.size : below(3) * 8 * access.size;
    access.offset =
        below(mostly_loads ? 200 : 6) ? below(room / bytes) * bytes : below(room / 128) * 64;
    if (access.offset + 31 * access.distance + access.size > BYTES) {
        access.offset = 0;
    }
    return access;
}

static void by_lanes(const struct access *access, const struct simt_act *act)
{
    for (uint32_t set = access->lanes; set; set &= set - 1) {
        const unsigned int lane = simt_lowest(set), thread = access->warp * SIMT_WARP_SIZE + lane;
        const uint64_t first = bases[memory] + access->offset + lane * access->distance;
        for (uint64_t at = first; at < first + access->size; at += 4) {
            struct simt_page *page = simt_page_of_kernel(at, access->space);
            simt_visit(simt_cell_of(page, (unsigned int)(at % SIMT_PAGE_BYTES)), at, act, thread,
                       first);
        }
    }
}

static void happen(const struct access *access)
{
    const struct simt_act act = simt_act_of(access->space, access->kind, 0, access->site);
    memory = 0;
    if (access->kind <= EVENT_STORE && access->lanes == ~0u && access->distance == access->size &&
        simt_check_row(access->space, access->kind, access->site, access->size, access->warp,
                       bases[0] + access->offset)) {
        checked_as_rows++;
    } else {
        by_lanes(access, &act);
    }
    memory = 1;
    by_lanes(access, &act);
    raced += race_count[1] > 0;
    assert_int_equal(race_count[0], race_count[1]);
    for (size_t i = 0; i < race_count[0]; i++) {
        assert_memory_equal(&races[0][i], &races[1][i], sizeof races[0][i]);
    }
    race_count[0] = race_count[1] = 0;
}

/* A cell as later checks see it: without readers that are ordered before all threads. */
static struct simt_cell seen(uint64_t address, enum simt_space space)
{
    const uint32_t oldest = simt_act_of(space, EVENT_LOAD, 0, 0).oldest;
    struct simt_page *page = simt_page_find(address);
    struct simt_cell cell = {0};
    if (page && simt_page_is_used(page)) {
        const unsigned int offset = (unsigned int)(address % SIMT_PAGE_BYTES);
        const unsigned int row = offset / SIMT_ROW_BYTES;
        cell = page->in_rows >> row & 1 ? simt_row_cell(&page->rows[row], offset / 4 % 32)
                                        : page->cells[offset / 4];
    }
    if (cell.reader < oldest) {
        cell.reader = cell.reader_site = 0;
    }
    if (cell.reader_before < oldest) {
        cell.reader_before = cell.before_site = 0;
    }
    if (cell.reader_other < oldest) {
        cell.reader_other = cell.other_site = 0;
    }
    cell.reader_site = cell.reader ? cell.reader_site : 0;
    cell.before_site = cell.reader_before ? cell.before_site : 0;
    cell.other_site = cell.reader_other ? cell.other_site : 0;
    cell.writer_site = cell.writer ? cell.writer_site : 0;
    cell.changer_site = cell.changer ? cell.changer_site : 0;
    return cell;
}

static void compare(enum simt_space space, uint64_t bytes)
{
    for (uint64_t offset = 0; offset < bytes; offset += 4) {
        const struct simt_cell one = seen(bases[0] + offset, space),
                               other = seen(bases[1] + offset, space);
        assert_memory_equal(&one, &other, sizeof one);
    }
}

/* After this, most rows consist of equal cells again. */
static void forget_all(void)
{
    for (uint64_t offset = 0; offset < BYTES; offset += SIMT_PAGE_BYTES) {
        simt_page_forget(simt_page_of_kernel(bases[0] + offset, SPACE_GLOBAL));
        simt_page_forget(simt_page_of_kernel(bases[1] + offset, SPACE_GLOBAL));
    }
}

static void test_same_as_lanes(void **state)
{
    enum simt_space space = SPACE_GLOBAL;
    uint64_t launch = 1;
    size_t block = 0;
    (void)state;
    srand(1);
    simt_causality_start_launch(1000000, 1, 1);
    simt_causality_start_block(block++, WARPS * SIMT_WARP_SIZE);
    for (unsigned int step = 0; step < STEPS; step++) {
        const unsigned int what = below(200);
        struct access access;
        if (what == 0) {
            space = below(4) ? SPACE_GLOBAL : SPACE_SHARED;
            launch++;
            simt_causality_start_launch(1000000, launch, launch);
            forget_all();
        }
        if (what < 12) {
            simt_causality_start_block(block++, WARPS * SIMT_WARP_SIZE);
        } else if (what < (launch % 3 == 1 ? 16 : 40)) {
            simt_causality_barrier();
        } else if (what < 46) {
            simt_causality_meet(below(WARPS), ~0u, true, true);
        } else if (what < 48) {
            simt_causality_fence(below(WARPS * SIMT_WARP_SIZE), SIMT_SCOPE_DEVICE, 0);
        } else if (what < 49 && launch % 4 == 0) { /* from now on, no check covers a whole row */
            simt_causality_meet(below(WARPS), (uint32_t)rand(), true, false);
        }
        access = random_access(space, launch % 3 == 1);
        happen(&access);
        if (step % 8 == 0) /* differences persist, so every 8th step is enough */
            compare(space, step % 1000 == 0 ? BYTES : HOT_BYTES);
    }
    assert_true(checked_as_rows > STEPS / 20);
    assert_true(raced > STEPS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
