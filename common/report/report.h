/* Results as a table, CSV, JSON and histograms. Reports only read results.
 *
 * The CSV header is a contract; a field that does not apply is empty:
 *   step,rung,op,type,shape,seed,backend,device,cache,warmups,reps,min_us,median_us,mean_us,std_us,
 *   max_us,gb_per_s,gflop_per_s,percent_of_peak,speedup_first,speedup_library,error,error_bound,
 *   verdict
 * Times are microseconds of one call. backend and device are the rung's: `cpu` and the host's
 * processor for one that runs there in a GPU step. device names the processor, and on a GPU driver
 * and toolkit. error is |computed - reference| and error_bound the largest accepted (compare.h). The
 * other fields are those of result.h. */
#ifndef RUNGS_REPORT_H
#define RUNGS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/whole_file.h"
#include "measure/result.h"

void report_table(FILE *file, const struct results *results, bool colour);
void report_histograms(FILE *file, const struct results *results);

/* What --counters adds below the table, or prints in place of it: the kernels' counters and what was
 * found. */
void report_counters(FILE *file, const struct results *results, enum counters_format format);

/* The command that makes Nsight Compute count the same on a GPU; with_timing: the arguments say how
 * often to run. */
void report_ncu_command(FILE *file, char **argv, bool with_timing);

/* One size as a JSON document by itself, for the program that this one counts beside. */
void report_json_run(FILE *file, const struct results *results);

/* A file asked for with --csv or --json, with the rows of all sizes. */
struct report_file {
    struct whole_file file;
    size_t rows;        /* so far */
    const char *ending; /* what closes the text, or NULL */
};

/* path NULL: not asked for; then the functions below do nothing. */
bool report_open(struct report_file *report, const char *path, struct error *error);
void report_csv(struct report_file *report, const struct results *results);
void report_json(struct report_file *report, const struct results *results);
bool report_commit(struct report_file *report, struct error *error);
void report_discard(struct report_file *report);

#endif
