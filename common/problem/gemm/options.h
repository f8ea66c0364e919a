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

#endif
