#include "grade.h"

#include <math.h>

float sum(const float *x, size_t n);

struct call {
    const float *x;
    size_t n;
    float *result;
};

static void run(void *arguments)
{
    const struct call *const call = arguments;
    *call->result = sum(call->x, call->n);
}

static bool try_sum(struct grade *grade, const char *what, const float *x, size_t n)
{
    struct call call = {x, n, grade_output(grade, sizeof(float))};
    double want = 0, size = 0;

    if (!grade_run(grade, run, &call))
        return false;
    for (size_t i = 0; i < n; i++) {
        want += x[i];
        size += fabs(x[i]);
    }
    return grade_close(grade, what, -1, *call.result, want, (double)n * 0x1p-24 * size);
}

static void test_small(struct grade *grade)
{
    for (size_t n = 0; n <= 33; n++)
        if (!try_sum(grade, grade_text(grade, "n = %zu", n), grade_floats(grade, n), n))
            return;
}

static void test_large(struct grade *grade)
{
    for (int i = 0; i < 4; i++) {
        const size_t n = grade_size(grade, 1000, 5000);
        if (!try_sum(grade, grade_text(grade, "n = %zu", n), grade_floats(grade, n), n))
            return;
    }
}

/* Estimates the number of chains from element `place`, which is 2^24. Adding a 1 to 2^24 does not
 * change it, so the ones of its own chain are lost. */
static double chains(struct grade *grade, size_t n, size_t place)
{
    float *const x = grade_floats(grade, n);
    struct call call = {x, n, grade_output(grade, sizeof(float))};

    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    x[place] = 0x1p24F;
    if (!grade_run(grade, run, &call))
        return 0;
    /* The ones of other chains arrive as sums of at least 2, which 2^24 adds without loss. */
    const double lost = 0x1p24 + (double)(n - 1) - (double)*call.result;
    return lost <= 1 ? (double)n : (double)n / lost;
}

static void need_chains(struct grade *grade, double wanted)
{
    const size_t n = 16 * grade_size(grade, 50, 90);

    for (size_t place = 0; place < 8; place++) {
        const double found = chains(grade, n, place);
        if (grade_failed(grade))
            return;
        if (!(found >= 0.9 * wanted)) {
            grade_fail(
                grade, 0, NULL,
                "%.1f chains of additions, seen from element %zu; want %.0f. An addition takes 3 "
                "to 5 cycles, and a core can start two or more in each.",
                found, place, wanted);
            return;
        }
    }
}

static void test_two(struct grade *grade)
{
    need_chains(grade, 2);
}

static void test_eight(struct grade *grade)
{
    need_chains(grade, 8);
}

const char grade_title[] = "a sum with several accumulators";
const struct grade_test grade_tests[] = {
    {"sums of 0 to 33 elements", GRADE_RESULT, test_small},
    {"sums of thousands", GRADE_RESULT, test_large},
    {"two chains or more", GRADE_QUALITY, test_two},
    {"eight chains or more", GRADE_QUALITY, test_eight},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
