/* A report ends the program. The page then shows its text, the line at which the program stopped,
 * and the steps of the lanes of that warp up to then. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "explore/explore.h"
#include "machine/machine.h"
#include "observe/recorder.h"

static char text[1 << 14];
static size_t length;
static FILE *standard_error; /* NULL: no report is being printed */
static uint32_t told;

/* Keeps the text and also writes it to stderr at once. */
static ssize_t print(void *nothing, const char *bytes, size_t size)
{
    const size_t room = sizeof text - 1 - length, kept = size < room ? size : room;
    (void)nothing;
    memcpy(text + length, bytes, kept);
    length += kept;
    return write(STDERR_FILENO, bytes, size);
}

void explore_begin_report(void)
{
    FILE *both;
    if (standard_error) {
        return;
    }
    fflush(stderr);
    both = fopencookie(NULL, "w", (cookie_io_functions_t){.write = print});
    if (both) {
        setvbuf(both, NULL, _IONBF, 0);
        standard_error = stderr;
        stderr = both;
    }
}

void simt_explore_told(uint32_t place)
{
    told = place;
}

void explore_end_report(void)
{
    const struct simt_event *last = simt_tracing ? simt_trace_last() : NULL;
    const uint32_t place = told ? told : last ? event_place(last) : 0;
    FILE *both;
    if (!standard_error) {
        return;
    }
    both = stderr;
    stderr = standard_error;
    standard_error = NULL;
    fclose(both);
    text[length] = '\0';
    length = 0;
    told = 0;
    if (simt_recorder.lane >= 0) {
        explore_join_block();
    }
    if (explore_block && simt_recorder.lane >= 0) {
        const unsigned int warp = simt_recorder.thread / SIMT_WARP_SIZE;
        const uint32_t lane = 1u << simt_recorder.lane;
        explore_values_stop();
        explore_steps_are_partial();
        simt_trace_pause();
        simt_trace_drain(0);
        explore_notes(warp);
        if (place) {
            explore_add_step(EXPLORED_STOP, place, warp, lane);
        }
    } else if (explore_block && place) { /* all lanes of the warp that ran last, as in wgmma */
        explore_add_step(EXPLORED_STOP, place, simt_recorder.thread / SIMT_WARP_SIZE, ~0u);
    }
    explore_take_report(place, text);
}
/* SPDX-License-Identifier: MIT */
