/* The counters' columns of the table. */
#ifndef RUNGS_REPORT_COUNTERS_H
#define RUNGS_REPORT_COUNTERS_H

#include <stdio.h>

#include "measure/result.h"

void counters_heading(FILE *file, const struct results *results);
void counters_cells(FILE *file, const struct results *results, const struct result *row);

/* The title of the first column that counts memory, as all after it do; NULL: there is none. */
const char *counters_first_of_memory(const struct results *results);

#endif
