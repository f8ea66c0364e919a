/* A problem: inputs, a reference result, and the means to run a rung on them and judge the answer.
 *
 * Four families exist: reduction (steps 01 to 06), matrix_reduction (06), gemm (07) and conv (08).
 * Each judges a rung on several inputs:
 *
 *   probes      small integers, chosen so that every product and every partial sum, in any order that
 *               does not look at the data, is exact in float. The answer must equal the reference to
 *               the last bit, so an element skipped, read twice, or paired with the wrong partner
 *               always shows, however large the problem. (A tolerance cannot promise that: one
 *               element in 2^20 is within any honest rounding bound.)
 *   real data   random numbers from the seed, or the user's files. The answer must lie within the
 *               rounding bound derived in compare.h. */
#ifndef RUNGS_PROBLEM_H
#define RUNGS_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "device/back_end.h"
#include "problem/compare.h"

struct options;
struct problem;
struct rung;

/* The part of a problem that a rung is given. */
struct part {
    char shape[64];
    double bytes; /* each input read once, each output written once */
    double flops; /* arithmetic that the definition asks for */
};

struct family {
    /* Checks the sizes, opens the user's files, allocates. NULL and *error on failure. */
    struct problem *(*create)(const struct options *options, const struct back_end *back_end,
                              const struct machine *machine, struct error *error);
    void (*destroy)(struct problem *problem);

    /* Fills the inputs and computes the reference. Input number problem->probes is the real data;
     * the numbers below it are the probes. */
    bool (*load)(struct problem *problem, size_t input, struct error *error);

    /* NaN over the result and everything else that the rung may write, so that stale or missing
     * output is seen. */
    bool (*poison)(struct problem *problem, const struct rung *rung, struct error *error);

    /* Why the rung does not do this problem, or NULL. NULL: every rung does every problem. */
    const char *(*declines)(const struct problem *problem, const struct rung *rung);

    /* The rung's untimed preparation, if it has one. */
    void (*prepare)(const struct problem *problem, const struct rung *rung);

    /* What the rung really used; "" if it has nothing to tell. */
    void (*describe)(const struct problem *problem, const struct rung *rung, char *text);

    /* Enqueues the rung's work. It has ended only after the finish of the rung's
     * back end (rung_back_end). */
    void (*run)(const struct problem *problem, const struct rung *rung);

    /* Fetches the result and compares it with the reference. False only on a device error. */
    bool (*check)(struct problem *problem, const struct rung *rung, struct comparison *comparison,
                  struct error *error);

    /* Pushes what the rung reads out of the caches. */
    bool (*evict)(struct problem *problem, const struct rung *rung, struct error *error);

    /* After the last rung: writes what the user wants to have of the last right result. NULL:
     * nothing. */
    bool (*save)(const struct problem *problem, struct error *error);

    /* What the rung is given; NULL: every rung is given all. */
    void (*part)(const struct problem *problem, const struct rung *rung, struct part *part);
};

/* The part that all families share; each embeds it as its first member. */
struct problem {
    const struct family *family;
    const struct back_end *back_end;
    const char *op; /* result row's columns */
    const char *type;
    char shape[64];
    size_t probes;
    bool is_scalar;     /* the result is one number, which the report shows */
    double answer;      /* that number, from the reference */
    bool inexact_input; /* real data is loaded: a rounding bound applies */
    double bytes;       /* each input read once, each output written once */
    double flops;       /* arithmetic that the definition asks for */
};

/* NaN over, prepare, run, wait, compare: one rung on the inputs that are loaded. */
bool problem_verify(struct problem *problem, const struct rung *rung, struct comparison *comparison,
                    struct error *error);

#endif
