#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "step_test.h"

void launch_shape_by_size(const struct reduction *call);

enum { MOST = 300000 };

/* Returns the sum of n ones by shape_by_size on a GPU that reports `multiprocessors` SMs. Also gets
 * the counters of the launch, if the back end has any. */
static float sum_of_ones(size_t n, int multiprocessors, struct counters *counters)
{
    const struct back_end *back_end = &gpu_back_end;
    static float ones[MOST];
    struct machine machine = {0};
    struct error error;
    float sum = -1;

    for (size_t i = 0; i < MOST; i++)
        ones[i] = 1;
    assert_true(back_end->open(0, &machine, &error));
    void *const a = back_end->allocate(n * sizeof *ones, &error);
    void *const result = back_end->allocate(sizeof sum, &error);
    void *const workspace = back_end->allocate(REDUCTION_WORKSPACE, &error);
    assert_true(a != NULL && result != NULL && workspace != NULL);
    assert_true(back_end->upload(a, ones, n * sizeof *ones, &error));
    assert_true(back_end->fill(workspace, 0xFF, REDUCTION_WORKSPACE, &error));

    const struct reduction call = {
        .op = OP_SUM,
        .type = TYPE_F32,
        .n = n,
        .a = a,
        .result = result,
        .workspace = workspace,
        .multiprocessors = multiprocessors,
        .threads = 1,
    };
    if (back_end->counters_reset != NULL)
        back_end->counters_reset();
    launch_shape_by_size(&call);
    assert_true(back_end->finish(&error));
    if (back_end->counters_reset != NULL)
        back_end->counters_read(counters);
    assert_true(back_end->download(&sum, result, sizeof sum, &error));
    back_end->release(a);
    back_end->release(result);
    back_end->release(workspace);
    return sum;
}

/* Tests each shape at the sizes where another one takes over. */
static void every_shape(void **state)
{
    static const struct {
        size_t n;
        int multiprocessors;
        unsigned threads, blocks; /* per block; in all (launch_shape.cuh) */
    } cases[] = {
        {0, 32, 1024, 1},
        {4096 * 4, 32, 1024, 1},     /* a single block */
        {4096 * 4 + 1, 32, 256, 17}, /* 1024 floats per block */
        {32768, 32, 256, 32},        /* a quarter of a wave of 32 * 1024 packs */
        {32772, 32, 1024, 9},        /* 4096 floats per block */
        {262144, 32, 1024, 32},      /* two waves, a block per SM */
        {262148, 32, 1024, 33},      /* 8192 floats per block, up to two per SM */
        {65536, 1, 1024, 2},         /* 16 waves of a smaller GPU */
        {65540, 1, 1024, 2},         /* 16,384 floats per block */
        {MOST - 1, 8, 1024, 16},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct counters counters = {0};

        assert_true(sum_of_ones(cases[i].n, cases[i].multiprocessors, &counters) ==
                    (float)cases[i].n);
        if (gpu_back_end.counters_reset == NULL)
            continue;
        assert_int_equal(counters.launches, 1);
        assert_int_equal(counters.blocks, cases[i].blocks);
        assert_int_equal(counters.threads, cases[i].blocks * cases[i].threads);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_test_reached),
        cmocka_unit_test(step_test_reductions),
        cmocka_unit_test(step_test_known_answers),
        cmocka_unit_test(step_test_depths),
        cmocka_unit_test(step_test_blocks),
        cmocka_unit_test(step_test_determinism),
        cmocka_unit_test(every_shape),
    };
    return cmocka_run_group_tests_name("06_gpu_warp_shuffle", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
