/* Reports of what goes wrong in a kernel. */
#ifndef SIMT_REPORTS_H
#define SIMT_REPORTS_H

#include <stdio.h>

#include "machine/machine.h"

/* "name (launched at file:line)" */
void simt_tell_launch(FILE *file);
/* Start a report on stderr: the kernel, the block and, of the first, the thread that runs, if
 * any. */
void simt_report_place(void);
/* Are called before a report begins, and behind one that ends its launch only (behind others:
 * simt_before_exit); NULL: nothing is. */
extern void (*simt_before_report)(void);
extern void (*simt_after_report)(void);
void simt_report_block(void);
/* Each ends the program: which threads of the block are where, and what to do about it; the same
 * for a collective that is wrong in itself. */
__attribute__((noreturn)) void simt_report_stuck(const char *headline, size_t suspended);
__attribute__((noreturn)) void simt_report_collective(struct simt_thread *thread, const char *what,
                                                      unsigned int lanes, const char *hint);

#endif
/* SPDX-License-Identifier: MIT */
