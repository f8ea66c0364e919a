/* cuBLAS, the library that the GPU's dot products and matrix products are compared with. Needs the
 * cuda back end and the library at build time; without them its rungs are skipped, and the report
 * says why.
 *
 * The prepare functions do what a user would do once for many calls (creating the handle,
 * allocating temporary memory); the others do everything that each answer needs. */
#ifndef RUNGS_CUBLAS_H
#define RUNGS_CUBLAS_H

#include "problem/gemm/gemm.h"
#include "problem/reduction/reduction.h"

#ifdef RUNGS_CUBLAS
#define ON_CUBLAS(function) (function)
#else
#define ON_CUBLAS(function) NULL
#endif

/* Why the rungs cannot run in this build, or NULL if they can. */
static inline const char *cublas_unavailable(void)
{
#if defined RUNGS_CUBLAS
    return NULL;
#elif defined RUNGS_CUDA
    return "built without cuBLAS";
#else
    return "needs the cuda back end";
#endif
}

#ifdef __cplusplus
extern "C" {
#endif

/* The reductions that cuBLAS has: no maximum, and no sum except that of absolute values. */
enum { CUBLAS_OPS = RUNG_OP(OP_DOT) };

/* The dot product by cuBLAS, which does not support two types. So the narrower input is converted
 * first, as part of the work, into memory that is kept for the next call. cuBLAS has a dot product
 * of halfs with a sum in float (cublasDotEx), but its result is a half: another problem. */
static inline const char *cublas_declines(const struct reduction *call)
{
    return call->type == TYPE_F16 ? "its sum of halfs comes as a half" : NULL;
}

void cublas_prepare(const struct reduction *call);
void cublas_reduce(const struct reduction *call);
void cublas_how(const struct reduction *call, char text[RUNG_HOW_SIZE]);

/* The matrix product by cuBLAS; in float32 never with TF32, and with sums in float32.
 * cublas_prepare_gemm times cublasSgemm, or cublasGemmEx for other types; cublasSgemv for a vector
 * in float32; and all algorithms that cublasLt proposes for the shape, up to 64, with 64 MiB of
 * workspace. Rungs are compared with the fastest of them. cublas_how_gemm names it. */
void cublas_prepare_gemm(const struct gemm *call);
void cublas_gemm(const struct gemm *call);
void cublas_how_gemm(const struct gemm *call, char text[RUNG_HOW_SIZE]);

#ifdef __cplusplus
}
#endif

/* Its entries in a ladder's table of rungs. The order of cuBLAS's additions is not documented. In
 * any order, a term passes through at most n roundings, so the depth is depth_serial. */
#define CUBLAS_DOT_RUNG                                                                            \
    {                                                                                              \
        .rung = {.name = "cublas",                                                                 \
                 .idea = "the library's dot product; of two types, the narrower is converted",     \
                 .flags = RUNG_LIBRARY,                                                            \
                 .unavailable = cublas_unavailable},                                               \
        .run = ON_CUBLAS(cublas_reduce), .depth = depth_serial, .how = ON_CUBLAS(cublas_how),      \
        .prepare = ON_CUBLAS(cublas_prepare), .ops = CUBLAS_OPS, .declines = cublas_declines,      \
    }

#define CUBLAS_GEMM_RUNG                                                                           \
    {                                                                                              \
        .rung = {.name = "cublas",                                                                 \
                 .idea = "the library: the fastest of cublasSgemm and cublasLt",                   \
                 .flags = RUNG_LIBRARY,                                                            \
                 .unavailable = cublas_unavailable},                                               \
        .run = ON_CUBLAS(cublas_gemm), .depth = gemm_depth_serial,                                 \
        .how = ON_CUBLAS(cublas_how_gemm), .prepare = ON_CUBLAS(cublas_prepare_gemm),              \
    }

/* The same on tensor cores. */
#define CUBLAS_TENSOR_GEMM_RUNG                                                                    \
    {                                                                                              \
        .rung = {.name = "cublas",                                                                 \
                 .idea = "the library: the fastest of cublasGemmEx and cublasLt",                  \
                 .flags = RUNG_LIBRARY,                                                            \
                 .unavailable = cublas_unavailable},                                               \
        .run = ON_CUBLAS(cublas_gemm), .depth = gemm_depth_tensor,                                 \
        .how = ON_CUBLAS(cublas_how_gemm), .prepare = ON_CUBLAS(cublas_prepare_gemm),              \
    }

#endif
/* SPDX-License-Identifier: MIT */
