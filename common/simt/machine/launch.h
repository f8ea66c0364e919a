/* Runs launches. */
#ifndef SIMT_LAUNCH_H
#define SIMT_LAUNCH_H

#include "machine/machine.h"

/* Runs it; or ends early, with an error and its reason. */
cudaError_t simt_run(const struct simt_launch *asked, const char **reason);
/* The analysis was switched on or off: chooses the threads' start function again. */
void simt_choose_start(void);

#endif
/* SPDX-License-Identifier: MIT */
