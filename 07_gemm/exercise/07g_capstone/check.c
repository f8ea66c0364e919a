#include "../product.h"

GRADE_ON_GPU_ONLY product rung_cublas;

static void rung(void *data)
{
    multiply(rung_cublas, data);
}

static void run_timed(void *arguments)
{
    run_beside(arguments, rung);
}

enum { SIZE = 128 };

static const unsigned long multiply_adds = (unsigned long)SIZE * SIZE * SIZE / 32; /* of a warp */

static uint64_t sectors(const struct grade_line *line)
{
    return line->load_sectors;
}

static uint64_t shared(const struct grade_line *line)
{
    return line->shared_requests;
}

static bool counted(struct grade *grade)
{
    return grade_needs_rules(grade) && try_shape(grade, SIZE, SIZE, SIZE);
}

/* A tile of `tile` x `tile` elements of C needs `tile` numbers of A and of B for each k. A sector
 * holds 8 numbers. */
static void need_tiles(struct grade *grade, unsigned long tile)
{
    const unsigned long most = 2UL * SIZE * SIZE * SIZE / tile / 8;

    if (!counted(grade))
        return;
    const unsigned long found = (unsigned long)grade_total(grade).load_sectors;
    if (found > most + most / 8)
        grade_fail(grade, grade_worst(grade, sectors).line,
                   "memory and the second-level cache bring fewer numbers than are multiplied.",
                   "%lu sectors loaded; with tiles of %lu x %lu of C, %lu would be", found, tile,
                   tile, most);
}

static void test_tiles_32(struct grade *grade)
{
    need_tiles(grade, 32);
}

static void test_tiles_64(struct grade *grade)
{
    need_tiles(grade, 64);
}

/* Limits the accesses to shared or global memory per 100 multiply-adds. */
static void need_reuse(struct grade *grade, unsigned long in_100, const char *how)
{
    if (!counted(grade))
        return;
    const struct grade_line total = grade_total(grade);
    const unsigned long found = (unsigned long)(total.shared_requests + total.load_requests);
    if (found > multiply_adds * in_100 / 100)
        grade_fail(
            grade, grade_worst(grade, shared).line,
            "a multiply-add can begin in every cycle, a load in every second at best.",
            "%lu accesses to memory, shared or not, for %lu multiply-adds of a warp; %s, %lu "
            "are enough",
            found, multiply_adds, how, multiply_adds * in_100 / 100);
}

static void test_registers(struct grade *grade)
{
    need_reuse(grade, 75, "with 4 x 4 elements of C in the registers of a thread");
}

static void test_wide(struct grade *grade)
{
    need_reuse(grade, 16, "with 8 x 8 of them and 16 bytes in a load");
}

static void test_conflicts(struct grade *grade)
{
    need_reuse(grade, 75, "with 4 x 4 elements of C in the registers of a thread");
    if (!grade_failed(grade))
        grade_conflicts(grade, 25);
}

static void test_speed(struct grade *grade)
{
    enum { LARGE = 4096 };
    if (try_with(grade, LARGE, LARGE, LARGE, run_timed))
        grade_speed(grade, "the rung cublas", 0.70, 0.40);
}

const char grade_title[] = "capstone: a matrix product of your own";
const struct grade_test grade_tests[] = {
    {"whole tiles", GRADE_RESULT, test_tiles},
    {"edges", GRADE_RESULT, test_edges},
    {"tiles of 32 x 32 or more", GRADE_QUALITY, test_tiles_32},
    {"tiles of 64 x 64 or more", GRADE_QUALITY, test_tiles_64},
    {"reuse in registers", GRADE_QUALITY, test_registers},
    {"wide loads, more reuse", GRADE_QUALITY, test_wide},
    {"few bank conflicts", GRADE_QUALITY, test_conflicts},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
    {"speed", GRADE_SPEED, test_speed},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
