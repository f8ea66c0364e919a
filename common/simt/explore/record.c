/* Records what the blocks that were asked for do: each step of each warp, as the replay pairs its
 * lanes. Kept until the page is written, since source lines are looked up all at once. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit.h"
#include "base/own.h"
#include "check/findings.h"
#include "check/wording.h"
#include "explore/explore.h"
#include "machine/machine.h"
#include "machine/shared.h"
#include "model/sites.h"
#include "model/spaces.h"
#include "observe/watcher.h"
#include "program/source.h"
#include "program/symbols.h"

struct explored_launch *explored_launches;
size_t explored_launch_count;

static size_t launch_capacity;
static struct explored_launch *launch; /* that runs; NULL: it is not recorded */
static struct explored_block *block;   /* that runs; NULL: it is not recorded */
static struct simt_counters counts_before;
static size_t kept_bytes;
static char *part;

/* Static shared memory: where it begins, in the thread that launches. */
static uint64_t static_shared;
static size_t static_shared_bytes;

/* ---- which blocks ---- */

static const char *wanted; /* NULL: nothing is recorded */

bool simt_explore_is_on(void)
{
    return wanted != NULL;
}

/* Whether the list has the number; `wrong`: set if it is no list. */
static bool has_number(const char *list, size_t number, bool *wrong)
{
    bool found = false;
    *wrong = false;
    if (strcmp(list, "all") == 0) {
        return true;
    }
    for (const char *at = list;; at++) {
        char *end;
        unsigned long long first = strtoull(at, &end, 10), last = first;
        if (*at < '0' || *at > '9') {
            break;
        }
        if (*end == '-' && end[1] >= '0' && end[1] <= '9') {
            last = strtoull(end + 1, &end, 10);
        }
        found = found || (number >= first && number <= last);
        if (last < first || (*end != ',' && *end != '\0')) {
            break;
        }
        if (*end == '\0') {
            return found;
        }
        at = end;
    }
    *wrong = true;
    return false;
}

void explore_part(const char *name)
{
    free(part);
    part = name ? explore_need(strdup(name)) : NULL;
}

/* ---- launches and blocks ---- */

void simt_explore_start_launch(const struct simt_launch *started)
{
    launch = NULL;
    block = NULL;
    simt_watched = false;
    if (!wanted) {
        return;
    }
    explored_launches = explore_room(explored_launches, explored_launch_count, &launch_capacity,
                                     sizeof *explored_launches);
    launch = &explored_launches[explored_launch_count++];
    *launch = (struct explored_launch){.part = part ? explore_need(strdup(part)) : NULL,
                                       .name = explore_need(strdup(started->name)),
                                       .file = started->file,
                                       .line = started->line,
                                       .grid = started->grid,
                                       .block = started->block,
                                       .shared_bytes = started->shared_bytes};
    simt_counters_read(&counts_before);
    counts_before.launches--; /* this one is counted already */
    static_shared = (uintptr_t)simt_static_shared(&static_shared_bytes);
}

/* Every member is a counter. */
static struct simt_counters counts_since(void)
{
    struct simt_counters now;
    uint64_t *value = (uint64_t *)(void *)&now;
    const uint64_t *before = (const uint64_t *)(const void *)&counts_before;
    simt_counters_read(&now);
    for (size_t i = 0; i < sizeof now / sizeof *value; i++) {
        value[i] -= before[i];
    }
    return now;
}

void simt_explore_end_launch(const unsigned int *sites, size_t count)
{
    if (!launch) {
        return;
    }
    launch->counts = counts_since();
    launch->sites = explore_need(malloc((count + 1) * sizeof *launch->sites));
    for (size_t i = 0; i < count; i++) {
        const struct simt_site *site = simt_site(sites[i]);
        launch->sites[launch->site_count++] = (struct explored_site){site->place, site->counters};
    }
    launch->ended = true;
    launch = NULL;
    block = NULL;
    simt_watched = false;
}

/* By thread: the entry into a basic block that it made last, and where that is. */
static struct {
    uint32_t entry, place;
} entered[SIMT_MAX_BLOCK_THREADS];
static uint32_t entries;

static void forget_lanes(void)
{
    memset(entered, 0, sizeof entered);
    explore_values_start();
}

void simt_explore_start_block(size_t number, unsigned int threads)
{
    bool wrong;
    block = NULL;
    simt_watched = false;
    if (!launch || !has_number(wanted, number, &wrong)) {
        return;
    }
    if (kept_bytes >= EXPLORE_KEPT_BYTES) {
        launch->not_kept++;
        return;
    }
    block = explore_need(calloc(1, sizeof *block));
    launch->blocks =
        explore_need(realloc(launch->blocks, (launch->block_count + 1) * sizeof *launch->blocks));
    launch->blocks[launch->block_count++] = block;
    block->number = number;
    block->index = simt_running_block();
    block->threads = threads;
    forget_lanes();
    simt_watched = true;
}

void simt_explore_resume_block(void)
{
    const struct uint3 index = simt_running_block();
    block = NULL;
    if (!wanted) {
        return;
    }
    for (size_t i = 0; launch && i < launch->block_count; i++) {
        const struct uint3 of = launch->blocks[i]->index;
        if (of.x == index.x && of.y == index.y && of.z == index.z) {
            block = launch->blocks[i];
        }
    }
    simt_watched = block != NULL;
    forget_lanes();
}

/* ---- steps ---- */

/* The last step takes so many bytes more. */
static void take_bytes(unsigned int bytes)
{
    block->steps[block->count - 1].bytes += bytes;
    block->bytes += bytes;
    kept_bytes += bytes;
    block->full = block->bytes > EXPLORE_BLOCK_BYTES;
}

static struct explored_step *add_step(unsigned int kind, uint32_t place, unsigned int warp,
                                      uint32_t lanes)
{
    block->seen++;
    if (block->full) {
        return NULL;
    }
    block->steps = explore_room(block->steps, block->count, &block->capacity, sizeof *block->steps);
    block->steps[block->count] = (struct explored_step){
        .kind = (unsigned char)kind, .place = place, .warp = warp, .lanes = lanes};
    block->count++;
    take_bytes(32);
    return &block->steps[block->count - 1];
}

/* The memory that holds an address, by its number in the block's list. */
static unsigned int memory_of(uint64_t address, const struct simt_range *range)
{
    struct explored_memory new = {range->base, range->size, range->space, false, NULL};
    char name[64];
    bool named = false;
    if (range->space == SPACE_SHARED && address - static_shared >= static_shared_bytes) {
        new.base = (uintptr_t)simt_dynamic_shared();
        new.size = simt_shared_bytes();
        new.is_dynamic = true;
    } else if (range->space == SPACE_SHARED) {
        named = simt_shared_name(address, name, sizeof name);
        new.base = named ? new.base : static_shared & ~UINT64_C(127);
    } else {
        named = simt_data_describe(address, false, name, sizeof name);
    }
    for (size_t i = 0; i < block->memory_count; i++) {
        if (block->memory[i].base == new.base && block->memory[i].space == new.space) {
            return (unsigned int)i;
        }
    }
    new.name = named ? explore_need(strdup(name)) : NULL;
    block->memory = explore_room(block->memory, block->memory_count, &block->memory_capacity,
                                 sizeof *block->memory);
    block->memory[block->memory_count] = new;
    return (unsigned int)block->memory_count++;
}

static void keep_offsets(struct explored_step *step, const uint64_t *addresses)
{
    uint64_t base = block->memory[step->allocation].base;
    unsigned int first = (unsigned int)__builtin_ctz(step->lanes), previous = first;
    bool alike = true, known = false;
    step->first = (int64_t)(addresses[first] - base);
    step->stride = 0;
    for (uint32_t set = step->lanes & (step->lanes - 1); set; set &= set - 1) {
        unsigned int lane = (unsigned int)__builtin_ctz(set);
        int64_t distance = (int64_t)(addresses[lane] - addresses[previous]);
        int64_t lanes = (int64_t)(lane - previous);
        if (!known) {
            step->stride = distance / lanes;
            known = true;
        }
        alike = alike && distance == step->stride * lanes;
        previous = lane;
    }
    if (alike) {
        return;
    }
    step->stride = EXPLORED_LIST;
    step->offsets = block->offset_count;
    for (uint32_t set = step->lanes; set; set &= set - 1) {
        block->offsets = explore_room(block->offsets, block->offset_count, &block->offset_capacity,
                                      sizeof *block->offsets);
        block->offsets[block->offset_count++] = (int64_t)(addresses[__builtin_ctz(set)] - base);
        take_bytes(6);
    }
}

/* Of each of the step's lanes so many bytes, if all are known; `at`: where they begin. */
static void keep_values(struct explored_step *step, const struct explored_value *values,
                        unsigned int width)
{
    const struct explored_value *first = &values[__builtin_ctz(step->lanes)];
    step->same = true;
    for (uint32_t set = step->lanes; set; set &= set - 1) {
        const struct explored_value *value = &values[__builtin_ctz(set)];
        if (!value->known || width == 0 || width > sizeof value->bytes) {
            return;
        }
        step->same = step->same && memcmp(value->bytes, first->bytes, width) == 0;
    }
    step->width = (unsigned char)width;
    step->values = block->value_count;
    for (uint32_t set = step->lanes; set; set &= set - 1) {
        for (unsigned int i = 0; i < width; i++) {
            block->values = explore_room(block->values, block->value_count, &block->value_capacity,
                                         sizeof *block->values);
            block->values[block->value_count++] = values[__builtin_ctz(set)].bytes[i];
        }
        if (step->same) {
            break;
        }
    }
    take_bytes((unsigned int)(block->value_count - step->values) * 4 / 3 + 2);
}

/* As count_access counts it: lanes that touch several spaces make a request to each. */
static void add_access(const struct simt_event *event, unsigned int warp, uint32_t lanes,
                       const uint64_t *addresses, const struct explored_value *values)
{
    static const enum explored_kind kinds[] = {
        [EVENT_LOAD] = EXPLORED_LOAD,     [EVENT_STORE] = EXPLORED_STORE,
        [EVENT_ATOMIC] = EXPLORED_ATOMIC, [EVENT_COPY] = EXPLORED_COPY,
        [EVENT_COPIED] = EXPLORED_COPIED, [EVENT_BARRIER] = EXPLORED_MBARRIER,
        [EVENT_INIT] = EXPLORED_MBARRIER,
    };
    enum simt_event_kind kind = event_kind(event);
    while (lanes) {
        const struct simt_range range = *simt_range_of(addresses[__builtin_ctz(lanes)]);
        uint64_t address = addresses[__builtin_ctz(lanes)];
        struct explored_step *step;
        uint32_t here = 0;
        for (uint32_t set = lanes; set; set &= set - 1) {
            unsigned int lane = (unsigned int)__builtin_ctz(set);
            if (addresses[lane] - range.base < range.size ||
                simt_range_of(addresses[lane])->space == range.space) {
                here |= 1u << lane;
            }
        }
        lanes &= ~here;
        if (range.space == SPACE_LOCAL || range.space == SPACE_HOST ||
            !(step = add_step(kinds[kind], event_place(event), warp, here))) {
            continue;
        }
        step->size = (unsigned char)event_size(event);
        step->allocation = memory_of(address, &range);
        keep_offsets(step, addresses);
        if (step->kind == EXPLORED_MBARRIER) {
            step->operation = kind == EVENT_INIT;
            continue;
        }
        keep_values(step, values, kind == EVENT_ATOMIC ? 2u * step->size : step->size);
    }
}

/* ---- where lanes part ---- */

/* Lanes enter a basic block: some of those that were together in the one before stay behind? */
static void enter(uint32_t place, unsigned int warp, uint32_t lanes)
{
    for (uint32_t left = lanes; left;) {
        unsigned int first = warp * SIMT_WARP_SIZE + (unsigned int)__builtin_ctz(left);
        uint32_t together = 0;
        for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
            if (entered[warp * SIMT_WARP_SIZE + lane].entry == entered[first].entry) {
                together |= 1u << lane;
            }
        }
        if (entered[first].entry && together & ~lanes) {
            struct explored_step *step =
                add_step(EXPLORED_BRANCH, entered[first].place, warp, together);
            if (step) {
                step->first = together & lanes;
            }
        }
        left &= ~together;
    }
    entries++;
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int thread = warp * SIMT_WARP_SIZE + (unsigned int)__builtin_ctz(set);
        entered[thread].entry = entries;
        entered[thread].place = place;
    }
}

/* ---- what the recorder is told ---- */

static void add_collective(const struct simt_event *event, unsigned int warp, uint32_t lanes,
                           const struct explored_value *values)
{
    bool syncs = event_kind(event) == EVENT_SYNCWARP;
    struct explored_step *step =
        add_step(syncs ? EXPLORED_SYNCWARP : EXPLORED_COLLECTIVE, event_place(event), warp, lanes);
    if (!step) {
        return;
    }
    step->operation = values[__builtin_ctz(lanes)].operation;
    if (syncs) {
        return;
    }
    keep_values(step, values, values[__builtin_ctz(lanes)].size);
    step->size = values[__builtin_ctz(lanes)].size;
    if (step->operation <= SIMT_SHUFFLE_XOR) {
        step->stride = EXPLORED_LIST;
        step->offsets = block->offset_count;
        for (uint32_t set = lanes; set; set &= set - 1) {
            block->offsets = explore_room(block->offsets, block->offset_count,
                                          &block->offset_capacity, sizeof *block->offsets);
            block->offsets[block->offset_count++] = values[__builtin_ctz(set)].source;
            take_bytes(3);
        }
    }
}

/* Bulk copies that a lane began before its next event. */
static void take_bulk(unsigned int warp, unsigned int lane)
{
    struct explored_value copy;
    while (explore_values_take_bulk(lane, &copy)) {
        struct explored_step *step = add_step(EXPLORED_BULK, copy.place, warp, 1u << lane);
        if (step) {
            step->first = (int64_t)copy.address;
        }
    }
}

static void take_step(const struct simt_event *const *at, size_t ahead, unsigned int warp,
                      uint32_t lanes)
{
    const struct simt_event *event = at[__builtin_ctz(lanes)] + ahead;
    enum simt_event_kind kind = event_kind(event);
    uint64_t addresses[SIMT_WARP_SIZE];
    struct explored_value values[SIMT_WARP_SIZE];
    if (kind == EVENT_BLOCK) {
        enter(event_place(event), warp, lanes);
        return;
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int lane = (unsigned int)__builtin_ctz(set);
        take_bulk(warp, lane);
        addresses[lane] = at[lane][ahead].address;
        values[lane] = explore_values_take(lane, &at[lane][ahead]);
    }
    if (event_is_access(event)) {
        add_access(event, warp, lanes, addresses, values);
    } else if (kind == EVENT_SYNCWARP || kind == EVENT_COLLECTIVE) {
        add_collective(event, warp, lanes, values);
    } else if (kind == EVENT_FENCE) {
        add_step(EXPLORED_FENCE, event_place(event), warp, lanes);
    }
}

void simt_explore_bulk(const void *caller, size_t bytes)
{
    if (block) {
        explore_values_bulk(simt_place_of(caller), bytes);
    }
}

void simt_explore_named_barrier(const void *caller)
{
    if (block) {
        unsigned int warp = simt_recorder.thread / SIMT_WARP_SIZE;
        add_step(EXPLORED_NAMED_BARRIER, simt_place_of(caller), warp, ~0u);
    }
}

void simt_explore_barrier(const void *caller)
{
    if (!block) {
        return;
    }
    block->barriers++;
    if (add_step(EXPLORED_BARRIER, simt_place_of(caller), 0, 0)) {
        block->kept_barriers++;
    }
}

static void take_finding(const struct finding *finding)
{
    char *text = NULL;
    size_t size;
    FILE *file;
    struct explored_launch *of = launch ? launch
                                 : explored_launch_count > 0
                                     ? &explored_launches[explored_launch_count - 1]
                                     : NULL;
    if (!of) {
        return;
    }
    file = explore_need(open_memstream(&text, &size));
    simt_tell_finding(file, finding);
    fclose(file);
    explore_need(text);
    of->findings =
        explore_need(realloc(of->findings, (of->finding_count + 1) * sizeof *of->findings));
    of->findings[of->finding_count++] = (struct explored_finding){
        finding->site ? simt_site(finding->site)->place : 0,
        finding->wrong == RACE && finding->other_site ? simt_site(finding->other_site)->place : 0,
        text};
}

/* ---- the page's room ---- */

/* Keeps of a block what takes so many bytes: the steps up to a barrier; if there is none, those of
 * whole warps; if not even one warp has room, its first steps. */
static void cut_block(struct explored_block *cut, size_t most)
{
    size_t fits = 0, bytes = 0, kept;
    unsigned int warp = 0;
    for (; fits < cut->count && bytes + cut->steps[fits].bytes <= most; fits++) {
        bytes += cut->steps[fits].bytes;
    }
    if (!cut->full && fits == cut->count) {
        return;
    }
    for (kept = fits; kept > 0 && cut->steps[kept - 1].kind != EXPLORED_BARRIER; kept--) {
    }
    if (kept == 0 && fits > 0) {
        warp = cut->steps[fits - 1].warp;
        for (kept = fits; kept > 0 && cut->steps[kept - 1].warp == warp; kept--) {
        }
    }
    cut->count = kept ? kept : fits;
    cut->full = true;
    cut->kept_barriers = 0;
    for (size_t i = 0; i < cut->count; i++) {
        cut->kept_barriers += cut->steps[i].kind == EXPLORED_BARRIER;
    }
}

/* What all blocks take if each takes at most so many bytes. */
static size_t bytes_with(size_t most)
{
    size_t sum = 0;
    for (size_t i = 0; i < explored_launch_count; i++) {
        for (size_t j = 0; j < explored_launches[i].block_count; j++) {
            size_t bytes = explored_launches[i].blocks[j]->bytes;
            sum += bytes < most ? bytes : most;
        }
    }
    return sum;
}

void explore_share_page(void)
{
    size_t low = 0, high = EXPLORE_BLOCK_BYTES;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (bytes_with(middle) <= EXPLORE_PAGE_BYTES) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    for (size_t i = 0; i < explored_launch_count; i++) {
        for (size_t j = 0; j < explored_launches[i].block_count; j++) {
            cut_block(explored_launches[i].blocks[j], low);
        }
    }
}

/* ---- on and off ---- */

bool explore_record(const char *blocks)
{
    bool wrong;
    has_number(blocks, 0, &wrong);
    if (wrong) {
        return false;
    }
    wanted = blocks;
    simt_watcher = (struct simt_watcher){
        .event = explore_values_event, .pause = explore_values_pause, .step = take_step};
    simt_finding_told = take_finding;
    simt_before_exit = explore_exit;
    return true;
}
