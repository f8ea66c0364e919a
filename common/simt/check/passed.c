/* A kernel that walks through planes of a volume keeps three in shared memory and shifts them,
 * `before[y][x] = here[y][x]`. It also does so at the edges, which are never loaded and never used.
 * So it is not yet a finding when an unwritten value moves within shared memory. The target also
 * counts as unwritten, and any other use of it is reported. */
#include "check/passed.h"

#include <string.h>

#include "base/bits.h"
#include "check/shadow.h"
#include "model/spaces.h"
#include "observe/recorder.h"

unsigned int simt_passing;

static struct {
    uint64_t to;
    unsigned int size; /* 0: nothing is passed on */
} passing[SIMT_MAX_BLOCK_THREADS];

/* The lane has just loaded from there, so it probably stores a sum there now. */
static bool was_loaded(const struct simt_event *load, unsigned int lane, uint64_t address)
{
    while (load-- > simt_trace_buffer(lane) &&
           (event_kind(load) == EVENT_BLOCK || event_kind(load) == EVENT_LOAD)) {
        if (event_kind(load) == EVENT_LOAD && load->address == address) {
            return true;
        }
    }
    return false;
}

bool simt_passes_on(unsigned int thread, uint64_t address, unsigned int size)
{
    const unsigned int lane = thread % SIMT_WARP_SIZE;
    const struct simt_event *load, *next;
    if (!simt_traces.at) {
        return false;
    }
    load = simt_traces.at[lane] + simt_traces.ahead;
    next = load + 1;
    while (next < simt_traces.end[lane] && event_kind(next) == EVENT_BLOCK) {
        next++;
    }
    if (next >= simt_traces.end[lane]) {
        return next == simt_traces.full[lane]; /* unknown: the trace is full */
    }
    if (event_kind(next) != EVENT_STORE || event_how(next) || event_size(next) != size ||
        next->address == address || was_loaded(load, lane, next->address) ||
        simt_range_of(next->address)->space != SPACE_SHARED) {
        return false;
    }
    simt_passing += passing[thread].size == 0;
    passing[thread].to = next->address;
    passing[thread].size = size;
    return true;
}

/* The bytes must be in one page, as those of an access are. */
static void set_unwritten(uint64_t address, unsigned int size)
{
    struct simt_page *page = simt_page_find(address);
    if (!page || !page->tracked) {
        return;
    }
    if (page->all_written) {
        memset(page->written, 0xff, sizeof page->written);
        page->all_written = false;
    }
    for (uint64_t at = address % SIMT_PAGE_BYTES, end = at + size; at < end; at++) {
        page->written[at / 8] &= (uint8_t) ~(1u << at % 8);
    }
}

void simt_passed_on(unsigned int warp, uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1) {
        const unsigned int lane = simt_lowest(lanes), thread = warp * SIMT_WARP_SIZE + lane;
        const struct simt_event *event = simt_traces.at[lane] + simt_traces.ahead;
        if (passing[thread].size > 0 && event_kind(event) != EVENT_LOAD) {
            if (event_kind(event) == EVENT_STORE && event->address == passing[thread].to) {
                set_unwritten(event->address, passing[thread].size);
            }
            passing[thread].size = 0;
            simt_passing--;
        }
    }
}
/* SPDX-License-Identifier: MIT */
