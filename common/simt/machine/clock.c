#include <time.h>

#include "base/own.h"
#include "base/repeatable.h"
#include "machine/machine.h"

/* For kernels, in nanoseconds. */
long long simt_clock(void)
{
    struct timespec time;
    simt_not_repeatable();
    simt_clock_read(__builtin_return_address(0));
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Replaces the C library's function. In kernels that would count the process's CPU time: a
 * thousandth of the ticks that a kernel waits for. */
clock_t clock(void)
{
    struct timespec time;

    if (simt_in_kernel())
        return (clock_t)simt_clock();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (clock_t)time.tv_sec * CLOCKS_PER_SEC + time.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}
/* SPDX-License-Identifier: MIT */
