#include "problem/gemm/options.h"

/* The size k of the default bfloat16 problem on the CPU back end. */
enum { GEMM_COUNTED_BF16_K = 256 };

#define MEMBER(name) .member = offsetof(struct gemm_options, name)

const struct option_field gemm_fields[GEMM_FIELDS_ON_GPUS] = {
    {"m", "M", "set the rows of A and C; K, M and G are powers of two", OPTION_SIZE, MEMBER(m),
     .sets_size = true},
    {"n", "N", "set the columns of B and C", OPTION_SIZE, MEMBER(n), .sets_size = true},
    {"k", "K", "set the columns of A, which are the rows of B", OPTION_SIZE, MEMBER(k),
     .sets_size = true},
    {"alpha", "X", "set alpha in C = alpha A B + beta C", OPTION_FLOAT, MEMBER(alpha)},
    {"beta", "X", "set beta in it", OPTION_FLOAT, MEMBER(beta)},
    OPTION_A,
    OPTION_B,
    OPTION_GPUS,
};

/* 2048 x 1024 times 1024 x 2048; if emulated, an eighth or a sixteenth of each size. */
void gemm_set_defaults(struct problem_options *base, bool emulated)
{
    struct gemm_options *options = (struct gemm_options *)base;

    options->type = GEMM_F32;
    options->alpha = 1;
    options->m = options->n = emulated ? 256 : 2048;
    options->k = emulated ? 64 : 1024;
}

/* Tensor cores need more work: 4096 x 4096 times 4096 x 4096. If emulated, the least that the rungs
 * of the ladder need which store a tile in four k-steps of 64. */
static void set_tensor_defaults(struct problem_options *base, bool emulated, enum gemm_type type)
{
    struct gemm_options *options = (struct gemm_options *)base;

    gemm_set_defaults(base, emulated);
    options->type = type;
    if (!emulated)
        options->m = options->n = options->k = 4096;
    else if (type == GEMM_BF16) {
        options->m = 128;
        options->k = GEMM_COUNTED_BF16_K;
    }
}

void gemm_set_tf32_defaults(struct problem_options *base, bool emulated)
{
    set_tensor_defaults(base, emulated, GEMM_TF32);
}

void gemm_set_bf16_defaults(struct problem_options *base, bool emulated)
{
    set_tensor_defaults(base, emulated, GEMM_BF16);
}

bool gemm_check_options(const struct problem_options *options, bool size_given, struct error *error)
{
    (void)size_given;
    return problem_has_both_files(options, error);
}

void gemm_set_size(struct problem_options *base, size_t size)
{
    struct gemm_options *options = (struct gemm_options *)base;

    options->m = options->n = options->k = size;
}

void gemm_limit_size(struct problem_options *base)
{
    struct gemm_options *options = (struct gemm_options *)base;

    options->m = options->m < 256 ? options->m : 256;
    options->n = options->n < 256 ? options->n : 256;
    const size_t k = options->type == GEMM_BF16 ? GEMM_COUNTED_BF16_K : 64;
    options->k = options->k < k ? options->k : k;
}

bool gemm_set_small(struct problem_options *base, size_t i)
{
    /* Smaller than a tile in each dimension, odd, in rows of even length; then larger than a tile,
     * in rows that start at multiples of 16 bytes. */
    static const struct gemm_options of_all[] = {
        {.m = 37, .n = 67, .k = 45, .alpha = 1, .beta = 2, .base.padding = 1},
        {.m = 130, .n = 136, .k = 72, .alpha = 2, .beta = 0},
    };
    /* Then slower problems, each for the rungs that have declined all before: few elements of C and
     * many k-steps; unaligned rows of B; rows for few_rows, columns for few_columns; two SMs, with
     * an edge beyond whole tiles, and with narrow tiles; a B larger than half of L2. */
    static const struct gemm_options of_f32[] = {
        {.m = 5, .n = 36, .k = 1500, .alpha = 1, .beta = 2},
        {.m = 21, .n = 19, .k = 40, .alpha = 1, .beta = 2},
        {.m = 17, .n = 20, .k = 72, .alpha = -1, .beta = 0},
        {.m = 257, .n = 20, .k = 8, .alpha = 1, .beta = 2, .base.multiprocessors = 2},
        {.m = 33, .n = 24, .k = 136, .alpha = 2, .beta = 0, .base.multiprocessors = 2},
        {.m = 1, .n = 8192, .k = 1024, .alpha = 1, .beta = 0},
    };
    static const struct gemm_options of_bf16[] = {
        {.m = 24, .n = 40, .k = 264, .alpha = 1, .beta = 0},
        {.m = 72, .n = 12, .k = 520, .alpha = 1, .beta = 2},
    };
    enum { ALL = sizeof of_all / sizeof of_all[0] };
    struct gemm_options *const options = (struct gemm_options *)base;
    const bool is_f32 = options->type == GEMM_F32, is_bf16 = options->type == GEMM_BF16;
    const size_t rest = is_f32    ? sizeof of_f32 / sizeof of_f32[0]
                        : is_bf16 ? sizeof of_bf16 / sizeof of_bf16[0]
                                  : 0;

    if (i >= ALL + rest)
        return false;
    const struct gemm_options *const small = i < ALL  ? &of_all[i]
                                             : is_f32 ? &of_f32[i - ALL]
                                                      : &of_bf16[i - ALL];
    options->m = small->m;
    options->n = small->n;
    options->k = small->k;
    options->alpha = small->alpha;
    options->beta = small->beta;
    base->padding = small->base.padding;
    base->multiprocessors = small->base.multiprocessors;
    base->is_for_the_rest = i >= ALL;
    base->a = base->b = NULL;
    return true;
}
/* SPDX-License-Identifier: MIT */
