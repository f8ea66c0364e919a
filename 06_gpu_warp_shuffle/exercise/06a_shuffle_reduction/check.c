#include "grade.h"

#include <math.h>

enum { WARP = 32 };

void warp_sums(const float *in, float *out, int warps);

struct call {
    const float *in;
    int warps;
    float *out;
};

static void run(void *arguments)
{
    const struct call *const call = arguments;
    const size_t bytes = (size_t)call->warps * sizeof *call->out;
    float *const out = grade_to_device(NULL, bytes);

    warp_sums(grade_to_device(call->in, (size_t)call->warps * WARP * sizeof *call->in), out,
              call->warps);
    grade_from_device(call->out, out, bytes);
}

static bool try_warps(struct grade *grade, int warps)
{
    struct call call = {grade_floats(grade, (size_t)warps * WARP), warps,
                        grade_output(grade, (size_t)warps * sizeof(float))};

    if (!grade_run(grade, run, &call))
        return false;
    for (int w = 0; w < warps; w++) {
        double sum = 0;
        for (int i = 0; i < WARP; i++)
            sum += call.in[w * WARP + i];
        if (!grade_close(grade, grade_text(grade, "%d warps", warps), w, call.out[w], sum,
                         WARP * WARP * 0x1p-24))
            return false;
    }
    return true;
}

static void test_sums(struct grade *grade)
{
    const int counts[] = {1, 2, 3, 7, 8, 9, (int)grade_size(grade, 10, 60)};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (!try_warps(grade, counts[i]))
            return;
}

static uint64_t accesses(const struct grade_line *line)
{
    return line->shared_requests + line->shared_atomics;
}

static void test_registers(struct grade *grade)
{
    if (!try_warps(grade, 8))
        return;
    const struct grade_line worst = grade_worst(grade, accesses), total = grade_total(grade);
    if (accesses(&total) > 0)
        grade_fail(
            grade, worst.line, "a store, a barrier and a load, where a shuffle is one instruction.",
            "%lu accesses to shared memory; registers are enough", (unsigned long)accesses(&total));
}

static uint64_t shuffles(const struct grade_line *line)
{
    return line->shuffles;
}

static void test_steps(struct grade *grade)
{
    enum { WARPS = 8, STEPS = 5 };

    if (!try_warps(grade, WARPS))
        return;
    const struct grade_line total = grade_total(grade);
    if (total.shuffles + total.votes == 0 || total.atomics > 0)
        grade_fail(grade, 0, NULL, "no shuffles: the lanes exchange their values in another way");
    else if (total.shuffles > WARPS * STEPS)
        grade_fail(grade, grade_worst(grade, shuffles).line,
                   "each shuffle takes the warp an instruction and some 20 cycles of waiting.",
                   "%.1f shuffles per warp; halving takes five", (double)total.shuffles / WARPS);
}

const char grade_title[] = "a reduction by shuffles";
const struct grade_test grade_tests[] = {
    {"sums of warps", GRADE_RESULT, test_sums},
    {"no shared memory", GRADE_QUALITY, test_registers},
    {"five shuffles per warp", GRADE_QUALITY, test_steps},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
