/* Which of the step's rungs any_shape and any_shape_3xtf32 use, by estimates of their times
 * (any_shape/plan.c). The estimates were fitted to measurements on an H200. They depend only on the
 * problem's sizes and the number of SMs, so results are the same in every run. */
#ifndef ANY_SHAPE_PLAN_H
#define ANY_SHAPE_PLAN_H

#include "problem/conv/conv.h"

/* The rungs that are the fastest for some problem. Those from TENSOR_3XTF32 on use tensor cores. */
enum way {
    DIRECT,
    WINOGRAD,
    WINOGRAD_4X4,
    WINOGRAD_FUSED,
    IMPLICIT_GEMM_SPLIT,
    GROUPED,
    GROUPED_TILE,
    TENSOR_3XTF32,
    IMPLICIT_3XTF32,
    WINOGRAD_3XTF32,
    WAYS,
};

/* The estimate, in us. The rung must support the problem, which must have outputs and products. */
double us_of_way(const struct conv *call, enum way way);

#endif
/* SPDX-License-Identifier: MIT */
