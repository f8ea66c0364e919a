#include "../block_sums.h"

enum { BLOCKS = 8, MOST = 80 }; /* per block: 45 to shared memory, 8 loads and a store */

static void test_warps(struct grade *grade)
{
    if (try_size(grade, BLOCKS * BLOCK))
        grade_few_steps(grade, BLOCKS * MOST, "a tree of whole warps in 8 blocks");
}

static void test_none(struct grade *grade)
{
    if (!try_size(grade, BLOCKS * BLOCK))
        return;
    if (grade_steps(grade) > BLOCKS * MOST) /* otherwise too easy */
        grade_fail(grade, 0, NULL, "graded once whole warps work");
    else
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
