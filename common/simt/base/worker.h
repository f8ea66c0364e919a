/* A process that runs some of a launch's blocks for another process (machine/workers.c). */
#ifndef SIMT_WORKER_H
#define SIMT_WORKER_H

#include <stdbool.h>

#include "base/repeatable.h"

/* This process is a worker. */
extern bool simt_is_worker;
/* Ends this worker; the process that it works for runs its blocks again. */
__attribute__((noreturn)) void simt_worker_gives_up(void);

/* Call this before changing what all blocks share: a worker cannot hand over such a change. */
static inline void simt_only_in_one_process(void)
{
    if (__builtin_expect(simt_is_worker, 0)) {
        simt_worker_gives_up();
    }
}

/* Call this before a report, or a step that depends on the order of the blocks. A launch that
 * reaches it may behave differently next time. */
static inline void simt_only_in_order(void)
{
    simt_not_repeatable();
    simt_only_in_one_process();
}

#endif
/* SPDX-License-Identifier: MIT */
