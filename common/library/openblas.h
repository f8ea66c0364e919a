/* OpenBLAS, the library that the CPU's rungs are compared with. It is loaded at run time if the
 * machine has it, so it need not be installed to build.
 *
 * Rungs are compared with OpenBLAS at its best. It selects its kernels by processor model. For a
 * model that it does not know, as in many virtual machines, it uses kernels of 2006. The
 * environment variable OPENBLAS_CORETYPE, which it reads while it is loaded, overrides that. Unless
 * the user has set it, it is set here to the best that the instruction set allows. The best number
 * of threads is measured before a rung is timed. */
#ifndef RUNGS_OPENBLAS_H
#define RUNGS_OPENBLAS_H

#include "problem/gemm/gemm.h"
#include "problem/reduction/reduction.h"

/* The functions of the C interface that the steps call. sgemm's enums are passed as ints: 101 is
 * row-major, 111 not transposed. */
struct openblas {
    float (*sdot)(int n, const float *x, int step_x, const float *y, int step_y);
    double (*ddot)(int n, const double *x, int step_x, const double *y, int step_y);
    float (*ssum)(int n, const float *x, int step);
    double (*dsum)(int n, const double *x, int step);
    size_t (*ismax)(int n, const float *x, int step); /* index of the largest */
    size_t (*idmax)(int n, const double *x, int step);
    size_t (*ismin)(int n, const float *x, int step);
    size_t (*idmin)(int n, const double *x, int step);
    void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                  const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
    void (*set_threads)(int threads);
    char *(*core_name)(void);
};

/* NULL if there is no OpenBLAS on this machine, or one without all of these functions. */
const struct openblas *openblas(void);

/* Why a rung that calls OpenBLAS cannot run here, or NULL if it can. */
const char *openblas_unavailable(void);

/* Measures with how many threads, up to call->threads, OpenBLAS is fastest on this call.
 * openblas_reduce then uses that number for calls of the same operator, type and size. If nothing
 * was measured, it uses call->threads. */
void openblas_prepare(const struct reduction *call);

/* Why OpenBLAS cannot do this reduction, or NULL if it can. It has no functions for halfs, and
 * cannot sum floats if its ssum is wrong, as in OpenBLAS 0.3.21 for AVX-512. */
const char *openblas_declines(const struct reduction *call);

/* The reduction by OpenBLAS, which does not support two types. So the narrower input is converted
 * first, as part of the work, into memory that is kept for the next call. */
void openblas_reduce(const struct reduction *call);

/* The kernels that OpenBLAS selected, and its number of threads: "SkylakeX kernels, 1 thread". */
void openblas_how(const struct reduction *call, char text[RUNG_HOW_SIZE]);

/* The depth for the error bound. The order of OpenBLAS's additions is not documented. In any order,
 * a term passes through at most n roundings. */
double openblas_depth(const struct reduction *call);

/* The same for the matrix product. Its depth is gemm_depth_serial, for the same reason. */
void openblas_gemm_prepare(const struct gemm *call);
void openblas_gemm(const struct gemm *call);
void openblas_gemm_how(const struct gemm *call, char text[RUNG_HOW_SIZE]);

/* Its entry in a GPU step's table of rungs: it runs on the host. */
#define OPENBLAS_GEMM_RUNG                                                                         \
    {                                                                                              \
        .rung = {.name = "openblas",                                                               \
                 .idea = "the library on the CPU, up to --threads",                                \
                 .flags = RUNG_LIBRARY | RUNG_HOST,                                                \
                 .unavailable = openblas_unavailable},                                             \
        .run = openblas_gemm, .depth = gemm_depth_serial, .how = openblas_gemm_how,                \
        .prepare = openblas_gemm_prepare,                                                          \
    }

#endif
/* SPDX-License-Identifier: MIT */
