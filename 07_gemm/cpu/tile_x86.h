/* The tile of step 07's CPU rungs for x86-64: the same code for every width of vectors. The file
 * that includes it has defined `vector` and functions for single instructions on it, VECTOR_CODE,
 * and the tile: ROWS rows of COLUMNS, which is two vectors. */

VECTOR_CODE static void add_terms(float *restrict sums, const float *a, const float *b, size_t ldb,
                                  size_t count, size_t depth)
{
    for (size_t p = 0; p < depth; p++, b += ldb) {
        const vector x = all_equal(a[p]);
        size_t j = 0;
        for (; j + WIDTH <= count; j += WIDTH)
            put(sums + j, multiply_add(x, load(b + j), load(sums + j)));
        for (; j < count; j++)
            sums[j] += a[p] * b[j];
    }
}

VECTOR_CODE static void multiply(float *sums, size_t depth, const float *a, size_t lda,
                                 const float *b, size_t ldb)
{
    vector left[ROWS], right[ROWS];

#pragma GCC unroll ROWS
    for (size_t i = 0; i < ROWS; i++)
        left[i] = right[i] = all_equal(0);
    for (size_t p = 0; p < depth; p++, a++, b += ldb) {
        const vector b_left = load(b), b_right = load(b + WIDTH);
#pragma GCC unroll ROWS
        for (size_t i = 0; i < ROWS; i++) {
            const vector x = all_equal(a[i * lda]);
            left[i] = multiply_add(x, b_left, left[i]);
            right[i] = multiply_add(x, b_right, right[i]);
        }
    }
#pragma GCC unroll ROWS
    for (size_t i = 0; i < ROWS; i++) {
        put(sums + i * COLUMNS, left[i]);
        put(sums + i * COLUMNS + WIDTH, right[i]);
    }
}

VECTOR_CODE static inline void blend_row(float *restrict c, const float *sums, size_t count,
                                         float alpha, float beta)
{
    const vector alphas = all_equal(alpha), betas = all_equal(beta);
    size_t j = 0;

    if (beta == 0)
        for (; j + WIDTH <= count; j += WIDTH)
            put(c + j, alphas * load(sums + j));
    else
        for (; j + WIDTH <= count; j += WIDTH)
            put(c + j, multiply_add(alphas, load(sums + j), betas * load(c + j)));
    for (; j < count; j++)
        c[j] = blend(alpha, sums[j], beta, c + j);
}

VECTOR_CODE static void store(const float *sums, size_t height, size_t width, float alpha,
                              float beta, float *c, size_t ldc)
{
    for (size_t i = 0; i < height; i++)
        blend_row(c + i * ldc, sums + i * COLUMNS, width, alpha, beta);
}

const struct cpu_tile TILE = {
    .name = NAME,
    .rows = ROWS,
    .columns = COLUMNS,
    .add_terms = add_terms,
    .multiply = multiply,
    .store = store,
};
/* SPDX-License-Identifier: MIT */
