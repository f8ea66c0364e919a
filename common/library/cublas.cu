/* The library cuBLAS, dot product: see cublas.h. */
#include <cuda_runtime.h>
#include <stdio.h>

#include "library/cublas.h"
#include "library/cublas_check.h"

static cublasHandle_t handle;

/* b of mixed types, converted to float; kept for the next call. */
static float *converted;
static size_t room;

void cublas_prepare(const struct reduction *call)
{
    if (handle == NULL) {
        check(cublasCreate(&handle), "cublasCreate");
        check(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
    }
    if (call->type == TYPE_MIXED && call->n > room) {
        check_cuda(cudaFree(converted), "cublas: cudaFree");
        converted = NULL;
        room = 0;
        check_cuda(cudaMalloc((void **)&converted, call->n * sizeof *converted),
                   "cublas: cudaMalloc");
        room = call->n;
    }
}

__global__ static void convert(const unsigned char *from, float *to, size_t n)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        to[i] = from[i];
}

static const float *as_floats(const struct reduction *call)
{
    const unsigned block = REDUCTION_BLOCK, full = 2048 / REDUCTION_BLOCK;

    if (call->type == TYPE_F32)
        return (const float *)call->b;
    convert<<<reduction_grid(call, block, full), block>>>((const unsigned char *)call->b, converted,
                                                          call->n);
    return converted;
}

/* The functions whose names end in _64 take vectors of more than INT_MAX elements. */
void cublas_reduce(const struct reduction *call)
{
    const int64_t n = (int64_t)call->n;

    if (call->type == TYPE_F64)
        check(cublasDdot_64(handle, n, (const double *)call->a, 1, (const double *)call->b, 1,
                            (double *)call->result),
              "cublasDdot_64");
    else
        check(cublasSdot_64(handle, n, (const float *)call->a, 1, as_floats(call), 1,
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
             call->type == TYPE_MIXED ? ", b converted to float" : "");
}
