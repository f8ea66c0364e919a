/* The columns of the table that show counters. */
#ifndef RUNGS_REPORT_COUNTERS_H
#define RUNGS_REPORT_COUNTERS_H

#include <stdio.h>

#include "measure/result.h"

/* Print the columns' titles, and the cells of one row. */
void counters_heading(FILE *file, const struct results *results);
void counters_cells(FILE *file, const struct results *results, const struct result *row);

/* The title of the first column about memory accesses, which come last; NULL if there is none. */
const char *counters_first_of_memory(const struct results *results);

#endif
