#include "../product.h"

enum { TILE = 16 };

/* With a race, a right result is luck, and another compiler's program may be wrong. */
static void without_races(struct grade *grade, void (*test)(struct grade *grade))
{
    test(grade);
    if (!grade_failed(grade))
        grade_needs_rules(grade);
}

/* Has enough tiles to fill both stages again. */
static void test_ring(struct grade *grade)
{
    if (try_shape(grade, 32, 32, 5 * TILE))
        test_tiles(grade);
}

static void test_whole(struct grade *grade)
{
    without_races(grade, test_ring);
}

static void test_rest(struct grade *grade)
{
    without_races(grade, test_edges);
}

static uint64_t barriers(const struct grade_line *line)
{
    return line->barriers;
}

static void test_barriers(struct grade *grade)
{
    enum { SIZE = 96 };
    const unsigned long blocks = (SIZE / TILE) * (SIZE / TILE), tiles = SIZE / TILE;

    if (!try_shape(grade, SIZE, SIZE, SIZE))
        return;
    const unsigned long found = (unsigned long)grade_total(grade).barriers;
    if (found > blocks * (tiles + 1))
        grade_fail(grade, grade_worst(grade, barriers).line,
                   "at each barrier the fastest warp waits for the slowest.",
                   "%lu barriers in %lu blocks of %lu tiles each; with two stages one for each "
                   "tile will do",
                   found, blocks, tiles);
}

const char grade_title[] = "the next tile arrives while this one is used";
const struct grade_test grade_tests[] = {
    {"whole tiles", GRADE_RESULT, test_whole},
    {"edges", GRADE_RESULT, test_rest},
    {"one barrier for each tile", GRADE_QUALITY, test_barriers},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
