/* A problem: inputs, a reference result, and the functions that run a rung on them and judge its
 * answer.
 *
 * Each kind of problem has a folder here with everything that is specific to it: the arguments of a
 * rung, its kind of rung, command-line options, inputs, reference and error bound. The rest of the
 * program sees only struct problem_kind, so that a new kind of problem is a new folder.
 *
 * Each kind judges a rung on several inputs:
 *
 *   probes      small integers, chosen so that all products and partial sums are exact in float, in
 *               any order that does not depend on the data. The answer must equal the reference to
 *               the last bit, so an element that is skipped, read twice, or multiplied by the wrong
 *               partner always shows, however large the problem. (A tolerance cannot guarantee
 *               that: one element of 2^20 is within any valid rounding bound.)
 *   real data   random numbers from the seed, or the user's files. The answer must be within the
 *               rounding bound derived in compare.h. */
#ifndef RUNGS_PROBLEM_H
#define RUNGS_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/option.h"
#include "device/back_end.h"
#include "device/guarded.h"
#include "problem/compare.h"
#include "problem/rung.h"

/* Options that all kinds of problems have. Each kind's struct of options begins with this one. */
struct problem_options {
    uint64_t seed;
    int threads;       /* the most CPU threads that a rung may use */
    const char *a, *b; /* .npy files with the inputs; NULL: random numbers from the seed */
    unsigned gpus;     /* OPTION_GPUS: the number that share the work; ALL_GPUS or 0: all */

    /* Not on the command line, but for tests: inputs start this many elements past an aligned
     * address, and rows of matrices are longer than necessary by this many elements. */
    size_t offset;
    size_t padding;
    size_t skew; /* reductions: b starts this many elements further than a */

    /* For small problems (set_small): how many SMs rungs see, so that they choose the code for
     * larger problems; 0: all. Then whether it is only for rungs that declined the earlier ones. */
    int multiprocessors;
    bool is_for_the_rest;
};

/* Table entries for options that several kinds have. */
#define OPTION_A                                                                                   \
    {                                                                                              \
        "a", "FILE", "read the first input from a NumPy .npy file", OPTION_INPUT,                  \
            .member = offsetof(struct problem_options, a)                                          \
    }
#define OPTION_B                                                                                   \
    {                                                                                              \
        "b", "FILE", "read the second input from a NumPy .npy file", OPTION_INPUT,                 \
            .member = offsetof(struct problem_options, b)                                          \
    }

/* For kinds whose rungs work on several GPUs. --gpus all is ALL_GPUS. */
#define ALL_GPUS ((unsigned)-1)
extern const char *const problem_all_gpus[];
#define OPTION_GPUS                                                                                \
    {                                                                                              \
        "gpus", "N", "share the work between the first N GPUs, or `all`", OPTION_COUNT,            \
            .member = offsetof(struct problem_options, gpus), .minimum = 1, .maximum = MOST_GPUS,  \
            .names = problem_all_gpus                                                              \
    }

/* The part of a problem that a rung is given, if it is not given all. */
struct part {
    char shape[64];
    double bytes; /* the least traffic: each input read once, each output written once */
    double flops; /* operations in the problem's definition, also if the rung does others */
};

struct problem;

struct problem_kind {
    /* ---- options: `options` points to options_size bytes that begin with problem_options ----- */
    size_t options_size;
    const struct option_field *fields;
    size_t field_count;
    /* Sets the defaults that are not 0. emulated: kernels run on the CPU, and are so slow that the
     * default problem is smaller. */
    void (*set_defaults)(struct problem_options *options, bool emulated);
    /* Checks options against each other. size_given: the user gave a size. */
    bool (*check_options)(const struct problem_options *options, bool size_given,
                          struct error *error);
    /* Whether the inputs come from the user's files. NULL: they do if `a` is given. */
    bool (*from_files)(const struct problem_options *options);
    /* Sets all dimensions to `size`, for --sweep. NULL: the kind has no --sweep. */
    void (*set_size)(struct problem_options *options, size_t size);
    /* Makes a large problem small enough to be counted by default. */
    void (*limit_size)(struct problem_options *options);
    /* Sets the options to small problem i, for run/small.h: sizes that leave tails, unaligned
     * inputs, every operator and type. False: there are no more. NULL: the kind has none. */
    bool (*set_small)(struct problem_options *options, size_t i);

    /* ---- the problem ------------------------------------------------------------------------- */
    /* Checks the sizes, opens the user's files and allocates memory. NULL and *error on failure. */
    struct problem *(*create)(const struct problem_options *options,
                              const struct back_end *back_end, const struct machine *machine,
                              struct error *error);
    void (*destroy)(struct problem *problem);

    /* Fills the inputs and computes the reference. Inputs 0 to problem->probes - 1 are the probes,
     * input problem->probes is the real data. */
    bool (*load)(struct problem *problem, size_t input, struct error *error);

    /* Called after the last rung: writes the last right result to the user's file. NULL: the kind
     * has no such file. */
    bool (*save)(struct problem *problem, struct error *error);

    /* ---- running a rung: `rung` points to the first member of the kind's own kind of rung ---- */
    /* Why the rung cannot do this problem, or is not in this build; NULL if it can. */
    const char *(*declines)(const struct problem *problem, const struct rung *rung);

    /* Fills the result with NaN (poison_value), to detect missing or stale output. If `all`, also
     * fills the other memory that the rung may write; prepare may have put data there. */
    bool (*poison)(struct problem *problem, const struct rung *rung, bool all, struct error *error);

    /* The rung's untimed preparation, called after every change of the inputs, before run. NULL: no
     * rung of this kind has any. */
    void (*prepare)(const struct problem *problem, const struct rung *rung);

    /* Starts the rung's work, which is complete only after finish() of rung_back_end. */
    void (*run)(const struct problem *problem, const struct rung *rung);

    /* Describes how the rung ran, such as "avx512, 2 threads"; "" if there is nothing to say. */
    void (*describe)(const struct problem *problem, const struct rung *rung,
                     char text[RUNG_HOW_SIZE]);

    /* The part that the rung is given. NULL: every rung is given all of the problem. */
    struct part (*part)(const struct problem *problem, const struct rung *rung);

    /* Downloads the result and compares it with the reference. A wrong result is not an error: the
     * function returns false only if a device call failed. */
    bool (*check)(struct problem *problem, const struct rung *rung, struct comparison *comparison,
                  struct error *error);

    /* Evicts the rung's inputs from the caches. */
    bool (*evict)(struct problem *problem, const struct rung *rung, struct error *error);
};

/* The members that all kinds have in common. Each kind's own struct begins with it. */
struct problem {
    const struct problem_kind *kind;
    const struct back_end *back_end;
    const char *op; /* op, type and shape as in the result row */
    const char *type;
    char shape[64];
    size_t probes;
    bool is_scalar;     /* the result is one number, which reports show */
    double answer;      /* that number, from the reference */
    bool inexact_input; /* real data is loaded: a rounding bound applies */
    int gpus;           /* GPUs that work together; 0: one */
    double bytes;       /* the least traffic: each input read once, each output written once */
    double flops;       /* operations in the problem's definition */
    double units;       /* the peak of the units for these operations, as a multiple of the peak of
                           the GPU's float32 units; 0: those are the units; NaN: unknown */
};

/* Whether the inputs come from the user's files. */
static inline bool problem_from_files(const struct problem_kind *kind,
                                      const struct problem_options *options)
{
    return kind->from_files != NULL ? kind->from_files(options) : options->a != NULL;
}

/* Why the rung is not run: it cannot do the problem, it is not in this build, or the machine lacks
 * something. NULL if it is run; otherwise a string, which may be in `text`. */
enum { REASON_SIZE = 64 };
const char *problem_declines(const struct problem *problem, const struct rung *rung,
                             const struct machine *machine, char text[REASON_SIZE]);

/* The back end that runs the rung: the step's, or the CPU for a host rung. */
static inline const struct back_end *rung_back_end(const struct rung *rung,
                                                   const struct back_end *of_step)
{
    return rung->flags & RUNG_HOST ? &cpu_back_end : of_step;
}

/* ---- for the kinds of problems --------------------------------------------------------------- */

/* Whether the host has memory for `arrays` bytes of guarded arrays, and `host_only` further bytes.
 * The host has two copies of the arrays if the back end's own memory is host memory (simt). One
 * check for all, because memory_available counts unwritten pages as available. */
bool problem_has_memory(const struct back_end *back_end, double arrays, double host_only,
                        struct error *error);

/* problem_kind's evict, for these arrays. */
bool problem_evict(const struct problem *problem, const struct rung *rung,
                   const struct guarded *const arrays[], size_t count, struct error *error);

/* From now on the GPUs asked for work together (struct back_end's join). *count is their number. */
bool problem_join(const struct problem_options *options, const struct back_end *back_end,
                  int *count, struct error *error);

/* Whether both --a and --b were given, or neither; fills *error if not. */
bool problem_has_both_files(const struct problem_options *options, struct error *error);

#endif
/* SPDX-License-Identifier: MIT */
