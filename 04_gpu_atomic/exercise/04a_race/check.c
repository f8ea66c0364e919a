#include "grade.h"

#include <string.h>

void count(const int *values, int n, int *bins);

struct call {
    const int *values;
    int n, bin_count;
    int *bins;
};

static void run(void *arguments)
{
    const struct call *const call = arguments;
    const size_t bytes = (size_t)call->bin_count * sizeof(int);
    static int zeros[4096];
    int *const bins = grade_to_device(zeros, bytes);

    count(grade_to_device(call->values, (size_t)call->n * sizeof(int)), call->n, bins);
    grade_from_device(call->bins, bins, bytes);
}

static bool try_count(struct grade *grade, int n, int bins)
{
    struct call call = {grade_ints(grade, (size_t)n, 0, bins - 1), n, bins,
                        grade_output(grade, (size_t)bins * sizeof(int))};
    int want[4096] = {0};

    if (!grade_run(grade, run, &call))
        return false;
    for (int i = 0; i < n; i++)
        want[call.values[i]]++;
    for (int b = 0; b < bins; b++)
        if (!grade_equal(grade, grade_text(grade, "%d values, %d bins", n, bins), b, call.bins[b],
                         want[b]))
            return false;
    return true;
}

static void test_counts(struct grade *grade)
{
    const int sizes[] = {1, 31, 33, 255, 257, (int)grade_size(grade, 500, 3000)};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (!try_count(grade, sizes[i], (int)grade_size(grade, 2, 40)))
            return;
}

static void test_crowd(struct grade *grade)
{
    try_count(grade, (int)grade_size(grade, 500, 1500), 1);
}

static void test_threads(struct grade *grade)
{
    const int n = (int)grade_size(grade, 1000, 2000);

    if (!grade_needs_rules(grade) || !try_count(grade, n, 16))
        return;
    const struct grade_line total = grade_total(grade);
    const unsigned long least = (unsigned long)n / 32;
    /* The number of load requests shows whether whole warps read the values, not single lanes. */
    if (total.load_requests > 4 * least + 64)
        grade_fail(grade, 0, "a warp's load serves 32 lanes at the price of one.",
                   "%lu load instructions for %d values; whole warps need about %lu",
                   (unsigned long)total.load_requests, n, least);
}

const char grade_title[] = "count without a race";
const struct grade_test grade_tests[] = {
    {"counts of every size", GRADE_RESULT, test_counts},
    {"all in one bin", GRADE_RESULT, test_crowd},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
    {"all threads count", GRADE_QUALITY, test_threads},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
