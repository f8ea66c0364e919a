/* OpenBLAS, the CPU steps' peer, loaded at run time if the machine has it: nothing need be
 * installed to build.
 *
 * Loading late also leaves time to help it. OpenBLAS picks its kernels by processor model, knows
 * few virtual machines' models, and then falls back to kernels of 2006; OPENBLAS_CORETYPE, which it
 * reads while it is loaded, says what to take. Unless the user has set it, it is set here to the
 * best that the instruction set allows, so that the peer is at its best. For the same reason the
 * number of threads is measured before a rung is timed. */
#ifndef RUNGS_OPENBLAS_H
#define RUNGS_OPENBLAS_H

#include "problem/gemm/gemm.h"
#include "problem/reduction/reduction.h"

/* The C interface's functions that the steps call; cblas_sgemm's enums are ints: 101 row-major, 111
 * not transposed. */
struct openblas {
    float (*sdot)(int n, const float *x, int step_x, const float *y, int step_y);
    double (*ddot)(int n, const double *x, int step_x, const double *y, int step_y);
    float (*ssum)(int n, const float *x, int step);
    double (*dsum)(int n, const double *x, int step);
    size_t (*ismax)(int n, const float *x, int step); /* place of the largest */
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

/* Measures with how many threads, up to call->threads, the library is fastest on this call;
 * openblas_reduce then uses so many for calls of that kind and size. Without it, call->threads. */
void openblas_prepare(const struct reduction *call);

/* Why OpenBLAS does not do this reduction, or NULL: sums of floats where its ssum is wrong (that of
 * OpenBLAS 0.3.21 for AVX-512 is). */
const char *openblas_declines(const struct reduction *call);

/* The reduction by OpenBLAS. Mixed types it cannot do: b is converted to float first, into memory of
 * this function's own, which is part of the work. */
void openblas_reduce(const struct reduction *call);

/* Whose kernels OpenBLAS chose and how many threads it gets: "SkylakeX kernels, 1 thread". */
void openblas_how(const struct reduction *call, char text[RUNG_HOW_SIZE]);

/* For the error bound. OpenBLAS does not say in which order it adds, but no order of n terms needs
 * more than n roundings on the way of one. */
double openblas_depth(const struct reduction *call);

/* The same for the matrix product. Its depth is gemm_depth_serial, for the same reason. */
void openblas_gemm_prepare(const struct gemm *call);
void openblas_gemm(const struct gemm *call);
void openblas_gemm_how(const struct gemm *call, char text[RUNG_HOW_SIZE]);

/* The library's entry in a ladder's table of rungs: on the host, whatever runs the others. */
#define OPENBLAS_GEMM_RUNG                                                                         \
    {                                                                                              \
        .rung = {"openblas", "the library on the CPU, up to --threads",                            \
                 .flags = RUNG_LIBRARY | RUNG_HOST, .unavailable = openblas_unavailable},          \
        .run = openblas_gemm, .depth = gemm_depth_serial, .how = openblas_gemm_how,                \
        .prepare = openblas_gemm_prepare,                                                          \
    }

#endif
