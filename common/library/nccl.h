/* NCCL, which moves data between GPUs. Needs the library at build time; simt has its own. Without
 * it the rungs that use it are skipped, and the report says why. */
#ifndef RUNGS_NCCL_H
#define RUNGS_NCCL_H

#include "problem/reduction/reduction.h"

#ifdef RUNGS_NCCL
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

#define ON_NCCL(function) (function)

/* As check_cuda (library/cuda_check.h): ends the program if a call failed. */
#define CHECK_NCCL(call) check_nccl((call), #call)

static inline void check_nccl(ncclResult_t result, const char *call)
{
    if (result == ncclSuccess)
        return;
    fprintf(stderr, "%s: %s\n", call, ncclGetErrorString(result));
    exit(EXIT_DEVICE_ERROR);
}
#else
#define ON_NCCL(function) NULL
#endif

/* The reductions that it has: its maximum and minimum of floating-point numbers pass over NaN. */
enum { NCCL_OPS = RUNG_OP(OP_DOT) | RUNG_OP(OP_SUM) };

/* Why the rungs cannot run in this build, or NULL if they can. */
static inline const char *nccl_unavailable(void)
{
#ifdef RUNGS_NCCL
    return NULL;
#else
    return "built without NCCL";
#endif
}

#endif
