/* What the tests of all steps share: run the rungs of a step's table on given sizes and data, and
 * judge them with the verifier that the programs use. */
#ifndef RUNGS_STEP_TEST_H
#define RUNGS_STEP_TEST_H

#include <stdbool.h>
#include <stddef.h>

#include "problem/reduction/reduction.h"
#include "run/step.h"

/* The step under test is `step`; what follows is about its first ladder, or the one chosen. */
const struct ladder *step_test_ladder(void);
void step_test_choose(const struct ladder *ladder);

/* Sets *options, of the ladder's kind, to what it is if the command line says nothing. */
void step_test_defaults(void *options);

/* A reduction's rung by its name. */
const struct reduction_rung *step_test_rung(const char *name);

/* Whether a sanitizer looks on, and each access takes ten times as long. */
#ifdef RUNGS_SANITIZED
enum { STEP_TEST_SANITIZED = true };
#else
enum { STEP_TEST_SANITIZED = false };
#endif

/* The first and the last input to try, of the probes and, behind them, the random data. Probes are
 * exact and show each element that is wrong, missing or added twice; the random data, which show
 * roundings, are for every second problem. Under a sanitizer they alone: it watches addresses,
 * which do not depend on values. */
size_t step_test_first_input(const struct problem *problem);
size_t step_test_last_input(const struct problem *problem);

/* Every rung of the ladder but the lessons and those that cannot run here, on these inputs of the
 * problem that `options` describes. Fails the cmocka test at the first wrong result, with rung,
 * problem and values, and where a rung launches what another one does (measure/kernels.h). */
void step_test_rungs(const struct problem_options *options);

/* The same on the first probe only, which is exact: for problems so large that their inputs take
 * longer to make than the rungs take. */
void step_test_probe(const struct problem_options *options);

/* Every rung of every ladder of the step is verified on a small problem (run/small.h); of those for
 * several GPUs if the chosen one is among them. A cmocka test function. */
void step_test_reached(void **state);

/* step_test_rungs with other blocks and grids than the usual: --block and --grid. A cmocka test
 * function. */
void step_test_blocks(void **state);

/* The sizes at which reductions break: 0, 1, 2, around warps, blocks and powers of two, primes. */
extern const size_t step_test_sizes[];
extern const size_t step_test_size_count;

/* step_test_rungs for all operators, types and edge sizes, each size with inputs aligned and not. A
 * cmocka test function. */
void step_test_reductions(void **state);

/* What one rung computes for the given vectors, which need not come from the project's generator.
 * b is NULL where the operator has one input. */
double step_test_reduce(const struct reduction_rung *rung, enum reduce_op op,
                        enum element_type type, const void *a, const void *b, size_t n);

/* step_test_reduce of every rung on inputs with known answers: 1 + 2 + ... + n, a NaN, infinities,
 * an extremum at each end. A cmocka test function. */
void step_test_known_answers(void **state);

/* Whether the rung's depth is large enough for sums of one 1, at some place, and terms that are
 * half of what a 1 can grow by: in float and double, every one of them that is added to the 1 by
 * itself is lost. No input makes a chain of additions lose more. */
bool step_test_depth_holds(const struct reduction_rung *rung);

/* step_test_depth_holds of every rung. A cmocka test function. */
void step_test_depths(void **state);

/* Every rung that is not marked otherwise gives the same bits in every run: 1,000 of them on a GPU,
 * for an input of a few blocks and one that fills the machine. A cmocka test function. */
void step_test_determinism(void **state);

#endif
/* SPDX-License-Identifier: MIT */
