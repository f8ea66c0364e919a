/* The library cuBLAS, dot product: see cublas.h. */
#include <cuda_runtime.h>
#include <stdio.h>

#include "library/cublas.h"
#include "library/cublas_check.h"

#define WORKSPACE ((size_t)32 << 20)
static cublasHandle_t handle;
static void *workspace;

/* The narrower input of two types, converted to the other's type; kept for the next call. */
static void *converted;
static size_t room; /* bytes */

void cublas_prepare(const struct reduction *call)
{
    if (handle == NULL) {
        check(cublasCreate(&handle), "cublasCreate");
        check(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
        check(cublasSetStream(handle, cudaStreamPerThread), "cublasSetStream");
        /* The handle's own memory, because a recorded call would allocate some each time. */
        check_cuda(cudaMalloc(&workspace, WORKSPACE), "cublas: cudaMalloc");
        check(cublasSetWorkspace(handle, workspace, WORKSPACE), "cublasSetWorkspace");
    }
    const size_t needed = has_two_types(call->type) ? call->n * result_size(call->type) : 0;
    if (needed > room) {
        check_cuda(cudaFree(converted), "cublas: cudaFree");
        converted = NULL;
        room = 0;
        check_cuda(cudaMalloc(&converted, needed), "cublas: cudaMalloc");
        room = needed;
    }
}

template <typename From, typename To>
__global__ static void convert(const From *from, To *to, size_t n)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        to[i] = (To)from[i];
}

template <typename From, typename To>
static const To *as(const From *from, const struct reduction *call)
{
    const unsigned block = REDUCTION_BLOCK, full = 2048 / REDUCTION_BLOCK;

    convert<<<reduction_grid(call, block, full), block>>>(from, (To *)converted, call->n);
    return (const To *)converted;
}

/* Returns a as doubles. */
static const double *wide_a(const struct reduction *call)
{
    return call->type == TYPE_F64 ? (const double *)call->a
                                  : as<float, double>((const float *)call->a, call);
}

static const float *b_as_float(const struct reduction *call)
{
    return call->type == TYPE_F32 ? (const float *)call->b
                                  : as<unsigned char, float>((const unsigned char *)call->b, call);
}

/* The functions whose names end in _64 support vectors of more than INT_MAX elements. */
void cublas_reduce(const struct reduction *call)
{
    const int64_t n = (int64_t)call->n;

    if (is_f64_result(call->type))
        check(cublasDdot_64(handle, n, wide_a(call), 1, (const double *)call->b, 1,
                            (double *)call->result),
              "cublasDdot_64");
    else
        check(cublasSdot_64(handle, n, (const float *)call->a, 1, b_as_float(call), 1,
                            (float *)call->result),
              "cublasSdot_64");
    /* cuBLAS does not document the result for empty vectors. */
    if (call->n == 0)
        check_cuda(cudaMemsetAsync(call->result, 0, result_size(call->type)),
                   "cublas: cudaMemsetAsync");
}

void cublas_how(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    int version = 0;

    check(cublasGetVersion(handle, &version), "cublasGetVersion");
    snprintf(text, RUNG_HOW_SIZE, "cuBLAS %d.%d%s", version / 10000, version % 10000 / 100,
             call->type == TYPE_MIXED     ? ", b converted to float"
             : call->type == TYPE_F32_F64 ? ", a converted to double"
                                          : "");
}
/* SPDX-License-Identifier: MIT */
