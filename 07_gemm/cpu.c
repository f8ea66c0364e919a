/* Step 07 on one core of the host: what the GPU's rungs start from, and the same question already,
 * how often memory is asked for the same element of A and B. */
#include "cpu.h"

/* The new value of *c. Where beta is 0, *c is not read: it may be uninitialised, and 0 * NaN is
 * NaN. */
static float blend(float alpha, float sum, float beta, const float *c)
{
    return beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The definition, loop by loop: i, j, p.
 *
 * Still bad: the innermost loop walks down a column of B, one float from each cache line, and by
 * the time the next column wants the line's next float, a long column has pushed the line out. Nor
 * can the compiler use vectors: the terms of one sum are to be added in order. */
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

/* i, p, j: the two inner loops change places.
 *
 * Better: the innermost loop walks along a row of B and a row of sums. Every float of a cache line
 * is used at once, and neighbours are different sums, which the compiler adds as vectors. Still
 * bad: every row of C passes over all of B; a B that the caches cannot hold comes from memory m
 * times.
 *
 * The sums wait in the workspace, since C may hold what beta is for; it has room for very long
 * rows. */
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

/* A tile of C, and how far along k a block of B reaches: 64 x 512 floats of B are 128 KiB, which
 * the second-level cache holds. */
enum { TILE_ROWS = 64, TILE_COLUMNS = 512, DEPTH = 64 };

/* One row of the tile's sums takes in `depth` terms. */
static void add_terms(float *restrict sums, const float *a, const float *b, size_t ldb,
                      size_t columns, size_t depth)
{
    for (size_t p = 0; p < depth; p++)
        for (size_t j = 0; j < columns; j++)
            sums[j] += a[p] * b[p * ldb + j];
}

/* The same loops over a tile of C and a block of B at a time.
 *
 * Better: a block of B stays in the second-level cache while all rows of the tile use it: B comes
 * from further away m / 64 times instead of m. Still bad: every product still loads a sum and an
 * element of B, from the first-level cache at best, and stores the sum. A library keeps a small
 * tile of sums in registers instead; it also uses the widest vectors that the processor has, fused
 * multiply-adds, and all cores. */
void run_cpu_blocked(const struct gemm *call)
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
                    add_terms(sums[i], call->a + (row + i) * call->lda + p,
                              call->b + p * call->ldb + column, call->ldb, columns,
                              smaller(DEPTH, call->k - p));
            for (size_t i = 0; i < rows; i++) {
                float *const c = call->c + (row + i) * call->ldc + column;
                for (size_t j = 0; j < columns; j++)
                    c[j] = blend(call->alpha, sums[i][j], call->beta, c + j);
            }
        }
}
