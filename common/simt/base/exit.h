/* The end of the program, where it cannot go on. What it has printed comes out first. */
#ifndef SIMT_EXIT_H
#define SIMT_EXIT_H

/* Are called first, in this order; NULL: nothing is. */
extern void (*simt_before_exit)(void), (*simt_last_words)(void);
/* With status 1: a kernel is wrong. */
__attribute__((noreturn)) void simt_exit(void);
/* With status 3: memory or address space has run out. */
__attribute__((noreturn)) void simt_exit_without_memory(void);

#endif
/* SPDX-License-Identifier: MIT */
