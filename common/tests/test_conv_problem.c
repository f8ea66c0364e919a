/* Tests that the conv problem judges correctly: right rungs pass at all sizes, and each fault of a
 * wrong rung is caught. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "files.h"
#include "judging.h"
#include "problem/conv/conv.h"
#include "problem/conv/options.h"
#include "tensor_cores/parts/plan.h"
#include "winograd/parts/bound.h"

/* ---- rungs ----------------------------------------------------------------------------------- */

enum fault {
    RIGHT,
    RIGHT_BACKWARDS,
    NO_OP,
    NAN_ELEMENT,
    LAST_TAP_MISSING,
    LAST_CHANNEL_MISSING,
    LAST_ROW_MISSING,
    LAST_COLUMN_MISSING,
    LAST_FILTER_MISSING,
    WRONG_SIGN,
    SCALED,
    OFF_BY_ONE_UNIT, /* of an integer, in one element */
    PAD_IGNORED,
    PAD_REPEATS_EDGE,
    STRIDE_IGNORED,
    DILATION_IGNORED,
    CHANNELS_SWAPPED,
    GROUPS_IGNORED,
    FILTERS_SWAPPED,
    FIRST_PICTURE_ONLY,
    KERNEL_FLIPPED,
    KERNEL_TRANSPOSED,
    WRITES_PAST_END,
    WRITES_BEFORE_START,
    READS_BEFORE_START,
    ROUNDED_INPUTS,  /* to 11 bits as in TF32, or to bits_kept */
    NOT_QUITE_WHOLE, /* on probes: off by 1/1000, as with transforms */
    FAULTS
};

static const char *const fault_names[FAULTS] = {
    "right",
    "right, backwards",
    "no-op",
    "NaN element",
    "last tap",
    "last channel",
    "last row",
    "last column",
    "last filter",
    "wrong sign",
    "scaled by 1%",
    "off by one",
    "pad ignored",
    "pad repeats edge",
    "stride ignored",
    "dilation ignored",
    "channels swapped",
    "groups ignored",
    "filters swapped",
    "first picture only",
    "kernel flipped",
    "kernel transposed",
    "past the end",
    "before start",
    "read before start",
    "rounded inputs",
    "not quite whole",
};

static enum fault fault;
static unsigned bits_kept = 11; /* of 24 bits, with ROUNDED_INPUTS */

static float rounded(float x)
{
    const uint32_t unit = 1u << (24 - bits_kept);
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + unit / 2) & ~(unit - 1);
    memcpy(&x, &bits, sizeof x);
    return x;
}

static ptrdiff_t clamped(ptrdiff_t place, size_t size)
{
    return place < 0 ? 0 : place >= (ptrdiff_t)size ? (ptrdiff_t)size - 1 : place;
}

static float input_at(const struct conv *call, size_t b, size_t f, size_t c, size_t y, size_t x)
{
    const size_t group = fault == GROUPS_IGNORED ? 0 : f / (call->filters / call->groups);
    const size_t channel = (b * call->groups + group) * call->channels + c;
    const float value = call->input[(channel * call->height + y) * call->width + x];
    return fault == ROUNDED_INPUTS ? rounded(value) : value;
}

/* The product of one tap, or 0 outside the picture. */
static float term(const struct conv *call, size_t b, size_t f, size_t c, size_t r, size_t s,
                  size_t out_y, size_t out_x)
{
    const bool ignored = fault == STRIDE_IGNORED;
    const size_t stride_height = ignored ? 1 : call->stride_height;
    const size_t stride_width = ignored ? 1 : call->stride_width;
    const size_t dilation = fault == DILATION_IGNORED ? 1 : call->dilation;
    const size_t pad = fault == PAD_IGNORED ? 0 : call->pad;
    ptrdiff_t y = (ptrdiff_t)(out_y * stride_height + r * dilation) - (ptrdiff_t)pad;
    ptrdiff_t x = (ptrdiff_t)(out_x * stride_width + s * dilation) - (ptrdiff_t)pad;

    if (fault == PAD_REPEATS_EDGE) {
        y = clamped(y, call->height);
        x = clamped(x, call->width);
    }
    if (y < 0 || x < 0 || y >= (ptrdiff_t)call->height || x >= (ptrdiff_t)call->width)
        return 0;

    const size_t picture = fault == FIRST_PICTURE_ONLY ? 0 : b;
    const size_t channel = fault == CHANNELS_SWAPPED ? call->channels - 1 - c : c;
    const size_t filter = fault == FILTERS_SWAPPED ? call->filters - 1 - f : f;
    size_t tap = r * call->kernel_width + s;
    if (fault == KERNEL_FLIPPED)
        tap = call->kernel_height * call->kernel_width - 1 - tap;
    if (fault == KERNEL_TRANSPOSED)
        tap = s * call->kernel_height + r;
    const float weight =
        call->filter[(filter * call->channels + c) * call->kernel_height * call->kernel_width +
                     tap];
    return input_at(call, picture, f, channel, (size_t)y, (size_t)x) * weight;
}

static float sum_of(const struct conv *call, size_t b, size_t f, size_t y, size_t x)
{
    const size_t area = call->kernel_height * call->kernel_width;
    const size_t channels = call->channels - (fault == LAST_CHANNEL_MISSING ? 1 : 0);
    const size_t taps = channels * area - (fault == LAST_TAP_MISSING ? 1 : 0);
    float sum = 0;

    for (size_t i = 0; i < taps; i++) {
        const size_t tap = fault == RIGHT_BACKWARDS ? taps - 1 - i : i;
        sum += term(call, b, f, tap / area, tap % area / call->kernel_width,
                    tap % call->kernel_width, y, x);
    }
    if (fault == READS_BEFORE_START)
        sum += 0 * call->input[-1];
    return sum;
}

static void convolve(const struct conv *call)
{
    const size_t count = call->batch * call->filters * call->out_height * call->out_width;
    float *output = call->output;

    if (fault == NO_OP)
        return;
    for (size_t b = 0; b < call->batch; b++)
        for (size_t f = 0; f < call->filters; f++)
            for (size_t y = 0; y < call->out_height; y++)
                for (size_t x = 0; x < call->out_width; x++, output++) {
                    const bool middle = b == call->batch / 2 && f == call->filters / 2 &&
                                        y == call->out_height / 2 && x == call->out_width / 2;
                    if ((fault == LAST_ROW_MISSING && y == call->out_height - 1) ||
                        (fault == LAST_COLUMN_MISSING && x == call->out_width - 1) ||
                        (fault == LAST_FILTER_MISSING && f == call->filters - 1))
                        continue;
                    float value = sum_of(call, b, f, y, x);
                    if (fault == NAN_ELEMENT && middle)
                        value = NAN;
                    if (fault == WRONG_SIGN)
                        value = -value;
                    if (fault == SCALED)
                        value *= 1.01F;
                    if (fault == OFF_BY_ONE_UNIT && middle)
                        value += 1;
                    if (fault == NOT_QUITE_WHOLE && value == roundf(value))
                        value += 0.001F;
                    *output = value;
                }
    if (fault == WRITES_PAST_END)
        call->output[count] = 0;
    if (fault == WRITES_BEFORE_START)
        call->output[-1] = 0;
}

static struct conv_rung rung = {
    .rung = {.name = "convolve", .idea = "the definition"},
    .takes_groups = true,
    .run = convolve,
    .depth = conv_depth_serial,
};

/* ---- helpers --------------------------------------------------------------------------------- */

/* Skips the workspace: these rungs use none, and filling it takes most of the time. */
static bool fill_all_but_workspace(void *to, int byte, size_t bytes, struct error *error)
{
    return bytes >= (size_t)32 << 20 || cpu_back_end.fill(to, byte, bytes, error);
}

static struct back_end host_back_end, copying_back_end;

static int set_up(void **state)
{
    (void)state;
    host_back_end = cpu_back_end;
    host_back_end.fill = fill_all_but_workspace;
    /* Memory that the problem must not treat as host memory: it must copy all data. */
    copying_back_end = host_back_end;
    copying_back_end.host_memory = false;
    return 0;
}

/* batch, channels, height, width, filters, kernel height and width, stride, pad, dilation */
enum { SIZES = 10 };

static struct conv_options sizes(const size_t s[SIZES])
{
    return (struct conv_options){
        .batch = s[0],
        .groups = 1,
        .channels = s[1],
        .height = s[2],
        .width = s[3],
        .filters = s[4],
        .kernel_height = s[5],
        .kernel_width = s[6],
        .stride_height = s[7],
        .stride_width = s[7],
        .pad = s[8],
        .dilation = s[9],
        .base = {.seed = 1, .threads = 1},
    };
}

static struct judged judged_on(const struct back_end *back_end)
{
    return (struct judged){.kind = &conv_kind, .rung = &rung.rung, .back_end = back_end};
}

static struct problem *create(const struct conv_options *options, const struct back_end *back_end)
{
    const struct judged judged = judged_on(back_end);
    return judged_problem(&judged, &options->base);
}

/* The verdict on `convolve` with the given fault. Input 0 is the probe, input 1 the real data. */
static struct comparison verdict(struct problem *problem, size_t input, enum fault with)
{
    const struct judged judged = judged_on(problem->back_end);

    assert_int_equal(problem->probes, 1);
    fault = with;
    return judged_verdict(&judged, problem, input);
}

static void assert_right(const struct conv_options *options, const struct back_end *back_end,
                         enum fault with)
{
    const struct judged judged = judged_on(back_end);

    fault = with;
    assert_judged_right(&judged, &options->base, fault_names[with]);
}

static void assert_caught(const struct conv_options *options, int input, enum fault with)
{
    const struct judged judged = judged_on(&host_back_end);

    fault = with;
    assert_judged_wrong(&judged, &options->base, input, fault_names[with]);
}

static void assert_refused(const struct conv_options *options, enum exit_code code,
                           const char *text)
{
    const struct judged judged = judged_on(&host_back_end);
    assert_judged_refused(&judged, &options->base, code, text);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_output_size(void **state)
{
    (void)state;
    assert_int_equal(conv_output_size(130, 3, 1, 0, 1), 128);
    assert_int_equal(conv_output_size(514, 3, 1, 0, 1), 512);
    assert_int_equal(conv_output_size(1, 1, 1, 0, 1), 1);
    assert_int_equal(conv_output_size(5, 5, 3, 0, 1), 1);
    assert_int_equal(conv_output_size(5, 6, 1, 0, 1), 0);
    assert_int_equal(conv_output_size(5, 6, 1, 1, 1), 2);
    assert_int_equal(conv_output_size(7, 3, 2, 1, 1), 4);
    assert_int_equal(conv_output_size(8, 3, 2, 1, 1), 4);
    assert_int_equal(conv_output_size(8, 3, 1, 0, 4), 0);
    assert_int_equal(conv_output_size(9, 3, 1, 0, 4), 1);
    assert_int_equal(conv_output_size(0, 1, 1, 0, 1), 0);
    assert_int_equal(conv_output_size(0, 1, 1, 2, 1), 4);
    assert_int_equal(conv_output_size(5, 0, 1, 0, 1), 0);
    assert_int_equal(conv_output_size(5, 1, 0, 0, 1), 0);
    /* Sizes that would overflow. */
    assert_int_equal(conv_output_size(5, SIZE_MAX, 1, 0, SIZE_MAX), 0);
    assert_int_equal(conv_output_size(5, 3, 1, 0, SIZE_MAX), 0);
    assert_int_equal(conv_output_size(5, 1, 1, SIZE_MAX, 1), SIZE_MAX);
}

static void test_right_at_all_sizes(void **state)
{
    static const size_t shapes[][SIZES] = {
        {1, 1, 1, 1, 1, 1, 1, 1, 0, 1},   {1, 1, 5, 7, 1, 1, 1, 1, 0, 1},
        {2, 3, 9, 11, 4, 3, 3, 1, 0, 1},  {2, 3, 9, 11, 4, 3, 3, 1, 1, 1},
        {2, 3, 9, 11, 4, 3, 3, 2, 1, 1},  {2, 3, 9, 11, 4, 3, 3, 3, 0, 2},
        {1, 2, 12, 8, 3, 5, 5, 1, 2, 1},  {1, 2, 12, 8, 3, 5, 1, 2, 4, 1},
        {1, 2, 8, 12, 3, 1, 5, 1, 0, 2},  {1, 2, 8, 12, 3, 2, 4, 3, 5, 3},
        {3, 1, 1, 33, 2, 1, 3, 1, 0, 1},  {3, 1, 33, 1, 2, 3, 1, 1, 0, 1},
        {1, 1, 1, 1, 1, 3, 3, 1, 1, 1},   {1, 1, 1, 1, 1, 3, 3, 1, 7, 2},
        {1, 33, 4, 4, 1, 3, 3, 1, 1, 1},  {1, 1, 4, 4, 33, 3, 3, 1, 1, 1},
        {2, 3, 31, 33, 5, 3, 3, 1, 1, 1}, {1, 2, 20, 300, 2, 3, 3, 1, 1, 1},
        {1, 2, 3, 3, 2, 5, 5, 1, 0, 1},   {1, 2, 5, 3, 2, 3, 5, 1, 0, 1},
        {0, 2, 5, 5, 2, 3, 3, 1, 0, 1},   {2, 0, 5, 5, 2, 3, 3, 1, 0, 1},
        {2, 2, 0, 5, 2, 3, 3, 1, 0, 1},   {2, 2, 5, 0, 2, 3, 3, 1, 2, 1},
        {2, 2, 5, 5, 0, 3, 3, 1, 0, 1},   {2, 2, 5, 5, 2, 0, 3, 1, 0, 1},
        {2, 2, 5, 5, 2, 3, 0, 1, 0, 1},   {2, 12, 20, 34, 24, 3, 3, 1, 0, 1},
        {1, 2, 6, 6, 2, 2, 2, 5, 0, 1},   {1, 2, 6, 6, 2, 2, 2, 9, 3, 1},
    };
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t offset = 0; offset <= 1; offset++) {
            struct conv_options options = sizes(shapes[s]);
            options.base.offset = offset;
            assert_right(&options, &host_back_end, RIGHT);
            assert_right(&options, &host_back_end, RIGHT_BACKWARDS);
            assert_right(&options, &copying_back_end, RIGHT);
        }
}

/* The problem is too large for judging every element of the real data. */
static void test_right_by_sample(void **state)
{
    const size_t shape[SIZES] = {2, 12, 90, 60, 16, 3, 3, 1, 1, 1};
    const struct conv_options options = sizes(shape);
    (void)state;

    assert_right(&options, &host_back_end, RIGHT);
    assert_caught(&options, 0, OFF_BY_ONE_UNIT);
    assert_caught(&options, 1, NAN_ELEMENT);
    assert_caught(&options, 1, LAST_COLUMN_MISSING);
    assert_caught(&options, 1, SCALED);
    assert_caught(&options, 1, PAD_IGNORED);
    assert_caught(&options, 1, CHANNELS_SWAPPED);
}

static bool applies(enum fault with, const struct conv_options *options)
{
    switch (with) {
    case RIGHT:
    case RIGHT_BACKWARDS:
    case ROUNDED_INPUTS:
    case NOT_QUITE_WHOLE:
        return false;
    case PAD_IGNORED:
    case PAD_REPEATS_EDGE:
        return options->pad > 0;
    case STRIDE_IGNORED:
        return options->stride_height > 1 || options->stride_width > 1;
    case DILATION_IGNORED:
        return options->dilation > 1;
    case CHANNELS_SWAPPED:
        return options->channels > 1;
    case GROUPS_IGNORED:
        return options->groups > 1;
    case FILTERS_SWAPPED:
        return options->filters > 1;
    case FIRST_PICTURE_ONLY:
        return options->batch > 1;
    case KERNEL_FLIPPED:
    case KERNEL_TRANSPOSED:
        return options->kernel_height > 1 && options->kernel_width > 1;
    default:
        return true;
    }
}

static void test_faults_are_caught(void **state)
{
    static const size_t shapes[][SIZES] = {
        {1, 1, 1, 1, 1, 1, 1, 1, 0, 1},  {2, 3, 9, 11, 4, 3, 3, 1, 0, 1},
        {2, 3, 9, 11, 4, 3, 3, 1, 1, 1}, {2, 3, 9, 11, 4, 3, 3, 2, 1, 1},
        {2, 3, 9, 11, 4, 3, 3, 3, 0, 2}, {1, 2, 12, 8, 3, 5, 4, 1, 2, 1},
        {3, 2, 1, 33, 2, 1, 3, 1, 0, 1}, {2, 2, 20, 100, 3, 3, 3, 1, 2, 2},
        {1, 1, 3, 3, 1, 5, 5, 1, 2, 1},
    };
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (enum fault with = RIGHT; with < FAULTS; with++) {
            const struct conv_options options = sizes(shapes[s]);
            if (applies(with, &options)) {
                assert_caught(&options, 0, with);
                assert_caught(&options, 1, with);
            }
        }
}

static void test_groups(void **state)
{
    const size_t shape[SIZES] = {2, 6, 9, 11, 4, 3, 3, 1, 1, 1};
    struct conv_options options = sizes(shape);
    (void)state;

    options.groups = 2;
    assert_right(&options, &host_back_end, RIGHT);
    for (enum fault with = RIGHT; with < FAULTS; with++)
        if (applies(with, &options)) {
            assert_caught(&options, 0, with);
            assert_caught(&options, 1, with);
        }
    options.groups = 3;
    assert_refused(&options, EXIT_BAD_USAGE,
                   "--groups 3: does not divide 6 channels and 4 filters");
}

/* The bound must be tight enough to detect a precision below float, which a probe cannot. */
static void test_reduced_precision_is_caught(void **state)
{
    const size_t shape[SIZES] = {2, 3, 9, 11, 4, 3, 3, 1, 0, 1};
    const struct conv_options options = sizes(shape);
    struct problem *problem = create(&options, &host_back_end);
    (void)state;

    assert_true(verdict(problem, 0, ROUNDED_INPUTS).right);
    problem->kind->destroy(problem);
    assert_caught(&options, 1, ROUNDED_INPUTS);
}

/* Winograd's bound is wider, but still catches wrong results. */
static void test_winograd_bound(void **state)
{
    const size_t shape[SIZES] = {2, 3, 9, 11, 4, 3, 3, 1, 1, 1};
    const struct conv_options options = sizes(shape);
    (void)state;

    rung.magnitude = winograd_magnitude;
    rung.depth = winograd_depth;
    assert_right(&options, &host_back_end, RIGHT);
    assert_caught(&options, 0, NOT_QUITE_WHOLE);
    assert_caught(&options, 1, NAN_ELEMENT);
    assert_caught(&options, 1, LAST_TAP_MISSING);
    assert_caught(&options, 1, SCALED);
    rung.magnitude = winograd4_magnitude;
    rung.depth = winograd4_depth;
    assert_right(&options, &host_back_end, RIGHT);
    assert_caught(&options, 1, LAST_TAP_MISSING);
    rung.magnitude = NULL;
    rung.depth = conv_depth_serial;
}

/* No bound is several times too wide: inputs rounded to this number of bits are caught, but inputs
 * with one more bit are not. */
static void test_bounds_are_sharp(void **state)
{
    static const struct {
        double (*depth)(const struct conv *call);
        double (*magnitude)(const struct conv *call, const struct conv_pixel *pixel);
        size_t side;
        unsigned bits;
    } cases[] = {
        {conv_depth_serial, NULL, 3, 17},
        {depth_tensor, NULL, 3, 14},
        {winograd_depth, winograd_magnitude, 3, 17},
        {winograd4_depth, winograd4_magnitude, 3, 12},
        {winograd4_depth, winograd4_magnitude, 5, 8},
        {winograd_3xtf32_depth, winograd4_magnitude, 3, 8},
    };
    (void)state;

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const size_t shape[SIZES] = {2, 3, 9, 11, 4, cases[c].side, cases[c].side, 1, 1, 1};
        const struct conv_options options = sizes(shape);

        rung.depth = cases[c].depth;
        rung.magnitude = cases[c].magnitude;
        assert_right(&options, &host_back_end, RIGHT);
        bits_kept = cases[c].bits;
        assert_caught(&options, 1, ROUNDED_INPUTS);
        bits_kept++;
        assert_right(&options, &host_back_end, ROUNDED_INPUTS);
    }
    bits_kept = 11;
    rung.magnitude = NULL;
    rung.depth = conv_depth_serial;
}

/* A library that may transform may have a small error on whole numbers, but not a wrong number. */
static void test_transforms_are_rounded(void **state)
{
    const size_t shape[SIZES] = {2, 3, 9, 11, 4, 3, 3, 1, 1, 1};
    const struct conv_options options = sizes(shape);
    struct problem *problem;
    (void)state;

    assert_caught(&options, 0, NOT_QUITE_WHOLE);
    rung.any_transform = rung.rounds_whole_numbers = true;
    assert_right(&options, &host_back_end, RIGHT);
    problem = create(&options, &host_back_end);
    assert_true(verdict(problem, 0, NOT_QUITE_WHOLE).right);
    problem->kind->destroy(problem);
    assert_caught(&options, 0, OFF_BY_ONE_UNIT);
    assert_caught(&options, 0, NO_OP);
    assert_caught(&options, 1, NAN_ELEMENT);
    assert_caught(&options, 1, LAST_TAP_MISSING);
    assert_caught(&options, 1, SCALED);
    rung.any_transform = rung.rounds_whole_numbers = false;
}

static void test_report_names_the_element(void **state)
{
    const size_t shape[SIZES] = {2, 3, 9, 11, 4, 3, 3, 1, 0, 1};
    const struct conv_options options = sizes(shape);
    struct problem *problem = create(&options, &host_back_end);
    (void)state;

    for (size_t input = 0; input <= 1; input++) {
        const struct comparison comparison = verdict(problem, input, OFF_BY_ONE_UNIT);
        assert_non_null(strstr(comparison.where, "output[1][2][3][4]: got "));
        assert_non_null(strstr(comparison.where, ", expected "));
        assert_true(fabs(comparison.error - 1) < 1e-5);
    }
    assert_non_null(strstr(verdict(problem, 0, NO_OP).where, "output[0][0][0][0]: got nan"));
    assert_non_null(strstr(verdict(problem, 0, WRITES_PAST_END).where, "0 elements past its end"));
    assert_non_null(strstr(verdict(problem, 1, WRITES_BEFORE_START).where, "1 elements before"));
    problem->kind->destroy(problem);
}

static void test_facts(void **state)
{
    const size_t shape[SIZES] = {2, 12, 130, 514, 24, 3, 3, 1, 0, 1};
    const struct conv_options options = sizes(shape);
    struct problem *problem = create(&options, &host_back_end);
    (void)state;

    assert_string_equal(problem->op, "conv");
    assert_string_equal(problem->type, "f32");
    assert_string_equal(problem->shape, "2x12x130x514:24x3x3:s1p0d1");
    assert_true(problem->flops == 2.0 * 2 * 24 * 128 * 512 * 12 * 9);
    assert_true(problem->bytes == 4.0 * (2 * 12 * 130 * 514 + 24 * 12 * 9 + 2 * 24 * 128 * 512));
    problem->kind->destroy(problem);
}

/* ---- the user's data ------------------------------------------------------------------------- */

static void test_files(void **state)
{
    const size_t shape[SIZES] = {7, 7, 7, 7, 5, 2, 2, 1, 1, 1};
    struct conv_options options = sizes(shape);
    float pictures[2 * 3 * 4 * 5], filters[2 * 3 * 2 * 3];
    (void)state;

    for (int i = 0; i < 120; i++)
        pictures[i] = (float)i / 3;
    for (int i = 0; i < 36; i++)
        filters[i] = (float)(i - 17) / 7;
    char *const path_a = npy_temporary("(2, 3, 4, 5)", pictures, 120);
    char *const path_b = npy_temporary("(2, 3, 2, 3)", filters, 36);

    options.base.a = path_a;
    options.base.b = path_b;
    struct problem *problem = create(&options, &host_back_end);
    assert_string_equal(problem->shape, "2x3x4x5:2x2x3:s1p1d1");
    problem->kind->destroy(problem);
    assert_right(&options, &host_back_end, RIGHT);
    assert_caught(&options, 1, SCALED);

    options.base.b = NULL; /* then the other input is random and has the right size */
    assert_right(&options, &host_back_end, RIGHT);
    options.base.a = NULL;
    options.base.b = path_b;
    assert_right(&options, &host_back_end, RIGHT);

    /* A NaN in a filter makes each product with an element of the picture NaN. Its product with the
     * padding is not defined. */
    filters[0] = NAN;
    pictures[50] = INFINITY;
    char *const path_nan = npy_temporary("(2, 3, 2, 3)", filters, 36);
    char *const path_inf = npy_temporary("(2, 3, 4, 5)", pictures, 120);
    options.base.a = path_a;
    options.base.b = path_nan;
    assert_right(&options, &host_back_end, RIGHT);
    assert_caught(&options, 1, NAN_ELEMENT);
    options.base.a = path_inf;
    options.base.b = path_b;
    assert_right(&options, &host_back_end, RIGHT);
    npy_remove(path_a);
    npy_remove(path_b);
    npy_remove(path_nan);
    npy_remove(path_inf);
}

static void test_refused(void **state)
{
    const size_t small[SIZES] = {1, 1, 1, 1, 1, 1, 1, 1, 0, 1};
    const float data[24] = {0};
    struct conv_options options = sizes(small);
    (void)state;

    options.stride_width = 0;
    assert_refused(&options, EXIT_BAD_USAGE, "--stride 0");
    options.stride_width = 1;
    options.dilation = 0;
    assert_refused(&options, EXIT_BAD_USAGE, "--dilation 0");
    options.dilation = 1;

    char *const path_2x3 = npy_temporary("(2, 3, 2, 2)", data, 24);
    char *const path_3x2 = npy_temporary("(3, 2, 2, 2)", data, 24);
    char *const path_24 = npy_temporary("(24,)", data, 24);
    options.base.a = path_2x3;
    options.base.b = path_3x2;
    assert_refused(&options, EXIT_FILE_ERROR, "3 channels");
    options.base.b = path_24;
    assert_refused(&options, EXIT_FILE_ERROR, "1 dimensions, expected 4");
    options.base.a = "/nonexistent.npy";
    assert_refused(&options, EXIT_FILE_ERROR, "/nonexistent.npy");
    npy_remove(path_2x3);
    npy_remove(path_3x2);
    npy_remove(path_24);

    options = sizes(small);
    options.batch = SIZE_MAX;
    assert_refused(&options, EXIT_DEVICE_ERROR, "out of memory");
    options = sizes(small);
    options.height = options.width = (size_t)1 << 31;
    assert_refused(&options, EXIT_DEVICE_ERROR, "out of memory");
    options = sizes(small);
    options.pad = SIZE_MAX / 2;
    assert_refused(&options, EXIT_DEVICE_ERROR, "out of memory");
    options = sizes(small);
    options.filters = 0;
    options.channels = options.kernel_width = (size_t)1 << 40;
    assert_refused(&options, EXIT_DEVICE_ERROR, "out of memory");
    options = sizes(small);
    options.filters = 0;
    options.height = options.width = 1024;
    options.channels = judged_room_for_one() / (options.batch << 20) / sizeof(float);
    const struct judged judged = judged_on(&host_back_end);
    assert_judged_counts_copies(&judged, &options.base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_size),
        cmocka_unit_test(test_right_at_all_sizes),
        cmocka_unit_test(test_right_by_sample),
        cmocka_unit_test(test_faults_are_caught),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_reduced_precision_is_caught),
        cmocka_unit_test(test_winograd_bound),
        cmocka_unit_test(test_bounds_are_sharp),
        cmocka_unit_test(test_transforms_are_rounded),
        cmocka_unit_test(test_report_names_the_element),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("conv_problem", tests, set_up, NULL);
}
/* SPDX-License-Identifier: MIT */
