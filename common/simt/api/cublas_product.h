/* A matrix product as cuBLAS and cuBLASLt describe it. */
#ifndef SIMT_CUBLAS_PRODUCT_H
#define SIMT_CUBLAS_PRODUCT_H

#include "api/cublas.h"

struct simt_layout {
    cudaDataType type;
    int ld;
    bool by_rows; /* else by columns */
};

/* What becomes of a sum before it is stored. */
struct simt_epilogue {
    const void *bias; /* a number for each row, or NULL */
    cudaDataType bias_type;
    long long bias_stride; /* from batch to batch, in elements */
    enum { SIMT_IDENTITY, SIMT_RELU, SIMT_GELU } function;
};

/* D = epilogue(alpha op(A) op(B) + beta C), m x n. */
struct simt_product {
    bool transposed_a,
        transposed_b; /* as they lie: a matrix by rows is one by columns transposed */
    int m, n, k;
    struct simt_layout a, b, c, d;
    bool exact; /* sums in double */
    double alpha, beta;
    struct simt_epilogue epilogue;
};

struct simt_batches {
    int count;
    long long stride_a, stride_b, stride_c, stride_d; /* in elements */
    const void *const *a, *const *b;                  /* or pointers, in memory of the device */
    void *const *c;
};

struct simt_operands {
    const void *a, *b, *c;
    void *d;
};

/* A tile of C: so many bytes of a column, and so many columns. Its sums, column by column. */
enum {
    SIMT_TILE_ROW_BYTES = 64,
    SIMT_TILE_COLUMNS = 4,
    SIMT_TILE_BYTES_OF_SUMS = SIMT_TILE_ROW_BYTES * SIMT_TILE_COLUMNS
};
/* The sums of a product of doubles (exact) or floats: of so many stripes of a tile's height and so
 * many of its columns. A and B are packed in such stripes, each along k, and are the function's
 * from now on. It calls `put` for each tile; false if there is no memory. */
bool simt_product_sums(bool exact, size_t stripes, size_t columns, size_t k, char *a, char *b,
                       void (*put)(void *context, size_t stripe, size_t column, const void *sums),
                       void *context);

/* The type of alpha and beta, and whether sums are made in double. */
cudaDataType simt_scale_of(cublasComputeType_t compute);
bool simt_is_exact(cublasComputeType_t compute);
bool simt_product_reads(cudaDataType type); /* whether matrices may be of it */

/* Reads the factors; false if there are none. */
bool simt_product_factors(struct simt_product *product, const void *alpha, const void *beta,
                          cudaDataType type);
cublasStatus_t simt_product_run(const struct simt_blas_call *call,
                                const struct simt_product *product,
                                const struct simt_operands *operands,
                                const struct simt_batches *batches);

#endif
/* SPDX-License-Identifier: MIT */
