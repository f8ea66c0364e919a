/* Step 07: its ladders, each in the ladder.c of its folder. */
#ifndef RUNGS_07_LADDERS_H
#define RUNGS_07_LADDERS_H

#include "problem/gemm/gemm.h"
#include "run/step.h"

extern const struct climb cpu_ladder, float32_ladder, float32_tensor_cores_ladder, float32_shapes;
extern const struct climb bfloat16_ladder, bfloat16_mma_ladder, bfloat16_shapes, tf32_ladder;
extern const struct ladder f32_on_gpus, bf16_on_gpus;

#endif
/* SPDX-License-Identifier: MIT */
