#include "base/host.h"

#include <sched.h>
#include <time.h>

#include "base/setting.h"

static double seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double simt_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double simt_processor_seconds(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double simt_cores(void)
{
    cpu_set_t set;
    const int usable = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return simt_setting("SIMT_CORES", usable);
}
/* SPDX-License-Identifier: MIT */
