/* CUB, the library that the GPU's reductions are compared with. Needs the cuda back end; without it
 * the rung is skipped, and the report says why.
 *
 * cub_prepare does what a user would do once for many calls (allocating temporary memory);
 * cub_reduce does everything that each answer needs. */
#ifndef RUNGS_CUB_H
#define RUNGS_CUB_H

#include "problem/reduction/reduction.h"

#ifdef RUNGS_CUB
#define ON_CUB(function) (function)
#else
#define ON_CUB(function) NULL
#endif

/* Why the rung cannot run in this build, or NULL if it can. */
static inline const char *cub_unavailable(void)
{
#if defined RUNGS_CUB
    return NULL;
#elif defined RUNGS_CUDA
    return "needs CUDA " RUNGS_CUDA_OF_CUB " or later";
#else
    return "needs the cuda back end";
#endif
}

#ifdef __cplusplus
extern "C" {
#endif

/* The reduction by CUB's DeviceReduce, with the rule for NaN in reduction.h. */
void cub_prepare(const struct reduction *call);
void cub_reduce(const struct reduction *call);
void cub_how(const struct reduction *call, char text[RUNG_HOW_SIZE]);

#ifdef __cplusplus
}
#endif

/* Its entry in a ladder's table of rungs. The order of CUB's additions is not documented. In any
 * order, a term passes through at most n roundings, so the depth is depth_serial. */
#define CUB_RUNG                                                                                   \
    {                                                                                              \
        .rung = {.name = "cub",                                                                    \
                 .idea = "the library's reduction: DeviceReduce",                                  \
                 .flags = RUNG_LIBRARY,                                                            \
                 .unavailable = cub_unavailable},                                                  \
        .run = ON_CUB(cub_reduce), .depth = depth_serial, .how = ON_CUB(cub_how),                  \
        .prepare = ON_CUB(cub_prepare),                                                            \
    }

#endif
/* SPDX-License-Identifier: MIT */
