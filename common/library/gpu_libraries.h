/* cuBLAS, CUB and cuDNN, the peers of the GPU's reductions, matrix product and convolution. All
 * need the cuda back end, and cuBLAS its library at build time; without them the rungs say why they
 * are skipped.
 *
 * What a user would do once for many calls (the handle, temporary memory) is in the prepare
 * functions; everything that one answer needs is in the others. For the error bound: neither
 * library says in which order it adds, but no order of n terms needs more than n roundings:
 * depth_serial, gemm_depth_serial. */
#ifndef RUNGS_GPU_LIBRARIES_H
#define RUNGS_GPU_LIBRARIES_H

#include "problem/conv/conv.h"
#include "problem/gemm/gemm.h"
#include "problem/reduction/reduction.h"
#include "run/step.h"

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

/* The reduction by CUB's DeviceReduce, with this project's rule for NaN. */
void cub_prepare(const struct reduction *call);
void cub_reduce(const struct reduction *call);
void cub_how(const struct reduction *call, char text[RUNG_HOW_SIZE]);

/* The convolution by cuDNN in float32, never TF32, for the shape at hand by the fastest of its
 * algorithms, each timed by prepare with 2 GiB of workspace. It is given the rungs' layout, NCHW;
 * `how` also says how fast it would be if the same data were NHWC already, no conversion
 * counted. */
void cudnn_prepare(const struct conv *call);
void cudnn_convolve(const struct conv *call);
void cudnn_how(const struct conv *call, char text[RUNG_HOW_SIZE]);
const char *cudnn_declines(const struct conv *call);

/* Why the rung cannot run in this build, or NULL if it can. */
const char *cudnn_unavailable(void);
const char *cublas_unavailable(void);
const char *cub_unavailable(void);

#ifdef __cplusplus
}
#endif

/* The libraries' entries in a step's table of rungs. */
#define CUBLAS_RUNG                                                                                \
    {                                                                                              \
        .name = "cublas",                                                                          \
        .idea = "the library's dot product; b of mixed types is converted first",                  \
        .run.reduce = cublas_reduce, .depth.reduce = depth_serial, .how.reduce = cublas_how,       \
        .prepare.reduce = cublas_prepare, .unavailable = cublas_unavailable,                       \
        .reduce_ops = CUBLAS_OPS, .flags = RUNG_LIBRARY,                                           \
    }

#define CUBLAS_GEMM_RUNG                                                                           \
    {                                                                                              \
        .name = "cublas", .idea = "the library: the fastest of cublasSgemm and cublasLt",          \
        .run.gemm = cublas_gemm, .depth.gemm = gemm_depth_serial, .how.gemm = cublas_how_gemm,     \
        .prepare.gemm = cublas_prepare_gemm, .unavailable = cublas_unavailable,                    \
        .flags = RUNG_LIBRARY,                                                                     \
    }

#define CUDNN_RUNG                                                                                 \
    {                                                                                              \
        .name = "cudnn", .idea = "the library: the fastest of its algorithms in float32",          \
        .run.conv = cudnn_convolve, .depth.conv = conv_depth_serial, .how.conv = cudnn_how,        \
        .prepare.conv = cudnn_prepare, .unavailable = cudnn_unavailable,                           \
        .declines.conv = cudnn_declines, .flags = RUNG_LIBRARY | RUNG_TRANSFORMS,                  \
    }

#define CUB_RUNG                                                                                   \
    {                                                                                              \
        .name = "cub", .idea = "the library's reduction: DeviceReduce", .run.reduce = cub_reduce,  \
        .depth.reduce = depth_serial, .how.reduce = cub_how, .prepare.reduce = cub_prepare,        \
        .unavailable = cub_unavailable, .flags = RUNG_LIBRARY,                                     \
    }

#endif
