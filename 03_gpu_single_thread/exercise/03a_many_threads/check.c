#include "grade.h"

void scale(const float *in, int n, float factor, float *out);

struct call {
    const float *in;
    int n;
    float factor, *out;
};

static void run(void *arguments)
{
    const struct call *const call = arguments;
    const size_t bytes = (size_t)call->n * sizeof(float);
    float *const out = grade_to_device(NULL, bytes);

    scale(grade_to_device(call->in, bytes), call->n, call->factor, out);
    grade_from_device(call->out, out, bytes);
}

static bool try_size(struct grade *grade, int n)
{
    struct call call = {grade_floats(grade, (size_t)n), n, (float)grade_size(grade, 2, 9),
                        grade_output(grade, (size_t)n * sizeof(float))};

    if (!grade_run(grade, run, &call))
        return false;
    for (int i = 0; i < n; i++)
        if (!grade_close(grade, grade_text(grade, "n = %d", n), i, call.out[i],
                         call.in[i] * call.factor, 0))
            return false;
    return true;
}

static void test_results(struct grade *grade)
{
    const int sizes[] = {1, 31, 127, 128, 129, 511, 512, 513, (int)grade_size(grade, 600, 3000)};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (!try_size(grade, sizes[i]))
            return;
}

static void test_threads(struct grade *grade)
{
    const int n = (int)grade_size(grade, 2000, 4000);

    if (!try_size(grade, n))
        return;
    const unsigned long requests = (unsigned long)grade_total(grade).load_requests;
    if (requests > (unsigned long)n / 32 + 64)
        grade_fail(grade, 0, "a warp's instruction costs the same for one lane as for 32.",
                   "%lu load instructions of warps for %d elements: most lanes, or whole warps, do "
                   "nothing",
                   requests, n);
}

static uint64_t sectors(const struct grade_line *line)
{
    return line->load_sectors + line->store_sectors;
}

static void test_coalesced(struct grade *grade)
{
    const int n = (int)grade_size(grade, 2000, 4000);

    if (!try_size(grade, n))
        return;
    const struct grade_line total = grade_total(grade), worst = grade_worst(grade, sectors);
    if (32 * sectors(&total) > 13 * (total.load_bytes + total.store_bytes) / 10)
        grade_fail(
            grade, worst.line,
            "memory moves in sectors of 32 bytes; what no lane wanted of them moves as well.",
            "%.0f%% of the bytes moved were needed: the lanes of a warp should touch neighbouring "
            "elements",
            100 * (double)(total.load_bytes + total.store_bytes) / (32 * (double)sectors(&total)));
}

const char grade_title[] = "from one thread to many";
const struct grade_test grade_tests[] = {
    {"results of every size", GRADE_RESULT, test_results},
    {"all lanes work", GRADE_QUALITY, test_threads},
    {"neighbours touch neighbours", GRADE_QUALITY, test_coalesced},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
