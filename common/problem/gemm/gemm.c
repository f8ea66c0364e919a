#include "problem/gemm/gemm.h"

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
#include "problem/reference.h"
#include "run/options.h"
#include "run/step.h"

/* An element of C that is judged on real data. */
struct sample {
    size_t row, column;
    struct reference reference;
};

struct gemm_problem {
    struct problem base;
    struct gemm call; /* pointers of the back end */
    struct guarded a, b, c;
    struct npy file_a, file_b;
    uint64_t seed;
    float alpha, beta;    /* as asked for; a probe may use others */
    float *old_c;         /* m x n, C before the product; NULL if beta is 0 */
    void *host_workspace; /* of rungs that run on the host; made for the first */

    /* Probes (judge.h): x, B x, and the right result times x. */
    uint64_t *x, *b_x, *expected_x;
    int64_t *wrong_row; /* scratch: a row of C, recomputed */

    struct sample *samples;
    size_t sample_count;
};

/* Where elements come from in the random stream. */
enum { STREAM_A, STREAM_B, STREAM_C, STREAM_OTHER, STREAMS };

/* Around C if beta is not 0: a number, as a NaN there would spread unnoticed into other NaNs. */
static const float c_guard = -54321.5F;

double gemm_depth_serial(const struct gemm *call)
{
    return (double)call->k;
}

static uint64_t stream_bits(const struct gemm_problem *problem, unsigned stream, size_t i)
{
    return random_bits(problem->seed, STREAMS * (uint64_t)i + stream);
}

/* What a rung is given: memory of the processor that runs it and, on the host, no more rows than it
 * is to have (most_products). */
static struct gemm call_of(const struct gemm_problem *problem, const struct rung *rung)
{
    struct gemm call = problem->call;

    if (!(rung->flags & RUNG_HOST))
        return call;
    call.a = guarded_host(&problem->a);
    call.b = guarded_host(&problem->b);
    call.c = guarded_host(&problem->c);
    call.workspace = problem->host_workspace;

    const double row = (double)call.n * (double)call.k;
    if (rung->most_products > 0 && (double)call.m * row > rung->most_products)
        call.m = row < rung->most_products ? (size_t)(rung->most_products / row) : 1;
    return call;
}

static float *row_of_c(const struct gemm_problem *problem, size_t row)
{
    return guarded_host(&problem->c) + row * problem->call.ldc;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* From the file if there is one and the data is to be real. */
static void fill_matrix(const struct gemm_problem *problem, float *matrix, size_t rows,
                        size_t columns, size_t leading, unsigned stream, const struct npy *file)
{
    const bool inexact = problem->base.inexact_input;

    for (size_t row = 0; row < rows; row++) {
        float *const to = matrix + row * leading;
        if (inexact && file != NULL && file->data != NULL) {
            memcpy(to, (const float *)file->data + row * columns, columns * sizeof(float));
            continue;
        }
        for (size_t column = 0; column < columns; column++) {
            const uint64_t bits = stream_bits(problem, stream, row * columns + column);
            to[column] = inexact ? 2 * random_float(bits) - 1 : (float)random_small_integer(bits);
        }
    }
}

/* Factors that keep a probe exact stay as they are (0 and 1 matter: rungs may treat them apart);
 * others are replaced. */
static float probe_factor(float factor, float replacement)
{
    const bool small_integer = fabsf(factor) <= 4 && factor == rintf(factor);
    return small_integer ? factor : replacement;
}

/* ---- reference ------------------------------------------------------------------------------- */

/* Sum of row[i] * x[i], wrapping around. Clears *possible at an element that no probe leads to. */
static uint64_t weighted_sum(const float *row, const uint64_t *x, size_t n, bool *possible)
{
    uint64_t sum = 0;
    bool all_possible = true;

    for (size_t i = 0; i < n; i++) {
        uint64_t element;
        all_possible &= to_integer(row[i], &element);
        sum += element * x[i];
    }
    *possible &= all_possible;
    return sum;
}

/* expected_x = alpha A (B x) + beta C x */
static void prepare_probe(struct gemm_problem *problem)
{
    const struct gemm *call = &problem->call;
    const uint64_t alpha = (uint64_t)(int64_t)call->alpha;
    const uint64_t beta = (uint64_t)(int64_t)call->beta;
    bool possible = true;

    for (size_t column = 0; column < call->n; column++)
        problem->x[column] = stream_bits(problem, STREAM_OTHER, column);
    for (size_t p = 0; p < call->k; p++)
        problem->b_x[p] =
            weighted_sum(guarded_host(&problem->b) + p * call->ldb, problem->x, call->n, &possible);
    for (size_t row = 0; row < call->m; row++) {
        const float *const a = guarded_host(&problem->a) + row * call->lda;
        uint64_t sum = alpha * weighted_sum(a, problem->b_x, call->k, &possible);
        if (problem->old_c != NULL)
            sum +=
                beta * weighted_sum(problem->old_c + row * call->n, problem->x, call->n, &possible);
        problem->expected_x[row] = sum;
    }
}

/* alpha * dot + beta * old, without losing dot's accuracy. */
static struct reference scaled(struct reference dot, double alpha, double beta, double old)
{
    const double product = alpha * dot.value;
    const double product_tail = fma(alpha, dot.value, -product) + alpha * dot.tail;
    const double other = beta == 0 ? 0 : beta * old; /* exact: the factors are floats */
    const double sum = product + other;
    const double part = sum - product;
    const double sum_tail = (product - (sum - part)) + (other - part);

    return (struct reference){
        .value = sum,
        .tail = isfinite(sum) ? sum_tail + product_tail : 0,
        .magnitude = fabs(alpha) * dot.magnitude + fabs(other),
    };
}

/* C before the product; 0 where beta is. */
static double old_element(const struct gemm_problem *problem, size_t row, size_t column)
{
    return problem->old_c == NULL ? 0 : (double)problem->old_c[row * problem->call.n + column];
}

static struct reference reference_of(const struct gemm_problem *problem, size_t row, size_t column)
{
    const struct gemm *call = &problem->call;
    const struct reference dot =
        reference_dot_f32(guarded_host(&problem->a) + row * call->lda, 1,
                          guarded_host(&problem->b) + column, call->ldb, call->k);

    return scaled(dot, (double)call->alpha, (double)call->beta, old_element(problem, row, column));
}

/* Elements to judge: all, or the places where tiles meet and others at random. */
static void prepare_samples(struct gemm_problem *problem)
{
    const struct gemm *call = &problem->call;
    size_t rows[PLACES_MAX], columns[PLACES_MAX];
    const size_t row_count = judge_places(call->m, rows);
    const size_t column_count = judge_places(call->n, columns);

    for (size_t s = 0; s < problem->sample_count; s++) {
        struct sample *const sample = &problem->samples[s];
        if (problem->sample_count == call->m * call->n) {
            sample->row = s / call->n;
            sample->column = s % call->n;
        } else if (s < row_count * column_count) { /* each pair once, the corners early */
            sample->row = rows[s % row_count];
            sample->column = columns[(s % row_count + s / row_count) % column_count];
        } else {
            sample->row = stream_bits(problem, STREAM_OTHER, 2 * s) % call->m;
            sample->column = stream_bits(problem, STREAM_OTHER, 2 * s + 1) % call->n;
        }
        sample->reference = reference_of(problem, sample->row, sample->column);
    }
}

/* A product rounds once, so does the factor alpha if it is not 1, and so does adding beta * C. */
static double bound_of(const struct gemm_problem *problem, const struct rung *rung,
                       const struct reference *reference)
{
    const struct gemm *call = &problem->call;
    const double roundings =
        rung->depth.gemm(call) + 1 + (call->alpha != 1 ? 1 : 0) + (call->beta != 0 ? 1 : 0);
    /* With fewer roundings than terms, as for partial sums, the bound takes another form
     * (compare.h). */
    const size_t terms = call->k + (call->beta != 0 ? 1 : 0);
    /* What may underflow: the products, and alpha scales what is lost there; and alpha's own, one
     * for each partial sum, so k at most. The terms' share the bound has itself. */
    const double underflows = (double)call->k * fmax(1, fabs((double)call->alpha)) + 2;

    return rounding_bound_f32(roundings, terms, reference->magnitude) +
           0.5 * underflows * (double)FLT_TRUE_MIN;
}

/* ---- family ---------------------------------------------------------------------------------- */

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
        return error_set(error, EXIT_FILE_ERROR, "%s: %zu dimensions, want a matrix (2)", path,
                         file->dimensions);
    if (file->type != NPY_FLOAT32)
        return error_set(error, EXIT_FILE_ERROR, "%s is %s; want float32", path,
                         npy_type_name(file->type));
    return true;
}

/* Files set the sizes; what no file sets stays as the options have it. */
static bool open_files(struct gemm_problem *problem, const struct options *options,
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

static void *allocate_array(size_t rows, size_t columns, size_t element_size, struct error *error)
{
    size_t bytes;
    return checked_bytes(rows, columns, element_size, &bytes, error) ? host_allocate(bytes, error)
                                                                     : NULL;
}

/* Asked once for everything: memory counts as taken only when it is written. */
static bool enough_memory(const struct gemm_problem *problem, struct error *error)
{
    const struct gemm *call = &problem->call;
    const double m = (double)call->m, n = (double)call->n, k = (double)call->k;
    const double floats = m * (double)call->lda + k * (double)call->ldb + m * (double)call->ldc +
                          (problem->beta != 0 ? m * n : 0);
    const double bytes = sizeof(float) * floats + sizeof(uint64_t) * (m + 2 * n + k);

    return memory_available(bytes < 0x1p63 ? (size_t)bytes : SIZE_MAX, error);
}

static bool allocate(struct gemm_problem *problem, const struct options *options,
                     struct error *error)
{
    const struct back_end *back_end = problem->base.back_end;
    struct gemm *const call = &problem->call;

    if (!enough_memory(problem, error) ||
        !guarded_create(&problem->a, call->m, call->lda, options->offset, 0, back_end, error) ||
        !guarded_create(&problem->b, call->k, call->ldb, options->offset, 0, back_end, error) ||
        !guarded_create(&problem->c, call->m, call->ldc, options->offset, MARGIN_AFTER, back_end,
                        error))
        return false;
    guarded_fill(&problem->a, guard_value());
    guarded_fill(&problem->b, guard_value());
    call->a = guarded_memory(&problem->a);
    call->b = guarded_memory(&problem->b);
    call->c = guarded_memory(&problem->c);

    call->workspace = back_end->allocate(GEMM_WORKSPACE, error);
    if (call->workspace == NULL)
        return false;

    if (problem->beta != 0) {
        problem->old_c = allocate_array(call->m, call->n, sizeof(float), error);
        if (problem->old_c == NULL)
            return false;
    }
    problem->x = allocate_array(call->n, 1, sizeof *problem->x, error);
    if (problem->x == NULL)
        return false;
    problem->b_x = allocate_array(call->k, 1, sizeof *problem->b_x, error);
    if (problem->b_x == NULL)
        return false;
    problem->expected_x = allocate_array(call->m, 1, sizeof *problem->expected_x, error);
    if (problem->expected_x == NULL)
        return false;
    problem->wrong_row = allocate_array(call->n, 1, sizeof *problem->wrong_row, error);
    if (problem->wrong_row == NULL)
        return false;

    size_t places[PLACES_MAX];
    const size_t special = judge_places(call->m, places) * judge_places(call->n, places);
    problem->sample_count = judge_sample_size(call->m * call->n, call->k, special);
    problem->samples = allocate_array(problem->sample_count, 1, sizeof *problem->samples, error);
    return problem->samples != NULL;
}

static struct part part_of(const struct gemm *call)
{
    const double m = (double)call->m, n = (double)call->n, k = (double)call->k;
    struct part part = {
        .bytes = sizeof(float) * (m * k + k * n + m * n * (call->beta != 0 ? 2 : 1)),
        .flops = 2 * m * n * k,
    };
    snprintf(part.shape, sizeof part.shape, "%zux%zux%zu", call->m, call->n, call->k);
    return part;
}

static void describe(struct gemm_problem *problem)
{
    struct problem *const base = &problem->base;
    const struct part all = part_of(&problem->call);

    base->op = "gemm";
    base->type = "f32";
    base->probes = 1;
    base->bytes = all.bytes;
    base->flops = all.flops;
    snprintf(base->shape, sizeof base->shape, "%s", all.shape);
}

static struct problem *create(const struct options *options, const struct back_end *back_end,
                              const struct machine *machine, struct error *error)
{
    struct gemm_problem *problem = calloc(1, sizeof *problem);
    if (problem == NULL) {
        error_set(error, EXIT_DEVICE_ERROR, "out of memory");
        return NULL;
    }
    problem->base.family = &gemm_family;
    problem->base.back_end = back_end;
    problem->seed = options->seed;
    problem->alpha = options->alpha;
    problem->beta = options->beta;
    problem->call = (struct gemm){
        .m = options->m,
        .n = options->n,
        .k = options->k,
        .alpha = options->alpha,
        .beta = options->beta,
        .multiprocessors = machine->multiprocessors,
        .threads = options->threads,
    };
    if (!open_files(problem, options, error)) {
        destroy(&problem->base);
        return NULL;
    }
    problem->call.lda = problem->call.k + options->padding;
    problem->call.ldb = problem->call.n + options->padding;
    problem->call.ldc = problem->call.n + options->padding;
    if (!allocate(problem, options, error)) {
        destroy(&problem->base);
        return NULL;
    }
    describe(problem);
    return &problem->base;
}

static bool load(struct problem *base, size_t input, struct error *error)
{
    struct gemm_problem *problem = (struct gemm_problem *)base;
    struct gemm *const call = &problem->call;

    base->inexact_input = input == base->probes;
    call->alpha = base->inexact_input ? problem->alpha : probe_factor(problem->alpha, 2);
    call->beta = base->inexact_input ? problem->beta : probe_factor(problem->beta, 3);

    fill_matrix(problem, guarded_host(&problem->a), call->m, call->k, call->lda, STREAM_A,
                &problem->file_a);
    fill_matrix(problem, guarded_host(&problem->b), call->k, call->n, call->ldb, STREAM_B,
                &problem->file_b);
    if (problem->old_c != NULL)
        fill_matrix(problem, problem->old_c, call->m, call->n, call->n, STREAM_C, NULL);

    if (base->inexact_input)
        prepare_samples(problem);
    else
        prepare_probe(problem);
    return guarded_upload(&problem->a, base->back_end, error) &&
           guarded_upload(&problem->b, base->back_end, error);
}

/* What lies around C before the rung runs. */
static float guard_of_c(const struct gemm_problem *problem)
{
    return problem->old_c == NULL ? poison_value() : c_guard;
}

static bool poison(struct problem *base, const struct rung *rung, struct error *error)
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
    if (!back_end->fill(call_of(problem, rung).workspace, 0xFF, GEMM_WORKSPACE, error))
        return false;
    if (problem->old_c == NULL)
        return back_end->fill(on_host ? problem->c.host : problem->c.memory, 0xFF,
                              problem->c.total * sizeof(float), error);

    guarded_fill(&problem->c, c_guard);
    for (size_t row = 0; row < call->m; row++)
        memcpy(row_of_c(problem, row), problem->old_c + row * call->n, call->n * sizeof(float));
    return on_host || guarded_upload(&problem->c, back_end, error);
}

static void prepare_rung(const struct problem *base, const struct rung *rung)
{
    const struct gemm call = call_of((const struct gemm_problem *)base, rung);

    if (rung->prepare.gemm != NULL)
        rung->prepare.gemm(&call);
}

static void describe_rung(const struct problem *base, const struct rung *rung, char *text)
{
    const struct gemm call = call_of((const struct gemm_problem *)base, rung);

    text[0] = '\0';
    if (rung->how.gemm != NULL)
        rung->how.gemm(&call, text);
}

static void run(const struct problem *base, const struct rung *rung)
{
    const struct gemm call = call_of((const struct gemm_problem *)base, rung);

    rung->run.gemm(&call);
}

static void part_of_rung(const struct problem *base, const struct rung *rung, struct part *part)
{
    const struct gemm call = call_of((const struct gemm_problem *)base, rung);

    *part = part_of(&call);
}

/* ---- check ----------------------------------------------------------------------------------- */

enum { PLACE_SIZE = 64 };

static const char *place_name(char place[static PLACE_SIZE], size_t row, size_t column)
{
    snprintf(place, PLACE_SIZE, "C[%zu][%zu]", row, column);
    return place;
}

/* Did the rung write around C, between the end of a row and the start of the next, or below the
 * rows that it was given? */
static bool stray_write(const struct gemm_problem *problem, size_t rows,
                        struct comparison *comparison)
{
    const struct gemm *call = &problem->call;
    const float guard = guard_of_c(problem);
    char place[PLACE_SIZE];
    ptrdiff_t distance;

    if (!guarded_margins_hold(&problem->c, guard, &distance)) {
        if (distance < 0)
            snprintf(place, sizeof place, "%td elements before C", -distance);
        else
            snprintf(place, sizeof place, "%td elements past the end of C",
                     distance - (ptrdiff_t)problem->c.count);
        judge_stray_write(comparison, place);
        return true;
    }
    for (size_t row = 0; row < call->m; row++)
        for (size_t column = row < rows ? call->n : 0; column < call->ldc; column++) {
            const bool is_element = problem->old_c != NULL && column < call->n;
            const float before = is_element ? problem->old_c[row * call->n + column] : guard;
            if (!same_bits(row_of_c(problem, row)[column], before)) {
                judge_stray_write(comparison, place_name(place, row, column));
                return true;
            }
        }
    return false;
}

/* Recomputes a row that is known to be wrong, to name its first wrong element. */
static void find_in_row(const struct gemm_problem *problem, size_t row,
                        struct comparison *comparison)
{
    const struct gemm *call = &problem->call;
    const float *const a = guarded_host(&problem->a) + row * call->lda;
    const float *const c = row_of_c(problem, row);
    int64_t *const want = problem->wrong_row;
    char place[PLACE_SIZE];

    for (size_t column = 0; column < call->n; column++)
        want[column] = 0;
    for (size_t p = 0; p < call->k; p++) {
        const int64_t factor = (int64_t)(call->alpha * a[p]);
        const float *const b = guarded_host(&problem->b) + p * call->ldb;
        for (size_t column = 0; column < call->n; column++)
            want[column] += factor * (int64_t)b[column];
    }
    for (size_t column = 0; column < call->n; column++) {
        if (problem->old_c != NULL)
            want[column] += (int64_t)(call->beta * problem->old_c[row * call->n + column]);
        if ((double)c[column] != (double)want[column]) {
            judge_wrong_integer(comparison, place_name(place, row, column), c[column],
                                want[column]);
            return;
        }
    }
}

static void judge_probe(const struct gemm_problem *problem, size_t rows,
                        struct comparison *comparison)
{
    const struct gemm *call = &problem->call;

    *comparison = (struct comparison){.right = true};
    for (size_t row = 0; row < rows; row++) {
        bool possible = true;
        const uint64_t got = weighted_sum(row_of_c(problem, row), problem->x, call->n, &possible);
        if (!possible || got != problem->expected_x[row]) {
            comparison->right = false;
            find_in_row(problem, row, comparison);
            return;
        }
    }
}

static void judge_element(const struct gemm_problem *problem, const struct rung *rung, size_t row,
                          size_t column, const struct reference *reference,
                          struct comparison *worst)
{
    const struct gemm *call = &problem->call;
    const double computed = (double)row_of_c(problem, row)[column];
    char place[PLACE_SIZE];
    struct comparison comparison =
        compare_number(computed, reference, bound_of(problem, rung, reference), FLT_MAX);

    if (!comparison.right && call->alpha == 0) { /* A and B need not be read (gemm.h) */
        const struct reference unread =
            scaled((struct reference){0}, 0, (double)call->beta, old_element(problem, row, column));
        const struct comparison other =
            compare_number(computed, &unread, bound_of(problem, rung, &unread), FLT_MAX);
        comparison = other.right ? other : comparison;
    }
    judge_keep_worse(worst, &comparison, place_name(place, row, column));
}

static void judge_real(const struct gemm_problem *problem, const struct rung *rung, size_t rows,
                       struct comparison *worst)
{
    enum { MOST_ODD_ONES = 64 };
    const struct gemm *call = &problem->call;
    size_t odd_ones = 0;

    *worst = (struct comparison){.right = true};
    for (size_t s = 0; s < problem->sample_count; s++) {
        const struct sample *sample = &problem->samples[s];
        if (sample->row < rows)
            judge_element(problem, rung, sample->row, sample->column, &sample->reference, worst);
    }
    /* What is no number is seldom right, in the sample or not. */
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < call->n; column++)
            if (!isfinite(row_of_c(problem, row)[column]) && odd_ones++ < MOST_ODD_ONES) {
                const struct reference reference = reference_of(problem, row, column);
                judge_element(problem, rung, row, column, &reference, worst);
            }
}

static bool check(struct problem *base, const struct rung *rung, struct comparison *comparison,
                  struct error *error)
{
    const struct gemm_problem *problem = (struct gemm_problem *)base;

    const size_t rows = call_of(problem, rung).m;

    if (!(rung->flags & RUNG_HOST) && !guarded_download(&problem->c, base->back_end, error))
        return false;
    if (stray_write(problem, rows, comparison))
        return true;
    if (base->inexact_input)
        judge_real(problem, rung, rows, comparison);
    else
        judge_probe(problem, rows, comparison);
    return true;
}

static bool evict(struct problem *base, const struct rung *rung, struct error *error)
{
    const struct gemm_problem *problem = (struct gemm_problem *)base;
    const struct guarded *const arrays[] = {&problem->a, &problem->b, &problem->c};
    const struct back_end *back_end = rung_back_end(rung, base->back_end);
    const bool on_host = (rung->flags & RUNG_HOST) != 0;

    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (!back_end->evict(on_host ? arrays[i]->host : arrays[i]->memory,
                             arrays[i]->total * sizeof(float), error))
            return false;
    return true;
}

const struct family gemm_family = {
    .create = create,
    .destroy = destroy,
    .load = load,
    .poison = poison,
    .prepare = prepare_rung,
    .describe = describe_rung,
    .run = run,
    .check = check,
    .evict = evict,
    .part = part_of_rung,
};
