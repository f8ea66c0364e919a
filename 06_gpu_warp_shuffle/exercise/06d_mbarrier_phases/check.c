#include "check_total.h"

enum { TILE = 256, BLOCKS = 2, STAGES = 3 };

static void test_ring(struct grade *grade)
{
    /* A block's tiles fill the ring once, twice, and twice with one more tile. */
    const int tiles[] = {BLOCKS * STAGES, 2 * BLOCKS * STAGES, BLOCKS * (2 * STAGES + 1),
                         (int)grade_size(grade, 20, 60)};

    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++)
        if (!try_size(grade, tiles[i] * TILE) ||
            !try_size(grade, tiles[i] * TILE + (int)grade_size(grade, 1, TILE - 1)))
            return;
}

static uint64_t barriers(const struct grade_line *line)
{
    return line->barriers;
}

static uint64_t loads(const struct grade_line *line)
{
    return line->load_requests;
}

/* The TMA's copies do not count as loads by threads. */
static void test_copies(struct grade *grade)
{
    if (!grade_needs_rules(grade) || !try_size(grade, 40 * TILE))
        return;
    const unsigned long found = (unsigned long)grade_total(grade).load_requests;
    if (found > 0)
        grade_fail(
            grade, grade_worst(grade, loads).line,
            "each load takes an instruction of every warp, and registers until it arrives.",
            "%lu load instructions from global memory; all whole tiles come through the ring",
            found);
}

static void test_barriers(struct grade *grade)
{
    enum { TILES = 40 };

    if (!grade_needs_rules(grade) || !try_size(grade, TILES * TILE))
        return;
    const unsigned long found = (unsigned long)grade_total(grade).barriers;
    if (found > TILES + BLOCKS)
        grade_fail(grade, grade_worst(grade, barriers).line,
                   "at each barrier the fastest warp waits for the slowest.",
                   "%lu barriers for %d tiles; one each will do, and one at the beginning", found,
                   TILES);
}

const char grade_title[] = "phases of a ring of tiles";
const struct grade_test grade_tests[] = {
    {"sums of few elements", GRADE_RESULT, test_sums},
    {"sums of many tiles", GRADE_RESULT, test_ring},
    {"all tiles come through the ring", GRADE_QUALITY, test_copies},
    {"one barrier for each tile", GRADE_QUALITY, test_barriers},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
