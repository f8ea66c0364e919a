#include "grade.h"

#include <math.h>

bool is_right(double got, double want, double bound);

enum { CASES = 64 };

struct call {
    double got[CASES], want[CASES], bound[CASES];
    bool expected[CASES];
    int count;
    int *answers;
};

static void run(void *arguments)
{
    const struct call *const call = arguments;
    for (int i = 0; i < call->count; i++)
        call->answers[i] = is_right(call->got[i], call->want[i], call->bound[i]);
}

static void add(struct call *call, double got, double want, double bound, bool expected)
{
    call->got[call->count] = got;
    call->want[call->count] = want;
    call->bound[call->count] = bound;
    call->expected[call->count++] = expected;
}

static void judge(struct grade *grade, struct call *call)
{
    /* Shuffles the cases, because an answer must not depend on a case's number. */
    for (int i = call->count - 1; i > 0; i--) {
        const int j = (int)grade_size(grade, 0, (size_t)i);
        const struct call old = *call;
        call->got[i] = old.got[j], call->got[j] = old.got[i];
        call->want[i] = old.want[j], call->want[j] = old.want[i];
        call->bound[i] = old.bound[j], call->bound[j] = old.bound[i];
        call->expected[i] = old.expected[j], call->expected[j] = old.expected[i];
    }
    call->answers = grade_output(grade, (size_t)call->count * sizeof(int));
    if (!grade_run(grade, run, call))
        return;
    for (int i = 0; i < call->count; i++)
        if ((call->answers[i] != 0) != call->expected[i]) {
            grade_fail(grade, 0, NULL, "got %g, want %g, bound %g: it says %s", call->got[i],
                       call->want[i], call->bound[i],
                       call->expected[i] ? "wrong, but it is right" : "right, but it is wrong");
            return;
        }
}

/* A random number in [1, 2) of few bits, so sums of such numbers are exact in double. */
static double some(struct grade *grade)
{
    return 1 + (double)grade_size(grade, 0, 255) / 256;
}

static void test_numbers(struct grade *grade)
{
    struct call call = {.count = 0};

    for (int i = 0; i < 8; i++) {
        const double want = (i % 2 == 0 ? 1 : -1) * some(grade), bound = some(grade) / 1024;
        add(&call, want, want, 0, true);
        add(&call, want + bound, want, bound, true);
        add(&call, want - bound, want, bound, true);
        add(&call, want + bound * 1.0625, want, bound, false);
        add(&call, want - bound * 1.0625, want, bound, false);
        add(&call, -want, want, bound, false);
    }
    judge(grade, &call);
}

static void test_nan(struct grade *grade)
{
    struct call call = {.count = 0};

    for (int i = 0; i < 8; i++) {
        add(&call, i % 2 == 0 ? NAN : -NAN, some(grade), some(grade), false);
        add(&call, some(grade), NAN, some(grade), false);
        add(&call, some(grade), 1, 2, true);
    }
    judge(grade, &call);
}

static void test_infinity(struct grade *grade)
{
    struct call call = {.count = 0};

    for (int i = 0; i < 8; i++) {
        add(&call, i % 2 == 0 ? INFINITY : -INFINITY, some(grade), some(grade), false);
        add(&call, some(grade), i % 2 == 0 ? INFINITY : -INFINITY, some(grade), false);
        add(&call, INFINITY, -INFINITY, some(grade), false);
        add(&call, some(grade), 1, 2, true);
    }
    judge(grade, &call);
}

static void test_wanted(struct grade *grade)
{
    struct call call = {.count = 0};

    for (int i = 0; i < 4; i++) {
        add(&call, NAN, NAN, some(grade), true);
        add(&call, INFINITY, INFINITY, some(grade), true);
        add(&call, -INFINITY, -INFINITY, some(grade), true);
        add(&call, -INFINITY, INFINITY, some(grade), false);
        add(&call, NAN, INFINITY, some(grade), false);
        add(&call, INFINITY, NAN, some(grade), false);
    }
    judge(grade, &call);
}

const char grade_title[] = "a checker that NaN cannot pass";
const struct grade_test grade_tests[] = {
    {"numbers", GRADE_RESULT, test_numbers},
    {"NaN is not right", GRADE_RESULT, test_nan},
    {"infinity is not right", GRADE_RESULT, test_infinity},
    {"but where it is wanted", GRADE_RESULT, test_wanted},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
