#include "check_total.h"

static uint64_t atomics(const struct grade_line *line)
{
    return line->atomic_lanes;
}

static void need_atomics(struct grade *grade, unsigned long most, const char *wanted)
{
    if (grade_skip_uncounted(grade) || !try_size(grade, (int)grade_size(grade, 3000, 6000)))
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
    need_atomics(grade, 512, "one a thread");
}

static void test_block(struct grade *grade)
{
    need_atomics(grade, 4, "one a block");
}

const char grade_title[] = "fewer atomics";
const struct grade_test grade_tests[] = {
    {"sums of every size", GRADE_RESULT, test_sums},
    {"one atomic a thread", GRADE_QUALITY, test_thread},
    {"one atomic a block", GRADE_QUALITY, test_block},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
