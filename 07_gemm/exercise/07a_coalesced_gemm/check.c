#include "../product.h"

GRADE_ON_GPU_ONLY product rung_naive;

static void rung(void *data)
{
    multiply(rung_naive, data);
}

static void run_timed(void *arguments)
{
    run_beside(arguments, rung);
}

/* Runs once without edges, and limits the sectors that a warp's access moves. */
static void need_sectors(struct grade *grade, uint64_t (*sectors)(const struct grade_line *line),
                         uint64_t (*requests)(const struct grade_line *line), double most,
                         const char *what)
{
    if (!try_shape(grade, 32, 64, 32))
        return;
    const struct grade_line total = grade_total(grade), worst = grade_worst(grade, sectors);
    const double each = (double)sectors(&total) / (double)requests(&total);
    if (each > most)
        grade_fail(
            grade, worst.line,
            "32 neighbouring floats are 4 sectors of 32 bytes; 32 floats a row apart are 32.",
            "%.1f sectors for each %s of a warp; %.1f are enough", each, what, most);
}

static uint64_t load_sectors(const struct grade_line *line)
{
    return line->load_sectors;
}

static uint64_t loads(const struct grade_line *line)
{
    return line->load_requests;
}

static uint64_t store_sectors(const struct grade_line *line)
{
    return line->store_sectors;
}

static uint64_t stores(const struct grade_line *line)
{
    return line->store_requests;
}

/* A load of B moves 4 sectors and a load of A moves 1: 2.5 on average. */
static void test_loads(struct grade *grade)
{
    need_sectors(grade, load_sectors, loads, 2.5, "load");
}

static void test_stores(struct grade *grade)
{
    need_sectors(grade, store_sectors, stores, 4, "store");
}

static void test_speed(struct grade *grade)
{
    if (try_speed(grade, run_timed))
        grade_speed(grade, "the rung naive", 0.80, 0.40);
}

const char grade_title[] = "coalesce a naive matrix product";
const struct grade_test grade_tests[] = {
    {"whole tiles", GRADE_RESULT, test_tiles},
    {"edges", GRADE_RESULT, test_edges},
    {"coalesced loads", GRADE_QUALITY, test_loads},
    {"coalesced stores", GRADE_QUALITY, test_stores},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
    {"speed", GRADE_SPEED, test_speed},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
