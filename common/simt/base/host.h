/* The clocks and cores of the machine that runs the program. */
#ifndef SIMT_HOST_H
#define SIMT_HOST_H

/* Seconds, by a clock that is never set back. */
double simt_seconds(void);
/* Processor time of this thread. A decision based on it does not depend on other load. */
double simt_processor_seconds(void);
/* The number of cores to use: SIMT_CORES, or all that this process may use. */
double simt_cores(void);

#endif
/* SPDX-License-Identifier: MIT */
