/* A process that runs some of a launch's blocks for another one (machine/workers.c). */
#ifndef SIMT_WORKER_H
#define SIMT_WORKER_H

#include <stdbool.h>

#include "base/repeatable.h"

/* This process is one. */
extern bool simt_is_worker;
/* It ends; its blocks are run again by the process that it works for. */
__attribute__((noreturn)) void simt_worker_gives_up(void);

/* What comes cannot be taken over from another process: a change of what all blocks share. */
static inline void simt_only_in_one_process(void)
{
    if (__builtin_expect(simt_is_worker, 0)) {
        simt_worker_gives_up();
    }
}

/* The same of a report, or a step that depends on the order of the blocks. Nor would a launch that
 * comes to it always do the same again. */
static inline void simt_only_in_order(void)
{
    simt_not_repeatable();
    simt_only_in_one_process();
}

#endif
/* SPDX-License-Identifier: MIT */
