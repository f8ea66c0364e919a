/* The CPU rungs of step 07, in ladder order. Each runs on one thread. */
#ifndef RUNGS_GEMM_CPU_H
#define RUNGS_GEMM_CPU_H

#include "problem/gemm/gemm.h"

void run_cpu_naive(const struct gemm *call);
void run_cpu_rows(const struct gemm *call);
void run_cpu_blocked(const struct gemm *call);

#endif
