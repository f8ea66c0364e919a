/* Runs blocks on all cores: see workers.c. */
#ifndef SIMT_WORKERS_H
#define SIMT_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

/* When this number of blocks has started, and none is suspended, simt_workers_act must run between
 * two blocks. */
extern size_t simt_workers_next;
void simt_workers_act(void);
/* Whether the launch uses no other process, and this one is no worker; none is started from now
 * on. */
bool simt_workers_are_done(void);
void simt_workers_stop(void);

/* Processor time of this thread, and of workers whose results were taken over. */
double simt_work_seconds(void);

void simt_workers_start_launch(void);
/* The launch is over, or ends early. */
void simt_workers_end_launch(void);

#endif
/* SPDX-License-Identifier: MIT */
