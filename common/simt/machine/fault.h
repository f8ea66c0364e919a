/* Handlers for processor faults in kernels and in host code. */
#ifndef SIMT_FAULT_H
#define SIMT_FAULT_H

/* Handles SIGSEGV and SIGBUS: faults get a message that fits a learner's mistake. */
void simt_fault_install(void);
/* arithmetic.c. Handles SIGFPE and SIGTRAP. */
void simt_arithmetic_install(void);

#endif
/* SPDX-License-Identifier: MIT */
