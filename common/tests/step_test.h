/* Functions that the tests of all steps share. They run the rungs of a step's table on given sizes
 * and data, and judge them with the verifier that the programs use. */
#ifndef RUNGS_STEP_TEST_H
#define RUNGS_STEP_TEST_H

#include <stdbool.h>
#include <stddef.h>

#include "problem/reduction/reduction.h"
#include "run/step.h"

/* The step under test is `step`. These functions use its first ladder, or the chosen one. */
const struct ladder *step_test_ladder(void);
void step_test_choose(const struct ladder *ladder);

/* Sets *options, of the ladder's kind, to the defaults of the command line. */
void step_test_defaults(void *options);

/* A reduction's rung by its name. */
const struct reduction_rung *step_test_rung(const char *name);

/* Whether a sanitizer is active. Each access then takes ten times as long. */
#ifdef RUNGS_SANITIZED
enum { STEP_TEST_SANITIZED = true };
#else
enum { STEP_TEST_SANITIZED = false };
#endif

/* The first and the last input to try. The probes come first, then the random data. Probes are
 * exact and detect each element that is wrong, missing or added twice. The random data detect
 * rounding errors; every second problem uses them. A sanitizer gets only the random data, because
 * it checks addresses, which do not depend on values. */
size_t step_test_first_input(const struct problem *problem);
size_t step_test_last_input(const struct problem *problem);

/* Runs the rungs of the ladder, except for lessons and rungs that cannot run here, on these inputs
 * of the problem in `options`. Fails the cmocka test at the first wrong result, with rung, problem
 * and values, or if a rung launches the kernels of another rung (measure/kernels.h). */
void step_test_rungs(const struct problem_options *options);

/* The same on the first probe only, which is exact. For large problems, whose inputs take longer to
 * make than the rungs take. */
void step_test_probe(const struct problem_options *options);

/* Verifies every rung of every ladder of the step on a small problem (run/small.h). Includes
 * ladders for several GPUs only if the chosen one is such a ladder. A cmocka test function. */
void step_test_reached(void **state);

/* step_test_rungs with blocks and grids that differ from the defaults (--block and --grid). A
 * cmocka test function. */
void step_test_blocks(void **state);

/* The sizes at which reductions break: 0, 1, 2, around warps, blocks and powers of two, primes. */
extern const size_t step_test_sizes[];
extern const size_t step_test_size_count;

/* step_test_rungs for all operators, types and edge sizes, with aligned and unaligned inputs. A
 * cmocka test function. */
void step_test_reductions(void **state);

/* Returns what one rung computes for the given vectors, which need not come from the project's
 * generator. b is NULL if the operator has one input. */
double step_test_reduce(const struct reduction_rung *rung, enum reduce_op op,
                        enum element_type type, const void *a, const void *b, size_t n);

/* step_test_reduce of every rung on inputs with known answers: 1 + 2 + ... + n, a NaN, infinities,
 * an extremum at each end. A cmocka test function. */
void step_test_known_answers(void **state);

/* Whether the rung's depth is large enough for a sum of one 1, at some place, and terms of half the
 * smallest amount by which a 1 can grow. In float and double, each such term that is added to the 1
 * alone is lost. No input makes a chain of additions lose more. */
bool step_test_depth_holds(const struct reduction_rung *rung);

/* step_test_depth_holds for every rung. A cmocka test function. */
void step_test_depths(void **state);

/* Every rung that is not marked as nondeterministic gives the same bits in every run: 1,000 runs on
 * a GPU, with an input of a few blocks and one that fills the machine. A cmocka test function. */
void step_test_determinism(void **state);

#endif
/* SPDX-License-Identifier: MIT */
