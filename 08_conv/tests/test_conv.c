#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/verify.h"
#include "problem/conv/options.h"
#include "problem/conv/parts.h"
#include "problem/gemm/gemm.h"
#include "step_test.h"
#include "winograd/parts/bound.h"

/* Every rung with the shapes that break convolutions: one pixel, one row, one channel, filters
 * larger than the image, strides that do not divide, padding beyond the filter, no elements. */
static void test_edge_shapes(void **state)
{
    static const struct {
        size_t batch, channels, height, width;
        size_t filters, kernel_height, kernel_width;
        size_t stride, pad, dilation;
    } shapes[] = {
        {0, 2, 5, 5, 2, 3, 3, 1, 0, 1},  {2, 0, 5, 5, 2, 3, 3, 1, 0, 1},
        {2, 2, 0, 5, 2, 3, 3, 1, 0, 1},  {2, 2, 5, 0, 2, 3, 3, 1, 2, 1},
        {2, 2, 5, 5, 0, 3, 3, 1, 0, 1},  {1, 1, 1, 1, 1, 1, 1, 1, 0, 1},
        {2, 0, 5, 5, 0, 3, 3, 1, 0, 1},  {1, 2, 30, 6, 16, 3, 3, 1, 1, 1},
        {1, 1, 1, 1, 1, 3, 3, 1, 1, 1},  {1, 2, 3, 3, 2, 5, 5, 1, 0, 1},
        {1, 2, 5, 3, 2, 3, 5, 1, 0, 1},  {2, 3, 9, 11, 4, 1, 1, 1, 0, 1},
        {2, 3, 9, 11, 4, 2, 2, 1, 0, 1}, {2, 3, 9, 11, 4, 3, 3, 1, 0, 1},
        {2, 3, 9, 11, 4, 3, 3, 1, 1, 1}, {2, 3, 9, 11, 4, 3, 3, 2, 1, 1},
        {2, 3, 9, 11, 4, 3, 3, 3, 0, 2}, {1, 2, 12, 8, 3, 5, 5, 1, 2, 1},
        {1, 2, 12, 8, 3, 5, 1, 2, 4, 1}, {1, 2, 8, 12, 3, 1, 5, 1, 0, 2},
        {1, 2, 8, 12, 3, 2, 4, 3, 5, 3}, {3, 1, 1, 33, 2, 1, 3, 1, 0, 1},
        {3, 1, 33, 1, 2, 3, 1, 1, 0, 1}, {1, 33, 4, 4, 1, 3, 3, 1, 1, 1},
        {1, 1, 4, 4, 33, 3, 3, 1, 1, 1}, {1, 2, 6, 6, 2, 2, 2, 9, 3, 1},
        {1, 1, 1, 1, 1, 3, 3, 1, 7, 2},  {1, 3, 17, 35, 9, 3, 3, 1, 1, 1},
    };
    struct conv_options options;
    (void)state;

    step_test_defaults(&options);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (options.base.offset = 0; options.base.offset <= 1; options.base.offset++) {
            if (options.base.offset != i % 2 || (STEP_TEST_SANITIZED && i % 3 != 0))
                continue;
            options.batch = shapes[i].batch;
            options.channels = shapes[i].channels;
            options.height = shapes[i].height;
            options.width = shapes[i].width;
            options.filters = shapes[i].filters;
            options.kernel_height = shapes[i].kernel_height;
            options.kernel_width = shapes[i].kernel_width;
            options.stride_height = options.stride_width = shapes[i].stride;
            options.pad = shapes[i].pad;
            options.dilation = shapes[i].dilation;
            step_test_rungs(&options.base);
        }
}

/* The quick test has a part of the following shapes; the large test has the others. */
static bool tests_large;

/* Filters from 1 x 1 to 11 x 11, strides 1 to 4, equal or different in the two directions, with and
 * without padding and dilation. */
static void test_filter_sizes(void **state)
{
    struct conv_options options;
    (void)state;

    step_test_defaults(&options);
    options.batch = 1;
    options.channels = 2;
    options.height = 19;
    options.width = 33;
    options.filters = 3;
    for (size_t size = 1; size <= 11; size++)
        for (size_t stride = 1; stride <= 4; stride++) {
            if (((size + stride) % (STEP_TEST_SANITIZED ? 9 : 3) != 0) != tests_large)
                continue;
            options.stride_height = stride;
            options.stride_width = size % 2 == 0 ? stride : 1 + (stride + size) % 4;
            options.kernel_height = options.kernel_width = size;
            options.pad = stride % 2 == 0 ? size / 2 : 0;
            options.dilation = size < 6 && stride > 2 ? 2 : 1;
            step_test_rungs(&options.base);
        }
}

/* Shapes around the tiles of the rungs for 3 x 3: pixels, filters and channels that fill them, or
 * one more, or one less. */
static void test_tile_edges(void **state)
{
    static const struct {
        size_t channels, height, width, filters, pad;
    } shapes[] = {
        {4, 10, 130, 24, 0}, {12, 6, 131, 23, 0}, {13, 7, 129, 25, 1}, {8, 10, 58, 64, 0},
        {9, 5, 13, 65, 1},   {7, 11, 28, 63, 0},  {3, 5, 258, 17, 0},  {5, 34, 10, 8, 2},
        {16, 13, 15, 16, 1}, {1, 12, 12, 1, 4},   {2, 130, 6, 33, 0},  {17, 10, 20, 47, 1},
        {2, 3, 3, 130, 0},   {6, 4, 5, 9, 0},     {24, 8, 9, 49, 3},   {1, 2, 1, 1, 2},
        {1, 2, 2, 2, 1},     {12, 10, 70, 24, 0}, {7, 31, 65, 5, 1},   {5, 33, 31, 17, 1},
        {3, 3, 5, 7, 0},     {9, 9, 29, 65, 1},
    };
    struct conv_options options;
    (void)state;

    step_test_defaults(&options);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if ((i % 4 != 0) != tests_large || (STEP_TEST_SANITIZED && i % 8 != 0))
            continue;
        options.base.offset = i / 4 % 2;
        options.batch = 1 + i % 2;
        options.channels = shapes[i].channels;
        options.height = shapes[i].height;
        options.width = shapes[i].width;
        options.filters = shapes[i].filters;
        options.pad = shapes[i].pad;
        step_test_rungs(&options.base);
    }
}

/* Shapes around the tiles of the rungs that gather: 16 channels per stage, 32 to 128 filters, four
 * pixels at a time, rows divided among blocks. Winograd's tiles with dilation and 5 x 5 filters. */
static void test_gathered(void **state)
{
    static const struct {
        size_t batch, channels, height, width, filters, kernel, stride, pad, dilation;
    } shapes[] = {
        {2, 16, 8, 8, 24, 1, 1, 0, 1},  {1, 32, 6, 22, 65, 1, 1, 0, 1},
        {1, 16, 7, 9, 130, 1, 2, 0, 1}, {1, 48, 5, 5, 33, 3, 1, 1, 1},
        {1, 15, 9, 7, 31, 3, 2, 1, 1},  {1, 17, 9, 7, 32, 3, 1, 2, 2},
        {2, 3, 11, 13, 20, 5, 1, 2, 1}, {1, 16, 12, 9, 17, 5, 1, 0, 2},
        {1, 2, 5, 6, 3, 5, 1, 4, 1},    {1, 96, 3, 3, 8, 3, 1, 1, 1},
        {1, 4, 17, 18, 5, 3, 1, 3, 3},  {1, 1, 2, 1, 1, 5, 1, 9, 4},
        {1, 2, 3, 5, 3, 1, 3, 0, 1},    {3, 48, 5, 5, 33, 3, 1, 1, 1},
        {1, 160, 3, 3, 8, 3, 1, 1, 1},
    };
    struct conv_options options;
    (void)state;

    step_test_defaults(&options);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if ((i % 3 != 0) != tests_large || (STEP_TEST_SANITIZED && i % 2 != 0))
            continue;
        options.base.offset = i % 2;
        options.batch = shapes[i].batch;
        options.channels = shapes[i].channels;
        options.height = shapes[i].height;
        options.width = shapes[i].width;
        options.filters = shapes[i].filters;
        options.kernel_height = options.kernel_width = shapes[i].kernel;
        options.stride_height = options.stride_width = shapes[i].stride;
        options.pad = shapes[i].pad;
        options.dilation = shapes[i].dilation;
        step_test_rungs(&options.base);
    }
}

/* Groups of one channel and of several, with one filter per channel or more. They lie around the
 * rows per thread of `grouped`, and around the tiles of the rungs that gather. Those tiles span
 * images, but not groups. */
static void test_groups(void **state)
{
    static const struct {
        size_t groups, batch, channels, height, width, filters, kernel, stride, pad, dilation;
    } shapes[] = {
        {5, 2, 5, 9, 13, 5, 3, 1, 1, 1},   {5, 2, 5, 9, 13, 10, 3, 2, 0, 1},
        {2, 2, 6, 9, 13, 4, 5, 1, 2, 1},   {3, 2, 3, 9, 13, 3, 7, 2, 3, 1},
        {4, 2, 8, 9, 13, 8, 7, 1, 9, 1},   {2, 2, 2, 9, 13, 2, 5, 2, 100, 1},
        {2, 2, 4, 9, 13, 2, 2, 1, 0, 1},   {7, 2, 7, 9, 13, 7, 3, 1, 0, 1},
        {2, 3, 32, 5, 5, 66, 3, 1, 1, 1},  {3, 2, 48, 4, 5, 96, 1, 1, 0, 1},
        {2, 3, 30, 9, 7, 62, 3, 2, 1, 2},  {2, 1, 194, 3, 3, 6, 3, 1, 1, 1},
        {2, 33, 32, 2, 2, 8, 1, 2, 3, 1},  {2, 2, 32, 9, 8, 258, 1, 1, 0, 1},
        {7, 5, 112, 5, 5, 35, 3, 1, 1, 1}, {33, 1, 33, 4, 4, 66, 3, 1, 2, 2},
        {2, 2, 2, 130, 3, 6, 1, 1, 0, 1},  {2, 4, 32, 11, 12, 34, 5, 1, 2, 1},
        {3, 3, 6, 13, 11, 12, 2, 3, 4, 3}, {4, 3, 64, 1, 1, 512, 1, 1, 0, 1},
    };
    enum { QUICK = 13 };
    struct conv_options options;
    (void)state;

    step_test_defaults(&options);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if ((i >= QUICK) != tests_large || (STEP_TEST_SANITIZED && i % 2 != 0))
            continue;
        options.base.offset = i % 2;
        options.groups = shapes[i].groups;
        options.batch = shapes[i].batch;
        options.channels = shapes[i].channels;
        options.height = shapes[i].height;
        options.width = shapes[i].width;
        options.filters = shapes[i].filters;
        options.kernel_height = options.kernel_width = shapes[i].kernel;
        options.stride_height = options.stride_width = shapes[i].stride;
        options.pad = shapes[i].pad;
        options.dilation = shapes[i].dilation;
        step_test_rungs(&options.base);
    }
}

/* More weights than the 16384 that fit in constant memory: many filters with many taps or, in the
 * large test, with many channels. */
static void test_many_weights(void **state)
{
    struct conv_options options;
    (void)state;

    step_test_defaults(&options);
    options.batch = 1;
    options.height = tests_large ? 4 : 12;
    options.width = tests_large ? 5 : 13;
    options.kernel_height = options.kernel_width = tests_large ? 3 : 11;
    options.channels = tests_large ? 97 : 8;
    options.filters = 19;
    step_test_rungs(&options.base);
}

/* More weights than fit in constant memory, in one filter of many channels. */
static void test_many_channels(void **state)
{
    struct conv_options options;
    (void)state;

    step_test_defaults(&options);
    options.batch = 1;
    options.height = 4;
    options.width = 5;
    options.channels = 1861;
    options.filters = 2;
    step_test_rungs(&options.base);
}

/* Verifies the rungs of these names, each with each of these sizes of the workspace. */
static void judge_with_workspace(const struct conv_options *options, const char *const *names,
                                 size_t name_count, const size_t *bytes, size_t count)
{
    const struct ladder *const ladder = step_test_ladder();
    const struct machine machine = {.name = "test", .processors = 2};
    struct comparison comparison;
    struct error error;
    struct problem *const base =
        conv_kind.create(&options->base, ladder->back_end, &machine, &error);
    assert_non_null(base);
    struct conv_problem *const problem = (struct conv_problem *)base;
    const size_t whole = problem->call.workspace_bytes;

    for (size_t r = 0; r < name_count * count; r++) {
        const struct rung *rung = NULL;
        for (size_t i = 0; i < ladder_rung_count(ladder); i++)
            if (strcmp(ladder_rung(ladder, i)->name, names[r / count]) == 0)
                rung = ladder_rung(ladder, i);
        assert_non_null(rung);
        if (rung->unavailable != NULL && rung->unavailable() != NULL)
            continue;
        problem->call.workspace_bytes = bytes[r % count];
        assert_true(problem->call.workspace_bytes <= whole);
        assert_true(conv_kind.load(base, 0, &error));
        if (!verify_rung(base, rung, &comparison, &error))
            fail_msg("%s", error.text);
        if (!comparison.right)
            fail_msg("%s, %zu bytes of workspace: %s", rung->name, bytes[r % count],
                     comparison.where);
    }
    problem->call.workspace_bytes = whole;
    conv_kind.destroy(base);
}

/* An im2col matrix that is larger than the workspace is made in parts. With the programs' workspace
 * that takes half a GiB. Here the workspace is smaller, down to the size of one column. */
static void test_im2col_in_parts(void **state)
{
    static const char *const names[] = {"im2col", "cpu_im2col"};
    struct conv_options options;
    (void)state;

    step_test_defaults(&options);
    options.batch = 3;
    options.channels = 4;
    options.height = 9;
    options.width = 13;
    options.filters = 5;
    options.kernel_height = 2;
    const size_t taps = options.channels * options.kernel_height * options.kernel_width;
    const size_t pixels = 8 * 11, columns[] = {3 * pixels, 2 * pixels + 7, pixels, 60, 7, 1};
    size_t bytes[sizeof columns / sizeof columns[0]];
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
        bytes[c] = GEMM_WORKSPACE + columns[c] * taps * sizeof(float);
    judge_with_workspace(&options, names, 2, bytes, sizeof bytes / sizeof bytes[0]);
}

/* As few of Winograd's tiles at once as possible. */
static void test_winograd_in_parts(void **state)
{
    static const char *const names[] = {"winograd_2x2", "winograd_4x4"};
    static const size_t bytes[] = {1};
    struct conv_options options;
    (void)state;

    step_test_defaults(&options);
    options.batch = 2;
    options.channels = options.filters = 2;
    options.height = 29;
    options.width = 49;
    judge_with_workspace(&options, names, 2, bytes, 1);
}

/* Whether the rung declines with `bytes` of workspace; 0 stands for the problem's own workspace. */
static bool declines_with(const struct conv_options *options, const char *name, size_t bytes)
{
    const struct ladder *const ladder = step_test_ladder();
    const struct machine machine = {.name = "test", .processors = 2};
    struct error error;
    struct problem *const base =
        conv_kind.create(&options->base, ladder->back_end, &machine, &error);
    assert_non_null(base);
    struct conv *const call = &((struct conv_problem *)base)->call;
    const size_t whole = call->workspace_bytes;
    bool declines = false;

    call->workspace_bytes = bytes > 0 ? bytes : whole;
    for (size_t i = 0; i < ladder_rung_count(ladder); i++)
        if (strcmp(ladder_rung(ladder, i)->name, name) == 0)
            declines = conv_kind.declines(base, ladder_rung(ladder, i)) != NULL;
    call->workspace_bytes = whole;
    conv_kind.destroy(base);
    return declines;
}

/* A workspace just large enough for the weights of several groups, padded to tiles; it leaves
 * little for the partial sums of splits. A workspace that is one byte smaller. Many groups, for
 * which the programs' workspace is large enough. */
static void test_groups_workspace(void **state)
{
    static const char *const names[] = {"implicit_gemm_async", "implicit_gemm_split",
                                        "implicit_3xtf32"};
    enum { GROUPS = 3, ROWS = 144, FILTERS = 128 }; /* 16 x 3 x 3 rows; 128 filters are a tile */
    static const size_t enough = (ROWS + 16) * (16 + 8 * FILTERS * GROUPS);
    struct conv_options options;
    (void)state;

    step_test_defaults(&options);
    options.groups = GROUPS;
    options.batch = 1;
    options.channels = 16 * GROUPS;
    options.height = options.width = 4;
    options.filters = 2 * GROUPS;
    judge_with_workspace(&options, names, 3, &enough, 1);
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        if (n != 1) /* nothing is split without space for partial sums */
            assert_false(declines_with(&options, names[n], enough));
        assert_true(declines_with(&options, names[n], enough - 1));
    }
    options.groups = options.channels = options.filters = 64;
    options.kernel_height = options.kernel_width = 1;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n += 2)
        assert_false(declines_with(&options, names[n], 0));
}

/* Transformed filters, padded to a block of 16, in a workspace that is just large enough, and in
 * one that is one byte smaller. */
static void test_fused_workspace(void **state)
{
    static const char *const name = "winograd_fused";
    static const size_t enough = 5 * 36 * 16 * sizeof(float);
    struct conv_options options;
    (void)state;

    step_test_defaults(&options);
    options.batch = 1;
    options.channels = 5;
    options.height = 11;
    options.width = 14;
    options.filters = 9;
    judge_with_workspace(&options, &name, 1, &enough, 1);
    assert_false(declines_with(&options, name, enough));
    assert_true(declines_with(&options, name, enough - 1));
}

/* Only the first input and the first weight are not 0. Only the first rows of the transforms use
 * them, with a factor of 1, so the magnitude is 1, the same as without a transform. */
static void test_winograd_magnitude(void **state)
{
    static const float first[16] = {1};
    static const struct conv call = {.batch = 1,
                                     .channels = 1,
                                     .height = 4,
                                     .width = 4,
                                     .kernel_height = 3,
                                     .kernel_width = 3,
                                     .stride_height = 1,
                                     .stride_width = 1,
                                     .dilation = 1,
                                     .input = first,
                                     .filter = first};
    static const struct conv_pixel pixel = {0, 0, 0, 0};
    (void)state;

    assert_true(winograd_magnitude(&call, &pixel) == 1);
}

/* First a kernel none of whose planes fits in constant memory, then one whose tile of the image
 * does not fit in shared memory. */
static void test_large_kernels(void **state)
{
    struct conv_options options;
    (void)state;

    step_test_defaults(&options);
    options.batch = options.channels = options.filters = 1;
    for (size_t size = 130; size <= 260; size += 130) {
        options.height = options.width = size + 1;
        options.kernel_height = options.kernel_width = size;
        step_test_rungs(&options.base);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest large[] = {
        cmocka_unit_test(test_filter_sizes),  cmocka_unit_test(test_tile_edges),
        cmocka_unit_test(test_many_weights),  cmocka_unit_test(test_gathered),
        cmocka_unit_test(test_many_channels), cmocka_unit_test(test_groups),
        cmocka_unit_test(test_large_kernels)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_test_reached),      cmocka_unit_test(test_edge_shapes),
        cmocka_unit_test(test_filter_sizes),      cmocka_unit_test(test_tile_edges),
        cmocka_unit_test(test_many_weights),      cmocka_unit_test(test_im2col_in_parts),
        cmocka_unit_test(test_gathered),          cmocka_unit_test(test_groups),
        cmocka_unit_test(test_winograd_in_parts), cmocka_unit_test(test_groups_workspace),
        cmocka_unit_test(test_fused_workspace),   cmocka_unit_test(test_winograd_magnitude),
    };
    (void)arguments;
    tests_large = count > 1;
    if (tests_large)
        return cmocka_run_group_tests_name("08_conv, large", large, NULL, NULL);
    return cmocka_run_group_tests_name("08_conv", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
