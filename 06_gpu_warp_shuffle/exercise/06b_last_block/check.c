#include "check_total.h"

static void test_many(struct grade *grade)
{
    for (int i = 0; i < 4; i++)
        if (!try_size(grade, (int)grade_size(grade, 5000, 12000)))
            return;
}

static void test_launch(struct grade *grade)
{
    if (!grade_needs_rules(grade) || !try_size(grade, 3000))
        return;
    if (grade_launches(grade) != 1 || grade_total(grade).atomics == 0)
        grade_fail(grade, 0, NULL, "not one launch with a ticket for each block");
}

const char grade_title[] = "the last block finishes";
const struct grade_test grade_tests[] = {
    {"sums of every size", GRADE_RESULT, test_sums},
    {"many blocks", GRADE_RESULT, test_many},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
    {"tickets, one launch", GRADE_QUALITY, test_launch},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
