#include "../block_sums.h"

/* One barrier after the first store, and one after each of the two rounds with several warps. */
enum { BLOCKS = 8, BARRIERS = 3 };

/* Accesses and shuffles of a block's warps. This tree has 54 with __syncwarp, and 44 with shuffles.
 * It has 81 if each warp first adds up its own 32 words by shuffles. */
enum { MOST = 100 };

static uint64_t barriers(const struct grade_line *line)
{
    return line->barriers;
}

static bool few_barriers(struct grade *grade)
{
    return grade_total(grade).barriers <= BLOCKS * BARRIERS;
}

static void test_barriers(struct grade *grade)
{
    if (!grade_needs_rules(grade) || !try_size(grade, BLOCKS * BLOCK))
        return;
    if (!few_barriers(grade))
        grade_fail(grade, grade_worst(grade, barriers).line,
                   "at a barrier all warps of a block wait for the slowest.",
                   "%.1f barriers per block; %d are enough",
                   (double)grade_total(grade).barriers / BLOCKS, BARRIERS);
}

static void test_warps(struct grade *grade)
{
    if (!grade_needs_rules(grade) || !try_size(grade, BLOCKS * BLOCK))
        return;
    const uint64_t cost = grade_steps(grade) + grade_total(grade).shuffles;
    if (!few_barriers(grade)) /* otherwise too easy */
        grade_fail(grade, 0, NULL, "graded once the barriers are few");
    else if (cost > (uint64_t)BLOCKS * MOST)
        grade_fail(grade, 0, "a warp's instruction costs the same for one lane as for 32.",
                   "%.1f accesses and shuffles of warps per block; %d are enough for any tree",
                   (double)cost / BLOCKS, MOST);
}

const char grade_title[] = "the last warp without barriers";
const struct grade_test grade_tests[] = {
    {"sums of every size", GRADE_RESULT, test_sums},
    {"three barriers per block", GRADE_QUALITY, test_barriers},
    {"few accesses and shuffles", GRADE_QUALITY, test_warps},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
