/* Step 03: what its kernels and its table share. */
#ifndef RUNGS_03_SINGLE_THREAD_H
#define RUNGS_03_SINGLE_THREAD_H

enum { ACCUMULATORS = 16 };

#endif
/* SPDX-License-Identifier: MIT */
