#include "../product.h"

GRADE_ON_GPU_ONLY product rung_shared_tile;

static void rung(void *data)
{
    multiply(rung_shared_tile, data);
}

static void run_timed(void *arguments)
{
    run_beside(arguments, rung);
}

static uint64_t loads(const struct grade_line *line)
{
    return line->load_requests;
}

static void test_loads(struct grade *grade)
{
    enum { SIZE = 64, TILE = 16 };

    if (!try_shape(grade, SIZE, SIZE, SIZE))
        return;
    /* A warp of the naive kernel loads from A and from B for each of the k products. */
    const unsigned long naive = 2UL * SIZE * SIZE * SIZE / 32,
                        found = (unsigned long)grade_total(grade).load_requests;
    if (found > 2 * naive / TILE)
        grade_fail(grade, grade_worst(grade, loads).line,
                   "shared memory answers in some 30 cycles, global memory in several hundred.",
                   "%lu load instructions from global memory; the naive product has %lu, tiles of "
                   "16 need %lu",
                   found, naive, naive / TILE);
}

static void test_conflicts(struct grade *grade)
{
    test_loads(grade); /* without tiles there can be no conflicts */
    if (!grade_failed(grade))
        grade_conflicts(grade, 0);
}

static void test_speed(struct grade *grade)
{
    if (try_speed(grade, run_timed))
        grade_speed(grade, "the rung shared_tile", 0.80, 0.70);
}

const char grade_title[] = "a tiled matrix product with edges";
const struct grade_test grade_tests[] = {
    {"whole tiles", GRADE_RESULT, test_tiles},
    {"edges", GRADE_RESULT, test_edges},
    {"few loads from global memory", GRADE_QUALITY, test_loads},
    {"no bank conflicts", GRADE_QUALITY, test_conflicts},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
    {"speed", GRADE_SPEED, test_speed},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
