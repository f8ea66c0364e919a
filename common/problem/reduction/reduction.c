#include "problem/reduction/reduction.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/memory.h"
#include "base/npy.h"
#include "base/random.h"
#include "device/guarded.h"
#include "device/pool.h"
#include "problem/judge.h"
#include "problem/problem.h"
#include "problem/reduction/options.h"
#include "problem/reference.h"

struct reduction_problem {
    struct problem base;
    struct reduction call; /* its pointers are to memory of the back end */

    size_t a_size, b_size; /* bytes per element; b_size is 0 if there is no b */
    struct guarded a, b;
    struct npy file_a, file_b;
    bool from_files;
    uint64_t seed;
    struct reference reference;
};

unsigned reduction_grid(const struct reduction *call, unsigned block, unsigned per_multiprocessor)
{
    const size_t covering = call->n / block + (call->n % block != 0);
    const size_t resident = (size_t)call->multiprocessors * per_multiprocessor;
    const size_t grid = covering < resident ? covering : resident;
    return grid == 0 ? 1 : (unsigned)grid;
}

static unsigned blocks_for(const struct reduction *call, unsigned threads, unsigned resident)
{
    if (call->grid != 0 && call->grid != BY_OCCUPANCY)
        return call->grid;
    return reduction_grid(call, threads,
                          call->grid == 0 ? REDUCTION_BLOCKS_PER_MULTIPROCESSOR : resident);
}

/* The latest launch, for reports. */
static unsigned latest_blocks, latest_threads;

unsigned reduction_blocks(const struct reduction *call, unsigned threads, unsigned resident)
{
    latest_threads = threads;
    latest_blocks = blocks_for(call, threads, resident);
    return latest_blocks;
}

struct launch_range reduction_range(const struct reduction *call)
{
    const bool free = call->block == BY_OCCUPANCY;
    const unsigned block = call->block == 0 ? REDUCTION_BLOCK : call->block;
    const unsigned least = free ? 32 : block, most = free ? MOST_THREADS : block;

    return (struct launch_range){
        .least_blocks = blocks_for(call, most, 1),
        .most_blocks = blocks_for(call, least, MOST_RESIDENT),
        .least_threads = least,
        .most_threads = most,
    };
}

size_t reduction_workspace(const struct reduction *call)
{
    const size_t wanted = call->grid == BY_OCCUPANCY ? 0 : call->grid * sizeof(double);
    return wanted > REDUCTION_WORKSPACE ? wanted : REDUCTION_WORKSPACE;
}

double depth_serial(const struct reduction *call)
{
    return (double)call->n;
}

double depth_two_stages(const struct reduction *call)
{
    const struct launch_range range = reduction_range(call);
    const double tree = ceil(log2((double)range.most_threads));
    const size_t first = call->n / (range.least_blocks * range.least_threads) + 1;
    const size_t second = range.most_blocks / range.least_threads + 1;

    /* A load of eight halfs adds a tree of three levels. */
    const double pack = call->type == TYPE_F16 ? 3 : 0;

    return pack + (double)first + tree + (double)second + tree;
}

static bool is_extremum(const struct reduction_problem *problem)
{
    return problem->call.op == OP_MAX || problem->call.op == OP_MIN;
}

/* The inputs' first elements in the host's copies. */
static void *a_of(const struct reduction_problem *problem)
{
    return guarded_host(&problem->a);
}

static void *b_of(const struct reduction_problem *problem)
{
    return problem->b_size != 0 ? guarded_host(&problem->b) : NULL;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static void store(void *array, enum element_type type, size_t i, double value)
{
    if (type == TYPE_F64)
        ((double *)array)[i] = value;
    else if (type == TYPE_F16)
        ((uint16_t *)array)[i] = half_of_float((float)value);
    else
        ((float *)array)[i] = (float)value;
}

/* The type of b's elements, if they are not bytes. */
static enum element_type type_of_b(const struct reduction *call)
{
    return call->type == TYPE_F32_F64 ? TYPE_F64 : call->type;
}

static double fetch(const void *array, enum element_type type, size_t i)
{
    return type == TYPE_F64   ? ((const double *)array)[i]
           : type == TYPE_F16 ? (double)float_of_half(((const uint16_t *)array)[i])
                              : (double)((const float *)array)[i];
}

/* ---- filling by several threads -------------------------------------------------------------- */

typedef int64_t fill_part(struct reduction_problem *problem, size_t probe, size_t first,
                          size_t end);

struct filling {
    struct reduction_problem *problem;
    size_t probe;
    fill_part *fill;
    int threads;
    int64_t sums[POOL_MOST];
};

static void fill_one_part(void *argument, int thread)
{
    struct filling *const filling = argument;
    const size_t n = filling->problem->call.n, part = n / (size_t)filling->threads + 1;
    const size_t first = (size_t)thread * part, end = first + part;

    filling->sums[thread] =
        filling->fill(filling->problem, filling->probe, first < n ? first : n, end < n ? end : n);
}

/* The sum of the results of `fill`. On the CPU, one thread fills all of it, because a lesson of
 * step 02 is about memory that one thread wrote first. */
static int64_t fill_in_parts(struct reduction_problem *problem, size_t probe, fill_part *fill)
{
    const bool alone = problem->base.back_end->host_memory || problem->call.n < (1 << 24);
    struct filling filling = {problem, probe, fill, alone ? 1 : problem->call.threads, {0}};
    int64_t sum = 0;

    pool_run(filling.threads, fill_one_part, &filling);
    for (int t = 0; t < filling.threads; t++)
        sum += filling.sums[t];
    return sum;
}

/* Probes of dot and sum: integers of both signs. Their partial sums grow like the square root of n
 * and stay far below 2^24, in any order that does not depend on the data. Their total is not 0,
 * because 0 would stay right if it were scaled. In a mixed dot product a 0 in b hides its partner
 * in a, so there is a second probe without zeros. */
static int64_t fill_part_with_integers(struct reduction_problem *problem, size_t probe,
                                       size_t first, size_t end)
{
    const struct reduction *call = &problem->call;
    int64_t sum = 0;

    for (size_t i = first; i < end; i++) {
        const int a = random_small_integer(random_bits(problem->seed, 2 * i));
        int b = 1;
        store(a_of(problem), call->type, i, a);
        if (call->op == OP_DOT) {
            const uint64_t bits = random_bits(problem->seed, 2 * i + 1);
            b = call->type == TYPE_MIXED ? (probe > 0 ? 1 : (int)(bits & 1))
                                         : random_small_integer(bits);
            if (call->type == TYPE_MIXED)
                ((unsigned char *)b_of(problem))[i] = (unsigned char)b;
            else
                store(b_of(problem), type_of_b(call), i, b);
        }
        sum += (int64_t)a * b;
    }
    return sum;
}

static void fill_integers(struct reduction_problem *problem, size_t probe)
{
    const struct reduction *call = &problem->call;
    const int64_t sum = fill_in_parts(problem, probe, fill_part_with_integers);

    if (sum == 0 && call->n > 0) {
        unsigned char *const mask = b_of(problem);
        if (call->type == TYPE_MIXED && mask[0] == 0)
            mask[0] = 1;
        else
            store(a_of(problem), call->type, 0, -fetch(a_of(problem), call->type, 0));
    }
}

/* Probes of max and min: the extremum is the last element, the first, or a random one. All values
 * have the sign for which an accumulator that starts at 0 gives a wrong result. */
static void fill_extremum(struct reduction_problem *problem, size_t probe)
{
    const struct reduction *call = &problem->call;
    const double sign = call->op == OP_MAX ? -1 : 1;

    for (size_t i = 0; i < call->n; i++)
        store(a_of(problem), call->type, i,
              sign * (1 + (double)(random_bits(problem->seed + probe, i) % 1000)));
    if (call->n > 0) {
        const size_t places[] = {call->n - 1, 0, random_bits(problem->seed, 0) % call->n};
        store(a_of(problem), call->type, places[probe], sign * 0.5);
    }
}

/* Element i of a (0) or b (1), before it is rounded to its type. */
static double random_element(const struct reduction_problem *problem, unsigned stream, size_t i)
{
    const uint64_t bits = random_stream(problem->seed, 2, stream, i);
    return is_f64_result(problem->call.type) ? random_double(bits) : (double)random_float(bits);
}

static int64_t fill_part_at_random(struct reduction_problem *problem, size_t unused, size_t first,
                                   size_t end)
{
    const struct reduction *call = &problem->call;

    (void)unused;
    for (size_t i = first; i < end; i++)
        store(a_of(problem), call->type, i, random_element(problem, 0, i));
    for (size_t i = first; i < end && call->op == OP_DOT; i++)
        if (call->type == TYPE_MIXED)
            ((unsigned char *)b_of(problem))[i] = random_stream(problem->seed, 2, 1, i) & 1;
        else
            store(b_of(problem), type_of_b(call), i, random_element(problem, 1, i));
    return 0;
}

/* ---- reference ------------------------------------------------------------------------------- */

static struct reference extremum(const struct reduction_problem *problem)
{
    const struct reduction *call = &problem->call;
    const bool max = call->op == OP_MAX;
    struct reference reference = {.value = max ? -INFINITY : INFINITY};

    for (size_t i = 0; i < call->n; i++) {
        const double value = fetch(a_of(problem), call->type, i);
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
    const void *a = a_of(problem), *b = b_of(problem);

    if (is_extremum(problem))
        return extremum(problem);
    if (call->type == TYPE_F16)
        return reference_f16(a, call->op == OP_DOT ? b : NULL, call->n);
    if (call->op == OP_SUM)
        return call->type == TYPE_F64 ? reference_sum_f64(a, call->n)
                                      : reference_sum_f32(a, call->n);
    if (call->type == TYPE_F64)
        return reference_dot_f64(a, 1, b, 1, call->n);
    if (call->type == TYPE_F32)
        return reference_dot_f32(a, 1, b, 1, call->n);
    if (call->type == TYPE_F32_F64)
        return reference_dot_f32_f64(a, b, call->n);
    return reference_dot_mixed(a, b, call->n);
}

static double bound_of(const struct reduction_problem *problem, const struct reduction_rung *rung)
{
    const struct reduction *call = &problem->call;
    /* A product of two halfs has at most 22 significant bits: a float represents it. */
    const double product = call->op == OP_DOT && call->type != TYPE_F16 ? 1 : 0;

    if (is_extremum(problem) || !problem->base.inexact_input)
        return 0; /* max and min do not round, and neither do sums of a probe */
    const double roundings = rung->depth(call) + product;
    if (is_f64_result(call->type))
        return rounding_bound_f64(roundings, call->n, problem->reference.magnitude);
    /* Each of up to n additions may drop an operand and a result below FLT_MIN. */
    const double flushed =
        rung->rung.flags & RUNG_FLUSHES_SUBNORMALS ? 2 * (double)call->n * (double)FLT_MIN : 0;
    return rounding_bound_f32(roundings, call->n, problem->reference.magnitude) + flushed;
}

/* ---- the problem ----------------------------------------------------------------------------- */

static void destroy(struct problem *base)
{
    struct reduction_problem *problem = (struct reduction_problem *)base;
    const struct back_end *back_end = base->back_end;

    guarded_destroy(&problem->a, back_end);
    guarded_destroy(&problem->b, back_end);
    back_end->release(problem->call.result);
    back_end->release(problem->call.workspace);
    npy_free(&problem->file_a);
    npy_free(&problem->file_b);
    free(problem);
}

/* Sets *type to the element type of the files' data; false if no rung supports that combination. */
static bool type_of_files(const struct reduction_problem *problem,
                          const struct reduction_options *options, enum element_type *type)
{
    const enum npy_type a = problem->file_a.type;
    const enum npy_type b = options->base.b != NULL ? problem->file_b.type : a;

    if (a == NPY_FLOAT32 && b == NPY_FLOAT32)
        *type = TYPE_F32;
    else if (a == NPY_FLOAT16 && b == NPY_FLOAT16)
        *type = TYPE_F16;
    else if (a == NPY_FLOAT64 && b == NPY_FLOAT64)
        *type = TYPE_F64;
    else if (a == NPY_FLOAT32 && b == NPY_BOOL)
        *type = TYPE_MIXED;
    else if (a == NPY_FLOAT32 && b == NPY_FLOAT64)
        *type = TYPE_F32_F64;
    else
        return false;
    return true;
}

static bool open_files(struct reduction_problem *problem, const struct reduction_options *options,
                       struct error *error)
{
    struct reduction *call = &problem->call;
    enum element_type type;

    if (!npy_read(options->base.a, &problem->file_a, error))
        return false;
    if (problem->file_a.dimensions != 1)
        return error_set(error, EXIT_FILE_ERROR, "%s: %zu dimensions, expected a vector (1)",
                         options->base.a, problem->file_a.dimensions);
    if (options->base.b != NULL) {
        if (!npy_read(options->base.b, &problem->file_b, error))
            return false;
        if (problem->file_b.dimensions != 1)
            return error_set(error, EXIT_FILE_ERROR, "%s: %zu dimensions, expected a vector (1)",
                             options->base.b, problem->file_b.dimensions);
        if (problem->file_a.count != problem->file_b.count)
            return error_set(error, EXIT_FILE_ERROR, "%s has %zu elements but %s has %zu",
                             options->base.a, problem->file_a.count, options->base.b,
                             problem->file_b.count);
    }
    if (!type_of_files(problem, options, &type)) {
        static const char wanted[] =
            "expected float16, float32 or float64 twice, or float32 and then bool or float64";
        if (options->base.b == NULL)
            return error_set(error, EXIT_FILE_ERROR,
                             "%s is %s; expected float16, float32 or float64", options->base.a,
                             npy_type_name(problem->file_a.type));
        return error_set(error, EXIT_FILE_ERROR, "%s is %s and %s is %s; %s", options->base.a,
                         npy_type_name(problem->file_a.type), options->base.b,
                         npy_type_name(problem->file_b.type), wanted);
    }
    if (options->type != TYPE_NOT_GIVEN && options->type != (int)type)
        return error_set(error, EXIT_FILE_ERROR, "the files hold %s data, but --type is %s",
                         element_type_names[type], element_type_names[options->type]);
    call->type = type;
    call->n = problem->file_a.count;
    problem->from_files = true;
    return true;
}

/* Allocates an operand that starts `offset` elements past an aligned address, with a margin of NaNs
 * before it. */
static bool allocate_operand(struct reduction_problem *problem, struct guarded *operand,
                             size_t size, size_t offset, struct error *error)
{
    if (!guarded_create(operand, problem->call.n * size, offset * size, 0, problem->base.back_end,
                        error))
        return false;
    guarded_fill_margins(operand, poison_value());
    return true;
}

static bool allocate(struct reduction_problem *problem, size_t offset, size_t skew,
                     struct error *error)
{
    const struct back_end *back_end = problem->base.back_end;
    struct reduction *const call = &problem->call;
    size_t bytes;

    if (!checked_bytes(call->n, problem->a_size + problem->b_size, 1, &bytes, error))
        return error_set(error, EXIT_DEVICE_ERROR,
                         "out of memory: n = %zu exceeds the address space", call->n);
    if (!problem_has_memory(back_end, (double)bytes, 0, error) ||
        !allocate_operand(problem, &problem->a, problem->a_size, offset, error))
        return false;
    call->a = guarded_memory(&problem->a);
    if (problem->b_size != 0) {
        if (!allocate_operand(problem, &problem->b, problem->b_size, offset + skew, error))
            return false;
        call->b = guarded_memory(&problem->b);
    }
    call->result = back_end->allocate(result_size(call->type), error);
    if (call->result == NULL)
        return false;
    call->workspace = back_end->allocate(reduction_workspace(call), error);
    return call->workspace != NULL;
}

static struct problem *create(const struct problem_options *base_options,
                              const struct back_end *back_end, const struct machine *machine,
                              struct error *error)
{
    const struct reduction_options *options = (const struct reduction_options *)base_options;
    struct reduction_problem *problem = calloc(1, sizeof *problem);
    if (problem == NULL) {
        error_set(error, EXIT_DEVICE_ERROR, "out of memory");
        return NULL;
    }
    struct problem *const base = &problem->base;
    struct reduction *const call = &problem->call;

    base->kind = &reduction_kind;
    base->back_end = back_end;
    problem->seed = base_options->seed;
    *call = (struct reduction){
        .op = (enum reduce_op)options->op,
        .type = options->type == TYPE_NOT_GIVEN ? TYPE_F32 : (enum element_type)options->type,
        .n = options->n,
        .multiprocessors = machine->processors,
        .threads = base_options->threads,
        .block = options->block,
        .grid = options->grid,
    };
    if (base_options->a != NULL && !open_files(problem, options, error)) {
        destroy(base);
        return NULL;
    }
    problem->a_size = element_size(call->type);
    if (call->op == OP_DOT)
        problem->b_size = second_size(call->type);
    if (!allocate(problem, base_options->offset, base_options->skew, error)) {
        destroy(base);
        return NULL;
    }

    base->op = reduce_op_names[call->op];
    base->type = element_type_names[call->type];
    base->is_scalar = true;
    base->probes = is_extremum(problem) ? 3 : call->type == TYPE_MIXED ? 2 : 1;
    base->bytes = (double)call->n * (double)(problem->a_size + problem->b_size);
    base->flops = (double)call->n * (call->op == OP_DOT ? 2 : 1);
    snprintf(base->shape, sizeof base->shape, "%zu", call->n);
    return base;
}

static struct problem *create_on_gpus(const struct problem_options *options,
                                      const struct back_end *back_end,
                                      const struct machine *machine, struct error *error)
{
    int gpus;

    if (!problem_join(options, back_end, &gpus, error))
        return NULL;
    struct problem *const base = create(options, back_end, machine, error);
    if (base != NULL)
        base->gpus = ((struct reduction_problem *)base)->call.gpus = gpus;
    return base;
}

static bool load(struct problem *base, size_t input, struct error *error)
{
    struct reduction_problem *problem = (struct reduction_problem *)base;

    base->inexact_input = input == base->probes;
    if (!base->inexact_input && is_extremum(problem)) {
        fill_extremum(problem, input);
    } else if (!base->inexact_input) {
        fill_integers(problem, input);
    } else if (problem->from_files) {
        memcpy(a_of(problem), problem->file_a.data, problem->a.count);
        if (problem->b_size != 0)
            memcpy(b_of(problem), problem->file_b.data, problem->b.count);
    } else {
        fill_in_parts(problem, 0, fill_part_at_random);
    }
    problem->reference = reference_of(problem);
    base->answer = problem->reference.value;
    return guarded_upload(&problem->a, base->back_end, error) &&
           (problem->b_size == 0 || guarded_upload(&problem->b, base->back_end, error));
}

/* ---- running a rung -------------------------------------------------------------------------- */

static const struct reduction_rung *kind_of(const struct rung *rung)
{
    return (const struct reduction_rung *)rung;
}

static const struct reduction *call_of(const struct problem *base)
{
    return &((const struct reduction_problem *)base)->call;
}

/* Why the rung cannot be launched with --block and --grid, or NULL if it can. For a library these
 * options do not apply. */
static const char *declines_shape(const struct reduction *call, const struct reduction_rung *rung)
{
    const unsigned shape = rung->shape, block = call->block;
    const bool other_block = block != 0 && block != REDUCTION_BLOCK;
    const bool number = other_block && block != BY_OCCUPANCY;

    if (rung->rung.flags & RUNG_LIBRARY || (!other_block && call->grid == 0))
        return NULL;
    if (shape & CHOOSES_SHAPE)
        return "chooses threads and blocks itself";
    if (other_block && !(shape & TAKES_BLOCK))
        return "compiled for blocks of 256 threads";
    if (call->grid != 0 && !(shape & TAKES_GRID))
        return "is a single block";
    if (number && shape & POWER_OF_TWO && (block & (block - 1)) != 0)
        return "its tree needs a power of two of threads";
    return number && shape & TWO_WARPS && block < 64 ? "needs at least 64 threads a block" : NULL;
}

static const char *declines(const struct problem *base, const struct rung *rung)
{
    static const char *const missing[] = {"has no dot", "has no sum", "has no max", "has no min"};
    const enum reduce_op op = call_of(base)->op;
    const unsigned ops = kind_of(rung)->ops;

    if (kind_of(rung)->run == NULL)
        return rung_not_built(rung);
    if (ops != 0 && (ops & RUNG_OP(op)) == 0)
        return missing[op];
    if (declines_shape(call_of(base), kind_of(rung)) != NULL)
        return declines_shape(call_of(base), kind_of(rung));
    return kind_of(rung)->declines != NULL ? kind_of(rung)->declines(call_of(base)) : NULL;
}

static bool poison(struct problem *base, const struct rung *rung, bool all, struct error *error)
{
    const struct reduction_problem *problem = (struct reduction_problem *)base;
    const struct back_end *back_end = base->back_end;

    (void)rung;
    return back_end->fill(problem->call.result, 0xFF, result_size(problem->call.type), error) &&
           (!all || back_end->fill(problem->call.workspace, 0xFF,
                                   reduction_workspace(&problem->call), error));
}

static void prepare(const struct problem *base, const struct rung *rung)
{
    if (kind_of(rung)->prepare != NULL)
        kind_of(rung)->prepare(call_of(base));
}

static void run(const struct problem *base, const struct rung *rung)
{
    kind_of(rung)->run(call_of(base));
}

static void describe(const struct problem *base, const struct rung *rung, char text[RUNG_HOW_SIZE])
{
    const struct reduction *const call = call_of(base);

    text[0] = '\0';
    if (kind_of(rung)->how != NULL)
        kind_of(rung)->how(call, text);
    else if (kind_of(rung)->shape & TAKES_GRID && (call->grid != 0 || call->block != 0))
        snprintf(text, RUNG_HOW_SIZE, "%u x %u", latest_blocks, latest_threads);
}

static bool check(struct problem *base, const struct rung *rung, struct comparison *comparison,
                  struct error *error)
{
    const struct reduction_problem *problem = (struct reduction_problem *)base;
    const bool f64 = is_f64_result(problem->call.type);
    const size_t size = result_size(problem->call.type);
    double wide = 0;
    float narrow = 0;
    void *const result = f64 ? (void *)&wide : (void *)&narrow;

    if (!base->back_end->download(result, problem->call.result, size, error))
        return false;
    *comparison = compare_number(f64 ? wide : (double)narrow, &problem->reference,
                                 bound_of(problem, kind_of(rung)), f64 ? DBL_MAX : FLT_MAX);
    judge_unwritten(comparison, result, size);
    comparison_describe(comparison, NULL);
    return true;
}

static bool evict(struct problem *base, const struct rung *rung, struct error *error)
{
    const struct reduction_problem *problem = (struct reduction_problem *)base;
    const struct guarded *const arrays[] = {&problem->a, &problem->b};

    return problem_evict(base, rung, arrays, problem->b_size == 0 ? 1 : 2, error);
}

#define REDUCTION_KIND(fields_of_kind, fields_shown, creates)                                      \
    {                                                                                              \
        .options_size = sizeof(struct reduction_options), .fields = fields_of_kind,                \
        .field_count = (fields_shown), .set_defaults = reduction_set_defaults,                     \
        .check_options = reduction_check_options, .set_size = reduction_set_size,                  \
        .limit_size = reduction_limit_size, .set_small = reduction_set_small, .create = creates,   \
        .destroy = destroy, .load = load, .declines = declines, .poison = poison,                  \
        .prepare = prepare, .run = run, .describe = describe, .check = check, .evict = evict,      \
    }

const struct problem_kind reduction_kind =
    REDUCTION_KIND(reduction_fields, REDUCTION_FIELDS, create);
const struct problem_kind grid_reduction_kind =
    REDUCTION_KIND(reduction_fields, GRID_REDUCTION_FIELDS, create);
const struct problem_kind block_reduction_kind =
    REDUCTION_KIND(reduction_fields, BLOCK_REDUCTION_FIELDS, create);
const struct problem_kind gpus_reduction_kind =
    REDUCTION_KIND(gpus_reduction_fields, REDUCTION_FIELDS + 1, create_on_gpus);
/* SPDX-License-Identifier: MIT */
