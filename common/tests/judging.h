/* What the tests of the problems share: the verdict on a rung, right or wrong, with nothing but the
 * kind's functions and the verifier. Everything here fails the cmocka test that asked, with
 * `what` (the fault that the rung was told to have) and the problem. */
#ifndef RUNGS_TEST_JUDGING_H
#define RUNGS_TEST_JUDGING_H

#include <stddef.h>

#include "problem/problem.h"

enum { ANY_INPUT = -1 };

/* What a test judges: a kind of problem through one rung, on one back end. */
struct judged {
    const struct problem_kind *kind;
    const struct rung *rung;
    const struct back_end *back_end;
};

struct problem *judged_problem(const struct judged *judged, const struct problem_options *options);

/* The verdict on the rung for the problem's input number `input`. */
struct comparison judged_verdict(const struct judged *judged, struct problem *problem,
                                 size_t input);

/* The rung is right: exactly on probes, within the bound on the real data. */
void assert_judged_right(const struct judged *judged, const struct problem_options *options,
                         const char *what);

/* The rung is wrong on the input, or on any, and the report says where. */
void assert_judged_wrong(const struct judged *judged, const struct problem_options *options,
                         int input, const char *what);

/* The kind refuses the options with this exit code and a line that holds `text`. */
void assert_judged_refused(const struct judged *judged, const struct problem_options *options,
                           enum exit_code code, const char *text);

/* The bytes of arrays of which there is room for one copy, but not for two. */
size_t judged_room_for_one(void);

/* The kind refuses the options, of a problem of judged_room_for_one() bytes, on a back end whose
 * own memory is host memory, too: there would be two copies. */
void assert_judged_counts_copies(const struct judged *judged,
                                 const struct problem_options *options);

#endif
/* SPDX-License-Identifier: MIT */
