#include "grade.h"

void reverse(const float *in, float *out, int n);

/* As on an H200, the CPU back end has 132 multiprocessors with 228 KiB of shared memory each. A
 * block takes 1 KiB and 5 KiB per warp. So 7 blocks of 6 warps fit, or 14 blocks of 3. */
enum { MULTIPROCESSORS = 132, MOST_WARPS = 42, LARGEST_BLOCK = 1024 };

struct call {
    const float *in;
    float *out;
    int n;
};

static void run(void *arguments)
{
    const struct call *const call = arguments;
    const size_t bytes = (size_t)call->n * sizeof(float);
    float *const out = grade_to_device(NULL, bytes);

    reverse(grade_to_device(call->in, bytes), out, call->n);
    grade_from_device(call->out, out, bytes);
}

static bool try_size(struct grade *grade, int n)
{
    struct call call = {grade_floats(grade, (size_t)n),
                        grade_output(grade, (size_t)n * sizeof(float)), n};

    if (!grade_run(grade, run, &call))
        return false;
    for (int i = 0; i < n; i++) {
        const int first = i / 32 * 32, last = first + 31 < n ? first + 31 : n - 1;
        if (!grade_close(grade, grade_text(grade, "n = %d", n), i, call.out[i],
                         call.in[first + last - i], 0))
            return false;
    }
    return true;
}

static void test_results(struct grade *grade)
{
    const int sizes[] = {1, 31, 32, 33, 1000, (int)grade_size(grade, 2000, 60000)};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (!try_size(grade, sizes[i]))
            return;
}

static void need_resident(struct grade *grade, int warps)
{
    const unsigned long one = 32UL * MULTIPROCESSORS;

    if (!try_size(grade, 200000))
        return;
    const unsigned long found = (unsigned long)grade_threads_run(grade);
    if (found < one * (unsigned long)warps)
        grade_fail(grade, 0, "fewer warps to choose from while others wait for memory.",
                   "%lu threads were started, %.1f warps for each of %d multiprocessors; %d are "
                   "wanted here, and %d is the most that fits",
                   found, (double)found / (double)one, MULTIPROCESSORS, warps, MOST_WARPS);
    else if (found > one * MOST_WARPS)
        grade_fail(grade, 0,
                   "the last blocks begin when others have ended, and find the rest idle.",
                   "%lu threads were started, and no more than %lu fit at a time, however large "
                   "the blocks",
                   found, one * MOST_WARPS);
}

static void test_many(struct grade *grade)
{
    need_resident(grade, 40);
}

static void test_most(struct grade *grade)
{
    need_resident(grade, MOST_WARPS);
}

static void test_small(struct grade *grade)
{
    enum { SIZE = 1000 };

    if (!try_size(grade, SIZE))
        return;
    const unsigned long found = (unsigned long)grade_threads_run(grade);
    if (found >= SIZE + LARGEST_BLOCK)
        grade_fail(grade, 0, "blocks without work are started and ended all the same.",
                   "%lu threads were started for %d elements", found, SIZE);
}

const char grade_title[] = "as many warps as fit";
const struct grade_test grade_tests[] = {
    {"results", GRADE_RESULT, test_results},
    {"40 warps on a multiprocessor", GRADE_QUALITY, test_many},
    {"as many as fit, and no more", GRADE_QUALITY, test_most},
    {"few for few elements", GRADE_QUALITY, test_small},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
