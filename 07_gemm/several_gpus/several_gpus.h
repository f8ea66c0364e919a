/* Step 07: the rungs on several GPUs, and what they share. */
#ifndef RUNGS_07_SEVERAL_GPUS_H
#define RUNGS_07_SEVERAL_GPUS_H

#include "several_gpus/pieces.h"
#include "several_gpus/placement.h"

/* The rungs in ladder order, in several_gpus/rungs.c and, those on NCCL, in several_gpus/nccl.c. */
void launch_one_gpu(const struct gemm *call);
void prepare_b_everywhere(const struct gemm *call);
const char *declines_without_nccl(const struct gemm *call);
void launch_b_everywhere(const struct gemm *call);
void prepare_all_gather(const struct gemm *call);
void launch_all_gather(const struct gemm *call);
void prepare_nccl_pieces(const struct gemm *call);
void launch_nccl_pieces(const struct gemm *call);
/* Declines calls with several ranks, of which none has all GPUs. */
const char *declines_ranks(const struct gemm *call);
void prepare_copy_engines(const struct gemm *call);
void launch_copy_engines(const struct gemm *call);
const char *declines_grid(const struct gemm *call);
void prepare_grid(const struct gemm *call);
void launch_grid(const struct gemm *call);
void prepare_cublas_nccl(const struct gemm *call);
void launch_cublas_nccl(const struct gemm *call);

/* The top rung of one GPU, on the current GPU. */
void prepare_multiply(const struct gemm *call);
void multiply(const struct gemm *call);

/* Places the shares for the rung, and prepares every GPU for its part of the product. */
void place_and_prepare(const struct gemm *call, enum layout layout,
                       void (*rung)(const struct gemm *call),
                       void (*prepare)(const struct gemm *call));

/* Multiplies on each GPU its rows by all of B; on the current GPU, two of its pieces by number. */
void multiply_with_b(void (*by)(const struct gemm *call));
void multiply_pieces(int gpu, int i, int j);

/* Writes how much of the rung's time was communication that no computation hid, and its rate.
 * Without clocks, writes how much each GPU receives (several_gpus/bandwidth.c). */
void how_several_gpus(const struct gemm *call, char text[RUNG_HOW_SIZE]);

#endif
/* SPDX-License-Identifier: MIT */
