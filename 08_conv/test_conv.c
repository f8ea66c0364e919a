#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "step_test.h"

/* Every rung where convolutions break: one pixel, one row, one channel, filters larger than the
 * picture, strides that do not divide, padding beyond the filter, nothing at all. */
static void test_edge_shapes(void **state)
{
    static const struct {
        size_t batch, channels, height, width;
        size_t filters, kernel_height, kernel_width;
        size_t stride, pad, dilation;
    } shapes[] = {
        {0, 2, 5, 5, 2, 3, 3, 1, 0, 1},   {2, 0, 5, 5, 2, 3, 3, 1, 0, 1},
        {2, 2, 0, 5, 2, 3, 3, 1, 0, 1},   {2, 2, 5, 0, 2, 3, 3, 1, 2, 1},
        {2, 2, 5, 5, 0, 3, 3, 1, 0, 1},   {1, 1, 1, 1, 1, 1, 1, 1, 0, 1},
        {1, 1, 1, 1, 1, 3, 3, 1, 1, 1},   {1, 2, 3, 3, 2, 5, 5, 1, 0, 1},
        {1, 2, 5, 3, 2, 3, 5, 1, 0, 1},   {2, 3, 9, 11, 4, 1, 1, 1, 0, 1},
        {2, 3, 9, 11, 4, 2, 2, 1, 0, 1},  {2, 3, 9, 11, 4, 3, 3, 1, 0, 1},
        {2, 3, 9, 11, 4, 3, 3, 1, 1, 1},  {2, 3, 9, 11, 4, 3, 3, 2, 1, 1},
        {2, 3, 9, 11, 4, 3, 3, 3, 0, 2},  {1, 2, 12, 8, 3, 5, 5, 1, 2, 1},
        {1, 2, 12, 8, 3, 5, 1, 2, 4, 1},  {1, 2, 8, 12, 3, 1, 5, 1, 0, 2},
        {1, 2, 8, 12, 3, 2, 4, 3, 5, 3},  {3, 1, 1, 33, 2, 1, 3, 1, 0, 1},
        {3, 1, 33, 1, 2, 3, 1, 1, 0, 1},  {1, 33, 4, 4, 1, 3, 3, 1, 1, 1},
        {1, 1, 4, 4, 33, 3, 3, 1, 1, 1},  {1, 2, 6, 6, 2, 2, 2, 9, 3, 1},
        {1, 1, 1, 1, 1, 3, 3, 1, 7, 2},   {2, 12, 10, 66, 24, 3, 3, 1, 0, 1},
        {1, 7, 31, 65, 5, 3, 3, 1, 1, 1}, {2, 5, 33, 31, 17, 3, 3, 1, 1, 1},
    };
    struct options options;
    (void)state;

    options_default(&options, &step);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (options.offset = 0; options.offset <= 1; options.offset++) {
            options.batch = shapes[i].batch;
            options.channels = shapes[i].channels;
            options.height = shapes[i].height;
            options.width = shapes[i].width;
            options.filters = shapes[i].filters;
            options.kernel_height = shapes[i].kernel_height;
            options.kernel_width = shapes[i].kernel_width;
            options.stride = shapes[i].stride;
            options.pad = shapes[i].pad;
            options.dilation = shapes[i].dilation;
            step_test_rungs(&options);
        }
}

/* More weights than the 16384 that fit in constant memory: many filters, then one filter of many
 * channels, then a kernel of which not one plane fits. */
static void test_many_weights(void **state)
{
    struct options options;
    (void)state;

    options_default(&options, &step);
    options.batch = 2;
    options.height = 4;
    options.width = 5;
    options.channels = 100;
    options.filters = 45;
    step_test_rungs(&options);

    options.channels = 4001;
    options.filters = 2;
    step_test_rungs(&options);

    options.channels = 2;
    options.height = options.width = 131;
    options.kernel_height = options.kernel_width = 130;
    step_test_rungs(&options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edge_shapes),
        cmocka_unit_test(test_many_weights),
    };
    return cmocka_run_group_tests_name("08_conv", tests, NULL, NULL);
}
