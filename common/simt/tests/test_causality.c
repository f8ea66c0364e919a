/* The happens-before order: causality.c alone, built with few segments so that it renumbers tags
 * very often. A model that keeps whole vector clocks checks it. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cmocka_all.h"

#include "check/causality.h"
#include "check/clocks.h"

enum { BLOCKS = 6, THREADS = 64, ALL = BLOCKS * THREADS, PLACES = 5, MARKS = 400 };

/* What shadow memory would store (a tag), and the thread and time of the model at that moment. */
static struct mark {
    uint32_t tag;
    unsigned int thread; /* index among all threads */
    uint64_t time;       /* its own clock at that moment */
} marks[MARKS];
static unsigned int renumberings;

/* Called by causality.c. */
void simt_shadow_renumber(uint32_t (*renumbered)(uint32_t tag))
{
    renumberings++;
    assert_non_null(renumbered);
    for (unsigned int i = 0; i < MARKS; i++) {
        marks[i].tag = marks[i].tag ? renumbered(marks[i].tag) : 0;
    }
}

/* ---- the model ---- */

typedef uint64_t clock_of_all[ALL];
static clock_of_all clocks[ALL], fenced[2][ALL], pending[2][ALL], places[2][PLACES];
static bool has_fenced[2][ALL];
static unsigned int owner[PLACES]; /* block of the last block-scope release */

static void join(uint64_t *to, const uint64_t *from)
{
    for (unsigned int i = 0; i < ALL; i++) {
        to[i] = from[i] > to[i] ? from[i] : to[i];
    }
}

static void meet(unsigned int first, const bool *who, unsigned int count)
{
    static clock_of_all joined, waiting[2];
    memset(joined, 0, sizeof joined);
    memset(waiting, 0, sizeof waiting);
    for (unsigned int i = 0; i < count; i++) {
        if (who[i]) {
            clocks[first + i][first + i]++;
            join(joined, clocks[first + i]);
            join(waiting[0], pending[0][first + i]);
            join(waiting[1], pending[1][first + i]);
        }
    }
    for (unsigned int i = 0; i < count; i++) {
        if (who[i]) {
            memcpy(clocks[first + i], joined, sizeof joined);
            memcpy(pending[0][first + i], waiting[0], sizeof joined);
            memcpy(pending[1][first + i], waiting[1], sizeof joined);
        }
    }
}

/* Joins only the part of a clock that belongs to one block. */
static void join_block(uint64_t *to, const uint64_t *from, unsigned int block)
{
    for (unsigned int i = block * THREADS; i < (block + 1) * THREADS; i++) {
        to[i] = from[i] > to[i] ? from[i] : to[i];
    }
}

static void fence(unsigned int block, unsigned int thread, enum simt_scope scope)
{
    unsigned int me = block * THREADS + thread;
    join_block(clocks[me], pending[0][me], block);
    join_block(clocks[me], pending[1][me], block);
    memset(pending[SIMT_SCOPE_BLOCK][me], 0, sizeof *pending[0]);
    if (scope == SIMT_SCOPE_DEVICE) {
        join(clocks[me], pending[SIMT_SCOPE_DEVICE][me]);
        memset(pending[SIMT_SCOPE_DEVICE][me], 0, sizeof *pending[0]);
    }
    clocks[me][me]++;
    memcpy(fenced[scope][me], clocks[me], sizeof *clocks);
    has_fenced[scope][me] = true;
    if (scope == SIMT_SCOPE_DEVICE) {
        has_fenced[SIMT_SCOPE_BLOCK][me] = false;
    }
    simt_causality_fence(thread, scope, 0);
}

static void change(unsigned int block, unsigned int thread, unsigned int place,
                   enum simt_scope scope)
{
    unsigned int me = block * THREADS + thread;
    bool block_fence = has_fenced[SIMT_SCOPE_BLOCK][me];
    const uint64_t *narrow = fenced[block_fence ? SIMT_SCOPE_BLOCK : SIMT_SCOPE_DEVICE][me];
    join(pending[scope][me], places[SIMT_SCOPE_DEVICE][place]);
    if (owner[place] == block) {
        join(pending[SIMT_SCOPE_BLOCK][me], places[SIMT_SCOPE_BLOCK][place]);
    }
    if (has_fenced[SIMT_SCOPE_DEVICE][me] && scope == SIMT_SCOPE_DEVICE) {
        join(places[SIMT_SCOPE_DEVICE][place], fenced[SIMT_SCOPE_DEVICE][me]);
    }
    if (block_fence || (scope == SIMT_SCOPE_BLOCK && has_fenced[SIMT_SCOPE_DEVICE][me])) {
        if (owner[place] != block) {
            memset(places[SIMT_SCOPE_BLOCK][place], 0, sizeof *places[0]);
            owner[place] = block;
        }
        join(places[SIMT_SCOPE_BLOCK][place], narrow);
    }
    simt_causality_strong(thread, 0x1000 + 8 * place, SIMT_STRONG_CHANGE, scope);
}

/* ---- a random launch ---- */

static uint64_t state;

static unsigned int below(unsigned int count)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned int)(state >> 33) % count;
}

static void compare(unsigned int block, unsigned int thread)
{
    unsigned int me = block * THREADS + thread;
    for (unsigned int i = 0; i < MARKS; i++) {
        const struct mark *mark = &marks[i];
        bool ordered = clocks[me][mark->thread] > mark->time || mark->thread == me;
        bool told = mark->tag < simt_now.launch || !simt_may_race(mark->tag, thread);
        if (mark->tag && ordered != told) {
            fail_msg("block %u, thread %u, mark of block %u, thread %u: ordered %d, told %d", block,
                     thread, mark->thread / THREADS, mark->thread % THREADS, ordered, told);
        }
        if (mark->tag) {
            assert_int_equal(simt_is_other_block(mark->tag), mark->thread / THREADS != block);
        }
    }
}

static void syncwarp(unsigned int block, unsigned int warp)
{
    uint32_t lanes = below(2) ? UINT32_MAX : (uint32_t)below(UINT32_MAX) | 1u << below(32);
    bool who[32];
    for (unsigned int i = 0; i < 32; i++) {
        who[i] = lanes >> i & 1;
    }
    meet(block * THREADS + warp * 32, who, 32);
    simt_causality_meet(warp, lanes, true, lanes == UINT32_MAX);
}

static void barrier(unsigned int block)
{
    bool who[THREADS];
    memset(who, true, sizeof who);
    meet(block * THREADS, who, THREADS);
    simt_causality_barrier();
}

/* One random action of a thread. */
static void act(unsigned int block)
{
    unsigned int thread = below(THREADS);
    enum simt_scope scope = below(3) ? SIMT_SCOPE_DEVICE : SIMT_SCOPE_BLOCK;
    switch (below(12)) {
    case 0:
        barrier(block);
        break;
    case 1:
    case 2:
        syncwarp(block, below(THREADS / 32));
        break;
    case 3:
    case 4:
    case 5:
        fence(block, thread, scope);
        break;
    case 6:
    case 7:
    case 8:
        change(block, thread, below(PLACES), scope);
        break;
    default: {
        unsigned int me = block * THREADS + thread;
        marks[below(MARKS)] = (struct mark){simt_now.tags[thread], me, clocks[me][me]};
        break;
    }
    }
    compare(block, below(THREADS));
}

static void grid_barrier(void)
{
    bool who[ALL];
    memset(who, true, sizeof who);
    meet(0, who, ALL);
    simt_causality_grid_barrier();
}

static void run_launch(unsigned int stretches, bool grid)
{
    struct simt_order *kept[BLOCKS] = {NULL};
    bool started[BLOCKS] = {false};
    unsigned int block = BLOCKS;
    memset(marks, 0, sizeof marks);
    memset(clocks, 0, sizeof clocks);
    memset(pending, 0, sizeof pending);
    memset(places, 0, sizeof places);
    memset(has_fenced, 0, sizeof has_fenced);
    for (unsigned int i = 0; i < PLACES; i++) {
        owner[i] = BLOCKS;
    }
    for (unsigned int i = 0; i < ALL; i++) {
        clocks[i][i] = 1;
    }
    simt_causality_start_launch(BLOCKS, 1, 2);
    for (unsigned int stretch = 0; stretch < stretches; stretch++) {
        unsigned int next = below(BLOCKS);
        if (block < BLOCKS) {
            kept[block] = simt_causality_suspend();
        }
        if (grid && below(20) == 0) {
            grid_barrier();
        }
        block = next;
        if (started[block]) {
            simt_causality_resume(kept[block]);
        } else {
            started[block] = true;
            simt_causality_start_block(block, THREADS);
        }
        for (unsigned int i = 1 + below(60); i > 0; i--) {
            act(block);
        }
    }
}

static void test_against_model(void **state_of_test)
{
    (void)state_of_test;
    for (unsigned int seed = 0; seed < 16; seed++) {
        state = seed * 977 + 1;
        run_launch(60, seed % 2);
    }
    assert_true(renumberings > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
