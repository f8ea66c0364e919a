/* any_shape: every kernel that a plan can have, even if the planner would choose another. The CPU
 * back end checks the kernels for races and bad accesses, which takes ten times as long. Some
 * problems are therefore only for these checks, and others only for the results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "any_shape/bfloat16/plan.h"
#include "any_shape/float32/plan.h"
#include "measure/count.h"
#include "measure/verify.h"
#include "parts/workspace.h"
#include "problem/gemm/gemm.h"
#include "problem/gemm/options.h"
#include "rungs.h"
#include "step_test.h"

static const unsigned tile_m[TILE_SHAPES] = {128, 128, 128, 128, 128, 64};
static const unsigned tile_n[TILE_SHAPES] = {256, 192, 160, 128, 96, 128};

static size_t ceil_of(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

/* The plans that a test uses instead of the fastest. */
static struct plan forced;
static struct bf16_plan forced_bf16;

static bool is_checked = true; /* whether the next run is checked */

static int multiprocessors = 1; /* for bfloat16 */

static void run_forced(const struct gemm *call)
{
    if (call->type == GEMM_BF16) {
        struct gemm on_some = *call;
        on_some.multiprocessors = multiprocessors;
        run_bf16_plan(&on_some, &forced_bf16);
        return;
    }
    forced.rows = call->m;
    forced.columns = call->n;
    run_plan(call, &forced);
}

static void verify_with(struct problem *problem, void (*prepare)(const struct gemm *call))
{
    const struct gemm_rung rung = {
        .rung = {.name = "forced"},
        .run = run_forced,
        .depth = gemm_depth_tensor, /* the larger one */
        .prepare = prepare,
    };
    struct result result = {0};
    struct comparison comparison;
    struct error error;
    const bool checks = is_checked && count_can(problem->back_end);
    if (checks)
        count_begin(problem->back_end);
    assert_true(verify_rung(problem, &rung.rung, &comparison, &error));
    if (checks)
        count_end(problem->back_end, COUNTERS_NONE, &result);
    if (!comparison.right || result.broke_rule)
        fail_msg("kind %d, shape %d, %u blocks, %d, %u splits; bf16: way %d, %ux%u, %u splits: %s",
                 (int)forced.kind, forced.shape, forced.blocks, forced.added_later, forced.splits,
                 (int)forced_bf16.way, forced_bf16.rows, forced_bf16.columns, forced_bf16.splits,
                 comparison.right ? result.findings : comparison.where);
}

static void verify_forced(struct problem *problem)
{
    verify_with(problem, prepare_workspace);
}

/* Launches again, with the workspace as the previous launch left it. */
static void verify_again(struct problem *problem)
{
    verify_with(problem, NULL);
}

static struct problem *loaded_problem(const struct problem_kind *kind, size_t m, size_t n, size_t k,
                                      float beta)
{
    const struct machine machine = {.name = "test", .processors = 1};
    struct gemm_options options;
    struct error error;

    step_test_defaults(&options);
    options.type = kind == &gemm_bf16_kind ? GEMM_BF16 : GEMM_F32;
    options.m = m;
    options.n = n;
    options.k = k;
    options.beta = beta;
    struct problem *const problem =
        kind->create(&options.base, step_test_ladder()->back_end, &machine, &error);
    if (problem == NULL)
        fail_msg("%s", error.text);
    assert_true(kind->load(problem, 0, &error));
    return problem;
}

/* One block per tile, blocks that divide tiles, and three blocks per tile; or only the i-th. */
enum { ALL_BLOCKS = 3 };

static void check_tiles(struct problem *problem, unsigned count, unsigned only)
{
    const unsigned blocks[ALL_BLOCKS] = {count, count > 1 ? count - 1 : 2, 3 * count};

    for (unsigned i = only % ALL_BLOCKS; i < ALL_BLOCKS; i += only < ALL_BLOCKS ? ALL_BLOCKS : 1)
        for (int later = 0; later <= (blocks[i] > count ? 1 : 0); later++) {
            forced.blocks = blocks[i];
            forced.added_later = later;
            forced.short_stage = i > 0;
            verify_forced(problem);
        }
}

/* One row more than a tile has, so a block may have two tiles, and as many k-steps as blocks that
 * share a tile. */
static void test_tiles_checked(void **state)
{
    (void)state;

    if (hopper_unavailable() != NULL || STEP_TEST_SANITIZED)
        skip();
    for (int shape = 0; shape < TILE_SHAPES; shape++) {
        struct problem *const problem = loaded_problem(&gemm_kind, tile_m[shape] + 1, 36, 72, 0);
        forced = (struct plan){.kind = BY_TILES, .shape = shape};
        check_tiles(problem, 2, ALL_BLOCKS);
        gemm_kind.destroy(problem);
    }
}

/* The second shape's rows end elsewhere, which the number of blocks does not affect. */
static void test_tiles(void **state)
{
    static const size_t shapes[][3] = {{130, 132, 136}, {70, 259, 131}};
    (void)state;

    if (hopper_unavailable() != NULL)
        skip();
    is_checked = false;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const size_t m = shapes[s][0], n = shapes[s][1];
        struct problem *const problem = loaded_problem(&gemm_kind, m, n, shapes[s][2], (float)s);
        forced = (struct plan){.kind = BY_TILES, .copies_b = n % 4 != 0};
        for (forced.shape = 0; forced.shape < TILE_SHAPES; forced.shape++)
            check_tiles(
                problem,
                (unsigned)(ceil_of(m, tile_m[forced.shape]) * ceil_of(n, tile_n[forced.shape])),
                s == 0 ? ALL_BLOCKS : (unsigned)forced.shape % ALL_BLOCKS);
        gemm_kind.destroy(problem);
    }
    is_checked = true;
}

/* A tile in seven parts. Two warps of add_parts each add up some of them. */
static void test_seven_parts(void **state)
{
    (void)state;

    if (hopper_unavailable() != NULL)
        skip();
    struct problem *const problem = loaded_problem(&gemm_kind, 60, 64, (size_t)7 * 64, 0);
    forced = (struct plan){
        .kind = BY_TILES, .shape = TILE_64X128, .blocks = 7, .added_later = true, .splits = 1};
    verify_forced(problem);
    gemm_kind.destroy(problem);
}

/* Rows aligned to 16 bytes, to 8, and not at all. Fewer rows or columns than a tile has, and tiles
 * that begin within others. k in one part and in three, with a last stage that is not whole. */
static void test_small_tiles(void **state)
{
    static const size_t shapes[][3] = {{70, 68, 136}, {66, 70, 134}, {65, 67, 203}, {9, 66, 77}};
    (void)state;

    if (hopper_unavailable() != NULL)
        skip();
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct problem *const problem =
            loaded_problem(&gemm_kind, shapes[s][0], shapes[s][1], shapes[s][2], (float)(s % 2));
        forced = (struct plan){.kind = BY_SMALL_TILES};
        for (forced.shape = 0; forced.shape < SMALL_SHAPES; forced.shape++) {
            forced.splits = (s / 2 + (size_t)forced.shape) % 2 == 0 ? 1 : 3; /* alternating */
            verify_forced(problem);
        }
        gemm_kind.destroy(problem);
    }
}

/* The part of the large matrix that L2 keeps ends within the rows, or is none or all of it. */
static void test_few(void **state)
{
    static const size_t few[] = {1, 2, 3, 5, 16}, kept[] = {0, 5000, SIZE_MAX};
    (void)state;

    if (hopper_unavailable() != NULL)
        skip();
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++)
        for (int columns = 0; columns <= 1; columns++) {
            struct problem *const problem = loaded_problem(
                &gemm_kind, columns ? 130 + i : few[i], columns ? few[i] : 130 + 2 * i, 420 + i, 0);
            for (size_t j = 0; j < 3; j++) {
                forced = (struct plan){.kind = columns ? BY_FEW_COLUMNS : BY_FEW_ROWS,
                                       .splits = j == 1 ? 3 : 1,
                                       .kept = kept[j]};
                verify_forced(problem);
                if (i == 1 && forced.splits > 1)
                    verify_again(problem);
            }
            gemm_kind.destroy(problem);
        }
}

static void verify_bf16(struct problem *problem, struct bf16_plan plan)
{
    forced_bf16 = plan;
    verify_forced(problem);
}

/* Tiles of 128 rows, with rows that the TMA can load and with copies (test_tensor.c has the other
 * tiles). */
static void test_bf16_tiles(void **state)
{
    static const size_t shapes[][3] = {{136, 264, 328}, {270, 131, 203}};
    (void)state;

    if (hopper_unavailable() != NULL)
        skip();
    for (unsigned s = 0; s < 2; s++) {
        is_checked = s == 0;
        struct problem *const problem =
            loaded_problem(&gemm_bf16_kind, shapes[s][0], shapes[s][1], shapes[s][2], (float)s);
        for (unsigned way = BF16_TILE_64; way <= BF16_STREAM_K; way++)
            for (unsigned splits = 1; splits <= (way <= BF16_TILE_256 ? 3 : 1); splits += 2)
                verify_bf16(problem, (struct bf16_plan){.way = (enum bf16_way)way,
                                                        .splits = splits,
                                                        .copies_a = s == 1,
                                                        .copies_b = s == 1});
        gemm_bf16_kind.destroy(problem);
    }
    is_checked = true;
}

/* Three clusters share a tile's k-steps. The checks notice a missing fence. */
static void test_bf16_stream_k(void **state)
{
    (void)state;

    if (hopper_unavailable() != NULL)
        skip();
    struct problem *const problem = loaded_problem(&gemm_bf16_kind, 136, 72, (size_t)3 * 8 * 64, 1);
    multiprocessors = 6;
    verify_bf16(problem, (struct bf16_plan){.way = BF16_STREAM_K, .splits = 1});
    multiprocessors = 1;
    gemm_bf16_kind.destroy(problem);
}

/* On the CPU back end, the sums of all splits end 32 floats before the workspace does. The 184
 * threads beyond the end of the last row must not load anything. */
static void test_bf16_full_workspace(void **state)
{
    const size_t m = 2052, n = 584, splits = 7;
    (void)state;

    if (hopper_unavailable() != NULL || STEP_TEST_SANITIZED)
        skip();
    is_checked = false; /* an address beyond the end is noticed even without checks */
    struct problem *const problem = loaded_problem(&gemm_bf16_kind, m, n, 64 * splits, 0);
    assert_true(m * n * splits + 32 == workspace_floats(1));
    verify_bf16(problem, (struct bf16_plan){.way = BF16_TILE_256, .splits = (unsigned)splits});
    gemm_bf16_kind.destroy(problem);
    is_checked = true;
}

static void test_bf16_few(void **state)
{
    static const size_t few[] = {1, 8, 9, 16}, others[] = {200, 131}, terms[] = {264, 301};
    (void)state;

    if (hopper_unavailable() != NULL)
        skip();
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++)
        for (size_t j = 0; j < 2; j++) {
            struct problem *problem =
                loaded_problem(&gemm_bf16_kind, few[i], others[j], terms[j], (float)j);
            verify_bf16(problem, (struct bf16_plan){.way = BF16_FEW_ROWS, .splits = 1});
            gemm_bf16_kind.destroy(problem);
            problem = loaded_problem(&gemm_bf16_kind, others[j], few[i], terms[j], (float)j);
            verify_bf16(problem, (struct bf16_plan){.way = BF16_FEW_COLUMNS, .splits = 1});
            if (few[i] == 1)
                verify_bf16(problem, (struct bf16_plan){.way = BF16_VECTOR, .splits = 1});
            gemm_bf16_kind.destroy(problem);
        }

    /* With so many terms, the blocks of a cluster share them. */
    struct problem *const problem = loaded_problem(&gemm_bf16_kind, 2, 72, 1064, 0);
    verify_bf16(problem, (struct bf16_plan){.way = BF16_FEW_ROWS, .splits = 1});
    gemm_bf16_kind.destroy(problem);
}

int main(void)
{
    struct machine machine;
    struct error error;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles_checked), cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_seven_parts),   cmocka_unit_test(test_small_tiles),
        cmocka_unit_test(test_few),           cmocka_unit_test(test_bf16_tiles),
        cmocka_unit_test(test_bf16_stream_k), cmocka_unit_test(test_bf16_full_workspace),
        cmocka_unit_test(test_bf16_few)};

    if (!gpu_back_end.open(0, &machine, &error)) { /* from here on, is_checked decides */
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    return cmocka_run_group_tests_name("07_gemm, kernels of plans", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
