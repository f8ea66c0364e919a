/* cuBLAS on complex numbers, and on vectors whose type is an argument. */
#include "api/cublas.h"
#include "api/cublas_numbers.h"
#include "api/errors.h"
#include "memory/memory.h"

struct number {
    double x, y; /* real, imaginary */
};

static bool is_complex(cudaDataType type)
{
    return type == CUDA_C_32F || type == CUDA_C_64F;
}

static cudaDataType part_of(cudaDataType type)
{
    return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

static size_t bytes_of(cudaDataType type)
{
    return simt_number_size(part_of(type)) * (is_complex(type) ? 2 : 1);
}

static struct number get(const void *from, cudaDataType type, size_t index)
{
    const cudaDataType part = part_of(type);
    if (!is_complex(type)) {
        return (struct number){simt_number_get(from, part, index), 0};
    }
    return (struct number){simt_number_get(from, part, 2 * index),
                           simt_number_get(from, part, 2 * index + 1)};
}

static void put(void *to, cudaDataType type, size_t index, struct number value)
{
    const cudaDataType part = part_of(type);
    if (!is_complex(type)) {
        simt_number_put(to, part, index, value.x);
        return;
    }
    simt_number_put(to, part, 2 * index, value.x);
    simt_number_put(to, part, 2 * index + 1, value.y);
}

/* a b + c */
static struct number multiply_add(struct number a, struct number b, struct number c)
{
    return (struct number){a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y};
}

static bool is_zero(struct number a)
{
    return a.x == 0 && a.y == 0;
}

/* A factor, before the work begins. */
static struct number factor_of(const void *from, cudaDataType type)
{
    uint64_t bits[2] = {0, 0};
    simt_memory_open();
    simt_blas_scalar(bits, from, bytes_of(type));
    simt_memory_close();
    return get(bits, type, 0);
}

/* ---- x = alpha x ---- */

/* As the vendor's table has them. */
static bool scales(cudaDataType alpha, cudaDataType x, cudaDataType execution)
{
    const bool half = x == CUDA_R_16F || x == CUDA_R_16BF;
    const bool known = half || x == CUDA_R_32F || x == CUDA_R_64F || is_complex(x);
    return known && alpha == (half ? CUDA_R_32F : x) && execution == alpha;
}

cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType type_alpha, void *x, cudaDataType type, int step,
                            cudaDataType execution)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    struct simt_operand out;
    struct number factor;
    cublasStatus_t status;
    if (!scales(type_alpha, type, execution)) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (!alpha) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    factor = factor_of(alpha, type_alpha);
    out = simt_vector("x", x, n, step, bytes_of(type));
    status = simt_blas_begin(&call, &out, &out, 1);
    if (status != CUBLAS_STATUS_SUCCESS) {
        return status;
    }
    for (int i = 0; i < n; i++) {
        const size_t at = (size_t)i * (size_t)(step < 0 ? -step : step);
        const struct number zero = {0, 0};
        put(x, type, at, multiply_add(factor, get(x, type, at), zero));
    }
    return simt_blas_end(&call, &out);
}

/* ---- C = alpha A B + beta C, or B A, with A = its conjugate transpose ---- */

struct hemm {
    cublasSideMode_t side;
    cublasFillMode_t fill;
    int m, n;
    cudaDataType type;
    const void *a;
    int lda;
    const void *b;
    int ldb;
    void *c;
    int ldc;
    struct number alpha, beta;
};

static size_t at(int row, int column, int ld)
{
    return (size_t)column * (size_t)ld + (size_t)row;
}

/* Of A, of which one triangle is stored; its diagonal is real, whatever is there. */
static struct number element_of(const struct hemm *g, int row, int column)
{
    const bool stored = g->fill == CUBLAS_FILL_MODE_LOWER ? row >= column : row <= column;
    struct number value =
        get(g->a, g->type, stored ? at(row, column, g->lda) : at(column, row, g->lda));
    value.y = row == column ? 0 : stored ? value.y : -value.y;
    return value;
}

static struct number sum_of(const struct hemm *g, int row, int column)
{
    const bool left = g->side == CUBLAS_SIDE_LEFT;
    struct number sum = {0, 0};
    for (int l = 0; l < (left ? g->m : g->n); l++) {
        const struct number a = left ? element_of(g, row, l) : element_of(g, l, column);
        const size_t of_b = left ? at(l, column, g->ldb) : at(row, l, g->ldb);
        sum = multiply_add(a, get(g->b, g->type, of_b), sum);
    }
    return sum;
}

static void multiply(const struct hemm *g)
{
    const struct number zero = {0, 0};
    for (int j = 0; j < g->n; j++) {
        for (int i = 0; i < g->m; i++) {
            const size_t to = at(i, j, g->ldc);
            const struct number old =
                is_zero(g->beta) ? zero : multiply_add(g->beta, get(g->c, g->type, to), zero);
            put(g->c, g->type, to,
                is_zero(g->alpha) ? old : multiply_add(g->alpha, sum_of(g, i, j), old));
        }
    }
}

static bool is_valid(const struct hemm *g)
{
    return (g->side == CUBLAS_SIDE_LEFT || g->side == CUBLAS_SIDE_RIGHT) &&
           (g->fill == CUBLAS_FILL_MODE_LOWER || g->fill == CUBLAS_FILL_MODE_UPPER) && g->m >= 0 &&
           g->n >= 0 && g->lda >= (g->side == CUBLAS_SIDE_LEFT ? g->m : g->n) && g->ldb >= g->m &&
           g->ldc >= g->m;
}

static cublasStatus_t run(const struct simt_blas_call *call, struct hemm *g, const void *alpha,
                          const void *beta)
{
    const size_t size = bytes_of(g->type);
    const int order = g->side == CUBLAS_SIDE_LEFT ? g->m : g->n;
    const struct simt_operand out = simt_matrix("C", g->c, g->m, g->n, g->ldc, size);
    struct simt_operand in[3];
    size_t count = 0;
    cublasStatus_t status;
    if (!is_valid(g) || !alpha || !beta) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    g->alpha = factor_of(alpha, g->type);
    g->beta = factor_of(beta, g->type);
    if (!is_zero(g->alpha)) {
        in[count++] = simt_matrix("A", g->a, order, order, g->lda, size);
        in[count++] = simt_matrix("B", g->b, g->m, g->n, g->ldb, size);
    }
    if (!is_zero(g->beta)) {
        in[count++] = out;
    }
    status = simt_blas_begin(call, &out, in, count);
    if (status != CUBLAS_STATUS_SUCCESS) {
        return status;
    }
    multiply(g);
    return simt_blas_end(call, &out);
}

#define HEMM(S, T, of_type)                                                                        \
    cublasStatus_t cublas##S##hemm(                                                                \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, int m, int n,         \
        const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)    \
    {                                                                                              \
        struct hemm g = {.side = side,                                                             \
                         .fill = fill,                                                             \
                         .m = m,                                                                   \
                         .n = n,                                                                   \
                         .type = of_type,                                                          \
                         .a = a,                                                                   \
                         .lda = lda,                                                               \
                         .b = b,                                                                   \
                         .ldb = ldb,                                                               \
                         .c = c,                                                                   \
                         .ldc = ldc};                                                              \
        SIMT_API;                                                                                  \
        SIMT_BLAS_CALL(handle);                                                                    \
        return run(&call, &g, alpha, beta);                                                        \
    }
HEMM(C, cuComplex, CUDA_C_32F)
HEMM(Z, cuDoubleComplex, CUDA_C_64F)
/* SPDX-License-Identifier: MIT */
