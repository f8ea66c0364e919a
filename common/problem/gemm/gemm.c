/* The gemm problem: allocates its memory and runs rungs on it. */
#include "problem/gemm/gemm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/gemm/options.h"
#include "problem/gemm/parts.h"
#include "problem/judge.h"

/* ---- the problem ----------------------------------------------------------------------------- */

static void destroy(struct problem *base)
{
    struct gemm_problem *problem = (struct gemm_problem *)base;

    guarded_destroy(&problem->a, base->back_end);
    guarded_destroy(&problem->b, base->back_end);
    guarded_destroy(&problem->c, base->back_end);
    base->back_end->release(problem->call.workspace);
    cpu_back_end.release(problem->host_workspace);
    npy_free(&problem->file_a);
    npy_free(&problem->file_b);
    free(problem->old_c);
    free(problem->wide_a);
    free(problem->wide_b);
    free(problem->wide_row);
    free(problem->x);
    free(problem->b_x);
    free(problem->expected_x);
    free(problem->wrong_row);
    free(problem->samples);
    free(problem);
}

static bool open_matrix(const char *path, struct npy *file, struct error *error)
{
    if (!npy_read(path, file, error))
        return false;
    if (file->dimensions != 2)
        return error_set(error, EXIT_FILE_ERROR, "%s: %zu dimensions, expected a matrix (2)", path,
                         file->dimensions);
    if (file->type != NPY_FLOAT32)
        return error_set(error, EXIT_FILE_ERROR, "%s is %s; expected float32", path,
                         npy_type_name(file->type));
    return true;
}

/* The files determine the sizes; sizes that no file determines remain those of the options. */
static bool open_files(struct gemm_problem *problem, const struct problem_options *options,
                       struct error *error)
{
    struct gemm *const call = &problem->call;

    if (options->a != NULL) {
        if (!open_matrix(options->a, &problem->file_a, error))
            return false;
        call->m = problem->file_a.shape[0];
        call->k = problem->file_a.shape[1];
    }
    if (options->b != NULL) {
        if (!open_matrix(options->b, &problem->file_b, error))
            return false;
        if (options->a != NULL && problem->file_b.shape[0] != call->k)
            return error_set(error, EXIT_FILE_ERROR, "%s has %zu columns but %s has %zu rows",
                             options->a, call->k, options->b, problem->file_b.shape[0]);
        call->k = problem->file_b.shape[0];
        call->n = problem->file_b.shape[1];
    }
    return true;
}

static bool enough_memory(const struct gemm_problem *problem, struct error *error)
{
    const struct gemm *call = &problem->call;
    const double m = (double)call->m, n = (double)call->n, k = (double)call->k;
    const double elements = m * (double)call->lda + k * (double)call->ldb + m * (double)call->ldc;
    const double old_floats = problem->beta != 0 ? m * n : 0;
    const double wide_floats = call->type == GEMM_BF16 ? m * k + k * n + n : 0;

    return problem_has_memory(
        problem->base.back_end, (double)gemm_element_size(call->type) * elements,
        sizeof(float) * (old_floats + wide_floats) + sizeof(uint64_t) * (m + 2 * n + k), error);
}

static bool allocate_matrix(struct gemm_problem *problem, struct guarded *matrix, size_t rows,
                            size_t leading, size_t offset, size_t after, struct error *error)
{
    const size_t size = gemm_element_size(problem->call.type);
    size_t bytes;
    return checked_bytes(rows, leading, size, &bytes, error) &&
           guarded_create(matrix, bytes, offset * size, after, problem->base.back_end, error);
}

static bool allocate_floats(float **floats, size_t rows, size_t columns, struct error *error)
{
    *floats = host_allocate_array(rows, columns, sizeof(float), error);
    return *floats != NULL;
}

/* Allocates the host memory for filling the inputs and judging the result. */
static bool allocate_on_host(struct gemm_problem *problem, struct error *error)
{
    const struct gemm *call = &problem->call;

    if (problem->beta != 0 && !allocate_floats(&problem->old_c, call->m, call->n, error))
        return false;
    if (call->type == GEMM_BF16 && (!allocate_floats(&problem->wide_a, call->m, call->k, error) ||
                                    !allocate_floats(&problem->wide_b, call->k, call->n, error) ||
                                    !allocate_floats(&problem->wide_row, 1, call->n, error)))
        return false;
    problem->x = host_allocate_array(call->n, 1, sizeof *problem->x, error);
    if (problem->x == NULL)
        return false;
    problem->b_x = host_allocate_array(call->k, 1, sizeof *problem->b_x, error);
    if (problem->b_x == NULL)
        return false;
    problem->expected_x = host_allocate_array(call->m, 1, sizeof *problem->expected_x, error);
    if (problem->expected_x == NULL)
        return false;
    problem->wrong_row = host_allocate_array(call->n, 1, sizeof *problem->wrong_row, error);
    if (problem->wrong_row == NULL)
        return false;

    size_t places[PLACES_MAX];
    const size_t special = judge_places(call->m, places) * judge_places(call->n, places);
    problem->sample_count = judge_sample_size(call->m * call->n, call->k, special);
    problem->samples =
        host_allocate_array(problem->sample_count, 1, sizeof *problem->samples, error);
    return problem->samples != NULL;
}

static bool allocate(struct gemm_problem *problem, size_t offset, struct error *error)
{
    const struct back_end *back_end = problem->base.back_end;
    struct gemm *const call = &problem->call;

    if (!enough_memory(problem, error) ||
        !allocate_matrix(problem, &problem->a, call->m, call->lda, offset, 0, error) ||
        !allocate_matrix(problem, &problem->b, call->k, call->ldb, offset, 0, error) ||
        !allocate_matrix(problem, &problem->c, call->m, call->ldc, offset, MARGIN_AFTER, error))
        return false;
    guarded_fill(&problem->a, gemm_guard_of_inputs(problem));
    guarded_fill(&problem->b, gemm_guard_of_inputs(problem));
    call->a = guarded_memory(&problem->a);
    call->b = guarded_memory(&problem->b);
    call->c = guarded_memory(&problem->c);

    call->workspace = back_end->allocate(GEMM_WORKSPACE, error);
    if (call->workspace == NULL)
        return false;

    return allocate_on_host(problem, error);
}

static struct part part_of(const struct gemm *call)
{
    const double m = (double)call->m, n = (double)call->n, k = (double)call->k;
    struct part part = {
        .bytes = (double)gemm_element_size(call->type) *
                 (m * k + k * n + m * n * (call->beta != 0 ? 2 : 1)),
        .flops = 2 * m * n * k,
    };
    snprintf(part.shape, sizeof part.shape, "%zux%zux%zu", call->m, call->n, call->k);
    return part;
}

/* The peak of the tensor cores as a multiple of the float32 units' peak, for dense products
 * accumulated in float32. Source: the throughputs in NVIDIA's architecture white papers, A100 and
 * H100: 2,048 and 4,096 operations of bfloat16 per cycle and SM, half of that for TF32, and 128 and
 * 256 for float32. */
static double tensor_units(enum gemm_type type, int compute_capability)
{
    if (type == GEMM_F32)
        return 0;
    if (compute_capability != 80 && compute_capability != 90)
        return NAN;
    return type == GEMM_BF16 ? 16 : 8;
}

static void describe(struct gemm_problem *problem, int compute_capability)
{
    struct problem *const base = &problem->base;
    const struct part all = part_of(&problem->call);

    base->op = "gemm";
    base->type = (const char *const[]){"f32", "tf32", "bf16"}[problem->call.type];
    base->probes = 1;
    base->bytes = all.bytes;
    base->flops = all.flops;
    base->units = tensor_units(problem->call.type, compute_capability);
    snprintf(base->shape, sizeof base->shape, "%s", all.shape);
}

static struct problem *create(const struct problem_options *base, const struct back_end *back_end,
                              const struct machine *machine, struct error *error)
{
    const struct gemm_options *options = (const struct gemm_options *)base;
    struct gemm_problem *problem = calloc(1, sizeof *problem);
    if (problem == NULL) {
        error_set(error, EXIT_DEVICE_ERROR, "out of memory");
        return NULL;
    }
    problem->base.kind = options->type == GEMM_F32    ? &gemm_kind
                         : options->type == GEMM_TF32 ? &gemm_tf32_kind
                                                      : &gemm_bf16_kind;
    problem->base.back_end = back_end;
    problem->seed = base->seed;
    problem->alpha = options->alpha;
    problem->beta = options->beta;
    problem->call = (struct gemm){
        .type = options->type,
        .m = options->m,
        .n = options->n,
        .k = options->k,
        .alpha = options->alpha,
        .beta = options->beta,
        .multiprocessors = machine->processors,
        .threads = base->threads,
    };
    if (!open_files(problem, base, error)) {
        destroy(&problem->base);
        return NULL;
    }
    problem->call.lda = problem->call.k + base->padding;
    problem->call.ldb = problem->call.n + base->padding;
    problem->call.ldc = problem->call.n + base->padding;
    if (!allocate(problem, base->offset, error)) {
        destroy(&problem->base);
        return NULL;
    }
    describe(problem, machine->compute_capability);
    return &problem->base;
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
        base->gpus = ((struct gemm_problem *)base)->call.gpus = gpus;
    return base;
}

/* Keeps a factor with which a probe is exact, and replaces any other. (0 and 1 are kept; rungs may
 * treat them specially.) */
static float probe_factor(float factor, float replacement)
{
    const bool small_integer = fabsf(factor) <= 4 && factor == rintf(factor);
    return small_integer ? factor : replacement;
}

static bool load(struct problem *base, size_t input, struct error *error)
{
    struct gemm_problem *problem = (struct gemm_problem *)base;
    struct gemm *const call = &problem->call;

    base->inexact_input = input == base->probes;
    call->alpha = base->inexact_input ? problem->alpha : probe_factor(problem->alpha, 2);
    call->beta = base->inexact_input ? problem->beta : probe_factor(problem->beta, 3);

    gemm_fill(problem);
    return guarded_upload(&problem->a, base->back_end, error) &&
           guarded_upload(&problem->b, base->back_end, error);
}

/* ---- running a rung -------------------------------------------------------------------------- */

static const struct gemm_rung *kind_of(const struct rung *rung)
{
    return (const struct gemm_rung *)rung;
}

struct gemm gemm_call_of(const struct gemm_problem *problem, const struct rung *rung)
{
    struct gemm call = problem->call;

    if (!(rung->flags & RUNG_HOST))
        return call;
    call.a = guarded_host(&problem->a);
    call.b = guarded_host(&problem->b);
    call.c = guarded_host(&problem->c);
    call.workspace = problem->host_workspace;

    const double most = kind_of(rung)->most_products;
    const double row = (double)call.n * (double)call.k;
    if (most > 0 && (double)call.m * row > most)
        call.m = row < most ? (size_t)(most / row) : 1;
    return call;
}

static const char *declines(const struct problem *base, const struct rung *rung)
{
    const struct gemm call = gemm_call_of((const struct gemm_problem *)base, rung);

    if (kind_of(rung)->run == NULL)
        return rung_not_built(rung);
    return kind_of(rung)->declines != NULL ? kind_of(rung)->declines(&call) : NULL;
}

static void scatter(const struct problem *base, const struct rung *rung)
{
    const struct gemm call = gemm_call_of((const struct gemm_problem *)base, rung);

    if (kind_of(rung)->scatter != NULL)
        kind_of(rung)->scatter(&call);
}

static bool poison_memory(struct problem *base, const struct rung *rung, bool all,
                          struct error *error)
{
    struct gemm_problem *problem = (struct gemm_problem *)base;
    const struct gemm *call = &problem->call;
    const struct back_end *back_end = rung_back_end(rung, base->back_end);
    const bool on_host = (rung->flags & RUNG_HOST) != 0;

    if (on_host && problem->host_workspace == NULL) {
        problem->host_workspace = cpu_back_end.allocate(GEMM_WORKSPACE, error);
        if (problem->host_workspace == NULL)
            return false;
    }
    if (all && !back_end->fill(gemm_call_of(problem, rung).workspace, 0xFF, GEMM_WORKSPACE, error))
        return false;
    if (problem->old_c == NULL)
        return back_end->fill(on_host ? problem->c.host : problem->c.memory, 0xFF, problem->c.total,
                              error);

    guarded_fill(&problem->c, gemm_guard_of_c(problem));
    for (size_t row = 0; row < call->m; row++)
        gemm_store(problem, gemm_place_in_c(problem, row, 0), problem->old_c + row * call->n,
                   call->n);
    return on_host || guarded_upload(&problem->c, back_end, error);
}

/* If `all`, prepare follows: only then is there memory for a C in parts. */
static bool poison(struct problem *base, const struct rung *rung, bool all, struct error *error)
{
    if (!poison_memory(base, rung, all, error))
        return false;
    if (!all)
        scatter(base, rung);
    return true;
}

static void prepare(const struct problem *base, const struct rung *rung)
{
    const struct gemm call = gemm_call_of((const struct gemm_problem *)base, rung);

    if (kind_of(rung)->prepare != NULL)
        kind_of(rung)->prepare(&call);
    scatter(base, rung);
}

static void run(const struct problem *base, const struct rung *rung)
{
    const struct gemm call = gemm_call_of((const struct gemm_problem *)base, rung);

    kind_of(rung)->run(&call);
}

static void describe_rung(const struct problem *base, const struct rung *rung,
                          char text[RUNG_HOW_SIZE])
{
    const struct gemm call = gemm_call_of((const struct gemm_problem *)base, rung);

    text[0] = '\0';
    if (kind_of(rung)->how != NULL)
        kind_of(rung)->how(&call, text);
}

static struct part part_of_rung(const struct problem *base, const struct rung *rung)
{
    const struct gemm call = gemm_call_of((const struct gemm_problem *)base, rung);

    return part_of(&call);
}

static bool check(struct problem *base, const struct rung *rung, struct comparison *comparison,
                  struct error *error)
{
    const struct gemm_problem *problem = (const struct gemm_problem *)base;
    const struct gemm call = gemm_call_of(problem, rung);

    if (kind_of(rung)->collect != NULL)
        kind_of(rung)->collect(&call);
    if (!(rung->flags & RUNG_HOST) && !guarded_download(&problem->c, base->back_end, error))
        return false;
    gemm_judge(problem, kind_of(rung), call.m, comparison);
    return true;
}

static bool evict(struct problem *base, const struct rung *rung, struct error *error)
{
    const struct gemm_problem *problem = (struct gemm_problem *)base;
    const struct guarded *const arrays[] = {&problem->a, &problem->b, &problem->c};

    return problem_evict(base, rung, arrays, sizeof arrays / sizeof arrays[0], error);
}

#define KIND(defaults, fields_of_kind, creates)                                                    \
    {                                                                                              \
        .options_size = sizeof(struct gemm_options), .fields = gemm_fields,                        \
        .field_count = (fields_of_kind), .set_defaults = (defaults),                               \
        .check_options = gemm_check_options, .set_size = gemm_set_size,                            \
        .limit_size = gemm_limit_size, .set_small = gemm_set_small, .create = (creates),           \
        .destroy = destroy, .load = load, .declines = declines, .poison = poison,                  \
        .prepare = prepare, .run = run, .describe = describe_rung, .part = part_of_rung,           \
        .check = check, .evict = evict,                                                            \
    }

const struct problem_kind gemm_kind = KIND(gemm_set_defaults, GEMM_FIELDS, create);
const struct problem_kind gemm_tf32_kind = KIND(gemm_set_tf32_defaults, GEMM_FIELDS, create);
const struct problem_kind gemm_bf16_kind = KIND(gemm_set_bf16_defaults, GEMM_FIELDS, create);
const struct problem_kind gemm_gpus_kind =
    KIND(gemm_set_defaults, GEMM_FIELDS_ON_GPUS, create_on_gpus);
const struct problem_kind gemm_bf16_gpus_kind =
    KIND(gemm_set_bf16_defaults, GEMM_FIELDS_ON_GPUS, create_on_gpus);
/* SPDX-License-Identifier: MIT */
