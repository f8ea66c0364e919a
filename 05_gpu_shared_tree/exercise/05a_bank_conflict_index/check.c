#include "../block_sums.h"

static void test_few(struct grade *grade)
{
    need_conflicts(grade, 50);
}

static void test_none(struct grade *grade)
{
    need_conflicts(grade, 0);
}

static void test_tree(struct grade *grade)
{
    enum { BLOCKS = 8, MOST = 80 }; /* per block: 45 to shared memory, 8 loads and a store */

    if (try_size(grade, BLOCKS * BLOCK))
        grade_few_steps(grade, BLOCKS * MOST, "a tree in 8 blocks");
}

static void test_speed(struct grade *grade)
{
    need_speed(grade, 0.90, 0.60);
}

const char grade_title[] = "a tree without bank conflicts, by its index";
const struct grade_test grade_tests[] = {
    {"sums of every size", GRADE_RESULT, test_sums},
    {"few bank conflicts", GRADE_QUALITY, test_few},
    {"no bank conflicts", GRADE_QUALITY, test_none},
    {"still a tree", GRADE_QUALITY, test_tree},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
    {"speed", GRADE_SPEED, test_speed},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
