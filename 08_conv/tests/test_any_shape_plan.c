#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "any_shape/any_shape.h"

static char workspace[16];

/* The problem that the program prints like this, with the channels of all groups, on an H200. */
static struct conv call_of(const char *shape)
{
    struct conv call = {.groups = 1,
                        .dilation = 1,
                        .workspace = workspace, /* it is not touched */
                        .workspace_bytes = (size_t)1 << 30,
                        .multiprocessors = 132};
    const int read =
        sscanf(shape, "%zux%zux%zux%zu:%zux%zux%zu:s%zup%zud%zug%zu", &call.batch, &call.channels,
               &call.height, &call.width, &call.filters, &call.kernel_height, &call.kernel_width,
               &call.stride_height, &call.pad, &call.dilation, &call.groups);

    assert_true(read >= 10 && read <= 11);
    call.channels /= call.groups;
    call.stride_width = call.stride_height;
    call.out_height = conv_output_size(call.height, call.kernel_height, call.stride_height,
                                       call.pad, call.dilation);
    call.out_width =
        conv_output_size(call.width, call.kernel_width, call.stride_width, call.pad, call.dilation);
    return call;
}

/* Whether "by NAME" is in a list of names. */
static bool is_one_of(const char *how, const char *names)
{
    char wanted[RUNG_HOW_SIZE + 2], list[256];

    snprintf(wanted, sizeof wanted, " %s ", how + 3);
    snprintf(list, sizeof list, " %s ", names);
    return strstr(list, wanted) != NULL;
}

static void check(const char *shape, const char *names, const char *names_3xtf32)
{
    const struct conv call = call_of(shape);
    char how[RUNG_HOW_SIZE];

    how_any_shape(&call, how);
    if (!is_one_of(how, names))
        fail_msg("%s: %s, not %s", shape, how, names);
    how_any_shape_3xtf32(&call, how);
    if (!is_one_of(how, names_3xtf32))
        fail_msg("%s: %s, not %s", shape, how, names_3xtf32);
}

/* Shapes measured on an H200, with the rungs within 3% of the fastest. Those of winograd_fused, and
 * those of one channel, were measured on an H100. */
static void test_fastest(void **state)
{
    static const struct {
        const char *shape, *names, *names_3xtf32;
    } measured[] = {
        {"2x12x130x514:24x3x3:s1p0d1", "winograd_fused", "winograd_fused"},
        {"32x64x56x56:64x3x3:s1p1d1", "winograd_fused", "winograd_3xtf32"},
        {"32x128x28x28:128x3x3:s1p1d1", "winograd_4x4", "winograd_3xtf32"},
        {"32x256x28x28:256x3x3:s1p1d1", "winograd_4x4", "winograd_3xtf32"},
        {"64x512x7x7:512x3x3:s1p1d1", "winograd_4x4", "winograd_3xtf32"},
        {"32x128x56x56:128x3x3:s2p1d1", "implicit_gemm_split", "implicit_3xtf32"},
        {"16x3x224x224:64x7x7:s2p3d1", "implicit_gemm_split", "implicit_3xtf32"},
        {"32x128x28x28:512x1x1:s1p0d1", "implicit_gemm_split", "implicit_3xtf32"},
        {"32x512x28x28:128x1x1:s1p0d1", "implicit_gemm_split", "implicit_3xtf32"},
        {"32x256x56x56:512x1x1:s2p0d1", "implicit_gemm_split", "implicit_3xtf32"},
        {"8x96x27x27:256x5x5:s1p2d1", "winograd_4x4", "winograd_3xtf32"},
        {"4x17x61x97:23x5x5:s1p2d1", "winograd_4x4", "winograd_4x4 winograd_3xtf32"},
        {"1x32x1080x1920:32x3x3:s1p1d1", "winograd_fused", "winograd_fused"},
        {"1x3x2160x3840:8x3x3:s1p1d1", "direct", "direct"},
        {"16x64x64x64:64x3x3:s1p2d2", "winograd_4x4", "implicit_3xtf32"},
        {"32x256x28x28:256x3x3:s1p1d1g256", "grouped_tile", "grouped_tile"},
        {"32x256x28x28:256x3x3:s1p1d1g128", "grouped_tile", "grouped_tile"},
        {"32x256x28x28:256x3x3:s1p1d1g64", "grouped_tile", "grouped_tile"},
        {"32x256x28x28:256x3x3:s1p1d1g32", "grouped_tile", "grouped_tile"},
        {"32x256x28x28:256x3x3:s1p1d1g16", "implicit_gemm_split", "implicit_3xtf32"},
        {"32x256x28x28:256x3x3:s1p1d1g8", "implicit_gemm_split", "implicit_3xtf32"},
        {"32x256x28x28:256x3x3:s1p1d1g4", "implicit_gemm_split", "implicit_3xtf32"},
        {"32x256x28x28:256x3x3:s1p1d1g2", "implicit_gemm_split", "implicit_3xtf32"},
        {"32x128x56x56:128x3x3:s1p1d1g128", "grouped_tile", "grouped_tile"},
        {"16x64x112x112:64x3x3:s2p1d1g64", "grouped_tile", "grouped_tile"},
        {"32x240x28x28:240x5x5:s1p2d1g240", "grouped_tile", "grouped_tile"},
        {"16x96x56x56:96x7x7:s1p3d1g96", "grouped_tile", "grouped_tile"},
        {"32x512x14x14:512x3x3:s1p1d1g32", "implicit_gemm_split", "implicit_3xtf32"},
        {"32x1024x7x7:1024x3x3:s1p1d1g32", "implicit_gemm_split", "implicit_3xtf32"},
        {"32x256x28x28:512x1x1:s1p0d1g2", "implicit_gemm_split", "implicit_3xtf32"},
        {"32x240x28x28:960x1x1:s1p0d1g3", "implicit_gemm_split", "implicit_3xtf32"},
        {"32x256x28x28:512x1x1:s1p0d1g8", "implicit_gemm_split", "implicit_3xtf32"},
        {"8x96x27x27:256x5x5:s1p2d1g2", "implicit_gemm_split", "implicit_3xtf32"},
        {"32x256x14x14:256x5x5:s1p2d1g8", "implicit_gemm_split", "implicit_3xtf32"},
        {"16x64x64x64:64x3x3:s1p2d2g4", "implicit_gemm_split", "implicit_3xtf32"},
        {"4x51x61x97:69x5x5:s1p2d1g3", "implicit_gemm_split", "implicit_3xtf32"},
        {"32x960x7x7:960x3x3:s1p1d1g960", "grouped", "grouped"},
        {"32x384x14x14:384x3x3:s1p1d1g384", "grouped_tile", "grouped_tile"},
        {"1x64x56x56:64x3x3:s1p1d1", "winograd_4x4 implicit_gemm_split", "implicit_3xtf32"},
        {"1x512x7x7:512x3x3:s1p1d1", "implicit_gemm_split", "implicit_3xtf32"},
        {"8x32x112x112:32x3x3:s1p1d1", "winograd_fused", "winograd_fused"},
        {"32x32x56x56:32x3x3:s1p1d1", "winograd_fused", "winograd_fused"},
        {"32x16x56x56:16x3x3:s1p1d1", "winograd_fused", "winograd_fused"},
        {"4x64x224x224:64x3x3:s1p1d1", "winograd_4x4", "winograd_3xtf32"},
        {"8x128x112x112:128x3x3:s1p1d1", "winograd_4x4", "winograd_3xtf32"},
        {"32x24x28x28:64x3x3:s1p1d1", "winograd_fused", "winograd_fused"},
        {"16x192x14x14:384x3x3:s1p1d1", "winograd_4x4", "winograd_3xtf32"},
        {"1x3x224x224:64x3x3:s1p1d1", "direct", "direct"},
        {"64x64x8x8:128x3x3:s1p1d1", "winograd_4x4", "winograd_3xtf32"},
        {"2x48x100x100:48x3x3:s1p1d1", "winograd_fused", "winograd_fused"},
        {"8x32x56x56:24x3x3:s1p1d1", "winograd_fused", "winograd_fused"},
        {"1x16x512x512:32x3x3:s1p1d1", "winograd_fused", "winograd_fused"},
        {"1x1x1000x1000:1x3x3:s1p1d1", "grouped_tile", "grouped_tile"},
        {"1x1x2160x3840:1x5x5:s1p2d1", "grouped_tile", "grouped_tile"},
        {"16x1x224x224:8x3x3:s1p1d1", "direct", "direct"},
        {"1x128x64x64:16x3x3:s1p1d1", "implicit_gemm_split", "implicit_3xtf32 winograd_3xtf32"},
        {"8x512x14x14:512x3x3:s1p1d1", "winograd_4x4", "winograd_3xtf32"},
        {"4x16x128x128:32x5x5:s1p2d1", "winograd_4x4", "implicit_3xtf32"},
        {"16x48x14x14:48x5x5:s1p2d1", "winograd_4x4", "implicit_3xtf32 winograd_3xtf32"},
        {"8x64x28x28:64x3x3:s1p2d2", "winograd_4x4", "implicit_3xtf32"},
        {"1x8x512x512:8x3x3:s1p1d1", "direct", "direct"},
        {"32x3x32x32:16x5x5:s1p2d1", "implicit_gemm_split", "implicit_3xtf32"},
        {"1x128x28x28:128x3x3:s1p1d1", "implicit_gemm_split", "implicit_3xtf32"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++)
        check(measured[i].shape, measured[i].names, measured[i].names_3xtf32);
}

/* Problems with nothing to compute, and problems that only the simplest rung supports. */
static void test_others(void **state)
{
    (void)state;

    check("0x3x8x8:4x3x3:s1p1d1", "naive", "naive");
    check("1x0x8x8:4x3x3:s1p1d1", "naive", "naive");
    check("1x3x8x8:4x3x3:s1p1000000000d1", "naive", "naive");
    check("1x4x70000x70000:4x2x2:s1p0d1g2", "naive", "naive");
}

/* The chosen rung supports the problem at any addresses, and addresses do not change the choice. */
static void test_possible(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 5, 7, 16, 33, 224}, channels[] = {1, 3, 16, 24, 512};
    static const size_t filters[] = {1, 8, 24, 64, 500};
    char how[RUNG_HOW_SIZE], again[RUNG_HOW_SIZE];
    (void)state;

    for (size_t i = 0; i < (size_t)8 * 5 * 5 * 8 * 2 * 2; i++) {
        char shape[96];
        const size_t side = sizes[i % 8], kernel = 1 + i / 200 % 8, stride = 1 + i / 1600 % 2;
        const size_t groups = i / 3200 % 2 == 0 ? 1 : channels[i / 8 % 5];
        snprintf(shape, sizeof shape, "2x%zux%zux%zu:%zux%zux%zu:s%zup%zud1g%zu",
                 channels[i / 8 % 5], side, side + i % 3, filters[i / 40 % 5] * groups, kernel,
                 kernel, stride, kernel / 2, groups);
        struct conv call = call_of(shape);
        how_any_shape_3xtf32(&call, how);
        for (size_t offset = 1; offset <= 4; offset *= 2) {
            call.input = (const float *)(uintptr_t)(256 + 4 * offset);
            call.output = (float *)(uintptr_t)(256 + 4 * offset);
            if (declines_any_shape(&call) != NULL || declines_any_shape_3xtf32(&call) != NULL)
                fail_msg("%s, %zu: impossible", shape, offset);
            how_any_shape_3xtf32(&call, again);
            assert_string_equal(how, again);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fastest),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_possible),
    };
    return cmocka_run_group_tests_name("08_conv, plans", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
