/* Ends a program that cannot go on. Its output so far is printed first. */
#ifndef SIMT_EXIT_H
#define SIMT_EXIT_H

/* Called first, in this order; NULL: no call. */
extern void (*simt_before_exit)(void), (*simt_last_words)(void);
/* Exits with status 1: a kernel is wrong. */
__attribute__((noreturn)) void simt_exit(void);
/* Exits with status 3: memory or address space has run out. */
__attribute__((noreturn)) void simt_exit_without_memory(void);

#endif
/* SPDX-License-Identifier: MIT */
