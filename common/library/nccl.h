/* NCCL, which copies data between GPUs. Needs its header at build time, and the library at run
 * time; simt has its own. Without it the rungs that use it are skipped, and the report says why. */
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

/* The communicators of the first `gpus` GPUs, one each: rank r is GPU r. Creating them takes long,
 * so they are kept until another number is requested. */
ncclComm_t *nccl_communicators(int gpus);

/* Why the rungs cannot run, or NULL if they can. */
const char *nccl_unavailable(void);
#else
#define ON_NCCL(function) NULL

static inline const char *nccl_unavailable(void)
{
    return "built without NCCL";
}
#endif

/* The reductions that NCCL can do. Its floating-point maximum and minimum would ignore NaN. */
enum { NCCL_OPS = RUNG_OP(OP_DOT) | RUNG_OP(OP_SUM) };

#endif
/* SPDX-License-Identifier: MIT */
