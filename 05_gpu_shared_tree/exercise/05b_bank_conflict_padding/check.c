#include "../block_sums.h"

static void test_few(struct grade *grade)
{
    need_conflicts(grade, 50);
}

static void test_none(struct grade *grade)
{
    need_conflicts(grade, 0);
}

static void test_speed(struct grade *grade)
{
    need_speed(grade, 0.80, 0.60);
}

const char grade_title[] = "a tree without bank conflicts, by padding";
const struct grade_test grade_tests[] = {
    {"sums of every size", GRADE_RESULT, test_sums},
    {"few bank conflicts", GRADE_QUALITY, test_few},
    {"no bank conflicts", GRADE_QUALITY, test_none},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
    {"speed", GRADE_SPEED, test_speed},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
