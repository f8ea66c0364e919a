/* Times that were recorded on a GPU, for runs without one. The table is made from files of
 * docs/results when the project is built (recorded.txt says which, scripts/measure/recorded.awk
 * how), so that a program has it wherever it is copied to. */
#ifndef RUNGS_RECORDED_H
#define RUNGS_RECORDED_H

#include <stdbool.h>
#include <stdio.h>

#include "measure/result.h"

struct recorded_row {
    const char *rung;
    double median_us, percent_of_peak, speedup_library; /* as in the file; NaN: empty there */
};

/* A ladder at one shape, of one run on one GPU. */
struct recorded_ladder {
    const char *step, *op, *type, *shape;
    const char *device, *file;
    const struct recorded_row *rows;
    size_t row_count;
};

extern const struct recorded_ladder recordings[];
extern const size_t recording_count;

/* Prints what was recorded of the results' ladder: a row for each rung that ran, and for libraries.
 * Nothing if its step, operator and type have no recording. */
void report_recorded(FILE *file, const struct results *results, bool colour, size_t width);

#endif
/* SPDX-License-Identifier: MIT */
