/* cuBLAS on vectors, and on a matrix and vectors, for one type. Per type, cublas_vectors.c defines
 * T, FUNCTION, INDEX_FUNCTION and EXTREME and includes this file. Sums are in double. */

cublasStatus_t FUNCTION(dot)(cublasHandle_t handle, int n, const T *x, int x_step, const T *y,
                             int y_step, T *result)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    double sum = 0;
    NEEDS(result)
    BEGIN(NULL, VECTOR("x", x, n, x_step), VECTOR("y", y, n, y_step))
    for (int i = 0; i < n; i++) {
        sum += (double)x[at(i, n, x_step)] * (double)y[at(i, n, y_step)];
    }
    simt_blas_end(&call, NULL);
    simt_blas_result(&call, result, &(T){(T)sum}, sizeof(T));
    return status;
}

cublasStatus_t FUNCTION(nrm2)(cublasHandle_t handle, int n, const T *x, int x_step, T *result)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    double norm = 0;
    NEEDS(result)
    BEGIN(NULL, VECTOR("x", x, n, x_step))
    for (int i = 0; i < n; i++) {
        norm = hypot(norm, (double)x[at(i, n, x_step)]);
    }
    simt_blas_end(&call, NULL);
    simt_blas_result(&call, result, &(T){(T)norm}, sizeof(T));
    return status;
}

cublasStatus_t FUNCTION(asum)(cublasHandle_t handle, int n, const T *x, int x_step, T *result)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    double sum = 0;
    NEEDS(result)
    BEGIN(NULL, VECTOR("x", x, n, x_step))
    for (int i = 0; i < n; i++) {
        sum += fabs((double)x[at(i, n, x_step)]);
    }
    simt_blas_end(&call, NULL);
    simt_blas_result(&call, result, &(T){(T)sum}, sizeof(T));
    return status;
}

cublasStatus_t FUNCTION(axpy)(cublasHandle_t handle, int n, const T *alpha, const T *x, int x_step,
                              T *y, int y_step)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    const struct simt_operand out = VECTOR("y", y, n, y_step);
    T factor;
    NEEDS(alpha)
    BEGIN(&out, VECTOR("x", x, n, x_step))
    simt_blas_scalar(&factor, alpha, sizeof factor);
    for (int i = 0; i < n; i++) {
        y[at(i, n, y_step)] += factor * x[at(i, n, x_step)];
    }
    return simt_blas_end(&call, &out);
}

cublasStatus_t FUNCTION(scal)(cublasHandle_t handle, int n, const T *alpha, T *x, int x_step)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    const struct simt_operand out = VECTOR("x", x, n, x_step);
    T factor;
    NEEDS(alpha)
    BEGIN(&out, out)
    simt_blas_scalar(&factor, alpha, sizeof factor);
    for (int i = 0; i < n; i++) {
        x[at(i, n, x_step)] *= factor;
    }
    return simt_blas_end(&call, &out);
}

cublasStatus_t FUNCTION(copy)(cublasHandle_t handle, int n, const T *x, int x_step, T *y,
                              int y_step)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    const struct simt_operand out = VECTOR("y", y, n, y_step);
    BEGIN(&out, VECTOR("x", x, n, x_step))
    for (int i = 0; i < n; i++) {
        y[at(i, n, y_step)] = x[at(i, n, x_step)];
    }
    return simt_blas_end(&call, &out);
}

cublasStatus_t FUNCTION(swap)(cublasHandle_t handle, int n, T *x, int x_step, T *y, int y_step)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    const struct simt_operand out = VECTOR("y", y, n, y_step);
    BEGIN(&out, VECTOR("x", x, n, x_step))
    for (int i = 0; i < n; i++) {
        const T kept = x[at(i, n, x_step)];
        x[at(i, n, x_step)] = y[at(i, n, y_step)];
        y[at(i, n, y_step)] = kept;
    }
    return simt_blas_end(&call, &out);
}

cublasStatus_t FUNCTION(rot)(cublasHandle_t handle, int n, T *x, int x_step, T *y, int y_step,
                             const T *c, const T *s)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    const struct simt_operand out = VECTOR("y", y, n, y_step);
    T cosine, sine;
    NEEDS(c && s)
    BEGIN(&out, VECTOR("x", x, n, x_step))
    simt_blas_scalar(&cosine, c, sizeof cosine);
    simt_blas_scalar(&sine, s, sizeof sine);
    for (int i = 0; i < n; i++) {
        T *a = &x[at(i, n, x_step)], *b = &y[at(i, n, y_step)];
        const T kept = *a;
        *a = cosine * kept + sine * *b;
        *b = cosine * *b - sine * kept;
    }
    return simt_blas_end(&call, &out);
}

static cublasStatus_t EXTREME(const struct simt_blas_call *given, int n, const T *x, int x_step,
                              int *result, int sign)
{
    const struct simt_blas_call call = *given;
    int best = 0;
    NEEDS(result)
    BEGIN(NULL, VECTOR("x", x, n, x_step))
    for (int i = 1; i < n; i++) {
        if (sign * (fabs((double)x[at(i, n, x_step)]) - fabs((double)x[at(best, n, x_step)])) > 0) {
            best = i;
        }
    }
    simt_blas_end(&call, NULL);
    simt_blas_result(&call, result, &(int){n > 0 ? best + 1 : 0}, sizeof(int));
    return status;
}

cublasStatus_t INDEX_FUNCTION(amax)(cublasHandle_t handle, int n, const T *x, int x_step,
                                    int *result)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    return EXTREME(&call, n, x, x_step, result, 1);
}

cublasStatus_t INDEX_FUNCTION(amin)(cublasHandle_t handle, int n, const T *x, int x_step,
                                    int *result)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    return EXTREME(&call, n, x, x_step, result, -1);
}

cublasStatus_t FUNCTION(gemv)(cublasHandle_t handle, cublasOperation_t operation, int m, int n,
                              const T *alpha, const T *a, int lda, const T *x, int x_step,
                              const T *beta, T *y, int y_step)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    const bool plain = operation == CUBLAS_OP_N;
    const int rows = plain ? m : n, columns = plain ? n : m;
    const struct simt_operand out = VECTOR("y", y, rows, y_step);
    T factors[2];
    NEEDS(m >= 0 && n >= 0 && lda >= m && x_step && y_step && alpha && beta)
    BEGIN(&out, MATRIX("A", a, m, n, lda), VECTOR("x", x, columns, x_step))
    simt_blas_scalar(&factors[0], alpha, sizeof(T));
    simt_blas_scalar(&factors[1], beta, sizeof(T));
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        T *to = &y[at(i, rows, y_step)];
        for (int j = 0; j < columns; j++) {
            const T element = plain ? a[(size_t)j * (size_t)lda + (size_t)i]
                                    : a[(size_t)i * (size_t)lda + (size_t)j];
            sum += (double)element * (double)x[at(j, columns, x_step)];
        }
        *to = (T)((double)factors[0] * sum +
                  (factors[1] == 0 ? 0 : (double)factors[1] * (double)*to));
    }
    return simt_blas_end(&call, &out);
}

cublasStatus_t FUNCTION(symv)(cublasHandle_t handle, cublasFillMode_t fill, int n, const T *alpha,
                              const T *a, int lda, const T *x, int x_step, const T *beta, T *y,
                              int y_step)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    const struct simt_operand out = VECTOR("y", y, n, y_step);
    T factors[2];
    NEEDS(n >= 0 && lda >= n && x_step && y_step && alpha && beta)
    BEGIN(&out, MATRIX("A", a, n, n, lda), VECTOR("x", x, n, x_step))
    simt_blas_scalar(&factors[0], alpha, sizeof(T));
    simt_blas_scalar(&factors[1], beta, sizeof(T));
    for (int i = 0; i < n; i++) {
        double sum = 0;
        T *to = &y[at(i, n, y_step)];
        for (int j = 0; j < n; j++) {
            const bool stored = fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
            const int row = stored ? i : j, column = stored ? j : i;
            sum +=
                (double)a[(size_t)column * (size_t)lda + (size_t)row] * (double)x[at(j, n, x_step)];
        }
        *to = (T)((double)factors[0] * sum +
                  (factors[1] == 0 ? 0 : (double)factors[1] * (double)*to));
    }
    return simt_blas_end(&call, &out);
}

cublasStatus_t FUNCTION(ger)(cublasHandle_t handle, int m, int n, const T *alpha, const T *x,
                             int x_step, const T *y, int y_step, T *a, int lda)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    const struct simt_operand out = MATRIX("A", a, m, n, lda);
    T factor;
    NEEDS(m >= 0 && n >= 0 && lda >= m && x_step && y_step && alpha)
    BEGIN(&out, VECTOR("x", x, m, x_step), VECTOR("y", y, n, y_step))
    simt_blas_scalar(&factor, alpha, sizeof factor);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            a[(size_t)j * (size_t)lda + (size_t)i] +=
                factor * x[at(i, m, x_step)] * y[at(j, n, y_step)];
        }
    }
    return simt_blas_end(&call, &out);
}

cublasStatus_t FUNCTION(trsv)(cublasHandle_t handle, cublasFillMode_t fill,
                              cublasOperation_t operation, cublasDiagType_t diagonal, int n,
                              const T *a, int lda, T *x, int x_step)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    const bool plain = operation == CUBLAS_OP_N;
    const bool downwards = (fill == CUBLAS_FILL_MODE_LOWER) == plain;
    const struct simt_operand out = VECTOR("x", x, n, x_step);
    NEEDS(n >= 0 && lda >= n && x_step)
    BEGIN(&out, MATRIX("A", a, n, n, lda))
    for (int done = 0; done < n; done++) {
        const int i = downwards ? done : n - 1 - done;
        double rest = (double)x[at(i, n, x_step)];
        for (int before = 0; before < done; before++) {
            const int j = downwards ? before : n - 1 - before;
            const T element = plain ? a[(size_t)j * (size_t)lda + (size_t)i]
                                    : a[(size_t)i * (size_t)lda + (size_t)j];
            rest -= (double)element * (double)x[at(j, n, x_step)];
        }
        if (diagonal == CUBLAS_DIAG_NON_UNIT) {
            rest /= (double)a[(size_t)i * (size_t)lda + (size_t)i];
        }
        x[at(i, n, x_step)] = (T)rest;
    }
    return simt_blas_end(&call, &out);
}

cublasStatus_t FUNCTION(geam)(cublasHandle_t handle, cublasOperation_t operation_a,
                              cublasOperation_t operation_b, int m, int n, const T *alpha,
                              const T *a, int lda, const T *beta, const T *b, int ldb, T *c,
                              int ldc)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    const bool plain_a = operation_a == CUBLAS_OP_N, plain_b = operation_b == CUBLAS_OP_N;
    const struct simt_operand out = MATRIX("C", c, m, n, ldc);
    T factors[2];
    NEEDS(m >= 0 && n >= 0 && lda >= (plain_a ? m : n) && ldb >= (plain_b ? m : n) && ldc >= m &&
          alpha && beta)
    simt_memory_open();
    simt_blas_scalar(&factors[0], alpha, sizeof(T));
    simt_blas_scalar(&factors[1], beta, sizeof(T));
    simt_memory_close();
    BEGIN(&out, factors[0] == 0 ? out : MATRIX("A", a, plain_a ? m : n, plain_a ? n : m, lda),
          factors[1] == 0 ? out : MATRIX("B", b, plain_b ? m : n, plain_b ? n : m, ldb))
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            const size_t from_a =
                plain_a ? (size_t)j * (size_t)lda + (size_t)i : (size_t)i * (size_t)lda + (size_t)j;
            const size_t from_b =
                plain_b ? (size_t)j * (size_t)ldb + (size_t)i : (size_t)i * (size_t)ldb + (size_t)j;
            c[(size_t)j * (size_t)ldc + (size_t)i] =
                (factors[0] == 0 ? 0 : factors[0] * a[from_a]) +
                (factors[1] == 0 ? 0 : factors[1] * b[from_b]);
        }
    }
    return simt_blas_end(&call, &out);
}
/* SPDX-License-Identifier: MIT */
