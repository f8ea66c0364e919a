/* Counting on the simt back end.
 *
 * A GPU step is built twice there: bin/NAME, whose kernels are compiled as fast as they get,
 * verifies; bin/counted/NAME, whose kernels tell the back end of every access (common/simt), counts.
 * The first starts the second where counts are wanted:
 *
 *   without --counters   beside itself, while it verifies, on a problem small enough not to take
 *                        longer; the second sends its results as JSON (report_json_run), one
 *                        document a size
 *   with --counters      in its place, on the problem asked for */
#ifndef RUNGS_COUNT_H
#define RUNGS_COUNT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "measure/result.h"

/* Whether this is the counting program, and whether it counts beside another. */
bool count_is_here(const struct back_end *back_end);
bool count_is_beside(void);

/* Becomes the counting program. Returns only if that fails. Code: EXIT_FILE_ERROR. */
bool count_become(char **argv, struct error *error);

/* Starts the counting program beside this one, if there is one. */
void count_start(char **argv, const struct back_end *back_end);
/* Adds what the counting program sends to the results of the same size. */
void count_receive(struct results *results);
void count_finish(void);

/* In the counting program: where to write the results for the other. NULL: nobody listens. */
FILE *count_stream(void);

/* Start counting; stop, and store counters, findings and, unless the format is COUNTERS_NONE, the
 * listing of the kernels' counters. */
void count_begin(const struct back_end *back_end);
void count_end(const struct back_end *back_end, enum counters_format format, struct result *result);

#endif
