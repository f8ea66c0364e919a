/* A process that runs some of a launch's blocks for another one (machine/workers.c). */
#ifndef SIMT_WORKER_H
#define SIMT_WORKER_H

#include <stdbool.h>

/* This process is one. */
extern bool simt_is_worker;
/* It ends; its blocks are run again by the process that it works for. */
__attribute__((noreturn)) void simt_worker_gives_up(void);

/* What comes cannot be taken over from another process: a report, a change of what all blocks
 * share, a step that depends on the order of the blocks. */
static inline void simt_only_in_order(void)
{
    if (__builtin_expect(simt_is_worker, 0)) {
        simt_worker_gives_up();
    }
}

#endif
