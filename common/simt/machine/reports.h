/* Reports of errors in kernels. */
#ifndef SIMT_REPORTS_H
#define SIMT_REPORTS_H

#include <stdio.h>

#include "machine/machine.h"

/* "name (launched at file:line)" */
void simt_tell_launch(FILE *file);
/* Starts a report on stderr: prints the kernel, the block and (only the first function) the running
 * thread, if any. */
void simt_report_place(void);
/* Called before a report begins, and after one that only ends its launch (for others see
 * simt_before_exit); NULL: no call. */
extern void (*simt_before_report)(void);
extern void (*simt_after_report)(void);
void simt_report_block(void);
/* Both end the program. They print where the threads of the block are, and how to fix it; the
 * second one is for a collective that is itself wrong. */
__attribute__((noreturn)) void simt_report_stuck(const char *headline, size_t suspended);
__attribute__((noreturn)) void simt_report_collective(struct simt_thread *thread, const char *what,
                                                      unsigned int lanes, const char *hint);

#endif
/* SPDX-License-Identifier: MIT */
