#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/verify.h"
#include "problem/gemm/gemm.h"
#include "problem/gemm/options.h"
#include "step_test.h"

static bool tests_large;

/* Every rung with shapes that often fail: nothing, one row, one column, one term, around the tiles'
 * edges. Inputs may be unaligned, and rows may have gaps between them. Each shape has one of the
 * four layouts in the quick test and another in the large one. */
static void test_edge_shapes(void **state)
{
    static const struct {
        size_t m, n, k;
    } shapes[] = {
        {0, 0, 0},     {0, 5, 3},     {5, 0, 3},     {5, 3, 0},     {1, 1, 0},     {1, 1, 1},
        {1, 33, 1},    {33, 1, 1},    {1, 1, 33},    {2, 3, 4},     {7, 5, 3},     {31, 33, 32},
        {32, 32, 32},  {33, 31, 1},   {64, 32, 31},  {65, 63, 33},  {1, 300, 5},   {300, 1, 5},
        {3, 2, 1025},  {17, 97, 64},  {97, 17, 65},  {96, 96, 96},  {127, 129, 7}, {128, 64, 40},
        {129, 255, 9}, {3, 132, 260}, {20, 68, 520}, {132, 3, 260},
    };
    static const struct {
        size_t offset, padding;
    } layouts[] = {{0, 0}, {1, 0}, {0, 3}, {3, 5}};
    struct gemm_options options;
    (void)state;

    step_test_defaults(&options);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (size_t l = 0; l < sizeof layouts / sizeof layouts[0]; l++) {
            if (l != (tests_large ? i + 2 : i) % 4 || (STEP_TEST_SANITIZED && i % 3 != 0))
                continue;
            options.m = shapes[i].m;
            options.n = shapes[i].n;
            options.k = shapes[i].k;
            options.base.offset = layouts[l].offset;
            options.base.padding = layouts[l].padding;
            step_test_rungs(&options.base);
        }
}

static void test_factors(void **state)
{
    static const float factors[][2] = {{0, 0}, {1, 1},        {0, 2},      {-1, 3},
                                       {2, 0}, {0.3F, -0.7F}, {0.5F, 0.1F}};
    struct gemm_options options;
    (void)state;

    step_test_defaults(&options);
    options.m = 37;
    options.n = 70;
    options.base.padding = 2;
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        for (options.k = STEP_TEST_SANITIZED ? 40 : 0; options.k <= 40; options.k += 40) {
            options.alpha = factors[i][0];
            options.beta = factors[i][1];
            step_test_rungs(&options.base);
        }
}

/* Shapes around the edges of the CPU rungs' tiles and blocks, rows longer than their workspace,
 * several threads. They are too large to emulate, so only these rungs run. */
static void test_edges_on_the_host(void **state)
{
    static const struct {
        size_t m, n, k;
    } shapes[] = {{64, 512, 64}, {65, 513, 65},  {63, 511, 63},   {130, 1025, 129}, {1, 1030, 700},
                  {700, 1, 130}, {2, 262145, 3}, {15, 4070, 390}, {391, 23, 800}};
    const struct machine machine = {.name = "test", .processors = 1};
    struct gemm_options options;
    struct comparison comparison;
    struct error error;
    (void)state;

    step_test_defaults(&options);
    options.base.offset = options.base.padding = 1;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int beta = 0; beta <= 1; beta++) {
            options.m = shapes[s].m;
            options.n = shapes[s].n;
            options.k = shapes[s].k;
            options.beta = (float)beta;
            options.base.threads = 1 + (int)(s % 4);
            struct problem *const problem =
                gemm_kind.create(&options.base, step_test_ladder()->back_end, &machine, &error);
            if (problem == NULL)
                fail_msg("%s", error.text);
            for (size_t input = step_test_first_input(problem); input <= problem->probes; input++) {
                assert_true(gemm_kind.load(problem, input, &error));
                for (size_t i = 0; i < ladder_rung_count(step_test_ladder()); i++) {
                    const struct rung *const rung = ladder_rung(step_test_ladder(), i);
                    if (!(rung->flags & RUNG_HOST) ||
                        (rung->unavailable != NULL && rung->unavailable() != NULL))
                        continue;
                    assert_true(verify_rung(problem, rung, &comparison, &error));
                    if (!comparison.right)
                        fail_msg("%s, %s, beta %d, input %zu: %s", rung->name, problem->shape, beta,
                                 input, comparison.where);
                }
            }
            gemm_kind.destroy(problem);
        }
}

/* In the emulator, the rungs with one thread per element need several launches for so many rows. */
static void test_more_rows_than_a_launch_takes(void **state)
{
    static const char *const names[] = {"naive_rows", "naive"};
    const struct ladder *const ladder = step_test_ladder();
    const struct machine machine = {.name = "test", .processors = 2};
    struct gemm_options options;
    struct comparison comparison;
    struct error error;
    (void)state;

    step_test_defaults(&options);
    options.m = (size_t)65535 * 32 + 17;
    options.n = options.k = 1;
    struct problem *const problem =
        gemm_kind.create(&options.base, ladder->back_end, &machine, &error);
    if (problem == NULL)
        fail_msg("%s", error.text);
    assert_true(gemm_kind.load(problem, 0, &error));
    for (size_t i = 0; i < ladder_rung_count(ladder); i++)
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
            if (strcmp(ladder_rung(ladder, i)->name, names[n]) == 0) {
                assert_true(verify_rung(problem, ladder_rung(ladder, i), &comparison, &error));
                if (!comparison.right)
                    fail_msg("%s: %s", names[n], comparison.where);
            }
    gemm_kind.destroy(problem);
}

/* More rows of tiles than gridDim.y allows. Emulation would take too long. */
static void test_more_rows_than_a_grid_takes(void **state)
{
    struct gemm_options options;
    (void)state;

    if (!step_test_ladder()->back_end->clocks)
        skip();
    step_test_defaults(&options);
    options.m = (size_t)65535 * 32 + 17;
    options.n = 3;
    options.k = 2;
    step_test_rungs(&options.base);
}

/* Shapes around the top rungs' tiles: C a few rows or columns larger than a tile, as many tiles as
 * multiprocessors or not, few tiles with a long k, aligned and unaligned rows. Emulation would take
 * too long. */
static void test_where_large_tiles_end(void **state)
{
    static const struct {
        size_t m, n, k;
    } shapes[] = {{129, 257, 33},   {2, 264, 70},    {255, 265, 31},  {1025, 520, 301},
                  {130, 515, 6849}, {64, 517, 257},  {900, 2050, 64}, {2047, 2049, 1023},
                  {512, 512, 4096}, {65, 66, 20000}, {9, 3000, 2000}, {3000, 13, 2000}};
    struct gemm_options options;
    (void)state;

    if (!step_test_ladder()->back_end->clocks)
        skip();
    step_test_defaults(&options);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (size_t shift = 0; shift < 4; shift++) {
            options.m = shapes[i].m;
            options.n = shapes[i].n;
            options.k = shapes[i].k;
            options.base.offset = shift % 2;
            options.base.padding = shift;
            options.beta = shift == 2 ? 2 : 0;
            step_test_rungs(&options.base);
        }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest large[] = {cmocka_unit_test(test_edge_shapes),
                                       cmocka_unit_test(test_more_rows_than_a_launch_takes)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_test_reached),
        cmocka_unit_test(test_edge_shapes),
        cmocka_unit_test(test_factors),
        cmocka_unit_test(test_edges_on_the_host),
        cmocka_unit_test(test_more_rows_than_a_grid_takes),
        cmocka_unit_test(test_where_large_tiles_end),
    };
    (void)arguments;
    tests_large = count > 1;
    if (tests_large)
        return cmocka_run_group_tests_name("07_gemm, large", large, NULL, NULL);
    return cmocka_run_group_tests_name("07_gemm", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
