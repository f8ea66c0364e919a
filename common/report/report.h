/* Writes results as a table, CSV, JSON and histograms. Reports only read results.
 *
 * The CSV header does not change; a field that does not apply is empty:
 *   step,rung,op,type,shape,seed,backend,device,cache,warmups,reps,min_us,median_us,mean_us,std_us,
 *   max_us,gb_per_s,gflop_per_s,percent_of_peak,speedup_first,speedup_library,error,error_bound,
 *   verdict
 * Times are in microseconds per call. backend and device are those that ran the rung: for a host
 * rung in a GPU step, `cpu` and the host's processor. device names the processor and, for a GPU,
 * the driver and the toolkit. error is |computed - reference|, error_bound the largest accepted
 * error (compare.h). result.h describes the other fields. */
#ifndef RUNGS_REPORT_H
#define RUNGS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/whole_file.h"
#include "measure/result.h"

void report_table(FILE *file, const struct results *results, bool colour);
void report_histograms(FILE *file, const struct results *results);

/* What --counters prints below the table or, as JSON, instead of it: the kernels' counters and the
 * findings of the analysis. */
void report_counters(FILE *file, const struct results *results, enum counters_format format);

/* Prints the command with which Nsight Compute counts the same on a GPU. with_timing: the arguments
 * already say how often to run. */
void report_ncu_command(FILE *file, char **argv, bool with_timing);

/* Writes the results of one size as a JSON document, from the counting program to its parent
 * (measure/count.h). */
void report_json_run(FILE *file, const struct results *results);

/* The file of --csv or --json, with the rows of all sizes. */
struct report_file {
    struct whole_file file;
    size_t rows;        /* written so far */
    const char *ending; /* text to write at the end, or NULL */
};

/* path NULL: the user wants no such file, and the functions below do nothing. */
bool report_open(struct report_file *report, const char *path, struct error *error);
void report_csv(struct report_file *report, const struct results *results);
void report_json(struct report_file *report, const struct results *results);
bool report_commit(struct report_file *report, struct error *error);
void report_discard(struct report_file *report);

#endif
