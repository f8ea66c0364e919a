#include "../block_sums.h"

static void test_few(struct grade *grade)
{
    need_conflicts(grade, 50);
}

static void test_none(struct grade *grade)
{
    need_conflicts(grade, 0);
}

static uint64_t accesses(const struct grade_line *line)
{
    return line->shared_requests;
}

static void test_tree(struct grade *grade)
{
    enum { BLOCKS = 8, MOST = 64 };

    if (!try_size(grade, BLOCKS * BLOCK))
        return;
    const unsigned long each = (unsigned long)grade_total(grade).shared_requests / BLOCKS;
    if (each > MOST)
        grade_fail(grade, grade_worst(grade, accesses).line,
                   "each is an instruction of a whole warp, however few lanes take part.",
                   "%lu accesses to shared memory in a block; a tree of 256 needs 45", each);
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
