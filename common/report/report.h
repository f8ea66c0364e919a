/* One result row for every rung of every step, as a table, CSV and JSON.
 *
 * The CSV header is a contract; a field that does not apply is empty:
 *   step,rung,op,type,shape,seed,backend,device,cache,warmups,reps,min_us,median_us,mean_us,std_us,
 *   max_us,gb_per_s,gflop_per_s,percent_of_peak,speedup_first,speedup_library,error,error_bound,
 *   verdict
 * Times are microseconds of one call. backend and device are the rung's: `cpu` and the host's
 * processor for one that runs there in a GPU step (RUNG_HOST). device names the processor, and on a
 * GPU driver and toolkit. percent_of_peak is the shortest time that the machine's peak bandwidth
 * and peak arithmetic allow, as a share of the median; a host rung in a GPU step has none, since
 * the peaks are the GPU's. speedup_first is over the step's first rung, wherever that runs;
 * speedup_library over the best library rung on the same processor: a GPU's rungs are not measured
 * against OpenBLAS, nor the host's against cuBLAS. A rung that was given a part of the problem has
 * that part's shape; its speed-ups compare rates. error is |computed - reference| and error_bound
 * the largest accepted (compare.h). */
#ifndef RUNGS_REPORT_H
#define RUNGS_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "device/back_end.h"
#include "measure/trial.h"
#include "problem/problem.h"
#include "run/step.h"

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_RACY, VERDICT_SKIP };

struct row {
    const struct rung *rung;
    enum verdict verdict;
    char how[RUNG_HOW_SIZE]; /* what the rung really used; else "" */
    char reason[192];        /* why a rung failed, raced or was skipped; else "" */
    struct comparison comparison;
    struct trial trial;
    bool timed;
    struct part part; /* what the rung was given, if that was not all; else the shape is "" */
    struct counters counters;
    bool counted;
    char *findings, *listing; /* of the analysis, by malloc; or NULL */
    /* Derived by report_finish_run; NaN where they do not apply. */
    double gb_per_s, gflop_per_s, percent_of_peak, speedup_first, speedup_library;
};

/* The rows of one size of one step, and what they have in common. */
struct run {
    const struct step *step;
    const struct machine *machine;
    const struct machine *host; /* what runs the host rungs of a GPU step; NULL: there are none */
    uint64_t seed;
    bool cold;
    char op[16], type[8], shape[64];
    char counted_shape
        [64];        /* of the problem whose memory counts these are, if it is another; else "" */
    bool from_files; /* the data are the user's */
    double bytes, flops;
    bool is_scalar; /* the result is one number: `answer`, by the reference */
    double answer;
    double peak_gb_per_s;
    struct row *rows;
    size_t row_count;
};

/* Fills in what depends on all rows: rates and speedups. */
void report_finish_run(struct run *run);

void report_table(FILE *file, const struct run *run, bool colour);
void report_histograms(FILE *file, const struct run *run);

/* A file asked for with --csv or --json. Rows are kept in memory; the file is written beside its
 * place and moved there when the program is done, so that an interrupted run leaves the old file
 * whole and nothing half written. A path that is no regular file (a pipe, /dev/stdout) is written
 * in place. */
struct report_file {
    const char *path; /* NULL: not asked for, and the functions below do nothing */
    FILE *text;
    char *buffer;
    size_t length;
    size_t rows;        /* so far */
    const char *ending; /* what closes the file, or NULL */
};

/* Tries whether the place can be written before any work is done. */
bool report_open(struct report_file *report, const char *path, struct error *error);
void report_csv(struct report_file *report, const struct run *run);
void report_json(struct report_file *report, const struct run *run);
/* Writes the file and closes the report. */
bool report_commit(struct report_file *report, struct error *error);
/* Closes a report without writing anything. */
void report_discard(struct report_file *report);

#endif
