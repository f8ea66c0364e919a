#include "check/clocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/need.h"
#include "check/causality.h"
#include "cuda/simt.h"

enum { CHILDREN = 16, CHILD_BITS = 4, MOST_MOMENTS = SIMT_THREADS };

/* A node or, at level 0, a past. Both begin with the number of references. */
struct simt_clock {
    uint32_t references;
};
struct node {
    struct simt_clock clock;
    struct simt_clock *children[CHILDREN];
};

static unsigned int levels;
static struct simt_block_past *pasts;

void simt_clocks_start(size_t blocks)
{
    levels = 0;
    while (blocks > (size_t)1 << levels * CHILD_BITS) {
        levels++;
    }
}

struct simt_block_past *simt_clocks_pasts(void)
{
    return pasts;
}

static unsigned int child_of(size_t block, unsigned int level)
{
    return (unsigned int)(block >> (level - 1) * CHILD_BITS) % CHILDREN;
}

static struct node *node_of(struct simt_clock *clock)
{
    return (struct node *)clock;
}

static struct simt_block_past *past_of(struct simt_clock *clock)
{
    return (struct simt_block_past *)clock;
}

/* ---- references ---- */

struct simt_clock *simt_clock_keep(struct simt_clock *clock)
{
    if (clock) {
        clock->references++;
    }
    return clock;
}

static void drop(struct simt_clock *clock, unsigned int level)
{
    if (!clock || --clock->references > 0) {
        return;
    }
    if (level == 0) {
        struct simt_block_past *past = past_of(clock);
        *(past->previous ? &past->previous->next : &pasts) = past->next;
        if (past->next) {
            past->next->previous = past->previous;
        }
    } else {
        for (unsigned int i = 0; i < CHILDREN; i++) {
            drop(node_of(clock)->children[i], level - 1);
        }
    }
    free(clock);
}

void simt_clock_drop(struct simt_clock *clock)
{
    drop(clock, levels);
}

void simt_clock_clear(struct simt_clock **clock)
{
    drop(*clock, levels);
    *clock = NULL;
}

/* ---- construction ---- */

static struct simt_clock *new_past(size_t block, uint32_t floor, const struct simt_moment *moments,
                                   size_t count)
{
    struct simt_block_past *past =
        simt_needed(malloc(sizeof *past + count * sizeof *moments), "the checks");
    *past = (struct simt_block_past){1, floor, (uint32_t)count, block, pasts, NULL};
    if (count > 0) {
        memcpy(past->moments, moments, count * sizeof *moments);
    }
    if (pasts) {
        pasts->previous = past;
    }
    pasts = past;
    return (struct simt_clock *)past;
}

struct simt_clock *simt_clock_of(size_t block, uint32_t floor, const struct simt_moment *moments,
                                 size_t count)
{
    struct simt_clock *clock = new_past(block, floor, moments, count);
    for (unsigned int level = 1; level <= levels; level++) {
        struct node *node = simt_needed(calloc(1, sizeof *node), "the checks");
        node->clock.references = 1;
        node->children[child_of(block, level)] = clock;
        clock = &node->clock;
    }
    return clock;
}

static struct simt_clock *join_pasts(struct simt_clock *one, struct simt_clock *other)
{
    static struct simt_moment joined[MOST_MOMENTS];
    const struct simt_block_past *a = past_of(one), *b = past_of(other);
    uint32_t floor = a->floor > b->floor ? a->floor : b->floor, i = 0, j = 0, count = 0;
    bool is_a = floor == a->floor, is_b = floor == b->floor;
    while (i < a->count || j < b->count) {
        unsigned int left = i < a->count ? a->moments[i].thread : MOST_MOMENTS;
        unsigned int right = j < b->count ? b->moments[j].thread : MOST_MOMENTS;
        unsigned int thread = left < right ? left : right;
        uint32_t in_a = left == thread ? a->moments[i++].before : 0;
        uint32_t in_b = right == thread ? b->moments[j++].before : 0;
        uint32_t before = in_a > in_b ? in_a : in_b;
        if (before <= floor) {
            continue;
        }
        is_a = is_a && in_a == before;
        is_b = is_b && in_b == before;
        joined[count++] = (struct simt_moment){thread, before};
    }
    return is_a   ? simt_clock_keep(one)
           : is_b ? simt_clock_keep(other)
                  : new_past(a->block, floor, joined, count);
}

static struct simt_clock *join(struct simt_clock *a, struct simt_clock *b, unsigned int level)
{
    struct node *node;
    bool is_a = true, is_b = true;
    if (a == b || !b) {
        return simt_clock_keep(a);
    }
    if (!a) {
        return simt_clock_keep(b);
    }
    if (level == 0) {
        return join_pasts(a, b);
    }
    node = simt_needed(malloc(sizeof *node), "the checks");
    node->clock.references = 1;
    for (unsigned int i = 0; i < CHILDREN; i++) {
        struct simt_clock *of_a = node_of(a)->children[i], *of_b = node_of(b)->children[i];
        node->children[i] = join(of_a, of_b, level - 1);
        is_a = is_a && node->children[i] == of_a;
        is_b = is_b && node->children[i] == of_b;
    }
    if (is_a || is_b) {
        drop(&node->clock, level);
        return simt_clock_keep(is_a ? a : b);
    }
    return &node->clock;
}

struct simt_clock *simt_clock_join(struct simt_clock *a, struct simt_clock *b)
{
    return join(a, b, levels);
}

void simt_clock_add(struct simt_clock **clock, struct simt_clock *more)
{
    struct simt_clock *before = *clock;
    if (more && more != before) {
        *clock = simt_clock_join(before, more);
        simt_clock_drop(before);
    }
}

/* ---- queries ---- */

const struct simt_block_past *simt_clock_find(const struct simt_clock *clock, size_t block)
{
    for (unsigned int level = levels; clock && level > 0; level--) {
        clock = ((const struct node *)clock)->children[child_of(block, level)];
    }
    return (const struct simt_block_past *)clock;
}

bool simt_past_covers(const struct simt_block_past *past, unsigned int thread, uint32_t tag)
{
    uint32_t low = 0, high = past ? past->count : 0;
    if (!past || tag < past->floor) {
        return past != NULL;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (past->moments[middle].thread < thread) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < past->count && past->moments[low].thread == thread &&
           tag < past->moments[low].before;
}
/* SPDX-License-Identifier: MIT */
