#include "library/openblas.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Where OpenBLAS falls back to old kernels, newer ones run all the same. */
static void choose_core(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
        setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 0);
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        setenv("OPENBLAS_CORETYPE", "HASWELL", 0);
#endif
}

/* dlsym gives a pointer to data; POSIX promises that it may hold a function's address. */
static bool find(void *library, const char *name, void *function_pointer)
{
    void *const address = dlsym(library, name);
    memcpy(function_pointer, &address, sizeof address);
    return address != NULL;
}

/* The library itself is never closed: OpenBLAS keeps threads of its own. */
static bool load(struct openblas *functions)
{
    choose_core();
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        library = dlopen("libopenblas.so", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return false;
    return find(library, "cblas_sdot", &functions->sdot) &&
           find(library, "cblas_ddot", &functions->ddot) &&
           find(library, "cblas_ssum", &functions->ssum) &&
           find(library, "cblas_dsum", &functions->dsum) &&
           find(library, "cblas_ismax", &functions->ismax) &&
           find(library, "cblas_idmax", &functions->idmax) &&
           find(library, "cblas_ismin", &functions->ismin) &&
           find(library, "cblas_idmin", &functions->idmin) &&
           find(library, "cblas_sgemm", &functions->sgemm) &&
           find(library, "openblas_set_num_threads", &functions->set_threads) &&
           find(library, "openblas_get_corename", &functions->core_name);
}

const struct openblas *openblas(void)
{
    static struct openblas functions;
    static bool tried, loaded;

    if (!tried) {
        tried = true;
        loaded = load(&functions);
    }
    return loaded ? &functions : NULL;
}

const char *openblas_unavailable(void)
{
    return openblas() == NULL ? "OpenBLAS is not installed (libopenblas0-pthread)" : NULL;
}

/* Setting the number of threads takes locks, and starts threads where there were fewer. */
static void use_threads(int threads)
{
    static int threads_in_use;

    if (threads != threads_in_use)
        openblas()->set_threads(threads);
    threads_in_use = threads;
}

/* Memory that is kept for the next call. */
struct kept {
    float *floats;
    size_t room;
};

static void make_room(struct kept *kept, size_t n)
{
    struct error error;
    size_t bytes;

    if (n <= kept->room)
        return;
    free(kept->floats);
    *kept = (struct kept){0};
    if (checked_bytes(n, sizeof *kept->floats, 1, &bytes, &error))
        kept->floats = host_allocate(bytes, &error);
    if (kept->floats == NULL) {
        /* A rung has no way to report an error: end as the runner would. */
        fprintf(stderr, "openblas: %s\n", error.text);
        exit((int)error.code);
    }
    kept->room = n;
}

/* b's 0s and 1s as floats. */
static const float *converted(const unsigned char *b, size_t n)
{
    static struct kept kept;

    make_room(&kept, n);
    for (size_t i = 0; i < n; i++)
        kept.floats[i] = b[i];
    return kept.floats;
}

/* OpenBLAS 0.3.21's ssum for AVX-512 gives wrong sums from 16 elements on, unless all are alike. */
static bool ssum_is_right(void)
{
    static bool tried, right;
    enum { COUNT = 100 };
    float a[COUNT], sum = 0;

    if (!tried) {
        tried = true;
        for (int i = 0; i < COUNT; i++)
            sum += a[i] = (float)(i % 7 - 2);
        right = openblas()->ssum(COUNT, a, 1) == sum;
    }
    return right;
}

/* What takes ssum's place: dot products with a vector of ones. For one thread it is short enough to
 * stay in the first-level cache, for several long enough that starting them is worth it. */
static float sum_by_dot(const float *a, size_t n, int threads)
{
    static struct kept ones;
    const size_t longest = (size_t)1 << (threads == 1 ? 12 : 20);
    float result = 0;

    if (ones.room < longest) {
        make_room(&ones, longest);
        for (size_t i = 0; i < longest; i++)
            ones.floats[i] = 1;
    }
    for (size_t i = 0; i < n; i += longest)
        result +=
            openblas()->sdot((int)(n - i < longest ? n - i : longest), a + i, 1, ones.floats, 1);
    return result;
}

/* The library counts in int: longer vectors go in pieces. */
enum { LONGEST = INT_MAX };

static int piece(size_t n, size_t first)
{
    return n - first < LONGEST ? (int)(n - first) : LONGEST;
}

static float reduce_f32(enum reduce_op op, const float *a, const float *b, size_t n)
{
    const struct openblas *blas = openblas();
    float result = op == OP_MAX ? -INFINITY : op == OP_MIN ? INFINITY : 0;

    for (size_t i = 0; i < n; i += LONGEST) {
        const int count = piece(n, i);
        float part;

        if (op == OP_DOT)
            result += blas->sdot(count, a + i, 1, b + i, 1);
        else if (op == OP_SUM)
            result += blas->ssum(count, a + i, 1);
        else if (op == OP_MAX)
            result = (part = a[i + blas->ismax(count, a + i, 1)]) > result ? part : result;
        else
            result = (part = a[i + blas->ismin(count, a + i, 1)]) < result ? part : result;
    }
    return result;
}

static double reduce_f64(enum reduce_op op, const double *a, const double *b, size_t n)
{
    const struct openblas *blas = openblas();
    double result = op == OP_MAX ? -INFINITY : op == OP_MIN ? INFINITY : 0;

    for (size_t i = 0; i < n; i += LONGEST) {
        const int count = piece(n, i);
        double part;

        if (op == OP_DOT)
            result += blas->ddot(count, a + i, 1, b + i, 1);
        else if (op == OP_SUM)
            result += blas->dsum(count, a + i, 1);
        else if (op == OP_MAX)
            result = (part = a[i + blas->idmax(count, a + i, 1)]) > result ? part : result;
        else
            result = (part = a[i + blas->idmin(count, a + i, 1)]) < result ? part : result;
    }
    return result;
}

static bool sums_by_dot(const struct reduction *call)
{
    return call->op == OP_SUM && call->type == TYPE_F32 && !ssum_is_right();
}

void openblas_reduce(const struct reduction *call)
{
    use_threads(call->threads);
    if (sums_by_dot(call))
        *(float *)call->result = sum_by_dot(call->a, call->n, call->threads);
    else if (call->type == TYPE_F64)
        *(double *)call->result = reduce_f64(call->op, call->a, call->b, call->n);
    else if (call->type == TYPE_MIXED)
        *(float *)call->result =
            reduce_f32(call->op, call->a, converted(call->b, call->n), call->n);
    else
        *(float *)call->result = reduce_f32(call->op, call->a, call->b, call->n);
}

static void tell_how(char text[RUNG_HOW_SIZE], const char *detour, int threads)
{
    snprintf(text, RUNG_HOW_SIZE, "%s kernels%s, %d thread%s", openblas()->core_name(), detour,
             threads, threads == 1 ? "" : "s");
}

void openblas_how(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    tell_how(text, sums_by_dot(call) ? " (sdot with ones)" : "", call->threads);
}

double openblas_depth(const struct reduction *call)
{
    return (double)call->n;
}

/* ---- matrix product -------------------------------------------------------------------------- */

/* How many rows, from `first` on, one call can take of a matrix of this leading dimension: where an
 * int cannot hold that, one, whose leading dimension is of no matter. */
static int rows_at_once(size_t rows, size_t first, size_t leading)
{
    return leading <= LONGEST || rows - first <= 1 ? piece(rows, first) : 1;
}

/* At least 1, which BLAS asks for even where there are no columns. */
static int leading_of(size_t leading)
{
    return leading == 0 ? 1 : leading <= LONGEST ? (int)leading : LONGEST;
}

/* One pass over k for `rows` rows and `columns` columns of C. */
static void product_of_pieces(const struct gemm *call, size_t row, int rows, size_t column,
                              int columns)
{
    enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111 };
    float beta = call->beta;
    size_t p = 0;

    do { /* once where k is 0: C becomes beta C */
        const int terms = rows_at_once(call->k, p, call->ldb);
        openblas()->sgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, rows, columns, terms,
                          call->alpha, call->a + row * call->lda + p, leading_of(call->lda),
                          call->b + p * call->ldb + column, leading_of(call->ldb), beta,
                          call->c + row * call->ldc + column, leading_of(call->ldc));
        beta = 1;
        p += (size_t)terms;
    } while (p < call->k);
}

void openblas_gemm(const struct gemm *call)
{
    const size_t leading = call->lda > call->ldc ? call->lda : call->ldc;

    use_threads(call->threads);
    for (size_t row = 0; row < call->m;) {
        const int rows = rows_at_once(call->m, row, leading);
        for (size_t column = 0; column < call->n;) {
            const int columns = piece(call->n, column);
            product_of_pieces(call, row, rows, column, columns);
            column += (size_t)columns;
        }
        row += (size_t)rows;
    }
}

void openblas_gemm_how(const struct gemm *call, char text[RUNG_HOW_SIZE])
{
    tell_how(text, "", call->threads);
}
