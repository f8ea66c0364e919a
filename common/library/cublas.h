/* cuBLAS, the peer of the GPU's dot product and matrix product. Needs the cuda back end and the
 * library at build time; without them the rungs are skipped with the reason.
 *
 * What a user would do once for many calls (the handle, temporary memory) is in the prepare
 * functions; everything that one answer needs is in the others. */
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
    return "built without cuBLAS (of CUDA 12.2 or later)";
#else
    return "needs the cuda back end";
#endif
}

#ifdef __cplusplus
extern "C" {
#endif

/* All that cuBLAS can do here: it has no maximum and no sum but that of absolute values. */
enum { CUBLAS_OPS = RUNG_OP(OP_DOT) };

/* The dot product by cuBLAS. Mixed types it cannot do: b is converted to float first, as part of
 * the work, into memory that is kept. */
void cublas_prepare(const struct reduction *call);
void cublas_reduce(const struct reduction *call);
void cublas_how(const struct reduction *call, char text[RUNG_HOW_SIZE]);

/* The matrix product by cuBLAS in float32, never TF32, for the shape at hand by the fastest of
 * cublasSgemm and up to 16 algorithms that cublasLt proposes, each timed by prepare; `how` says
 * which. A peer picked by less care would be easier to beat. They share 64 MiB of workspace. */
void cublas_prepare_gemm(const struct gemm *call);
void cublas_gemm(const struct gemm *call);
void cublas_how_gemm(const struct gemm *call, char text[RUNG_HOW_SIZE]);

#ifdef __cplusplus
}
#endif

/* Its entries in a ladder's table of rungs. The error bound: cuBLAS does not say in which order it
 * adds, but no order of n terms needs more than n roundings. */
#define CUBLAS_DOT_RUNG                                                                            \
    {                                                                                              \
        .rung = {"cublas", "the library's dot product; b of mixed types is converted first",       \
                 .flags = RUNG_LIBRARY, .unavailable = cublas_unavailable},                        \
        .run = ON_CUBLAS(cublas_reduce), .depth = depth_serial, .how = ON_CUBLAS(cublas_how),      \
        .prepare = ON_CUBLAS(cublas_prepare), .ops = CUBLAS_OPS,                                   \
    }

#define CUBLAS_GEMM_RUNG                                                                           \
    {                                                                                              \
        .rung = {"cublas", "the library: the fastest of cublasSgemm and cublasLt",                 \
                 .flags = RUNG_LIBRARY, .unavailable = cublas_unavailable},                        \
        .run = ON_CUBLAS(cublas_gemm), .depth = gemm_depth_serial,                                 \
        .how = ON_CUBLAS(cublas_how_gemm), .prepare = ON_CUBLAS(cublas_prepare_gemm),              \
    }

#endif
