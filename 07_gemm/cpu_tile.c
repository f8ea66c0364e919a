/* The tile for the widest instructions that the machine turns out to have when the program starts;
 * and one in plain C, for machines that have none of those. */
#include "cpu_tile.h"

static void add_terms(float *restrict sums, const float *a, const float *b, size_t ldb,
                      size_t count, size_t depth)
{
    for (size_t p = 0; p < depth; p++)
        for (size_t j = 0; j < count; j++)
            sums[j] += a[p] * b[p * ldb + j];
}

enum { ROWS = 4, COLUMNS = 4 };

static inline void multiply_strided(float *out, size_t depth, const float *a, size_t a_row,
                                    size_t a_term, const float *b, size_t b_term)
{
    float sums[ROWS][COLUMNS] = {{0}};

    for (size_t p = 0; p < depth; p++)
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < COLUMNS; j++)
                sums[i][j] += a[i * a_row + p * a_term] * b[p * b_term + j];
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++)
            out[i * COLUMNS + j] = sums[i][j];
}

static void multiply(float *sums, size_t depth, const float *a, size_t lda, const float *b,
                     size_t ldb)
{
    multiply_strided(sums, depth, a, lda, 1, b, ldb);
}

static void multiply_packed(float *sums, size_t depth, const float *a, const float *b)
{
    multiply_strided(sums, depth, a, 1, ROWS, b, COLUMNS);
}

static void blend_row(float *restrict c, const float *sums, size_t count, float alpha, float beta)
{
    for (size_t j = 0; j < count; j++)
        c[j] = blend(alpha, sums[j], beta, c + j);
}

const struct cpu_tile cpu_tile_scalar = {
    .name = "scalar",
    .rows = ROWS,
    .columns = COLUMNS,
    .add_terms = add_terms,
    .multiply = multiply,
    .multiply_packed = multiply_packed,
    .blend = blend_row,
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

/* Looked up once, before main: the threads find it there. */
static const struct cpu_tile *best;

__attribute__((constructor)) static void choose(void)
{
    best = find_best();
}

const struct cpu_tile *cpu_tile(void)
{
    return best;
}
