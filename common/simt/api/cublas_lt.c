/* cuBLASLt: descriptions of products. cublas_gemm.c computes the products. */
#include <limits.h>
#include <stdlib.h>

#include "api/cublas_product.h"
#include "api/errors.h"
#include "cuda/cublasLt.h"
#include "memory/memory.h"

/* ---- contents of the descriptions ---- */

struct desc {
    int32_t compute, scale, pointer_mode, transposed_a, transposed_b, epilogue, bias_type;
    const void *bias;
    int64_t bias_stride;
};

struct layout {
    uint32_t type;
    int32_t order, batches;
    uint64_t rows, columns;
    int64_t ld, stride;
};

struct preference {
    uint64_t workspace;
};

_Static_assert(sizeof(struct desc) <= sizeof(cublasLtMatmulDescOpaque_t), "it fits");
_Static_assert(sizeof(struct layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "it fits");
_Static_assert(sizeof(struct preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t), "it fits");

/* An attribute's place in its struct. Size 0: setting it has no effect. */
struct attribute {
    int name;
    size_t offset, size;
};

#define AT(type, name, member)                                                                     \
    {                                                                                              \
        name, offsetof(type, member), sizeof(((type *)0)->member)                                  \
    }
static const struct attribute desc_attributes[] = {
    AT(struct desc, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, compute),
    AT(struct desc, CUBLASLT_MATMUL_DESC_SCALE_TYPE, scale),
    AT(struct desc, CUBLASLT_MATMUL_DESC_POINTER_MODE, pointer_mode),
    AT(struct desc, CUBLASLT_MATMUL_DESC_TRANSA, transposed_a),
    AT(struct desc, CUBLASLT_MATMUL_DESC_TRANSB, transposed_b),
    AT(struct desc, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue),
    AT(struct desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias),
    AT(struct desc, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, bias_stride),
    AT(struct desc, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, bias_type),
    {CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, 0, 0},
    {CUBLASLT_MATMUL_DESC_FAST_ACCUM, 0, 0},
};

static const struct attribute layout_attributes[] = {
    AT(struct layout, CUBLASLT_MATRIX_LAYOUT_TYPE, type),
    AT(struct layout, CUBLASLT_MATRIX_LAYOUT_ORDER, order),
    AT(struct layout, CUBLASLT_MATRIX_LAYOUT_ROWS, rows),
    AT(struct layout, CUBLASLT_MATRIX_LAYOUT_COLS, columns),
    AT(struct layout, CUBLASLT_MATRIX_LAYOUT_LD, ld),
    AT(struct layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, batches),
    AT(struct layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride),
};

static const struct attribute preference_attributes[] = {
    AT(struct preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace),
    {CUBLASLT_MATMUL_PREF_SEARCH_MODE, 0, 0},
    {CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, 0, 0},
    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 0, 0},
    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 0, 0},
    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 0, 0},
    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 0, 0},
    {CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, 0, 0},
    {CUBLASLT_MATMUL_PREF_IMPL_MASK, 0, 0},
};

static const struct attribute *find(const struct attribute attributes[], size_t count, int name)
{
    for (size_t i = 0; i < count; i++) {
        if (attributes[i].name == name) {
            return &attributes[i];
        }
    }
    return NULL;
}

static cublasStatus_t set(void *object, const struct attribute *attribute, const void *value,
                          size_t size)
{
    if (!object || !value) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (!attribute) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (attribute->size > 0 && size != attribute->size) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    memcpy((char *)object + attribute->offset, value, attribute->size);
    return CUBLAS_STATUS_SUCCESS;
}

/* If size is 0, returns only the size needed. */
static cublasStatus_t get(const void *object, const struct attribute *attribute, void *value,
                          size_t size, size_t *written)
{
    if (!object || (!value && !written)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (!attribute || attribute->size == 0) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (written) {
        *written = attribute->size;
    }
    if (size == 0) {
        return written ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
    }
    if (!value || size != attribute->size) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    memcpy(value, (const char *)object + attribute->offset, size);
    return CUBLAS_STATUS_SUCCESS;
}

#define OBJECT(Name, Attribute, attributes)                                                        \
    cublasStatus_t cublasLt##Name##Destroy(cublasLt##Name##_t object)                              \
    {                                                                                              \
        SIMT_API;                                                                                  \
        free(object);                                                                              \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    cublasStatus_t cublasLt##Name##SetAttribute(                                                   \
        cublasLt##Name##_t object, cublasLt##Attribute attribute, const void *value, size_t size)  \
    {                                                                                              \
        SIMT_API;                                                                                  \
        return set(object,                                                                         \
                   find(attributes, sizeof attributes / sizeof *attributes, (int)attribute),       \
                   value, size);                                                                   \
    }                                                                                              \
    cublasStatus_t cublasLt##Name##GetAttribute(cublasLt##Name##_t object,                         \
                                                cublasLt##Attribute attribute, void *value,        \
                                                size_t size, size_t *written)                      \
    {                                                                                              \
        SIMT_API;                                                                                  \
        return get(object,                                                                         \
                   find(attributes, sizeof attributes / sizeof *attributes, (int)attribute),       \
                   value, size, written);                                                          \
    }
OBJECT(MatmulDesc, MatmulDescAttributes_t, desc_attributes)
OBJECT(MatrixLayout, MatrixLayoutAttribute_t, layout_attributes)
OBJECT(MatmulPreference, MatmulPreferenceAttributes_t, preference_attributes)

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, size_t size,
                                               cublasComputeType_t compute, cudaDataType_t scale)
{
    const struct desc made = {.compute = (int32_t)compute,
                              .scale = (int32_t)scale,
                              .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                              .bias_type = -1};
    SIMT_API;
    if (!desc || size < sizeof made) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    memcpy(desc, &made, sizeof made);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t size,
                                                 cudaDataType type, uint64_t rows, uint64_t cols,
                                                 int64_t ld)
{
    const struct layout made = {
        .type = (uint32_t)type, .batches = 1, .rows = rows, .columns = cols, .ld = ld};
    SIMT_API;
    if (!layout || size < sizeof made) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    memcpy(layout, &made, sizeof made);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference,
                                                     size_t size)
{
    SIMT_API;
    if (!preference || size < sizeof(struct preference)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    memset(preference, 0, sizeof(struct preference));
    return CUBLAS_STATUS_SUCCESS;
}

#define CREATE(object, ...)                                                                        \
    if (!object) {                                                                                 \
        return CUBLAS_STATUS_INVALID_VALUE;                                                        \
    }                                                                                              \
    *object = calloc(1, sizeof **object);                                                          \
    return *object ? __VA_ARGS__ : CUBLAS_STATUS_ALLOC_FAILED

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute,
                                        cudaDataType_t scale)
{
    SIMT_API;
    CREATE(desc, cublasLtMatmulDescInit_internal(*desc, sizeof **desc, compute, scale));
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type,
                                          uint64_t rows, uint64_t cols, int64_t ld)
{
    SIMT_API;
    CREATE(layout,
           cublasLtMatrixLayoutInit_internal(*layout, sizeof **layout, type, rows, cols, ld));
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
    SIMT_API;
    CREATE(preference, cublasLtMatmulPreferenceInit_internal(*preference, sizeof **preference));
}

/* ---- handles ---- */

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    return cublasCreate(handle);
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    return cublasDestroy(handle);
}

/* ---- products ---- */

struct matrices {
    struct layout a, b, c, d;
};

static bool has_function(int32_t epilogue)
{
    switch (epilogue) {
    case CUBLASLT_EPILOGUE_DEFAULT:
    case CUBLASLT_EPILOGUE_RELU:
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
    case CUBLASLT_EPILOGUE_GELU:
    case CUBLASLT_EPILOGUE_GELU_BIAS:
        return true;
    default:
        return false;
    }
}

static struct simt_epilogue epilogue_of(const struct desc *desc, const struct layout *d)
{
    struct simt_epilogue epilogue = {.bias_stride = desc->bias_stride};
    if (desc->epilogue & CUBLASLT_EPILOGUE_BIAS) {
        epilogue.bias = desc->bias;
    }
    epilogue.bias_type =
        desc->bias_type < 0 ? (cudaDataType)d->type : (cudaDataType)desc->bias_type;
    epilogue.function = desc->epilogue & CUBLASLT_EPILOGUE_RELU   ? SIMT_RELU
                        : desc->epilogue & CUBLASLT_EPILOGUE_GELU ? SIMT_GELU
                                                                  : SIMT_IDENTITY;
    return epilogue;
}

static struct simt_layout layout_of(const struct layout *layout)
{
    return (struct simt_layout){(cudaDataType)layout->type, (int)layout->ld,
                                layout->order == CUBLASLT_ORDER_ROW};
}

/* Checks that op(matrix) has `rows` x `columns` elements, and that its layout is supported. */
static cublasStatus_t check_layout(const struct layout *layout, bool transposed, uint64_t rows,
                                   uint64_t columns, int32_t batches)
{
    const uint64_t needed = layout->order == CUBLASLT_ORDER_ROW ? layout->columns : layout->rows;
    if (layout->rows != (transposed ? columns : rows) ||
        layout->columns != (transposed ? rows : columns) || layout->batches != batches ||
        layout->ld < 0 || (uint64_t)layout->ld < needed) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    return (layout->order == CUBLASLT_ORDER_COL || layout->order == CUBLASLT_ORDER_ROW) &&
                   layout->rows <= INT_MAX && layout->columns <= INT_MAX && layout->ld <= INT_MAX &&
                   simt_product_reads((cudaDataType)layout->type)
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_NOT_SUPPORTED;
}

/* The product that the descriptions define, if they agree and it is supported. */
static cublasStatus_t product_of(const struct desc *desc, const struct matrices *of,
                                 struct simt_product *product)
{
    const bool transposed_a = desc->transposed_a != CUBLAS_OP_N;
    const bool transposed_b = desc->transposed_b != CUBLAS_OP_N;
    const uint64_t m = of->d.rows, n = of->d.columns;
    const uint64_t k = transposed_a ? of->a.rows : of->a.columns;
    const struct {
        const struct layout *layout;
        bool transposed;
        uint64_t rows, columns;
    } matrices[] = {{&of->a, transposed_a, m, k},
                    {&of->b, transposed_b, k, n},
                    {&of->c, false, m, n},
                    {&of->d, false, m, n}};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        const cublasStatus_t status =
            check_layout(matrices[i].layout, matrices[i].transposed, matrices[i].rows,
                         matrices[i].columns, of->d.batches);
        if (status != CUBLAS_STATUS_SUCCESS) {
            return status;
        }
    }
    if (!has_function(desc->epilogue) || !simt_product_reads((cudaDataType)desc->scale)) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    *product =
        (struct simt_product){.transposed_a = transposed_a != (of->a.order == CUBLASLT_ORDER_ROW),
                              .transposed_b = transposed_b != (of->b.order == CUBLASLT_ORDER_ROW),
                              .m = (int)m,
                              .n = (int)n,
                              .k = (int)k,
                              .a = layout_of(&of->a),
                              .b = layout_of(&of->b),
                              .c = layout_of(&of->c),
                              .d = layout_of(&of->d),
                              .exact = simt_is_exact((cublasComputeType_t)desc->compute),
                              .epilogue = epilogue_of(desc, &of->d)};
    return CUBLAS_STATUS_SUCCESS;
}

/* Copies the contents of the program's descriptions. */
static bool read_descriptions(cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                              cublasLtMatrixLayout_t d, struct desc *read,
                              struct matrices *matrices)
{
    if (!desc || !a || !b || !c || !d) {
        return false;
    }
    memcpy(read, desc, sizeof *read);
    memcpy(&matrices->a, a, sizeof matrices->a);
    memcpy(&matrices->b, b, sizeof matrices->b);
    memcpy(&matrices->c, c, sizeof matrices->c);
    memcpy(&matrices->d, d, sizeof matrices->d);
    return true;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int *returned)
{
    struct desc read;
    struct matrices matrices;
    struct simt_product product;
    SIMT_API;
    if (!simt_blas_exists(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!read_descriptions(desc, a, b, c, d, &read, &matrices) || !preference || requested < 1 ||
        !results || !returned) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    const cublasStatus_t status = product_of(&read, &matrices, &product);
    if (status == CUBLAS_STATUS_SUCCESS) {
        results[0] = (cublasLtMatmulHeuristicResult_t){.state = status, .wavesCount = 1};
        *returned = 1;
    }
    return status;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha,
                              const void *a, cublasLtMatrixLayout_t layout_a, const void *b,
                              cublasLtMatrixLayout_t layout_b, const void *beta, const void *c,
                              cublasLtMatrixLayout_t layout_c, void *d,
                              cublasLtMatrixLayout_t layout_d, const cublasLtMatmulAlgo_t *algo,
                              void *workspace, size_t workspace_size, cudaStream_t stream)
{
    struct desc read;
    struct matrices matrices;
    struct simt_product product;
    cublasStatus_t status;
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    (void)algo;
    (void)workspace;
    (void)workspace_size;
    if (!simt_blas_exists(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!read_descriptions(desc, layout_a, layout_b, layout_c, layout_d, &read, &matrices)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    status = product_of(&read, &matrices, &product);
    if (status != CUBLAS_STATUS_SUCCESS) {
        return status;
    }
    if (!simt_product_factors(&product, alpha, beta, (cudaDataType)read.scale)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    const struct simt_batches batches = {.count = matrices.d.batches,
                                         .stride_a = matrices.a.stride,
                                         .stride_b = matrices.b.stride,
                                         .stride_c = matrices.c.stride,
                                         .stride_d = matrices.d.stride};
    const cudaStream_t kept = handle->stream;
    handle->stream = stream; /* the work runs in this stream */
    status = simt_product_run(&call, &product, &(struct simt_operands){a, b, c, d}, &batches);
    handle->stream = kept;
    return status;
}
/* SPDX-License-Identifier: MIT */
