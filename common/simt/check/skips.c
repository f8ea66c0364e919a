#include "check/skips.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/need.h"
#include "base/worker.h"
#include "check/findings.h"
#include "machine/machine.h"
#include "model/order.h"
#include "model/sites.h"
#include "program/source.h"

enum { MOST_BARRIERS = 64 };

/* A path of leaving threads: their events outside of calls since their last barrier. */
struct way {
    uint64_t hash;
    size_t count;
    uint64_t *keys; /* of events, without the depth */
    unsigned int thread;
    struct uint3 block; /* of the first such thread */
};
static struct way ways[SIMT_MOST_WAYS];
static size_t way_count;
struct simt_ways simt_skips_gone;
static struct simt_ways of_launch;

struct barrier {
    uint32_t place;
    uint64_t before; /* the event before it */
    const char *file;
    int line;
    struct simt_ways gone, judged; /* the ways of threads that had left when it completed */
    unsigned int version;          /* of the control flow, when judged */
    bool in_loop;                  /* reported: threads did fewer iterations of its loop */
};
static struct barrier barriers[MOST_BARRIERS];
static size_t barrier_count;

static const void *function; /* of the launches whose ways these are */
static char name[256];
static size_t blocks;
static bool met; /* a thread of the launch has arrived at a barrier */

static bool has(const struct simt_ways *ways_of, size_t number)
{
    return ways_of->set[number / 64] >> number % 64 & 1;
}

static void add(struct simt_ways *ways_of, size_t number)
{
    ways_of->set[number / 64] |= UINT64_C(1) << number % 64;
}

static void add_all(struct simt_ways *ways_of, const struct simt_ways *more)
{
    for (size_t set = 0; set < SIMT_MOST_WAYS / 64; set++) {
        ways_of->set[set] |= more->set[set];
    }
}

static void forget(void)
{
    for (size_t i = 0; i < way_count; i++) {
        free(ways[i].keys);
    }
    way_count = barrier_count = 0;
}

void simt_skips_start_launch(const struct simt_launch *asked)
{
    blocks = 0;
    met = false;
    of_launch = (struct simt_ways){0};
    if (asked->function != function || strcmp(name, asked->name) != 0 ||
        way_count == SIMT_MOST_WAYS) {
        forget();
        function = asked->function;
        snprintf(name, sizeof name, "%s", asked->name);
    }
    for (size_t i = 0; i < barrier_count; i++) {
        barriers[i].gone = (struct simt_ways){0};
    }
}

void simt_skips_start_block(void)
{
    blocks++;
    simt_skips_gone = (struct simt_ways){0};
}

/* ---- ways ---- */

static uint64_t depth_of(uint64_t key)
{
    return 0xffff - (key >> 48);
}

static uint64_t node_key(const struct simt_event *event)
{
    return event->key & UINT64_MAX >> 16;
}

/* The events outside of all calls have the least depth. */
static uint64_t least_depth(const struct simt_event *begin, const struct simt_event *end)
{
    uint64_t least = UINT64_MAX;
    for (const struct simt_event *event = begin; event < end; event++) {
        least = depth_of(event->key) < least ? depth_of(event->key) : least;
    }
    return least;
}

static uint64_t hash_of(const struct simt_event *begin, const struct simt_event *end)
{
    uint64_t hash = 0;
    for (const struct simt_event *event = begin; event < end; event++) {
        const uint64_t mixed = event->key * UINT64_C(0x9e3779b97f4a7c15);
        hash = hash * UINT64_C(0xff51afd7ed558ccd) + (mixed ^ mixed >> 29);
    }
    return hash;
}

static uint64_t *new_keys(size_t count)
{
    return simt_needed(malloc((count + 1) * sizeof(uint64_t)), "the checks");
}

static void keep(uint64_t hash, const struct simt_event *begin, const struct simt_event *end)
{
    uint64_t depth = least_depth(begin, end);
    struct way *way = &ways[way_count];
    simt_only_in_one_process();
    *way = (struct way){.hash = hash,
                        .keys = new_keys((size_t)(end - begin)),
                        .thread = simt_linear(simt_current),
                        .block = simt_running_block()};
    for (const struct simt_event *event = begin; event < end; event++) {
        if (depth_of(event->key) == depth) {
            way->keys[way->count++] = node_key(event);
        }
    }
    way_count++;
}

void simt_skips_exit(const struct simt_event *begin, const struct simt_event *end)
{
    static size_t last;
    uint64_t hash;
    if (blocks > 1 && !met) {
        return; /* a kernel without barriers */
    }
    hash = hash_of(begin, end);
    if (last >= way_count || ways[last].hash != hash) {
        for (last = 0; last < way_count && ways[last].hash != hash; last++) {
        }
    }
    if (last == SIMT_MOST_WAYS) {
        return;
    }
    if (last == way_count) {
        keep(hash, begin, end);
    }
    add(&simt_skips_gone, last);
    add(&of_launch, last);
}

/* ---- barriers ---- */

static struct barrier *find_barrier(uint32_t place)
{
    for (size_t i = 0; i < barrier_count; i++) {
        if (barriers[i].place == place) {
            return &barriers[i];
        }
    }
    return NULL;
}

void simt_skips_arrive(const struct simt_event *begin, const struct simt_event *end,
                       const void *caller, const char *file, int line)
{
    uint64_t depth;
    met = true;
    if (find_barrier(simt_place_of(caller)) || barrier_count == MOST_BARRIERS) {
        return;
    }
    simt_only_in_one_process();
    depth = least_depth(begin, end);
    for (const struct simt_event *event = end; event-- > begin;) {
        if (depth_of(event->key) == depth) {
            barriers[barrier_count++] = (struct barrier){.place = simt_place_of(caller),
                                                         .before = node_key(event),
                                                         .file = file,
                                                         .line = line};
            return;
        }
    }
}

/* A compiler may have made several barriers of one. */
void simt_skips_complete(const char *file, int line)
{
    for (size_t i = 0; i < barrier_count; i++) {
        if (barriers[i].line == line && strcmp(barriers[i].file, file) == 0) {
            add_all(&barriers[i].gone, &simt_skips_gone);
        }
    }
}

void simt_skips_went_less(unsigned int thread, const char *loop_file, int loop_line, bool in_branch,
                          const char *file, int line)
{
    struct finding *found;
    for (size_t i = 0; i < barrier_count; i++) {
        barriers[i].in_loop |=
            !in_branch && barriers[i].line == line && strcmp(barriers[i].file, file) == 0;
    }
    found = simt_add_finding(
        (struct finding){.wrong = GOES_ROUND,
                         .site = simt_site_number(simt_place_of(simt_block->barrier_caller)),
                         .thread = thread,
                         .size = (unsigned int)loop_line,
                         .other_block = in_branch});
    if (found) {
        snprintf(found->text, sizeof found->text, "%s:%d|%s:%d", file, line, loop_file, loop_line);
    }
}

/* ---- blocks of another process, which found no new way and no new barrier ---- */

static size_t barriers_at_fork;

void simt_skips_part_may_begin(void)
{
    barriers_at_fork = barrier_count;
}

void simt_skips_part_begins(void)
{
    blocks = 0;
}

void simt_skips_part_ends(struct simt_part *part)
{
    simt_part_put(part, &blocks, sizeof blocks);
    simt_part_put(part, &of_launch, sizeof of_launch);
    for (size_t i = 0; i < barrier_count; i++) {
        simt_part_put(part, &barriers[i].gone, sizeof barriers[i].gone);
    }
}

void simt_skips_part_take(struct simt_part *part)
{
    struct simt_ways others;
    size_t more;
    simt_part_get(part, &more, sizeof more);
    simt_part_get(part, &others, sizeof others);
    blocks += more;
    add_all(&of_launch, &others);
    for (size_t i = 0; i < barriers_at_fork; i++) {
        struct simt_ways gone;
        simt_part_get(part, &gone, sizeof gone);
        add_all(&barriers[i].gone, &gone);
    }
}

/* ---- when the launch is over ---- */

static bool is_block(uint64_t key)
{
    return (key >> 8 & 0xff) == EVENT_BLOCK;
}

/* The number of events at the ends of all ways that are equal: the end of the kernel, without
 * further actions. */
static size_t common_end(void)
{
    for (size_t length = 0;; length++) {
        const struct way *first = &ways[0];
        for (size_t i = 0; i < way_count; i++) {
            uint64_t key;
            if (ways[i].count <= length || first->count <= length) {
                return length;
            }
            key = ways[i].keys[ways[i].count - 1 - length];
            if (key != first->keys[first->count - 1 - length] || !is_block(key)) {
                return length;
            }
        }
    }
}

/* Whether the way goes around the barrier; if so, adds a finding. */
static bool judge(const struct barrier *barrier, const struct way *way, size_t end)
{
    size_t at;
    struct finding *found;
    if (barrier->in_loop ||
        !simt_order_goes_round(barrier->before, way->keys, way->count - end, &at)) {
        return false;
    }
    found =
        simt_add_finding((struct finding){.wrong = GOES_ROUND,
                                          .site = simt_site_number((uint32_t)(way->keys[at] >> 16)),
                                          .thread = way->thread});
    if (found) {
        found->block = way->block;
        snprintf(found->text, sizeof found->text, "%s:%d", barrier->file, barrier->line);
    }
    return true;
}

void simt_skips_end_launch(void)
{
    size_t end = way_count > 0 ? common_end() : 0;
    for (size_t i = 0; i < barrier_count; i++) {
        struct barrier *barrier = &barriers[i];
        if (barrier->version != simt_order_version()) {
            barrier->judged = (struct simt_ways){0};
            barrier->version = simt_order_version();
        }
        for (size_t way = 0; way < way_count; way++) {
            if (has(&barrier->gone, way) && !has(&barrier->judged, way) &&
                !judge(barrier, &ways[way], end)) {
                add(&barrier->judged, way);
            }
        }
    }
}

/* ---- launches that are repeated without being run ---- */

struct simt_skips {
    size_t way_count, barrier_count;
    struct way *ways;
    struct barrier *barriers;
};

static struct way copy_of(const struct way *way)
{
    struct way copy = *way;
    copy.keys = new_keys(way->count);
    memcpy(copy.keys, way->keys, way->count * sizeof *way->keys);
    return copy;
}

struct simt_skips *simt_skips_keep(void)
{
    struct simt_skips *kept;
    if (way_count == 0 && barrier_count == 0) {
        return NULL;
    }
    kept = simt_needed(calloc(1, sizeof *kept), "the checks");
    kept->ways = simt_needed(calloc(way_count + 1, sizeof *ways), "the checks");
    kept->barriers = simt_needed(calloc(barrier_count + 1, sizeof *barriers), "the checks");
    for (size_t i = 0; i < way_count; i++) {
        if (has(&of_launch, i)) {
            kept->ways[kept->way_count++] = copy_of(&ways[i]);
        }
    }
    for (size_t i = 0; i < barrier_count; i++) {
        kept->barriers[kept->barrier_count++] = (struct barrier){.place = barriers[i].place,
                                                                 .before = barriers[i].before,
                                                                 .file = barriers[i].file,
                                                                 .line = barriers[i].line};
    }
    return kept;
}

static bool is_known(uint64_t hash)
{
    for (size_t i = 0; i < way_count; i++) {
        if (ways[i].hash == hash) {
            return true;
        }
    }
    return false;
}

void simt_skips_repeat(const struct simt_launch *launch, const struct simt_skips *kept)
{
    simt_skips_start_launch(launch);
    for (size_t i = 0; kept && i < kept->way_count && way_count < SIMT_MOST_WAYS; i++) {
        if (!is_known(kept->ways[i].hash)) {
            ways[way_count++] = copy_of(&kept->ways[i]);
        }
    }
    for (size_t i = 0; kept && i < kept->barrier_count && barrier_count < MOST_BARRIERS; i++) {
        if (!find_barrier(kept->barriers[i].place)) {
            barriers[barrier_count++] = kept->barriers[i];
        }
    }
}

void simt_skips_drop(struct simt_skips *kept)
{
    for (size_t i = 0; kept && i < kept->way_count; i++) {
        free(kept->ways[i].keys);
    }
    if (kept) {
        free(kept->ways);
        free(kept->barriers);
    }
    free(kept);
}
/* SPDX-License-Identifier: MIT */
