#include "grade.h"

#include <math.h>

enum { BLOCK = 64, TURNS = 3 };

void smooth(const float *in, float *out, int blocks);

struct call {
    const float *in;
    int blocks;
    float *out;
};

static void run(void *arguments)
{
    const struct call *const call = arguments;
    const size_t bytes = (size_t)call->blocks * BLOCK * sizeof(float);
    float *const out = grade_to_device(NULL, bytes);

    smooth(grade_to_device(call->in, bytes), out, call->blocks);
    grade_from_device(call->out, out, bytes);
}

static bool try_blocks(struct grade *grade, int blocks)
{
    const size_t n = (size_t)blocks * BLOCK;
    struct call call = {grade_floats(grade, n), blocks, grade_output(grade, n * sizeof(float))};

    if (!grade_run(grade, run, &call))
        return false;
    for (int b = 0; b < blocks; b++) {
        double line[2][BLOCK + 2] = {{0}};
        for (int i = 0; i < BLOCK; i++)
            line[0][i + 1] = call.in[b * BLOCK + i];
        for (int turn = 0; turn < TURNS; turn++)
            for (int i = 1; i <= BLOCK; i++)
                line[(turn + 1) % 2][i] =
                    line[turn % 2][i - 1] + line[turn % 2][i] + line[turn % 2][i + 1];
        for (int i = 0; i < BLOCK; i++)
            if (!grade_close(grade, grade_text(grade, "%d blocks", blocks), (long)b * BLOCK + i,
                             call.out[b * BLOCK + i], line[TURNS % 2][i + 1], 1e-4))
                return false;
    }
    return true;
}

static void test_results(struct grade *grade)
{
    if (try_blocks(grade, 1) && try_blocks(grade, 2))
        try_blocks(grade, (int)grade_size(grade, 3, 20));
}

static uint64_t barriers(const struct grade_line *line)
{
    return line->barriers;
}

/* The first part needs one barrier, and each turn of the loop needs two. */
static void test_barriers(struct grade *grade)
{
    enum { BLOCKS = 4, MOST = 1 + 2 * TURNS, STEPS = 68 };

    /* The threads of a block share the work: its two warps make 34 accesses. */
    if (!grade_needs_rules(grade) || !try_blocks(grade, BLOCKS) ||
        !grade_few_steps(grade, BLOCKS * STEPS, "a value a thread"))
        return;
    const unsigned long each = (unsigned long)grade_total(grade).barriers / BLOCKS;
    if (each > MOST)
        grade_fail(grade, grade_worst(grade, barriers).line,
                   "at a barrier all warps of a block wait for the slowest.",
                   "%lu barriers per block; %d are enough", each, MOST);
}

const char grade_title[] = "find the missing barrier";
const struct grade_test grade_tests[] = {
    {"results", GRADE_RESULT, test_results},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
    {"no barrier too many", GRADE_QUALITY, test_barriers},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
