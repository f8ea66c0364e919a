#include "problem/matrix_reduction/matrix_reduction.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/npy.h"
#include "base/random.h"
#include "device/guarded.h"
#include "problem/judge.h"
#include "problem/problem.h"
#include "problem/reduction/options.h"
#include "problem/reference.h"

struct matrix_problem {
    struct problem base;
    struct matrix_reduction call; /* its pointers are to memory of the back end */
    enum matrix_axis axis;
    struct guarded a, result;
    size_t size;    /* bytes per element */
    size_t results; /* how many: the rows or the columns */
    size_t terms;   /* elements per result */
    struct npy file;
    uint64_t seed;
    struct reference *expected; /* one per result */
};

static const char *const op_names[2][4] = {{"", "row_sum", "row_max", "row_min"},
                                           {"", "column_sum", "column_max", "column_min"}};

static bool is_extremum(const struct matrix_problem *problem)
{
    return problem->call.op != OP_SUM;
}

/* The input's first element in the host's copy. */
static void *elements_of(const struct matrix_problem *problem)
{
    return guarded_host(&problem->a);
}

static void store(const struct matrix_problem *problem, size_t i, double value)
{
    if (problem->call.type == TYPE_F64)
        ((double *)elements_of(problem))[i] = value;
    else
        ((float *)elements_of(problem))[i] = (float)value;
}

static double fetch(const void *array, enum element_type type, size_t i)
{
    return type == TYPE_F64 ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

/* The index of element `term` of row or column `result`. */
static size_t place_of(const struct matrix_problem *problem, size_t result, size_t term)
{
    return problem->axis == AXIS_ROWS ? result * problem->call.columns + term
                                      : term * problem->call.columns + result;
}

/* ---- reference ------------------------------------------------------------------------------- */

static double smaller_or_nan(double x, double y)
{
    return x < y || isnan(x) ? x : y;
}

static double larger_or_nan(double x, double y)
{
    return x > y || isnan(x) ? x : y;
}

/* Adds a term. A sum accumulates its rounding errors in `tail`, as in reference.c. */
static inline void add_term(struct reference *reference, enum reduce_op op, double term)
{
    if (op == OP_MAX) {
        reference->value = larger_or_nan(reference->value, term);
    } else if (op == OP_MIN) {
        reference->value = smaller_or_nan(reference->value, term);
    } else {
        const double sum = reference->value + term;
        const double part = sum - reference->value;
        reference->tail += (reference->value - (sum - part)) + (term - part);
        reference->value = sum;
        reference->magnitude += fabs(term);
    }
}

/* Goes through the matrix in the order of memory: reading a large one column by column would take
 * minutes. */
static void prepare_reference(struct matrix_problem *problem)
{
    const struct matrix_reduction *call = &problem->call;
    const void *const a = elements_of(problem);
    const double identity = call->op == OP_SUM   ? 0
                            : call->op == OP_MAX ? (double)-INFINITY
                                                 : (double)INFINITY;

    for (size_t i = 0; i < problem->results; i++)
        problem->expected[i] = (struct reference){.value = identity};
    for (size_t row = 0; row < call->rows; row++)
        for (size_t column = 0; column < call->columns; column++)
            add_term(&problem->expected[problem->axis == AXIS_ROWS ? row : column], call->op,
                     fetch(a, call->type, row * call->columns + column));
    for (size_t i = 0; i < problem->results; i++) {
        struct reference *const expected = &problem->expected[i];
        const double sum = expected->value;
        if (isfinite(sum)) {
            expected->value = sum + expected->tail;
            expected->tail = (sum - expected->value) + expected->tail;
        } else {
            expected->tail = 0;
        }
    }
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* The probe of sums: small integers of both signs, as in reduction.c. No row or column that is
 * reduced sums to 0, which would stay right if it were scaled or added twice. */
static void fill_integers(struct matrix_problem *problem)
{
    const size_t count = problem->call.rows * problem->call.columns;

    for (size_t i = 0; i < count; i++)
        store(problem, i, random_small_integer(random_bits(problem->seed, i)));
    prepare_reference(problem);
    for (size_t i = 0; i < problem->results && problem->terms > 0; i++) {
        const size_t first = place_of(problem, i, 0);
        const double element = fetch(elements_of(problem), problem->call.type, first);
        if (problem->expected[i].value == 0) {
            store(problem, first, -element);
            problem->expected[i].value = -2 * element;
        }
    }
}

/* Probes of max and min: in every row (or column) the extremum is the last element, the first, or a
 * random one. It differs from row to row. All values have the sign for which an accumulator that
 * starts at 0 gives a wrong result. */
static void fill_extrema(struct matrix_problem *problem, size_t probe)
{
    const size_t count = problem->call.rows * problem->call.columns;
    const double sign = problem->call.op == OP_MAX ? -1 : 1;
    const uint64_t seed = problem->seed + probe;

    for (size_t i = 0; i < count; i++)
        store(problem, i, sign * (double)(1 + random_bits(seed, i) % 1000));
    for (size_t i = 0; i < problem->results && problem->terms > 0; i++) {
        const uint64_t bits = random_bits(~seed, i);
        const size_t places[] = {problem->terms - 1, 0, (size_t)(bits % problem->terms)};
        const double extremum = (double)(1 + (bits >> 32) % 1023) / 1024; /* below 1 */
        store(problem, place_of(problem, i, places[probe]), sign * extremum);
    }
}

static void fill_random(struct matrix_problem *problem)
{
    const size_t count = problem->call.rows * problem->call.columns;

    if (problem->file.data != NULL) {
        memcpy(elements_of(problem), problem->file.data, count * problem->size);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = random_bits(problem->seed, i);
        store(problem, i,
              problem->call.type == TYPE_F64 ? random_double(bits) : (double)random_float(bits));
    }
}

/* ---- options --------------------------------------------------------------------------------- */

#define MEMBER(name) .member = offsetof(struct reduction_options, name)

static const char *const op_options[] = {"dot", "sum", "max", "min", NULL};

static const struct option_field fields[] = {
    {"m", "M", "set the rows of the matrix; K, M and G are powers of two", OPTION_SIZE, MEMBER(m),
     .sets_size = true},
    {"n", "N", "set the columns", OPTION_SIZE, MEMBER(n), .sets_size = true},
    {"op", "OP", "choose sum, max or min", OPTION_NAME, MEMBER(op), .names = op_options},
    {"type", "TYPE", "choose f32 or f64", OPTION_NAME, MEMBER(type), .names = element_type_names},
    OPTION_A,
};

static void set_defaults(struct problem_options *base, bool emulated)
{
    struct reduction_options *options = (struct reduction_options *)base;

    options->op = OP_SUM;
    options->type = TYPE_NOT_GIVEN;
    options->m = emulated ? 256 : 4096;
    options->n = emulated ? 512 : 4096;
}

static bool check_options(const struct problem_options *base, bool size_given, struct error *error)
{
    const struct reduction_options *options = (const struct reduction_options *)base;

    (void)size_given;
    if (options->op == OP_DOT)
        return error_set(error, EXIT_BAD_USAGE,
                         "--op dot has two inputs: for a matrix, choose sum, max or min");
    if (options->type != TYPE_NOT_GIVEN && has_two_types((enum element_type)options->type))
        return error_set(error, EXIT_BAD_USAGE,
                         "--type %s has two inputs: for a matrix, choose f32 or f64",
                         element_type_names[options->type]);
    if (options->type == TYPE_F16)
        return error_set(error, EXIT_BAD_USAGE,
                         "--type f16 is for vectors: for a matrix, choose f32 or f64");
    return true;
}

static void set_size(struct problem_options *base, size_t size)
{
    struct reduction_options *options = (struct reduction_options *)base;

    options->m = options->n = size;
}

static void limit_size(struct problem_options *base)
{
    struct reduction_options *options = (struct reduction_options *)base;

    options->m = options->m < 256 ? options->m : 256;
    options->n = options->n < 4096 ? options->n : 4096;
}

/* Fewer terms than a block has threads; many results of few terms; few results, each of terms that
 * several blocks share. The second is aligned, the others are not. */
static bool set_small(struct problem_options *base, size_t i, enum matrix_axis axis)
{
    static const size_t shapes[][2] = {{5, 203}, {300, 37}, {2, 9001}}; /* results, terms */
    enum { SHAPES = sizeof shapes / sizeof shapes[0], OPS = OP_MIN + 1 - OP_SUM };
    struct reduction_options *const options = (struct reduction_options *)base;
    const size_t *const shape = shapes[i % SHAPES];
    const size_t pair = i / SHAPES; /* an operator and a type */

    if (pair == OPS * (TYPE_F64 + 1))
        return false;
    options->m = shape[axis == AXIS_ROWS ? 0 : 1];
    options->n = shape[axis == AXIS_ROWS ? 1 : 0];
    options->op = (int)(OP_SUM + pair % OPS);
    options->type = (int)(pair / OPS);
    base->a = NULL;
    base->offset = i % SHAPES == 1 ? 0 : 1;
    return true;
}

static bool set_small_rows(struct problem_options *options, size_t i)
{
    return set_small(options, i, AXIS_ROWS);
}

static bool set_small_columns(struct problem_options *options, size_t i)
{
    return set_small(options, i, AXIS_COLUMNS);
}

/* ---- the problem ----------------------------------------------------------------------------- */

static void destroy(struct problem *base)
{
    struct matrix_problem *problem = (struct matrix_problem *)base;

    guarded_destroy(&problem->a, base->back_end);
    guarded_destroy(&problem->result, base->back_end);
    base->back_end->release(problem->call.workspace);
    npy_free(&problem->file);
    free(problem->expected);
    free(problem);
}

static bool open_file(struct matrix_problem *problem, const struct reduction_options *options,
                      struct error *error)
{
    struct npy *const file = &problem->file;

    if (!npy_read(options->base.a, file, error))
        return false;
    if (file->dimensions != 2)
        return error_set(error, EXIT_FILE_ERROR, "%s: %zu dimensions, expected a matrix (2)",
                         options->base.a, file->dimensions);
    if (file->type != NPY_FLOAT32 && file->type != NPY_FLOAT64)
        return error_set(error, EXIT_FILE_ERROR, "%s is %s; expected float32 or float64",
                         options->base.a, npy_type_name(file->type));
    problem->call.type = file->type == NPY_FLOAT64 ? TYPE_F64 : TYPE_F32;
    if (options->type != TYPE_NOT_GIVEN && options->type != (int)problem->call.type)
        return error_set(error, EXIT_FILE_ERROR, "%s is %s, but --type is %s", options->base.a,
                         npy_type_name(file->type), element_type_names[options->type]);
    problem->call.rows = file->shape[0];
    problem->call.columns = file->shape[1];
    return true;
}

static bool enough_memory(const struct matrix_problem *problem, struct error *error)
{
    const struct matrix_reduction *call = &problem->call;
    const double elements = (double)call->rows * (double)call->columns + (double)problem->results;

    return problem_has_memory(problem->base.back_end, (double)problem->size * elements,
                              (double)sizeof(struct reference) * (double)problem->results, error);
}

static bool allocate(struct matrix_problem *problem, size_t offset, struct error *error)
{
    const struct back_end *back_end = problem->base.back_end;
    struct matrix_reduction *const call = &problem->call;
    size_t bytes, expected_bytes;

    if (!checked_bytes(call->rows, call->columns, problem->size, &bytes, error) ||
        !checked_bytes(problem->results, sizeof *problem->expected, 1, &expected_bytes, error) ||
        !enough_memory(problem, error) ||
        !guarded_create(&problem->a, bytes, offset * problem->size, 0, back_end, error) ||
        !guarded_create(&problem->result, problem->results * problem->size, offset * problem->size,
                        MARGIN_AFTER, back_end, error))
        return false;
    guarded_fill_margins(&problem->a, poison_value());
    call->a = guarded_memory(&problem->a);
    call->result = guarded_memory(&problem->result);

    problem->expected = host_allocate(expected_bytes, error);
    if (problem->expected == NULL)
        return false;
    call->workspace = back_end->allocate(call->workspace_bytes, error);
    return call->workspace != NULL;
}

static struct problem *create(const struct problem_options *base_options, enum matrix_axis axis,
                              const struct back_end *back_end, const struct machine *machine,
                              struct error *error)
{
    const struct reduction_options *options = (const struct reduction_options *)base_options;
    struct matrix_problem *problem = calloc(1, sizeof *problem);
    if (problem == NULL) {
        error_set(error, EXIT_DEVICE_ERROR, "out of memory");
        return NULL;
    }
    const int multiprocessors = machine->processors > 0 ? machine->processors : 1;
    struct problem *const base = &problem->base;
    struct matrix_reduction *const call = &problem->call;

    base->kind = axis == AXIS_ROWS ? &row_reduction_kind : &column_reduction_kind;
    base->back_end = back_end;
    problem->seed = base_options->seed;
    problem->axis = axis;
    *call = (struct matrix_reduction){
        .op = (enum reduce_op)options->op,
        .type = options->type == TYPE_NOT_GIVEN ? TYPE_F32 : (enum element_type)options->type,
        .rows = options->m,
        .columns = options->n,
        .workspace_bytes = (size_t)multiprocessors * MATRIX_WORKSPACE,
        .multiprocessors = multiprocessors,
        .threads = base_options->threads,
    };
    if (base_options->a != NULL && !open_file(problem, options, error)) {
        destroy(base);
        return NULL;
    }
    problem->size = element_size(call->type);
    problem->results = axis == AXIS_ROWS ? call->rows : call->columns;
    problem->terms = axis == AXIS_ROWS ? call->columns : call->rows;
    if (!allocate(problem, base_options->offset, error)) {
        destroy(base);
        return NULL;
    }

    const double elements = (double)call->rows * (double)call->columns;
    base->op = op_names[axis][call->op];
    base->type = element_type_names[call->type];
    base->probes = is_extremum(problem) ? 3 : 1;
    base->bytes = (double)problem->size * (elements + (double)problem->results);
    base->flops = elements;
    snprintf(base->shape, sizeof base->shape, "%zux%zu", call->rows, call->columns);
    return base;
}

static struct problem *create_rows(const struct problem_options *options,
                                   const struct back_end *back_end, const struct machine *machine,
                                   struct error *error)
{
    return create(options, AXIS_ROWS, back_end, machine, error);
}

static struct problem *create_columns(const struct problem_options *options,
                                      const struct back_end *back_end,
                                      const struct machine *machine, struct error *error)
{
    return create(options, AXIS_COLUMNS, back_end, machine, error);
}

static bool load(struct problem *base, size_t input, struct error *error)
{
    struct matrix_problem *problem = (struct matrix_problem *)base;

    base->inexact_input = input == base->probes;
    if (!base->inexact_input && !is_extremum(problem)) {
        fill_integers(problem);
    } else {
        if (base->inexact_input)
            fill_random(problem);
        else
            fill_extrema(problem, input);
        prepare_reference(problem);
    }
    return guarded_upload(&problem->a, base->back_end, error);
}

/* ---- running a rung -------------------------------------------------------------------------- */

static const struct matrix_rung *kind_of(const struct rung *rung)
{
    return (const struct matrix_rung *)rung;
}

static const struct matrix_reduction *call_of(const struct problem *base)
{
    return &((const struct matrix_problem *)base)->call;
}

static const char *declines(const struct problem *base, const struct rung *rung)
{
    if (kind_of(rung)->run == NULL)
        return rung_not_built(rung);
    return kind_of(rung)->declines != NULL ? kind_of(rung)->declines(call_of(base)) : NULL;
}

static bool poison(struct problem *base, const struct rung *rung, bool all, struct error *error)
{
    const struct matrix_problem *problem = (struct matrix_problem *)base;
    const struct matrix_reduction *call = &problem->call;
    const struct back_end *back_end = base->back_end;

    (void)rung;
    return back_end->fill(problem->result.memory, 0xFF, problem->result.total, error) &&
           (!all || back_end->fill(call->workspace, 0xFF, call->workspace_bytes, error));
}

static void run(const struct problem *base, const struct rung *rung)
{
    kind_of(rung)->run(call_of(base));
}

static void describe(const struct problem *base, const struct rung *rung, char text[RUNG_HOW_SIZE])
{
    text[0] = '\0';
    if (kind_of(rung)->how != NULL)
        kind_of(rung)->how(call_of(base), text);
}

/* ---- check ----------------------------------------------------------------------------------- */

static double bound_of(const struct matrix_problem *problem, double roundings, double magnitude)
{
    if (is_extremum(problem) || !problem->base.inexact_input)
        return 0; /* max and min do not round, and neither do sums of a probe */
    return problem->call.type == TYPE_F64
               ? rounding_bound_f64(roundings, problem->terms, magnitude)
               : rounding_bound_f32(roundings, problem->terms, magnitude);
}

/* Judges every result. */
static void judge_results(const struct matrix_problem *problem, const struct matrix_rung *rung,
                          struct comparison *worst)
{
    const struct matrix_reduction *call = &problem->call;
    const double largest = call->type == TYPE_F64 ? DBL_MAX : (double)FLT_MAX;
    const double roundings = rung->depth != NULL ? rung->depth(call) : 0;

    *worst = (struct comparison){.right = true};
    for (size_t i = 0; i < problem->results; i++) {
        const struct reference *expected = &problem->expected[i];
        const double computed = fetch(guarded_host(&problem->result), call->type, i);
        const double bound = bound_of(problem, roundings, expected->magnitude);
        struct comparison comparison = compare_number(computed, expected, bound, largest);

        judge_unwritten(&comparison,
                        (const char *)guarded_host(&problem->result) + i * problem->size,
                        problem->size);
        if (judge_keep_worse(worst, &comparison)) {
            char place[64];
            snprintf(place, sizeof place, "%s %zu", problem->axis == AXIS_ROWS ? "row" : "column",
                     i);
            comparison_describe(worst, place);
        }
        if (!comparison.right && !problem->base.inexact_input)
            return; /* report only the first wrong result of a probe */
    }
}

static bool check(struct problem *base, const struct rung *rung, struct comparison *comparison,
                  struct error *error)
{
    const struct matrix_problem *problem = (struct matrix_problem *)base;

    if (!guarded_download(&problem->result, base->back_end, error))
        return false;
    if (!judge_margins(&problem->result, poison_value(), problem->size, comparison))
        judge_results(problem, kind_of(rung), comparison);
    return true;
}

static bool evict(struct problem *base, const struct rung *rung, struct error *error)
{
    const struct guarded *const a = &((const struct matrix_problem *)base)->a;

    return problem_evict(base, rung, &a, 1, error);
}

#define MATRIX_KIND(create_function, small_function)                                               \
    {                                                                                              \
        .options_size = sizeof(struct reduction_options), .fields = fields,                        \
        .field_count = sizeof fields / sizeof fields[0], .set_defaults = set_defaults,             \
        .check_options = check_options, .set_size = set_size, .limit_size = limit_size,            \
        .set_small = (small_function), .create = (create_function), .destroy = destroy,            \
        .load = load, .declines = declines, .poison = poison, .run = run, .describe = describe,    \
        .check = check, .evict = evict,                                                            \
    }

const struct problem_kind row_reduction_kind = MATRIX_KIND(create_rows, set_small_rows);
const struct problem_kind column_reduction_kind = MATRIX_KIND(create_columns, set_small_columns);
/* SPDX-License-Identifier: MIT */
