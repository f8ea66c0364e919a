/* Progress messages of programs that run long. */
#ifndef SIMT_PROGRESS_H
#define SIMT_PROGRESS_H

#include <stdbool.h>

/* Set to false if the program prints its own progress. */
extern bool simt_progress_is_told;

void simt_progress_start_launch(void);
/* Call it often: it only reads a coarse clock. */
void simt_progress_tell(void);
/* Call it before an API function that does its work itself. */
void simt_progress_tell_call(const char *name, const void *caller);

#endif
/* SPDX-License-Identifier: MIT */
