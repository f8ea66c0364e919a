#include "grade.h"

#include <math.h>

void total(const float *in, int n, float *result, float *scratch);

enum { SCRATCH = 1024 };

struct call {
    const float *in;
    int n;
    float *result;
};

static void run(void *arguments)
{
    const struct call *const call = arguments;
    static const float zeros[SCRATCH];
    float *const result = grade_to_device(zeros, sizeof(float));

    total(grade_to_device(call->in, (size_t)call->n * sizeof(float)), call->n, result,
          grade_to_device(zeros, sizeof zeros));
    grade_from_device(call->result, result, sizeof(float));
}

static bool try_size(struct grade *grade, int n)
{
    struct call call = {grade_floats(grade, (size_t)n), n, grade_output(grade, sizeof(float))};
    double sum = 0, size = 0;

    if (!grade_run(grade, run, &call))
        return false;
    for (int i = 0; i < n; i++) {
        sum += call.in[i];
        size += fabs(call.in[i]);
    }
    return grade_close(grade, grade_text(grade, "n = %d", n), -1, *call.result, sum,
                       n * 0x1p-24 * size);
}

static void test_sums(struct grade *grade)
{
    const int sizes[] = {1, 31, 33, 255, 256, 257, 1025, (int)grade_size(grade, 2000, 6000)};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (!try_size(grade, sizes[i]))
            return;
}

static uint64_t atomics(const struct grade_line *line)
{
    return line->atomic_lanes;
}

static void need_atomics(struct grade *grade, unsigned long most, const char *wanted)
{
    if (grade_skip_uncounted(grade) || !try_size(grade, (int)grade_size(grade, 3000, 6000)))
        return;
    const unsigned long found = (unsigned long)grade_total(grade).atomic_lanes;
    if (found == 0)
        grade_fail(grade, 0, NULL, "no atomic additions: how do the blocks come to one result?");
    else if (found > most)
        grade_fail(
            grade, grade_worst(grade, atomics).line,
            "atomics on one address are done one after the other, in the second-level cache.",
            "%lu atomic additions to the result; %s makes %lu", found, wanted, most);
}

static void test_thread(struct grade *grade)
{
    need_atomics(grade, 512, "one a thread");
}

static void test_block(struct grade *grade)
{
    need_atomics(grade, 4, "one a block");
}

const char grade_title[] = "fewer atomics";
const struct grade_test grade_tests[] = {
    {"sums of every size", GRADE_RESULT, test_sums},
    {"one atomic a thread", GRADE_QUALITY, test_thread},
    {"one atomic a block", GRADE_QUALITY, test_block},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
