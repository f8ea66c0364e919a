/* Step 07 on one core of the host: the baseline of the GPU's rungs. The question is the same: how
 * often is each element of A and B loaded? */
#include "cpu/cpu.h"

#include <stdio.h>

#include "cpu/tile.h"

/* The definition, with loops over i, j and p.
 *
 * Still bad: the innermost loop walks down a column of B and uses one float of each cache line.
 * When the next column needs the line's next float, a long column has evicted the line. The
 * compiler also cannot vectorize, because the terms of each sum must be added in order. */
void run_cpu_naive(const struct gemm *call)
{
    for (size_t row = 0; row < call->m; row++)
        for (size_t column = 0; column < call->n; column++) {
            float sum = 0;
            for (size_t p = 0; p < call->k; p++)
                sum += call->a[row * call->lda + p] * call->b[p * call->ldb + column];

            float *const c = call->c + row * call->ldc + column;
            *c = blend(call->alpha, sum, call->beta, c);
        }
}

/* i, p, j: the two inner loops are swapped.
 *
 * Better: the innermost loop walks along a row of B and a row of sums. All floats of a cache line
 * are used together, and neighbouring sums are independent, so the compiler can vectorize.
 * Still bad: every row of C reads all of B. If B does not fit in the caches, it is read from memory
 * m times.
 *
 * The sums are kept in the workspace, because beta may need the old C. Rows that do not fit there
 * are split. */
void run_cpu_rows(const struct gemm *call)
{
    const size_t room = GEMM_WORKSPACE / sizeof(float);
    float *restrict const sums = call->workspace;

    for (size_t row = 0; row < call->m; row++)
        for (size_t first = 0; first < call->n; first += room) {
            const size_t columns = smaller(room, call->n - first);
            float *const c = call->c + row * call->ldc + first;

            for (size_t j = 0; j < columns; j++)
                sums[j] = 0;
            for (size_t p = 0; p < call->k; p++) {
                const float a = call->a[row * call->lda + p];
                const float *const b = call->b + p * call->ldb + first;
                for (size_t j = 0; j < columns; j++)
                    sums[j] += a * b[j];
            }
            for (size_t j = 0; j < columns; j++)
                c[j] = blend(call->alpha, sums[j], call->beta, c + j);
        }
}

/* The size of a tile of C, and the number of rows of a block of B. The block's 64 x 512 floats are
 * 128 KiB, which fit in the second-level cache. */
enum { TILE_ROWS = 64, TILE_COLUMNS = 512, DEPTH = 64 };

/* The same loops for one tile of C and one block of B at a time. tile->add_terms runs the innermost
 * two. */
static void run_blocked(const struct gemm *call, const struct cpu_tile *tile)
{
    float(*const sums)[TILE_COLUMNS] = call->workspace;

    for (size_t row = 0; row < call->m; row += TILE_ROWS)
        for (size_t column = 0; column < call->n; column += TILE_COLUMNS) {
            const size_t rows = smaller(TILE_ROWS, call->m - row);
            const size_t columns = smaller(TILE_COLUMNS, call->n - column);

            for (size_t i = 0; i < rows; i++)
                for (size_t j = 0; j < columns; j++)
                    sums[i][j] = 0;
            for (size_t p = 0; p < call->k; p += DEPTH)
                for (size_t i = 0; i < rows; i++)
                    tile->add_terms(sums[i], call->a + (row + i) * call->lda + p,
                                    call->b + p * call->ldb + column, call->ldb, columns,
                                    smaller(DEPTH, call->k - p));
            for (size_t i = 0; i < rows; i++) {
                float *const c = call->c + (row + i) * call->ldc + column;
                for (size_t j = 0; j < columns; j++)
                    c[j] = blend(call->alpha, sums[i][j], call->beta, c + j);
            }
        }
}

/* Better: a block of B stays in the second-level cache while all rows of the tile use it. B is
 * loaded into that cache m / 64 times instead of m. Still bad: the compiler may use only what every
 * processor of this architecture has: on x86-64, vectors of 4 floats and no fused multiply-adds. */
void run_cpu_blocked(const struct gemm *call)
{
    run_blocked(call, &cpu_tile_scalar);
}

/* Better: it uses the widest vectors of this machine, and fused multiply-adds. Still bad: every
 * product loads a sum and an element of B, at best from the first-level cache, and stores the sum.
 * Only one of four instructions is a multiply-add. */
void run_cpu_vectors(const struct gemm *call)
{
    run_blocked(call, cpu_tile());
}

void how_cpu_tile(const struct gemm *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    snprintf(text, RUNG_HOW_SIZE, "%s", cpu_tile()->name);
}
/* SPDX-License-Identifier: MIT */
