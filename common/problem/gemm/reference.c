/* Fills the gemm problem's inputs and computes what its result should be. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "problem/gemm/parts.h"
#include "problem/judge.h"
#include "problem/reference.h"

/* Separate streams of random numbers (random.h). */
enum { STREAM_A, STREAM_B, STREAM_C, STREAM_OTHER, STREAMS };

double gemm_depth_serial(const struct gemm *call)
{
    return (double)call->k;
}

static const float *a_of(const struct gemm_problem *problem)
{
    return guarded_host(&problem->a);
}

static const float *b_of(const struct gemm_problem *problem)
{
    return guarded_host(&problem->b);
}

float *gemm_row_of_c(const struct gemm_problem *problem, size_t row)
{
    return (float *)guarded_host(&problem->c) + row * problem->call.ldc;
}

float gemm_guard_of_c(const struct gemm_problem *problem)
{
    return problem->old_c == NULL ? poison_value() : -54321.5F;
}

/* Real data comes from the file, if there is one; otherwise elements are random. */
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
            const uint64_t bits =
                random_stream(problem->seed, STREAMS, stream, row * columns + column);
            to[column] = inexact ? 2 * random_float(bits) - 1 : (float)random_small_integer(bits);
        }
    }
}

uint64_t gemm_weighted_sum(const float *row, const uint64_t *x, size_t n, bool *possible)
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
        problem->x[column] = random_stream(problem->seed, STREAMS, STREAM_OTHER, column);
    for (size_t p = 0; p < call->k; p++)
        problem->b_x[p] =
            gemm_weighted_sum(b_of(problem) + p * call->ldb, problem->x, call->n, &possible);
    for (size_t row = 0; row < call->m; row++) {
        const float *const a = a_of(problem) + row * call->lda;
        uint64_t sum = alpha * gemm_weighted_sum(a, problem->b_x, call->k, &possible);
        if (problem->old_c != NULL)
            sum += beta * gemm_weighted_sum(problem->old_c + row * call->n, problem->x, call->n,
                                            &possible);
        problem->expected_x[row] = sum;
    }
}

/* alpha * dot + beta * old, as accurate as dot. */
static struct reference scaled(struct reference dot, double alpha, double beta, double old)
{
    const double product = alpha * dot.value;
    const double product_tail = fma(alpha, dot.value, -product) + alpha * dot.tail;
    const double other = beta == 0 ? 0 : beta * old; /* exact: both factors are floats */
    const double sum = product + other;
    const double part = sum - product;
    const double sum_tail = (product - (sum - part)) + (other - part);

    return (struct reference){
        .value = sum,
        .tail = isfinite(sum) ? sum_tail + product_tail : 0,
        .magnitude = fabs(alpha) * dot.magnitude + fabs(other),
    };
}

/* An element of C before the product; 0 if beta is 0. */
static double old_element(const struct gemm_problem *problem, size_t row, size_t column)
{
    return problem->old_c == NULL ? 0 : (double)problem->old_c[row * problem->call.n + column];
}

struct reference gemm_reference(const struct gemm_problem *problem, size_t row, size_t column)
{
    const struct gemm *call = &problem->call;
    const struct reference dot = reference_dot_f32(a_of(problem) + row * call->lda, 1,
                                                   b_of(problem) + column, call->ldb, call->k);

    return scaled(dot, (double)call->alpha, (double)call->beta, old_element(problem, row, column));
}

struct reference gemm_reference_unread(const struct gemm_problem *problem, size_t row,
                                       size_t column)
{
    return scaled((struct reference){0}, 0, (double)problem->call.beta,
                  old_element(problem, row, column));
}

/* Chooses the elements to judge: all, or those at the edges of tiles and random others. */
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
        } else if (s < row_count * column_count) { /* each pair once, corners first */
            sample->row = rows[s % row_count];
            sample->column = columns[(s % row_count + s / row_count) % column_count];
        } else {
            sample->row = random_stream(problem->seed, STREAMS, STREAM_OTHER, 2 * s) % call->m;
            sample->column =
                random_stream(problem->seed, STREAMS, STREAM_OTHER, 2 * s + 1) % call->n;
        }
        sample->reference = gemm_reference(problem, sample->row, sample->column);
    }
}

/* On top of the rung's depth there is one rounding for a product, one for scaling by alpha unless
 * that is 1, and one for adding beta * C. */
double gemm_bound(const struct gemm_problem *problem, const struct gemm_rung *rung,
                  const struct reference *reference)
{
    const struct gemm *call = &problem->call;
    const double roundings =
        rung->depth(call) + 1 + (call->alpha != 1 ? 1 : 0) + (call->beta != 0 ? 1 : 0);
    /* The bound's form depends on whether there are fewer roundings than terms (compare.h). */
    const size_t terms = call->k + (call->beta != 0 ? 1 : 0);
    /* Underflows beyond those that rounding_bound_f32 includes: alpha multiplies the errors of
     * products that underflow, and scaling a partial sum by alpha may underflow, too, at most k
     * times. */
    const double underflows = (double)call->k * fmax(1, fabs((double)call->alpha)) + 2;

    return rounding_bound_f32(roundings, terms, reference->magnitude) +
           0.5 * underflows * (double)FLT_TRUE_MIN;
}

void gemm_fill(struct gemm_problem *problem)
{
    const struct gemm *call = &problem->call;

    fill_matrix(problem, guarded_host(&problem->a), call->m, call->k, call->lda, STREAM_A,
                &problem->file_a);
    fill_matrix(problem, guarded_host(&problem->b), call->k, call->n, call->ldb, STREAM_B,
                &problem->file_b);
    if (problem->old_c != NULL)
        fill_matrix(problem, problem->old_c, call->m, call->n, call->n, STREAM_C, NULL);
    if (problem->base.inexact_input)
        prepare_samples(problem);
    else
        prepare_probe(problem);
}
