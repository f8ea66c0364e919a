/* Judges a result of the conv problem. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "problem/conv/parts.h"
#include "problem/judge.h"

enum { PLACE_SIZE = 112 };

static const char *place_name(char place[static PLACE_SIZE], struct conv_pixel pixel)
{
    snprintf(place, PLACE_SIZE, "output[%zu][%zu][%zu][%zu]", pixel.batch, pixel.filter, pixel.y,
             pixel.x);
    return place;
}

/* An element of a probe's result, rounded if the rung's probes need not be exact. */
static float whole(const struct conv_rung *rung, float result)
{
    return rung->rounds_whole_numbers ? rintf(result) : result;
}

/* Finds the first wrong element in a row of pixels, by recomputing the row for all filters. */
static void find_in_row(const struct conv_problem *problem, const struct conv_rung *rung,
                        size_t batch, size_t y, struct comparison *comparison)
{
    const struct conv *call = &problem->call;
    char place[PLACE_SIZE];

    for (size_t f = 0; f < call->filters; f++)
        for (size_t x = 0; x < call->out_width; x++) {
            const struct conv_pixel pixel = {.batch = batch, .filter = f, .y = y, .x = x};
            const float got = whole(rung, conv_output_row(problem, batch, f, y)[x]);
            bool defined;
            const size_t count = conv_terms(problem, pixel, &defined);
            int64_t want = 0;
            for (size_t i = 0; i < count; i++)
                want += (int64_t)problem->term_inputs[i] * (int64_t)problem->term_filters[i];
            if ((double)got != (double)want) {
                judge_wrong_integer(comparison, place_name(place, pixel), got, want);
                return;
            }
        }
}

/* Whether a row of pixels is right for all filters of a group. */
static bool row_is_right(const struct conv_problem *problem, const struct conv_rung *rung,
                         size_t group, size_t batch, size_t y)
{
    const struct conv *call = &problem->call;
    const uint64_t *const expected =
        problem->expected +
        ((group * call->batch + batch) * call->out_height + y) * call->out_width;
    const size_t filters = call->filters / call->groups;
    bool right = true;

    for (size_t x = 0; x < call->out_width; x++)
        problem->row_sums[x] = 0;
    for (size_t f = group * filters; f < (group + 1) * filters; f++) {
        const float *const row = conv_output_row(problem, batch, f, y);
        for (size_t x = 0; x < call->out_width; x++) {
            uint64_t element;
            right &= to_integer(whole(rung, row[x]), &element);
            problem->row_sums[x] += problem->weights[f] * element;
        }
    }
    for (size_t x = 0; x < call->out_width; x++)
        right &= problem->row_sums[x] == expected[x];
    return right;
}

static void judge_probe(const struct conv_problem *problem, const struct conv_rung *rung,
                        struct comparison *comparison)
{
    const struct conv *call = &problem->call;

    *comparison = (struct comparison){.right = true};
    /* Without filters there is nothing to judge, though `expected` has rows. */
    if (problem->output.count == 0)
        return;
    for (size_t g = 0; g < call->groups; g++)
        for (size_t b = 0; b < call->batch; b++)
            for (size_t y = 0; y < call->out_height; y++)
                if (!row_is_right(problem, rung, g, b, y)) {
                    comparison->right = false;
                    find_in_row(problem, rung, b, y, comparison);
                    return;
                }
}

static void judge_element(const struct conv_problem *problem, const struct conv_rung *rung,
                          const struct sample *sample, struct comparison *worst)
{
    const struct conv_pixel pixel = sample->pixel;
    const struct reference *const reference = &sample->reference;
    const struct conv call = conv_call_on_host(problem);
    const double roundings = rung->depth(&call) + 1; /* one more, for the product itself */
    const double own = rung->magnitude != NULL ? rung->magnitude(&call, &pixel) : 0;
    const double magnitude = rung->any_transform ? 16 * problem->largest_magnitude
                             : own > 0           ? own
                                                 : reference->magnitude;
    const double bound = rounding_bound_f32(roundings, problem->taps + 1, magnitude);
    const float *const got = &conv_output_row(problem, pixel.batch, pixel.filter, pixel.y)[pixel.x];
    struct comparison comparison = compare_number((double)*got, reference, bound, FLT_MAX);
    char place[PLACE_SIZE];

    judge_unwritten(&comparison, got, sizeof *got);
    if (judge_keep_worse(worst, &comparison))
        comparison_describe(worst, place_name(place, pixel));
}

/* Also judges NaN and infinities, up to 64, sampled or not: they are rarely right. */
static void judge_odd_ones(const struct conv_problem *problem, const struct conv_rung *rung,
                           struct comparison *worst)
{
    enum { MOST_ODD_ONES = 64 };
    const struct conv *call = &problem->call;
    size_t odd_ones = 0;
    struct conv_pixel pixel;

    for (pixel.batch = 0; pixel.batch < call->batch; pixel.batch++)
        for (pixel.filter = 0; pixel.filter < call->filters; pixel.filter++)
            for (pixel.y = 0; pixel.y < call->out_height; pixel.y++) {
                const float *const row =
                    conv_output_row(problem, pixel.batch, pixel.filter, pixel.y);
                for (pixel.x = 0; pixel.x < call->out_width; pixel.x++)
                    if (!isfinite(row[pixel.x]) && odd_ones++ < MOST_ODD_ONES) {
                        const struct sample sample = conv_sample(problem, pixel);
                        if (sample.defined)
                            judge_element(problem, rung, &sample, worst);
                    }
            }
}

static void judge_real(const struct conv_problem *problem, const struct conv_rung *rung,
                       struct comparison *worst)
{
    *worst = (struct comparison){.right = true};
    for (size_t i = 0; i < problem->sample_count; i++) {
        const struct sample *sample = &problem->samples[i];
        if (sample->defined)
            judge_element(problem, rung, sample, worst);
    }
    judge_odd_ones(problem, rung, worst);
}

void conv_judge(const struct conv_problem *problem, const struct conv_rung *rung,
                struct comparison *comparison)
{
    if (judge_margins(&problem->output, poison_value(), sizeof(float), comparison))
        return;
    if (problem->base.inexact_input)
        judge_real(problem, rung, comparison);
    else
        judge_probe(problem, rung, comparison);
}
/* SPDX-License-Identifier: MIT */
