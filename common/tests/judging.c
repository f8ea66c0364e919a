#include "judging.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "measure/verify.h"

static const struct machine machine = {.name = "test", .processors = 1};

struct problem *judged_problem(const struct judged *judged, const struct problem_options *options)
{
    struct error error;
    struct problem *problem = judged->kind->create(options, judged->back_end, &machine, &error);

    if (problem == NULL)
        fail_msg("%s", error.text);
    return problem;
}

struct comparison judged_verdict(const struct judged *judged, struct problem *problem, size_t input)
{
    struct comparison comparison = {.right = false};
    struct error error;

    if (!problem->kind->load(problem, input, &error) ||
        !verify_rung(problem, judged->rung, &comparison, &error))
        fail_msg("%s", error.text);
    assert_true(problem->inexact_input == (input == problem->probes));
    return comparison;
}

static void fail_for(const struct problem *problem, const struct problem_options *options,
                     const char *what, const char *how)
{
    fail_msg("%s, %s %s %s, padding %zu, offset %zu: %s", what, problem->op, problem->type,
             problem->shape, options->padding, options->offset, how);
}

void assert_judged_right(const struct judged *judged, const struct problem_options *options,
                         const char *what)
{
    struct problem *problem = judged_problem(judged, options);

    for (size_t input = 0; input <= problem->probes; input++) {
        const struct comparison comparison = judged_verdict(judged, problem, input);
        const bool probe = input < problem->probes;
        if (!comparison.right)
            fail_for(problem, options, what, comparison.where);
        if (probe)
            assert_true(comparison.error == 0 && comparison.bound == 0);
        else
            assert_true(comparison.error == 0 || comparison.error <= comparison.bound);
    }
    problem->kind->destroy(problem);
}

void assert_judged_wrong(const struct judged *judged, const struct problem_options *options,
                         int input, const char *what)
{
    struct problem *problem = judged_problem(judged, options);
    bool caught = false;

    for (size_t i = 0; i <= problem->probes; i++) {
        if (input != ANY_INPUT && i != (size_t)input)
            continue;
        const struct comparison comparison = judged_verdict(judged, problem, i);
        if (comparison.right)
            continue;
        caught = true;
        assert_true(comparison.where[0] != '\0');
        assert_null(strchr(comparison.where, '\n'));
        if (isfinite(comparison.bound))
            assert_false(comparison.error <= comparison.bound);
    }
    if (!caught)
        fail_for(problem, options, what, "not caught");
    problem->kind->destroy(problem);
}

void assert_judged_refused(const struct judged *judged, const struct problem_options *options,
                           enum exit_code code, const char *text)
{
    struct error error = {EXIT_ALL_VERIFIED, ""};

    assert_null(judged->kind->create(options, judged->back_end, &machine, &error));
    assert_int_equal(error.code, code);
    if (strstr(error.text, text) == NULL)
        fail_msg("'%s' does not contain '%s'", error.text, text);
}

size_t judged_room_for_one(void)
{
    struct error ignored;
    size_t available = (size_t)1 << 26;

    for (size_t step = (size_t)1 << 50; step >= available / 16; step /= 2)
        if (memory_available(available + step, &ignored))
            available += step;
    return available / 3 * 2;
}

void assert_judged_counts_copies(const struct judged *judged, const struct problem_options *options)
{
    struct back_end emulated = cpu_back_end;
    struct judged there = *judged;

    emulated.host_memory = false;
    emulated.clocks = false;
    there.back_end = &emulated;
    assert_judged_refused(&there, options, EXIT_DEVICE_ERROR, "out of memory");
}
/* SPDX-License-Identifier: MIT */
