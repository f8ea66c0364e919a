/* Tests of the checker. It must catch rungs with every mistake that we could think of, run as the
 * runner runs them. It must accept right rungs, in whatever order they add. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "files.h"
#include "measure/verify.h"
#include "problem/problem.h"
#include "problem/reduction/options.h"
#include "run/step.h"

/* ---- rungs that are wrong -------------------------------------------------------------------- */

enum fault {
    NO_OP,
    GIVES_NAN,
    GIVES_INFINITY,
    LAST_SKIPPED,
    LAST_BLOCK_SKIPPED,
    PAST_MULTIPLE_OF_4_SKIPPED,
    FIRST_SKIPPED,
    ONE_TWICE,
    B_SHIFTED,
    PRODUCT_MISSING,
    SCALED,
    WRONG_SIGN,
    WRONG_OPERATOR,
    STARTED_AT_0,
    FIRST_PARTIAL_ONLY,
    LAST_PARTIAL_SKIPPED,
    PARTIALS_TWICE,
    ROUNDED_TO_FLOAT,
    FLOAT_STORED,
    ROUNDED_TO_HALF,
    STALE_WORKSPACE,
    NAN_DROPPED, /* shows only on data with a NaN */
    FAULTS
};

static const char *const fault_names[FAULTS] = {
    "no-op",
    "gives NaN",
    "gives infinity",
    "last skipped",
    "last block skipped",
    "past multiple of 4 skipped",
    "first skipped",
    "one twice",
    "b shifted",
    "product missing",
    "scaled by 1%",
    "wrong sign",
    "wrong operator",
    "started at 0",
    "first partial only",
    "last partial skipped",
    "partials twice",
    "rounded to float",
    "float stored",
    "rounded to half",
    "stale workspace",
    "NaN dropped",
};

enum { BLOCK = 256 };

static enum fault fault;
static size_t calls;

static double element(const void *array, enum element_type type, size_t i)
{
    return type == TYPE_F64   ? ((const double *)array)[i]
           : type == TYPE_F16 ? (double)float_of_half(((const uint16_t *)array)[i])
                              : (double)((const float *)array)[i];
}

static double term(const struct reduction *call, size_t i)
{
    const double a = element(call->a, call->type, i);
    if (call->op != OP_DOT || fault == PRODUCT_MISSING)
        return a;

    const size_t place = fault == B_SHIFTED ? (i + 1) % call->n : i;
    if (call->type == TYPE_MIXED)
        return ((const unsigned char *)call->b)[place] ? a : 0;
    const double product =
        a * element(call->b, call->type == TYPE_F32_F64 ? TYPE_F64 : call->type, place);
    return is_f64_result(call->type) ? product : (double)(float)product;
}

static double identity(const struct reduction *call)
{
    if (fault == STARTED_AT_0)
        return 0;
    return call->op == OP_MAX ? -INFINITY : call->op == OP_MIN ? INFINITY : 0;
}

static double combine(const struct reduction *call, double x, double y)
{
    const bool max = (call->op == OP_MAX) != (fault == WRONG_OPERATOR);

    if (fault == NAN_DROPPED && isnan(y))
        return x;
    if (call->op == OP_MAX || call->op == OP_MIN) {
        if (isnan(x) || isnan(y))
            return NAN;
        return max ? (x > y ? x : y) : (x < y ? x : y);
    }
    if (fault == WRONG_OPERATOR)
        y = -y;
    return is_f64_result(call->type) ? x + y : (double)((float)x + (float)y);
}

static double fold(const struct reduction *call, size_t from, size_t to)
{
    double total = identity(call);
    for (size_t i = from; i < to; i++)
        total = combine(call, total, term(call, i));
    return total;
}

static void store(const struct reduction *call, double value)
{
    if (is_f64_result(call->type) && fault != FLOAT_STORED)
        *(double *)call->result = fault == ROUNDED_TO_FLOAT ? (double)(float)value : value;
    else if (fault == ROUNDED_TO_HALF)
        *(float *)call->result = float_of_half(half_of_float((float)value));
    else
        *(float *)call->result = (float)value;
}

/* One partial result per BLOCK elements, then a second stage over the partial results. */
static double two_stages(const struct reduction *call)
{
    size_t partials = (call->n + BLOCK - 1) / BLOCK;
    double total = identity(call);

    if (fault == FIRST_PARTIAL_ONLY)
        partials = 1;
    if (fault == LAST_PARTIAL_SKIPPED)
        partials--;
    for (int time = 0; time < (fault == PARTIALS_TWICE ? 2 : 1); time++)
        for (size_t p = 0; p < partials; p++) {
            const size_t end = (p + 1) * BLOCK < call->n ? (p + 1) * BLOCK : call->n;
            total = combine(call, total, fold(call, p * BLOCK, end));
        }
    return total;
}

static void run_wrong(const struct reduction *call)
{
    const size_t n = call->n;
    double total;

    calls++;
    switch (fault) {
    case NO_OP:
        return;
    case GIVES_NAN:
        total = NAN;
        break;
    case GIVES_INFINITY:
        total = call->op == OP_MIN ? -INFINITY : INFINITY;
        break;
    case LAST_SKIPPED:
        total = fold(call, 0, n - 1);
        break;
    case LAST_BLOCK_SKIPPED:
        total = fold(call, 0, n / BLOCK * BLOCK);
        break;
    case PAST_MULTIPLE_OF_4_SKIPPED:
        total = fold(call, 0, n / 4 * 4);
        break;
    case FIRST_SKIPPED:
        total = fold(call, 1, n);
        break;
    case ONE_TWICE:
        total = combine(call, fold(call, 0, n), term(call, n / 2));
        break;
    case SCALED:
        total = 1.01 * fold(call, 0, n);
        break;
    case WRONG_SIGN:
        total = -fold(call, 0, n);
        break;
    case FIRST_PARTIAL_ONLY:
    case LAST_PARTIAL_SKIPPED:
    case PARTIALS_TWICE:
        total = two_stages(call);
        break;
    case STALE_WORKSPACE:
        total =
            combine(call, fold(call, 0, n),
                    element(call->workspace, is_f64_result(call->type) ? TYPE_F64 : call->type, 0));
        break;
    default: /* one of the functions above has the fault */
        total = fold(call, 0, n);
    }
    store(call, total);
}

static const struct reduction_rung wrong_rung = {
    .rung = {.name = "wrong", .idea = ""},
    .run = run_wrong,
    .depth = depth_serial,
};

/* Whether the fault changes the answer at all. */
static bool applies(enum fault with, enum reduce_op op, enum element_type type, size_t n)
{
    const bool adds = op == OP_DOT || op == OP_SUM;

    switch (with) {
    case NO_OP:
    case GIVES_NAN:
    case GIVES_INFINITY:
    case STALE_WORKSPACE:
        return true;
    case STARTED_AT_0:
        return !adds;
    case LAST_BLOCK_SKIPPED:
        return n % BLOCK != 0;
    case PAST_MULTIPLE_OF_4_SKIPPED:
        return n % 4 != 0;
    case ONE_TWICE:
    case PARTIALS_TWICE:
        return adds && n > 0;
    case B_SHIFTED:
        return op == OP_DOT && n > (type == TYPE_MIXED ? 3 : 1);
    case PRODUCT_MISSING: /* with few elements, all bools may be 1 */
        return op == OP_DOT && n > (type == TYPE_MIXED ? 3 : 0);
    case WRONG_OPERATOR:
        return n > (adds ? 0 : 1);
    case FIRST_PARTIAL_ONLY:
        return n > BLOCK;
    case ROUNDED_TO_FLOAT:
        return is_f64_result(type) && n > 0;
    case FLOAT_STORED:
        return is_f64_result(type);
    case ROUNDED_TO_HALF: /* within the bound of a long chain */
        return adds && type == TYPE_F16 && n > 5 && n < 1000;
    case NAN_DROPPED:
        return false;
    default:
        return n > 0;
    }
}

/* ---- rungs that are right -------------------------------------------------------------------- */

static void run_plain(const struct reduction *call)
{
    fault = FAULTS;
    calls++;
    store(call, fold(call, 0, call->n));
}

static void run_backwards(const struct reduction *call)
{
    fault = FAULTS;
    double total = identity(call);
    for (size_t i = call->n; i-- > 0;)
        total = combine(call, total, term(call, i));
    store(call, total);
}

static double pairwise(const struct reduction *call, size_t from, size_t to)
{
    const size_t middle = from + (to - from) / 2;
    if (to - from < 2)
        return fold(call, from, to);
    return combine(call, pairwise(call, from, middle), pairwise(call, middle, to));
}

static void run_pairwise(const struct reduction *call)
{
    fault = FAULTS;
    store(call, pairwise(call, 0, call->n));
}

static double depth_pairwise(const struct reduction *call)
{
    return call->n < 2 ? 0 : ceil(log2((double)call->n));
}

static void run_kahan(const struct reduction *call)
{
    double total = 0, lost = 0; /* contain floats if the type is float */

    if (call->op == OP_MAX || call->op == OP_MIN) {
        run_plain(call);
        return;
    }
    fault = FAULTS;
    for (size_t i = 0; i < call->n; i++) {
        const double next = combine(call, term(call, i), -lost);
        const double sum = combine(call, total, next);
        lost = combine(call, combine(call, sum, -total), -next);
        total = sum;
    }
    store(call, total);
}

/* Knuth, TAOCP 2, 4.2.2, exercise 19: 2u + O(n u^2). */
static double depth_kahan(const struct reduction *call)
{
    const double unit = is_f64_result(call->type) ? UNIT_ROUNDOFF_F64 : UNIT_ROUNDOFF_F32;
    return 2 + 4 * (double)call->n * unit;
}

static void run_in_double(const struct reduction *call)
{
    double total = 0;

    if (call->op == OP_MAX || call->op == OP_MIN) {
        run_plain(call);
        return;
    }
    fault = FAULTS;
    for (size_t i = 0; i < call->n; i++)
        total += term(call, i);
    store(call, total);
}

static double depth_in_double(const struct reduction *call)
{
    const double n = (double)call->n;
    return is_f64_result(call->type) ? n : 1 + n * (UNIT_ROUNDOFF_F64 / UNIT_ROUNDOFF_F32);
}

static const struct reduction_rung right_rungs[] = {
    {.rung = {.name = "plain", .idea = ""}, .run = run_plain, .depth = depth_serial},
    {.rung = {.name = "backwards", .idea = ""}, .run = run_backwards, .depth = depth_serial},
    {.rung = {.name = "pairwise", .idea = ""}, .run = run_pairwise, .depth = depth_pairwise},
    {.rung = {.name = "kahan", .idea = ""}, .run = run_kahan, .depth = depth_kahan},
    {.rung = {.name = "in double", .idea = ""}, .run = run_in_double, .depth = depth_in_double},
};

enum { RIGHT_RUNGS = sizeof right_rungs / sizeof right_rungs[0] };

/* The additions of a plain loop, with a depth that only exact arithmetic could have. */
static double depth_one(const struct reduction *call)
{
    (void)call;
    return 1;
}

/* ---- judging --------------------------------------------------------------------------------- */

static const struct machine machine = {.name = "test", .processors = 1};

static const size_t sizes[] = {0,   1,   2,   3,   4,   5,    31,   32,   33,
                               255, 256, 257, 511, 513, 1023, 1024, 1025, 4099};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static struct reduction_options options_of(enum reduce_op op, enum element_type type, size_t n)
{
    return (struct reduction_options){
        .base = {.seed = 1, .threads = 1}, .n = n, .op = op, .type = type};
}

static struct problem *create(const struct reduction_options *options)
{
    struct error error;
    struct problem *problem =
        reduction_kind.create(&options->base, &cpu_back_end, &machine, &error);
    if (problem == NULL)
        fail_msg("%s", error.text);
    return problem;
}

static struct comparison judged(struct problem *problem, size_t input,
                                const struct reduction_rung *rung)
{
    struct comparison comparison;
    struct error error;

    if (!problem->kind->load(problem, input, &error) ||
        !verify_rung(problem, &rung->rung, &comparison, &error))
        fail_msg("%s", error.text);
    assert_true(comparison.where[0] != '\0');
    assert_null(strchr(comparison.where, '\n'));
    return comparison;
}

/* Whether one of the first `inputs` inputs shows the fault. */
static bool is_caught(struct problem *problem, size_t inputs, enum fault with)
{
    bool caught = false;

    for (size_t input = 0; input < inputs && !caught; input++) {
        fault = with;
        const struct comparison comparison = judged(problem, input, &wrong_rung);
        assert_true(comparison.right == (comparison.error <= comparison.bound));
        caught = !comparison.right;
    }
    return caught;
}

/* Calls visit() for every operator with each of its types. */
static void for_each_kind(void (*visit)(enum reduce_op op, enum element_type type))
{
    for (int op = OP_DOT; op <= OP_MIN; op++)
        for (int type = TYPE_F32; type < ELEMENT_TYPES; type++)
            if (!has_two_types((enum element_type)type) || op == OP_DOT)
                visit((enum reduce_op)op, (enum element_type)type);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void catch_faults(enum reduce_op op, enum element_type type)
{
    for (size_t s = 0; s < SIZES; s++) {
        struct reduction_options options = options_of(op, type, sizes[s]);
        options.base.offset = s % 2;
        struct problem *problem = create(&options);
        for (enum fault with = 0; with < FAULTS; with++)
            if (applies(with, op, type, options.n) &&
                !is_caught(problem, problem->probes + 1, with))
                fail_msg("%s, %s %s %s: not caught", fault_names[with], problem->op, problem->type,
                         problem->shape);
        problem->kind->destroy(problem);
    }
}

static void every_fault_is_caught(void **state)
{
    (void)state;
    for_each_kind(catch_faults);
}

/* Among many elements, one is far below any rounding bound. The probes must detect it. */
static void catch_single_elements(enum reduce_op op, enum element_type type)
{
    static const enum fault single[] = {LAST_SKIPPED, FIRST_SKIPPED, ONE_TWICE, B_SHIFTED};
    static const size_t large[] = {65537, 135169};

    for (size_t s = 0; s < sizeof large / sizeof large[0]; s++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            struct reduction_options options = options_of(op, type, large[s]);
            options.base.seed = seed;
            struct problem *problem = create(&options);
            for (size_t i = 0; i < sizeof single / sizeof single[0]; i++)
                if (applies(single[i], op, type, options.n) &&
                    !is_caught(problem, problem->probes, single[i]))
                    fail_msg("%s, %s %s %s, seed %llu: not caught", fault_names[single[i]],
                             problem->op, problem->type, problem->shape, (unsigned long long)seed);
            problem->kind->destroy(problem);
        }
}

static void probes_catch_single_elements(void **state)
{
    (void)state;
    for_each_kind(catch_single_elements);
}

/* A factor does not change a sum of 0, so the sums of the probes must not be 0. */
static void catch_factors(enum reduce_op op, enum element_type type)
{
    for (size_t n = 1; n <= 40; n++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            struct reduction_options options = options_of(op, type, n);
            options.base.seed = seed;
            struct problem *problem = create(&options);
            if (!is_caught(problem, problem->probes, SCALED) ||
                !is_caught(problem, problem->probes, WRONG_SIGN))
                fail_msg("a factor, %s %s %s, seed %llu: not caught", problem->op, problem->type,
                         problem->shape, (unsigned long long)seed);
            problem->kind->destroy(problem);
        }
}

static void probes_catch_factors(void **state)
{
    (void)state;
    for_each_kind(catch_factors);
}

static size_t a_misalignment, b_misalignment;

static void run_noting_alignment(const struct reduction *call)
{
    a_misalignment = (uintptr_t)call->a % 256;
    b_misalignment = (uintptr_t)call->b % 256;
    run_plain(call);
}

/* The tests of the steps rely on inputs that start at the given offset. */
static void offset_spoils_alignment(void **state)
{
    struct reduction_rung rung = right_rungs[0];
    (void)state;

    rung.run = run_noting_alignment;
    for (size_t offset = 0; offset <= 3; offset++) {
        struct reduction_options options = options_of(OP_DOT, TYPE_MIXED, 100);
        options.base.offset = offset;
        struct problem *problem = create(&options);
        assert_true(judged(problem, 0, &rung).right);
        assert_int_equal(a_misalignment, offset * sizeof(float));
        assert_int_equal(b_misalignment, offset);
        problem->kind->destroy(problem);
    }
}

static void pass_right_rungs(enum reduce_op op, enum element_type type)
{
    for (size_t s = 0; s <= SIZES; s++)
        for (size_t offset = 0; offset <= 1; offset++) {
            struct reduction_options options = options_of(op, type, s < SIZES ? sizes[s] : 65537);
            options.base.offset = offset;
            struct problem *problem = create(&options);
            for (size_t input = 0; input <= problem->probes; input++)
                for (size_t r = 0; r < RIGHT_RUNGS; r++) {
                    const struct comparison comparison = judged(problem, input, &right_rungs[r]);
                    if (!comparison.right)
                        fail_msg("%s, %s %s %s, input %zu: %s (error %g, bound %g)",
                                 right_rungs[r].rung.name, problem->op, problem->type,
                                 problem->shape, input, comparison.where, comparison.error,
                                 comparison.bound);
                    if (input < problem->probes)
                        assert_true(comparison.error == 0 && comparison.bound == 0);
                }
            problem->kind->destroy(problem);
        }
}

static void right_rungs_pass(void **state)
{
    (void)state;
    for_each_kind(pass_right_rungs);
}

/* Random inputs lie in [0, 1), so the error of a plain loop grows with n. */
static void optimistic_depth_is_caught(void **state)
{
    static const enum reduce_op ops[] = {OP_DOT, OP_SUM};
    struct reduction_rung optimist = right_rungs[0];
    (void)state;

    optimist.depth = depth_one;
    for (int o = 0; o < 2; o++)
        for (int type = TYPE_F32; type <= TYPE_F16; type++) {
            const struct reduction_options options =
                options_of(ops[o], (enum element_type)type, 135169);
            struct problem *problem = create(&options);
            for (size_t input = 0; input < problem->probes; input++)
                assert_true(judged(problem, input, &optimist).right);
            assert_false(judged(problem, problem->probes, &optimist).right);
            assert_true(judged(problem, problem->probes, &right_rungs[0]).right);
            problem->kind->destroy(problem);
        }
}

/* ---- a user's data --------------------------------------------------------------------------- */

/* Judges the rung on a[0..n), read from files. For dot, b is all 1. */
static struct comparison judged_on_file(const struct reduction_rung *rung, enum reduce_op op,
                                        enum element_type type, const double *values, size_t n)
{
    enum { MOST = 16 };
    char folder[PATH_SIZE], a[PATH_SIZE], b[PATH_SIZE];
    uint16_t halfs[MOST], half_ones[MOST];
    float narrow[MOST], narrow_ones[MOST];
    double ones[MOST];
    bool bools[MOST];
    struct reduction_options options = options_of(op, type, 0);

    assert_true(n <= MOST);
    for (size_t i = 0; i < n; i++) {
        narrow[i] = (float)values[i];
        halfs[i] = half_of_float(narrow[i]);
        half_ones[i] = half_of_float(1);
        narrow_ones[i] = 1;
        ones[i] = 1;
        bools[i] = true;
    }
    folder_create(folder);
    path_join(a, folder, "a.npy");
    path_join(b, folder, "b.npy");
    if (type == TYPE_F64)
        npy_write(a, "<f8", values, n, sizeof *values);
    else if (type == TYPE_F16)
        npy_write(a, "<f2", halfs, n, sizeof *halfs);
    else
        npy_write(a, "<f4", narrow, n, sizeof *narrow);
    if (type == TYPE_F64 || type == TYPE_F32_F64)
        npy_write(b, "<f8", ones, n, sizeof *ones);
    else if (type == TYPE_F16)
        npy_write(b, "<f2", half_ones, n, sizeof *half_ones);
    else if (type == TYPE_F32)
        npy_write(b, "<f4", narrow_ones, n, sizeof *narrow_ones);
    else
        npy_write(b, "|b1", bools, n, 1);

    options.base.a = a;
    options.base.b = op == OP_DOT ? b : NULL;
    struct problem *problem = create(&options);
    const struct comparison comparison = judged(problem, problem->probes, rung);
    problem->kind->destroy(problem);
    folder_remove(folder);
    return comparison;
}

static void judge_special_values(enum reduce_op op, enum element_type type)
{
    const double with_nan[] = {1, 2, NAN, 4, 5};
    const double nan_first[] = {NAN, 2, 3}, nan_last[] = {1, 2, NAN};
    const double with_infinity[] = {1, INFINITY, 3}, opposed[] = {1, INFINITY, -INFINITY, 2};
    const struct reduction_rung *const plain = &right_rungs[0];

    fault = NAN_DROPPED;
    assert_false(judged_on_file(&wrong_rung, op, type, with_nan, 5).right);
    assert_false(judged_on_file(&wrong_rung, op, type, nan_first, 3).right);
    assert_false(judged_on_file(&wrong_rung, op, type, nan_last, 3).right);
    assert_true(judged_on_file(plain, op, type, with_nan, 5).right);
    assert_true(judged_on_file(plain, op, type, nan_first, 3).right);
    assert_true(judged_on_file(plain, op, type, nan_last, 3).right);

    assert_true(judged_on_file(plain, op, type, with_infinity, 3).right);
    assert_true(judged_on_file(plain, op, type, opposed, 4).right);
    fault = NO_OP; /* the result is NaN instead of infinity */
    assert_false(judged_on_file(&wrong_rung, op, type, with_infinity, 3).right);
    fault = WRONG_SIGN;
    assert_false(judged_on_file(&wrong_rung, op, type, with_infinity, 3).right);
    if (op == OP_DOT || op == OP_SUM) { /* inf - inf */
        fault = GIVES_INFINITY;
        assert_false(judged_on_file(&wrong_rung, op, type, opposed, 4).right);
    }
}

static void special_values_of_users(void **state)
{
    (void)state;
    for_each_kind(judge_special_values);
}

/* If the type cannot hold a large result, only infinity is right. */
static void overflowing_sums(void **state)
{
    const double large[] = {3e38, 3e38, 3e38}, largest[] = {1e308, 1e308, 1e308};
    const double negative[] = {-3e38, -3e38};
    (void)state;

    assert_true(judged_on_file(&right_rungs[0], OP_SUM, TYPE_F32, large, 3).right);
    assert_true(judged_on_file(&right_rungs[0], OP_SUM, TYPE_F64, large, 3).right);
    assert_true(judged_on_file(&right_rungs[0], OP_SUM, TYPE_F64, largest, 3).right);
    assert_true(judged_on_file(&right_rungs[0], OP_DOT, TYPE_F32, large, 3).right);
    assert_true(judged_on_file(&right_rungs[0], OP_SUM, TYPE_F32, negative, 2).right);
    fault = WRONG_SIGN;
    assert_false(judged_on_file(&wrong_rung, OP_SUM, TYPE_F32, large, 3).right);
    fault = GIVES_INFINITY; /* first with the wrong sign, then although double holds the sum */
    assert_false(judged_on_file(&wrong_rung, OP_SUM, TYPE_F32, negative, 2).right);
    assert_false(judged_on_file(&wrong_rung, OP_SUM, TYPE_F64, large, 3).right);
    fault = LAST_SKIPPED; /* the result is finite */
    assert_false(judged_on_file(&wrong_rung, OP_SUM, TYPE_F32, large, 2).right);
}

/* ---- the runner ------------------------------------------------------------------------------ */

/* Runs a step with these rungs as its program would, with one more option. Returns the exit code
 * and sets the CSV. */
static int run_step_with(const struct reduction_rung *rungs, size_t count, const char *op,
                         const char *option, const char *with, char **csv)
{
    const struct ladder ladder = {.idea = "a test",
                                  .kind = &reduction_kind,
                                  .back_end = &cpu_back_end,
                                  .rungs = rungs,
                                  .rung_size = sizeof rungs[0],
                                  .rung_count = count};
    const struct ladder *const ladders[] = {&ladder};
    const struct step step = {.name = "test_step", .ladders = ladders, .ladder_count = 1};
    char folder[PATH_SIZE], path[PATH_SIZE], output[PATH_SIZE];
    char *arguments[] = {"test_step", (char *)option, (char *)with, "--op",  (char *)op, "--warmup",
                         "0",         "--reps",       "1",          "--csv", path,       NULL};

    folder_create(folder);
    path_join(path, folder, "rows.csv");
    path_join(output, folder, "output");
    output_redirect(output);
    const int code =
        rungs_main((int)(sizeof arguments / sizeof arguments[0]) - 1, arguments, &step);
    output_restore();
    *csv = file_read(path);
    folder_remove(folder);
    return code;
}

static int run_step(const struct reduction_rung *rungs, size_t count, const char *op, char **csv)
{
    return run_step_with(rungs, count, op, "--n", "1000", csv);
}

static void assert_field(const char *csv, size_t line, const char *name, const char *wanted)
{
    char field[PATH_SIZE];
    csv_named(csv, line, name, field);
    assert_string_equal(field, wanted);
}

static void assert_timed(const char *csv, size_t line, bool timed)
{
    static const char *const names[] = {"cache",   "warmups",  "reps",          "min_us",
                                        "mean_us", "gb_per_s", "speedup_first", "median_us"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char field[PATH_SIZE];
        csv_named(csv, line, names[i], field);
        assert_true((field[0] != '\0') == timed);
    }
}

/* Each fault runs with only one operator to which it applies: a run takes a tenth of a second. */
static void failing_rung_is_never_timed(void **state)
{
    static const char *const ops[] = {"dot", "sum", "max", "min"};
    size_t runs = 0;
    (void)state;

    for (enum fault with = 0; with < FAULTS; with++) {
        char *csv;
        unsigned op = with % 4, tried = 0;
        while (tried < 4 && !applies(with, (enum reduce_op)op, TYPE_F32, 1000)) {
            op = (op + 1) % 4;
            tried++;
        }
        if (tried == 4)
            continue;
        fault = with;
        calls = 0;
        assert_int_equal(run_step(&wrong_rung, 1, ops[op], &csv), EXIT_WRONG_RESULT);
        assert_true(calls >= 1 && calls <= 4); /* once per input, until a fault shows */
        assert_int_equal(csv_lines(csv), 2);
        assert_field(csv, 1, "verdict", "fail");
        assert_timed(csv, 1, false);
        free(csv);
        runs++;
    }
    assert_true(runs >= 10);

    /* A rung that is wrong on the first probe does not run again. */
    char *csv;
    fault = NO_OP;
    calls = 0;
    assert_int_equal(run_step(&wrong_rung, 1, "max", &csv), EXIT_WRONG_RESULT);
    assert_int_equal(calls, 1);
    free(csv);
}

static void run_wrong_once(const struct reduction *call)
{
    fault = calls == 0 ? ONE_TWICE : FAULTS;
    run_wrong(call);
}

static void racing_lesson_is_no_failure(void **state)
{
    struct reduction_rung lesson = wrong_rung;
    char *csv;
    (void)state;

    lesson.rung.flags = RUNG_LESSON;
    fault = ONE_TWICE;
    assert_int_equal(run_step(&lesson, 1, "dot", &csv), EXIT_ALL_VERIFIED);
    assert_field(csv, 1, "verdict", "racy");
    assert_timed(csv, 1, true);
    char text[PATH_SIZE];
    csv_named(csv, 1, "error", text);
    assert_true(strtod(text, NULL) > 0); /* how far off it was */
    csv_named(csv, 1, "error_bound", text);
    assert_true(strtod(text, NULL) > 0); /* it was on the real data: a probe's bound is 0 */
    free(csv);

    /* A race gives a wrong result once, on a probe. Later right results must not hide it. */
    lesson.run = run_wrong_once;
    calls = 0;
    assert_int_equal(run_step(&lesson, 1, "sum", &csv), EXIT_ALL_VERIFIED);
    assert_true(calls > 2);
    assert_field(csv, 1, "verdict", "racy");
    csv_named(csv, 1, "error", text);
    assert_true(strtod(text, NULL) > 0);
    free(csv);

    /* A race that happened to give right results. */
    struct reduction_rung lucky = right_rungs[0];
    lucky.rung.flags = RUNG_LESSON;
    assert_int_equal(run_step(&lucky, 1, "dot", &csv), EXIT_ALL_VERIFIED);
    assert_field(csv, 1, "verdict", "pass");
    free(csv);
}

/* One wrong rung changes the exit code, but not the rows of other rungs. */
static void rows_are_judged_apart(void **state)
{
    struct reduction_rung rungs[4] = {right_rungs[2],
                                      right_rungs[0],
                                      right_rungs[4],
                                      {.rung = {.name = "elsewhere", .idea = ""}}};
    char *csv;
    (void)state;

    rungs[1].depth = depth_one;
    rungs[3].rung.needs_compute_capability = 90;
    assert_int_equal(run_step(rungs, 4, "sum", &csv), EXIT_WRONG_RESULT);
    assert_int_equal(csv_lines(csv), 5);
    assert_field(csv, 1, "verdict", "pass");
    assert_field(csv, 2, "verdict", "fail");
    assert_field(csv, 3, "verdict", "pass");
    assert_field(csv, 4, "verdict", "skip");
    assert_timed(csv, 1, true);
    assert_timed(csv, 2, false);
    assert_timed(csv, 3, true);
    assert_timed(csv, 4, false);
    assert_field(csv, 4, "error", "");
    assert_field(csv, 4, "error_bound", "");
    free(csv);

    /* A rung that cannot run here is not a failure. */
    assert_int_equal(run_step(&rungs[3], 1, "sum", &csv), EXIT_ALL_VERIFIED);
    free(csv);
}

static void run_wrong_if_short(const struct reduction *call)
{
    fault = call->n < 1000 ? ONE_TWICE : FAULTS;
    run_wrong(call);
}

/* If one size of a sweep fails, the sweep fails, even if later sizes are right. */
static void sweep_fails_with_one_size(void **state)
{
    struct reduction_rung rung = wrong_rung;
    char *csv;
    (void)state;

    rung.run = run_wrong_if_short;
    assert_int_equal(run_step_with(&rung, 1, "sum", "--sweep", "500:2000:4", &csv),
                     EXIT_WRONG_RESULT);
    assert_int_equal(csv_lines(csv), 3);
    assert_field(csv, 1, "verdict", "fail");
    assert_field(csv, 2, "verdict", "pass");
    free(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_is_caught),
        cmocka_unit_test(probes_catch_single_elements),
        cmocka_unit_test(probes_catch_factors),
        cmocka_unit_test(offset_spoils_alignment),
        cmocka_unit_test(right_rungs_pass),
        cmocka_unit_test(optimistic_depth_is_caught),
        cmocka_unit_test(special_values_of_users),
        cmocka_unit_test(overflowing_sums),
        cmocka_unit_test(failing_rung_is_never_timed),
        cmocka_unit_test(racing_lesson_is_no_failure),
        cmocka_unit_test(rows_are_judged_apart),
        cmocka_unit_test(sweep_fails_with_one_size),
    };
    return cmocka_run_group_tests_name("checker", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
