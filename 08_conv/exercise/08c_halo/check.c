#include "grade.h"

#include <math.h>

enum { WIDTH = 32, HEIGHT = 8, SIDE = 3, MOST_CHANNELS = 4 };

struct weights {
    float at[MOST_CHANNELS][SIDE][SIDE];
};

void convolve(const float *in, float *out, int channels, int height, int width,
              const struct weights *weights);

struct call {
    const float *in;
    float *out;
    int channels, height, width;
    struct weights weights;
};

static void run(void *arguments)
{
    const struct call *const call = arguments;
    const size_t bytes = (size_t)(call->height * call->width) * sizeof(float);
    float *const out = grade_to_device(NULL, bytes);

    convolve(grade_to_device(call->in, (size_t)call->channels * bytes), out, call->channels,
             call->height, call->width, &call->weights);
    grade_from_device(call->out, out, bytes);
}

/* Is the output right? */
static bool compare(struct grade *grade, const struct call *call, int y, int x)
{
    double want = 0, size = 0;

    for (int c = 0; c < call->channels; c++)
        for (int r = 0; r < SIDE; r++)
            for (int s = 0; s < SIDE; s++) {
                const int in_y = y + r - 1, in_x = x + s - 1;
                if (in_y < 0 || in_y >= call->height || in_x < 0 || in_x >= call->width)
                    continue;
                const double product =
                    (double)call->in[(c * call->height + in_y) * call->width + in_x] *
                    (double)call->weights.at[c][r][s];
                want += product;
                size += fabs(product);
            }
    return grade_close(grade,
                       grade_text(grade, "%d channels of %d x %d, output (%d, %d)", call->channels,
                                  call->height, call->width, y, x),
                       (long)y * call->width + x, call->out[y * call->width + x], want,
                       (SIDE * SIDE * call->channels + 1) * 0x1p-24 * size);
}

/* Compares the outputs that are at least `margin` from the image's edges. */
static bool try_image(struct grade *grade, size_t channels, size_t height, size_t width, int margin)
{
    struct call call = {.in = grade_floats(grade, channels * height * width),
                        .out = grade_output(grade, height * width * sizeof(float)),
                        .channels = (int)channels,
                        .height = (int)height,
                        .width = (int)width};
    const float *const weights = grade_floats(grade, MOST_CHANNELS * SIDE * SIDE);

    for (int i = 0; i < MOST_CHANNELS * SIDE * SIDE; i++)
        call.weights.at[i / SIDE / SIDE][i / SIDE % SIDE][i % SIDE] = weights[i];
    if (!grade_run(grade, run, &call))
        return false;
    for (int y = margin; y < call.height - margin; y++)
        for (int x = margin; x < call.width - margin; x++)
            if (!compare(grade, &call, y, x))
                return false;
    return true;
}

static void test_inner(struct grade *grade)
{
    if (try_image(grade, 1, 2 * HEIGHT, 2 * WIDTH, 1))
        try_image(grade, grade_size(grade, 2, MOST_CHANNELS), 3 * HEIGHT, 2 * WIDTH, 1);
}

static void test_edges(struct grade *grade)
{
    if (try_image(grade, 2, HEIGHT, WIDTH, 0) && try_image(grade, 1, 1, 1, 0) &&
        try_image(grade, 3, HEIGHT + 1, WIDTH + 1, 0))
        try_image(grade, grade_size(grade, 1, MOST_CHANNELS), grade_size(grade, 2, 3 * HEIGHT),
                  grade_size(grade, 2, 3 * WIDTH), 0);
}

/* ---- counts ---------------------------------------------------------------------------------- */

enum { CHANNELS = 2, DOWN = 3, ACROSS = 3, TILES = CHANNELS * DOWN * ACROSS };

/* Load instructions per tile: 20 if 8 warps load rows of 34; 30 if each thread loads its own input
 * and some threads load the halo; 11 if consecutive threads load consecutive places of 34 x 10. */
enum { MOST_LOADS = 32 };

static uint64_t loads(const struct grade_line *line)
{
    return line->load_requests;
}

/* Loads of the image's inputs: a row or column at the edge of two tiles is loaded for both. */
static unsigned long inputs_once(void)
{
    const unsigned long rows = DOWN * HEIGHT + 2 * (DOWN - 1),
                        columns = ACROSS * WIDTH + 2 * (ACROSS - 1);
    return CHANNELS * rows * columns;
}

static void test_once(struct grade *grade)
{
    if (!grade_needs_rules(grade) ||
        !try_image(grade, CHANNELS, (size_t)DOWN * HEIGHT, (size_t)ACROSS * WIDTH, 0))
        return;
    const unsigned long found = (unsigned long)grade_total(grade).load_bytes / sizeof(float);
    if (found > inputs_once())
        grade_fail(grade, grade_worst(grade, loads).line,
                   "the L1 cache answers most of these loads, and each still takes its turn there.",
                   "%lu floats are loaded from global memory; %lu if each tile loads each of its "
                   "inputs once",
                   found, inputs_once());
}

static void test_loads(struct grade *grade)
{
    if (!grade_needs_rules(grade) ||
        !try_image(grade, CHANNELS, (size_t)DOWN * HEIGHT, (size_t)ACROSS * WIDTH, 0))
        return;
    const unsigned long found = (unsigned long)grade_total(grade).load_requests;
    if (found > TILES * MOST_LOADS)
        grade_fail(grade, grade_worst(grade, loads).line,
                   "an instruction costs a warp the same for one lane as for 32.",
                   "%.1f load instructions per tile and channel; 20 are enough",
                   (double)found / TILES);
}

const char grade_title[] = "a tile with a halo";
const struct grade_test grade_tests[] = {
    {"outputs inside the image", GRADE_RESULT, test_inner},
    {"the image's edges", GRADE_RESULT, test_edges},
    {"each input once per tile", GRADE_QUALITY, test_once},
    {"few load instructions", GRADE_QUALITY, test_loads},
    {"no races, no bad accesses", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
