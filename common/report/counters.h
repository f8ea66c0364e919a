/* What tables, charts and the quiz show of the counters: counts, and ratios of counts. */
#ifndef RUNGS_REPORT_COUNTERS_H
#define RUNGS_REPORT_COUNTERS_H

#include "measure/result.h"

enum { FIGURE_TEXT_SIZE = 32 };

/* Figures have numbers from 0 to figure_count() - 1, in the order in which a table shows them. */
size_t figure_count(void);
const char *figure_title(size_t figure);

/* Whether a table shows the figure: it is not 0 in all rows, or belongs there always. */
bool figure_is_shown(const struct results *results, size_t figure);

/* The figure of a row, as a number and as tables show it. NaN and "-" if it was not counted, or is
 * a ratio to 0. */
double figure_value(size_t figure, const struct result *row);
void figure_text(size_t figure, const struct result *row, char text[FIGURE_TEXT_SIZE]);

/* The title of the first figure shown that is about memory accesses, which come last; NULL if there
 * is none. */
const char *counters_first_of_memory(const struct results *results);

#endif
