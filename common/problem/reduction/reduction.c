#include "problem/reduction/reduction.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/npy.h"
#include "base/random.h"
#include "problem/problem.h"
#include "problem/reference.h"
#include "run/options.h"
#include "run/step.h"

struct reduction_problem {
    struct problem base;
    struct reduction call; /* pointers of the back end */

    size_t a_size, b_size;     /* bytes an element; b_size is 0 where there is no b */
    void *a, *b;               /* the elements as load() fills them, on the host */
    void *target_a, *target_b; /* the elements as rungs see them: the same on a host back end */
    void *host_a, *host_b, *device_a, *device_b; /* what is to be freed */
    struct npy file_a, file_b;
    bool from_files;
    uint64_t seed;
    struct reference reference;
};

static const char *const op_names[] = {"dot", "sum", "max", "min"};
static const char *const type_names[] = {"f32", "f64", "mixed"};

const char *reduce_op_name(enum reduce_op op)
{
    return op_names[op];
}

unsigned reduction_grid(const struct reduction *call, unsigned block, unsigned per_multiprocessor)
{
    const size_t covering = call->n / block + (call->n % block != 0);
    const size_t resident = (size_t)call->multiprocessors * per_multiprocessor;
    const size_t grid = covering < resident ? covering : resident;
    return grid == 0 ? 1 : (unsigned)grid;
}

double depth_serial(const struct reduction *call)
{
    return (double)call->n;
}

/* The longest way through one launch: a thread's share of n, then the block's tree. */
static double depth_of_launch(size_t n, size_t grid)
{
    const size_t threads = grid * REDUCTION_BLOCK;
    return (double)(n / threads + 1) + log2(REDUCTION_BLOCK);
}

double depth_two_stages(const struct reduction *call)
{
    const unsigned grid =
        reduction_grid(call, REDUCTION_BLOCK, REDUCTION_BLOCKS_PER_MULTIPROCESSOR);
    return depth_of_launch(call->n, grid) + depth_of_launch(grid, 1);
}

static bool is_extremum(const struct reduction_problem *problem)
{
    return problem->call.op == OP_MAX || problem->call.op == OP_MIN;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static void store(void *array, enum element_type type, size_t i, double value)
{
    if (type == TYPE_F64)
        ((double *)array)[i] = value;
    else
        ((float *)array)[i] = (float)value;
}

static double fetch(const void *array, enum element_type type, size_t i)
{
    return type == TYPE_F64 ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

/* Probe of dot and sum: integers of both signs, whose partial sums stay far below 2^24 in any order
 * chosen without a look at them (they grow like the square root of n), with a sum that is not 0,
 * since 0 survives any scaling. A 0 of a mixed dot hides its partner, so there is a second probe
 * without any. */
static void fill_integers(struct reduction_problem *problem, size_t probe)
{
    const struct reduction *call = &problem->call;
    int64_t sum = 0;

    for (size_t i = 0; i < call->n; i++) {
        const int a = random_small_integer(random_bits(problem->seed, 2 * i));
        int b = 1;
        store(problem->a, call->type, i, a);
        if (call->op == OP_DOT) {
            const uint64_t bits = random_bits(problem->seed, 2 * i + 1);
            b = call->type == TYPE_MIXED ? (probe > 0 ? 1 : (int)(bits & 1))
                                         : random_small_integer(bits);
            if (call->type == TYPE_MIXED)
                ((unsigned char *)problem->b)[i] = (unsigned char)b;
            else
                store(problem->b, call->type, i, b);
        }
        sum += (int64_t)a * b;
    }
    if (sum == 0 && call->n > 0) {
        unsigned char *const mask = problem->b;
        if (call->type == TYPE_MIXED && mask[0] == 0)
            mask[0] = 1;
        else
            store(problem->a, call->type, 0, -fetch(problem->a, call->type, 0));
    }
}

/* Probes of max and min: the extremum stands last, first, or anywhere. All values have the sign
 * that makes an accumulator started at 0 wrong. */
static void fill_extremum(struct reduction_problem *problem, size_t probe)
{
    const struct reduction *call = &problem->call;
    const double sign = call->op == OP_MAX ? -1 : 1;

    for (size_t i = 0; i < call->n; i++)
        store(problem->a, call->type, i,
              sign * (1 + (double)(random_bits(problem->seed + probe, i) % 1000)));
    if (call->n > 0) {
        const size_t places[] = {call->n - 1, 0, random_bits(problem->seed, 0) % call->n};
        store(problem->a, call->type, places[probe], sign * 0.5);
    }
}

static void fill_random(struct reduction_problem *problem)
{
    const struct reduction *call = &problem->call;

    for (size_t i = 0; i < call->n; i++) {
        const uint64_t bits = random_bits(problem->seed, 2 * i);
        if (call->type == TYPE_F64)
            ((double *)problem->a)[i] = random_double(bits);
        else
            ((float *)problem->a)[i] = random_float(bits);
    }
    if (call->op != OP_DOT)
        return;
    for (size_t i = 0; i < call->n; i++) {
        const uint64_t bits = random_bits(problem->seed, 2 * i + 1);
        if (call->type == TYPE_F64)
            ((double *)problem->b)[i] = random_double(bits);
        else if (call->type == TYPE_F32)
            ((float *)problem->b)[i] = random_float(bits);
        else
            ((unsigned char *)problem->b)[i] = (unsigned char)(bits & 1);
    }
}

/* ---- reference ------------------------------------------------------------------------------- */

static struct reference extremum(const struct reduction_problem *problem)
{
    const struct reduction *call = &problem->call;
    const bool max = call->op == OP_MAX;
    struct reference reference = {.value = max ? -INFINITY : INFINITY};

    for (size_t i = 0; i < call->n; i++) {
        const double value = fetch(problem->a, call->type, i);
        if (isnan(value)) {
            reference.value = value;
            break;
        }
        if (max ? value > reference.value : value < reference.value)
            reference.value = value;
    }
    return reference;
}

static struct reference reference_of(const struct reduction_problem *problem)
{
    const struct reduction *call = &problem->call;
    const void *a = problem->a, *b = problem->b;

    if (is_extremum(problem))
        return extremum(problem);
    if (call->op == OP_SUM)
        return call->type == TYPE_F64 ? reference_sum_f64(a, call->n)
                                      : reference_sum_f32(a, call->n);
    if (call->type == TYPE_F64)
        return reference_dot_f64(a, 1, b, 1, call->n);
    if (call->type == TYPE_F32)
        return reference_dot_f32(a, 1, b, 1, call->n);
    return reference_dot_mixed(a, b, call->n);
}

static double bound_of(const struct reduction_problem *problem, const struct rung *rung)
{
    const struct reduction *call = &problem->call;
    const double product = call->op == OP_DOT ? 1 : 0;

    if (is_extremum(problem) || !problem->base.inexact_input)
        return 0; /* nothing rounds */
    const double roundings = rung->depth.reduce(call) + product;
    return call->type == TYPE_F64
               ? rounding_bound_f64(roundings, call->n, problem->reference.magnitude)
               : rounding_bound_f32(roundings, call->n, problem->reference.magnitude);
}

/* ---- family ---------------------------------------------------------------------------------- */

static void destroy(struct problem *base)
{
    struct reduction_problem *problem = (struct reduction_problem *)base;
    const struct back_end *back_end = base->back_end;

    back_end->release(problem->device_a);
    back_end->release(problem->device_b);
    back_end->release(problem->call.result);
    back_end->release(problem->call.workspace);
    free(problem->host_a);
    free(problem->host_b);
    npy_free(&problem->file_a);
    npy_free(&problem->file_b);
    free(problem);
}

/* The element type that a pair of files asks for, or false if no rung takes such a pair. */
static bool type_of_files(const struct reduction_problem *problem, const struct options *options,
                          enum element_type *type)
{
    const enum npy_type a = problem->file_a.type;
    const enum npy_type b = options->b != NULL ? problem->file_b.type : a;

    if (a == NPY_FLOAT32 && b == NPY_FLOAT32)
        *type = TYPE_F32;
    else if (a == NPY_FLOAT64 && b == NPY_FLOAT64)
        *type = TYPE_F64;
    else if (a == NPY_FLOAT32 && b == NPY_BOOL)
        *type = TYPE_MIXED;
    else
        return false;
    return true;
}

static bool open_files(struct reduction_problem *problem, const struct options *options,
                       struct error *error)
{
    struct reduction *call = &problem->call;
    enum element_type type;

    if (!npy_read(options->a, &problem->file_a, error))
        return false;
    if (problem->file_a.dimensions != 1)
        return error_set(error, EXIT_FILE_ERROR, "%s: %zu dimensions, want a vector (1)",
                         options->a, problem->file_a.dimensions);
    if (options->b != NULL) {
        if (!npy_read(options->b, &problem->file_b, error))
            return false;
        if (problem->file_b.dimensions != 1)
            return error_set(error, EXIT_FILE_ERROR, "%s: %zu dimensions, want a vector (1)",
                             options->b, problem->file_b.dimensions);
        if (problem->file_a.count != problem->file_b.count)
            return error_set(error, EXIT_FILE_ERROR, "%s has %zu elements but %s has %zu",
                             options->a, problem->file_a.count, options->b, problem->file_b.count);
    }
    if (!type_of_files(problem, options, &type)) {
        static const char wanted[] = "want float32 or float64 (both alike), or float32 and bool";
        if (options->b == NULL)
            return error_set(error, EXIT_FILE_ERROR, "%s is %s; want float32 or float64",
                             options->a, npy_type_name(problem->file_a.type));
        return error_set(error, EXIT_FILE_ERROR, "%s is %s and %s is %s; %s", options->a,
                         npy_type_name(problem->file_a.type), options->b,
                         npy_type_name(problem->file_b.type), wanted);
    }
    if (options->type_given && options->type != type)
        return error_set(error, EXIT_FILE_ERROR, "the files hold %s data, but --type is %s",
                         type_names[type], type_names[options->type]);
    call->type = type;
    call->n = problem->file_a.count;
    problem->from_files = true;
    return true;
}

/* `count` elements of which the first `offset` are only there to spoil the alignment. An operand of
 * element size 0 does not exist: NULL. */
static bool allocate_operand(struct reduction_problem *problem, size_t count, size_t offset,
                             size_t element_size, void **host, void **device, void **elements,
                             void **target, struct error *error)
{
    const struct back_end *back_end = problem->base.back_end;

    if (element_size == 0)
        return true;
    *host = host_allocate(count * element_size, error);
    if (*host == NULL)
        return false;
    *elements = *target = (char *)*host + offset * element_size;
    if (back_end->host_memory)
        return true;
    *device = back_end->allocate(count * element_size, error);
    if (*device == NULL)
        return false;
    *target = (char *)*device + offset * element_size;
    return true;
}

static bool allocate(struct reduction_problem *problem, const struct options *options,
                     struct error *error)
{
    const struct back_end *back_end = problem->base.back_end;
    struct reduction *const call = &problem->call;
    const size_t count = call->n + options->offset;
    size_t bytes;

    if (count < call->n ||
        !checked_bytes(count, problem->a_size + problem->b_size, 1, &bytes, error))
        return error_set(error, EXIT_DEVICE_ERROR,
                         "out of memory: n = %zu exceeds the address space", call->n);
    /* Emulated device memory is this machine's memory, too. */
    if (!memory_available(back_end->host_memory || back_end->clocks ? bytes : 2 * bytes, error))
        return false;
    if (!allocate_operand(problem, count, options->offset, problem->a_size, &problem->host_a,
                          &problem->device_a, &problem->a, &problem->target_a, error) ||
        !allocate_operand(problem, count, options->offset, problem->b_size, &problem->host_b,
                          &problem->device_b, &problem->b, &problem->target_b, error))
        return false;
    call->a = problem->target_a;
    call->b = problem->target_b;

    call->result = back_end->allocate(problem->a_size, error);
    if (call->result == NULL)
        return false;
    call->workspace = back_end->allocate(REDUCTION_WORKSPACE, error);
    return call->workspace != NULL;
}

static struct problem *create(const struct options *options, const struct back_end *back_end,
                              const struct machine *machine, struct error *error)
{
    struct reduction_problem *problem = calloc(1, sizeof *problem);
    if (problem == NULL) {
        error_set(error, EXIT_DEVICE_ERROR, "out of memory");
        return NULL;
    }
    problem->base.family = &reduction_family;
    problem->base.back_end = back_end;
    problem->seed = options->seed;

    struct reduction *call = &problem->call;
    call->op = options->op;
    call->type = options->type;
    call->n = options->n;
    call->multiprocessors = machine->multiprocessors;
    call->threads = options->threads;
    if (options->a != NULL && !open_files(problem, options, error)) {
        destroy(&problem->base);
        return NULL;
    }
    problem->a_size = call->type == TYPE_F64 ? sizeof(double) : sizeof(float);
    if (call->op == OP_DOT)
        problem->b_size = call->type == TYPE_MIXED ? 1 : problem->a_size;
    if (!allocate(problem, options, error)) {
        destroy(&problem->base);
        return NULL;
    }

    problem->base.op = reduce_op_name(call->op);
    problem->base.type = type_names[call->type];
    problem->base.is_scalar = true;
    problem->base.probes = is_extremum(problem) ? 3 : call->type == TYPE_MIXED ? 2 : 1;
    problem->base.bytes = (double)call->n * (double)(problem->a_size + problem->b_size);
    problem->base.flops = (double)call->n * (call->op == OP_DOT ? 2 : 1);
    snprintf(problem->base.shape, sizeof problem->base.shape, "%zu", call->n);
    return &problem->base;
}

static bool load(struct problem *base, size_t input, struct error *error)
{
    struct reduction_problem *problem = (struct reduction_problem *)base;
    const struct reduction *call = &problem->call;
    const struct back_end *back_end = base->back_end;
    const size_t a_bytes = call->n * problem->a_size, b_bytes = call->n * problem->b_size;

    base->inexact_input = input == base->probes;
    if (!base->inexact_input && is_extremum(problem)) {
        fill_extremum(problem, input);
    } else if (!base->inexact_input) {
        fill_integers(problem, input);
    } else if (problem->from_files) {
        memcpy(problem->a, problem->file_a.data, a_bytes);
        if (problem->b_size != 0)
            memcpy(problem->b, problem->file_b.data, b_bytes);
    } else {
        fill_random(problem);
    }
    problem->reference = reference_of(problem);
    base->answer = problem->reference.value;

    if (back_end->host_memory)
        return true;
    return back_end->upload(problem->target_a, problem->a, a_bytes, error) &&
           (problem->b_size == 0 ||
            back_end->upload(problem->target_b, problem->b, b_bytes, error));
}

static bool poison(struct problem *base, const struct rung *rung, struct error *error)
{
    (void)rung;
    const struct reduction_problem *problem = (struct reduction_problem *)base;
    const struct back_end *back_end = base->back_end;

    return back_end->fill(problem->call.result, 0xFF, problem->a_size, error) &&
           back_end->fill(problem->call.workspace, 0xFF, REDUCTION_WORKSPACE, error);
}

static void prepare_rung(const struct problem *base, const struct rung *rung)
{
    if (rung->prepare.reduce != NULL)
        rung->prepare.reduce(&((const struct reduction_problem *)base)->call);
}

static void describe_rung(const struct problem *base, const struct rung *rung, char *text)
{
    text[0] = '\0';
    if (rung->how.reduce != NULL)
        rung->how.reduce(&((const struct reduction_problem *)base)->call, text);
}

static void run(const struct problem *base, const struct rung *rung)
{
    rung->run.reduce(&((const struct reduction_problem *)base)->call);
}

static bool check(struct problem *base, const struct rung *rung, struct comparison *comparison,
                  struct error *error)
{
    const struct reduction_problem *problem = (struct reduction_problem *)base;
    const bool f64 = problem->call.type == TYPE_F64;
    union {
        float f32;
        double f64;
    } result;

    if (!base->back_end->download(&result, problem->call.result, problem->a_size, error))
        return false;
    *comparison = compare_number(f64 ? result.f64 : (double)result.f32, &problem->reference,
                                 bound_of(problem, rung), f64 ? DBL_MAX : FLT_MAX);
    return true;
}

static bool evict(struct problem *base, const struct rung *rung, struct error *error)
{
    (void)rung;
    const struct reduction_problem *problem = (struct reduction_problem *)base;
    const struct reduction *call = &problem->call;
    const struct back_end *back_end = base->back_end;

    return back_end->evict(call->a, call->n * problem->a_size, error) &&
           (problem->b_size == 0 || back_end->evict(call->b, call->n * problem->b_size, error));
}

const struct family reduction_family = {
    .create = create,
    .destroy = destroy,
    .load = load,
    .poison = poison,
    .prepare = prepare_rung,
    .describe = describe_rung,
    .run = run,
    .check = check,
    .evict = evict,
};
