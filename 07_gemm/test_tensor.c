/* The ladders in bfloat16 and TF32: every rung where its tiles end, with rows that are aligned
 * and rows that are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "problem/gemm/options.h"
#include "step_test.h"

struct shape {
    size_t m, n, k;
};

/* Rows start at multiples of 16 bytes if all of these are multiples of 8. */
struct layout {
    size_t offset, padding;
};

static void verify(struct shape shape, struct layout layout, float alpha, float beta)
{
    struct gemm_options options;

    step_test_defaults(&options);
    options.m = shape.m;
    options.n = shape.n;
    options.k = shape.k;
    options.alpha = alpha;
    options.beta = beta;
    options.base.offset = layout.offset;
    options.base.padding = layout.padding;
    step_test_rungs(&options.base);
}

static void test_edge_shapes(void **state)
{
    static const struct shape shapes[] = {{0, 0, 0},    {0, 5, 3},     {5, 0, 3},    {5, 3, 0},
                                          {1, 1, 1},    {1, 33, 1},    {33, 1, 40},  {1, 1, 129},
                                          {7, 5, 3},    {8, 8, 8},     {65, 63, 33}, {129, 130, 7},
                                          {1, 77, 140}, {19, 70, 107}, {12, 133, 76}};
    static const struct layout layouts[] = {{0, 0}, {1, 0}, {0, 3}};
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s += STEP_TEST_SANITIZED ? 3 : 1)
        verify(shapes[s], layouts[s % 3], 1, s % 4 == 3 ? 2 : 0);
}

/* All that is fast needs aligned rows. */
static bool chosen; /* by this program's argument */

static void test_aligned_rows(void **state)
{
    static const struct shape shapes[] = {
        {16, 16, 16}, {40, 72, 64},   {136, 264, 200}, {264, 136, 136}, {1, 72, 40},
        {72, 1, 40},  {9, 104, 1064}, {24, 72, 1112},  {40, 512, 72},   {512, 40, 72}};
    (void)state;

    if (STEP_TEST_SANITIZED && !chosen) /* the same accesses as in the test `test_tensor_tiles` */
        skip();
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s += STEP_TEST_SANITIZED ? 3 : 1)
        verify(shapes[s], (struct layout){0, s % 2 * 8}, s % 2 == 0 ? 1 : -1, s % 2 == 0 ? 0 : 3);
}

/* Rows start at multiples of 16 bytes, and end anywhere. */
static void test_ends_of_rows(void **state)
{
    (void)state;
    for (size_t n = 33; n <= 40; n += STEP_TEST_SANITIZED ? 3 : 1)
        verify((struct shape){72, n, 24 + n % 8}, (struct layout){0, 8 - n % 8}, 1, 0);
}

static void test_factors(void **state)
{
    static const float factors[][2] = {{0, 0}, {1, 1}, {0, 2}, {2, 0}, {0.3F, -0.7F}};
    (void)state;

    for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++)
        for (size_t k = 0; k <= 24; k += 24)
            verify((struct shape){24, 40, k}, (struct layout){0, 0}, factors[f][0], factors[f][1]);
}

/* Emulation would take too long. */
static void test_large_shapes(void **state)
{
    static const struct shape shapes[] = {
        {1024, 1024, 1024}, {2047, 2049, 1023}, {1000, 520, 304}, {128, 4096, 2048},
        {64, 64, 65536},    {16, 4096, 4096},   {1, 4096, 4096},  {4096, 1, 4096},
        {130, 515, 6849},   {8192, 8192, 128},  {129, 257, 33},   {3072, 1536, 4096},
        {24, 8192, 8192},   {3, 5000, 5000},    {64, 4096, 4096}, {100, 5000, 3000},
        {4096, 8, 4096},    {1, 4097, 4095}};
    (void)state;

    if (!step_test_ladder()->back_end->clocks)
        skip();
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t padding = 0; padding <= 9; padding += padding == 0 ? 8 : 1)
            verify(shapes[s], (struct layout){padding == 9, padding}, 1, padding == 8 ? 2 : 0);
}

/* With the name of a test, only that one. */
int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edge_shapes),  cmocka_unit_test(test_aligned_rows),
        cmocka_unit_test(test_ends_of_rows), cmocka_unit_test(test_factors),
        cmocka_unit_test(test_large_shapes),
    };

    int failed = 0;

    chosen = count > 1;
    if (chosen)
        cmocka_set_test_filter(arguments[1]);
    for (size_t l = 1; l < step.ladder_count; l++) {
        if (step.ladders[l]->with != NULL)
            continue; /* test_on_gpus.c */
        step_test_choose(step.ladders[l]);
        failed += cmocka_run_group_tests_name(step.ladders[l]->name, tests, NULL, NULL);
    }
    return failed;
}
