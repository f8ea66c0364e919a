#include "grade.h"

#include <math.h>

enum { BLOCK = 256 };

void block_sums(const float *in, int n, float *out, int blocks);

struct call {
    const float *in;
    int n, blocks;
    float *out;
};

static void run(void *arguments)
{
    const struct call *const call = arguments;
    const float *const in = grade_to_device(call->in, (size_t)call->n * sizeof *in);
    float *const out = grade_to_device(NULL, (size_t)call->blocks * sizeof *out);

    block_sums(in, call->n, out, call->blocks);
    grade_from_device(call->out, out, (size_t)call->blocks * sizeof *out);
}

/* One run on n elements, compared with sums in double. */
static bool try_size(struct grade *grade, int n)
{
    const int blocks = (n + BLOCK - 1) / BLOCK;
    struct call call = {grade_floats(grade, (size_t)n), n, blocks,
                        grade_output(grade, (size_t)blocks * sizeof(float))};

    if (!grade_run(grade, run, &call))
        return false;
    for (int b = 0; b < blocks; b++) {
        double sum = 0, size = 0;
        for (int i = b * BLOCK; i < n && i < (b + 1) * BLOCK; i++) {
            sum += call.in[i];
            size += fabs(call.in[i]);
        }
        if (!grade_close(grade, grade_text(grade, "n = %d", n), b, call.out[b], sum,
                         BLOCK * 0x1p-24 * size))
            return false;
    }
    return true;
}

static void test_sums(struct grade *grade)
{
    const int sizes[] = {1, 31, 32, 33, 255, 256, 257, 1023, (int)grade_size(grade, 300, 3000)};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (!try_size(grade, sizes[i]))
            return;
}

static uint64_t conflicts(const struct grade_line *line)
{
    return line->conflicts;
}

static void need_no_conflicts(struct grade *grade)
{
    const struct grade_line worst = grade_worst(grade, conflicts);
    if (worst.conflicts > 0)
        grade_fail(
            grade, worst.line,
            "the bank serves one word a turn; the warp waits for as many turns as lanes want "
            "different words of it.",
            "%lu bank conflicts in %lu accesses to shared memory", (unsigned long)worst.conflicts,
            (unsigned long)worst.shared_requests);
}

static void test_few(struct grade *grade)
{
    if (grade_skip_uncounted(grade) || !try_size(grade, 8 * BLOCK))
        return;
    const struct grade_line total = grade_total(grade);
    if (2 * total.conflicts > total.shared_requests)
        need_no_conflicts(grade);
}

static void test_none(struct grade *grade)
{
    if (!grade_skip_uncounted(grade) && try_size(grade, 8 * BLOCK))
        need_no_conflicts(grade);
}

const char grade_title[] = "a tree without bank conflicts, by padding";
const struct grade_test grade_tests[] = {
    {"sums of every size", GRADE_RESULT, test_sums},
    {"few bank conflicts", GRADE_QUALITY, test_few},
    {"no bank conflicts", GRADE_QUALITY, test_none},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
