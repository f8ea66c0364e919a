/* The results of a ladder at one size: the runner fills them in, reports read them.
 *
 * Times are in microseconds per call. percent_of_peak is the shortest time that peak bandwidth and
 * peak arithmetic allow, as a percentage of the median, never above 100. A host rung in a GPU step
 * has none, because the peaks are the GPU's. A rung that these peaks do not limit has none either.
 * speedup_first is relative to the first timed rung of the table, on any processor. speedup_library
 * is relative to the fastest library rung on the same processor: a GPU's rungs are not compared
 * with OpenBLAS, nor host rungs with cuBLAS. For a rung that was given only a part of the problem,
 * speedups compare rates. */
#ifndef RUNGS_RESULT_H
#define RUNGS_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/back_end.h"
#include "measure/trial.h"
#include "problem/problem.h"

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_RACY, VERDICT_SKIP };

/* "pass", "fail", "racy" or "skip". */
const char *verdict_name(enum verdict verdict);

/* The result of one rung: a row of a report. */
struct result {
    const char *rung;     /* the rung's name */
    const char *idea;     /* its idea, in one line */
    const char *back_end; /* name of the back end that ran it */
    bool on_host;         /* a host rung in a GPU step */
    bool is_library, is_lesson;
    bool other_arithmetic; /* as RUNG_OTHER_ARITHMETIC */

    /* What happened; result_conclude derives the verdict from it. */
    bool skipped;                 /* reason says why */
    bool ran;                     /* on at least one input */
    bool wrong, wrong_on_probe;   /* comparison says which element */
    bool wrong_after_timing;      /* right before it was timed, wrong in the last call */
    char wrong_with[96];          /* "with PROBLEM: ": a small problem was wrong; else "" */
    bool too_fast;                /* its rate is beyond what the machine can do */
    bool broke_rule;              /* the analysis has findings, such as a data race */
    struct comparison comparison; /* the wrong one, or else the one on the real data */

    enum verdict verdict;
    char reason[256];        /* why the rung failed, raced or was skipped; else "" */
    char how[RUNG_HOW_SIZE]; /* how the rung ran, such as "avx512, 2 threads"; else "" */

    bool timed;
    struct trial trial;
    bool is_part; /* the rung was given `part` instead of the whole problem */
    struct part part;
    bool counted;
    struct counters counters;
    char counted_shape[64];   /* the shape for which memory was counted, if another; else "" */
    struct kernels kernels;   /* of one run; none if the back end does not say */
    const char *same_kernels; /* a rung that launches the same without a reason; NULL: none */
    char *findings, *listing; /* texts of the analysis, from malloc, or NULL */

    /* Set by results_derive; NaN if they do not apply. */
    double gb_per_s, gflop_per_s, percent_of_peak, speedup_first, speedup_library;
    bool has_other_peak; /* the peak does not limit the rung, so it has no percentage */
};

/* The results of all rungs at one size, and what they have in common. */
struct results {
    const char *step, *back_end;
    const char *lesson;     /* as struct ladder */
    bool has_clocks;        /* false on simt, whose speed says nothing about a GPU */
    struct machine machine; /* what the step's back end runs on */
    struct machine host;    /* the CPU that ran the host rungs; name "" if there are none */
    uint64_t seed;
    bool cold;
    char op[16], type[8], shape[64];
    bool from_files; /* the inputs come from the user's files */
    double bytes, flops;
    double units;   /* as in struct problem */
    bool is_scalar; /* the result is one number: `answer`, from the reference */
    double answer;
    double peak_gb_per_s;
    struct result *rows;
    size_t row_count;
};

/* Initializes the result of a rung, in a step with that back end. */
void result_start(struct result *result, const struct rung *rung, const struct back_end *back_end);

/* Records that the rung is skipped, and why. */
void result_skip(struct result *result, const char *reason);

/* result_unfinished: the run ended before the rung was verified and checked. result_ended: the rung
 * itself ended the run. */
void result_unfinished(struct result *result, const char *by);
void result_ended(struct result *result, const char *why);

/* Records the comparison for one input. A rung that was wrong once stays wrong. A lesson is run on
 * all inputs even if it is wrong; its last wrong comparison is kept. */
void result_note(struct result *result, const struct comparison *comparison, bool probe);

/* Records the comparison for a small problem with which the rung is wrong, and that problem. */
void result_note_small(struct result *result, const struct comparison *comparison,
                       const char *problem);

/* Records that the rung launches the same kernels as another one, with this small problem or, if
 * that is NULL, with the problem that was asked for. */
void result_note_same_kernels(struct result *result, const char *rung, const char *problem);

/* Derives verdict and reason from the records. hint: where the report shows the findings. */
void result_conclude(struct result *result, const char *hint);

/* Records the comparison of the last call after timing, if it is wrong. */
void result_note_last(struct result *result, const struct comparison *comparison);

/* Whether a rung was timed at an impossible rate: beyond the peak and beyond what is known to
 * exceed it (caches, algorithms with fewer operations, tensor cores, the noise of the probe). */
bool results_exceed_peak(const struct results *results);

/* The highest rate of a rung that is not too fast for this machine; 0 if none was timed. */
double results_most_gb_per_s(const struct results *results);

/* The peak of the units that the problem is for; NaN or 0 if it is unknown. */
double results_peak_gflop_per_s(const struct results *results);

/* Fills in the values that depend on all rows: rates, percentages of the peak, speedups. A rate for
 * which results_exceed_peak is true becomes a failure: an error of measurement. */
void results_derive(struct results *results);

void results_free(struct results *results);

#endif
/* SPDX-License-Identifier: MIT */
