/* The conv problem: allocates its memory and runs rungs on it. */
#include "problem/conv/conv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/picture.h"
#include "problem/conv/options.h"
#include "problem/conv/parts.h"
#include "problem/gemm/gemm.h"
#include "problem/judge.h"

/* ---- the problem ----------------------------------------------------------------------------- */

/* A rung's workspace holds that of a matrix product and, up to this many bytes, the im2col matrix.
 * It is at least large enough for the filters in any layout of the rungs: padded to whole blocks of
 * at most 128 filters and 16 channels or rows of the im2col matrix, at most 2 numbers per weight,
 * and 4 per row. For filters of 9 or 25 taps, it also holds Winograd's filters (36 or 64 weights
 * each) and its transformed inputs and outputs of 256 tiles. With groups, each has blocks of its
 * own; if there are many, they may exceed this many bytes. */
static const size_t most_matrix = (size_t)512 << 20;

size_t conv_output_size(size_t size, size_t kernel, size_t stride, size_t pad, size_t dilation)
{
    if (kernel == 0 || stride == 0)
        return 0;
    if (dilation != 0 && kernel - 1 > (SIZE_MAX - 1) / dilation)
        return 0;
    /* Saturates: the allocation of such a large output fails later. */
    const size_t padded = pad > (SIZE_MAX - size) / 2 ? SIZE_MAX : size + 2 * pad;
    const size_t extent = (kernel - 1) * dilation + 1;

    return padded < extent ? 0 : (padded - extent) / stride + 1;
}

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
    whole_file_discard(&problem->picture);
    free(problem);
}

static bool open_array(const char *path, const char *wanted, struct npy *file, struct error *error)
{
    if (!npy_read(path, file, error))
        return false;
    if (file->dimensions != 4)
        return error_set(error, EXIT_FILE_ERROR, "%s: %zu dimensions, expected 4 (%s)", path,
                         file->dimensions, wanted);
    if (file->type != NPY_FLOAT32)
        return error_set(error, EXIT_FILE_ERROR, "%s is %s; expected float32", path,
                         npy_type_name(file->type));
    return true;
}

/* An RGB image as a batch of three images of one channel. If the user gives no padding, a filter of
 * odd size leaves the image's size unchanged. */
static bool open_picture(struct conv_problem *problem, const struct conv_options *options,
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
    return whole_file_open(&problem->picture, options->output, error);
}

/* The files determine the sizes; sizes that no file determines remain those of the options. */
static bool open_files(struct conv_problem *problem, const struct conv_options *options,
                       struct error *error)
{
    struct conv *const call = &problem->call;

    if (options->image != NULL)
        return open_picture(problem, options, error);
    if (options->base.a != NULL) {
        const size_t *const shape = problem->file_input.shape;
        if (!open_array(options->base.a, "batch, channels, height, width", &problem->file_input,
                        error))
            return false;
        call->batch = shape[0];
        call->channels = shape[1];
        call->height = shape[2];
        call->width = shape[3];
    }
    if (options->base.b != NULL) {
        const size_t *const shape = problem->file_filter.shape;
        if (!open_array(options->base.b, "filters, channels, kernel height, kernel width",
                        &problem->file_filter, error))
            return false;
        if (options->base.a != NULL && shape[1] * call->groups != call->channels)
            return error_set(error, EXIT_FILE_ERROR,
                             "%s has %zu channels but the filters of %s have %zu", options->base.a,
                             call->channels, options->base.b, shape[1] * call->groups);
        call->filters = shape[0];
        call->channels = shape[1] * call->groups;
        call->kernel_height = shape[2];
        call->kernel_width = shape[3];
    }
    return true;
}

/* Allocates an array with the four dimensions `sizes`. */
static bool allocate_guarded(struct guarded *array, const size_t sizes[4], size_t offset,
                             size_t after, const struct back_end *back_end, struct error *error)
{
    size_t rows, bytes;
    return checked_bytes(sizes[0], sizes[1], sizeof(float), &rows, error) &&
           checked_bytes(rows, sizes[2], sizes[3], &bytes, error) &&
           guarded_create(array, bytes, offset * sizeof(float), after, back_end, error);
}

/* Bytes of the workspace: see most_matrix. The im2col matrix has taps x output pixels elements. */
static size_t workspace_size(const struct conv_problem *problem)
{
    const struct conv *call = &problem->call;
    const double matrix = sizeof(float) * (double)problem->taps * (double)call->batch *
                          (double)call->out_height * (double)call->out_width;
    const double plane = (double)call->kernel_height * (double)call->kernel_width;
    const double components = plane == 9 ? 36 : plane == 25 ? 64 : 0;
    const double padded_filters = (double)call->filters + 128 * (double)call->groups;
    const double padded_channels = (double)call->channels + 16;
    const double packed = (plane * padded_channels + 16) * (2 * padded_filters + 4);
    const double transformed = components * (2 * padded_filters * padded_channels +
                                             256 * (padded_filters + padded_channels) + 4);
    const double most = (double)most_matrix;
    const double layout = sizeof(float) * (packed > transformed ? packed : transformed);
    const double filters = call->groups > 1 && layout > most ? most : layout;
    const double room = matrix < most ? matrix : most;
    const double bytes = (double)GEMM_WORKSPACE + (room > filters ? room : filters);

    return bytes < 0x1p62 ? (size_t)bytes : SIZE_MAX / 2;
}

static bool enough_memory(const struct conv_problem *problem, struct error *error)
{
    const struct conv *call = &problem->call;
    const double out_area = (double)call->out_height * (double)call->out_width;
    const double pictures = (double)call->batch * (double)call->groups * (double)call->channels *
                            (double)call->height * (double)call->width;
    const double output = (double)call->batch * (double)call->filters * out_area;
    const double filters = (double)call->filters * (double)problem->taps;

    return problem_has_memory(
        problem->base.back_end, sizeof(float) * (pictures + filters + output),
        sizeof(uint64_t) * (double)call->batch * (double)call->groups * out_area, error);
}

/* Allocates the rungs' arguments. */
static bool allocate_operands(struct conv_problem *problem, size_t offset, struct error *error)
{
    const struct back_end *back_end = problem->base.back_end;
    struct conv *const call = &problem->call;
    const size_t channels = call->groups * call->channels;
    const size_t input[] = {call->batch, channels, call->height, call->width};
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

static bool allocate(struct conv_problem *problem, size_t offset, struct error *error)
{
    const struct conv *call = &problem->call;
    size_t places[PLACES_MAX];

    if (!checked_bytes(call->channels, call->kernel_height, call->kernel_width, &problem->taps,
                       error) ||
        !enough_memory(problem, error) || !allocate_operands(problem, offset, error))
        return false;

    const size_t out_area = call->out_height * call->out_width;
    problem->weights = host_allocate_array(call->filters, 1, sizeof *problem->weights, error);
    if (problem->weights == NULL)
        return false;
    problem->mixed_filter =
        host_allocate_array(call->groups, problem->taps, sizeof *problem->mixed_filter, error);
    if (problem->mixed_filter == NULL)
        return false;
    problem->expected =
        host_allocate_array(call->groups * call->batch, out_area, sizeof *problem->expected, error);
    if (problem->expected == NULL)
        return false;
    problem->row_sums = host_allocate_array(call->out_width, 1, sizeof *problem->row_sums, error);
    if (problem->row_sums == NULL)
        return false;
    problem->term_inputs =
        host_allocate_array(problem->taps, 1, sizeof *problem->term_inputs, error);
    if (problem->term_inputs == NULL)
        return false;
    problem->term_filters =
        host_allocate_array(problem->taps, 1, sizeof *problem->term_filters, error);
    if (problem->term_filters == NULL)
        return false;

    const size_t special =
        judge_places(call->out_height, places) * judge_places(call->out_width, places);
    problem->sample_count =
        judge_sample_size(problem->output.count / sizeof(float), problem->taps, special);
    problem->samples =
        host_allocate_array(problem->sample_count, 1, sizeof *problem->samples, error);
    return problem->samples != NULL;
}

static void describe(struct conv_problem *problem)
{
    struct problem *const base = &problem->base;
    const struct conv *call = &problem->call;

    base->op = "conv";
    base->type = "f32";
    base->probes = 1;
    base->bytes = (double)problem->input.count + (double)problem->filter.count +
                  (double)problem->output.count;
    base->flops = 2 * (double)(problem->output.count / sizeof(float)) * (double)problem->taps;
    const int length =
        snprintf(base->shape, sizeof base->shape, "%zux%zux%zux%zu:%zux%zux%zu:s%zu", call->batch,
                 call->groups * call->channels, call->height, call->width, call->filters,
                 call->kernel_height, call->kernel_width, call->stride_height);
    const size_t most = sizeof base->shape - 1; /* the rest is cut off */
    const size_t used = (size_t)length < most ? (size_t)length : most;
    char *const rest = base->shape + used;

    if (call->stride_height == call->stride_width)
        snprintf(rest, sizeof base->shape - used, "p%zud%zu", call->pad, call->dilation);
    else
        snprintf(rest, sizeof base->shape - used, "x%zup%zud%zu", call->stride_width, call->pad,
                 call->dilation);
    const size_t length_now = strlen(base->shape);
    if (call->groups > 1)
        snprintf(base->shape + length_now, sizeof base->shape - length_now, "g%zu", call->groups);
}

static bool prepare(struct conv_problem *problem, const struct conv_options *options,
                    struct error *error)
{
    struct conv *const call = &problem->call;
    const bool has_stride = call->stride_height > 0 && call->stride_width > 0;

    if (!has_stride || call->dilation == 0)
        return error_set(error, EXIT_BAD_USAGE, "--%s 0: expected a whole number of at least 1",
                         has_stride ? "dilation" : "stride");
    if (!open_files(problem, options, error))
        return false;
    if (call->groups == 0 || call->channels % call->groups != 0 ||
        call->filters % call->groups != 0)
        return error_set(error, EXIT_BAD_USAGE,
                         "--groups %zu: does not divide %zu channels and %zu filters", call->groups,
                         call->channels, call->filters);
    call->channels /= call->groups;
    call->out_height = conv_output_size(call->height, call->kernel_height, call->stride_height,
                                        call->pad, call->dilation);
    call->out_width = conv_output_size(call->width, call->kernel_width, call->stride_width,
                                       call->pad, call->dilation);
    if (conv_from_files(&options->base) &&
        call->batch * call->filters * call->out_height * call->out_width == 0)
        return error_set(error, EXIT_FILE_ERROR,
                         "%s: without output: %zu images of %zux%zu, padded by %zu, %zu filters of "
                         "%zux%zu with dilation %zu",
                         options->image != NULL ? options->image : options->base.a, call->batch,
                         call->height, call->width, call->pad, call->filters, call->kernel_height,
                         call->kernel_width, call->dilation);
    if (!allocate(problem, options->base.offset, error))
        return false;
    describe(problem);
    return true;
}

static struct problem *create(const struct problem_options *base, const struct back_end *back_end,
                              const struct machine *machine, struct error *error)
{
    const struct conv_options *options = (const struct conv_options *)base;
    struct conv_problem *problem = calloc(1, sizeof *problem);
    if (problem == NULL) {
        error_set(error, EXIT_DEVICE_ERROR, "out of memory");
        return NULL;
    }
    problem->base.kind = &conv_kind;
    problem->base.back_end = back_end;
    problem->seed = base->seed;
    problem->call = (struct conv){
        .batch = options->batch,
        .groups = options->groups,
        .channels = options->channels,
        .height = options->height,
        .width = options->width,
        .filters = options->filters,
        .kernel_height = options->kernel_height,
        .kernel_width = options->kernel_width,
        .stride_height = options->stride_height,
        .stride_width = options->stride_width,
        .pad = options->pad,
        .dilation = options->dilation,
        .multiprocessors = machine->processors,
        .threads = base->threads,
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
    conv_fill(problem);
    return guarded_upload(&problem->input, base->back_end, error) &&
           guarded_upload(&problem->filter, base->back_end, error);
}

/* ---- running a rung -------------------------------------------------------------------------- */

static const struct conv_rung *kind_of(const struct rung *rung)
{
    return (const struct conv_rung *)rung;
}

struct conv conv_call_of(const struct conv_problem *problem, const struct rung *rung)
{
    return rung->flags & RUNG_HOST ? conv_call_on_host(problem) : problem->call;
}

static const char *declines(const struct problem *base, const struct rung *rung)
{
    const struct conv call = conv_call_of((const struct conv_problem *)base, rung);

    if (kind_of(rung)->run == NULL)
        return rung_not_built(rung);
    if (call.groups > 1 && !kind_of(rung)->takes_groups)
        return "takes no groups";
    return kind_of(rung)->declines != NULL ? kind_of(rung)->declines(&call) : NULL;
}

static bool poison(struct problem *base, const struct rung *rung, bool all, struct error *error)
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
                          problem->output.total, error) &&
           (!all || back_end->fill(conv_call_of(problem, rung).workspace, 0xFF, bytes, error));
}

static void prepare_rung(const struct problem *base, const struct rung *rung)
{
    const struct conv call = conv_call_of((const struct conv_problem *)base, rung);

    if (kind_of(rung)->prepare != NULL)
        kind_of(rung)->prepare(&call);
}

static void run(const struct problem *base, const struct rung *rung)
{
    const struct conv call = conv_call_of((const struct conv_problem *)base, rung);

    kind_of(rung)->run(&call);
}

static void describe_rung(const struct problem *base, const struct rung *rung,
                          char text[RUNG_HOW_SIZE])
{
    const struct conv call = conv_call_of((const struct conv_problem *)base, rung);

    text[0] = '\0';
    if (kind_of(rung)->how != NULL)
        kind_of(rung)->how(&call, text);
}

/* Keeps a copy of a right result, because the next rung overwrites the output. */
static bool keep_result(struct conv_problem *problem, struct error *error)
{
    const size_t bytes = problem->output.count;

    if (problem->picture.path == NULL)
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
    conv_judge(problem, kind_of(rung), comparison);
    return !(base->inexact_input && comparison->right) || keep_result(problem, error);
}

static bool save(struct problem *base, struct error *error)
{
    struct conv_problem *problem = (struct conv_problem *)base;

    if (problem->picture.path == NULL)
        return true;
    if (problem->last_right == NULL)
        return error_set(error, EXIT_WRONG_RESULT, "%s is not written: no rung's result is right",
                         problem->picture.path);
    return picture_write(&problem->picture, problem->last_right, problem->call.out_height,
                         problem->call.out_width, error);
}

static bool evict(struct problem *base, const struct rung *rung, struct error *error)
{
    const struct conv_problem *problem = (struct conv_problem *)base;
    const struct guarded *const arrays[] = {&problem->input, &problem->filter, &problem->output};

    return problem_evict(base, rung, arrays, sizeof arrays / sizeof arrays[0], error);
}

const struct problem_kind conv_kind = {
    .options_size = sizeof(struct conv_options),
    .fields = conv_fields,
    .field_count = CONV_FIELDS,
    .set_defaults = conv_set_defaults,
    .check_options = conv_check_options,
    .from_files = conv_from_files,
    .limit_size = conv_limit_size,
    .set_small = conv_set_small,
    .create = create,
    .destroy = destroy,
    .load = load,
    .save = save,
    .declines = declines,
    .poison = poison,
    .prepare = prepare_rung,
    .run = run,
    .describe = describe_rung,
    .check = check,
    .evict = evict,
};
/* SPDX-License-Identifier: MIT */
