/* A rung: one variant of a ladder. This part all rungs have; each problem's kind of rung begins with
 * it and adds the functions, which take that problem's call (struct reduction_rung, struct
 * gemm_rung, ...). */
#ifndef RUNGS_RUNG_H
#define RUNGS_RUNG_H

#include <stdbool.h>
#include <stddef.h>

enum rung_flags {
    RUNG_LIBRARY = 1 << 0,          /* a peer to be measured against, named after the library */
    RUNG_LESSON = 1 << 1,           /* wrong on purpose: a wrong result is reported as `racy` */
    RUNG_NONDETERMINISTIC = 1 << 2, /* right, but the last bits differ from run to run */
    /* Runs on the host CPU in a GPU step: it is given the host's copies of the data, and is judged
     * and timed as on the CPU back end, with simt, too. */
    RUNG_HOST = 1 << 3
};

/* Room for what a rung tells of itself for the report, such as "avx512, 2 threads". */
enum { RUNG_HOW_SIZE = 64 };

struct rung {
    const char *name;
    const char *idea; /* one line */
    unsigned flags;
    int needs_compute_capability; /* 0: any; 90: sm_90 and later */
    /* Why the rung cannot run on this machine, or NULL if it can. NULL: it can on all. */
    const char *(*unavailable)(void);
};

/* In a table of rungs, a function that only the cuda back end has: NULL elsewhere, and then the rung
 * is skipped. */
#ifdef RUNGS_CUDA
#define ON_CUDA(function) (function)
#else
#define ON_CUDA(function) NULL
#endif

/* Why a rung whose function is NULL is skipped. */
static inline const char *rung_not_built(const struct rung *rung)
{
    return rung->needs_compute_capability >= 90   ? "needs sm_90"
           : rung->needs_compute_capability >= 80 ? "needs sm_80"
                                                  : "needs the cuda back end";
}

#endif
