/* The command-line options of gemm. */
#ifndef RUNGS_GEMM_OPTIONS_H
#define RUNGS_GEMM_OPTIONS_H

#include "problem/problem.h"

struct gemm_options {
    struct problem_options base;
    size_t m, n, k;
    float alpha, beta;
};

#endif
