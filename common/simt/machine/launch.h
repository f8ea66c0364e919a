/* Runs launches. */
#ifndef SIMT_LAUNCH_H
#define SIMT_LAUNCH_H

#include "machine/machine.h"

/* Runs it; or ends before, with an error and its reason. */
cudaError_t simt_run(const struct simt_launch *asked, const char **reason);
/* What its threads start with is chosen anew: it is looked at from now on, or no more. */
void simt_choose_start(void);

#endif
/* SPDX-License-Identifier: MIT */
