#include "problem/conv/conv.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/npy.h"
#include "base/picture.h"
#include "base/random.h"
#include "device/guarded.h"
#include "problem/gemm/gemm.h"
#include "problem/judge.h"
#include "problem/problem.h"
#include "problem/reference.h"
#include "run/options.h"
#include "run/step.h"

/* One element of the output. */
struct pixel {
    size_t batch, filter, y, x;
};

/* An element that is judged on real data. */
struct sample {
    struct pixel pixel;
    struct reference reference;
    /* What the bounds of RUNG_WINOGRAD and RUNG_WINOGRAD_4 are relative to. */
    double winograd, winograd4;
    bool defined; /* see terms_of */
};

struct conv_problem {
    struct problem base;
    struct conv call; /* pointers of the back end */
    struct guarded input, filter, output;
    struct npy file_input, file_filter;
    void *host_workspace; /* of rungs that run on the host; made for the first */
    uint64_t seed;
    size_t taps; /* products that one output element sums up: channels * kernel's area */

    /* Probes (judge.h). Convolution is linear in the filters, so the outputs of all filters, each
     * times a random integer and added up, equal the output of the filters added up likewise. */
    uint64_t *weights;      /* one a filter */
    uint64_t *mixed_filter; /* the filters' weighted sum: channels x kernel_height x kernel_width */
    uint64_t *expected;     /* its output: batch x out_height x out_width */
    uint64_t *row_sums;     /* scratch: out_width */

    float *term_inputs, *term_filters; /* scratch: the factors of one output element */
    struct sample *samples;
    size_t sample_count;
    double largest_magnitude; /* among the samples */

    const char *picture; /* where to write the last right result, or NULL */
    float *last_right;   /* that result; NULL: none yet */
};

/* Where elements come from in the random stream. */
enum { STREAM_INPUT, STREAM_FILTER, STREAM_OTHER, STREAMS };

/* Scratch that every rung gets: room for a matrix product's own, and for the im2col matrix within
 * limits, at least for 3 x 3 filters in any layout of the rungs, padded to whole blocks of up to 64
 * filters and 16 channels, up to 36 numbers for 9 weights, and 128 tiles of Winograd's inputs and
 * outputs. */
static const size_t most_matrix = (size_t)512 << 20;

size_t conv_output_size(size_t size, size_t kernel, size_t stride, size_t pad, size_t dilation)
{
    if (kernel == 0 || stride == 0)
        return 0;
    if (dilation != 0 && kernel - 1 > (SIZE_MAX - 1) / dilation)
        return 0;
    /* Saturated: a padding as large as this fails later, for want of memory. */
    const size_t padded = pad > (SIZE_MAX - size) / 2 ? SIZE_MAX : size + 2 * pad;
    const size_t extent = (kernel - 1) * dilation + 1;

    return padded < extent ? 0 : (padded - extent) / stride + 1;
}

double conv_depth_serial(const struct conv *call)
{
    return (double)call->channels * (double)call->kernel_height * (double)call->kernel_width;
}

double conv_depth_winograd(const struct conv *call)
{
    return (double)call->channels + 9;
}

double conv_depth_winograd4(const struct conv *call)
{
    return (double)call->channels + 26;
}

static uint64_t stream_bits(const struct conv_problem *problem, unsigned stream, size_t i)
{
    return random_bits(problem->seed, STREAMS * (uint64_t)i + stream);
}

/* What a rung is given: memory of the processor that runs it. */
static struct conv call_of(const struct conv_problem *problem, const struct rung *rung)
{
    struct conv call = problem->call;

    if (rung->flags & RUNG_HOST) {
        call.input = guarded_host(&problem->input);
        call.filter = guarded_host(&problem->filter);
        call.output = guarded_host(&problem->output);
        call.workspace = problem->host_workspace;
    }
    return call;
}

static const float *input_row(const struct conv_problem *problem, size_t batch, size_t channel,
                              size_t y)
{
    const struct conv *call = &problem->call;
    return guarded_host(&problem->input) +
           ((batch * call->channels + channel) * call->height + y) * call->width;
}

static const float *output_row(const struct conv_problem *problem, size_t batch, size_t filter,
                               size_t y)
{
    const struct conv *call = &problem->call;
    return guarded_host(&problem->output) +
           ((batch * call->filters + filter) * call->out_height + y) * call->out_width;
}

/* The input coordinate under a tap; outside the picture it wraps around to a huge number or lies
 * past the end, so that one comparison with the size tells. */
static size_t input_place(const struct conv *call, size_t output_place, size_t tap)
{
    return output_place * call->stride + tap * call->dilation - call->pad;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* From the file if there is one and the data is to be real. */
static void fill_array(const struct conv_problem *problem, const struct guarded *array,
                       unsigned stream, const struct npy *file)
{
    const bool inexact = problem->base.inexact_input;
    float *const to = guarded_host(array);

    if (inexact && file->data != NULL) {
        memcpy(to, file->data, array->count * sizeof(float));
        return;
    }
    for (size_t i = 0; i < array->count; i++) {
        const uint64_t bits = stream_bits(problem, stream, i);
        to[i] = inexact ? 2 * random_float(bits) - 1 : (float)random_small_integer(bits);
    }
}

/* ---- reference ------------------------------------------------------------------------------- */

/* The output columns [*first, *last) at which a tap's column lies inside the picture. */
static void columns_inside(const struct conv *call, size_t tap, size_t *first, size_t *last)
{
    const size_t shift = tap * call->dilation;
    const size_t end = call->width + call->pad;

    *first = shift >= call->pad ? 0 : (call->pad - shift + call->stride - 1) / call->stride;
    *last = shift >= end ? 0 : (end - shift - 1) / call->stride + 1;
    if (*last > call->out_width)
        *last = call->out_width;
}

static void mix_filters(struct conv_problem *problem)
{
    const float *filter = guarded_host(&problem->filter);

    for (size_t tap = 0; tap < problem->taps; tap++)
        problem->mixed_filter[tap] = 0;
    for (size_t f = 0; f < problem->call.filters; f++) {
        problem->weights[f] = stream_bits(problem, STREAM_OTHER, f);
        for (size_t tap = 0; tap < problem->taps; tap++) {
            uint64_t element;
            to_integer(filter[f * problem->taps + tap], &element);
            problem->mixed_filter[tap] += problem->weights[f] * element;
        }
    }
}

/* sums[x] += weight * input, for all x of an output row; the loop runs over contiguous memory. */
static void add_tap_to_row(const struct conv *call, uint64_t *sums, const float *input, size_t tap,
                           uint64_t weight)
{
    size_t first, last;

    columns_inside(call, tap, &first, &last);
    for (size_t x = first; x < last; x++) {
        uint64_t element;
        to_integer(input[input_place(call, x, tap)], &element);
        sums[x] += weight * element;
    }
}

static void prepare_probe(struct conv_problem *problem)
{
    const struct conv *call = &problem->call;

    mix_filters(problem);
    for (size_t b = 0; b < call->batch; b++)
        for (size_t y = 0; y < call->out_height; y++) {
            uint64_t *const sums = problem->expected + (b * call->out_height + y) * call->out_width;
            const uint64_t *weight = problem->mixed_filter;
            for (size_t x = 0; x < call->out_width; x++)
                sums[x] = 0;
            for (size_t c = 0; c < call->channels; c++)
                for (size_t r = 0; r < call->kernel_height; r++) {
                    const size_t in_y = input_place(call, y, r);
                    for (size_t s = 0; s < call->kernel_width; s++, weight++)
                        if (in_y < call->height)
                            add_tap_to_row(call, sums, input_row(problem, b, c, in_y), s, *weight);
                }
        }
}

/* Gathers the factors of one output element; returns how many. *defined becomes false if a filter's
 * NaN or infinity meets the padding: a rung that skips the padding and one that multiplies by its
 * zeros then differ, and both are right. */
static size_t terms_of(const struct conv_problem *problem, struct pixel pixel, bool *defined)
{
    const struct conv *call = &problem->call;
    const float *filter = guarded_host(&problem->filter) + pixel.filter * problem->taps;
    size_t count = 0;

    *defined = true;
    for (size_t c = 0; c < call->channels; c++)
        for (size_t r = 0; r < call->kernel_height; r++)
            for (size_t s = 0; s < call->kernel_width; s++, filter++) {
                const size_t y = input_place(call, pixel.y, r);
                const size_t x = input_place(call, pixel.x, s);
                if (y < call->height && x < call->width) {
                    problem->term_inputs[count] = input_row(problem, pixel.batch, c, y)[x];
                    problem->term_filters[count++] = *filter;
                } else if (!isfinite(*filter)) {
                    *defined = false;
                }
            }
    return count;
}

static struct reference reference_of(const struct conv_problem *problem, struct pixel pixel,
                                     bool *defined)
{
    const size_t count = terms_of(problem, pixel, defined);
    return reference_dot_f32(problem->term_inputs, 1, problem->term_filters, 1, count);
}

/* The absolute values of Winograd's matrices for tiles of 2 and of 4 outputs: conv.h. */
enum { LARGEST_PATCH = 6 };

static const struct transforms {
    size_t tile, patch; /* outputs and inputs of a tile, in one dimension */
    double b[LARGEST_PATCH][LARGEST_PATCH], g[LARGEST_PATCH][3], a[4][LARGEST_PATCH];
} winograd_2 =
    {
        .tile = 2,
        .patch = 4,
        .b = {{1, 0, 1, 0}, {0, 1, 1, 0}, {0, 1, 1, 0}, {0, 1, 0, 1}},
        .g = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0, 0, 1}},
        .a = {{1, 1, 1, 0}, {0, 1, 1, 1}},
},
  winograd_4 = {
      .tile = 4,
      .patch = 6,
      .b = {{4, 0, 5, 0, 1, 0},
            {0, 4, 4, 1, 1, 0},
            {0, 4, 4, 1, 1, 0},
            {0, 2, 1, 2, 1, 0},
            {0, 2, 1, 2, 1, 0},
            {0, 4, 0, 5, 0, 1}},
      .g = {{1.0 / 4, 0, 0},
            {1.0 / 6, 1.0 / 6, 1.0 / 6},
            {1.0 / 6, 1.0 / 6, 1.0 / 6},
            {1.0 / 24, 1.0 / 12, 1.0 / 6},
            {1.0 / 24, 1.0 / 12, 1.0 / 6},
            {0, 0, 1}},
      .a = {{1, 1, 1, 1, 1, 0}, {0, 1, 1, 2, 2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, 1, 8, 8, 1}},
};

/* |B^T| |d| |B| of a tile in one channel, in place of |d|. */
static void transform_patch(const struct transforms *t, double d[LARGEST_PATCH][LARGEST_PATCH])
{
    double half[LARGEST_PATCH][LARGEST_PATCH] = {{0}};

    for (size_t i = 0; i < t->patch; i++)
        for (size_t r = 0; r < t->patch; r++)
            for (size_t s = 0; s < t->patch; s++)
                half[i][s] += t->b[i][r] * d[r][s];
    for (size_t i = 0; i < t->patch; i++)
        for (size_t j = 0; j < t->patch; j++) {
            d[i][j] = 0;
            for (size_t s = 0; s < t->patch; s++)
                d[i][j] += t->b[j][s] * half[i][s];
        }
}

/* The sum of the channels' |A^T| [(|G| |g| |G^T|) . (|B^T| |d| |B|)] |A| at a pixel; 0 for other
 * filters than 3 x 3 at stride 1. */
static double winograd_magnitude(const struct conv_problem *problem, const struct transforms *t,
                                 struct pixel pixel)
{
    const struct conv *call = &problem->call;
    const size_t top = pixel.y / t->tile * t->tile - call->pad;
    const size_t left = pixel.x / t->tile * t->tile - call->pad;
    const double *const row = t->a[pixel.y % t->tile], *const column = t->a[pixel.x % t->tile];
    const float *filter = guarded_host(&problem->filter) + pixel.filter * problem->taps;
    double sum = 0;

    if (call->kernel_height != 3 || call->kernel_width != 3 || call->stride != 1 ||
        call->dilation != 1)
        return 0;
    for (size_t c = 0; c < call->channels; c++, filter += 9) {
        double d[LARGEST_PATCH][LARGEST_PATCH] = {{0}};

        for (size_t r = 0; r < t->patch; r++)
            for (size_t s = 0; s < t->patch; s++)
                if (top + r < call->height && left + s < call->width)
                    d[r][s] = fabs((double)input_row(problem, pixel.batch, c, top + r)[left + s]);
        transform_patch(t, d);
        for (size_t i = 0; i < t->patch; i++)
            for (size_t j = 0; j < t->patch; j++) {
                double weight = 0;
                for (size_t tap = 0; tap < 9; tap++)
                    weight += t->g[i][tap / 3] * t->g[j][tap % 3] * fabs((double)filter[tap]);
                sum += row[i] * column[j] * d[i][j] * weight;
            }
    }
    return sum;
}

static struct sample sample_at(const struct conv_problem *problem, struct pixel pixel)
{
    struct sample sample = {.pixel = pixel};

    sample.reference = reference_of(problem, pixel, &sample.defined);
    sample.winograd = winograd_magnitude(problem, &winograd_2, pixel);
    sample.winograd4 = winograd_magnitude(problem, &winograd_4, pixel);
    return sample;
}

/* Elements to judge: all, or the places where tiles meet and others at random. */
static void prepare_samples(struct conv_problem *problem)
{
    const struct conv *call = &problem->call;
    size_t batches[PLACES_MAX], filters[PLACES_MAX], ys[PLACES_MAX], xs[PLACES_MAX];
    const size_t batch_count = judge_places(call->batch, batches);
    const size_t filter_count = judge_places(call->filters, filters);
    const size_t y_count = judge_places(call->out_height, ys);
    const size_t x_count = judge_places(call->out_width, xs);
    const bool all = problem->sample_count == problem->output.count;

    problem->largest_magnitude = 0;
    for (size_t i = 0; i < problem->sample_count; i++) {
        struct sample *const sample = &problem->samples[i];
        if (!all && i < y_count * x_count) { /* each pair of y and x once, the corners early */
            sample->pixel = (struct pixel){
                .batch = batches[i % batch_count],
                .filter = filters[i / batch_count % filter_count],
                .y = ys[i % y_count],
                .x = xs[(i % y_count + i / y_count) % x_count],
            };
        } else {
            size_t element = i;
            if (!all)
                element = stream_bits(problem, STREAM_OTHER, i) % problem->output.count;
            sample->pixel.x = element % call->out_width;
            element /= call->out_width;
            sample->pixel.y = element % call->out_height;
            element /= call->out_height;
            sample->pixel.filter = element % call->filters;
            sample->pixel.batch = element / call->filters;
        }
        *sample = sample_at(problem, sample->pixel);
        if (sample->reference.magnitude > problem->largest_magnitude)
            problem->largest_magnitude = sample->reference.magnitude;
    }
}

/* ---- family ---------------------------------------------------------------------------------- */

static void destroy(struct problem *base)
{
    struct conv_problem *problem = (struct conv_problem *)base;

    guarded_destroy(&problem->input, base->back_end);
    guarded_destroy(&problem->filter, base->back_end);
    guarded_destroy(&problem->output, base->back_end);
    base->back_end->release(problem->call.workspace);
    cpu_back_end.release(problem->host_workspace);
    npy_free(&problem->file_input);
    npy_free(&problem->file_filter);
    free(problem->weights);
    free(problem->mixed_filter);
    free(problem->expected);
    free(problem->row_sums);
    free(problem->term_inputs);
    free(problem->term_filters);
    free(problem->samples);
    free(problem->last_right);
    free(problem);
}

static bool open_array(const char *path, const char *wanted, struct npy *file, struct error *error)
{
    if (!npy_read(path, file, error))
        return false;
    if (file->dimensions != 4)
        return error_set(error, EXIT_FILE_ERROR, "%s: %zu dimensions, want 4 (%s)", path,
                         file->dimensions, wanted);
    if (file->type != NPY_FLOAT32)
        return error_set(error, EXIT_FILE_ERROR, "%s is %s; want float32", path,
                         npy_type_name(file->type));
    return true;
}

/* Three pictures of one channel; padded, unless the user says how, so that a filter of 3 x 3 or of
 * any other odd size leaves the picture's size as it is. */
static bool open_picture(struct conv_problem *problem, const struct options *options,
                         struct error *error)
{
    struct conv *const call = &problem->call;
    const char *const filter = options->filter != NULL ? options->filter : "sharpen";

    if (!picture_read(options->image, &problem->file_input, error) ||
        !picture_filter(filter, &problem->file_filter, error))
        return false;
    call->batch = problem->file_input.shape[0];
    call->channels = call->filters = 1;
    call->height = problem->file_input.shape[2];
    call->width = problem->file_input.shape[3];
    call->kernel_height = problem->file_filter.shape[2];
    call->kernel_width = problem->file_filter.shape[3];
    if (call->pad == 0)
        call->pad = (call->kernel_height - 1) / 2 * call->dilation;
    problem->picture = options->output;
    return true;
}

/* Files set the sizes; what no file sets stays as the options have it. */
static bool open_files(struct conv_problem *problem, const struct options *options,
                       struct error *error)
{
    struct conv *const call = &problem->call;

    if (options->image != NULL)
        return open_picture(problem, options, error);
    if (options->a != NULL) {
        const size_t *const shape = problem->file_input.shape;
        if (!open_array(options->a, "batch, channels, height, width", &problem->file_input, error))
            return false;
        call->batch = shape[0];
        call->channels = shape[1];
        call->height = shape[2];
        call->width = shape[3];
    }
    if (options->b != NULL) {
        const size_t *const shape = problem->file_filter.shape;
        if (!open_array(options->b, "filters, channels, kernel height, kernel width",
                        &problem->file_filter, error))
            return false;
        if (options->a != NULL && shape[1] != call->channels)
            return error_set(error, EXIT_FILE_ERROR,
                             "%s has %zu channels but the filters of %s have %zu", options->a,
                             call->channels, options->b, shape[1]);
        call->filters = shape[0];
        call->channels = shape[1];
        call->kernel_height = shape[2];
        call->kernel_width = shape[3];
    }
    return true;
}

/* Room for an array of a x b rows of c x d elements. */
static bool allocate_guarded(struct guarded *array, const size_t sizes[4], size_t offset,
                             size_t after, const struct back_end *back_end, struct error *error)
{
    size_t rows, leading;
    return checked_bytes(sizes[0], sizes[1], 1, &rows, error) &&
           checked_bytes(sizes[2], sizes[3], 1, &leading, error) &&
           guarded_create(array, rows, leading, offset, after, back_end, error);
}

static void *allocate_array(size_t rows, size_t columns, size_t element_size, struct error *error)
{
    size_t bytes;
    return checked_bytes(rows, columns, element_size, &bytes, error) ? host_allocate(bytes, error)
                                                                     : NULL;
}

/* Bytes of the im2col matrix: taps x output pixels. */
static size_t workspace_size(const struct conv_problem *problem)
{
    const struct conv *call = &problem->call;
    const double matrix = sizeof(float) * (double)problem->taps * (double)call->batch *
                          (double)call->out_height * (double)call->out_width;
    const bool packed = call->kernel_height == 3 && call->kernel_width == 3;
    const double padded_filters = (double)call->filters + 64;
    const double padded_channels = (double)call->channels + 16;
    const double filters =
        packed ? sizeof(float) * 36 *
                     (padded_filters * padded_channels + 128 * (padded_filters + padded_channels))
               : 0;
    const double room = matrix < (double)most_matrix ? matrix : (double)most_matrix;
    const double bytes = (double)GEMM_WORKSPACE + (room > filters ? room : filters);

    return bytes < 0x1p62 ? (size_t)bytes : SIZE_MAX / 2;
}

/* Asked once for everything: memory counts as taken only when it is written. */
static bool enough_memory(const struct conv_problem *problem, struct error *error)
{
    const struct conv *call = &problem->call;
    const double out_area = (double)call->out_height * (double)call->out_width;
    const double pictures =
        (double)call->batch * (double)call->channels * (double)call->height * (double)call->width;
    const double output = (double)call->batch * (double)call->filters * out_area;
    const double filters = (double)call->filters * (double)problem->taps;
    const double bytes = sizeof(float) * (pictures + filters + output) +
                         sizeof(uint64_t) * (double)call->batch * out_area;

    return memory_available(bytes < 0x1p63 ? (size_t)bytes : SIZE_MAX, error);
}

/* What rungs see, in memory of the back end. */
static bool allocate_operands(struct conv_problem *problem, size_t offset, struct error *error)
{
    const struct back_end *back_end = problem->base.back_end;
    struct conv *const call = &problem->call;
    const size_t input[] = {call->batch, call->channels, call->height, call->width};
    const size_t filter[] = {call->filters, call->channels, call->kernel_height,
                             call->kernel_width};
    const size_t output[] = {call->batch, call->filters, call->out_height, call->out_width};

    if (!allocate_guarded(&problem->input, input, offset, 0, back_end, error) ||
        !allocate_guarded(&problem->filter, filter, offset, 0, back_end, error) ||
        !allocate_guarded(&problem->output, output, offset, MARGIN_AFTER, back_end, error))
        return false;
    guarded_fill(&problem->input, guard_value());
    guarded_fill(&problem->filter, guard_value());
    call->input = guarded_memory(&problem->input);
    call->filter = guarded_memory(&problem->filter);
    call->output = guarded_memory(&problem->output);

    call->workspace_bytes = workspace_size(problem);
    call->workspace = back_end->allocate(call->workspace_bytes, error);
    return call->workspace != NULL;
}

static bool allocate(struct conv_problem *problem, const struct options *options,
                     struct error *error)
{
    const struct conv *call = &problem->call;
    size_t places[PLACES_MAX];

    if (!checked_bytes(call->channels, call->kernel_height, call->kernel_width, &problem->taps,
                       error) ||
        !enough_memory(problem, error) || !allocate_operands(problem, options->offset, error))
        return false;

    const size_t out_area = call->out_height * call->out_width;
    problem->weights = allocate_array(call->filters, 1, sizeof *problem->weights, error);
    if (problem->weights == NULL)
        return false;
    problem->mixed_filter = allocate_array(problem->taps, 1, sizeof *problem->mixed_filter, error);
    if (problem->mixed_filter == NULL)
        return false;
    problem->expected = allocate_array(call->batch, out_area, sizeof *problem->expected, error);
    if (problem->expected == NULL)
        return false;
    problem->row_sums = allocate_array(call->out_width, 1, sizeof *problem->row_sums, error);
    if (problem->row_sums == NULL)
        return false;
    problem->term_inputs = allocate_array(problem->taps, 1, sizeof *problem->term_inputs, error);
    if (problem->term_inputs == NULL)
        return false;
    problem->term_filters = allocate_array(problem->taps, 1, sizeof *problem->term_filters, error);
    if (problem->term_filters == NULL)
        return false;

    const size_t special =
        judge_places(call->out_height, places) * judge_places(call->out_width, places);
    problem->sample_count = judge_sample_size(problem->output.count, problem->taps, special);
    problem->samples = allocate_array(problem->sample_count, 1, sizeof *problem->samples, error);
    return problem->samples != NULL;
}

static void describe(struct conv_problem *problem)
{
    struct problem *const base = &problem->base;
    const struct conv *call = &problem->call;

    base->op = "conv";
    base->type = "f32";
    base->probes = 1;
    base->bytes = sizeof(float) * ((double)problem->input.count + (double)problem->filter.count +
                                   (double)problem->output.count);
    base->flops = 2 * (double)problem->output.count * (double)problem->taps;
    snprintf(base->shape, sizeof base->shape, "%zux%zux%zux%zu:%zux%zux%zu:s%zup%zud%zu",
             call->batch, call->channels, call->height, call->width, call->filters,
             call->kernel_height, call->kernel_width, call->stride, call->pad, call->dilation);
}

static bool prepare(struct conv_problem *problem, const struct options *options,
                    struct error *error)
{
    struct conv *const call = &problem->call;

    if (call->stride == 0 || call->dilation == 0)
        return error_set(error, EXIT_BAD_USAGE, "--%s 0: want a whole number of at least 1",
                         call->stride == 0 ? "stride" : "dilation");
    if (!open_files(problem, options, error))
        return false;
    call->out_height = conv_output_size(call->height, call->kernel_height, call->stride, call->pad,
                                        call->dilation);
    call->out_width =
        conv_output_size(call->width, call->kernel_width, call->stride, call->pad, call->dilation);
    if (!allocate(problem, options, error))
        return false;
    describe(problem);
    return true;
}

static struct problem *create(const struct options *options, const struct back_end *back_end,
                              const struct machine *machine, struct error *error)
{
    struct conv_problem *problem = calloc(1, sizeof *problem);
    if (problem == NULL) {
        error_set(error, EXIT_DEVICE_ERROR, "out of memory");
        return NULL;
    }
    problem->base.family = &conv_family;
    problem->base.back_end = back_end;
    problem->seed = options->seed;
    problem->call = (struct conv){
        .batch = options->batch,
        .channels = options->channels,
        .height = options->height,
        .width = options->width,
        .filters = options->filters,
        .kernel_height = options->kernel_height,
        .kernel_width = options->kernel_width,
        .stride = options->stride,
        .pad = options->pad,
        .dilation = options->dilation,
        .multiprocessors = machine->multiprocessors,
        .threads = options->threads,
    };
    if (!prepare(problem, options, error)) {
        destroy(&problem->base);
        return NULL;
    }
    return &problem->base;
}

static bool load(struct problem *base, size_t input, struct error *error)
{
    struct conv_problem *problem = (struct conv_problem *)base;

    base->inexact_input = input == base->probes;
    fill_array(problem, &problem->input, STREAM_INPUT, &problem->file_input);
    fill_array(problem, &problem->filter, STREAM_FILTER, &problem->file_filter);
    if (base->inexact_input)
        prepare_samples(problem);
    else
        prepare_probe(problem);
    return guarded_upload(&problem->input, base->back_end, error) &&
           guarded_upload(&problem->filter, base->back_end, error);
}

static bool poison(struct problem *base, const struct rung *rung, struct error *error)
{
    struct conv_problem *problem = (struct conv_problem *)base;
    const struct back_end *back_end = rung_back_end(rung, base->back_end);
    const bool on_host = (rung->flags & RUNG_HOST) != 0;
    const size_t bytes = problem->call.workspace_bytes;

    if (on_host && problem->host_workspace == NULL) {
        problem->host_workspace = cpu_back_end.allocate(bytes, error);
        if (problem->host_workspace == NULL)
            return false;
    }
    return back_end->fill(on_host ? problem->output.host : problem->output.memory, 0xFF,
                          problem->output.total * sizeof(float), error) &&
           back_end->fill(call_of(problem, rung).workspace, 0xFF, bytes, error);
}

static const char *declines(const struct problem *base, const struct rung *rung)
{
    const struct conv call = call_of((const struct conv_problem *)base, rung);

    return rung->declines.conv != NULL ? rung->declines.conv(&call) : NULL;
}

static void prepare_rung(const struct problem *base, const struct rung *rung)
{
    const struct conv call = call_of((const struct conv_problem *)base, rung);

    if (rung->prepare.conv != NULL)
        rung->prepare.conv(&call);
}

static void describe_rung(const struct problem *base, const struct rung *rung, char *text)
{
    const struct conv call = call_of((const struct conv_problem *)base, rung);

    text[0] = '\0';
    if (rung->how.conv != NULL)
        rung->how.conv(&call, text);
}

static void run(const struct problem *base, const struct rung *rung)
{
    const struct conv call = call_of((const struct conv_problem *)base, rung);

    rung->run.conv(&call);
}

/* ---- check ----------------------------------------------------------------------------------- */

enum { PLACE_SIZE = 112 };

static const char *place_name(char place[static PLACE_SIZE], struct pixel pixel)
{
    snprintf(place, PLACE_SIZE, "output[%zu][%zu][%zu][%zu]", pixel.batch, pixel.filter, pixel.y,
             pixel.x);
    return place;
}

static bool stray_write(const struct conv_problem *problem, struct comparison *comparison)
{
    char place[PLACE_SIZE];
    ptrdiff_t distance;

    if (guarded_margins_hold(&problem->output, poison_value(), &distance))
        return false;
    if (distance < 0)
        snprintf(place, sizeof place, "%td elements before it", -distance);
    else
        snprintf(place, sizeof place, "%td elements past its end",
                 distance - (ptrdiff_t)problem->output.count);
    judge_stray_write(comparison, place);
    return true;
}

/* What a probe's result is judged as: after rounding, if the rung need not be exact. */
static float whole(const struct rung *rung, float result)
{
    return rung->flags & (RUNG_TRANSFORMS | RUNG_WINOGRAD_4) ? rintf(result) : result;
}

/* Recomputes a row of pixels, in all filters, that is known to be wrong, to name an element. */
static void find_in_row(const struct conv_problem *problem, const struct rung *rung, size_t batch,
                        size_t y, struct comparison *comparison)
{
    const struct conv *call = &problem->call;
    char place[PLACE_SIZE];

    for (size_t f = 0; f < call->filters; f++)
        for (size_t x = 0; x < call->out_width; x++) {
            const struct pixel pixel = {.batch = batch, .filter = f, .y = y, .x = x};
            const float got = whole(rung, output_row(problem, batch, f, y)[x]);
            bool defined;
            const size_t count = terms_of(problem, pixel, &defined);
            int64_t want = 0;
            for (size_t i = 0; i < count; i++)
                want += (int64_t)problem->term_inputs[i] * (int64_t)problem->term_filters[i];
            if ((double)got != (double)want) {
                judge_wrong_integer(comparison, place_name(place, pixel), got, want);
                return;
            }
        }
}

/* Is the row of pixels right in all filters? */
static bool row_is_right(const struct conv_problem *problem, const struct rung *rung, size_t batch,
                         size_t y)
{
    const struct conv *call = &problem->call;
    const uint64_t *const expected =
        problem->expected + (batch * call->out_height + y) * call->out_width;
    bool right = true;

    for (size_t x = 0; x < call->out_width; x++)
        problem->row_sums[x] = 0;
    for (size_t f = 0; f < call->filters; f++) {
        const float *const row = output_row(problem, batch, f, y);
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

static void judge_probe(const struct conv_problem *problem, const struct rung *rung,
                        struct comparison *comparison)
{
    const struct conv *call = &problem->call;

    *comparison = (struct comparison){.right = true};
    /* Without filters there is no output, whatever its pixels. */
    if (problem->output.count == 0)
        return;
    for (size_t b = 0; b < call->batch; b++)
        for (size_t y = 0; y < call->out_height; y++)
            if (!row_is_right(problem, rung, b, y)) {
                comparison->right = false;
                find_in_row(problem, rung, b, y, comparison);
                return;
            }
}

static void judge_element(const struct conv_problem *problem, const struct rung *rung,
                          const struct sample *sample, struct comparison *worst)
{
    const struct pixel pixel = sample->pixel;
    const struct reference *const reference = &sample->reference;
    const double roundings = rung->depth.conv(&problem->call) + 1; /* a product rounds once */
    const double magnitude = rung->flags & RUNG_WINOGRAD     ? sample->winograd
                             : rung->flags & RUNG_WINOGRAD_4 ? sample->winograd4
                             : rung->flags & RUNG_TRANSFORMS ? 16 * problem->largest_magnitude
                                                             : reference->magnitude;
    const double bound = rounding_bound_f32(roundings, problem->taps + 1, magnitude);
    const double got = (double)output_row(problem, pixel.batch, pixel.filter, pixel.y)[pixel.x];
    const struct comparison comparison = compare_number(got, reference, bound, FLT_MAX);
    char place[PLACE_SIZE];

    judge_keep_worse(worst, &comparison, place_name(place, pixel));
}

/* What is no number is seldom right, in the sample or not. */
static void judge_odd_ones(const struct conv_problem *problem, const struct rung *rung,
                           struct comparison *worst)
{
    enum { MOST_ODD_ONES = 64 };
    const struct conv *call = &problem->call;
    size_t odd_ones = 0;
    struct pixel pixel;

    for (pixel.batch = 0; pixel.batch < call->batch; pixel.batch++)
        for (pixel.filter = 0; pixel.filter < call->filters; pixel.filter++)
            for (pixel.y = 0; pixel.y < call->out_height; pixel.y++) {
                const float *const row = output_row(problem, pixel.batch, pixel.filter, pixel.y);
                for (pixel.x = 0; pixel.x < call->out_width; pixel.x++)
                    if (!isfinite(row[pixel.x]) && odd_ones++ < MOST_ODD_ONES) {
                        const struct sample sample = sample_at(problem, pixel);
                        if (sample.defined)
                            judge_element(problem, rung, &sample, worst);
                    }
            }
}

static void judge_real(const struct conv_problem *problem, const struct rung *rung,
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

/* Later rungs overwrite the output. */
static bool keep_result(struct conv_problem *problem, struct error *error)
{
    const size_t bytes = problem->output.count * sizeof(float);

    if (problem->picture == NULL)
        return true;
    if (problem->last_right == NULL)
        problem->last_right = host_allocate(bytes, error);
    if (problem->last_right == NULL)
        return false;
    memcpy(problem->last_right, guarded_host(&problem->output), bytes);
    return true;
}

static bool check(struct problem *base, const struct rung *rung, struct comparison *comparison,
                  struct error *error)
{
    struct conv_problem *problem = (struct conv_problem *)base;

    if (!(rung->flags & RUNG_HOST) && !guarded_download(&problem->output, base->back_end, error))
        return false;
    if (stray_write(problem, comparison))
        return true;
    if (base->inexact_input)
        judge_real(problem, rung, comparison);
    else
        judge_probe(problem, rung, comparison);
    return !(base->inexact_input && comparison->right) || keep_result(problem, error);
}

static bool save(const struct problem *base, struct error *error)
{
    const struct conv_problem *problem = (const struct conv_problem *)base;

    if (problem->picture == NULL)
        return true;
    if (problem->last_right == NULL)
        return error_set(error, EXIT_WRONG_RESULT, "%s is not written: no rung's result is right",
                         problem->picture);
    return picture_write(problem->picture, problem->last_right, problem->call.out_height,
                         problem->call.out_width, error);
}

static bool evict(struct problem *base, const struct rung *rung, struct error *error)
{
    const struct conv_problem *problem = (struct conv_problem *)base;
    const struct guarded *const arrays[] = {&problem->input, &problem->filter, &problem->output};
    const struct back_end *back_end = rung_back_end(rung, base->back_end);
    const bool on_host = (rung->flags & RUNG_HOST) != 0;

    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (!back_end->evict(on_host ? arrays[i]->host : arrays[i]->memory,
                             arrays[i]->total * sizeof(float), error))
            return false;
    return true;
}

const struct family conv_family = {
    .create = create,
    .destroy = destroy,
    .load = load,
    .poison = poison,
    .declines = declines,
    .prepare = prepare_rung,
    .describe = describe_rung,
    .run = run,
    .check = check,
    .evict = evict,
    .save = save,
};
