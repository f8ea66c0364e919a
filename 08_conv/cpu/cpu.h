/* The CPU rungs of step 08, in ladder order. */
#ifndef RUNGS_CONV_CPU_H
#define RUNGS_CONV_CPU_H

#include "problem/conv/conv.h"

void run_cpu_loops(const struct conv *call);
const char *cpu_loops_decline(const struct conv *call);

/* With OpenBLAS's matrix product, on call->threads threads. */
void run_cpu_im2col(const struct conv *call);
void cpu_im2col_how(const struct conv *call, char text[RUNG_HOW_SIZE]);

#endif
/* SPDX-License-Identifier: MIT */
