/* The command-line options of gemm. */
#ifndef RUNGS_GEMM_OPTIONS_H
#define RUNGS_GEMM_OPTIONS_H

#include "problem/gemm/gemm.h"
#include "problem/problem.h"

struct gemm_options {
    struct problem_options base;
    enum gemm_type type;
    size_t m, n, k;
    float alpha, beta;
};

/* The members of gemm_kind and its neighbours that deal with options (struct problem_kind). The
 * first GEMM_FIELDS are for all of them, the last one is for several GPUs. */
enum { GEMM_FIELDS = 7, GEMM_FIELDS_ON_GPUS };
extern const struct option_field gemm_fields[GEMM_FIELDS_ON_GPUS];
void gemm_set_defaults(struct problem_options *options, bool emulated);
void gemm_set_tf32_defaults(struct problem_options *options, bool emulated);
void gemm_set_bf16_defaults(struct problem_options *options, bool emulated);
bool gemm_check_options(const struct problem_options *options, bool size_given,
                        struct error *error);
void gemm_set_size(struct problem_options *options, size_t size);
void gemm_limit_size(struct problem_options *options);
bool gemm_set_small(struct problem_options *options, size_t i);

#endif
/* SPDX-License-Identifier: MIT */
