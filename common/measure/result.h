/* What came of a ladder at one size: the one record that the runner fills and the reports read.
 *
 * Times are microseconds of one call. percent_of_peak is the shortest time that the machine's peak
 * bandwidth and peak arithmetic allow, as a share of the median; a host rung in a GPU step has none,
 * since the peaks are the GPU's. speedup_first is over the ladder's first rung, wherever that runs;
 * speedup_library over the best library rung on the same processor: a GPU's rungs are not measured
 * against OpenBLAS, nor the host's against cuBLAS. A rung that was given a part of the problem has
 * that part's shape; its speed-ups compare rates. */
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

/* One rung's. */
struct result {
    const char *rung;     /* its name */
    const char *back_end; /* what ran it: its name */
    bool on_host;         /* the host's CPU, in a GPU step */
    bool is_library, is_lesson;

    /* What happened; result_conclude draws the verdict from it. */
    bool skipped;                 /* reason says why */
    bool wrong, wrong_on_probe;   /* comparison says where */
    bool broke_rule;              /* of CUDA, while it was counted */
    struct comparison comparison; /* with the real data, or the wrong one */

    enum verdict verdict;
    char reason[192];        /* why the rung failed, raced or was skipped; else "" */
    char how[RUNG_HOW_SIZE]; /* what the rung really used; else "" */

    bool timed;
    struct trial trial;
    bool is_part; /* the rung was given `part`, not all of the problem */
    struct part part;
    bool counted;
    struct counters counters;
    char *findings, *listing; /* of the analysis, by malloc; or NULL */

    /* Derived by results_derive; NaN where they do not apply. */
    double gb_per_s, gflop_per_s, percent_of_peak, speedup_first, speedup_library;
};

/* Those of one size, and what they have in common. */
struct results {
    const char *step, *back_end;
    bool has_clocks;        /* false on simt: how long emulation takes says nothing about a GPU */
    struct machine machine; /* what ran the rungs */
    struct machine host;    /* and those on the host, if the name is not "" */
    uint64_t seed;
    bool cold;
    char op[16], type[8], shape[64];
    char counted_shape[64]; /* of the problem whose memory was counted, if another; else "" */
    bool from_files;        /* the data are the user's */
    double bytes, flops;
    bool is_scalar; /* the result is one number: `answer`, by the reference */
    double answer;
    double peak_gb_per_s;
    char not_counted[96]; /* why the counts of memory that the table shows are missing; else "" */
    struct result *rows;
    size_t row_count;
};

/* Sets what the rung is, in a step with that back end. */
void result_start(struct result *result, const struct rung *rung, const struct back_end *back_end);

/* Notes that the rung is not run, and why. */
void result_skip(struct result *result, const char *reason);

/* Notes the outcome of one input. What was wrong once stays wrong; of a lesson, which goes on, the
 * last wrong answer is kept: the real data's, if that was wrong too. */
void result_note(struct result *result, const struct comparison *comparison, bool probe);

/* Draws verdict and reason from what was noted. hint: where the broken rule is told. */
void result_conclude(struct result *result, const char *hint);

/* Fills in what depends on all rows: rates, shares of the peak, speed-ups. */
void results_derive(struct results *results);

void results_free(struct results *results);

#endif
