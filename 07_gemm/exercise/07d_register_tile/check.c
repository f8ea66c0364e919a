#include "../product.h"

static uint64_t shared(const struct grade_line *line)
{
    return line->shared_requests;
}

/* For each k of a tile, each thread needs four numbers of A and four of B. The stores that fill the
 * tiles add a little: 8 for 256 products. */
static void test_reuse(struct grade *grade)
{
    enum { SIZE = 128, PER_THREAD = 16 };
    const unsigned long products = (unsigned long)SIZE * SIZE * SIZE / 32,
                        least = products * 8 / PER_THREAD;

    if (!try_shape(grade, SIZE, SIZE, SIZE))
        return;
    const unsigned long found = (unsigned long)grade_total(grade).shared_requests;
    if (found > least + least / 4)
        grade_fail(grade, grade_worst(grade, shared).line,
                   "a multiply-add can begin in every cycle, a load from shared memory in every "
                   "second at best.",
                   "%lu accesses to shared memory for %lu multiply-adds of a warp; a tile of 4 x 4 "
                   "in registers needs %lu",
                   found, products, least);
}

static uint64_t loads(const struct grade_line *line)
{
    return line->load_requests;
}

/* The tiles must stay: a kernel with registers alone would also access shared memory rarely. */
static void test_tiles_used(struct grade *grade)
{
    enum { SIZE = 128, TILE = 64 };
    const unsigned long least = 2UL * SIZE * SIZE * SIZE / TILE / 32;

    if (!try_shape(grade, SIZE, SIZE, SIZE))
        return;
    const unsigned long found = (unsigned long)grade_total(grade).load_requests;
    if (found > 2 * least)
        grade_fail(grade, grade_worst(grade, loads).line,
                   "shared memory answers in some 30 cycles, global memory in several hundred.",
                   "%lu load instructions from global memory; the tiles need %lu", found, least);
}

const char grade_title[] = "a tile of C in registers";
const struct grade_test grade_tests[] = {
    {"whole tiles", GRADE_RESULT, test_tiles},
    {"edges", GRADE_RESULT, test_edges},
    {"few accesses to shared memory", GRADE_QUALITY, test_reuse},
    {"few loads from global memory", GRADE_QUALITY, test_tiles_used},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
