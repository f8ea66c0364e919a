#include "check_total.h"

enum { ELEMENTS_OF_BLOCK = 64 * 16 };

/* *result is NaN before, not 0: the answer must store its sum there, not add it. */
static void run_unset(void *arguments)
{
    const struct call *const call = arguments;
    static const float zeros[SCRATCH];
    float *const result = grade_to_device(NULL, sizeof(float));

    total(grade_to_device(call->in, (size_t)call->n * sizeof(float)), call->n, result,
          grade_to_device(zeros, sizeof zeros));
    grade_from_device(call->result, result, sizeof(float));
}

static void test_every(struct grade *grade)
{
    const int sizes[] = {1, 31, 33, 255, 256, 257, 1025, (int)grade_size(grade, 2000, 6000)};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (!try_size_with(grade, sizes[i], run_unset))
            return;
}

static void test_many(struct grade *grade)
{
    for (int i = 0; i < 4; i++)
        if (!try_size_with(grade, (int)grade_size(grade, 5000, 12000), run_unset))
            return;
}

static void test_launch(struct grade *grade)
{
    enum { BLOCKS = 5 };

    if (!grade_needs_rules(grade) ||
        !try_size_with(grade, BLOCKS * ELEMENTS_OF_BLOCK - 7, run_unset))
        return;
    const struct grade_line all = grade_total(grade);
    if (grade_launches(grade) != 1 || all.atomic_lanes == 0)
        grade_fail(grade, 0, NULL, "not one launch with a ticket for each block");
    else if (all.atomic_lanes != BLOCKS || all.store_requests != BLOCKS + 1)
        grade_fail(grade, 0,
                   "blocks come in any order: what one clears or adds to, another may have written "
                   "already.",
                   "%lu atomics and %lu stores in %d blocks; a ticket and a sum of each block, "
                   "stored, and then one result, make %d and %d",
                   (unsigned long)all.atomic_lanes, (unsigned long)all.store_requests, BLOCKS,
                   BLOCKS, BLOCKS + 1);
}

const char grade_title[] = "the last block finishes";
const struct grade_test grade_tests[] = {
    {"sums of every size", GRADE_RESULT, test_every},
    {"many blocks", GRADE_RESULT, test_many},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
    {"tickets, one launch", GRADE_QUALITY, test_launch},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
