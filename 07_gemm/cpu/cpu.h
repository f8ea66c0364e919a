/* The CPU rungs of step 07, in ladder order, and what they share. */
#ifndef RUNGS_GEMM_CPU_H
#define RUNGS_GEMM_CPU_H

#include "base/integers.h"
#include "cpu/tile.h"
#include "problem/gemm/gemm.h"

/* cpu/loops.c: loops, on one thread. */
void run_cpu_naive(const struct gemm *call);
void run_cpu_rows(const struct gemm *call);
void run_cpu_blocked(const struct gemm *call);
void run_cpu_vectors(const struct gemm *call);

/* cpu/packed.c: tiles of sums in registers. The last uses call->threads threads. */
void run_cpu_register_tile(const struct gemm *call);
void run_cpu_packed(const struct gemm *call);
void run_cpu_threads(const struct gemm *call);

/* Allocates the buffers of the packed rungs once, and again only if a call needs more. */
void prepare_cpu_packed(const struct gemm *call);
void prepare_cpu_threads(const struct gemm *call);

/* The additions that a term passes through: in the sum of a block, then in C. */
double depth_cpu_packed(const struct gemm *call);

/* Write the instruction set; how_cpu_threads also writes the number of threads. */
void how_cpu_tile(const struct gemm *call, char text[RUNG_HOW_SIZE]);
void how_cpu_threads(const struct gemm *call, char text[RUNG_HOW_SIZE]);

#endif
/* SPDX-License-Identifier: MIT */
