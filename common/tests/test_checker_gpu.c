/* Tests of the checker on a GPU back end: it must catch each wrong kernel of bad_kernels.cu and
 * accept the right one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "bad_kernels.h"
#include "measure/verify.h"
#include "problem/problem.h"
#include "problem/reduction/options.h"

static struct machine machine;

static int open_machine(void **state)
{
    struct error error;
    (void)state;
    if (!gpu_back_end.open(0, &machine, &error)) {
        print_error("%s\n", error.text);
        return -1;
    }
    return 0;
}

static bool is_sum(enum reduce_op op)
{
    return op == OP_DOT || op == OP_SUM;
}

/* ---- what a fault needs to show -------------------------------------------------------------- */

static bool always(enum reduce_op op, size_t n)
{
    (void)op;
    (void)n;
    return true;
}

static bool in_sums(enum reduce_op op, size_t n)
{
    return is_sum(op) && n > 0;
}

/* Whether the first round of the tree adds elements of the block's second half. */
static bool past_half_block(enum reduce_op op, size_t n)
{
    return is_sum(op) && n > REDUCTION_BLOCK / 2;
}

static bool in_full_sums(enum reduce_op op, size_t n)
{
    return is_sum(op) && n >= REDUCTION_BLOCK;
}

static bool in_partial_blocks(enum reduce_op op, size_t n)
{
    (void)op;
    return n % REDUCTION_BLOCK != 0;
}

static bool in_partial_vectors(enum reduce_op op, size_t n)
{
    (void)op;
    return n % 4 != 0;
}

static bool in_several_blocks(enum reduce_op op, size_t n)
{
    (void)op;
    return n > REDUCTION_BLOCK;
}

static bool in_long_inputs(enum reduce_op op, size_t n)
{
    (void)op;
    return n > REDUCTION_BLOCK * REDUCTION_BLOCKS_PER_MULTIPROCESSOR;
}

static bool not_empty(enum reduce_op op, size_t n)
{
    (void)op;
    return n > 0;
}

static const struct {
    struct reduction_rung rung;
    bool (*shows)(enum reduce_op op, size_t n);
} wrong[] = {
    {{.rung = {.name = "nothing", .idea = ""}, .run = launch_nothing}, always},
    {{.rung = {.name = "without barrier", .idea = ""}, .run = launch_without_barrier},
     past_half_block},
    {{.rung = {.name = "without round barrier", .idea = ""}, .run = launch_without_round_barrier},
     in_full_sums},
    {{.rung = {.name = "whole blocks only", .idea = ""}, .run = launch_whole_blocks_only},
     in_partial_blocks},
    {{.rung = {.name = "whole vectors only", .idea = ""}, .run = launch_whole_vectors_only},
     in_partial_vectors},
    {{.rung = {.name = "without stride", .idea = ""}, .run = launch_without_stride},
     in_long_inputs},
    {{.rung = {.name = "one twice", .idea = ""}, .run = launch_one_twice}, in_sums},
    {{.rung = {.name = "first partial only", .idea = ""}, .run = launch_first_partial_only},
     in_several_blocks},
    {{.rung = {.name = "last partial missing", .idea = ""}, .run = launch_last_partial_missing},
     not_empty},
    {{.rung = {.name = "partials twice", .idea = ""}, .run = launch_partials_twice}, in_sums},
    {{.rung = {.name = "stale partial", .idea = ""}, .run = launch_stale_partial}, always},
    {{.rung = {.name = "first stage only", .idea = ""}, .run = launch_first_stage_only}, always},
};

static const struct reduction_rung right = {
    .rung = {.name = "right", .idea = ""}, .run = launch_right, .depth = depth_two_stages};

/* ---- judging --------------------------------------------------------------------------------- */

/* The first input on which the rung is wrong, or -1. */
static int caught_on(struct problem *problem, const struct rung *rung)
{
    for (size_t input = 0; input <= problem->probes; input++) {
        struct comparison comparison;
        struct error error;
        if (!problem->kind->load(problem, input, &error) ||
            !verify_rung(problem, rung, &comparison, &error))
            fail_msg("%s: %s", rung->name, error.text);
        if (!comparison.right)
            return (int)input;
    }
    return -1;
}

static void judge_kind(enum reduce_op op, enum element_type type, size_t n)
{
    const struct reduction_options options = {
        .base = {.seed = 1, .threads = 1}, .n = n, .op = op, .type = type};
    struct error error;
    struct problem *problem = reduction_kind.create(&options.base, &gpu_back_end, &machine, &error);

    if (problem == NULL)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct reduction_rung rung = wrong[i].rung;
        rung.depth = depth_two_stages;
        if (wrong[i].shows(op, n) && caught_on(problem, &rung.rung) < 0)
            fail_msg("%s, %s %s %s: not caught", rung.rung.name, problem->op, problem->type,
                     problem->shape);
    }
    if (caught_on(problem, &right.rung) >= 0)
        fail_msg("right, %s %s %s: not accepted", problem->op, problem->type, problem->shape);
    problem->kind->destroy(problem);
}

static void every_fault_is_caught(void **state)
{
    static const size_t sizes[] = {0, 1, 31, 33, 255, 256, 257, 1023, 1025, 4099};
    (void)state;

    for (int op = OP_DOT; op <= OP_MIN; op++)
        for (int type = TYPE_F32; type < ELEMENT_TYPES; type++)
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
                if (!has_two_types((enum element_type)type) || op == OP_DOT)
                    judge_kind((enum reduce_op)op, (enum element_type)type, sizes[s]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_is_caught),
    };
    return cmocka_run_group_tests_name("checker_gpu", tests, open_machine, NULL);
}
/* SPDX-License-Identifier: MIT */
