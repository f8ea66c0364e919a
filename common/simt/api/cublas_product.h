/* A matrix product as cuBLAS and cuBLASLt describe it. */
#ifndef SIMT_CUBLAS_PRODUCT_H
#define SIMT_CUBLAS_PRODUCT_H

#include "api/cublas.h"

struct simt_layout {
    cudaDataType type;
    int ld;
    bool by_rows; /* else by columns */
};

/* The operation on each sum before it is stored. */
struct simt_epilogue {
    const void *bias; /* one number per row, or NULL */
    cudaDataType bias_type;
    long long bias_stride; /* from batch to batch, in elements */
    enum { SIMT_IDENTITY, SIMT_RELU, SIMT_GELU } function;
};

/* D = epilogue(alpha op(A) op(B) + beta C), m x n. */
struct simt_product {
    bool transposed_a, transposed_b; /* in memory: by rows means transposed by columns */
    int m, n, k;
    struct simt_layout a, b, c, d;
    bool exact; /* sums in double */
    double alpha, beta;
    struct simt_epilogue epilogue;
};

struct simt_batches {
    int count;
    long long stride_a, stride_b, stride_c, stride_d; /* in elements */
    const void *const *a, *const *b;                  /* or pointers, in device memory */
    void *const *c;
};

struct simt_operands {
    const void *a, *b, *c;
    void *d;
};

/* A tile of C: bytes per column, and columns. Its sums are stored column by column. */
enum {
    SIMT_TILE_ROW_BYTES = 64,
    SIMT_TILE_COLUMNS = 4,
    SIMT_TILE_BYTES_OF_SUMS = SIMT_TILE_ROW_BYTES * SIMT_TILE_COLUMNS
};
/* The sums of a product of doubles (exact) or floats. `stripes` and `columns` count in tile heights
 * and tile widths. A and B are packed in such stripes, each along k. The function frees them. It
 * calls `put` for each tile. False if there is no memory. */
bool simt_product_sums(bool exact, size_t stripes, size_t columns, size_t k, char *a, char *b,
                       void (*put)(void *context, size_t stripe, size_t column, const void *sums),
                       void *context);

/* The type of alpha and beta, and whether sums are made in double. */
cudaDataType simt_scale_of(cublasComputeType_t compute);
bool simt_is_exact(cublasComputeType_t compute);
bool simt_product_reads(cudaDataType type); /* whether it supports matrices of this type */

/* Reads the factors. False if a pointer is NULL. */
bool simt_product_factors(struct simt_product *product, const void *alpha, const void *beta,
                          cudaDataType type);
cublasStatus_t simt_product_run(const struct simt_blas_call *call,
                                const struct simt_product *product,
                                const struct simt_operands *operands,
                                const struct simt_batches *batches);

#endif
/* SPDX-License-Identifier: MIT */
