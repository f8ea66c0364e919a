/* Warp collectives: shuffles, votes, reductions and __syncwarp(). */
#include <stdio.h>

#include "machine/blocks.h"
#include "machine/endless.h"
#include "machine/hooks.h"
#include "machine/ptx.h"
#include "machine/reports.h"
#include "observe/observer.h"

unsigned int simt_collective_source(const struct simt_thread *thread, unsigned int lane)
{
    unsigned int width = thread->width, argument = thread->lane;
    unsigned int first = lane & ~(width - 1), source = lane;
    switch (thread->operation) {
    case SIMT_SHUFFLE:
        return first + (argument & (width - 1));
    case SIMT_SHUFFLE_UP:
        return lane >= first + argument ? lane - argument : lane;
    case SIMT_SHUFFLE_DOWN:
        source = lane + argument;
        break;
    default:
        source = lane ^ argument;
        break;
    }
    return source < first + width ? source : lane;
}

struct simt_outside simt_outside;

void simt_result_of_first(const char *name, unsigned int thread, void *value, size_t size)
{
    const uint64_t undefined = size == 4 ? SIMT_UNDEFINED_4 : SIMT_UNDEFINED_8;
    if (thread != 0 && (size == 4 || size == 8)) {
        simt_outside = (struct simt_outside){.name = name};
        memcpy(value, &undefined, size);
    }
}

/* A lane that reads a lane outside the mask gets a value that is noticed if it is stored. */
static void read_outside(struct simt_thread *lanes, unsigned int outside, unsigned int together)
{
    const unsigned int lane = simt_lowest(outside);
    struct simt_thread *const thread = &lanes[lane];
    const unsigned int source = simt_collective_source(thread, lane);
    simt_any_undefined = true;
    simt_outside = (struct simt_outside){simt_collective_name(thread->operation), thread->file,
                                         thread->line, source, thread->mask};
    if (outside == together && thread->operation == SIMT_SHUFFLE) {
        simt_report_collective(thread, "leaves out the lane that all callers read:", 1u << source,
                               "a value can only come from a lane that the mask names and that "
                               "makes the call.");
    }
}

static bool gives_undefined(const struct simt_thread *lane)
{
    return lane->value == SIMT_UNDEFINED_4 ||
           (lane->sum_is_undefined && (uint32_t)lane->value == lane->sum);
}

/* A sum with a NaN is a NaN, but a sum with an integer is another number. So such sums are tracked
 * from shuffle to shuffle, as reductions add. */
static void follow_sums(struct simt_thread *lanes, unsigned int together)
{
    unsigned int given = 0;
    for (unsigned int set = together; set; set &= set - 1) {
        given |= (unsigned int)gives_undefined(&lanes[simt_lowest(set)]) << simt_lowest(set);
    }
    for (unsigned int set = together; set; set &= set - 1) {
        const unsigned int number = simt_lowest(set);
        struct simt_thread *const lane = &lanes[number];
        const unsigned int source = 1u << simt_collective_source(lane, number);
        lane->sum = (uint32_t)(lane->value + lane->result);
        lane->sum_is_undefined = !(together & source) || given & (source | 1u << number);
    }
}

bool simt_is_undefined(unsigned int thread, uint64_t stored, unsigned int size)
{
    const struct simt_thread *const lane = &simt_block->threads[thread];
    return stored == SIMT_UNDEFINED_4 || stored == SIMT_UNDEFINED_8 ||
           (size == 4 && lane->sum_is_undefined && stored == lane->sum);
}

static void shuffle(struct simt_thread *lanes, unsigned int together, unsigned int exited)
{
    unsigned int outside = 0;
    for (unsigned int set = together; set; set &= set - 1) {
        unsigned int lane = simt_lowest(set), source = simt_collective_source(&lanes[lane], lane);
        outside |= lanes[lane].mask >> source & 1 ? 0 : 1u << lane;
        if (exited & lanes[lane].mask & 1u << source) {
            simt_report_collective(
                &lanes[lane],
                "names lanes that have returned from the kernel:", exited & lanes[lane].mask,
                "this lane reads one of those, which has no value to give.\n"
                "  Where they skipped it: every lane that the mask names must execute this call: "
                "take it out of the branch, let\n"
                "  all call it, and use the result in some. Where they returned early: let them "
                "stay, with a neutral value.");
        }
        lanes[lane].result = together >> source & 1  ? lanes[source].value
                             : lanes[lane].size == 8 ? SIMT_UNDEFINED_8
                                                     : SIMT_UNDEFINED_4;
    }
    if (outside) {
        read_outside(lanes, outside, together);
    }
    if (simt_any_undefined) {
        follow_sums(lanes, together);
    }
    simt_counts.shuffles++;
}

/* The lanes of a set that have the same value. */
static unsigned int matching(const struct simt_thread *lanes, unsigned int together, uint64_t value)
{
    unsigned int same = 0;
    for (unsigned int set = together; set; set &= set - 1) {
        if (lanes[simt_lowest(set)].value == value) {
            same |= 1u << simt_lowest(set);
        }
    }
    return same;
}

static void vote(struct simt_thread *lanes, unsigned int together)
{
    unsigned int without = matching(lanes, together, 0);
    for (unsigned int set = together; set; set &= set - 1) {
        struct simt_thread *lane = &lanes[simt_lowest(set)];
        unsigned int same = matching(lanes, together, lane->value);
        switch (lane->operation) {
        case SIMT_ANY:
            lane->result = without != together;
            break;
        case SIMT_ALL:
            lane->result = without == 0;
            break;
        case SIMT_MATCH_ANY:
            lane->result = same;
            break;
        case SIMT_MATCH_ALL:
            lane->result = same == together ? same : 0;
            break;
        default:
            lane->result = together & ~without;
            break;
        }
    }
    simt_counts.votes++;
}

static uint32_t combine(enum simt_collective operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case SIMT_REDUCE_ADD:
        return a + b;
    case SIMT_REDUCE_MIN:
        return a < b ? a : b;
    case SIMT_REDUCE_MAX:
        return a > b ? a : b;
    case SIMT_REDUCE_MIN_SIGNED:
        return (int32_t)a < (int32_t)b ? a : b;
    case SIMT_REDUCE_MAX_SIGNED:
        return (int32_t)a > (int32_t)b ? a : b;
    case SIMT_REDUCE_AND:
        return a & b;
    case SIMT_REDUCE_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static void reduce(struct simt_thread *lanes, unsigned int together)
{
    const struct simt_thread *first = &lanes[simt_lowest(together)];
    uint32_t result = (uint32_t)first->value;
    for (unsigned int set = together & (together - 1); set; set &= set - 1) {
        result = combine(first->operation, result, (uint32_t)lanes[simt_lowest(set)].value);
    }
    for (unsigned int set = together; set; set &= set - 1) {
        lanes[simt_lowest(set)].result = result;
    }
    simt_counts.reductions++;
}

const char *simt_collective_name(enum simt_collective operation)
{
    static const char *const names[SIMT_COLLECTIVES] = {
        [SIMT_SYNCWARP] = "__syncwarp",
        [SIMT_SHUFFLE] = "__shfl_sync",
        [SIMT_SHUFFLE_UP] = "__shfl_up_sync",
        [SIMT_SHUFFLE_DOWN] = "__shfl_down_sync",
        [SIMT_SHUFFLE_XOR] = "__shfl_xor_sync",
        [SIMT_BALLOT] = "__ballot_sync",
        [SIMT_ANY] = "__any_sync",
        [SIMT_ALL] = "__all_sync",
        [SIMT_MATCH_ANY] = "__match_any_sync",
        [SIMT_MATCH_ALL] = "__match_all_sync",
        [SIMT_REDUCE_ADD] = "__reduce_add_sync",
        [SIMT_REDUCE_MIN] = "__reduce_min_sync",
        [SIMT_REDUCE_MAX] = "__reduce_max_sync",
        [SIMT_REDUCE_MIN_SIGNED] = "__reduce_min_sync",
        [SIMT_REDUCE_MAX_SIGNED] = "__reduce_max_sync",
        [SIMT_REDUCE_AND] = "__reduce_and_sync",
        [SIMT_REDUCE_OR] = "__reduce_or_sync",
        [SIMT_REDUCE_XOR] = "__reduce_xor_sync",
        [SIMT_ACTIVEMASK] = "__activemask",
        [SIMT_WMMA] = "load_matrix_sync or store_matrix_sync",
        [SIMT_MATRIX] = "wgmma.mma_async, ldmatrix, stmatrix, mma.sync or mma_sync",
        [SIMT_WGMMA] = "wgmma.fence, commit_group or wait_group",
    };
    return names[operation];
}

static void do_collective(struct simt_thread *lanes, unsigned int together, unsigned int exited)
{
    switch (lanes[simt_lowest(together)].operation) {
    case SIMT_SYNCWARP:
        simt_counts.warp_barriers++;
        break;
    case SIMT_SHUFFLE:
    case SIMT_SHUFFLE_UP:
    case SIMT_SHUFFLE_DOWN:
    case SIMT_SHUFFLE_XOR:
        shuffle(lanes, together, exited);
        break;
    case SIMT_BALLOT:
    case SIMT_ANY:
    case SIMT_ALL:
    case SIMT_MATCH_ANY:
    case SIMT_MATCH_ALL:
        vote(lanes, together);
        break;
    case SIMT_WMMA:
        simt_wmma_do(lanes, together);
        break;
    case SIMT_MATRIX:
    case SIMT_WGMMA:
        simt_matrix_do(lanes, together);
        break;
    default:
        reduce(lanes, together);
        break;
    }
}

/* ---- waiting until all lanes have arrived ---- */

/* Lanes in the mask have returned. Reports it if they made the same call with another mask: they
 * should have made it with this mask. */
static void check_masks(struct simt_thread *lane, const struct simt_thread *lanes,
                        unsigned int gone)
{
    for (unsigned int set = gone; set; set &= set - 1) {
        const struct simt_thread *const other = &lanes[simt_lowest(set)];
        if (other->caller == lane->caller && other->mask != lane->mask) {
            char what[96];
            snprintf(what, sizeof what,
                     "names a lane that made this call with mask 0x%08x:", other->mask);
            simt_report_collective(
                lane, what, 1u << simt_lowest(set),
                "all lanes that a mask names must make the call with that mask.");
        }
    }
}

/* Completes the collective of a waiting thread if all its lanes that have not exited have
 * arrived. */
void simt_try_collective(const struct simt_thread *thread)
{
    struct simt_warp *warp = simt_warp_of(thread);
    unsigned int number = (unsigned int)(warp - simt_block->warps);
    struct simt_thread *lanes = &simt_block->threads[number * SIMT_WARP_SIZE];
    unsigned int left = warp->members & ~warp->exited, together = thread->mask & left;
    if (together & ~warp->at_collective) {
        return;
    }
    for (unsigned int set = together; set; set &= set - 1) {
        const struct simt_thread *lane = &lanes[simt_lowest(set)];
        if (lane->operation != thread->operation || lane->mask != thread->mask) {
            return;
        }
    }
    if (__builtin_expect(thread->mask & warp->exited & warp->called, 0)) {
        check_masks(&lanes[simt_lowest(together)], lanes,
                    thread->mask & warp->exited & warp->called);
    }
    if (simt_tracing) {
        simt_observer.collective(thread->caller, thread->operation, together, together == left);
    }
    do_collective(lanes, together, warp->exited);
    warp->at_collective &= ~together;
    simt_go_on(number, together, thread->caller);
}

uint64_t simt_warp_collective(enum simt_collective operation, unsigned int mask, uint64_t value,
                              unsigned int lane, int width, int size, const char *file, int line)
{
    struct simt_thread *self = simt_current;
    struct simt_warp *warp = simt_warp_of(self);
    self->operation = (unsigned char)operation;
    self->mask = mask;
    self->value = value;
    self->lane = lane % SIMT_WARP_SIZE; /* as the hardware does */
    self->width = (unsigned char)width;
    self->size = (unsigned char)size;
    self->file = file;
    self->line = line;
    self->caller = __builtin_return_address(0);
    if (simt_tracing && operation != SIMT_ACTIVEMASK) {
        simt_trace_event(operation == SIMT_SYNCWARP ? EVENT_SYNCWARP : EVENT_COLLECTIVE,
                         self->caller, mask, 0);
    }
    if (operation == SIMT_ACTIVEMASK) {
        warp->at_activemask |= simt_bit_of(self);
        simt_wait_turn();
        return self->result;
    }
    if (!(mask & simt_bit_of(self))) {
        simt_report_collective(self, "lacks the calling lane:", simt_bit_of(self),
                               "a lane may only call with a mask in which its own bit is set.");
    }
    if (width < 1 || width > SIMT_WARP_SIZE || (width & (width - 1)) != 0) {
        simt_report_collective(self,
                               "comes with a width that is not 1, 2, 4, 8, 16 or 32, from lane",
                               simt_bit_of(self), "pass the number of lanes that make up a group.");
    }
    warp->at_collective |= simt_bit_of(self);
    warp->called |= simt_bit_of(self);
    simt_try_collective(self);
    simt_wait_turn();
    return self->result;
}

void simt_matrix_collective(enum simt_collective operation, uint64_t matrix, const void *caller,
                            const char *file, int line)
{
    struct simt_thread *self = simt_current;
    self->operation = (unsigned char)operation;
    self->mask = ~0u;
    self->value = matrix;
    self->file = file;
    self->line = line;
    self->caller = caller;
    if (simt_tracing) {
        simt_trace_event(EVENT_COLLECTIVE, caller, ~0u, 0);
    }
    simt_warp_of(self)->at_collective |= simt_bit_of(self);
    simt_try_collective(self);
    simt_wait_turn();
}
/* SPDX-License-Identifier: MIT */
