/* A rung: one variant of a ladder. Each kind of problem has its own kind of rung (struct
 * reduction_rung, struct gemm_rung, ...), which begins with struct rung and adds the functions that
 * take that problem's arguments. */
#ifndef RUNGS_RUNG_H
#define RUNGS_RUNG_H

#include <stdbool.h>
#include <stddef.h>

enum rung_flags {
    RUNG_LIBRARY = 1 << 0,          /* a library to compare with; the rung has its name */
    RUNG_LESSON = 1 << 1,           /* wrong on purpose: a wrong result is reported as `racy` */
    RUNG_NONDETERMINISTIC = 1 << 2, /* right, but the last bits differ from run to run */
    /* Runs on the host CPU in a GPU step: it is given the host's copies of the data, and is
     * verified and timed by the CPU back end, even if the step's is simt. */
    RUNG_HOST = 1 << 3,
    /* Does not do the definition's multiplications, or does them on tensor cores. The peak of the
     * float32 units says nothing about its time, so it has no percentage of that peak. */
    RUNG_OTHER_ARITHMETIC = 1 << 4,
    /* Adds floats by atomics in global memory, which treat subnormal numbers as 0. */
    RUNG_FLUSHES_SUBNORMALS = 1 << 5,
    /* Launches kernels of other rungs, chosen for the problem, and says which (.how). */
    RUNG_DISPATCHES = 1 << 6,
    /* An experiment beside the climb: it runs with --all, or if --rung names it. */
    RUNG_SIDE = 1 << 7
};

/* The size of a rung's description of how it ran, such as "avx512, 2 threads". */
enum { RUNG_HOW_SIZE = 64 };

struct rung {
    const char *name;
    const char *idea; /* one line, for --list */
    unsigned flags;
    int needs_compute_capability; /* 0: any; 90: sm_90 and later */
    /* Why the rung cannot run on this machine; NULL if it can. A NULL function: it can on all. */
    const char *(*unavailable)(void);
    /* No two rungs may launch the same kernels, unless one names the other, or both name a third
     * one. These are its name, or several, and the reason. NULL: none. */
    const char *same_kernels_as, *same_kernels_because;
};

/* Why a rung whose function is NULL is skipped. */
static inline const char *rung_not_built(const struct rung *rung)
{
    return rung->needs_compute_capability >= 90   ? "needs sm_90"
           : rung->needs_compute_capability >= 80 ? "needs sm_80"
                                                  : "needs the cuda back end";
}

#endif
/* SPDX-License-Identifier: MIT */
