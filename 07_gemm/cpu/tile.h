/* What the fast CPU rungs of step 07 do in vector instructions: a tile of C whose sums stay in
 * registers. Each instruction set has a file of its own, since a function compiled for one may only
 * run where the CPU has it. */
#ifndef RUNGS_CPU_TILE_H
#define RUNGS_CPU_TILE_H

#include <stddef.h>

/* Tiles are of `rows` x `columns` sums. All pointers are to float32; none needs to be aligned. */
struct cpu_tile {
    const char *name; /* of the instruction set: "avx512", "avx2", "neon" or "scalar" */
    size_t rows, columns;
    /* Adds to each of `count` sums `depth` terms a[p] * b[p * ldb + j], j the number of the sum. */
    void (*add_terms)(float *sums, const float *a, const float *b, size_t ldb, size_t count,
                      size_t depth);
    /* sums[i * columns + j] = the sum over p < depth of a[i * lda + p] * b[p * ldb + j]. */
    void (*multiply)(float *sums, size_t depth, const float *a, size_t lda, const float *b,
                     size_t ldb);
    /* C(i, j) = alpha * sums[i * columns + j] + beta * C(i, j), C(i, j) = c[i * ldc + j], for the
     * first `height` x `width` of the tile; without reading C if beta is 0. */
    void (*store)(const float *sums, size_t height, size_t width, float alpha, float beta, float *c,
                  size_t ldc);
};

/* The largest tile that any instruction set has, in floats. */
enum { CPU_TILE_MOST = 14 * 32 };

/* The widest that this machine runs. */
const struct cpu_tile *cpu_tile(void);

/* Each by name, whether or not this machine runs it. Not defined where it was not compiled. */
extern const struct cpu_tile cpu_tile_avx512, cpu_tile_avx2, cpu_tile_neon, cpu_tile_scalar;

/* The new value of *c. Where beta is 0, *c is not read: it may be uninitialised, and 0 * NaN is
 * NaN. */
static inline float blend(float alpha, float sum, float beta, const float *c)
{
    return beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

#endif
/* SPDX-License-Identifier: MIT */
