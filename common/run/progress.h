/* A status line on stderr that the next one overwrites; only on a terminal. */
#ifndef RUNGS_PROGRESS_H
#define RUNGS_PROGRESS_H

/* Names the program, which begins each line. The text must remain valid. */
void progress_begin(const char *program);
void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Clears the line. */
void progress_end(void);

#endif
/* SPDX-License-Identifier: MIT */
