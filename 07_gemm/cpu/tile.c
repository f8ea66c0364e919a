/* Chooses the tile for the widest vector instructions of the machine when the program starts. Also
 * has a tile in plain C, for machines without any of these instructions. */
#include "cpu/tile.h"

#include <string.h>

static void add_terms(float *restrict sums, const float *a, const float *b, size_t ldb,
                      size_t count, size_t depth)
{
    for (size_t p = 0; p < depth; p++)
        for (size_t j = 0; j < count; j++)
            sums[j] += a[p] * b[p * ldb + j];
}

enum { ROWS = 4, COLUMNS = 4 };

static void multiply(float *sums, size_t depth, const float *a, size_t lda, const float *b,
                     size_t ldb)
{
    float tile[ROWS][COLUMNS] = {{0}};

    for (size_t p = 0; p < depth; p++)
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < COLUMNS; j++)
                tile[i][j] += a[i * lda + p] * b[p * ldb + j];
    memcpy(sums, tile, sizeof tile);
}

static inline void blend_row(float *restrict c, const float *sums, size_t count, float alpha,
                             float beta)
{
    for (size_t j = 0; j < count; j++)
        c[j] = blend(alpha, sums[j], beta, c + j);
}

static void store(const float *sums, size_t height, size_t width, float alpha, float beta, float *c,
                  size_t ldc)
{
    for (size_t i = 0; i < height; i++)
        blend_row(c + i * ldc, sums + i * COLUMNS, width, alpha, beta);
}

const struct cpu_tile cpu_tile_scalar = {
    .name = "scalar",
    .rows = ROWS,
    .columns = COLUMNS,
    .add_terms = add_terms,
    .multiply = multiply,
    .store = store,
};

static const struct cpu_tile *find_best(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        return &cpu_tile_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &cpu_tile_avx2;
#elif defined(__aarch64__)
    return &cpu_tile_neon;
#endif
    return &cpu_tile_scalar;
}

/* Chosen once, before main, so threads only read it. */
static const struct cpu_tile *best;

__attribute__((constructor)) static void choose(void)
{
    best = find_best();
}

const struct cpu_tile *cpu_tile(void)
{
    return best;
}
/* SPDX-License-Identifier: MIT */
