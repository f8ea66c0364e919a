#include "grade.h"

#include <math.h>

void block_sums(const float *in, float *out, int blocks, int threads);

struct call {
    const float *in;
    int blocks, threads;
    float *out;
};

static void run(void *arguments)
{
    const struct call *const call = arguments;
    const size_t n = (size_t)call->blocks * (size_t)call->threads;
    float *const out = grade_to_device(NULL, (size_t)call->blocks * sizeof *out);

    block_sums(grade_to_device(call->in, n * sizeof(float)), out, call->blocks, call->threads);
    grade_from_device(call->out, out, (size_t)call->blocks * sizeof *out);
}

static bool try_threads(struct grade *grade, int threads)
{
    enum { BLOCKS = 2 };
    struct call call = {grade_floats(grade, (size_t)(BLOCKS * threads)), BLOCKS, threads,
                        grade_output(grade, BLOCKS * sizeof(float))};

    if (!grade_run(grade, run, &call))
        return false;
    for (int b = 0; b < BLOCKS; b++) {
        double sum = 0, size = 0;
        for (int i = 0; i < threads; i++) {
            sum += call.in[b * threads + i];
            size += fabs(call.in[b * threads + i]);
        }
        if (!grade_close(grade, grade_text(grade, "blocks of %d threads", threads), b, call.out[b],
                         sum, threads * 0x1p-24 * size))
            return false;
    }
    return true;
}

static void test_powers(struct grade *grade)
{
    for (int threads = 1; threads <= 512; threads *= 2)
        if (!try_threads(grade, threads))
            return;
}

static void test_others(struct grade *grade)
{
    const int sizes[] = {
        3, 5, 31, 33, 96, 160, (int)grade_size(grade, 200, 255), (int)grade_size(grade, 513, 1023)};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (!try_threads(grade, sizes[i]))
            return;
}

static uint64_t barriers(const struct grade_line *line)
{
    return line->barriers;
}

static void test_rounds(struct grade *grade)
{
    enum { MOST = 22 }; /* two per round, for ten rounds, and two more */
    const int threads = (int)grade_size(grade, 600, 1000);

    if (!try_threads(grade, threads))
        return;
    const unsigned long each = (unsigned long)grade_total(grade).barriers / 2;
    if (each > MOST)
        grade_fail(grade, grade_worst(grade, barriers).line,
                   "at a barrier all warps of a block wait for the slowest.",
                   "%lu barriers for %d values; a tree has 10 rounds", each, threads);
    else /* per block: 32 warps load, and a tree accesses shared memory fewer than 200 times */
        grade_few_steps(grade, 2 * (32 + 8 * 32 + 8), "a tree in two blocks");
}

const char grade_title[] = "a tree for any block size";
const struct grade_test grade_tests[] = {
    {"powers of two", GRADE_RESULT, test_powers},
    {"other block sizes", GRADE_RESULT, test_others},
    {"still a tree", GRADE_QUALITY, test_rounds},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
