#include "judging.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

static const struct machine machine = {.name = "test", .processors = 1};

struct problem *judged_problem(const struct judged *judged, const struct options *options)
{
    struct error error;
    struct problem *problem = judged->family->create(options, judged->back_end, &machine, &error);

    if (problem == NULL)
        fail_msg("%s", error.text);
    return problem;
}

struct comparison judged_verdict(const struct judged *judged, struct problem *problem, size_t input)
{
    struct comparison comparison = {.right = false};
    struct error error;

    if (!problem->family->load(problem, input, &error) ||
        !problem_verify(problem, judged->rung, &comparison, &error))
        fail_msg("%s", error.text);
    assert_true(problem->inexact_input == (input == problem->probes));
    return comparison;
}

static void fail_for(const struct problem *problem, const struct options *options, const char *what,
                     const char *how)
{
    fail_msg("%s, %s %s %s, alpha %g, beta %g, padding %zu, offset %zu: %s", what, problem->op,
             problem->type, problem->shape, (double)options->alpha, (double)options->beta,
             options->padding, options->offset, how);
}

void assert_judged_right(const struct judged *judged, const struct options *options,
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
    problem->family->destroy(problem);
}

void assert_judged_wrong(const struct judged *judged, const struct options *options, int input,
                         const char *what)
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
    problem->family->destroy(problem);
}

void assert_judged_refused(const struct judged *judged, const struct options *options,
                           enum exit_code code, const char *text)
{
    struct error error = {EXIT_ALL_VERIFIED, ""};

    assert_null(judged->family->create(options, judged->back_end, &machine, &error));
    assert_int_equal(error.code, code);
    if (strstr(error.text, text) == NULL)
        fail_msg("'%s' does not contain '%s'", error.text, text);
}
