/* Blocks on all cores: see workers.c. */
#ifndef SIMT_WORKERS_H
#define SIMT_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

/* Once so many blocks have started, and none is suspended, there is something to be done between
 * two blocks. */
extern size_t simt_workers_next;
void simt_workers_act(void);
/* Whether no other process runs blocks of the launch, nor does this one for another; and none is to
 * from now on. */
bool simt_workers_are_done(void);
void simt_workers_stop(void);

/* Processor time of this thread, and of the processes whose blocks have been taken over. */
double simt_work_seconds(void);

void simt_workers_start_launch(void);
/* It is over, or ends before its time. */
void simt_workers_end_launch(void);

#endif
/* SPDX-License-Identifier: MIT */
