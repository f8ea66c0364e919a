#include "../block_sums.h"

static uint64_t accesses(const struct grade_line *line)
{
    return line->shared_requests;
}

static void test_warps(struct grade *grade)
{
    enum { BLOCKS = 8, MOST = 64 };

    if (!try_size(grade, BLOCKS * BLOCK))
        return;
    const unsigned long each = (unsigned long)grade_total(grade).shared_requests / BLOCKS;
    const struct grade_line worst = grade_worst(grade, accesses);
    if (each > MOST)
        grade_fail(grade, worst.line,
                   "a warp takes as long for one lane as for 32: each of these is an instruction "
                   "of a whole "
                   "warp.",
                   "%lu accesses to shared memory in a block, with %.1f lanes at the line that has "
                   "most; 45 "
                   "are enough",
                   each, (double)worst.shared_lanes / (double)worst.shared_requests);
}

static void test_none(struct grade *grade)
{
    test_warps(grade); /* without that it would be easy */
    if (!grade_failed(grade))
        grade_conflicts(grade, 0);
}

static void test_speed(struct grade *grade)
{
    need_speed(grade, 0.90, 0.60);
}

const char grade_title[] = "a tree without divergence";
const struct grade_test grade_tests[] = {
    {"sums of every size", GRADE_RESULT, test_sums},
    {"whole warps work", GRADE_QUALITY, test_warps},
    {"no bank conflicts", GRADE_QUALITY, test_none},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
    {"speed", GRADE_SPEED, test_speed},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
