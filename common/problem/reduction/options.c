#include "problem/reduction/options.h"

#include <limits.h>

const char *const reduce_op_names[] = {"dot", "sum", "max", "min", NULL};
const char *const element_type_names[] = {"f32", "f64", "f16", "mixed", "f32xf64", NULL};

static const char *const chosen_names[] = {"occupancy", NULL}; /* BY_OCCUPANCY */

#define MEMBER(name) .member = offsetof(struct reduction_options, name)

#define SIZE_FIELD                                                                                 \
    {                                                                                              \
        "n", "N", "set the number of elements; K, M and G are powers of two", OPTION_SIZE,         \
            MEMBER(n), .sets_size = true                                                           \
    }
#define OP_FIELD                                                                                   \
    {                                                                                              \
        "op", "OP", "choose dot, sum, max or min", OPTION_NAME, MEMBER(op),                        \
            .names = reduce_op_names                                                               \
    }
#define TYPE_FIELD                                                                                 \
    {                                                                                              \
        "type", "TYPE",                                                                            \
            "choose f32, f64, f16, mixed (float32 and bool) or f32xf64 (float32 and float64)",     \
            OPTION_NAME, MEMBER(type), .names = element_type_names                                 \
    }

const struct option_field reduction_fields[BLOCK_REDUCTION_FIELDS] = {
    SIZE_FIELD,
    OP_FIELD,
    TYPE_FIELD,
    OPTION_A,
    OPTION_B,
    {"grid", "BLOCKS", "launch this many blocks; `occupancy`: as many as the GPU holds",
     OPTION_COUNT, MEMBER(grid), .minimum = 1, .maximum = INT_MAX, .names = chosen_names},
    {"block", "THREADS", "set the threads per block; `occupancy`: as many as CUDA suggests",
     OPTION_COUNT, MEMBER(block), .minimum = 1, .maximum = MOST_THREADS, .names = chosen_names},
};

const struct option_field gpus_reduction_fields[REDUCTION_FIELDS + 1] = {
    SIZE_FIELD, OP_FIELD, TYPE_FIELD, OPTION_A, OPTION_B, OPTION_GPUS,
};

void reduction_set_defaults(struct problem_options *base, bool emulated)
{
    struct reduction_options *options = (struct reduction_options *)base;

    (void)emulated;
    options->n = (size_t)1 << 20;
    options->type = TYPE_NOT_GIVEN;
}

bool reduction_check_options(const struct problem_options *base, bool size_given,
                             struct error *error)
{
    const struct reduction_options *options = (const struct reduction_options *)base;
    const bool unary = options->op != OP_DOT;

    (void)size_given;
    if (unary && options->type != TYPE_NOT_GIVEN && has_two_types((enum element_type)options->type))
        return error_set(error, EXIT_BAD_USAGE,
                         "--type %s has two inputs: it goes with --op dot only",
                         element_type_names[options->type]);
    if (unary && base->b != NULL)
        return error_set(error, EXIT_BAD_USAGE, "--b: only --op dot has a second input");
    return unary || problem_has_both_files(base, error);
}

void reduction_set_size(struct problem_options *options, size_t size)
{
    ((struct reduction_options *)options)->n = size;
}

void reduction_limit_size(struct problem_options *base)
{
    struct reduction_options *options = (struct reduction_options *)base;
    const size_t most = (size_t)1 << 20;

    options->n = options->n < most ? options->n : most;
}

bool reduction_set_small(struct problem_options *base, size_t i)
{
    /* Larger than the widest loop of a rung, and not a multiple of it; smaller than any; empty. */
    static const size_t sizes[] = {1003, 5, 0};
    enum { SIZES = sizeof sizes / sizeof sizes[0], OPS = OP_MIN + 1 };
    enum { FOR_ALL_OPS = TYPE_MIXED * OPS, PAIRS = FOR_ALL_OPS + ELEMENT_TYPES - TYPE_MIXED };
    struct reduction_options *const options = (struct reduction_options *)base;
    const size_t pair = i / SIZES; /* an operator and a type */

    if (i == PAIRS * SIZES) { /* a little more than five tiles of 32 KB, for one SM */
        options->n = 45003;
        options->op = OP_DOT;
        options->type = TYPE_F32;
        base->a = base->b = NULL;
        base->offset = 1;
        base->skew = 0;
        base->multiprocessors = 1;
        base->is_for_the_rest = true;
        return true;
    }
    if (i > PAIRS * SIZES)
        return false;
    enum { MOST_BLOCKS = 64 }; /* more would only slow down the emulation of every small problem */
    options->n = sizes[i % SIZES];
    if (options->grid != BY_OCCUPANCY && options->grid > MOST_BLOCKS)
        options->grid = MOST_BLOCKS;
    options->op = pair < FOR_ALL_OPS ? (int)(pair % OPS) : OP_DOT;
    options->type = (int)(pair < FOR_ALL_OPS ? pair / OPS : pair - FOR_ALL_OPS + TYPE_MIXED);
    base->a = base->b = NULL;
    base->offset = base->skew = options->n > 5 ? 1 : 0;
    return true;
}
/* SPDX-License-Identifier: MIT */
