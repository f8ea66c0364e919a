/* Times that were recorded on a GPU, for runs without one. The build makes the table from files of
 * docs/results (recorded.txt lists them, scripts/measure/recorded.awk converts them). So a program
 * has the table wherever it is copied to. */
#ifndef RUNGS_RECORDED_H
#define RUNGS_RECORDED_H

#include <stdbool.h>
#include <stdio.h>

#include "measure/result.h"

struct recorded_row {
    const char *rung;
    double median_us, percent_of_peak, speedup_library; /* as in the file; NaN: empty there */
};

/* A ladder at one shape, from one run on one GPU. */
struct recorded_ladder {
    const char *step, *op, *type, *shape;
    const char *device, *file;
    const struct recorded_row *rows;
    size_t row_count;
};

extern const struct recorded_ladder recordings[];
extern const size_t recording_count;

/* Prints the recordings of the results' ladder: a row for each rung that ran, and for libraries.
 * Prints nothing if its step, operator and type have no recording. */
void report_recorded(FILE *file, const struct results *results, bool colour, size_t width);

#endif
/* SPDX-License-Identifier: MIT */
