/* Judges a result of the gemm problem. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "problem/gemm/parts.h"
#include "problem/judge.h"

enum { PLACE_SIZE = 64 };
#define LARGEST_BF16 0x1.FEp127

static const char *place_name(char place[static PLACE_SIZE], size_t row, size_t column)
{
    snprintf(place, PLACE_SIZE, "C[%zu][%zu]", row, column);
    return place;
}

/* Whether the rung wrote outside C: before or after it, in the padding between two rows, or below
 * the rows that the rung had to compute. */
static bool stray_write(const struct gemm_problem *problem, size_t rows,
                        struct comparison *comparison)
{
    const struct gemm *call = &problem->call;
    const float guard = gemm_guard_of_c(problem), guard_element = gemm_guard_element(problem);
    char place[PLACE_SIZE];

    if (judge_margins(&problem->c, guard, gemm_element_size(call->type), comparison))
        return true;
    for (size_t row = 0; row < call->m; row++)
        for (size_t column = row < rows ? call->n : 0; column < call->ldc; column++) {
            const bool is_element = problem->old_c != NULL && column < call->n;
            const float before =
                is_element ? problem->old_c[row * call->n + column] : guard_element;
            if (!same_bits(gemm_value_in_c(problem, row, column), before)) {
                judge_stray_write(comparison, place_name(place, row, column));
                return true;
            }
        }
    return false;
}

/* Finds the first wrong element in a row, by recomputing the row. */
static void find_in_row(const struct gemm_problem *problem, size_t row,
                        struct comparison *comparison)
{
    const struct gemm *call = &problem->call;
    const struct gemm_floats all_a = gemm_values_of_a(problem), all_b = gemm_values_of_b(problem);
    const float *const a = all_a.first + row * all_a.leading;
    const float *const c = gemm_row_of_c(problem, row);
    int64_t *const want = problem->wrong_row;
    char place[PLACE_SIZE];

    for (size_t column = 0; column < call->n; column++)
        want[column] = 0;
    for (size_t p = 0; p < call->k; p++) {
        const int64_t factor = (int64_t)(call->alpha * a[p]);
        const float *const b = all_b.first + p * all_b.leading;
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
        const uint64_t got =
            gemm_weighted_sum(gemm_row_of_c(problem, row), problem->x, call->n, &possible);
        if (!possible || got != problem->expected_x[row]) {
            comparison->right = false;
            find_in_row(problem, row, comparison);
            return;
        }
    }
}

static void judge_element(const struct gemm_problem *problem, const struct gemm_rung *rung,
                          size_t row, size_t column, const struct reference *reference,
                          struct comparison *worst)
{
    const double computed = (double)gemm_value_in_c(problem, row, column);
    const double largest = problem->call.type == GEMM_BF16 ? LARGEST_BF16 : FLT_MAX;
    char place[PLACE_SIZE];
    struct comparison comparison =
        compare_number(computed, reference, gemm_bound(problem, rung, reference), largest);

    if (!comparison.right && problem->call.alpha == 0) { /* A and B need not be read (gemm.h) */
        const struct reference unread = gemm_reference_unread(problem, row, column);
        const struct comparison other =
            compare_number(computed, &unread, gemm_bound(problem, rung, &unread), largest);
        comparison = other.right ? other : comparison;
    }
    judge_unwritten(&comparison, gemm_place_in_c(problem, row, column),
                    gemm_element_size(problem->call.type));
    if (judge_keep_worse(worst, &comparison))
        comparison_describe(worst, place_name(place, row, column));
}

static void judge_real(const struct gemm_problem *problem, const struct gemm_rung *rung,
                       size_t rows, struct comparison *worst)
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
    /* Also judge NaN and infinities, up to 64, sampled or not: they are rarely right. */
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < call->n; column++)
            if (!isfinite(gemm_value_in_c(problem, row, column)) && odd_ones++ < MOST_ODD_ONES) {
                const struct reference reference = gemm_reference(problem, row, column);
                judge_element(problem, rung, row, column, &reference, worst);
            }
}

void gemm_judge(const struct gemm_problem *problem, const struct gemm_rung *rung, size_t rows,
                struct comparison *comparison)
{
    if (stray_write(problem, rows, comparison))
        return;
    if (problem->base.inexact_input)
        judge_real(problem, rung, rows, comparison);
    else
        judge_probe(problem, rows, comparison);
}
/* SPDX-License-Identifier: MIT */
