/* Tests the CPU rungs' tiles with every instruction set of this machine. The inputs are whole
 * numbers, so the order of additions makes no difference. The program does without the test
 * framework, so it can be compiled for another processor and run there or under an emulator. */
#include <math.h>
#include <stdio.h>

#include "cpu/tile.h"

static const char *failed; /* the last check that failed */

#define CHECK(condition) ((condition) ? (void)0 : (void)(failed = #condition))

enum { DEPTH = 37, WIDTH = 45, LDA = DEPTH + 3, LDB = WIDTH + 2, UNUSED = -77 };

static const struct cpu_tile *tiles[4];
static size_t tile_count;

static void find_tiles(void)
{
    tiles[tile_count++] = &cpu_tile_scalar;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        tiles[tile_count++] = &cpu_tile_avx2;
    if (__builtin_cpu_supports("avx512f"))
        tiles[tile_count++] = &cpu_tile_avx512;
#elif defined(__aarch64__)
    tiles[tile_count++] = &cpu_tile_neon;
#endif
}

static float a_at(size_t i, size_t p)
{
    return (float)((i * 7 + p * 3) % 11) - 5;
}

static float b_at(size_t p, size_t j)
{
    return (float)((p * 5 + j) % 13) - 6;
}

static float dot(size_t i, size_t j, size_t depth)
{
    float sum = 0;
    for (size_t p = 0; p < depth; p++)
        sum += a_at(i, p) * b_at(p, j);
    return sum;
}

static void fill(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = UNUSED;
}

static void expect_tile(const struct cpu_tile *tile, const float *sums, size_t depth)
{
    for (size_t i = 0; i < tile->rows; i++)
        for (size_t j = 0; j < tile->columns; j++)
            CHECK(sums[i * tile->columns + j] == dot(i, j, depth));
    CHECK(sums[tile->rows * tile->columns] == UNUSED);
}

static void test_multiply(const struct cpu_tile *tile)
{
    static float a[32 * LDA], b[DEPTH * LDB], sums[CPU_TILE_MOST + 1];

    for (size_t depth = 0; depth <= DEPTH; depth += depth < 3 ? 1 : DEPTH - 3) {
        CHECK(tile->rows * tile->columns <= CPU_TILE_MOST);
        for (size_t i = 0; i < tile->rows; i++)
            for (size_t p = 0; p < DEPTH; p++)
                a[i * LDA + p] = a_at(i, p);
        for (size_t p = 0; p < DEPTH; p++)
            for (size_t j = 0; j < WIDTH; j++)
                b[p * LDB + j] = b_at(p, j);
        fill(sums, CPU_TILE_MOST + 1);
        tile->multiply(sums, depth, a, LDA, b, LDB);
        expect_tile(tile, sums, depth);
    }
}

static void test_terms(const struct cpu_tile *tile)
{
    static float a[DEPTH], b[DEPTH * LDB], sums[WIDTH + 1];

    for (size_t p = 0; p < DEPTH; p++) {
        a[p] = a_at(3, p);
        for (size_t j = 0; j < WIDTH; j++)
            b[p * LDB + j] = b_at(p, j);
    }
    for (size_t count = 0; count <= WIDTH; count++) {
        for (size_t j = 0; j <= WIDTH; j++)
            sums[j] = (float)j;
        tile->add_terms(sums, a, b, LDB, count, DEPTH);
        for (size_t j = 0; j <= WIDTH; j++)
            CHECK(sums[j] == (float)j + (j < count ? dot(3, j, DEPTH) : 0));
    }
}

/* Stores parts of a tile, down to none. A NaN in c must not reach the result if beta is 0, and must
 * reach it otherwise. */
static void test_store(const struct cpu_tile *tile, size_t height, size_t width, float alpha,
                       float beta)
{
    static float c[32 * LDB], sums[CPU_TILE_MOST];

    for (size_t i = 0; i < tile->rows; i++)
        for (size_t j = 0; j < LDB; j++) {
            if (j < tile->columns)
                sums[i * tile->columns + j] = a_at(i, j);
            c[i * LDB + j] = j % 5 == 0 ? NAN : b_at(i, j);
        }
    tile->store(sums, height, width, alpha, beta, c, LDB);
    for (size_t i = 0; i < tile->rows; i++)
        for (size_t j = 0; j < LDB; j++) {
            const float old = j % 5 == 0 ? NAN : b_at(i, j), sum = a_at(i, j);
            const float want = i >= height || j >= width ? old
                               : beta == 0               ? alpha * sum
                                                         : alpha * sum + beta * old;
            CHECK(c[i * LDB + j] == want || (isnan(c[i * LDB + j]) && isnan(want)));
        }
}

static void test_stores(const struct cpu_tile *tile)
{
    static const float factors[][2] = {{1, 0}, {2, 0}, {1, 1}, {-3, 2}};

    for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++)
        for (size_t height = 0; height <= tile->rows; height++)
            for (size_t width = 0; width <= tile->columns; width++)
                test_store(tile, height, width, factors[f][0], factors[f][1]);
}

int main(void)
{
    int right = 1;

    find_tiles();
    for (size_t t = 0; t < tile_count; t++) {
        failed = NULL;
        test_multiply(tiles[t]);
        test_terms(tiles[t]);
        test_stores(tiles[t]);
        printf("%s: %s%s\n", tiles[t]->name,
               failed == NULL ? "passed" : "FAILED: ", failed == NULL ? "" : failed);
        right = right && failed == NULL;
    }
    if (cpu_tile() != tiles[tile_count - 1]) {
        printf("chosen: FAILED: %s, not the widest\n", cpu_tile()->name);
        right = 0;
    }
    return right ? 0 : 1;
}
/* SPDX-License-Identifier: MIT */
