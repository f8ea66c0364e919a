/* A program that takes long says how far it is. */
#ifndef SIMT_PROGRESS_H
#define SIMT_PROGRESS_H

#include <stdbool.h>

/* Not wanted where the program itself says what it does. */
extern bool simt_progress_is_told;

void simt_progress_start_launch(void);
/* To be called often: costs a look at a coarse clock. */
void simt_progress_tell(void);
/* Before a call that does its work itself. */
void simt_progress_tell_call(const char *name, const void *caller);

#endif
/* SPDX-License-Identifier: MIT */
