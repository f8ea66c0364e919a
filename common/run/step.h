/* A step: a table of rungs and one call. See 05_gpu_shared_tree/main.c for the model. */
#ifndef RUNGS_STEP_H
#define RUNGS_STEP_H

#include <stdbool.h>
#include <stddef.h>

#include "device/back_end.h"
#include "problem/conv/conv.h"
#include "problem/gemm/gemm.h"
#include "problem/matrix_reduction/matrix_reduction.h"
#include "problem/problem.h"
#include "problem/reduction/reduction.h"

#define RUNGS_VERSION "0.1.0"

enum rung_flags {
    RUNG_LIBRARY = 1 << 0,          /* a peer to be measured against, named after the library */
    RUNG_LESSON = 1 << 1,           /* wrong on purpose: a wrong result is reported as `racy` */
    RUNG_NONDETERMINISTIC = 1 << 2, /* right, but the last bits differ from run to run */
    /* Runs on the host CPU in a GPU step (gemm and conv): it is given the host's copies of the
     * data, and judged and timed as on the CPU back end, with simt, too. */
    RUNG_HOST = 1 << 3,
    /* conv: works by Winograd's F(2x2, 3x3) or F(4x4, 3x3), whose error bounds are others
     * (conv.h) */
    RUNG_WINOGRAD = 1 << 4,
    RUNG_WINOGRAD_4 = 1 << 5,
    /* conv: a library that may choose any transform (conv.h) */
    RUNG_TRANSFORMS = 1 << 6
};

enum { RUNG_HOW_SIZE = 64 };

#define RUNG_OP(op) (1U << (op))

/* On the declaration of a rung's function that only the cuda back end has: where it is not linked,
 * its address is NULL, and the rung is skipped. */
#define CUDA_ONLY __attribute__((weak))

/* One variant inside a step. Which members of `run` and `depth` hold follows from the step's
 * family. A rung whose function is NULL cannot run on the back end it was built for and is skipped.
 */
struct rung {
    const char *name;
    const char *idea; /* one line */
    union {
        void (*reduce)(const struct reduction *call);
        void (*gemm)(const struct gemm *call);
        void (*conv)(const struct conv *call);
        void (*matrix)(const struct matrix_reduction *call);
    } run;
    /* How many roundings lie between an input and the result (the c of compare.h), not counting a
     * product's own. */
    union {
        double (*reduce)(const struct reduction *call);
        double (*gemm)(const struct gemm *call);
        double (*conv)(const struct conv *call);
        double (*matrix)(const struct matrix_reduction *call);
    } depth;
    /* What the rung really used, such as "avx512, 2 threads", for the report. NULL: nothing to
     * tell. */
    union {
        void (*reduce)(const struct reduction *call, char text[RUNG_HOW_SIZE]);
        void (*gemm)(const struct gemm *call, char text[RUNG_HOW_SIZE]);
        void (*conv)(const struct conv *call, char text[RUNG_HOW_SIZE]);
        void (*matrix)(const struct matrix_reduction *call, char text[RUNG_HOW_SIZE]);
    } how;
    /* Work that a user would do once for many calls, such as placing the data: done after every
     * change of the inputs, before `run`, and not timed. NULL: none. */
    union {
        void (*reduce)(const struct reduction *call);
        void (*gemm)(const struct gemm *call);
        void (*conv)(const struct conv *call);
        void (*matrix)(const struct matrix_reduction *call);
    } prepare;
    /* Why the rung cannot run on this machine, or NULL if it can. NULL: it can on all. */
    const char *(*unavailable)(void);
    /* Why the rung does not do this problem, or NULL if it does. NULL: it does all. */
    union {
        const char *(*conv)(const struct conv *call);
    } declines;
    unsigned reduce_ops; /* reductions: the operators it can do, RUNG_OP(OP_DOT) | ...; 0: all */
    unsigned flags;
    int needs_compute_capability; /* 0: any; 90: sm_90 and later */
    /* gemm on the host: the most products that one call is given, 0: any number. A larger problem
     * is cut down to the first rows of C, since a GPU's problem can take a slow loop minutes; the
     * result row says so, and speeds are compared by rate. */
    double most_products;
};

struct step {
    const char *name; /* the directory's */
    const char *idea;
    const struct family *family;
    const struct back_end *back_end;
    const struct rung *rungs;
    size_t rung_count;
    /* Two more tables of rungs, which --axis selects; they share the name. NULL: no --axis. */
    const struct step *rows, *columns;
};

/* What runs the rung in a step with the given back end. */
static inline const struct back_end *rung_back_end(const struct rung *rung,
                                                   const struct back_end *of_step)
{
    return rung->flags & RUNG_HOST ? &cpu_back_end : of_step;
}

/* Whether the rung can do the operator at all. */
static inline bool rung_does(const struct rung *rung, enum reduce_op op)
{
    return rung->reduce_ops == 0 || (rung->reduce_ops & RUNG_OP(op)) != 0;
}

/* main() of every step: options, inputs, verification, timing, report. Returns the exit code. */
int rungs_main(int argc, char **argv, const struct step *step);

#endif
