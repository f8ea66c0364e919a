/* The time that has passed since a fixed moment in the past. */
#ifndef RUNGS_CLOCK_H
#define RUNGS_CLOCK_H

#include <time.h>

static inline double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
/* SPDX-License-Identifier: MIT */
