#include "check_total.h"

GRADE_ON_GPU_ONLY void rung_atomic_block(const float *in, int n, float *result);

static uint64_t atomics(const struct grade_line *line)
{
    return line->atomic_lanes;
}

static void need_atomics(struct grade *grade, unsigned long most, const char *wanted)
{
    enum { WARPS = 32, WARP = 32 };
    const int n = (int)grade_size(grade, 3000, 6000);

    /* One load per warp and iteration, plus the accesses for the sums within the blocks. */
    if (!try_size(grade, n) ||
        !grade_few_steps(grade, (uint64_t)(n / WARP + 2 * WARPS + 3 * WARPS * WARP),
                         "all of them at work"))
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
    need_atomics(grade, 1024, "one per thread");
}

static void test_block(struct grade *grade)
{
    need_atomics(grade, 4, "one per block");
}

static void answer(void *data)
{
    const struct call *const call = data;
    grade_clear(call->result, sizeof *call->result);
    total(call->in, call->n, call->result, NULL);
}

static void rung(void *data)
{
    const struct call *const call = data;
    grade_clear(call->result, sizeof *call->result);
    rung_atomic_block(call->in, call->n, call->result);
}

static void run_timed(void *arguments)
{
    const struct call *const call = arguments;
    struct call device = {grade_to_device(call->in, (size_t)call->n * sizeof(float)), call->n,
                          grade_to_device(NULL, sizeof(float))};

    grade_time(answer, rung, &device);
    answer(&device); /* the last timed call may have been the rung's */
    grade_from_device(call->result, device.result, sizeof(float));
}

static void test_speed(struct grade *grade)
{
    if (try_size_with(grade, 1 << 16, run_timed))
        grade_speed(grade, "the rung atomic_block", 0.80, 0.40);
}

const char grade_title[] = "fewer atomics";
const struct grade_test grade_tests[] = {
    {"sums of every size", GRADE_RESULT, test_sums},
    {"one atomic a thread", GRADE_QUALITY, test_thread},
    {"one atomic a block", GRADE_QUALITY, test_block},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
    {"speed", GRADE_SPEED, test_speed},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
