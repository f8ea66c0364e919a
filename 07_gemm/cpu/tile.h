/* What step 07's fast CPU rungs compute in vector instructions: a tile of C whose sums stay in
 * registers. Each instruction set has its own file, because a function compiled for it may run only
 * on a CPU that has it. */
#ifndef RUNGS_CPU_TILE_H
#define RUNGS_CPU_TILE_H

#include <stddef.h>

/* Tiles are of `rows` x `columns` sums. All pointers are to float32; none needs to be aligned. */
struct cpu_tile {
    const char *name; /* of the instruction set: "avx512", "avx2", "neon" or "scalar" */
    size_t rows, columns;
    /* sums[j] += a[p] * b[p * ldb + j], for all j < count and all p < depth. */
    void (*add_terms)(float *sums, const float *a, const float *b, size_t ldb, size_t count,
                      size_t depth);
    /* sums[i * columns + j] = the sum over p < depth of a[i * lda + p] * b[p * ldb + j]. */
    void (*multiply)(float *sums, size_t depth, const float *a, size_t lda, const float *b,
                     size_t ldb);
    /* C(i, j) = alpha * sums[i * columns + j] + beta * C(i, j) for the first `height` x `width`
     * elements of the tile; C(i, j) is c[i * ldc + j]. Does not read C if beta is 0. */
    void (*store)(const float *sums, size_t height, size_t width, float alpha, float beta, float *c,
                  size_t ldc);
};

/* The largest tile that any instruction set has, in floats. */
enum { CPU_TILE_MOST = 14 * 32 };

/* The tile for the widest instruction set of this machine. */
const struct cpu_tile *cpu_tile(void);

/* Each by name, even if this machine cannot run it. Defined only for the target architecture. */
extern const struct cpu_tile cpu_tile_avx512, cpu_tile_avx2, cpu_tile_neon, cpu_tile_scalar;

/* The new value of *c. If beta is 0, *c is not read, because it may be uninitialized and 0 * NaN is
 * NaN. */
static inline float blend(float alpha, float sum, float beta, const float *c)
{
    return beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

#endif
/* SPDX-License-Identifier: MIT */
