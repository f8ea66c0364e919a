/* Fills the conv problem's inputs and computes its expected result. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "problem/conv/parts.h"
#include "problem/judge.h"
#include "problem/reference.h"

/* Separate streams of random numbers (random.h). */
enum { STREAM_INPUT, STREAM_FILTER, STREAM_OTHER, STREAMS };

double conv_depth_serial(const struct conv *call)
{
    return (double)call->channels * (double)call->kernel_height * (double)call->kernel_width;
}

static const float *filters_of(const struct conv_problem *problem)
{
    return guarded_host(&problem->filter);
}

struct conv conv_call_on_host(const struct conv_problem *problem)
{
    struct conv call = problem->call;

    call.input = guarded_host(&problem->input);
    call.filter = guarded_host(&problem->filter);
    call.output = guarded_host(&problem->output);
    call.workspace = problem->host_workspace;
    return call;
}

const float *conv_output_row(const struct conv_problem *problem, size_t batch, size_t filter,
                             size_t y)
{
    const struct conv *call = &problem->call;
    return (const float *)guarded_host(&problem->output) +
           ((batch * call->filters + filter) * call->out_height + y) * call->out_width;
}

static const float *input_row(const struct conv_problem *problem, size_t batch, size_t group,
                              size_t channel, size_t y)
{
    const struct conv *call = &problem->call;
    const size_t image = (batch * call->groups + group) * call->channels + channel;
    return (const float *)guarded_host(&problem->input) + (image * call->height + y) * call->width;
}

static size_t group_of(const struct conv *call, size_t filter)
{
    return filter / (call->filters / call->groups);
}

/* The input coordinate of a tap. Outside the image it is past the end or, wrapped around, a huge
 * number. So one comparison with the size detects both. */
static size_t input_place(const struct conv *call, size_t stride, size_t output_place, size_t tap)
{
    return output_place * stride + tap * call->dilation - call->pad;
}

/* Real data comes from the file, if there is one. Otherwise elements are random. */
static void fill_array(const struct conv_problem *problem, const struct guarded *array,
                       unsigned stream, const struct npy *file)
{
    const bool inexact = problem->base.inexact_input;
    float *const to = guarded_host(array);

    if (inexact && file->data != NULL) {
        memcpy(to, file->data, array->count);
        return;
    }
    for (size_t i = 0; i < array->count / sizeof *to; i++) {
        const uint64_t bits = random_stream(problem->seed, STREAMS, stream, i);
        to[i] = inexact ? 2 * random_float(bits) - 1 : (float)random_small_integer(bits);
    }
}

/* The output columns [*first, *last) for which a tap's column is inside the image. */
static void columns_inside(const struct conv *call, size_t tap, size_t *first, size_t *last)
{
    const size_t shift = tap * call->dilation;
    const size_t end = call->width + call->pad;

    *first =
        shift >= call->pad ? 0 : (call->pad - shift + call->stride_width - 1) / call->stride_width;
    *last = shift >= end ? 0 : (end - shift - 1) / call->stride_width + 1;
    if (*last > call->out_width)
        *last = call->out_width;
}

static void mix_filters(struct conv_problem *problem)
{
    const float *filter = filters_of(problem);

    for (size_t tap = 0; tap < problem->call.groups * problem->taps; tap++)
        problem->mixed_filter[tap] = 0;
    for (size_t f = 0; f < problem->call.filters; f++) {
        uint64_t *const mixed = problem->mixed_filter + group_of(&problem->call, f) * problem->taps;
        problem->weights[f] = random_stream(problem->seed, STREAMS, STREAM_OTHER, f);
        for (size_t tap = 0; tap < problem->taps; tap++) {
            uint64_t element;
            to_integer(filter[f * problem->taps + tap], &element);
            mixed[tap] += problem->weights[f] * element;
        }
    }
}

/* Adds a tap's products to a row of sums. The loop runs over contiguous memory. */
static void add_tap_to_row(const struct conv *call, uint64_t *sums, const float *input, size_t tap,
                           uint64_t weight)
{
    size_t first, last;

    columns_inside(call, tap, &first, &last);
    for (size_t x = first; x < last; x++) {
        uint64_t element;
        to_integer(input[input_place(call, call->stride_width, x, tap)], &element);
        sums[x] += weight * element;
    }
}

/* Computes a row of the output of a group's combined filter for an image. */
static void expect_row(const struct conv_problem *problem, size_t group, size_t batch, size_t y,
                       uint64_t *sums)
{
    const struct conv *call = &problem->call;
    const uint64_t *weight = problem->mixed_filter + group * problem->taps;

    for (size_t x = 0; x < call->out_width; x++)
        sums[x] = 0;
    for (size_t c = 0; c < call->channels; c++)
        for (size_t r = 0; r < call->kernel_height; r++) {
            const size_t in_y = input_place(call, call->stride_height, y, r);
            for (size_t s = 0; s < call->kernel_width; s++, weight++)
                if (in_y < call->height)
                    add_tap_to_row(call, sums, input_row(problem, batch, group, c, in_y), s,
                                   *weight);
        }
}

static void prepare_probe(struct conv_problem *problem)
{
    const struct conv *call = &problem->call;
    uint64_t *sums = problem->expected;

    mix_filters(problem);
    for (size_t g = 0; g < call->groups; g++)
        for (size_t b = 0; b < call->batch; b++)
            for (size_t y = 0; y < call->out_height; y++, sums += call->out_width)
                expect_row(problem, g, b, y, sums);
}

size_t conv_terms(const struct conv_problem *problem, struct conv_pixel pixel, bool *defined)
{
    const struct conv *call = &problem->call;
    const float *filter = filters_of(problem) + pixel.filter * problem->taps;
    const size_t group = group_of(call, pixel.filter);
    size_t count = 0;

    *defined = true;
    for (size_t c = 0; c < call->channels; c++)
        for (size_t r = 0; r < call->kernel_height; r++)
            for (size_t s = 0; s < call->kernel_width; s++, filter++) {
                const size_t y = input_place(call, call->stride_height, pixel.y, r);
                const size_t x = input_place(call, call->stride_width, pixel.x, s);
                if (y < call->height && x < call->width) {
                    problem->term_inputs[count] = input_row(problem, pixel.batch, group, c, y)[x];
                    problem->term_filters[count++] = *filter;
                } else if (!isfinite(*filter)) {
                    *defined = false;
                }
            }
    return count;
}

static struct reference reference_of(const struct conv_problem *problem, struct conv_pixel pixel,
                                     bool *defined)
{
    const size_t count = conv_terms(problem, pixel, defined);
    return reference_dot_f32(problem->term_inputs, 1, problem->term_filters, 1, count);
}

struct sample conv_sample(const struct conv_problem *problem, struct conv_pixel pixel)
{
    struct sample sample = {.pixel = pixel};

    sample.reference = reference_of(problem, pixel, &sample.defined);
    return sample;
}

/* Chooses the elements to judge: all, or those at the edges of tiles and random others. */
static void prepare_samples(struct conv_problem *problem)
{
    const struct conv *call = &problem->call;
    size_t batches[PLACES_MAX], filters[PLACES_MAX], ys[PLACES_MAX], xs[PLACES_MAX];
    const size_t batch_count = judge_places(call->batch, batches);
    const size_t filter_count = judge_places(call->filters, filters);
    const size_t y_count = judge_places(call->out_height, ys);
    const size_t x_count = judge_places(call->out_width, xs);
    const size_t outputs = problem->output.count / sizeof(float);
    const bool all = problem->sample_count == outputs;

    problem->largest_magnitude = 0;
    for (size_t i = 0; i < problem->sample_count; i++) {
        struct sample *const sample = &problem->samples[i];
        if (!all && i < y_count * x_count) { /* each pair of y and x once, corners first */
            sample->pixel = (struct conv_pixel){
                .batch = batches[i % batch_count],
                .filter = filters[i / batch_count % filter_count],
                .y = ys[i % y_count],
                .x = xs[(i % y_count + i / y_count) % x_count],
            };
        } else {
            size_t element = i;
            if (!all)
                element = random_stream(problem->seed, STREAMS, STREAM_OTHER, i) % outputs;
            sample->pixel.x = element % call->out_width;
            element /= call->out_width;
            sample->pixel.y = element % call->out_height;
            element /= call->out_height;
            sample->pixel.filter = element % call->filters;
            sample->pixel.batch = element / call->filters;
        }
        *sample = conv_sample(problem, sample->pixel);
        if (sample->reference.magnitude > problem->largest_magnitude)
            problem->largest_magnitude = sample->reference.magnitude;
    }
}

void conv_fill(struct conv_problem *problem)
{
    fill_array(problem, &problem->input, STREAM_INPUT, &problem->file_input);
    fill_array(problem, &problem->filter, STREAM_FILTER, &problem->file_filter);
    if (problem->base.inexact_input)
        prepare_samples(problem);
    else
        prepare_probe(problem);
}
/* SPDX-License-Identifier: MIT */
