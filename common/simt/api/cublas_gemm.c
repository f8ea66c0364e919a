/* cuBLAS's matrix products. Both matrices are packed as floats. For sums in double or int they are
 * packed as doubles. The sums have the same type (cublas_sums.c). */
#include <math.h>
#include <stdlib.h>

#include "api/cublas_numbers.h"
#include "api/cublas_product.h"
#include "api/errors.h"
#include "memory/memory.h"

/* ---- the product ---- */

static size_t index_of(int row, int column, int ld, bool transposed)
{
    return transposed ? (size_t)row * (size_t)ld + (size_t)column
                      : (size_t)column * (size_t)ld + (size_t)row;
}

/* Packs a matrix of `rows` rows and k columns into stripes of `stripe` rows. A stripe is stored
 * column by column. The last stripe is padded with zeros. */
static void *packed(const struct simt_product *g, const void *matrix,
                    const struct simt_layout *layout, bool transposed, size_t rows, size_t stripe)
{
    const cudaDataType type = g->exact ? CUDA_R_64F : CUDA_R_32F;
    const size_t k = (size_t)g->k, stripes = (rows + stripe - 1) / stripe;
    void *to = calloc(stripes * stripe * k + 1, simt_number_size(type));
    for (size_t l = 0; to && l < k; l++) {
        for (size_t i = 0; i < rows; i++) {
            const double value = simt_number_get(matrix, layout->type,
                                                 index_of((int)i, (int)l, layout->ld, transposed));
            simt_number_put(to, type, (i / stripe * k + l) * stripe + i % stripe, value);
        }
    }
    return to;
}

static double finished(const struct simt_epilogue *epilogue, int row, double value)
{
    if (epilogue->bias) {
        value += simt_number_get(epilogue->bias, epilogue->bias_type, (size_t)row);
    }
    switch (epilogue->function) {
    case SIMT_RELU:
        return value < 0 ? 0 : value;
    case SIMT_GELU: /* with tanh, like cuBLASLt */
        return 0.5 * value *
               (1 + tanh(sqrt(2 / acos(-1)) * (value + 0.044715 * value * value * value)));
    default:
        return value;
    }
}

/* Stores the elements of one tile, starting at `row` and `column`. `sums`: the tile's sums. */
static void put_tile(const struct simt_product *g, const struct simt_operands *at, int row,
                     int column, int height, const void *sums)
{
    for (int j = column; j < g->n && j < column + SIMT_TILE_COLUMNS; j++) {
        for (int i = row; i < g->m && i < row + height; i++) {
            const double sum = simt_number_get(sums, g->exact ? CUDA_R_64F : CUDA_R_32F,
                                               (size_t)((j - column) * height + i - row));
            const double old =
                g->beta == 0 ? 0
                             : g->beta * simt_number_get(at->c, g->c.type,
                                                         index_of(i, j, g->c.ld, g->c.by_rows));
            simt_number_put(at->d, g->d.type, index_of(i, j, g->d.ld, g->d.by_rows),
                            finished(&g->epilogue, i, g->alpha * sum + old));
        }
    }
}

struct place {
    const struct simt_product *g;
    const struct simt_operands *at;
    int height;
};

static void put_sums(void *context, size_t stripe, size_t column, const void *sums)
{
    const struct place *place = context;
    put_tile(place->g, place->at, (int)stripe * place->height, (int)column * SIMT_TILE_COLUMNS,
             place->height, sums);
}

static bool multiply(const struct simt_product *g, const struct simt_operands *at)
{
    const size_t height = SIMT_TILE_ROW_BYTES / (g->exact ? sizeof(double) : sizeof(float));
    const size_t stripes = ((size_t)g->m + height - 1) / height;
    const size_t columns = ((size_t)g->n + SIMT_TILE_COLUMNS - 1) / SIMT_TILE_COLUMNS;
    char *a = packed(g, at->a, &g->a, g->transposed_a, (size_t)g->m, height);
    char *b = packed(g, at->b, &g->b, !g->transposed_b, (size_t)g->n, SIMT_TILE_COLUMNS);
    if (!a || !b) {
        free(a);
        free(b);
        return false;
    }
    return simt_product_sums(g->exact, stripes, columns, (size_t)g->k, a, b, put_sums,
                             &(struct place){g, at, (int)height});
}

/* ---- batches ---- */

static const void *moved(const void *first, long long elements, cudaDataType type)
{
    return first ? (const char *)first + elements * (long long)simt_number_size(type) : NULL;
}

static struct simt_operands operands_of(const struct simt_product *g,
                                        const struct simt_operands *given,
                                        const struct simt_batches *batches, int batch)
{
    if (batches->a) {
        struct simt_operands pointed;
        simt_memory_open();
        pointed = (struct simt_operands){batches->a[batch], batches->b[batch], batches->c[batch],
                                         batches->c[batch]};
        simt_memory_close();
        return pointed;
    }
    return (struct simt_operands){
        moved(given->a, batch * batches->stride_a, g->a.type),
        moved(given->b, batch * batches->stride_b, g->b.type),
        moved(given->c, batch * batches->stride_c, g->c.type),
        (void *)(uintptr_t)moved(given->d, batch * batches->stride_d, g->d.type)};
}

static bool is_valid(const struct simt_product *g)
{
    return g->m >= 0 && g->n >= 0 && g->k >= 0 && g->a.ld >= (g->transposed_a ? g->k : g->m) &&
           g->b.ld >= (g->transposed_b ? g->n : g->k) && g->c.ld >= (g->c.by_rows ? g->n : g->m) &&
           g->d.ld >= (g->d.by_rows ? g->n : g->m);
}

/* The memory of a matrix with rows x columns elements. With `by_rows` it is stored row by row. */
static struct simt_operand memory_of(const char *name, const void *first,
                                     const struct simt_layout *layout, bool by_rows, int rows,
                                     int columns)
{
    return simt_matrix(name, first, by_rows ? columns : rows, by_rows ? rows : columns, layout->ld,
                       simt_number_size(layout->type));
}

static cublasStatus_t run_one(const struct simt_blas_call *call, const struct simt_product *g,
                              const struct simt_operands *at)
{
    const struct simt_operand out =
        memory_of(at->c == at->d ? "C" : "D", at->d, &g->d, g->d.by_rows, g->m, g->n);
    struct simt_operand in[4] = {
        memory_of("A", at->a, &g->a, g->transposed_a, g->m, g->k),
        memory_of("B", at->b, &g->b, g->transposed_b, g->k, g->n),
    };
    size_t count = 2;
    cublasStatus_t status;
    if (at->c != at->d && g->beta != 0) {
        in[count++] = memory_of("C", at->c, &g->c, g->c.by_rows, g->m, g->n);
    }
    if (g->epilogue.bias) {
        in[count++] = simt_vector("the bias", g->epilogue.bias, g->m, 1,
                                  simt_number_size(g->epilogue.bias_type));
    }
    status = simt_blas_begin(call, &out, in, count);
    if (status != CUBLAS_STATUS_SUCCESS) {
        return status;
    }
    status = multiply(g, at) ? status : CUBLAS_STATUS_ALLOC_FAILED;
    simt_blas_end(call, &out);
    return status;
}

cublasStatus_t simt_product_run(const struct simt_blas_call *call, const struct simt_product *g,
                                const struct simt_operands *given,
                                const struct simt_batches *batches)
{
    if (!simt_blas_exists(call->handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!simt_number_size(g->a.type) || !simt_number_size(g->b.type) ||
        !simt_number_size(g->c.type) || !simt_number_size(g->d.type)) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (!is_valid(g) || batches->count < 0) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    for (int batch = 0; batch < batches->count && g->m > 0 && g->n > 0; batch++) {
        const struct simt_operands at = operands_of(g, given, batches, batch);
        struct simt_product now = *g;
        now.epilogue.bias =
            moved(g->epilogue.bias, batch * g->epilogue.bias_stride, g->epilogue.bias_type);
        const cublasStatus_t status = run_one(call, &now, &at);
        if (status != CUBLAS_STATUS_SUCCESS) {
            return status;
        }
    }
    return CUBLAS_STATUS_SUCCESS;
}

bool simt_product_factors(struct simt_product *g, const void *alpha, const void *beta,
                          cudaDataType type)
{
    uint64_t bits[2] = {0, 0};
    if (!alpha || !beta) {
        return false;
    }
    simt_memory_open();
    simt_blas_scalar(&bits[0], alpha, simt_number_size(type));
    simt_blas_scalar(&bits[1], beta, simt_number_size(type));
    simt_memory_close();
    g->alpha = simt_number_get(&bits[0], type, 0);
    g->beta = simt_number_get(&bits[1], type, 0);
    return true;
}

cudaDataType simt_scale_of(cublasComputeType_t compute)
{
    switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return CUDA_R_16F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return CUDA_R_32I;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
        return CUDA_R_64F;
    default:
        return CUDA_R_32F;
    }
}

bool simt_is_exact(cublasComputeType_t compute)
{
    return simt_scale_of(compute) == CUDA_R_32I || simt_scale_of(compute) == CUDA_R_64F;
}

bool simt_product_reads(cudaDataType type)
{
    return simt_number_size(type) > 0;
}

/* ---- the API ---- */

static const struct simt_batches one = {.count = 1};

#define SHAPE(type)                                                                                \
    struct simt_product g = {.transposed_a = operation_a != CUBLAS_OP_N,                           \
                             .transposed_b = operation_b != CUBLAS_OP_N,                           \
                             .m = m,                                                               \
                             .n = n,                                                               \
                             .k = k,                                                               \
                             .a = {type, lda, false},                                              \
                             .b = {type, ldb, false},                                              \
                             .c = {type, ldc, false},                                              \
                             .d = {type, ldc, false},                                              \
                             .exact = type == CUDA_R_64F};                                         \
    SIMT_BLAS_CALL(handle);                                                                        \
    if (!simt_product_factors(&g, alpha, beta, type)) {                                            \
        return CUBLAS_STATUS_INVALID_VALUE;                                                        \
    }

#define PRODUCTS(S, T, type)                                                                       \
    cublasStatus_t cublas##S##gemm(cublasHandle_t handle, cublasOperation_t operation_a,           \
                                   cublasOperation_t operation_b, int m, int n, int k,             \
                                   const T *alpha, const T *a, int lda, const T *b, int ldb,       \
                                   const T *beta, T *c, int ldc)                                   \
    {                                                                                              \
        SIMT_API;                                                                                  \
        SHAPE(type)                                                                                \
        return simt_product_run(&call, &g, &(struct simt_operands){a, b, c, c}, &one);             \
    }                                                                                              \
    cublasStatus_t cublas##S##gemmStridedBatched(                                                  \
        cublasHandle_t handle, cublasOperation_t operation_a, cublasOperation_t operation_b,       \
        int m, int n, int k, const T *alpha, const T *a, int lda, long long stride_a, const T *b,  \
        int ldb, long long stride_b, const T *beta, T *c, int ldc, long long stride_c,             \
        int batches)                                                                               \
    {                                                                                              \
        const struct simt_batches all = {.count = batches,                                         \
                                         .stride_a = stride_a,                                     \
                                         .stride_b = stride_b,                                     \
                                         .stride_c = stride_c,                                     \
                                         .stride_d = stride_c};                                    \
        SIMT_API;                                                                                  \
        SHAPE(type)                                                                                \
        return simt_product_run(&call, &g, &(struct simt_operands){a, b, c, c}, &all);             \
    }                                                                                              \
    cublasStatus_t cublas##S##gemmBatched(                                                         \
        cublasHandle_t handle, cublasOperation_t operation_a, cublasOperation_t operation_b,       \
        int m, int n, int k, const T *alpha, const T *const a[], int lda, const T *const b[],      \
        int ldb, const T *beta, T *const c[], int ldc, int batches)                                \
    {                                                                                              \
        const struct simt_batches all = {.count = batches,                                         \
                                         .a = (const void *const *)a,                              \
                                         .b = (const void *const *)b,                              \
                                         .c = (void *const *)c};                                   \
        SIMT_API;                                                                                  \
        SHAPE(type)                                                                                \
        return simt_product_run(&call, &g, NULL, &all);                                            \
    }
PRODUCTS(S, float, CUDA_R_32F)
PRODUCTS(D, double, CUDA_R_64F)

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t operation_a,
                                          cublasOperation_t operation_b, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType type_a,
                                          int lda, long long stride_a, const void *b,
                                          cudaDataType type_b, int ldb, long long stride_b,
                                          const void *beta, void *c, cudaDataType type_c, int ldc,
                                          long long stride_c, int batches,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    struct simt_product g = {.transposed_a = operation_a != CUBLAS_OP_N,
                             .transposed_b = operation_b != CUBLAS_OP_N,
                             .m = m,
                             .n = n,
                             .k = k,
                             .a = {type_a, lda, false},
                             .b = {type_b, ldb, false},
                             .c = {type_c, ldc, false},
                             .d = {type_c, ldc, false},
                             .exact = simt_is_exact(compute)};
    const struct simt_batches all = {.count = batches,
                                     .stride_a = stride_a,
                                     .stride_b = stride_b,
                                     .stride_c = stride_c,
                                     .stride_d = stride_c};
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    (void)algorithm;
    if (!simt_product_factors(&g, alpha, beta, simt_scale_of(compute))) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    return simt_product_run(&call, &g, &(struct simt_operands){a, b, c, c}, &all);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t operation_a,
                            cublasOperation_t operation_b, int m, int n, int k, const void *alpha,
                            const void *a, cudaDataType type_a, int lda, const void *b,
                            cudaDataType type_b, int ldb, const void *beta, void *c,
                            cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm)
{
    SIMT_API;
    return cublasGemmStridedBatchedEx(handle, operation_a, operation_b, m, n, k, alpha, a, type_a,
                                      lda, 0, b, type_b, ldb, 0, beta, c, type_c, ldc, 0, 1,
                                      compute, algorithm);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t operation_a,
                             cublasOperation_t operation_b, int m, int n, int k, const float *alpha,
                             const void *a, cudaDataType type_a, int lda, const void *b,
                             cudaDataType type_b, int ldb, const float *beta, void *c,
                             cudaDataType type_c, int ldc)
{
    SIMT_API;
    return cublasGemmEx(handle, operation_a, operation_b, m, n, k, alpha, a, type_a, lda, b, type_b,
                        ldb, beta, c, type_c, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
/* SPDX-License-Identifier: MIT */
