/* The figures that tables, charts and the quiz show: counts, and ratios of counts. */
#ifndef RUNGS_REPORT_COUNTERS_H
#define RUNGS_REPORT_COUNTERS_H

#include "measure/result.h"

enum { FIGURE_TEXT_SIZE = 32 };

/* Figures have numbers from 0 to figure_count() - 1. */
enum { MOST_FIGURES = 16 };
size_t figure_count(void);
const char *figure_title(size_t figure);
const char *figure_meaning(size_t figure); /* in one line */

/* Sets order[] to the figures that a table shows, those of the lesson first. Returns their
 * number. */
size_t figures_shown(const struct results *results, size_t order[MOST_FIGURES]);

/* How many of the shown figures the lesson names. */
size_t figures_of_lesson(const struct results *results);

/* Whether tables show the same figures for both. */
bool figures_equal(const struct result *a, const struct result *b);

/* Whether a table shows the figure: it is not 0 in all rows, or is always shown. */
bool figure_is_shown(const struct results *results, size_t figure);

/* The figure of a row, as a number and as tables show it. NaN and "-" if it was not counted, or is
 * a ratio to 0. */
double figure_value(size_t figure, const struct result *row);
void figure_text(size_t figure, const struct result *row, char text[FIGURE_TEXT_SIZE]);

/* Sets titles[] to the titles of the shown figures about memory accesses. Returns their number. */
size_t counters_of_memory(const struct results *results, const char *titles[MOST_FIGURES]);

#endif
/* SPDX-License-Identifier: MIT */
