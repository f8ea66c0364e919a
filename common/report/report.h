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

/* Prints what was run, and on which device, above the table, the chart or the quiz. */
void report_heading(FILE *file, const struct results *results, bool colour);
/* width: of lines, 0 for any (columns.h). Skipped rungs are listed below the table. */
void report_table(FILE *file, const struct results *results, bool colour, size_t width);
/* A bar chart of the lesson's counters that differ between rungs, or of the times (--chart).
 * unicode: false prints ASCII only. */
enum { MOST_BARS = 64 };
void report_chart(FILE *file, const struct results *results, size_t width, bool unicode);

/* Asks, for each rung, for a count or a ratio before the table shows it (--quiz). */
void report_quiz(FILE *in, FILE *out, const struct results *results);

/* Whether the user's locale has characters beyond ASCII. */
bool prints_unicode(void);

void report_histograms(FILE *file, const struct results *results);

/* Prints the output of --counters below the table or, as JSON, instead of it: the kernels' counters
 * and the findings of the analysis. */
void report_counters(FILE *file, const struct results *results, enum counters_format format);

/* Prints, without --counters, the findings of rungs that fail because of them, below the table. */
void report_findings(FILE *file, const struct results *results);

/* Prints the command with which Nsight Compute counts the same on a GPU. with_timing: the arguments
 * already say how many runs to time. */
void report_ncu_command(FILE *file, char **argv, bool with_timing);

/* The file of --csv, --json or --counters-csv, with the rows of all sizes. */
struct report_file {
    struct whole_file file;
    size_t rows;        /* written so far */
    const char *ending; /* text to write at the end, or NULL */
};

/* If the path is NULL, the user wants no such file, and the functions below do nothing. */
bool report_open(struct report_file *report, const char *path, struct error *error);
void report_csv(struct report_file *report, const struct results *results);
void report_json(struct report_file *report, const struct results *results);
/* The counters of every row, one column each: a separate file, as the header of --csv is fixed. */
void report_counters_csv(struct report_file *report, const struct results *results);
bool report_commit(struct report_file *report, struct error *error);
void report_discard(struct report_file *report);

#endif
/* SPDX-License-Identifier: MIT */
