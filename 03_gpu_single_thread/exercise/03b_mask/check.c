#include "grade.h"

#include <math.h>

void masked_sum(const float *in, const bool *mask, int n, float *floats, float *result);

struct call {
    const float *in;
    const bool *mask;
    int n;
    float *result;
};

enum selected { NONE, SOME, ALL };

static void run(void *arguments)
{
    const struct call *const call = arguments;
    const size_t n = (size_t)call->n;
    float *const result = grade_to_device(NULL, sizeof *result);

    masked_sum(grade_to_device(call->in, n * sizeof *call->in),
               grade_to_device(call->mask, n * sizeof *call->mask), call->n,
               grade_to_device(NULL, n * sizeof(float)), result);
    grade_from_device(call->result, result, sizeof *result);
}

/* If `special` is set, elements whose mask is false are replaced by infinities and NaN. */
static bool try_size(struct grade *grade, int n, enum selected selected, bool special)
{
    float *const in = grade_floats(grade, (size_t)n);
    const int *const bits = grade_ints(grade, (size_t)n, 0, 1);
    bool *const mask = (bool *)grade_ints(grade, ((size_t)n + 3) / 4, 0, 0);
    struct call call = {in, mask, n, grade_output(grade, sizeof(float))};
    double sum = 0, size = 0;

    for (int i = 0; i < n; i++) {
        mask[i] = selected == ALL || (selected == SOME && bits[i] == 1);
        if (mask[i]) {
            sum += in[i];
            size += fabs(in[i]);
        } else if (special) {
            in[i] = i % 2 == 0 ? INFINITY : NAN;
        }
    }
    if (!grade_run(grade, run, &call))
        return false;
    return grade_close(grade, grade_text(grade, "n = %d", n), -1, *call.result, sum,
                       n * 0x1p-24 * size);
}

static void test_sums(struct grade *grade)
{
    const int sizes[] = {1, 2, 31, 33, 255, 257, (int)grade_size(grade, 300, 3000)};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int selected = NONE; selected <= ALL; selected++)
            if (!try_size(grade, sizes[i], (enum selected)selected, false))
                return;
}

static void test_special(struct grade *grade)
{
    if (try_size(grade, 33, NONE, true) && try_size(grade, 257, SOME, true))
        try_size(grade, (int)grade_size(grade, 300, 3000), SOME, true);
}

static uint64_t bytes(const struct grade_line *line)
{
    return line->load_bytes + line->store_bytes;
}

static void test_bytes(struct grade *grade)
{
    const int n = (int)grade_size(grade, 1000, 2000);
    const int enough = (int)(n * (sizeof(float) + sizeof(bool)) + sizeof(float));

    if (!try_size(grade, n, SOME, false))
        return;
    const struct grade_line total = grade_total(grade);
    if (bytes(&total) > (uint64_t)enough)
        grade_fail(grade, grade_worst(grade, bytes).line,
                   "the copy takes memory, and time to write and to read it.",
                   "%lu bytes loaded and stored for %d elements; %d are enough",
                   (unsigned long)bytes(&total), n, enough);
}

const char grade_title[] = "sum what a mask selects";
const struct grade_test grade_tests[] = {
    {"sums of every size", GRADE_RESULT, test_sums},
    {"what the mask leaves out may be NaN", GRADE_RESULT, test_special},
    {"no copy of the mask", GRADE_QUALITY, test_bytes},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
