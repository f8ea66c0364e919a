/* Tests that the gemm problem judges correctly: right rungs pass at all sizes, and each fault of a
 * wrong rung is caught. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/bfloat.h"
#include "files.h"
#include "judging.h"
#include "problem/gemm/gemm.h"
#include "problem/gemm/options.h"
#include "problem/judge.h"

/* ---- rungs ----------------------------------------------------------------------------------- */

enum fault {
    RIGHT,
    RIGHT_BACKWARDS,
    NO_OP,
    NAN_ELEMENT,
    LAST_TERM_MISSING, /* in every element */
    ONE_TERM_MISSING,  /* in one element */
    ONE_TERM_TWICE,
    LAST_ROW_MISSING,
    LAST_COLUMN_MISSING,
    WRONG_SIGN,
    SCALED,
    OFF_BY_ONE_UNIT, /* of an integer, in one element */
    B_TRANSPOSED,
    LDC_IGNORED,
    PADDING_WRITTEN,
    PADDING_READ,
    WRITES_PAST_END,
    WRITES_ONE_ROW_TOO_MANY,
    WRITES_BEFORE_START,
    ALPHA_IGNORED,
    BETA_IGNORED,
    OLD_C_READ,
    ROUNDED_INPUTS, /* to 11 bits, as in TF32 */
    FAULTS
};

static const char *const fault_names[FAULTS] = {
    "right",        "right, k backwards", "no-op",           "NaN element",
    "last term",    "one term missing",   "one term twice",  "last row",
    "last column",  "wrong sign",         "scaled by 1%",    "off by one",
    "B transposed", "ldc ignored",        "padding written", "padding read",
    "past the end", "a row too many",     "before start",    "alpha ignored",
    "beta ignored", "old C read",         "rounded inputs",
};

static enum fault fault;

static float rounded(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + 0x1000u) & ~0x1FFFu;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float sum_of(const struct gemm *call, size_t row, size_t column)
{
    const bool middle = row == call->m / 2 && column == call->n / 2;
    const size_t terms = call->k - (fault == LAST_TERM_MISSING && call->k > 0 ? 1 : 0);
    float sum = 0;

    for (size_t i = 0; i < terms; i++) {
        const size_t p = fault == RIGHT_BACKWARDS ? call->k - 1 - i : i;
        float a = call->a[row * call->lda + p];
        float b = fault == B_TRANSPOSED ? call->b[column * call->ldb + p]
                                        : call->b[p * call->ldb + column];
        if (fault == ROUNDED_INPUTS) {
            a = rounded(a);
            b = rounded(b);
        }
        if (!(fault == ONE_TERM_MISSING && middle && p == call->k / 2))
            sum += a * b;
        if (fault == ONE_TERM_TWICE && middle && p == call->k / 2)
            sum += a * b;
    }
    if (fault == PADDING_READ && call->k > 0) /* reads one column too many */
        sum += 0 * call->a[row * call->lda + call->k];
    return sum;
}

static void product(const struct gemm *call)
{
    const size_t ldc = fault == LDC_IGNORED ? call->n : call->ldc;
    const float alpha = fault == ALPHA_IGNORED ? 1 : call->alpha;
    const float beta = fault == BETA_IGNORED ? 0 : call->beta;
    size_t rows = call->m, columns = call->n;

    if (fault == NO_OP)
        return;
    rows -= fault == LAST_ROW_MISSING ? 1 : 0;
    columns -= fault == LAST_COLUMN_MISSING ? 1 : 0;
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column++) {
            const bool middle = row == call->m / 2 && column == call->n / 2;
            float *const c = call->c + row * ldc + column;
            float value = alpha * sum_of(call, row, column);
            if (beta != 0 || fault == OLD_C_READ)
                value += beta * *c;
            if (fault == NAN_ELEMENT && middle)
                value = NAN;
            if (fault == WRONG_SIGN && middle)
                value = -value;
            if (fault == SCALED)
                value *= 1.01F;
            if (fault == OFF_BY_ONE_UNIT && middle)
                value += 1;
            *c = value;
        }
    if (fault == PADDING_WRITTEN)
        call->c[call->n] = 0;
    if (fault == WRITES_PAST_END)
        call->c[call->m * call->ldc] = 0;
    if (fault == WRITES_ONE_ROW_TOO_MANY)
        for (size_t column = 0; column < call->n; column++)
            call->c[call->m * call->ldc + column] = 1;
    if (fault == WRITES_BEFORE_START)
        call->c[-1] = 0;
}

static const struct gemm_rung rung = {
    .rung = {.name = "product", .idea = "the definition"},
    .run = product,
    .depth = gemm_depth_serial,
};

/* ---- helpers --------------------------------------------------------------------------------- */

/* Skips the workspace: these rungs use none, and filling it takes most of the time. */
static bool fill_all_but_workspace(void *to, int byte, size_t bytes, struct error *error)
{
    return bytes == GEMM_WORKSPACE || cpu_back_end.fill(to, byte, bytes, error);
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

static struct gemm_options sizes(size_t m, size_t n, size_t k)
{
    return (struct gemm_options){
        .m = m, .n = n, .k = k, .alpha = 1, .base = {.seed = 1, .threads = 1}};
}

static struct judged judged_on(const struct back_end *back_end)
{
    return (struct judged){.kind = &gemm_kind, .rung = &rung.rung, .back_end = back_end};
}

static struct problem *create(const struct gemm_options *options, const struct back_end *back_end)
{
    const struct judged judged = judged_on(back_end);
    return judged_problem(&judged, &options->base);
}

/* The verdict on `product` with the given fault. Input 0 is the probe, input 1 the real data. */
static struct comparison verdict(struct problem *problem, size_t input, enum fault with)
{
    const struct judged judged = judged_on(problem->back_end);

    assert_int_equal(problem->probes, 1);
    fault = with;
    return judged_verdict(&judged, problem, input);
}

static void assert_right(const struct gemm_options *options, const struct back_end *back_end,
                         enum fault with)
{
    const struct judged judged = judged_on(back_end);

    fault = with;
    assert_judged_right(&judged, &options->base, fault_names[with]);
}

static void assert_caught(const struct gemm_options *options, int input, enum fault with)
{
    const struct judged judged = judged_on(&host_back_end);

    fault = with;
    assert_judged_wrong(&judged, &options->base, input, fault_names[with]);
}

static void assert_refused(const struct gemm_options *options, enum exit_code code,
                           const char *text)
{
    const struct judged judged = judged_on(&host_back_end);
    assert_judged_refused(&judged, &options->base, code, text);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_right_at_all_sizes(void **state)
{
    static const size_t shapes[][3] = {
        {0, 0, 0},   {0, 5, 3},     {5, 0, 3},      {5, 3, 0},    {1, 1, 0},    {1, 1, 1},
        {1, 9, 1},   {9, 1, 1},     {1, 1, 9},      {2, 3, 1},    {7, 5, 3},    {31, 33, 32},
        {1, 257, 1}, {257, 1, 129}, {1023, 2, 3},   {2, 1025, 3}, {3, 2, 4099}, {64, 64, 64},
        {65, 63, 1}, {129, 127, 1}, {150, 130, 31},
    };
    static const float factors[][2] = {{1, 0},    {1, 1},        {0, 0},    {0, 2},     {-1, 3},
                                       {0.5F, 0}, {0.3F, -0.7F}, {2, 0.1F}, {1000, -50}};
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++)
            for (size_t spoilt = 0; spoilt <= 1; spoilt++) {
                struct gemm_options options = sizes(shapes[s][0], shapes[s][1], shapes[s][2]);
                options.alpha = factors[f][0];
                options.beta = factors[f][1];
                options.base.padding = 3 * spoilt;
                options.base.offset = spoilt;
                assert_right(&options, &host_back_end, RIGHT);
                assert_right(&options, &host_back_end, RIGHT_BACKWARDS);
            }
}

static void test_right_through_copies(void **state)
{
    (void)state;

    for (int beta = 0; beta <= 2; beta++)
        for (size_t padding = 0; padding <= 5; padding += 5) {
            struct gemm_options options = sizes(33, 17, 21);
            options.beta = (float)beta;
            options.base.padding = padding;
            options.base.offset = padding;
            assert_right(&options, &copying_back_end, RIGHT);
        }
}

/* The problem is too large for judging every element of the real data. */
static void test_right_by_sample(void **state)
{
    const struct gemm_options options = sizes(300, 257, 260);
    struct gemm_options long_sums = sizes(5, 5, 1 << 20);
    (void)state;

    assert_right(&options, &host_back_end, RIGHT);
    long_sums.beta = 1;
    assert_right(&long_sums, &host_back_end, RIGHT);
}

static bool applies(enum fault with, const struct gemm_options *options)
{
    switch (with) {
    case RIGHT:
    case RIGHT_BACKWARDS:
    case ROUNDED_INPUTS:
        return false;
    case B_TRANSPOSED:
        return options->n == options->k && options->n > 1;
    case LDC_IGNORED:
        return options->base.padding > 0 && options->m > 1;
    case PADDING_WRITTEN:
    case PADDING_READ:
        return options->base.padding > 0;
    case ALPHA_IGNORED:
        return options->alpha != 1;
    case BETA_IGNORED:
        return options->beta != 0;
    case OLD_C_READ:
        return options->beta == 0;
    default:
        return true;
    }
}

static void test_faults_are_caught(void **state)
{
    static const size_t shapes[][3] = {{5, 4, 4},    {1, 1, 1},    {1, 7, 3},      {7, 1, 3},
                                       {33, 31, 17}, {65, 33, 33}, {300, 258, 258}};
    static const float factors[][2] = {{1, 0}, {2, -1}, {0.5F, 0.25F}, {-1, 0}};
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++)
            for (size_t padding = 0; padding <= 3; padding += 3)
                for (enum fault with = RIGHT; with < FAULTS; with++) {
                    struct gemm_options options = sizes(shapes[s][0], shapes[s][1], shapes[s][2]);
                    const bool sampled = options.m * options.n * options.k > (size_t)1 << 24;
                    const bool rare = with == ONE_TERM_MISSING || with == ONE_TERM_TWICE ||
                                      with == WRONG_SIGN || with == OFF_BY_ONE_UNIT;
                    options.alpha = factors[f][0];
                    options.beta = factors[f][1];
                    options.base.padding = padding;
                    if (sampled && (f > 0 || padding > 0))
                        continue; /* this would take long */
                    if (applies(with, &options)) {
                        assert_caught(&options, 0, with);
                        if (!(sampled && rare))
                            assert_caught(&options, 1, with);
                    }
                }
}

/* The bound must be tight enough to detect a precision below float, which a probe cannot. */
static void test_reduced_precision_is_caught(void **state)
{
    const struct gemm_options options = sizes(40, 40, 40);
    struct problem *problem = create(&options, &host_back_end);
    (void)state;

    assert_true(verdict(problem, 0, ROUNDED_INPUTS).right);
    problem->kind->destroy(problem);
    assert_caught(&options, 1, ROUNDED_INPUTS);
}

/* Four partial sums, each over a quarter of k and scaled separately. */
static void product_in_parts(const struct gemm *call)
{
    enum { PARTS = 4 };

    for (size_t row = 0; row < call->m; row++)
        for (size_t column = 0; column < call->n; column++) {
            float *const c = call->c + row * call->ldc + column;
            float sum = call->beta == 0 ? 0 : call->beta * *c;
            for (size_t part = 0; part < PARTS; part++) {
                float partial = 0;
                for (size_t p = call->k * part / PARTS; p < call->k * (part + 1) / PARTS; p++)
                    partial += call->a[row * call->lda + p] * call->b[p * call->ldb + column];
                sum += call->alpha * partial;
            }
            *c = sum;
        }
}

static double depth_in_parts(const struct gemm *call)
{
    return (double)((call->k + 3) / 4) + 4;
}

/* A rung that adds up partial sums has a smaller depth. It is right, and its bound is the one of
 * compare.h. */
static void test_partial_sums(void **state)
{
    const struct gemm_rung parts = {
        .rung = {.name = "parts", .idea = ""}, .run = product_in_parts, .depth = depth_in_parts};
    const struct judged serial_judged = judged_on(&host_back_end);
    struct judged judged = serial_judged;
    (void)state;

    judged.rung = &parts.rung;
    for (int beta = 0; beta <= 1; beta++)
        for (size_t k = 0; k <= 1000; k = 10 * k + 1) {
            struct gemm_options options = sizes(20, 30, k);
            options.alpha = 0.3F;
            options.beta = (float)beta;
            assert_judged_right(&judged, &options.base, "partial sums");
        }

    const struct gemm_options options = sizes(1, 1, 1000);
    struct problem *problem = judged_problem(&judged, &options.base);
    fault = RIGHT;
    const double serial = judged_verdict(&serial_judged, problem, 1).bound;
    const double in_parts = judged_verdict(&judged, problem, 1).bound;
    const double roundings = (double)(250 + 4 + 1) * UNIT_ROUNDOFF_F32;
    const double wanted = roundings / (1 - roundings) / (1001 * UNIT_ROUNDOFF_F32);
    assert_true(fabs(in_parts / serial / wanted - 1) < 1e-9);
    problem->kind->destroy(problem);
}

static void test_report_names_the_element(void **state)
{
    struct gemm_options options = sizes(9, 7, 5);
    (void)state;

    struct problem *problem = create(&options, &host_back_end);
    for (size_t input = 0; input <= 1; input++) {
        const struct comparison comparison = verdict(problem, input, OFF_BY_ONE_UNIT);
        assert_non_null(strstr(comparison.where, "C[4][3]: got "));
        assert_non_null(strstr(comparison.where, ", expected "));
        assert_true(fabs(comparison.error - 1) < 1e-5);
    }
    assert_non_null(strstr(verdict(problem, 0, NO_OP).where, "C[0][0]: got nan"));
    assert_non_null(strstr(verdict(problem, 0, WRITES_PAST_END).where, "0 elements past its end"));
    assert_non_null(strstr(verdict(problem, 1, WRITES_BEFORE_START).where, "1 elements before it"));
    problem->kind->destroy(problem);

    options.base.padding = 2;
    problem = create(&options, &host_back_end);
    assert_non_null(strstr(verdict(problem, 0, PADDING_WRITTEN).where, "C[0][7]"));
    problem->kind->destroy(problem);
}

static void test_facts(void **state)
{
    struct gemm_options options = sizes(2048, 2048, 1024);
    struct problem *problem = create(&options, &host_back_end);
    (void)state;

    assert_string_equal(problem->op, "gemm");
    assert_string_equal(problem->type, "f32");
    assert_string_equal(problem->shape, "2048x2048x1024");
    assert_true(problem->flops == 2.0 * 2048 * 2048 * 1024);
    assert_true(problem->bytes == 4.0 * (2048.0 * 1024 * 2 + 2048.0 * 2048));
    problem->kind->destroy(problem);

    options = sizes(3, 5, 7);
    options.beta = 1;
    problem = create(&options, &host_back_end);
    assert_true(problem->bytes == 4.0 * (3 * 7 + 7 * 5 + 2 * 3 * 5));
    problem->kind->destroy(problem);
}

/* ---- the user's data ------------------------------------------------------------------------- */

static void test_files(void **state)
{
    float a[3 * 4], b[4 * 2];
    struct gemm_options options = sizes(100, 100, 100);
    (void)state;

    for (int i = 0; i < 12; i++)
        a[i] = (float)i / 3;
    for (int i = 0; i < 8; i++)
        b[i] = (float)(i - 4) / 7;
    char *const path_a = npy_temporary("(3, 4)", a, 12);
    char *const path_b = npy_temporary("(4, 2)", b, 8);

    options.base.a = path_a;
    options.base.b = path_b;
    struct problem *problem = create(&options, &host_back_end);
    assert_string_equal(problem->shape, "3x2x4");
    problem->kind->destroy(problem);
    assert_right(&options, &host_back_end, RIGHT);
    assert_caught(&options, 1, SCALED);

    options.base.b = NULL; /* then the other input is random and has the right size */
    assert_right(&options, &host_back_end, RIGHT);
    options.base.a = NULL;
    options.base.b = path_b;
    assert_right(&options, &host_back_end, RIGHT);
    npy_remove(path_a);
    npy_remove(path_b);
}

/* NaN and infinities appear only in the elements that arithmetic gives them to. */
static void test_files_with_special_values(void **state)
{
    float a[3 * 2] = {1, NAN, 2, 3, INFINITY, 4};
    float b[2 * 2] = {1, 2, 3, 4};
    struct gemm_options options = sizes(0, 0, 0);
    (void)state;

    char *const path_a = npy_temporary("(3, 2)", a, 6);
    char *const path_b = npy_temporary("(2, 2)", b, 4);
    options.base.a = path_a;
    options.base.b = path_b;
    assert_right(&options, &host_back_end, RIGHT);
    assert_caught(&options, 1, NO_OP);
    assert_caught(&options, 1, NAN_ELEMENT);
    options.alpha = 0.5F;
    options.beta = 2;
    assert_right(&options, &host_back_end, RIGHT);
    npy_remove(path_a);
    npy_remove(path_b);
}

/* If alpha is 0, BLAS reads neither A nor B. The checker also accepts a multiplication by 0, but
 * nothing else. */
static void multiply_unless_alpha_is_0(const struct gemm *call)
{
    if (call->alpha != 0) {
        product(call);
        return;
    }
    for (size_t row = 0; row < call->m; row++)
        for (size_t column = 0; column < call->n; column++) {
            float *const c = call->c + row * call->ldc + column;
            *c = call->beta == 0 ? 0 : call->beta * *c;
            if (fault == OFF_BY_ONE_UNIT)
                *c += 1;
        }
}

static void test_alpha_0(void **state)
{
    const float a[3 * 2] = {1, NAN, 2, 3, INFINITY, 4};
    const struct gemm_rung by_the_rule = {.rung = {.name = "rule", .idea = ""},
                                          .run = multiply_unless_alpha_is_0,
                                          .depth = gemm_depth_serial};
    struct judged judged = judged_on(&host_back_end);
    struct gemm_options options = sizes(0, 5, 0);
    char *const path = npy_temporary("(3, 2)", a, 6);
    (void)state;

    options.base.a = path;
    for (int beta = 0; beta <= 3; beta++) {
        options.alpha = 0;
        options.beta = (float)beta;
        assert_right(&options, &host_back_end, RIGHT);
        assert_caught(&options, 1, OFF_BY_ONE_UNIT); /* in row 1, which has only finite numbers */
        if (beta != 1)
            assert_caught(&options, 1, NO_OP);

        judged.rung = &by_the_rule.rung;
        fault = RIGHT;
        assert_judged_right(&judged, &options.base, "alpha 0");
        fault = OFF_BY_ONE_UNIT;
        assert_judged_wrong(&judged, &options.base, 1, "alpha 0, off by one");
        fault = ALPHA_IGNORED;
        options.alpha = 0.5F;
        assert_judged_wrong(&judged, &options.base, 1, "alpha ignored");
    }
    npy_remove(path);
}

static void test_refused(void **state)
{
    const float data[12] = {0};
    struct gemm_options options = sizes(1, 1, 1);
    (void)state;

    char *const path_3x4 = npy_temporary("(3, 4)", data, 12);
    char *const path_12 = npy_temporary("(12,)", data, 12);
    options.base.a = options.base.b = path_3x4;
    assert_refused(&options, EXIT_FILE_ERROR, "has 4 columns but");
    options.base.b = path_12;
    assert_refused(&options, EXIT_FILE_ERROR, "1 dimensions, expected a matrix (2)");
    options.base.a = "/nonexistent.npy";
    assert_refused(&options, EXIT_FILE_ERROR, "/nonexistent.npy");
    options.base.a = TEST_DATA_DIR "/float64_empty_2d.npy";
    assert_refused(&options, EXIT_FILE_ERROR, "expected float32");
    npy_remove(path_3x4);
    npy_remove(path_12);

    options = sizes(SIZE_MAX, SIZE_MAX, SIZE_MAX);
    assert_refused(&options, EXIT_DEVICE_ERROR, "out of memory");
    options = sizes((size_t)1 << 31, (size_t)1 << 31, 1);
    assert_refused(&options, EXIT_DEVICE_ERROR, "out of memory");
    options = sizes(SIZE_MAX, 0, 0);
    assert_refused(&options, EXIT_DEVICE_ERROR, "out of memory");
    options = sizes(0, 0, SIZE_MAX / 4 + 1);
    assert_refused(&options, EXIT_DEVICE_ERROR, "out of memory");
    options = sizes(1024, 0, judged_room_for_one() / 1024 / sizeof(float));
    const struct judged judged = judged_on(&host_back_end);
    assert_judged_counts_copies(&judged, &options.base);
}

/* ---- judge.h --------------------------------------------------------------------------------- */

static void test_to_integer(void **state)
{
    uint64_t integer;
    (void)state;

    assert_true(to_integer(-3, &integer) && integer == (uint64_t)-3);
    assert_true(to_integer(-0.0F, &integer) && integer == 0);
    assert_true(to_integer((float)EXACT_LIMIT, &integer) && integer == EXACT_LIMIT);
    assert_false(to_integer((float)EXACT_LIMIT + 2, &integer));
    assert_false(to_integer(0.5F, &integer));
    assert_false(to_integer(NAN, &integer));
    assert_false(to_integer(INFINITY, &integer));
    assert_false(to_integer(-INFINITY, &integer));
}

static void test_places(void **state)
{
    size_t places[PLACES_MAX];
    (void)state;

    assert_int_equal(judge_places(0, places), 0);
    assert_int_equal(judge_places(1, places), 1);
    for (size_t size = 2; size < 2000; size++) {
        const size_t count = judge_places(size, places);
        assert_true(count >= 2 && count <= PLACES_MAX);
        assert_int_equal(places[0], 0);
        assert_int_equal(places[1], size - 1);
        for (size_t i = 0; i < count; i++) {
            assert_true(places[i] < size);
            for (size_t j = 0; j < i; j++)
                assert_int_not_equal(places[i], places[j]);
        }
    }
    judge_places(SIZE_MAX, places);
}

static void test_sample_size(void **state)
{
    (void)state;
    assert_int_equal(judge_sample_size(0, 5, 0), 0);
    assert_int_equal(judge_sample_size(4096, 4096, 100), 4096);
    assert_int_equal(judge_sample_size(1 << 20, 1 << 10, 100), 2148);
    assert_int_equal(judge_sample_size((size_t)1 << 40, 0, 100), 2148);
    assert_int_equal(judge_sample_size(1 << 20, (size_t)1 << 40, 100), 16);
    assert_int_equal(judge_sample_size(3, (size_t)1 << 40, 3), 3);
}

/* Tensor cores: at most 12 roundings per 4 terms, and one for the last step. */
static void test_tensor_bound(void **state)
{
    struct gemm_rung tensor = {.rung = {.name = "tensor", .idea = ""},
                               .run = product_in_parts,
                               .depth = gemm_depth_tensor};
    const struct judged serial_judged = judged_on(&host_back_end);
    struct judged judged = serial_judged;
    const struct gemm_options options = sizes(1, 1, 1000);
    (void)state;

    judged.rung = &tensor.rung;
    struct problem *problem = judged_problem(&judged, &options.base);
    fault = RIGHT;
    const double serial = judged_verdict(&serial_judged, problem, 1).bound;
    const double bound = judged_verdict(&judged, problem, 1).bound;
    assert_true(fabs(bound / serial / ((12 * 250 + 1) / 1001.0) - 1) < 1e-9);
    problem->kind->destroy(problem);
}

/* ---- bfloat16 -------------------------------------------------------------------------------- */

enum {
    HALVES_ROUNDED = FAULTS
}; /* one more fault: the sums of both halves of k are rounded before they are added */

/* The definition in float32, with the faults that depend on the type of the elements. */
static void product_bf16(const struct gemm *call)
{
    for (size_t row = 0; row < call->m; row++)
        for (size_t column = 0; column < call->n; column++) {
            const bool middle = row == call->m / 2 && column == call->n / 2;
            uint16_t *const c = call->c_bf16 + row * call->ldc + column;
            float sum = 0;
            for (size_t p = 0; p < call->k; p++) {
                const float term = float_of_bfloat(call->a_bf16[row * call->lda + p]) *
                                   float_of_bfloat(call->b_bf16[p * call->ldb + column]);
                if (!(fault == ONE_TERM_MISSING && middle && p == call->k / 2))
                    sum += fault == ONE_TERM_TWICE && middle && p == call->k / 2 ? 2 * term : term;
                if (fault == (enum fault)HALVES_ROUNDED && p == call->k / 2)
                    sum = float_of_bfloat(bfloat_of_float(sum));
            }
            sum *= call->alpha;
            if (call->beta != 0)
                sum += call->beta * float_of_bfloat(*c);
            if (fault != NO_OP)
                *c = bfloat_of_float(fault == OFF_BY_ONE_UNIT && middle ? sum + 1 : sum);
        }
    if (fault == PADDING_WRITTEN)
        call->c_bf16[call->n] = 0;
    if (fault == WRITES_PAST_END)
        call->c_bf16[call->m * call->ldc] = 0;
}

static const struct gemm_rung bf16_rung = {
    .rung = {.name = "product", .idea = "the definition"},
    .run = product_bf16,
    .depth = gemm_depth_tensor,
};

static struct gemm_options bf16_options(size_t m, size_t n, size_t k)
{
    struct gemm_options options = sizes(m, n, k);

    options.type = GEMM_BF16;
    options.base.padding = options.base.offset = k % 3;
    return options;
}

/* Includes a k for which sums of random whole numbers would exceed bfloat16's exact range, 256. */
static void test_bf16_is_right(void **state)
{
    static const size_t shapes[][3] = {{0, 3, 2}, {3, 5, 0}, {1, 1, 1}, {7, 9, 255}, {9, 33, 5000}};
    static const float factors[][2] = {{1, 0}, {2, -1}, {0.3F, 0}, {-4, 4}, {0, 1}};
    const struct judged judged = {&gemm_bf16_kind, &bf16_rung.rung, &copying_back_end};
    (void)state;

    fault = RIGHT;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++) {
            struct gemm_options options = bf16_options(shapes[s][0], shapes[s][1], shapes[s][2]);
            options.alpha = factors[f][0];
            options.beta = factors[f][1];
            assert_judged_right(&judged, &options.base, "right");
        }
}

static void test_bf16_faults_are_caught(void **state)
{
    static const enum fault on_probes[] = {NO_OP,           ONE_TERM_MISSING, ONE_TERM_TWICE,
                                           OFF_BY_ONE_UNIT, PADDING_WRITTEN,  WRITES_PAST_END};
    static const size_t terms[] = {1, 40, 1000};
    const struct judged judged = {&gemm_bf16_kind, &bf16_rung.rung, &host_back_end};
    (void)state;

    for (size_t t = 0; t < sizeof terms / sizeof terms[0]; t++)
        for (size_t f = 0; f < sizeof on_probes / sizeof on_probes[0]; f++) {
            const struct gemm_options options = bf16_options(20, 24, terms[t]);
            fault = on_probes[f];
            assert_judged_wrong(&judged, &options.base, 0, fault_names[fault]);
        }
    const struct gemm_options options = bf16_options(40, 40, 64);
    fault = (enum fault)HALVES_ROUNDED;
    assert_judged_wrong(&judged, &options.base, 1, "halves rounded");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bf16_is_right),
        cmocka_unit_test(test_bf16_faults_are_caught),
        cmocka_unit_test(test_right_at_all_sizes),
        cmocka_unit_test(test_right_through_copies),
        cmocka_unit_test(test_right_by_sample),
        cmocka_unit_test(test_faults_are_caught),
        cmocka_unit_test(test_reduced_precision_is_caught),
        cmocka_unit_test(test_partial_sums),
        cmocka_unit_test(test_tensor_bound),
        cmocka_unit_test(test_report_names_the_element),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_files_with_special_values),
        cmocka_unit_test(test_alpha_0),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_to_integer),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_sample_size),
    };
    return cmocka_run_group_tests_name("gemm_problem", tests, set_up, NULL);
}
/* SPDX-License-Identifier: MIT */
