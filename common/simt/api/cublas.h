/* Declarations that the files of cuBLAS share. */
#ifndef SIMT_CUBLAS_H
#define SIMT_CUBLAS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cuda/cublas_v2.h"

struct cublasContext {
    struct cublasContext *next;
    cudaStream_t stream;
    cublasPointerMode_t pointers;
    cublasMath_t math;
};

bool simt_blas_exists(cublasHandle_t handle);

/* Columns of bytes that a function reads or writes. `first` may be NULL if nothing is done. */
struct simt_operand {
    const char *name; /* the name in messages */
    const void *first;
    size_t column, pitch, columns; /* bytes, bytes, number */
};
/* Columns without gaps become one column. */
static inline struct simt_operand simt_columns(const char *name, const void *first, size_t column,
                                               size_t pitch, size_t columns)
{
    const bool is_one = column == pitch && columns > 0;
    return (struct simt_operand){name, column > 0 && columns > 0 ? first : NULL,
                                 is_one ? column * columns : column,
                                 is_one ? column * columns : pitch, is_one ? 1 : columns};
}
static inline struct simt_operand simt_vector(const char *name, const void *first, int n, int step,
                                              size_t size)
{
    const size_t stride = (size_t)(step < 0 ? -step : step) * size;
    return simt_columns(name, first, size, stride, n > 0 ? (size_t)n : 0);
}
static inline struct simt_operand simt_matrix(const char *name, const void *first, int rows,
                                              int columns, int ld, size_t size)
{
    return simt_columns(name, first, rows > 0 ? (size_t)rows * size : 0, (size_t)ld * size,
                        columns > 0 ? (size_t)columns : 0);
}

/* The call that the program made, for messages. */
struct simt_blas_call {
    cublasHandle_t handle;
    const char *name;
    const void *caller;
};
#define SIMT_BLAS_CALL(handle)                                                                     \
    const struct simt_blas_call call = {handle, __func__, __builtin_return_address(0)}

/* Starts the work in the handle's stream, and opens the device's memory for it. `out` is written;
 * the others are read. If an operand is not valid device memory, prints its name; the call then
 * returns the status of this function. */
cublasStatus_t simt_blas_begin(const struct simt_blas_call *call, const struct simt_operand *out,
                               const struct simt_operand *in, size_t count);
cublasStatus_t simt_blas_end(const struct simt_blas_call *call, const struct simt_operand *out);
/* A factor in host or device memory. Device memory must be open. */
static inline void simt_blas_scalar(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}
/* Stores a result after the work, in the memory that the handle's pointer mode names. */
void simt_blas_result(const struct simt_blas_call *call, void *to, const void *from, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
