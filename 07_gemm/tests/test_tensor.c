/* The ladders in bfloat16 and TF32: every rung around the ends of its tiles, with aligned and
 * unaligned rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "any_shape/bfloat16/plan.h"
#include "bfloat16/parts/even_plan.h"
#include "parts/workspace.h"
#include "problem/gemm/options.h"
#include "rungs.h"
#include "step_test.h"

struct shape {
    size_t m, n, k;
};

/* Rows start at multiples of 16 bytes if all of these are multiples of 8. */
struct layout {
    size_t offset, padding;
};

static struct gemm_options options_of(struct shape shape, struct layout layout, float alpha,
                                      float beta)
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
    return options;
}

static void verify(struct shape shape, struct layout layout, float alpha, float beta)
{
    const struct gemm_options options = options_of(shape, layout, alpha, beta);

    step_test_rungs(&options.base);
}

/* Uses only small whole numbers, so wrong rows and columns show. */
static void verify_probe(struct shape shape, struct layout layout, float alpha, float beta)
{
    const struct gemm_options options = options_of(shape, layout, alpha, beta);

    step_test_probe(&options.base);
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

/* All fast kernels need aligned rows. The test `test_tensor_tiles`, with few multiprocessors, runs
 * the shapes with several tiles. Of these, other runs have only the wide ones. */
static bool chosen; /* by this program's argument */

static void test_aligned_rows(void **state)
{
    static const struct shape shapes[] = {
        {16, 16, 16}, {40, 72, 64},   {136, 264, 200}, {264, 136, 136}, {1, 72, 40},
        {72, 1, 40},  {9, 104, 1064}, {24, 72, 136},   {512, 40, 72},   {40, 512, 72}};
    (void)state;

    if (STEP_TEST_SANITIZED && !chosen) /* the same accesses as in the test `test_tensor_tiles` */
        skip();
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s += STEP_TEST_SANITIZED ? 3 : 1)
        if (STEP_TEST_SANITIZED ||
            (shapes[s].m + shapes[s].n < 400 ? !chosen : chosen || shapes[s].m < shapes[s].n))
            verify(shapes[s], (struct layout){0, s % 2 * 8}, s % 2 == 0 ? 1 : -1,
                   s % 2 == 0 ? 0 : 3);
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

/* Emulation would take too long. A GPU is fast, but the host takes long to make the inputs and to
 * check the results. So each ladder computes each shape once, on the probe, in the next layout. */
static void test_large_shapes(void **state)
{
    static const struct shape shapes[] = {
        {1024, 1024, 1024}, {2047, 2049, 1023}, {1000, 520, 304}, {128, 4096, 2048},
        {64, 64, 65536},    {16, 4096, 4096},   {1, 4096, 4096},  {4096, 1, 4096},
        {130, 515, 6849},   {4224, 4224, 128},  {129, 257, 33},   {3072, 1536, 1024},
        {24, 8192, 2048},   {3, 5000, 5000},    {64, 4096, 1024}, {100, 5000, 3000},
        {4096, 8, 4096},    {1, 4097, 4095},    {4096, 12, 1000}, {600, 5, 2000},
        {9000, 16, 320},    {20000, 3, 136},    {4095, 7, 4095},  {600, 16, 77},
        {40000, 9, 131},    {2600, 4104, 520}};
    static const size_t paddings[] = {0, 8, 9};
    static size_t turn; /* another layout for the same shape in the next ladder */
    (void)state;

    if (!step_test_ladder()->back_end->clocks)
        skip();
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const size_t padding = paddings[(s + turn) % 3];
        verify_probe(shapes[s], (struct layout){padding == 9, padding}, 1, padding == 8 ? 2 : 0);
    }
    turn++;
}

/* ---- any_shape's tiles ----------------------------------------------------------------------- */

static struct bf16_plan plan; /* of run_tiles */

/* Gives two blocks (or pairs) of even_waves, and one cluster of fitted, several tiles each. */
static void run_tiles(const struct gemm *call)
{
    struct gemm on_few = *call;

    if (plan.way == BF16_EVEN)
        on_few.multiprocessors = plan.pairs ? 4 : 2;
    else if (plan.way == BF16_FITTED)
        on_few.multiprocessors = (int)(plan.down * plan.across);
    run_bf16_plan(&on_few, &plan);
}

static const struct gemm_rung tile_rungs[] = {{
    .rung = {.name = "tiles", .needs_compute_capability = 90, .unavailable = hopper_unavailable},
    .run = run_tiles,
    .depth = gemm_depth_tensor,
}};

static const struct ladder tiles_ladder = {
    .name = "tiles", .kind = &gemm_bf16_kind, .back_end = &gpu_back_end, LADDER_RUNGS(tile_rungs)};

/* Shapes at the ends of tiles: A's rows, B's columns, and k-steps. Each block of a cluster has at
 * least one k-step. */
static void verify_tile(unsigned size)
{
    const unsigned columns = plan.columns > 64 ? plan.columns - 64 : 0; /* of the last tile */
    const struct shape shapes[] = {{plan.rows + 1, plan.columns + 8, 64 * size + 8},
                                   {2 * plan.rows - 7, 2 * plan.columns + columns, 64 * size - 48},
                                   {8, 8, 72 * size}};

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s += STEP_TEST_SANITIZED ? 2 : 1)
        verify(shapes[s], (struct layout){0, s * 8}, s == 1 ? -1 : 1, s == 1 ? 3 : 0);
}

/* Tests all tiles, because the plan chooses few of them for problems as small as these. */
static void test_tiles(void **state)
{
#define TILE(few, wide, many) {(wide) ? few : many, (wide) ? many : few},
    static const unsigned thin[][2] = {BF16_THIN_TILES(TILE)};
#undef TILE
#define TILE(...) {__VA_ARGS__},
    static const unsigned fitted[][3] = {BF16_FITTED_TILES(TILE)};
#undef TILE
    static const unsigned clusters[][2] = {{1, 1}, {2, 1}, {1, 2}, {4, 1},
                                           {2, 2}, {1, 4}, {4, 2}, {2, 4}};
    const struct ladder *const before = step_test_ladder();
    (void)state;

    step_test_choose(&tiles_ladder);
    /* Each tile with one number of splits (a kernel argument), the first tile with all. */
    for (size_t t = 0; t < sizeof thin / sizeof thin[0]; t++)
        for (unsigned splits = 1; splits <= 3; splits++) {
            plan = (struct bf16_plan){
                .way = BF16_THIN, .splits = splits, .rows = thin[t][0], .columns = thin[t][1]};
            if (splits == t % 3 + 1 || t == 0)
                verify_tile(splits);
        }
    /* Each tile with one cluster shape, the tile of 104 x 64 with all. */
    for (size_t t = 0; t < sizeof fitted / sizeof fitted[0]; t++)
        for (size_t c = 0; c < sizeof clusters / sizeof clusters[0]; c++) {
            plan = (struct bf16_plan){.way = BF16_FITTED,
                                      .splits = 1,
                                      .rows = fitted[t][0],
                                      .columns = fitted[t][1] * 64,
                                      .down = clusters[c][0],
                                      .across = clusters[c][1],
                                      .turns = fitted[t][2]};
            if (c == t % 8 || (plan.rows == 104 && plan.columns == 64))
                verify_tile(plan.turns ? 8 : 1); /* steps that go round the ring */
        }
    step_test_choose(before);
}

/* High tiles in all columns of tiles, in the first of three, or in none. The last tile of a column,
 * high or low, is whole or has one row. k has the fewest k-steps, or one more that is not whole.
 * Shapes with both heights use real data; for others the probe shows which elements are wrong. */
static void verify_even_tiles(unsigned low_rows, bool pairs)
{
    static const unsigned high[] = {0, 1, 3};
    const size_t rows[] = {EVEN_HIGH_ROWS, low_rows, EVEN_HIGH_ROWS + 1, low_rows + 1, 3};

    plan = (struct bf16_plan){.way = BF16_EVEN, .splits = 1, .rows = low_rows, .pairs = pairs};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r += STEP_TEST_SANITIZED ? 3 : 1)
        for (size_t h = 0; h < sizeof high / sizeof high[0]; h++) {
            /* Rows that end a tile of the other height; a sanitizer needs each height once. */
            if ((r < 4 && h == 2 * (r % 2)) || (STEP_TEST_SANITIZED && h != 1))
                continue;
            plan.high_columns = high[h];
            const size_t n = (h == 0 ? 264 : 384) * (pairs ? 2 : 1);
            (h == 1 ? verify : verify_probe)((struct shape){rows[r], n, r % 2 == 0 ? 256 : 264},
                                             (struct layout){0, 8 * r}, r % 2 == 0 ? 1 : -1, 0);
        }
    if (STEP_TEST_SANITIZED || (low_rows == 208) == pairs)
        return;
    plan.high_columns = 1; /* more tiles per column than a group has */
    verify_probe((struct shape){8 * EVEN_HIGH_ROWS + 1, pairs ? 520 : 264, 256},
                 (struct layout){0, 0}, 1, 0);
}

static void test_even_tiles(void **state)
{
    const struct ladder *const before = step_test_ladder();
    (void)state;

    step_test_choose(&tiles_ladder);
    for (unsigned pairs = 0; pairs < 2; pairs++) {
        verify_even_tiles(208, pairs);
        verify_even_tiles(232, pairs);
    }
    step_test_choose(before);
}

/* ---- few_columns' blocks --------------------------------------------------------------------- */

/* With one multiprocessor, blocks have fewer warps and more rows, as for large products. */
static void run_on_one(const struct gemm *call)
{
    struct gemm one = *call;

    one.multiprocessors = 1;
    launch_few_columns_bf16(&one);
}

static const struct gemm_rung column_rungs[] = {{
    .rung = {.name = "columns", .needs_compute_capability = 90, .unavailable = hopper_unavailable},
    .run = run_on_one,
    .depth = gemm_depth_tensor,
}};

static const struct ladder columns_ladder = {.name = "columns",
                                             .kind = &gemm_bf16_kind,
                                             .back_end = &gpu_back_end,
                                             LADDER_RUNGS(column_rungs)};

static void test_columns(void **state)
{
    static const size_t rows[] = {15, 31, 33, 65, 127, 129, 289}; /* blocks of 16 warps to 2 */
    static const size_t columns[] = {1, 8, 9, 16};
    const struct ladder *const before = step_test_ladder();
    (void)state;

    step_test_choose(&columns_ladder);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (size_t c = r % 2; c < sizeof columns / sizeof columns[0]; c += 2)
            for (size_t k = 136; k <= 139; k += 3) /* aligned, and not */
                verify((struct shape){rows[r], columns[c], k}, (struct layout){0, 0}, -1, 3);
    step_test_choose(before);
}

/* ---- several tiles of a block ---------------------------------------------------------------- */

static void (*launch)(const struct gemm *call);
static const char *(*declines)(const struct gemm *call);
static int multiprocessors;

static void run_on_some(const struct gemm *call)
{
    struct gemm some = *call;

    some.multiprocessors = multiprocessors;
    launch(&some);
}

static const char *declines_on_some(const struct gemm *call)
{
    struct gemm some = *call;

    some.multiprocessors = multiprocessors;
    return declines != NULL ? declines(&some) : NULL;
}

static const struct gemm_rung wave_rungs[] = {{
    .rung = {.name = "wave", .needs_compute_capability = 90, .unavailable = hopper_unavailable},
    .run = run_on_some,
    .declines = declines_on_some,
    .depth = gemm_depth_tensor,
    .prepare = prepare_any_shape_bf16, /* also what the others need */
}};

static const struct ladder wave_ladder = {
    .name = "wave", .kind = &gemm_bf16_kind, .back_end = &gpu_back_end, LADDER_RUNGS(wave_rungs)};

/* Six tiles, two tiles with a long k, and columns that the TMA cannot store. With 200 rows, the
 * second row of tiles has work for only one warpgroup. */
static void check_waves(void)
{
    static const struct {
        struct shape shape;
        size_t padding;
    } waves[] = {{{200, 520, 584}, 0}, {{200, 200, 1928}, 8}, {{200, 522, 586}, 6}};
    static const int counts[] = {1, 4, 5, 7};
    const size_t count = sizeof waves / sizeof waves[0];

    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (size_t w = 0; w < count; w++) {
            if (STEP_TEST_SANITIZED && w != c) /* each once */
                continue;
            /* The other rungs share no tile, so each runs only some of these. */
            if (launch != launch_stream_k_bf16 && (w == 1 || (c % 3 == 0) != (w == 0)))
                continue;
            multiprocessors = counts[c];
            verify(waves[w].shape, (struct layout){0, waves[w].padding}, w == 1 ? -1 : 1,
                   w < 2 && c % 2 == 1 ? 3 : 0);
        }
}

static void test_waves(void **state)
{
    const struct ladder *const before = step_test_ladder();
    (void)state;

    step_test_choose(&wave_ladder);
    declines = declines_tma_loads;
    launch = launch_stream_k_bf16; /* tiles that are whole, shared by two blocks, or by many */
    check_waves();
    declines = declines_stored_later;
    launch = launch_stored_later; /* up to six per block */
    check_waves();
    declines = declines_even_waves; /* a C that is read, or that the TMA cannot store */
    launch = launch_even_waves;
    check_waves();
    declines = declines_even_pairs; /* and one multiprocessor */
    launch = launch_even_pairs;
    check_waves();
    declines = NULL;
    launch = launch_any_shape_bf16; /* a long product, for one multiprocessor */
    multiprocessors = 1;
    verify((struct shape){264, 264, 1032}, (struct layout){0, 0}, 1, 0);
    step_test_choose(before);
}

/* The same for the ladder without wgmma: several tiles per block, tiles that several blocks share,
 * and stages for GPUs with less shared memory. */
static void run_twice(const struct gemm *call)
{
    /* Other splits run first. If they left tickets, the sums would be wrong. */
    if (call->beta == 0 && !STEP_TEST_SANITIZED) {
        multiprocessors += 4;
        run_on_some(call);
        multiprocessors -= 4;
    }
    run_on_some(call);
}

static const struct gemm_rung mma_rungs[] = {{
    .rung = {.name = "mma", .needs_compute_capability = 80},
    .run = run_twice,
    .depth = gemm_depth_tensor,
    .prepare = prepare_workspace,
}};

static const struct gemm_rung tma_rungs[] = {{
    .rung = {.name = "mma_tma", .needs_compute_capability = 90},
    .run = run_on_some,
    .declines = declines_tma_loads,
    .depth = gemm_depth_tensor,
}};

/* As any_shape without wgmma, which takes tma_copies or split_k. */
static void run_other(const struct gemm *call)
{
    const struct bf16_plan plan = {.way = BF16_OTHER};

    run_bf16_plan(call, &plan);
}

static void test_preference(void **state)
{
    struct gemm call = {.type = GEMM_BF16, .m = 200, .n = 520, .k = 72, .lda = 72, .ldb = 520};
    (void)state;

    call.multiprocessors = 6; /* as many as there are tiles */
    if (hopper_unavailable() == NULL)
        assert_true(prefers_tma_copies(&call));
    call.multiprocessors = 7;
    assert_false(prefers_tma_copies(&call));
    call.multiprocessors = 1;
    call.ldb = 521;
    assert_false(prefers_tma_copies(&call));
}

static const struct ladder mma_ladder = {
    .name = "mma", .kind = &gemm_bf16_kind, .back_end = &gpu_back_end, LADDER_RUNGS(mma_rungs)};
static const struct ladder tma_ladder = {
    .name = "mma_tma", .kind = &gemm_bf16_kind, .back_end = &gpu_back_end, LADDER_RUNGS(tma_rungs)};

static void test_mma_waves(void **state)
{
    static const struct {
        const struct ladder *ladder;
        void (*launch)(const struct gemm *);
        int blocks; /* for two tiles with a long k */
    } cases[] = {{&mma_ladder, launch_persistent_tiles, 2},
                 {&mma_ladder, launch_split_k_bf16, 7}, /* three splits of each */
                 {&mma_ladder, launch_two_stages_bf16, 2},
                 {&mma_ladder, run_other, 7},
                 {&tma_ladder, launch_tma_copies, 1},
                 {&tma_ladder, launch_short_stages_bf16, 1}};
    const struct ladder *const before = step_test_ladder();
    (void)state;

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        step_test_choose(cases[c].ladder);
        launch = cases[c].launch;
        multiprocessors = 1; /* fewer stages per tile than the ring has */
        verify((struct shape){200, 520, 72}, (struct layout){0, 8}, 2, 0);
        multiprocessors = 4; /* C is read */
        verify((struct shape){200, 522, 202}, (struct layout){0, 6}, -1, 3);
        multiprocessors = cases[c].blocks; /* the TMA cannot store this C */
        verify((struct shape){200, 196, 964}, (struct layout){0, 4}, 1, 0);
    }
    step_test_choose(before);
}

/* float32 on tensor cores: the bound must be far below 2^-11 of the products, the error that TF32's
 * rounding of two operands may cause. Otherwise the test could not tell the two apart. */
static void test_exact_depths(void **state)
{
    const struct gemm call = {.m = 1, .n = 1, .k = 1000};
    (void)state;

    assert_true(depth_tensor_3xtf32(&call) * 0x1p-24 < 0x1p-11 / 16);
    assert_true(depth_tensor_bf16x6(&call) * 0x1p-24 < 0x1p-11 / 16);
}

/* With the name of a test as argument, runs only that test. */
int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edge_shapes),  cmocka_unit_test(test_aligned_rows),
        cmocka_unit_test(test_ends_of_rows), cmocka_unit_test(test_factors),
        cmocka_unit_test(test_large_shapes),
    };

    const struct CMUnitTest tiles[] = {
        cmocka_unit_test(test_tiles),       cmocka_unit_test(test_even_tiles),
        cmocka_unit_test(test_columns),     cmocka_unit_test(test_waves),
        cmocka_unit_test(test_mma_waves),   cmocka_unit_test(test_preference),
        cmocka_unit_test(test_exact_depths)};
    int failed = 0;

    chosen = count > 1;
    if (chosen)
        cmocka_set_test_filter(arguments[1]);
    for (size_t l = 1; l < step.ladder_count; l++) {
        if (step.ladders[l]->with != NULL)
            continue; /* tests/test_on_gpus.c */
        step_test_choose(step.ladders[l]);
        failed += cmocka_run_group_tests_name(step.ladders[l]->name, tests, NULL, NULL);
    }
    bool is_of_tiles = !chosen;
    for (size_t t = 0; t < sizeof tiles / sizeof tiles[0]; t++)
        is_of_tiles = is_of_tiles || strcmp(arguments[1], tiles[t].name) == 0;
    if (is_of_tiles)
        failed += cmocka_run_group_tests_name("tiles", tiles, NULL, NULL);
    return failed;
}
/* SPDX-License-Identifier: MIT */
