/* What the machine has that all this runs on. */
#ifndef SIMT_HOST_H
#define SIMT_HOST_H

/* Seconds, by a clock that is never set back. */
double simt_seconds(void);
/* Processor time of this thread: what is decided by it does not depend on what else is running. */
double simt_processor_seconds(void);
/* How many cores to use: as SIMT_CORES says, or all that this process may. */
double simt_cores(void);

#endif
/* SPDX-License-Identifier: MIT */
