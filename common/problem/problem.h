/* A problem: inputs, a reference result, and the means to run a rung on them and judge the answer.
 *
 * Each kind of problem has a folder here, which owns all that is particular to it: what a rung is
 * called with, its kind of rung, its command-line options, inputs, reference and error bound. The
 * rest of the program knows a problem by struct problem_kind only, so that a new one is a new
 * folder.
 *
 * Each kind judges a rung on several inputs:
 *
 *   probes      small integers, chosen so that every product and every partial sum, in any order
 *               that does not look at the data, is exact in float. The answer must equal the
 *               reference to the last bit, so an element skipped, read twice, or paired with the
 *               wrong partner always shows, however large the problem. (A tolerance cannot promise
 *               that: one element in 2^20 is within any honest rounding bound.)
 *   real data   random numbers from the seed, or the user's files. The answer must lie within the
 *               rounding bound derived in compare.h. */
#ifndef RUNGS_PROBLEM_H
#define RUNGS_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/option.h"
#include "device/back_end.h"
#include "problem/compare.h"
#include "problem/rung.h"

/* What all kinds of problems are made from; each kind's own options begin with it. */
struct problem_options {
    uint64_t seed;
    int threads;       /* CPU threads that a rung may use */
    const char *a, *b; /* .npy files with the inputs, or NULL: random numbers from the seed */

    /* Not on the command line: the tests start inputs this many elements past an aligned address,
     * and give matrices this many extra columns. */
    size_t offset;
    size_t padding;
};

/* Options that several kinds have, for their tables. */
#define OPTION_A                                                                                   \
    {                                                                                              \
        "a", "FILE", "first input from a NumPy .npy file", OPTION_TEXT,                            \
            .member = offsetof(struct problem_options, a)                                          \
    }
#define OPTION_B                                                                                   \
    {                                                                                              \
        "b", "FILE", "second input likewise", OPTION_TEXT,                                         \
            .member = offsetof(struct problem_options, b)                                          \
    }

/* The part of a problem that a rung is given. */
struct part {
    char shape[64];
    double bytes; /* each input read once, each output written once */
    double flops; /* arithmetic that the definition asks for */
};

struct problem;

struct problem_kind {
    /* ---- options: `options` points to options_size bytes, which begin with problem_options ---- */
    size_t options_size;
    const struct option_field *fields;
    size_t field_count;
    /* Sets what is not 0. emulated: kernels run on the CPU, so that a smaller problem will do. */
    void (*set_defaults)(struct problem_options *options, bool emulated);
    /* What no single option can tell; size_given: some option said how large the problem is. */
    bool (*check_options)(const struct problem_options *options, bool size_given,
                          struct error *error);
    /* Whether the inputs are the user's. NULL: if `a` is given. */
    bool (*from_files)(const struct problem_options *options);
    /* All sizes, for --sweep. NULL: the kind has no single size. */
    void (*set_size)(struct problem_options *options, size_t size);
    /* Makes a large problem small enough to be counted beside the one that is verified. */
    void (*limit_size)(struct problem_options *options);

    /* ---- the problem -------------------------------------------------------------------------- */
    /* Checks the sizes, opens the user's files, allocates. NULL and *error on failure. */
    struct problem *(*create)(const struct problem_options *options,
                              const struct back_end *back_end, const struct machine *machine,
                              struct error *error);
    void (*destroy)(struct problem *problem);

    /* Fills the inputs and computes the reference. Input number problem->probes is the real data;
     * the numbers below it are the probes. */
    bool (*load)(struct problem *problem, size_t input, struct error *error);

    /* After the last rung: writes what the user wants to have of the last right result. NULL:
     * nothing. */
    bool (*save)(const struct problem *problem, struct error *error);

    /* ---- a rung on it: `rung` begins the kind's own kind of rung ------------------------------- */
    /* Why the rung does not do this problem or is not in this build; NULL if it does. */
    const char *(*declines)(const struct problem *problem, const struct rung *rung);

    /* NaN over the result and everything else that the rung may write, so that stale or missing
     * output is seen. */
    bool (*poison)(struct problem *problem, const struct rung *rung, struct error *error);

    /* The rung's untimed preparation: after every change of the inputs, before run. NULL: none. */
    void (*prepare)(const struct problem *problem, const struct rung *rung);

    /* Enqueues the rung's work. It has ended only after the finish of the rung's back end
     * (rung_back_end). */
    void (*run)(const struct problem *problem, const struct rung *rung);

    /* What the rung really used; "" if it has nothing to tell. */
    void (*describe)(const struct problem *problem, const struct rung *rung,
                     char text[RUNG_HOW_SIZE]);

    /* What the rung is given. NULL: every rung is given all. */
    struct part (*part)(const struct problem *problem, const struct rung *rung);

    /* Fetches the result and compares it with the reference. False only on a device error. */
    bool (*check)(struct problem *problem, const struct rung *rung, struct comparison *comparison,
                  struct error *error);

    /* Pushes what the rung reads out of the caches. */
    bool (*evict)(struct problem *problem, const struct rung *rung, struct error *error);
};

/* The part that all kinds share; each embeds it as its first member. */
struct problem {
    const struct problem_kind *kind;
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

/* Whether the inputs are the user's. */
static inline bool problem_from_files(const struct problem_kind *kind,
                                      const struct problem_options *options)
{
    return kind->from_files != NULL ? kind->from_files(options) : options->a != NULL;
}

/* What runs the rung in a step with the given back end. */
static inline const struct back_end *rung_back_end(const struct rung *rung,
                                                   const struct back_end *of_step)
{
    return rung->flags & RUNG_HOST ? &cpu_back_end : of_step;
}

#endif
