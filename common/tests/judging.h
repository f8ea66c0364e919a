/* Functions that the tests of the problems share. They judge whether a rung is right or wrong,
 * using only the kind's functions and the verifier. They fail the cmocka test that calls them, and
 * print `what` (the fault that the rung has) and the problem. */
#ifndef RUNGS_TEST_JUDGING_H
#define RUNGS_TEST_JUDGING_H

#include <stddef.h>

#include "problem/problem.h"

enum { ANY_INPUT = -1 };

/* What a test judges: a kind of problem, computed by one rung on one back end. */
struct judged {
    const struct problem_kind *kind;
    const struct rung *rung;
    const struct back_end *back_end;
};

struct problem *judged_problem(const struct judged *judged, const struct problem_options *options);

/* The verdict on the rung for the problem's input number `input`. */
struct comparison judged_verdict(const struct judged *judged, struct problem *problem,
                                 size_t input);

/* Asserts that the rung is right: exactly on probes, within the bound on the real data. */
void assert_judged_right(const struct judged *judged, const struct problem_options *options,
                         const char *what);

/* Asserts that the rung is wrong on the input, or on any input, and that the report says where. */
void assert_judged_wrong(const struct judged *judged, const struct problem_options *options,
                         int input, const char *what);

/* Asserts that the kind refuses the options with this exit code and a line that contains `text`. */
void assert_judged_refused(const struct judged *judged, const struct problem_options *options,
                           enum exit_code code, const char *text);

/* A size in bytes of arrays that fit in memory once, but not twice. */
size_t judged_room_for_one(void);

/* Asserts that the kind refuses a problem of judged_room_for_one() bytes on a back end whose device
 * memory is also host memory, because there would be two copies. */
void assert_judged_counts_copies(const struct judged *judged,
                                 const struct problem_options *options);

#endif
/* SPDX-License-Identifier: MIT */
