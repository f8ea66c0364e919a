#include "machine/progress.h"

#include <stdio.h>
#include <time.h>

#include "base/own.h"
#include "base/setting.h"
#include "machine/machine.h"
#include "machine/reports.h"
#include "program/source.h"

/* Prints after this number of seconds, then each time the time has doubled. */
enum { USUALLY_AFTER = 10 };

bool simt_progress_is_told = true;
static time_t began, launch_began, next;
/* The start of unchecked blocks in this launch, and the number of ended blocks then. Checked blocks
 * take much longer, so the estimate ignores them. */
static time_t unchecked_since;
static size_t checked;
static bool has_begun, was_told;

static time_t now(void)
{
    struct timespec time;
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
#else
    clock_gettime(CLOCK_MONOTONIC, &time);
#endif
    return time.tv_sec;
}

static void begin(void)
{
    if (!has_begun) {
        next = (time_t)simt_setting("SIMT_PROGRESS", USUALLY_AFTER);
        began = now();
        has_begun = true;
    }
}

void simt_progress_start_launch(void)
{
    begin();
    launch_began = now();
    unchecked_since = 0;
}

/* Whether it is time for a message; if so, starts its line. */
static bool begins_to_tell(time_t time)
{
    if (time - began < next || next <= 0 || !simt_progress_is_told) {
        return false;
    }
    next = 2 * (time - began);
    fflush(stdout); /* so that the program's own output comes first */
    fprintf(stderr, "simt: %lld s so far: ", (long long)(time - began));
    return true;
}

void simt_progress_tell_call(const char *name, const void *caller)
{
    const struct simt_source *source;
    begin();
    if (begins_to_tell(now())) {
        source = simt_source_of(simt_place_of(caller));
        fprintf(stderr, "%s()", name);
        if (source->line > 0) {
            fprintf(stderr, " at %s:%d", source->file, source->line);
        }
        fputc('\n', stderr);
    }
}

/* Estimates the rest of the launch from its unchecked blocks so far. */
static void tell_rest(time_t time)
{
    const double rest = (double)(time - unchecked_since) *
                        (double)(simt_grid.blocks - simt_grid.done) /
                        (double)(simt_grid.done - checked);
    if (rest < 90) {
        fprintf(stderr, "; about %.0f s more", rest);
    } else if (rest < 5400) {
        fprintf(stderr, "; about %.0f minutes more", rest / 60);
    } else {
        fprintf(stderr, "; about %.0f hours more", rest / 3600);
    }
}

void simt_progress_tell(void)
{
    const time_t time = now();
    const bool takes_most = 2 * (time - launch_began) >= next;
    if (simt_tracing) {
        unchecked_since = 0;
    } else if (unchecked_since == 0) {
        unchecked_since = time;
        checked = simt_grid.done;
    }
    if (!begins_to_tell(time)) {
        return;
    }
    fputs("kernel ", stderr);
    simt_tell_launch(stderr);
    if (simt_counts.launches > 1) {
        fprintf(stderr, ", launch %llu", (unsigned long long)simt_counts.launches);
    }
    fprintf(stderr, ": %zu of %zu blocks", simt_grid.done, simt_grid.blocks);
    if (takes_most && !simt_tracing && simt_grid.done > checked && time > unchecked_since + 1) {
        tell_rest(time);
    }
    fputs(
        !was_told && simt_tracing
            ? "\n  (Most mistakes show in a smaller problem as well. With SIMT_CHECKS=off, kernels "
              "run 2 to 15 times as fast.)\n"
            : "\n",
        stderr);
    was_told = true;
}
/* SPDX-License-Identifier: MIT */
