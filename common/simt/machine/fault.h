/* What the processor stops a kernel or the host for. */
#ifndef SIMT_FAULT_H
#define SIMT_FAULT_H

/* Takes SIGSEGV and SIGBUS: faults get a message that fits a learner's mistake. */
void simt_fault_install(void);
/* arithmetic.c. Takes SIGFPE and SIGTRAP. */
void simt_arithmetic_install(void);

#endif
/* SPDX-License-Identifier: MIT */
