/* Fills the gemm problem's inputs and computes its expected result. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/bfloat.h"
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

double gemm_depth_tensor(const struct gemm *call)
{
    return 12 * (double)((call->k + 3) / 4);
}

static bool is_bf16(const struct gemm_problem *problem)
{
    return problem->call.type == GEMM_BF16;
}

/* ---- elements -------------------------------------------------------------------------------- */

struct gemm_floats gemm_values_of_a(const struct gemm_problem *problem)
{
    if (is_bf16(problem))
        return (struct gemm_floats){problem->wide_a, problem->call.k};
    return (struct gemm_floats){guarded_host(&problem->a), problem->call.lda};
}

struct gemm_floats gemm_values_of_b(const struct gemm_problem *problem)
{
    if (is_bf16(problem))
        return (struct gemm_floats){problem->wide_b, problem->call.n};
    return (struct gemm_floats){guarded_host(&problem->b), problem->call.ldb};
}

void *gemm_place_in_c(const struct gemm_problem *problem, size_t row, size_t column)
{
    const size_t place = row * problem->call.ldc + column;

    return (char *)guarded_host(&problem->c) + place * gemm_element_size(problem->call.type);
}

float gemm_value_in_c(const struct gemm_problem *problem, size_t row, size_t column)
{
    const void *const place = gemm_place_in_c(problem, row, column);

    return is_bf16(problem) ? float_of_bfloat(*(const uint16_t *)place) : *(const float *)place;
}

const float *gemm_row_of_c(const struct gemm_problem *problem, size_t row)
{
    if (!is_bf16(problem))
        return gemm_place_in_c(problem, row, 0);
    for (size_t column = 0; column < problem->call.n; column++)
        problem->wide_row[column] = gemm_value_in_c(problem, row, column);
    return problem->wide_row;
}

void gemm_store(const struct gemm_problem *problem, void *to, const float *from, size_t count)
{
    if (!is_bf16(problem))
        memcpy(to, from, count * sizeof(float));
    else
        for (size_t i = 0; i < count; i++)
            ((uint16_t *)to)[i] = bfloat_of_float(from[i]);
}

/* For bfloat16, a float with two equal halves, because margins are filled with repeated floats. */
float gemm_guard_of_inputs(const struct gemm_problem *problem)
{
    return is_bf16(problem) ? float_of_bits(0x7FCB7FCB) : guard_value();
}

float gemm_guard_of_c(const struct gemm_problem *problem)
{
    const float number = is_bf16(problem) ? float_of_bits(0xC754C754) : -54321.5F;

    return problem->old_c == NULL ? poison_value() : number;
}

float gemm_guard_element(const struct gemm_problem *problem)
{
    const float guard = gemm_guard_of_c(problem);

    return is_bf16(problem) ? float_of_bfloat((uint16_t)bits_of_float(guard)) : guard;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* The share of pairs that do not cancel (probe_element). It makes the sums' standard deviation a
 * tenth of the range of exact bfloat16 integers. That any of 2^26 sums is outside the range has a
 * probability below 10^-7 (Bernstein's inequality). */
static double share_of_pairs(const struct gemm *call)
{
    const double most = 256, largest = 9, square = 14.0 / 3; /* of random small integers */
    const double alpha = fabs((double)call->alpha), beta = fabs((double)call->beta);
    const double room = alpha == 0 ? most : (most - 3 * beta) / alpha - largest;

    return room / 10 * (room / 10) / (square * (double)call->k / 2);
}

/* A small integer. bfloat16 represents all integers up to 256 only. So there the terms 2q and 2q +
 * 1 cancel, except for a few pairs, whose sum is B's element. B's rows are opposite, A's columns
 * are equal or differ by 1. No term is 0, so a missing term changes the sum. */
static float probe_element(const struct gemm_problem *problem, unsigned stream, size_t row,
                           size_t column, size_t columns)
{
    const uint64_t bits = random_stream(problem->seed, STREAMS, stream, row * columns + column);
    const bool second = stream == STREAM_A ? column % 2 == 1 : row % 2 == 1;

    if (!is_bf16(problem) || stream == STREAM_C || !second)
        return (float)random_small_integer(bits);
    if (stream == STREAM_B)
        return -probe_element(problem, stream, row - 1, column, columns);
    const float first = probe_element(problem, stream, row, column - 1, columns);
    const bool cancels = (double)random_float(bits) >= share_of_pairs(&problem->call);
    return cancels ? first : first + copysignf(1, first);
}

/* Real data comes from the file, if there is one. Otherwise elements are random. `matrix` has the
 * type's elements, and `wide` their values if those are bfloat16; one of the two may be NULL. */
static void fill_matrix(const struct gemm_problem *problem, void *matrix, float *wide, size_t rows,
                        size_t columns, size_t leading, unsigned stream, const struct npy *file)
{
    const bool inexact = problem->base.inexact_input;
    const size_t size = gemm_element_size(problem->call.type);

    for (size_t row = 0; row < rows; row++) {
        void *const elements = matrix == NULL ? NULL : (char *)matrix + row * leading * size;
        float *const to = wide == NULL ? elements : wide + row * columns;
        for (size_t column = 0; column < columns; column++) {
            const uint64_t bits =
                random_stream(problem->seed, STREAMS, stream, row * columns + column);
            if (!inexact)
                to[column] = probe_element(problem, stream, row, column, columns);
            else if (file != NULL && file->data != NULL)
                to[column] = ((const float *)file->data)[row * columns + column];
            else
                to[column] = 2 * random_float(bits) - 1;
            if (is_bf16(problem))
                to[column] = float_of_bfloat(bfloat_of_float(to[column]));
        }
        if (elements != NULL && wide != NULL)
            gemm_store(problem, elements, to, columns);
    }
}

/* ---- what the result should be --------------------------------------------------------------- */

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
    const struct gemm_floats a = gemm_values_of_a(problem), b = gemm_values_of_b(problem);
    bool possible = true;

    for (size_t column = 0; column < call->n; column++)
        problem->x[column] = random_stream(problem->seed, STREAMS, STREAM_OTHER, column);
    for (size_t p = 0; p < call->k; p++)
        problem->b_x[p] =
            gemm_weighted_sum(b.first + p * b.leading, problem->x, call->n, &possible);
    for (size_t row = 0; row < call->m; row++) {
        uint64_t sum =
            alpha * gemm_weighted_sum(a.first + row * a.leading, problem->b_x, call->k, &possible);
        if (problem->old_c != NULL)
            sum += beta * gemm_weighted_sum(problem->old_c + row * call->n, problem->x, call->n,
                                            &possible);
        problem->expected_x[row] = sum;
    }
}

/* alpha * dot + beta * old, as accurate as `dot`. */
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
    const struct gemm_floats a = gemm_values_of_a(problem), b = gemm_values_of_b(problem);
    const struct reference dot =
        reference_dot_f32(a.first + row * a.leading, 1, b.first + column, b.leading, call->k);

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

/* In addition to the rung's depth there is one rounding for a product, one for scaling by alpha
 * unless that is 1, and one for adding beta * C. TF32 cuts off 13 of a float's bits, which changes
 * a factor by less than 2^-10 of itself. bfloat16 rounds the result to 8 bits. */
double gemm_bound(const struct gemm_problem *problem, const struct gemm_rung *rung,
                  const struct reference *reference)
{
    const struct gemm *call = &problem->call;
    const double roundings =
        rung->depth(call) + 1 + (call->alpha != 1 ? 1 : 0) + (call->beta != 0 ? 1 : 0);
    /* The bound's form depends on whether there are fewer roundings than terms (compare.h). */
    const size_t terms = call->k + (call->beta != 0 ? 1 : 0);
    /* Underflows beyond those that rounding_bound_f32 includes: alpha multiplies the errors of
     * products that underflow. Scaling a partial sum by alpha may also underflow, at most k
     * times. */
    const double underflows = (double)call->k * fmax(1, fabs((double)call->alpha)) + 2;

    const double sum = rounding_bound_f32(roundings, terms, reference->magnitude) +
                       0.5 * underflows * (double)FLT_TRUE_MIN;
    /* The tensor cores may ignore the bits of a fraction after the tenth: less than 2^-10 of each
     * factor. */
    if (call->type == GEMM_TF32)
        return sum + (0x1p-9 + 0x1p-20) * reference->magnitude;
    /* The sum is rounded to 8 bits; 2^-134 is half of the smallest subnormal number. cuBLAS also
     * rounds the product before it adds beta * C. */
    if (call->type == GEMM_BF16) {
        const bool rounds_product = (rung->rung.flags & RUNG_LIBRARY) != 0 && call->beta != 0;
        return sum + 0x1p-8 * (fabs(reference->value) + sum) + 0x1p-134 +
               (rounds_product ? 0x1p-8 * (reference->magnitude + sum) + 0x1p-134 : 0);
    }
    return sum;
}

void gemm_fill(struct gemm_problem *problem)
{
    const struct gemm *call = &problem->call;

    fill_matrix(problem, guarded_host(&problem->a), problem->wide_a, call->m, call->k, call->lda,
                STREAM_A, &problem->file_a);
    fill_matrix(problem, guarded_host(&problem->b), problem->wide_b, call->k, call->n, call->ldb,
                STREAM_B, &problem->file_b);
    if (problem->old_c != NULL)
        fill_matrix(problem, NULL, problem->old_c, call->m, call->n, call->n, STREAM_C, NULL);
    if (problem->base.inexact_input)
        prepare_samples(problem);
    else
        prepare_probe(problem);
}
/* SPDX-License-Identifier: MIT */
