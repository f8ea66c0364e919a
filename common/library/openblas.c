#include "library/openblas.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/memory.h"

/* The best kernels for the instruction set; the last argument keeps the user's choice, if any. */
static void choose_core(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
        setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 0);
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        setenv("OPENBLAS_CORETYPE", "HASWELL", 0);
#endif
}

/* dlsym returns a pointer to an object, which C cannot cast to a function pointer; POSIX guarantees
 * that it holds the function's address. */
static bool find(void *library, const char *name, void *function_pointer)
{
    void *const address = dlsym(library, name);
    memcpy(function_pointer, &address, sizeof address);
    return address != NULL;
}

/* The library is never closed, because it keeps threads of its own. */
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

/* With `ulimit -v`, an allocation of OpenBLAS that fails ends the program or waits forever. */
static bool address_space_is_limited(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

const char *openblas_unavailable(void)
{
    if (address_space_is_limited())
        return "OpenBLAS can hang where address space is limited (ulimit -v)";
    return openblas() == NULL ? "OpenBLAS is not installed (libopenblas0-pthread)" : NULL;
}

/* Sets the number of threads only if it changes: setting it takes locks and may start threads. */
static void use_threads(int threads)
{
    static int threads_in_use;

    if (threads != threads_in_use)
        openblas()->set_threads(threads);
    threads_in_use = threads;
}

/* ---- the best number of threads -------------------------------------------------------------- */

/* The shortest of several calls. The first may have to start threads. */
static double shortest_call_s(int threads, void (*run)(const void *call), const void *call)
{
    enum { CALLS = 100 };
    const double enough_s = 5e-3;
    const double begin = now_s();
    double shortest = 1e9;

    use_threads(threads);
    for (int i = 0; i < CALLS; i++) {
        const double start = now_s();
        run(call);
        const double end = now_s();
        shortest = end - start < shortest ? end - start : shortest;
        if (i > 0 && end - begin > enough_s)
            break;
    }
    return shortest;
}

/* More threads are not always faster: above a certain size the library uses all that it may, and
 * waking many can take longer than the work. So each number is timed, twice. If several are about
 * equally fast (a small problem takes one thread anyway), this returns the smallest. */
static int fastest_threads(int most, void (*run)(const void *call), const void *call)
{
    enum { MOST_CHOICES = 32, ROUNDS = 2 };
    const double long_s = 50e-3; /* a call this long keeps all threads busy */
    double taken_s[MOST_CHOICES];
    double shortest_s = shortest_call_s(most, run, call);
    int fastest = most;

    if (shortest_s > long_s)
        return most;
    for (int round = 0; round < ROUNDS; round++)
        for (int choice = 0; most >> choice > 0; choice++) {
            const double s = shortest_call_s(most >> choice, run, call);
            taken_s[choice] = round == 0 || s < taken_s[choice] ? s : taken_s[choice];
            shortest_s = s < shortest_s ? s : shortest_s;
        }
    for (int choice = 0; most >> choice > 0; choice++)
        if (taken_s[choice] < 1.03 * shortest_s)
            fastest = most >> choice;
    return fastest;
}

/* ---- reduction ------------------------------------------------------------------------------- */

/* Memory that is kept for the next call and grows if needed. */
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
        /* A rung cannot return an error, so the program ends here, with the runner's exit code. */
        fprintf(stderr, "openblas: %s\n", error.text);
        exit((int)error.code);
    }
    kept->room = n;
}

/* OpenBLAS 0.3.21's ssum for AVX-512 is wrong for 16 or more elements, unless all are equal. */
static bool ssum_is_right(void)
{
    enum { COUNT = 100 };
    float a[COUNT], sum = 0;

    for (int i = 0; i < COUNT; i++)
        sum += a[i] = (float)(i % 7 - 2);
    return openblas()->ssum(COUNT, a, 1) == sum;
}

/* b of mixed types, converted to float. */
static const float *converted(const unsigned char *b, size_t n)
{
    static struct kept kept;

    make_room(&kept, n);
    for (size_t i = 0; i < n; i++)
        kept.floats[i] = b[i];
    return kept.floats;
}

/* a of TYPE_F32_F64, converted to double. */
static const double *widened(const float *a, size_t n)
{
    static struct kept kept;

    make_room(&kept, 2 * n);
    double *const doubles = (void *)kept.floats;
    for (size_t i = 0; i < n; i++)
        doubles[i] = (double)a[i];
    return doubles;
}

/* OpenBLAS's sizes are ints: longer vectors are processed in pieces. */
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

/* The kind and size of a reduction, to recognize the one that was prepared. */
struct reduction_size {
    enum reduce_op op;
    enum element_type type;
    size_t n;
    int threads;
};

static struct reduction_size size_of_reduction(const struct reduction *call)
{
    return (struct reduction_size){call->op, call->type, call->n, call->threads};
}

static struct {
    struct reduction_size size;
    int threads; /* the best number; 0: not prepared */
} reduction_choice;

static int reduction_threads(const struct reduction *call)
{
    const struct reduction_size *const size = &reduction_choice.size;
    const bool prepared = size->op == call->op && size->type == call->type && size->n == call->n &&
                          size->threads == call->threads;

    return prepared && reduction_choice.threads > 0 ? reduction_choice.threads : call->threads;
}

static void reduce(const void *argument)
{
    const struct reduction *const call = argument;

    if (call->type == TYPE_F64)
        *(double *)call->result = reduce_f64(call->op, call->a, call->b, call->n);
    else if (call->type == TYPE_F32_F64)
        *(double *)call->result = reduce_f64(call->op, widened(call->a, call->n), call->b, call->n);
    else if (call->type == TYPE_MIXED)
        *(float *)call->result =
            reduce_f32(call->op, call->a, converted(call->b, call->n), call->n);
    else
        *(float *)call->result = reduce_f32(call->op, call->a, call->b, call->n);
}

void openblas_reduce(const struct reduction *call)
{
    use_threads(reduction_threads(call));
    reduce(call);
}

void openblas_prepare(const struct reduction *call)
{
    struct reduction elsewhere = *call;
    double result;

    if (reduction_threads(call) != call->threads)
        return;
    elsewhere.result = &result; /* only openblas_reduce may write the result */
    reduction_choice.threads = fastest_threads(call->threads, reduce, &elsewhere);
    reduction_choice.size = size_of_reduction(call);
}

const char *openblas_declines(const struct reduction *call)
{
    if (call->type == TYPE_F16)
        return "has no float16";
    return call->op == OP_SUM && call->type == TYPE_F32 && openblas() != NULL && !ssum_is_right()
               ? "this OpenBLAS's ssum gives wrong sums"
               : NULL;
}

static void tell_how(char text[RUNG_HOW_SIZE], int threads)
{
    snprintf(text, RUNG_HOW_SIZE, "%s kernels, %d thread%s", openblas()->core_name(), threads,
             threads == 1 ? "" : "s");
}

void openblas_how(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    tell_how(text, reduction_threads(call));
}

double openblas_depth(const struct reduction *call)
{
    return (double)call->n;
}

/* ---- matrix product -------------------------------------------------------------------------- */

/* How many rows from `first` on fit in one call. If an int cannot hold the leading dimension, that
 * is a single row, for which it does not matter. */
static int rows_at_once(size_t rows, size_t first, size_t leading)
{
    return leading <= LONGEST || rows - first <= 1 ? piece(rows, first) : 1;
}

/* BLAS requires a leading dimension of at least 1 even for a matrix without columns. */
static int leading_of(size_t leading)
{
    return leading == 0 ? 1 : leading <= LONGEST ? (int)leading : LONGEST;
}

/* A block of C of rows x columns, in the number of calls that k needs. */
static void product_of_pieces(const struct gemm *call, size_t row, int rows, size_t column,
                              int columns)
{
    enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111 };
    float beta = call->beta;
    size_t p = 0;

    do { /* once even if k is 0: C becomes beta C */
        const int terms = rows_at_once(call->k, p, call->ldb);
        openblas()->sgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, rows, columns, terms,
                          call->alpha, call->a + row * call->lda + p, leading_of(call->lda),
                          call->b + p * call->ldb + column, leading_of(call->ldb), beta,
                          call->c + row * call->ldc + column, leading_of(call->ldc));
        beta = 1;
        p += (size_t)terms;
    } while (p < call->k);
}

static struct {
    size_t m, n, k;
    int most, threads; /* the allowed and the best number; 0: not prepared */
} gemm_choice;

static int gemm_threads(const struct gemm *call)
{
    const bool prepared = gemm_choice.m == call->m && gemm_choice.n == call->n &&
                          gemm_choice.k == call->k && gemm_choice.most == call->threads;

    return prepared && gemm_choice.threads > 0 ? gemm_choice.threads : call->threads;
}

static void multiply(const void *argument)
{
    const struct gemm *const call = argument;
    const size_t leading = call->lda > call->ldc ? call->lda : call->ldc;

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

void openblas_gemm(const struct gemm *call)
{
    use_threads(gemm_threads(call));
    multiply(call);
}

void openblas_gemm_prepare(const struct gemm *call)
{
    struct gemm elsewhere = *call;
    struct error ignored;
    size_t bytes;

    if (gemm_threads(call) != call->threads ||
        !checked_bytes(call->m, call->n, sizeof *call->c, &bytes, &ignored))
        return;
    elsewhere.c = host_allocate(bytes, &ignored); /* only openblas_gemm may write the result */
    elsewhere.ldc = call->n;
    elsewhere.beta = 0;
    if (elsewhere.c == NULL)
        return;
    gemm_choice.threads = fastest_threads(call->threads, multiply, &elsewhere);
    gemm_choice.m = call->m;
    gemm_choice.n = call->n;
    gemm_choice.k = call->k;
    gemm_choice.most = call->threads;
    free(elsewhere.c);
}

void openblas_gemm_how(const struct gemm *call, char text[RUNG_HOW_SIZE])
{
    tell_how(text, gemm_threads(call));
}
/* SPDX-License-Identifier: MIT */
