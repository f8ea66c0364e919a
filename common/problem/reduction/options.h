/* The command-line options of reductions of vectors, and of a matrix's rows or columns. */
#ifndef RUNGS_REDUCTION_OPTIONS_H
#define RUNGS_REDUCTION_OPTIONS_H

#include "problem/problem.h"
#include "problem/reduction/reduction.h"

/* No --type on the command line: the type is that of the files, or float if there are none. */
enum { TYPE_NOT_GIVEN = -1 };

struct reduction_options {
    struct problem_options base;
    size_t n;             /* elements of a vector, or columns of a matrix */
    size_t m;             /* rows of a matrix */
    int op;               /* enum reduce_op */
    int type;             /* enum element_type, or TYPE_NOT_GIVEN */
    unsigned block, grid; /* as in struct reduction */
};

/* The names of the operators and types, in the order of their enums; the lists end with NULL. */
extern const char *const reduce_op_names[];
extern const char *const element_type_names[];

/* The members of reduction_kind that deal with options (struct problem_kind). The first
 * REDUCTION_FIELDS are for all kinds. grid_reduction_kind has also the next one,
 * block_reduction_kind has all. gpus_reduction_kind has a table of its own. */
enum { REDUCTION_FIELDS = 5, GRID_REDUCTION_FIELDS, BLOCK_REDUCTION_FIELDS };
extern const struct option_field reduction_fields[BLOCK_REDUCTION_FIELDS];
extern const struct option_field gpus_reduction_fields[REDUCTION_FIELDS + 1];
void reduction_set_defaults(struct problem_options *options, bool emulated);
bool reduction_check_options(const struct problem_options *options, bool size_given,
                             struct error *error);
void reduction_set_size(struct problem_options *options, size_t size);
void reduction_limit_size(struct problem_options *options);
bool reduction_set_small(struct problem_options *options, size_t i);

#endif
/* SPDX-License-Identifier: MIT */
