/* cuBLAS for 1 x 1 filters: see cudnn_parts.h. In a picture, the output is filters x channels times
 * channels x pixels. cuBLAS's matrices are column-major, so it computes the transpose of the
 * output, with the operands swapped (cublas_gemm.c). */
#include <cublasLt.h>

#include "library/cublas_check.h"
#include "library/cudnn_parts.h"

enum { MOST_CANDIDATES = 32 };
static const size_t room = (size_t)64 << 20;

/* The fastest algorithm found; its descriptions are of the first picture. */
static struct {
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t input, filter, output;
    cublasLtMatmulAlgo_t algorithm;
} plan;

static cublasLtMatrixLayout_t layout(size_t rows, size_t columns, size_t batch, size_t stride)
{
    const int32_t count = (int32_t)batch;
    const int64_t floats = (int64_t)stride;
    cublasLtMatrixLayout_t made;

    check(cublasLtMatrixLayoutCreate(&made, CUDA_R_32F, rows, columns, (int64_t)rows),
          "cublasLtMatrixLayoutCreate");
    check(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                           sizeof count),
          "cublasLtMatrixLayoutSetAttribute");
    check(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                           &floats, sizeof floats),
          "cublasLtMatrixLayoutSetAttribute");
    return made;
}

static void describe(const struct conv *call)
{
    const size_t pixels = call->height * call->width;

    if (plan.handle == NULL) {
        check(cublasLtCreate(&plan.handle), "cublasLtCreate");
        check(cublasLtMatmulDescCreate(&plan.operation, CUBLAS_COMPUTE_32F, CUDA_R_32F),
              "cublasLtMatmulDescCreate"); /* not TF32, which has another compute type */
    } else {
        cublasLtMatrixLayoutDestroy(plan.input);
        cublasLtMatrixLayoutDestroy(plan.filter);
        cublasLtMatrixLayoutDestroy(plan.output);
    }
    plan.input = layout(pixels, call->channels, call->batch, pixels * call->channels);
    plan.filter = layout(call->channels, call->filters, call->batch, 0);
    plan.output = layout(pixels, call->filters, call->batch, pixels * call->filters);
}

static bool multiply(const void *algorithm, const struct conv *call, float *output)
{
    const float one = 1, zero = 0;

    return cublasLtMatmul(plan.handle, plan.operation, &one, call->input, plan.input, call->filter,
                          plan.filter, &zero, output, plan.output, output, plan.output, algorithm,
                          cudnn_workspace(), room, cudaStreamPerThread) == CUBLAS_STATUS_SUCCESS;
}

bool cublas_conv_run(const void *ignored, const struct conv *call, float *output)
{
    (void)ignored;
    return multiply(&plan.algorithm, call, output);
}

static bool is_product(const struct conv *call)
{
    return call->groups == 1 && call->kernel_height == 1 && call->kernel_width == 1 &&
           call->stride_height == 1 && call->stride_width == 1 && call->pad == 0;
}

float cublas_conv_prepare(const struct conv *call, float *output)
{
    cublasLtMatmulHeuristicResult_t results[MOST_CANDIDATES];
    const uint32_t alignment = sizeof(float);
    cublasLtMatmulPreference_t preference;
    float best = 0;
    int count = 0;

    if (!is_product(call))
        return 0;
    describe(call);
    check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &room, sizeof room),
          "cublasLtMatmulPreferenceSetAttribute");
    if ((size_t)call->input % 16 != 0 || (size_t)call->filter % 16 != 0 ||
        (size_t)call->output % 16 != 0)
        for (int i = 0; i < 4; i++)
            check(cublasLtMatmulPreferenceSetAttribute(
                      preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES + i, &alignment,
                      sizeof alignment),
                  "cublasLtMatmulPreferenceSetAttribute");
    if (cublasLtMatmulAlgoGetHeuristic(plan.handle, plan.operation, plan.input, plan.filter,
                                       plan.output, plan.output, preference, MOST_CANDIDATES,
                                       results, &count) != CUBLAS_STATUS_SUCCESS)
        count = 0;
    cublasLtMatmulPreferenceDestroy(preference);
    for (int i = 0; i < count; i++) {
        if (results[i].state != CUBLAS_STATUS_SUCCESS || results[i].workspaceSize > room)
            continue;
        const float us = time_conv(multiply, &results[i].algo, call, output, best);
        if (us > 0 && (best == 0 || us < best)) {
            best = us;
            plan.algorithm = results[i].algo;
        }
    }
    return best;
}
/* SPDX-License-Identifier: MIT */
