/* Counts what kernels do, on the simt back end.
 *
 * There, a GPU step is built as two programs: bin/NAME, with kernels compiled for speed, verifies;
 * bin/counted/NAME, with kernels instrumented to report every access (common/simt), is the counting
 * program. The first starts the second:
 *
 *   without --counters   as a child process, which counts while the parent verifies, on a problem
 *                        small enough not to take longer. It sends its results through a pipe, as
 *                        one JSON document for each size (report_json_run).
 *   with --counters      in its own place (exec), on the problem asked for */
#ifndef RUNGS_COUNT_H
#define RUNGS_COUNT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "measure/result.h"

/* Whether this program is the counting program, and whether it is a child process. */
bool count_is_here(const struct back_end *back_end);
bool count_is_beside(void);

/* Replaces this program by the counting program, as the option asks. Returns only if that fails.
 * Code: EXIT_FILE_ERROR. */
bool count_become(char **argv, const char *option, struct error *error);

/* Starts the counting program as a child process, if this build has one. */
void count_start(char **argv, const struct back_end *back_end);
/* Waits for the child's results for one size and adds its counts of memory accesses to the rows. If
 * they do not come, the rows were not checked, and say so. */
void count_receive(struct results *results);
/* Why rows were not checked, with the program's exit code; NULL: they were, or need not be. */
const struct error *count_trouble(void);
/* Ends the child process. */
void count_finish(void);

/* In a child process: the pipe to write results to. NULL if it cannot be opened. */
FILE *count_stream(void);

/* Start counting. Stop, and store the counters, the findings and, unless the format is
 * COUNTERS_NONE, the listing of the kernels' counters in *result. */
void count_begin(const struct back_end *back_end);
void count_end(const struct back_end *back_end, enum counters_format format, struct result *result);

#endif
