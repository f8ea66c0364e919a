#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_total.h"

enum { WARPS = 32 }; /* in the launch of the kernel */

/* Runs with an array that starts `shift` floats after an address that is a multiple of 16. */
static void run_shifted(const struct call *call, int shift)
{
    static const float zeros[SCRATCH];
    const size_t bytes = ((size_t)call->n + (size_t)shift) * sizeof(float);
    float *const moved = malloc(bytes), *const result = grade_to_device(zeros, sizeof(float));

    if (moved == NULL)
        _exit(3);
    memset(moved, 0xFF, bytes);
    memcpy(moved + shift, call->in, (size_t)call->n * sizeof(float));
    total((const float *)grade_to_device(moved, bytes) + shift, call->n, result,
          grade_to_device(zeros, sizeof zeros));
    grade_from_device(call->result, result, sizeof(float));
    free(moved);
}

static void run_0(void *arguments)
{
    run_shifted(arguments, 0);
}

static void run_1(void *arguments)
{
    run_shifted(arguments, 1);
}

static void run_2(void *arguments)
{
    run_shifted(arguments, 2);
}

static void run_3(void *arguments)
{
    run_shifted(arguments, 3);
}

static bool try_shifted(struct grade *grade, int n, int by)
{
    static void (*const runs[])(void *) = {run_0, run_1, run_2, run_3};
    return try_size_with(grade, n, runs[by]);
}

static void test_anywhere(struct grade *grade)
{
    const int sizes[] = {1, 2, 3, 5, 127, 1025, (int)grade_size(grade, 2000, 6000)};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int by = 1; by < 4; by++)
            if (!try_shifted(grade, sizes[i], by))
                return;
    grade_needs_rules(grade); /* an unaligned 16-byte load would end a program on a GPU */
}

static uint64_t loads(const struct grade_line *line)
{
    return line->load_requests;
}

static void need_wide(struct grade *grade, int by)
{
    enum { SIZE = 1 << 15 };
    const unsigned long least = SIZE / 128;

    if (!try_shifted(grade, SIZE, by))
        return;
    const unsigned long found = (unsigned long)grade_total(grade).load_requests;
    if (found > least + 2 * WARPS)
        grade_fail(grade, grade_worst(grade, loads).line,
                   "as many bytes, in more instructions: fewer bytes are on their way at a time.",
                   "%lu load instructions for %d floats; 16 bytes a lane need %lu", found, SIZE,
                   least);
}

static void test_wide(struct grade *grade)
{
    need_wide(grade, 0);
}

static void test_wide_anywhere(struct grade *grade)
{
    need_wide(grade, (int)grade_size(grade, 1, 3));
}

const char grade_title[] = "loads of 16 bytes";
const struct grade_test grade_tests[] = {
    {"sums of every size", GRADE_RESULT, test_sums},
    {"sums from any address", GRADE_RESULT, test_anywhere},
    {"16 bytes a lane", GRADE_QUALITY, test_wide},
    {"16 bytes a lane from any address", GRADE_QUALITY, test_wide_anywhere},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
