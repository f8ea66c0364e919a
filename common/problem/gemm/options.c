#include "problem/gemm/options.h"

#define MEMBER(name) .member = offsetof(struct gemm_options, name)

const struct option_field gemm_fields[GEMM_FIELDS_ON_GPUS] = {
    {"m", "M", "rows of A and C; K, M and G are powers of two", OPTION_SIZE, MEMBER(m),
     .sets_size = true},
    {"n", "N", "columns of B and C", OPTION_SIZE, MEMBER(n), .sets_size = true},
    {"k", "K", "columns of A, rows of B", OPTION_SIZE, MEMBER(k), .sets_size = true},
    {"alpha", "X", "C = alpha A B + beta C", OPTION_FLOAT, MEMBER(alpha)},
    {"beta", "X", "the same", OPTION_FLOAT, MEMBER(beta)},
    OPTION_A,
    OPTION_B,
    OPTION_GPUS,
};

/* 2048 x 1024 times 1024 x 2048; if emulated, an eighth of each size. */
void gemm_set_defaults(struct problem_options *base, bool emulated)
{
    struct gemm_options *options = (struct gemm_options *)base;

    options->type = GEMM_F32;
    options->alpha = 1;
    options->m = options->n = emulated ? 256 : 2048;
    options->k = emulated ? 64 : 1024;
}

void gemm_set_tf32_defaults(struct problem_options *base, bool emulated)
{
    gemm_set_defaults(base, emulated);
    ((struct gemm_options *)base)->type = GEMM_TF32;
}

void gemm_set_bf16_defaults(struct problem_options *base, bool emulated)
{
    gemm_set_defaults(base, emulated);
    ((struct gemm_options *)base)->type = GEMM_BF16;
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
    options->k = options->k < 64 ? options->k : 64;
}

bool gemm_set_small(struct problem_options *base, size_t i)
{
    /* Less than a tile each way, odd, in rows of even length; more than one, in rows that start at
     * multiples of 16 bytes. */
    static const struct gemm_options small[] = {
        {.m = 37, .n = 67, .k = 45, .alpha = 1, .beta = 2, .base.padding = 1},
        {.m = 130, .n = 136, .k = 72, .alpha = 2, .beta = 0},
    };
    struct gemm_options *const options = (struct gemm_options *)base;

    if (i == sizeof small / sizeof small[0])
        return false;
    options->m = small[i].m;
    options->n = small[i].n;
    options->k = small[i].k;
    options->alpha = small[i].alpha;
    options->beta = small[i].beta;
    base->padding = small[i].base.padding;
    base->a = base->b = NULL;
    return true;
}
