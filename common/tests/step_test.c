#include "step_test.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/half.h"
#include "measure/kernels.h"
#include "measure/verify.h"
#include "problem/reduction/options.h"
#include "run/options.h"
#include "run/small.h"

const size_t step_test_sizes[] = {0,   1,   2,    3,    31,   32,   33,    255,   256,   257,
                                  511, 513, 1023, 1024, 1025, 4099, 65535, 65537, 135169};
const size_t step_test_size_count = sizeof step_test_sizes / sizeof step_test_sizes[0];

static const struct ladder *chosen;

const struct ladder *step_test_ladder(void)
{
    return chosen != NULL ? chosen : step.ladders[0];
}

void step_test_choose(const struct ladder *ladder)
{
    chosen = ladder;
}

void step_test_defaults(void *options)
{
    struct options all;
    struct error error;

    if (!options_default(&all, step_test_ladder(), &error))
        fail_msg("%s", error.text);
    memcpy(options, all.problem, step_test_ladder()->kind->options_size);
    options_free(&all);
}

const struct reduction_rung *step_test_rung(const char *name)
{
    const struct ladder *ladder = step_test_ladder();

    for (size_t i = 0; i < ladder_rung_count(ladder); i++)
        if (strcmp(ladder_rung(ladder, i)->name, name) == 0)
            return (const struct reduction_rung *)ladder_rung(ladder, i);
    fail_msg("no rung %s", name);
    return NULL;
}

static const struct machine *open_machine(void)
{
    static struct machine machine;
    struct error error;

    if (machine.name[0] == '\0' && !step_test_ladder()->back_end->open(0, &machine, &error))
        fail_msg("%s", error.text);
    return &machine;
}

static bool is_tested(const struct problem *problem, const struct rung *rung)
{
    return !(rung->flags & RUNG_LESSON) && problem->kind->declines(problem, rung) == NULL &&
           (rung->unavailable == NULL || rung->unavailable() == NULL) &&
           rung->needs_compute_capability <= open_machine()->compute_capability;
}

static struct problem *create(const struct problem_options *options)
{
    const struct ladder *ladder = step_test_ladder();
    struct error error;
    struct problem *problem =
        ladder->kind->create(options, ladder->back_end, open_machine(), &error);

    if (problem == NULL)
        fail_msg("%s", error.text);
    return problem;
}

static void judge_rung(struct problem *problem, const struct rung *rung, size_t input,
                       size_t offset)
{
    struct comparison comparison;
    struct error error;

    if (!verify_rung(problem, rung, &comparison, &error))
        fail_msg("%s, %s %s %s: %s", rung->name, problem->op, problem->type, problem->shape,
                 error.text);
    if (!comparison.right)
        fail_msg("%s, %s %s %s, input %zu, offset %zu: %s; error %g, bound %g", rung->name,
                 problem->op, problem->type, problem->shape, input, offset, comparison.where,
                 comparison.error, comparison.bound);
}

size_t step_test_first_input(const struct problem *problem)
{
    return STEP_TEST_SANITIZED ? problem->probes : 0;
}

size_t step_test_last_input(const struct problem *problem)
{
    static size_t problems;

    return STEP_TEST_SANITIZED || problems++ % 2 == 0 ? problem->probes : problem->probes - 1;
}

/* Fails if rung i of the ladder launches the same kernels as a rung before it. */
static void judge_kernels(const struct problem *problem, const struct kernels kernels[], size_t i)
{
    const struct ladder *ladder = step_test_ladder();
    const struct rung *const rung = ladder_rung(ladder, i);

    for (size_t j = 0; j < i; j++)
        if (kernels_conflict(ladder_rung(ladder, j), &kernels[j], rung, &kernels[i]))
            fail_msg("%s, %s %s %s: launches the same kernels as %s", rung->name, problem->op,
                     problem->type, problem->shape, ladder_rung(ladder, j)->name);
}

/* Judges all rungs on the inputs from `first` to `last`. Destroys the problem. */
static void judge_rungs(struct problem *problem, size_t first, size_t last,
                        const struct problem_options *options)
{
    const struct ladder *ladder = step_test_ladder();
    struct kernels *const kernels = calloc(ladder_rung_count(ladder), sizeof *kernels);
    struct error error;

    assert_non_null(kernels);
    for (size_t input = first; input <= last; input++) {
        if (!problem->kind->load(problem, input, &error))
            fail_msg("%s", error.text);
        for (size_t i = 0; i < ladder_rung_count(ladder); i++)
            if (is_tested(problem, ladder_rung(ladder, i))) {
                judge_rung(problem, ladder_rung(ladder, i), input, options->offset);
                kernels_read(&kernels[i], rung_back_end(ladder_rung(ladder, i), ladder->back_end));
                judge_kernels(problem, kernels, i);
            }
    }
    free(kernels);
    problem->kind->destroy(problem);
}

void step_test_rungs(const struct problem_options *options)
{
    struct problem *const problem = create(options);
    const size_t last = step_test_last_input(problem);

    judge_rungs(problem, step_test_first_input(problem), last, options);
}

void step_test_probe(const struct problem_options *options)
{
    judge_rungs(create(options), 0, 0, options);
}

/* Whether the rung needs what this machine lacks: a library, NCCL, another GPU or more GPUs. */
static bool cannot_run_here(const struct rung *rung)
{
    return (rung->unavailable != NULL && rung->unavailable() != NULL) ||
           rung->needs_compute_capability > open_machine()->compute_capability;
}

static void reach_rungs(const struct ladder *ladder, bool reached[])
{
    const struct problem_kind *const kind = ladder->kind;
    struct problem_options *const options = malloc(kind->options_size);
    struct options all;
    struct error error;

    assert_non_null(options);
    assert_true(options_default(&all, ladder, &error));
    for (size_t i = 0;; i++) {
        memcpy(options, all.problem, kind->options_size);
        if (!kind->set_small(options, i))
            break;
        const struct machine machine = small_machine(options, open_machine());
        struct problem *const problem = kind->create(options, ladder->back_end, &machine, &error);
        if (problem == NULL)
            fail_msg("%s", error.text);
        for (size_t r = 0; r < ladder_rung_count(ladder); r++)
            reached[r] = reached[r] || small_is_for(options, problem, ladder_rung(ladder, r),
                                                    &machine, reached[r]);
        kind->destroy(problem);
    }
    options_free(&all);
    free(options);
}

/* Some rungs for several GPUs decline if there are fewer than this. */
enum { ENOUGH_GPUS = 4 };

static bool has_gpus_for(const struct ladder *ladder)
{
    struct error error;
    int count = 0; /* all that there are */

    return ladder->with == NULL || (ladder->back_end->join(&count, &error) && count >= ENOUGH_GPUS);
}

void step_test_reached(void **state)
{
    (void)state;
    if (!has_gpus_for(step_test_ladder()))
        skip();
    for (size_t l = 0; l < step.ladder_count; l++) {
        const struct ladder *const ladder = step.ladders[l];
        bool reached[MAX_RUNGS_NAMED] = {false};

        if ((ladder->with != NULL) != (step_test_ladder()->with != NULL))
            continue;
        assert_true(ladder_rung_count(ladder) <= MAX_RUNGS_NAMED);
        reach_rungs(ladder, reached);
        for (size_t r = 0; r < ladder_rung_count(ladder); r++) {
            const struct rung *const rung = ladder_rung(ladder, r);
            if (!reached[r] && !cannot_run_here(rung) &&
                !(rung->flags & (RUNG_LIBRARY | RUNG_LESSON)))
                fail_msg("%s: no small problem (set_small of its kind) is for it", rung->name);
        }
    }
}

/* Large inputs test what small ones cannot (several blocks, several elements per thread). Small
 * ones suffice for the operators and types. The sanitizers get large inputs of one type, and few
 * operators, because they check accesses, which are the same for other types and operators. */
static bool is_worth_it(const struct reduction_options *options)
{
    const size_t large = 5000;
    const bool same_accesses = (options->op > OP_SUM && options->n > 33) || options->n == 65535;

    if (STEP_TEST_SANITIZED && same_accesses)
        return false;
    if (options->n < large)
        return !has_two_types((enum element_type)options->type) || options->op == OP_DOT;
    return options->op == OP_DOT &&
           (options->type == TYPE_F32 || (options->n == 65537 && !STEP_TEST_SANITIZED));
}

/* Inputs a and b with different alignments, in both ways. */
static void step_test_skewed(struct reduction_options options)
{
    static const size_t sizes[] = {1, 3, 33, 257, 1025, 65537};

    options.op = OP_DOT;
    for (options.type = TYPE_F32; options.type < ELEMENT_TYPES; options.type++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (options.base.skew = 1; options.base.skew <= 3; options.base.skew += 2) {
                options.n = sizes[s];
                options.base.offset = s % 2;
                if (options.n < 5000 ||
                    (options.type == TYPE_F32 && (options.base.skew == 1 || !STEP_TEST_SANITIZED)))
                    step_test_rungs(&options.base);
            }
}

/* Every size with every operator and type, and with each of the four alignments. */
void step_test_reductions(void **state)
{
    struct reduction_options options;
    (void)state;

    step_test_defaults(&options);
    for (options.op = OP_DOT; options.op <= OP_MIN; options.op++)
        for (options.type = TYPE_F32; options.type < ELEMENT_TYPES; options.type++)
            for (size_t s = 0; s < step_test_size_count; s++) {
                options.n = step_test_sizes[s];
                options.base.offset = (options.op + options.type + s) % 4;
                if (is_worth_it(&options))
                    step_test_rungs(&options.base);
            }
    step_test_skewed(options);
}

void step_test_blocks(void **state)
{
    static const struct {
        unsigned block, grid;
        size_t n;
    } shapes[] = {
        {1, 3, 33},    {32, 7, 1000},  {96, 3, 1000},           {1024, 2, 4099},        {0, 40, 33},
        {64, 0, 1000}, {512, 60, 100}, {BY_OCCUPANCY, 0, 4099}, {0, BY_OCCUPANCY, 4099}};
    struct reduction_options options;
    (void)state;

    step_test_defaults(&options);
    /* A dot product detects a lost value. A minimum detects a wrong identity. */
    for (size_t s = 0; s < 2 * (sizeof shapes / sizeof shapes[0]); s++) {
        options.block = shapes[s / 2].block;
        options.grid = shapes[s / 2].grid;
        options.n = shapes[s / 2].n;
        options.op = s % 2 == 0 ? OP_DOT : OP_MIN;
        options.type = (enum element_type)(s / 2 % 3);
        step_test_rungs(&options.base);
    }
}

/* Copies a vector to memory of the back end. */
static void *placed(const void *vector, size_t bytes)
{
    const struct back_end *back_end = step_test_ladder()->back_end;
    struct error error;
    void *const memory = back_end->allocate(bytes, &error);

    if (memory == NULL || !back_end->upload(memory, vector, bytes, &error))
        fail_msg("%s", error.text);
    return memory;
}

double step_test_reduce(const struct reduction_rung *rung, enum reduce_op op,
                        enum element_type type, const void *a, const void *b, size_t n)
{
    const struct back_end *back_end = step_test_ladder()->back_end;
    const struct machine *machine = open_machine();
    struct error error;
    union {
        float f32;
        double f64;
    } result;

    void *const a_placed = placed(a, n * element_size(type));
    void *const b_placed = b != NULL ? placed(b, n * second_size(type)) : NULL;
    struct reduction call = {
        .op = op,
        .type = type,
        .n = n,
        .a = a_placed,
        .b = b_placed,
        .result = back_end->allocate(sizeof result, &error),
        .workspace = back_end->allocate(REDUCTION_WORKSPACE, &error),
        .multiprocessors = machine->processors,
        .threads = 2,
    };
    if (call.result == NULL || call.workspace == NULL ||
        !back_end->fill(call.result, 0xFF, sizeof result, &error) ||
        !back_end->fill(call.workspace, 0xFF, REDUCTION_WORKSPACE, &error))
        fail_msg("%s", error.text);
    if (rung->prepare != NULL)
        rung->prepare(&call);
    rung->run(&call);
    if (!back_end->finish(&error) ||
        !back_end->download(&result, call.result, sizeof result, &error))
        fail_msg("%s: %s", rung->rung.name, error.text);
    back_end->release(a_placed);
    back_end->release(b_placed);
    back_end->release(call.result);
    back_end->release(call.workspace);
    return is_f64_result(type) ? result.f64 : (double)result.f32;
}

/* If the rung takes the problem, its answer must be the expected one. Here NaN equals NaN. */
static void expect(const struct reduction_rung *rung, enum reduce_op op, enum element_type type,
                   const void *a, const void *b, size_t n, double expected)
{
    const struct reduction asked = {.op = op, .type = type, .n = n};

    if ((rung->ops != 0 && !(rung->ops & RUNG_OP(op))) ||
        (rung->declines != NULL && rung->declines(&asked) != NULL))
        return;
    const double got = step_test_reduce(rung, op, type, a, b, n);
    if (got != expected && !(isnan(got) && isnan(expected)))
        fail_msg("%s, %s of %zu: %.17g instead of %.17g", rung->rung.name, reduce_op_names[op], n,
                 got, expected);
}

static void known_answers_of(const struct reduction_rung *rung)
{
    enum { COUNT = 1000 };
    float counting[COUNT], ones[COUNT], falling[COUNT];
    double counting_f64[COUNT];
    uint16_t counting_f16[COUNT], special_f16[3];
    double tiny[COUNT]; /* no float holds 1 + 2^-30 */
    unsigned char odd[COUNT];
    /* Libraries have different rules for a NaN in max and min, or no rules. */
    const bool has_own_nan_rule = (rung->rung.flags & RUNG_LIBRARY) != 0;

    for (int i = 0; i < COUNT; i++) {
        counting[i] = (float)(i + 1);
        counting_f64[i] = i + 1;
        counting_f16[i] = half_of_float(counting[i]);
        ones[i] = 1;
        tiny[i] = 1 + 0x1p-30;
        falling[i] = (float)(-1 - i);
        odd[i] = i % 2 == 0; /* counting[i] is odd */
    }
    expect(rung, OP_SUM, TYPE_F32, counting, NULL, COUNT, 500500);
    expect(rung, OP_SUM, TYPE_F64, counting_f64, NULL, COUNT, 500500);
    expect(rung, OP_DOT, TYPE_F32, counting, ones, COUNT, 500500);
    expect(rung, OP_DOT, TYPE_MIXED, counting, odd, COUNT, 250000);
    expect(rung, OP_DOT, TYPE_F32_F64, counting, tiny, COUNT, 500500 * (1 + 0x1p-30));
    expect(rung, OP_MAX, TYPE_F32, falling, NULL, COUNT, -1);
    expect(rung, OP_MIN, TYPE_F32, falling, NULL, COUNT, -COUNT);
    expect(rung, OP_MAX, TYPE_F64, counting_f64, NULL, COUNT, COUNT);

    /* Sums of halfs leave their range, and products their precision. */
    expect(rung, OP_SUM, TYPE_F16, counting_f16, NULL, COUNT, 500500);
    expect(rung, OP_DOT, TYPE_F16, counting_f16, counting_f16, 3 * 32, 299536);
    expect(rung, OP_MAX, TYPE_F16, counting_f16, NULL, COUNT, COUNT);
    for (int i = 0; i < 3; i++)
        special_f16[i] = 1; /* 2^-24, the smallest */
    expect(rung, OP_SUM, TYPE_F16, special_f16, NULL, 3, 0x3p-24);
    expect(rung, OP_DOT, TYPE_F16, special_f16, special_f16, 3, 0x3p-48);
    special_f16[1] = half_of_float(-INFINITY);
    expect(rung, OP_MIN, TYPE_F16, special_f16, NULL, 3, -INFINITY);
    special_f16[2] = half_of_float(NAN);
    expect(rung, OP_SUM, TYPE_F16, special_f16, NULL, 3, NAN);
    if (!has_own_nan_rule)
        expect(rung, OP_MAX, TYPE_F16, special_f16, NULL, 3, NAN);

    expect(rung, OP_SUM, TYPE_F32, counting, NULL, 0, 0);
    expect(rung, OP_MIN, TYPE_F16, counting_f16, NULL, 0, INFINITY);
    expect(rung, OP_MAX, TYPE_F32, counting, NULL, 0, -INFINITY);
    expect(rung, OP_MIN, TYPE_F64, counting_f64, NULL, 0, INFINITY);

    static const size_t places[] = {0, 1, 31, 32, 500, COUNT - 1};
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        const size_t place = places[p];
        counting[place] = NAN;
        expect(rung, OP_SUM, TYPE_F32, counting, NULL, COUNT, NAN);
        if (!has_own_nan_rule) {
            expect(rung, OP_MAX, TYPE_F32, counting, NULL, COUNT, NAN);
            expect(rung, OP_MIN, TYPE_F32, counting, NULL, COUNT, NAN);
        }
        counting[place] = INFINITY;
        expect(rung, OP_DOT, TYPE_F32, counting, ones, COUNT, INFINITY);
        expect(rung, OP_MAX, TYPE_F32, counting, NULL, COUNT, INFINITY);
        expect(rung, OP_MIN, TYPE_F32, counting, NULL, COUNT, (place == 0 ? 2 : 1));
        counting[place] = (float)(place + 1);
    }
}

void step_test_known_answers(void **state)
{
    const struct ladder *ladder = step_test_ladder();
    struct reduction_options options;
    (void)state;

    step_test_defaults(&options);
    options.n = 1;
    options.op = OP_DOT;
    struct problem *const problem = create(&options.base);
    for (size_t i = 0; i < ladder_rung_count(ladder); i++)
        if (is_tested(problem, ladder_rung(ladder, i)))
            known_answers_of((const struct reduction_rung *)ladder_rung(ladder, i));
    problem->kind->destroy(problem);
}

/* A sum or, if the rung has no sum, a dot product with ones, of n terms with the 1 at `place`. */
static bool depth_holds_at(const struct reduction_rung *rung, enum element_type type, size_t n,
                           size_t place)
{
    enum { MOST = 65537 };
    static float a[MOST], ones[MOST];
    static double a_f64[MOST], ones_f64[MOST];
    static uint16_t a_f16[MOST], ones_f16[MOST];
    const bool f64 = type == TYPE_F64, dot = rung->ops != 0 && !(rung->ops & RUNG_OP(OP_SUM));
    const double u = f64 ? UNIT_ROUNDOFF_F64 : UNIT_ROUNDOFF_F32;
    const struct reduction call = {
        .op = dot ? OP_DOT : OP_SUM,
        .type = type,
        .n = n,
        .multiprocessors = open_machine()->processors,
        .threads = 2,
    };
    const struct reference exact = {1, (double)(n - 1) * u, 1 + (double)(n - 1) * u};
    const double roundings = rung->depth(&call) + (dot ? 1 : 0);

    assert_true(n <= MOST);
    for (size_t i = 0; i < n; i++) {
        a[i] = (float)(a_f64[i] = i == place ? 1 : u);
        ones[i] = (float)(ones_f64[i] = 1);
        a_f16[i] = half_of_float(a[i]); /* u is the smallest half */
        ones_f16[i] = half_of_float(1);
    }
    const void *const terms = f64 ? (void *)a_f64 : type == TYPE_F16 ? (void *)a_f16 : (void *)a;
    const void *const factors = f64                ? (void *)ones_f64
                                : type == TYPE_F16 ? (void *)ones_f16
                                                   : (void *)ones;
    const double sum = step_test_reduce(rung, call.op, type, terms, dot ? factors : NULL, n);
    const double bound = f64 ? rounding_bound_f64(roundings, n, exact.magnitude)
                             : rounding_bound_f32(roundings, n, exact.magnitude);
    return compare_number(sum, &exact, bound, f64 ? DBL_MAX : FLT_MAX).right;
}

bool step_test_depth_holds(const struct reduction_rung *rung)
{
    static const size_t sizes[] = {4099, 65537};
    bool holds = true;

    for (int type = TYPE_F32; type <= TYPE_F16; type++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            const size_t n = sizes[s], places[] = {0, 1, 33, n / 2, n - 1};
            const struct reduction asked = {.op = OP_SUM, .type = (enum element_type)type, .n = n};

            if (rung->declines != NULL && rung->declines(&asked) != NULL)
                continue;
            /* Large sums are tested only with the 1 at the beginning, where chains are longest. */
            const size_t place_count = s == 0 ? sizeof places / sizeof places[0] : 1;
            for (size_t p = 0; p < place_count; p++)
                holds = holds && depth_holds_at(rung, (enum element_type)type, n, places[p]);
        }
    return holds;
}

void step_test_depths(void **state)
{
    const struct ladder *ladder = step_test_ladder();
    struct reduction_options options;
    (void)state;

    if (STEP_TEST_SANITIZED) /* the accesses are the same as for other numbers */
        skip();
    step_test_defaults(&options);
    struct problem *const problem = create(&options.base);
    for (size_t i = 0; i < ladder_rung_count(ladder); i++)
        if (is_tested(problem, ladder_rung(ladder, i)) &&
            !step_test_depth_holds((const struct reduction_rung *)ladder_rung(ladder, i)))
            fail_msg("%s: a term goes through more roundings than its .depth says",
                     ladder_rung(ladder, i)->name);
    problem->kind->destroy(problem);
}

static void determinism_of(const struct rung *rung, struct problem *problem, int runs)
{
    struct comparison first, again;
    struct error error;

    if (!verify_rung(problem, rung, &first, &error))
        fail_msg("%s", error.text);
    for (int run = 1; run < runs; run++) {
        if (!verify_rung(problem, rung, &again, &error))
            fail_msg("%s", error.text);
        if (again.computed != first.computed)
            fail_msg("%s, %s: %.17g in run 0, %.17g in run %d", rung->name, problem->shape,
                     first.computed, again.computed, run);
    }
}

void step_test_determinism(void **state)
{
    static const size_t sizes[] = {100003, 9500007};
    const struct ladder *ladder = step_test_ladder();
    const bool emulated = !ladder->back_end->clocks;
    struct reduction_options options;
    struct error error;
    (void)state;

    if (STEP_TEST_SANITIZED)
        skip();
    step_test_defaults(&options);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0] - emulated; s++) {
        options.n = sizes[s];
        struct problem *const problem = create(&options.base);
        if (!problem->kind->load(problem, problem->probes, &error))
            fail_msg("%s", error.text);
        for (size_t i = 0; i < ladder_rung_count(ladder); i++) {
            const struct rung *const rung = ladder_rung(ladder, i);
            if (is_tested(problem, rung) && !(rung->flags & (RUNG_NONDETERMINISTIC | RUNG_LIBRARY)))
                /* The emulation has one order of threads, so only left-over data could matter. */
                determinism_of(rung, problem, emulated ? 2 : 1000);
        }
        problem->kind->destroy(problem);
    }
}
/* SPDX-License-Identifier: MIT */
