/* Step 08: its ladders, each in the ladder.c of its folder. */
#ifndef RUNGS_08_LADDERS_H
#define RUNGS_08_LADDERS_H

#include "problem/conv/conv.h"
#include "run/step.h"

extern const struct climb cpu_ladder, direct_ladder, gemm_ladder, winograd_ladder;
extern const struct climb tensor_cores_ladder, grouped_ladder, any_shape_ladder;

#endif
/* SPDX-License-Identifier: MIT */
