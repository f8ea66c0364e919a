/* The library cuBLAS, matrix product: see cublas.h.
 *
 * cuBLAS's matrices are column-major. The memory of a row-major m x n matrix is that of its
 * transpose, n x m, in column-major layout, with the same leading dimension. So C = A B is computed
 * as C^T = B^T A^T: the operands are swapped, and nothing is transposed. */
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/gpu.h"
#include "library/cublas.h"
#include "library/cublas_check.h"

#define WORKSPACE ((size_t)64 << 20)
enum { MOST_CANDIDATES = 64, ALIGNMENT = 256 };
enum { BY_GEMM = -1, BY_GEMV = -2 }; /* cublasSgemm or cublasGemmEx; cublasSgemv */

/* cublasLt's description of a product. */
struct description {
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t first, second, result; /* B^T, A^T, C^T */
};

/* The data of one GPU: handles, and the fastest algorithm found for `call`. */
static struct of_gpu {
    cublasHandle_t handle;
    cublasLtHandle_t light;
    void *workspace;
    bool made;
    struct gemm call;
    struct description description;
    int candidates; /* how many of cublasLt's proposals run without an error */
    int chosen;     /* index of one of them, BY_GEMM or BY_GEMV */
    cublasLtMatmulAlgo_t algorithm;
} of_gpus[MOST_GPUS];

static struct of_gpu *current(void)
{
    return &of_gpus[gpu_index()];
}

static cudaDataType_t elements_of(const struct gemm *call)
{
    return call->type == GEMM_BF16 ? CUDA_R_16BF : CUDA_R_32F;
}

static cublasComputeType_t arithmetic_of(const struct gemm *call)
{
    return call->type == GEMM_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

static void open_libraries(const struct gemm *call)
{
    struct of_gpu *const gpu = current();

    if (gpu->handle != NULL)
        return;
    /* This variable can make cuBLAS use TF32 even if the program asks for float32, and the other
     * way round. cuBLAS reads it when the handle is created. */
    if (call->type == GEMM_TF32)
        unsetenv("NVIDIA_TF32_OVERRIDE");
    else
        setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
    check(cublasCreate(&gpu->handle), "cublasCreate");
    /* No TF32, and no rounding of partial sums to elements of C. */
    check(cublasSetMathMode(gpu->handle,
                            (cublasMath_t)(CUBLAS_DEFAULT_MATH |
                                           CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
          "cublasSetMathMode");
    check(cublasLtCreate(&gpu->light), "cublasLtCreate");
    check(cublasSetStream(gpu->handle, cudaStreamPerThread), "cublasSetStream");
    check_cuda(cudaMalloc(&gpu->workspace, WORKSPACE), "cublas: cudaMalloc");
    check(cublasSetWorkspace(gpu->handle, gpu->workspace, WORKSPACE), "cublasSetWorkspace");
}

/* The largest power of two that divides the address, at most the alignment of cudaMalloc. */
static uint32_t alignment_of(const void *address)
{
    const uintptr_t low = (uintptr_t)address & (ALIGNMENT - 1);
    return low == 0 ? ALIGNMENT : (uint32_t)(low & -low);
}

static bool is_same(const struct gemm *a, const struct gemm *b)
{
    return a->type == b->type && a->m == b->m && a->n == b->n && a->k == b->k && a->lda == b->lda &&
           a->ldb == b->ldb && a->ldc == b->ldc && (a->beta == 0) == (b->beta == 0) &&
           alignment_of(a->a) == alignment_of(b->a) && alignment_of(a->b) == alignment_of(b->b) &&
           alignment_of(a->c) == alignment_of(b->c);
}

static void destroy_description(struct description *description)
{
    cublasLtMatmulDescDestroy(description->operation);
    cublasLtMatrixLayoutDestroy(description->first);
    cublasLtMatrixLayoutDestroy(description->second);
    cublasLtMatrixLayoutDestroy(description->result);
}

static cublasLtMatrixLayout_t layout(const struct gemm *call, size_t rows, size_t columns,
                                     size_t leading)
{
    cublasLtMatrixLayout_t made;
    check(cublasLtMatrixLayoutCreate(&made, elements_of(call), rows, columns, (int64_t)leading),
          "cublasLtMatrixLayoutCreate");
    return made;
}

static struct description describe(const struct gemm *call)
{
    struct description made;

    check(cublasLtMatmulDescCreate(&made.operation, arithmetic_of(call), CUDA_R_32F),
          "cublasLtMatmulDescCreate");
    made.first = layout(call, call->n, call->k, call->ldb);
    made.second = layout(call, call->k, call->m, call->lda);
    made.result = layout(call, call->n, call->m, call->ldc);
    return made;
}

/* Gets cublasLt's proposals for the call; returns how many. */
static int propose(const struct gemm *call, const struct description *description,
                   cublasLtMatmulHeuristicResult_t results[MOST_CANDIDATES])
{
    const uint64_t room = WORKSPACE;
    const uint32_t first = alignment_of(call->b), second = alignment_of(call->a);
    const uint32_t result = alignment_of(call->c);
    /* Partial sums stay in float32, and are not rounded to elements of C. */
    const uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    const struct {
        cublasLtMatmulPreferenceAttributes_t attribute;
        const void *value;
        size_t size;
    } wishes[] = {
        {CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof room},
        {CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reductions, sizeof reductions},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &first, sizeof first},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &second, sizeof second},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &result, sizeof result},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &result, sizeof result},
    };
    cublasLtMatmulPreference_t preference;
    int count = 0;

    check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    for (size_t w = 0; w < sizeof wishes / sizeof wishes[0]; w++)
        check(cublasLtMatmulPreferenceSetAttribute(preference, wishes[w].attribute, wishes[w].value,
                                                   wishes[w].size),
              "cublasLtMatmulPreferenceSetAttribute");
    /* No proposal for a shape is not an error, because cuBLAS's functions support all shapes. */
    if (cublasLtMatmulAlgoGetHeuristic(current()->light, description->operation, description->first,
                                       description->second, description->result,
                                       description->result, preference, MOST_CANDIDATES, results,
                                       &count) != CUBLAS_STATUS_SUCCESS)
        count = 0;
    cublasLtMatmulPreferenceDestroy(preference);
    return count;
}

/* The product by cublasLt with that algorithm. If it is NULL, by cublasSgemm, or by cublasGemmEx,
 * which supports other types. */
static cublasStatus_t multiply(const struct gemm *call, const struct description *description,
                               const cublasLtMatmulAlgo_t *algorithm)
{
    struct of_gpu *const gpu = current();

    if (algorithm != NULL)
        return cublasLtMatmul(gpu->light, description->operation, &call->alpha, call->b,
                              description->first, call->a, description->second, &call->beta,
                              call->c, description->result, call->c, description->result, algorithm,
                              gpu->workspace, WORKSPACE, cudaStreamPerThread);
    /* The functions ending in _64 support sizes beyond INT_MAX. */
    if (call->type != GEMM_F32)
        return cublasGemmEx_64(gpu->handle, CUBLAS_OP_N, CUBLAS_OP_N, (int64_t)call->n,
                               (int64_t)call->m, (int64_t)call->k, &call->alpha, call->b,
                               elements_of(call), (int64_t)call->ldb, call->a, elements_of(call),
                               (int64_t)call->lda, &call->beta, call->c, elements_of(call),
                               (int64_t)call->ldc, arithmetic_of(call), CUBLAS_GEMM_DEFAULT);
    return cublasSgemm_64(gpu->handle, CUBLAS_OP_N, CUBLAS_OP_N, (int64_t)call->n, (int64_t)call->m,
                          (int64_t)call->k, &call->alpha, call->b, (int64_t)call->ldb, call->a,
                          (int64_t)call->lda, &call->beta, call->c, (int64_t)call->ldc);
}

static bool is_gemv(const struct gemm *call)
{
    return call->type == GEMM_F32 && (call->m == 1 || call->n == 1);
}

static cublasStatus_t multiply_vector(const struct gemm *call)
{
    cublasHandle_t handle = current()->handle;
    const int64_t m = (int64_t)call->m, n = (int64_t)call->n, k = (int64_t)call->k;

    if (m == 1)
        return cublasSgemv_64(handle, CUBLAS_OP_N, n, k, &call->alpha, call->b, (int64_t)call->ldb,
                              call->a, 1, &call->beta, call->c, 1);
    return cublasSgemv_64(handle, CUBLAS_OP_T, k, m, &call->alpha, call->a, (int64_t)call->lda,
                          call->b, (int64_t)call->ldb, &call->beta, call->c, (int64_t)call->ldc);
}

/* A product by one of the ways to compute it. */
struct way {
    const struct gemm *call;
    const struct description *description;
    const cublasLtMatmulAlgo_t *algorithm;
    bool by_gemv;
};

static bool go(const void *argument)
{
    const struct way *const way = argument;

    return (way->by_gemv
                ? multiply_vector(way->call)
                : multiply(way->call, way->description, way->algorithm)) == CUBLAS_STATUS_SUCCESS;
}

/* Milliseconds per product, for `runs` consecutive products; DBL_MAX if the algorithm fails. */
static double time_of(const struct way *way, int runs)
{
    const double us = gpu_time_each(go, way, runs);

    return us > 0 ? us * 1e-3 : DBL_MAX;
}

/* The shortest time of one product, after one to warm up. A long product is timed only once. */
static double best_time_of(const struct way *way)
{
    enum { ROUNDS = 3, RUNS = 5, SHORT_RUNS = 20 };
    const double is_long = 50, is_short = 0.1;
    double best = time_of(way, 1);

    if (best >= is_long) /* or failed */
        return best;
    const int runs = best < is_short ? SHORT_RUNS : RUNS;
    best = DBL_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        const double each = time_of(way, runs);
        best = each < best ? each : best;
    }
    return best;
}

/* Times cublasSgemm or cublasGemmEx, cublasSgemv for a vector, and cublasLt's proposals, and keeps
 * the fastest. The trials must not change C, because beta may need it. So they write to separate
 * memory with C's alignment. */
static void choose(const struct gemm *call)
{
    struct of_gpu *const gpu = current();
    cublasLtMatmulHeuristicResult_t results[MOST_CANDIDATES];
    const size_t offset = (uintptr_t)call->c % ALIGNMENT;
    const size_t bytes = offset + call->m * call->ldc * gemm_element_size(call->type);
    struct gemm trial = *call;
    void *scratch = NULL;

    gpu->chosen = BY_GEMM;
    gpu->candidates = 0;
    if (cudaMalloc(&scratch, bytes) != cudaSuccess) {
        cudaGetLastError(); /* no memory for trials, so no proposal of cublasLt */
        return;
    }
    check_cuda(cudaMemset(scratch, 0, bytes), "cublas: cudaMemset");
    trial.c = (float *)((char *)scratch + offset);

    const int proposed = propose(call, &gpu->description, results);
    struct way way = {.call = &trial, .description = &gpu->description};
    best_time_of(&way); /* warms up until the GPU's clock is high */
    double best = best_time_of(&way);
    way.by_gemv = is_gemv(call);
    if (way.by_gemv) {
        const double time = best_time_of(&way);
        if (time < best) {
            best = time;
            gpu->chosen = BY_GEMV;
        }
        way.by_gemv = false;
    }
    for (int i = 0; i < proposed; i++) {
        if (results[i].state != CUBLAS_STATUS_SUCCESS || results[i].workspaceSize > WORKSPACE)
            continue;
        way.algorithm = &results[i].algo;
        const double time = best_time_of(&way);
        if (time == DBL_MAX)
            continue;
        if (time < best) {
            best = time;
            gpu->chosen = gpu->candidates;
            gpu->algorithm = results[i].algo;
        }
        gpu->candidates++;
    }
    check_cuda(cudaFree(scratch), "cublas: cudaFree");
}

static bool is_empty(const struct gemm *call)
{
    return call->m == 0 || call->n == 0 || call->k == 0;
}

void cublas_prepare_gemm(const struct gemm *call)
{
    struct of_gpu *const gpu = current();

    open_libraries(call);
    if (is_empty(call) || (gpu->made && is_same(&gpu->call, call)))
        return;
    if (gpu->made)
        destroy_description(&gpu->description);
    gpu->description = describe(call);
    choose(call);
    gpu->call = *call;
    gpu->made = true;
}

/* For k = 0, which cuBLAS does not document, C becomes beta C. */
static void scale(const struct gemm *call)
{
    struct of_gpu *const gpu = current();
    const size_t size = gemm_element_size(call->type);
    const float zero = 0;

    if (call->m == 0 || call->n == 0)
        return;
    if (call->beta == 0)
        check_cuda(cudaMemset2DAsync(call->c, call->ldc * size, 0, call->n * size, call->m, 0),
                   "cublas: cudaMemset2DAsync");
    else if (call->type == GEMM_BF16)
        for (size_t row = 0; row < call->m; row++)
            check(cublasScalEx_64(gpu->handle, (int64_t)call->n, &call->beta, CUDA_R_32F,
                                  call->c_bf16 + row * call->ldc, CUDA_R_16BF, 1, CUDA_R_32F),
                  "cublasScalEx_64");
    else /* in place, which cuBLAS allows if both leading dimensions are equal */
        check(cublasSgeam_64(gpu->handle, CUBLAS_OP_N, CUBLAS_OP_N, (int64_t)call->n,
                             (int64_t)call->m, &call->beta, call->c, (int64_t)call->ldc, &zero,
                             call->c, (int64_t)call->ldc, call->c, (int64_t)call->ldc),
              "cublasSgeam_64");
}

void cublas_gemm(const struct gemm *call)
{
    struct of_gpu *const gpu = current();

    if (is_empty(call))
        scale(call);
    else if (gpu->chosen == BY_GEMV)
        check(multiply_vector(call), "cublasSgemv_64");
    else if (gpu->chosen >= 0)
        check(multiply(call, &gpu->description, &gpu->algorithm), "cublasLtMatmul");
    else
        check(multiply(call, NULL, NULL), "cublasSgemm_64, cublasGemmEx_64");
}

void cublas_how_gemm(const struct gemm *call, char text[RUNG_HOW_SIZE])
{
    struct of_gpu *const gpu = current();
    int version = 0;
    char chosen[40];

    snprintf(chosen, sizeof chosen, "%s",
             gpu->chosen == BY_GEMV   ? "cublasSgemv"
             : call->type == GEMM_F32 ? "cublasSgemm"
                                      : "cublasGemmEx");
    check(cublasGetVersion(gpu->handle, &version), "cublasGetVersion");
    if (is_empty(call))
        snprintf(chosen, sizeof chosen, "no product");
    else if (gpu->chosen >= 0)
        snprintf(chosen, sizeof chosen, "cublasLt algo %d of %d", gpu->chosen + 1, gpu->candidates);
    snprintf(text, RUNG_HOW_SIZE, "%s, cuBLAS %d.%d", chosen, version / 10000,
             version % 10000 / 100);
}
/* SPDX-License-Identifier: MIT */
