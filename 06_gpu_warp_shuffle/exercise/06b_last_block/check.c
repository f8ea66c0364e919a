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

static void test_many(struct grade *grade)
{
    for (int i = 0; i < 4; i++)
        if (!try_size(grade, (int)grade_size(grade, 5000, 12000)))
            return;
}

static void test_launch(struct grade *grade)
{
    if (grade_skip_uncounted(grade) || !grade_needs_rules(grade) || !try_size(grade, 3000))
        return;
    if (grade_launches(grade) != 1 || grade_total(grade).atomics == 0)
        grade_fail(grade, 0, NULL, "not one launch with a ticket for each block");
}

const char grade_title[] = "the last block finishes";
const struct grade_test grade_tests[] = {
    {"sums of every size", GRADE_RESULT, test_sums},
    {"many blocks", GRADE_RESULT, test_many},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
    {"tickets, one launch", GRADE_QUALITY, test_launch},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
