/* Records each step of each warp of the running block, after the replay has paired the lanes. */
#include <string.h>

#include "base/own.h"
#include "count/branch.h"
#include "explore/explore.h"
#include "machine/cluster.h"
#include "machine/machine.h"
#include "machine/shared.h"
#include "model/spaces.h"
#include "program/layout.h"
#include "program/source.h"
#include "program/symbols.h"

/* The start of static shared memory in the thread that launches. */
static uint64_t static_shared;
static size_t static_shared_bytes;

/* Adds bytes to the size of the last step. */
static void take_bytes(unsigned int bytes)
{
    explore_block->steps[explore_block->count - 1].bytes += bytes;
    explore_block->bytes += bytes;
    explore_kept_bytes += bytes;
    explore_block->full = explore_block->bytes > EXPLORE_BLOCK_BYTES;
}

struct explored_step *explore_add_step(unsigned int kind, uint32_t place, unsigned int warp,
                                       uint32_t lanes)
{
    explore_block->seen++;
    if (explore_block->full) {
        return NULL;
    }
    explore_block->steps = explore_room(explore_block->steps, explore_block->count,
                                        &explore_block->capacity, sizeof *explore_block->steps);
    explore_block->steps[explore_block->count] = (struct explored_step){
        .kind = (unsigned char)kind, .place = place, .warp = warp, .lanes = lanes};
    explore_block->count++;
    take_bytes(32);
    return &explore_block->steps[explore_block->count - 1];
}

/* The index of the memory that holds an address, in the block's list. The shared memory of another
 * block of the cluster is counted as global memory, but named as shared memory. */
static unsigned int memory_of(uint64_t address, const struct simt_range *range)
{
    struct explored_memory new = {range->base, range->size, range->space, false, -1, NULL};
    char name[64];
    bool named = false;
    unsigned int rank;
    void *own;
    uint64_t away = 0; /* distance from the same place in this block's own memory */
    enum simt_space space = range->space;
    if (simt_cluster_find((const void *)(uintptr_t)address, &rank, &own)) {
        new.rank = (int)rank;
        away = address - (uintptr_t)own;
        address = (uintptr_t)own;
        new.base = simt_range_of(address)->base;
        new.size = simt_range_of(address)->size;
        space = SPACE_SHARED;
    }
    if (space == SPACE_SHARED && address - static_shared >= static_shared_bytes) {
        new.base = (uintptr_t)simt_dynamic_shared();
        new.size = simt_shared_bytes();
        new.is_dynamic = true;
    } else if (space == SPACE_SHARED) {
        named = simt_shared_name(address, name, sizeof name);
        new.base = named ? new.base : static_shared & ~UINT64_C(127);
    } else {
        named = simt_data_describe(address, false, name, sizeof name);
    }
    new.base += away;
    for (size_t i = 0; i < explore_block->memory_count; i++) {
        if (explore_block->memory[i].base == new.base &&
            explore_block->memory[i].space == new.space) {
            return (unsigned int)i;
        }
    }
    new.name = named ? explore_need(strdup(name)) : NULL;
    explore_block->memory =
        explore_room(explore_block->memory, explore_block->memory_count,
                     &explore_block->memory_capacity, sizeof *explore_block->memory);
    explore_block->memory[explore_block->memory_count] = new;
    return (unsigned int)explore_block->memory_count++;
}

/* Adds a number to the last step. */
static void add_number(int64_t number)
{
    explore_block->offsets =
        explore_room(explore_block->offsets, explore_block->offset_count,
                     &explore_block->offset_capacity, sizeof *explore_block->offsets);
    explore_block->offsets[explore_block->offset_count++] = number;
    take_bytes(number > -10 && number < 100 ? 3 : 6);
}

void explore_add_number(struct explored_step *step, int64_t number)
{
    step->numbers = step->number_count == 0 ? explore_block->offset_count : step->numbers;
    step->number_count++;
    add_number(number);
}

void explore_add_place(struct explored_step *step, const void *address)
{
    const uint64_t at = (uintptr_t)address;
    const struct simt_range range = *simt_range_of(at);
    const unsigned int memory = address ? memory_of(at, &range) : 0;
    explore_add_number(step, address ? (int64_t)memory : -1);
    explore_add_number(step, address ? (int64_t)(at - explore_block->memory[memory].base) : 0);
}

static void keep_offsets(struct explored_step *step, const uint64_t *addresses)
{
    uint64_t base = explore_block->memory[step->allocation].base;
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
    step->offsets = explore_block->offset_count;
    for (uint32_t set = step->lanes; set; set &= set - 1) {
        add_number((int64_t)(addresses[__builtin_ctz(set)] - base));
    }
}

/* Keeps `width` bytes of each lane of the step, if the values of all lanes are known. */
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
    step->values = explore_block->value_count;
    for (uint32_t set = step->lanes; set; set &= set - 1) {
        for (unsigned int i = 0; i < width; i++) {
            explore_block->values =
                explore_room(explore_block->values, explore_block->value_count,
                             &explore_block->value_capacity, sizeof *explore_block->values);
            explore_block->values[explore_block->value_count++] =
                values[__builtin_ctz(set)].bytes[i];
        }
        if (step->same) {
            break;
        }
    }
    take_bytes((unsigned int)(explore_block->value_count - step->values) * 4 / 3 + 2);
}

/* Keeps the state of an mbarrier before the first lane of the step and after the last lane. */
static void keep_use(struct explored_step *step, const struct explored_value *values)
{
    enum { BEFORE = 1, AFTER, PENDING };
    const struct explored_value *first = &values[__builtin_ctz(step->lanes)];
    uint64_t use[EXPLORED_USE];
    if (first->number_count != EXPLORED_USE) {
        return;
    }
    memcpy(use, first->numbers, sizeof use);
    for (uint32_t set = step->lanes & (step->lanes - 1); set; set &= set - 1) {
        const struct explored_value *lane = &values[__builtin_ctz(set)];
        const uint64_t *numbers = lane->numbers;
        if (lane->number_count != EXPLORED_USE || lane->address != first->address) {
            continue;
        }
        use[BEFORE] = numbers[BEFORE] < use[BEFORE] ? numbers[BEFORE] : use[BEFORE];
        if (numbers[AFTER] > use[AFTER] ||
            (numbers[AFTER] == use[AFTER] && numbers[PENDING] < use[PENDING])) {
            memcpy(&use[AFTER], &numbers[AFTER], (EXPLORED_USE - 1 - AFTER) * sizeof *use);
        }
    }
    step->numbers = explore_block->offset_count;
    step->number_count = EXPLORED_USE;
    for (unsigned int i = 0; i < EXPLORED_USE; i++) {
        add_number((int64_t)use[i]);
    }
}

/* Like count_access: if the lanes touch several spaces, each space gets a request of its own. */
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
            !(step = explore_add_step(kinds[kind], event_place(event), warp, here))) {
            continue;
        }
        step->size = (unsigned char)event_size(event);
        step->allocation = memory_of(address, &range);
        keep_offsets(step, addresses);
        if (step->kind == EXPLORED_MBARRIER) {
            keep_use(step, values);
            continue;
        }
        keep_values(step, values, kind == EVENT_ATOMIC ? 2u * step->size : step->size);
    }
}

/* ---- divergent branches ---- */

/* Per thread: the number of its latest entry into a basic block, and the place of that block. */
static struct {
    uint32_t entry;
    struct simt_trail trail;
} entered[SIMT_MAX_BLOCK_THREADS];
static uint32_t entries;
static bool partial;

void explore_steps_are_partial(void)
{
    partial = true;
}

void explore_steps_start(void)
{
    static_shared = (uintptr_t)simt_static_shared(&static_shared_bytes);
    memset(entered, 0, sizeof entered);
    partial = false;
    explore_values_start();
}

/* Lanes enter a basic block. Adds a branch if lanes that were with them before are missing. */
static void enter(const struct simt_event *event, unsigned int warp, uint32_t lanes)
{
    const unsigned int depth = event_depth(event);
    for (uint32_t left = lanes; left;) {
        unsigned int first = warp * SIMT_WARP_SIZE + (unsigned int)__builtin_ctz(left);
        uint32_t together = 0;
        for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
            if (entered[warp * SIMT_WARP_SIZE + lane].entry == entered[first].entry) {
                together |= 1u << lane;
            }
        }
        if (entered[first].entry && together & ~lanes && !partial) {
            struct explored_step *step = explore_add_step(
                EXPLORED_BRANCH, simt_trail_branch(&entered[first].trail, depth), warp, together);
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
        simt_trail_enter(&entered[thread].trail, depth, event_place(event));
    }
}

/* ---- events and notes ---- */

/* Adds the step's numbers. Some numbers of a copy and of an MMA are places in memory. */
static void keep_numbers(struct explored_step *step, const struct explored_value *value,
                         unsigned int first_place, unsigned int end_of_places)
{
    for (unsigned int i = 0; i < value->number_count; i++) {
        if (i >= first_place && i < end_of_places) {
            explore_add_place(step, (const void *)(uintptr_t)value->numbers[i++]);
        } else {
            explore_add_number(step, (int64_t)value->numbers[i]);
        }
    }
}

static void add_collective(const struct simt_event *event, unsigned int warp, uint32_t lanes,
                           const struct explored_value *values)
{
    bool syncs = event_kind(event) == EVENT_SYNCWARP;
    struct explored_step *step = explore_add_step(syncs ? EXPLORED_SYNCWARP : EXPLORED_COLLECTIVE,
                                                  event_place(event), warp, lanes);
    if (!step) {
        return;
    }
    step->operation = values[__builtin_ctz(lanes)].operation;
    if (syncs) {
        return;
    }
    if (step->operation >= EXPLORED_MATRIX) {
        keep_numbers(step, &values[__builtin_ctz(lanes)], 2, 6);
        return;
    }
    keep_values(step, values, values[__builtin_ctz(lanes)].size);
    step->size = values[__builtin_ctz(lanes)].size;
    if (step->operation <= SIMT_SHUFFLE_XOR) {
        step->stride = EXPLORED_LIST;
        step->offsets = explore_block->offset_count;
        for (uint32_t set = lanes; set; set &= set - 1) {
            add_number(values[__builtin_ctz(set)].source);
        }
    }
}

/* An action between events. The same note of several lanes is one step. */
static void add_note(const struct explored_value *note, unsigned int warp, uint32_t lanes)
{
    struct explored_step *step = explore_add_step(note->note, note->place, warp, lanes);
    if (step && note->note == EXPLORED_BULK) {
        keep_numbers(step, note, 4, 8);
    } else if (step && note->note == EXPLORED_BULK_END) {
        keep_numbers(step, note, 5, 7);
    } else if (step) {
        keep_numbers(step, note, 0, 0);
    }
}

void explore_note_now(const struct explored_value *note)
{
    add_note(note, note->warp, 0);
}

static bool is_same_note(const struct explored_value *x, const struct explored_value *y)
{
    return (x->note == EXPLORED_NAMED_BARRIER || x->note == EXPLORED_DEED) && y->note == x->note &&
           y->place == x->place && x->numbers[0] == y->numbers[0];
}

/* Adds the notes that come before the lane's next event. */
static void take_notes(unsigned int warp, unsigned int lane)
{
    const struct explored_value *next;
    while ((next = explore_values_note(lane)) != NULL) {
        struct explored_value note = *next;
        uint32_t lanes = 0;
        for (unsigned int other = 0; other < SIMT_WARP_SIZE; other++) {
            const struct explored_value *same = explore_values_note(other);
            if (same && (other == lane || is_same_note(&note, same))) {
                note.numbers[1] |= is_same_note(&note, same) ? same->numbers[1] : 0;
                lanes |= 1u << other;
                explore_values_take_note(other);
            }
        }
        add_note(&note, warp, lanes);
    }
}

void explore_notes(unsigned int warp)
{
    for (unsigned int lane = 0; explore_block && lane < SIMT_WARP_SIZE; lane++) {
        take_notes(warp, lane);
    }
}

void explore_step(const struct simt_event *const *at, size_t ahead, unsigned int warp,
                  uint32_t lanes)
{
    const struct simt_event *event = at[__builtin_ctz(lanes)] + ahead;
    enum simt_event_kind kind = event_kind(event);
    uint64_t addresses[SIMT_WARP_SIZE];
    struct explored_value values[SIMT_WARP_SIZE];
    if (kind == EVENT_BLOCK) {
        enter(event, warp, lanes);
        return;
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int lane = (unsigned int)__builtin_ctz(set);
        take_notes(warp, lane);
        addresses[lane] = at[lane][ahead].address;
        values[lane] = explore_values_take(lane, &at[lane][ahead]);
    }
    if (event_is_access(event)) {
        add_access(event, warp, lanes, addresses, values);
    } else if (kind == EVENT_SYNCWARP || kind == EVENT_COLLECTIVE) {
        add_collective(event, warp, lanes, values);
    } else if (kind == EVENT_FENCE) {
        explore_add_step(EXPLORED_FENCE, event_place(event), warp, lanes);
    }
}

void simt_explore_barrier(const void *caller)
{
    if (!explore_block) {
        return;
    }
    explore_values_leave();
    explore_block->barriers++;
    if (explore_add_step(EXPLORED_BARRIER, simt_place_of(caller), 0, 0)) {
        explore_block->kept_barriers++;
    }
}
/* SPDX-License-Identifier: MIT */
