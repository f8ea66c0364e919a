/* Counting on the simt back end.
 *
 * A GPU step is built twice there: bin/NAME, whose kernels are compiled as fast as they get,
 * verifies; bin/counted/NAME, whose kernels tell the back end of every access (common/simt),
 * counts. The first starts the second where counts are wanted:
 *   without --counters   beside itself, while it verifies, on a problem small enough not to take longer
 *   with --counters      in its place, on the problem asked for
 * */
#ifndef RUNGS_COUNTED_H
#define RUNGS_COUNTED_H

#include <stdbool.h>

#include "report/report.h"
#include "run/options.h"
#include "run/step.h"

/* In the counted program: whether this is one, and started to count beside another. */
bool counted_is_here(const struct step *step);
bool counted_beside(void);

/* Becomes the counted program. Returns only if that fails. */
bool counted_become(char **argv, struct error *error);

/* Starts the counted program beside this one; if that fails, there are no counts. */
void counted_start(char **argv, const struct step *step, const struct options *options);
/* Takes the counts of a run's rows, in the order in which counted_send sent them. */
void counted_receive(struct run *run);
void counted_send(const struct run *run);
void counted_finish(void);

/* The options, with the problem made small enough to be counted beside. */
struct options counted_options(const struct step *step, const struct options *options);

/* What is counted of the rung that runs next, and the end of it: the row's counters, and as text
 * what was found and, with --counters, the kernels' counters. False: a rule was broken. */
void counted_begin(const struct step *step);
bool counted_end(const struct step *step, const struct options *options, struct row *row);

/* What --counters adds below the table, or prints in place of it. */
void counted_print(FILE *file, const struct run *run, const struct options *options);

/* The command that makes Nsight Compute count the same on a GPU. */
void counted_print_ncu(FILE *file, char **argv, const struct options *options);

/* The counters' columns of the table. */
void counted_heading(FILE *file, const struct run *run);
/* The title of the first column that counts memory, as all after it do; NULL: there is none. */
const char *counted_first_of_memory(const struct run *run);
void counted_cells(FILE *file, const struct run *run, const struct row *row);

#endif
