/* Command-line options, the same in all steps (getopt_long). */
#ifndef RUNGS_OPTIONS_H
#define RUNGS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "device/back_end.h"
#include "problem/matrix_reduction/matrix_reduction.h"
#include "problem/reduction/reduction.h"

struct step;

enum { MAX_RUNGS_NAMED = 64 };

struct options {
    const struct step *table; /* the step, or the table of it that --axis selects */
    enum matrix_axis axis;

    size_t n; /* reduction: elements; a matrix, and gemm's C: columns */
    size_t m, k;
    size_t batch, channels, height, width, filters, kernel_height, kernel_width;
    size_t stride, pad, dilation;
    float alpha, beta;

    enum reduce_op op;
    enum element_type type;
    bool type_given; /* otherwise the type follows from the files */

    const char *rungs[MAX_RUNGS_NAMED];
    size_t rung_count; /* 0: all */

    size_t warmup;
    size_t reps; /* 0: as many samples as fit in a fixed time (trial.h) */
    uint64_t seed;
    const char *a, *b;                   /* .npy files, or NULL */
    const char *image, *filter, *output; /* conv: a PNG file, picture_filter's name, a PNG file */
    const char *csv, *json;
    bool histogram, cold;
    enum counters_format counters;
    size_t sweep_from, sweep_to, sweep_factor; /* sweep_factor 0: no sweep */
    int device;
    int threads; /* CPU steps; default: the processors this process may use */

    /* Not on the command line: the tests start inputs this many elements past an aligned address,
     * and give matrices this many extra columns. */
    size_t offset;
    size_t padding;
};

enum options_outcome { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_BAD };

/* The defaults of a step or one of its tables, before any argument is read. */
void options_default(struct options *options, const struct step *step);

/* options->table is `step` or, with --axis, one of its two others. OPTIONS_DONE: --help, --version
 * or --list printed to `out` what was asked for. */
enum options_outcome options_parse(int argc, char **argv, const struct step *step,
                                   struct options *options, FILE *out, struct error *error);

#endif
