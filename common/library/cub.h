/* CUB, the peer of the GPU's reductions. Needs the cuda back end; without it the rung is skipped with
 * the reason.
 *
 * What a user would do once for many calls (the handle, temporary memory) is in the prepare
 * functions; everything that one answer needs is in the others. */
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
    return "needs CUDA 12.2 or later";
#else
    return "needs the cuda back end";
#endif
}

#ifdef __cplusplus
extern "C" {
#endif

/* The reduction by CUB's DeviceReduce, with this project's rule for NaN. */
void cub_prepare(const struct reduction *call);
void cub_reduce(const struct reduction *call);
void cub_how(const struct reduction *call, char text[RUNG_HOW_SIZE]);

#ifdef __cplusplus
}
#endif

/* Its entry in a ladder's table of rungs. No order of n additions needs more than n roundings. */
#define CUB_RUNG                                                                                   \
    {                                                                                              \
        .rung = {"cub", "the library's reduction: DeviceReduce", .flags = RUNG_LIBRARY,            \
                 .unavailable = cub_unavailable},                                                  \
        .run = ON_CUB(cub_reduce), .depth = depth_serial, .how = ON_CUB(cub_how),                  \
        .prepare = ON_CUB(cub_prepare),                                                            \
    }

#endif
