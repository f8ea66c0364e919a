/* Runs launches. */
#ifndef SIMT_LAUNCH_H
#define SIMT_LAUNCH_H

#include "machine/machine.h"

/* Runs it; or ends before, with an error and its reason. */
cudaError_t simt_run(const struct simt_launch *asked, const char **reason);

#endif
