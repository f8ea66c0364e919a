#include "step_test.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

const size_t step_test_sizes[] = {0,   1,   2,    3,    31,   32,   33,    255,   256,   257,
                                  511, 513, 1023, 1024, 1025, 4099, 65535, 65537, 135169};
const size_t step_test_size_count = sizeof step_test_sizes / sizeof step_test_sizes[0];

static const struct machine *open_machine(void)
{
    static struct machine machine;
    struct error error;

    if (machine.name[0] == '\0' && !step.back_end->open(0, &machine, &error))
        fail_msg("%s", error.text);
    return &machine;
}

static bool is_tested(const struct rung *rung, const struct machine *machine)
{
    return !(rung->flags & RUNG_LESSON) && rung->run.reduce != NULL &&
           (rung->unavailable == NULL || rung->unavailable() == NULL) &&
           rung->needs_compute_capability <= machine->compute_capability;
}

void step_test_rungs(const struct options *options)
{
    const struct machine *machine = open_machine();
    struct error error;
    struct problem *problem = step.family->create(options, step.back_end, machine, &error);

    if (problem == NULL)
        fail_msg("%s", error.text);
    for (size_t input = 0; input <= problem->probes; input++) {
        if (!problem->family->load(problem, input, &error))
            fail_msg("%s", error.text);
        for (size_t i = 0; i < step.rung_count; i++) {
            const struct rung *rung = &step.rungs[i];
            struct comparison comparison;

            if (!is_tested(rung, machine) || !rung_does(rung, options->op) ||
                (problem->family->declines != NULL &&
                 problem->family->declines(problem, rung) != NULL))
                continue;
            if (!problem_verify(problem, rung, &comparison, &error))
                fail_msg("%s, %s %s %s: %s", rung->name, problem->op, problem->type, problem->shape,
                         error.text);
            if (!comparison.right)
                fail_msg("%s, %s %s %s, input %zu, offset %zu: %s; error %g, bound %g", rung->name,
                         problem->op, problem->type, problem->shape, input, options->offset,
                         comparison.where, comparison.error, comparison.bound);
        }
    }
    problem->family->destroy(problem);
}

/* Large inputs reach what small ones do not (several blocks, every thread with several elements),
 * but operators, types and alignment are told apart by the small ones. */
static bool is_worth_it(const struct options *options)
{
    const size_t large = 5000;
    if (options->n < large)
        return true;
    return options->op == OP_DOT && options->offset == 1 &&
           (options->type == TYPE_F32 || options->n == 65537);
}

void step_test_reductions(void **state)
{
    struct options options;
    (void)state;

    options_default(&options, &step);
    for (int op = OP_DOT; op <= OP_MIN; op++)
        for (int type = TYPE_F32; type <= TYPE_MIXED; type++)
            for (size_t s = 0; s < step_test_size_count; s++)
                for (options.offset = 0; options.offset <= 3; options.offset++) {
                    options.op = (enum reduce_op)op;
                    options.type = (enum element_type)type;
                    options.n = step_test_sizes[s];
                    if ((type != TYPE_MIXED || op == OP_DOT) && is_worth_it(&options))
                        step_test_rungs(&options);
                }
}

/* Copies a vector to memory of the back end. */
static void *placed(const void *vector, size_t bytes)
{
    const struct back_end *back_end = step.back_end;
    struct error error;
    void *const memory = back_end->allocate(bytes, &error);

    if (memory == NULL || !back_end->upload(memory, vector, bytes, &error))
        fail_msg("%s", error.text);
    return memory;
}

double step_test_reduce(const struct rung *rung, enum reduce_op op, enum element_type type,
                        const void *a, const void *b, size_t n)
{
    const struct back_end *back_end = step.back_end;
    const struct machine *machine = open_machine();
    const size_t a_size = type == TYPE_F64 ? sizeof(double) : sizeof(float);
    const size_t b_size = type == TYPE_MIXED ? 1 : a_size;
    struct error error;
    union {
        float f32;
        double f64;
    } result;

    void *const a_placed = placed(a, n * a_size);
    void *const b_placed = b != NULL ? placed(b, n * b_size) : NULL;
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
    if (rung->prepare.reduce != NULL)
        rung->prepare.reduce(&call);
    rung->run.reduce(&call);
    if (!back_end->finish(&error) ||
        !back_end->download(&result, call.result, sizeof result, &error))
        fail_msg("%s: %s", rung->name, error.text);
    back_end->release(a_placed);
    back_end->release(b_placed);
    back_end->release(call.result);
    back_end->release(call.workspace);
    return type == TYPE_F64 ? result.f64 : (double)result.f32;
}

/* The rung's answer, where it has one, is the expected one, or NaN if that is. */
static void expect(const struct rung *rung, enum reduce_op op, enum element_type type,
                   const void *a, const void *b, size_t n, double expected)
{
    if (!rung_does(rung, op))
        return;
    const double got = step_test_reduce(rung, op, type, a, b, n);
    if (got != expected && !(isnan(got) && isnan(expected)))
        fail_msg("%s, %s of %zu: %.17g instead of %.17g", rung->name, reduce_op_name(op), n, got,
                 expected);
}

static void known_answers_of(const struct rung *rung)
{
    enum { COUNT = 1000 };
    float counting[COUNT], ones[COUNT], falling[COUNT];
    double counting_f64[COUNT];
    unsigned char odd[COUNT];
    /* Libraries have rules of their own for a NaN in max and min, or none. */
    const bool has_own_nan_rule = (rung->flags & RUNG_LIBRARY) != 0;

    for (int i = 0; i < COUNT; i++) {
        counting[i] = (float)(i + 1);
        counting_f64[i] = i + 1;
        ones[i] = 1;
        falling[i] = (float)(-1 - i);
        odd[i] = i % 2 == 0; /* counting[i] is odd */
    }
    expect(rung, OP_SUM, TYPE_F32, counting, NULL, COUNT, 500500);
    expect(rung, OP_SUM, TYPE_F64, counting_f64, NULL, COUNT, 500500);
    expect(rung, OP_DOT, TYPE_F32, counting, ones, COUNT, 500500);
    expect(rung, OP_DOT, TYPE_MIXED, counting, odd, COUNT, 250000);
    expect(rung, OP_MAX, TYPE_F32, falling, NULL, COUNT, -1);
    expect(rung, OP_MIN, TYPE_F32, falling, NULL, COUNT, -COUNT);
    expect(rung, OP_MAX, TYPE_F64, counting_f64, NULL, COUNT, COUNT);

    expect(rung, OP_SUM, TYPE_F32, counting, NULL, 0, 0);
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
    const struct machine *machine = open_machine();
    (void)state;

    for (size_t i = 0; i < step.rung_count; i++)
        if (is_tested(&step.rungs[i], machine))
            known_answers_of(&step.rungs[i]);
}

static void determinism_of(const struct rung *rung, struct problem *problem, int runs)
{
    struct comparison first, again;
    struct error error;

    if (!problem_verify(problem, rung, &first, &error))
        fail_msg("%s", error.text);
    for (int run = 1; run < runs; run++) {
        if (!problem_verify(problem, rung, &again, &error))
            fail_msg("%s", error.text);
        if (again.computed != first.computed)
            fail_msg("%s, %s: %.17g in run 0, %.17g in run %d", rung->name, problem->shape,
                     first.computed, again.computed, run);
    }
}

void step_test_determinism(void **state)
{
    static const size_t sizes[] = {100003, 9500007};
    const struct machine *machine = open_machine();
    const bool emulated = !step.back_end->clocks;
    struct options options;
    struct error error;
    (void)state;

    options_default(&options, &step);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0] - emulated; s++) {
        options.n = sizes[s];
        struct problem *const problem =
            step.family->create(&options, step.back_end, machine, &error);
        if (problem == NULL || !problem->family->load(problem, problem->probes, &error))
            fail_msg("%s", error.text);
        for (size_t i = 0; i < step.rung_count; i++)
            if (is_tested(&step.rungs[i], machine) &&
                !(step.rungs[i].flags & (RUNG_NONDETERMINISTIC | RUNG_LIBRARY)))
                determinism_of(&step.rungs[i], problem, emulated ? 5 : 1000);
        problem->family->destroy(problem);
    }
}
