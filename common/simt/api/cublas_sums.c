/* The sums of a product, each in the order of k. One tile of C is computed at a time: its sums stay
 * in registers, its rows of A in the cache. Large products use all cores. The latest large result
 * is kept, because programs that measure a product call it repeatedly. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api/cublas_product.h"
#include "base/available.h"
#include "base/host.h"

enum { MOST_THREADS = 16 };
static const double large = 1e8; /* multiplications */

/* ---- a tile ---- */

/* `a`: columns of the tile's height; `b`: rows of its width. */
#define TILE(name, T, bytes, target)                                                               \
    target static void name(size_t k, const void *rows, const void *columns, void *sums)           \
    {                                                                                              \
        typedef T piece __attribute__((vector_size(bytes), may_alias));                            \
        enum { PIECES = SIMT_TILE_ROW_BYTES / (bytes) };                                           \
        const char *from = rows;                                                                   \
        const T *b = columns;                                                                      \
        piece sum[SIMT_TILE_COLUMNS][PIECES], next;                                                \
        memset(sum, 0, sizeof sum);                                                                \
        for (size_t l = 0; l < k; l++, b += SIMT_TILE_COLUMNS) {                                   \
            for (int i = 0; i < PIECES; i++, from += sizeof next) {                                \
                memcpy(&next, from, sizeof next);                                                  \
                for (int j = 0; j < SIMT_TILE_COLUMNS; j++) {                                      \
                    sum[j][i] += b[j] * next;                                                      \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        memcpy(sums, sum, sizeof sum);                                                             \
    }
#define ANY_TARGET
TILE(tile_of_float, float, 16, ANY_TARGET)
TILE(tile_of_double, double, 16, ANY_TARGET)
#ifdef __x86_64__
#define AVX __attribute__((target("avx")))
TILE(wide_tile_of_float, float, 32, AVX)
TILE(wide_tile_of_double, double, 32, AVX)
#endif

typedef void tile_function(size_t k, const void *rows, const void *columns, void *sums);

static tile_function *tile_for(bool exact)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx")) {
        return exact ? wide_tile_of_double : wide_tile_of_float;
    }
#endif
    return exact ? tile_of_double : tile_of_float;
}

/* ---- all tiles ---- */

struct work {
    tile_function *tile;
    const char *a, *b;
    char *sums;
    size_t stripes, columns, k, element;
    atomic_size_t next; /* the next stripe */
};

static void *do_stripes(void *context)
{
    struct work *work = context;
    size_t i;
    while ((i = atomic_fetch_add(&work->next, 1)) < work->stripes) {
        for (size_t j = 0; j < work->columns; j++) {
            work->tile(work->k, work->a + i * work->k * SIMT_TILE_ROW_BYTES,
                       work->b + j * work->k * work->element * SIMT_TILE_COLUMNS,
                       work->sums + (i * work->columns + j) * SIMT_TILE_BYTES_OF_SUMS);
        }
    }
    return NULL;
}

static unsigned int threads_for(double multiplications)
{
    const double cores = simt_cores();
    if (multiplications < large || cores < 2) {
        return 1;
    }
    return cores < MOST_THREADS ? (unsigned int)cores : MOST_THREADS;
}

static void do_all(struct work *work, unsigned int threads)
{
    pthread_t others[MOST_THREADS];
    unsigned int count = 0;
    while (count + 1 < threads && pthread_create(&others[count], NULL, do_stripes, work) == 0) {
        count++;
    }
    do_stripes(work);
    while (count > 0) {
        pthread_join(others[--count], NULL);
    }
}

/* ---- the result that is kept ---- */

static struct kept {
    bool exact;
    size_t stripes, columns, k;
    char *a, *b, *sums;
} kept;

static bool is_kept(bool exact, size_t stripes, size_t columns, size_t k, const char *a,
                    const char *b)
{
    const size_t element = exact ? sizeof(double) : sizeof(float);
    return kept.sums && kept.exact == exact && kept.stripes == stripes && kept.columns == columns &&
           kept.k == k && memcmp(kept.a, a, stripes * k * SIMT_TILE_ROW_BYTES) == 0 &&
           memcmp(kept.b, b, columns * k * SIMT_TILE_COLUMNS * element) == 0;
}

static void forget(void)
{
    free(kept.a);
    free(kept.b);
    free(kept.sums);
    kept = (struct kept){0};
}

bool simt_product_sums(bool exact, size_t stripes, size_t columns, size_t k, char *a, char *b,
                       void (*put)(void *context, size_t stripe, size_t column, const void *sums),
                       void *context)
{
    const size_t element = exact ? sizeof(double) : sizeof(float);
    const size_t bytes = stripes * columns * SIMT_TILE_BYTES_OF_SUMS;
    const double multiplications = (double)bytes / (double)element * (double)k;
    if (!is_kept(exact, stripes, columns, k, a, b)) {
        forget();
        kept = (struct kept){exact, stripes, columns, k, a, b, malloc(bytes + 1)};
        if (kept.sums) {
            struct work work = {tile_for(exact), a, b, kept.sums, stripes, columns, k, element, 0};
            do_all(&work, threads_for(multiplications));
        }
    } else {
        free(a);
        free(b);
    }
    for (size_t i = 0; kept.sums && i < stripes; i++) {
        for (size_t j = 0; j < columns; j++) {
            put(context, i, j, kept.sums + (i * columns + j) * SIMT_TILE_BYTES_OF_SUMS);
        }
    }
    if (!kept.sums || multiplications < large || simt_available_memory() < 8 * bytes) {
        const bool done = kept.sums != NULL;
        forget();
        return done;
    }
    return true;
}
/* SPDX-License-Identifier: MIT */
