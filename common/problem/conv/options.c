#include "problem/conv/options.h"

#include "problem/conv/conv.h"

#define MEMBER(name) .member = offsetof(struct conv_options, name)
#define SIZE_FIELD(name, least, help)                                                              \
    {                                                                                              \
#name, "N", help, OPTION_SIZE, MEMBER(name), .minimum = (least), .sets_size = true         \
    }

const struct option_field conv_fields[CONV_FIELDS] = {
    SIZE_FIELD(batch, 1, "set the number of images"),
    SIZE_FIELD(channels, 1, "set the channels of an image"),
    SIZE_FIELD(height, 1, "set the rows of an image"),
    SIZE_FIELD(width, 1, "set the columns of an image"),
    SIZE_FIELD(filters, 1, "set the number of filters, the channels of the output"),
    SIZE_FIELD(groups, 1, "split channels and filters into N groups"),
    {"kernel", "HxW", "set the size of a filter, such as 3x3", OPTION_PAIR, MEMBER(kernel_height),
     .minimum = 1, .sets_size = true},
    {"stride", "HxW", "set the step between output pixels: 2x1, or 2 for 2x2", OPTION_PAIR,
     MEMBER(stride_height), .minimum = 1, .square = true},
    {"pad", "N", "add N rows and columns of zeros on every side", OPTION_SIZE, MEMBER(pad)},
    {"dilation", "N", "set the distance between a filter's taps", OPTION_SIZE, MEMBER(dilation),
     .minimum = 1},
    OPTION_A,
    OPTION_B,
    {"image", "FILE", "filter this PNG image", OPTION_INPUT, MEMBER(image)},
    {"filter", "NAME", "use this filter: sharpen, blur, edges, emboss or FILE.npy", OPTION_INPUT,
     MEMBER(filter)},
    {"output", "FILE", "write the filtered image to this PNG file; -o for short", OPTION_OUTPUT,
     MEMBER(output), .letter = 'o'},
};

/* If emulated, the image has about a quarter of the height and width. */
void conv_set_defaults(struct problem_options *base, bool emulated)
{
    struct conv_options *options = (struct conv_options *)base;

    options->batch = 2;
    options->channels = 12;
    options->height = emulated ? 34 : 130;
    options->width = emulated ? 130 : 514;
    options->filters = 24;
    options->kernel_height = options->kernel_width = 3;
    options->stride_height = options->stride_width = options->dilation = options->groups = 1;
}

static bool has_output(const struct conv_options *options)
{
    return conv_output_size(options->height, options->kernel_height, options->stride_height,
                            options->pad, options->dilation) > 0 &&
           conv_output_size(options->width, options->kernel_width, options->stride_width,
                            options->pad, options->dilation) > 0;
}

bool conv_check_options(const struct problem_options *base, bool size_given, struct error *error)
{
    const struct conv_options *options = (const struct conv_options *)base;

    if (!problem_has_both_files(base, error))
        return false;
    if ((options->image == NULL) != (options->output == NULL))
        return error_set(error, EXIT_BAD_USAGE, "--image and --output go together");
    if (options->filter != NULL && options->image == NULL)
        return error_set(error, EXIT_BAD_USAGE, "--filter goes with --image");
    if (options->image != NULL && (base->a != NULL || size_given))
        return error_set(error, EXIT_BAD_USAGE,
                         "--image says what the input is: leave --a, --b and sizes out");
    if (!conv_from_files(base) && !has_output(options))
        return error_set(error, EXIT_BAD_USAGE,
                         "--kernel %zux%zu: without output: with dilation %zu it is larger than "
                         "%zux%zu pixels padded by %zu",
                         options->kernel_height, options->kernel_width, options->dilation,
                         options->height, options->width, options->pad);
    return true;
}

bool conv_from_files(const struct problem_options *base)
{
    return base->a != NULL || ((const struct conv_options *)base)->image != NULL;
}

static void limit(size_t *size, size_t most)
{
    *size = *size < most ? *size : most;
}

void conv_limit_size(struct problem_options *base)
{
    struct conv_options *options = (struct conv_options *)base;
    const double products = (double)options->batch * (double)options->filters *
                            (double)options->height * (double)options->width *
                            (double)options->channels * (double)options->kernel_height *
                            (double)options->kernel_width / (double)options->groups;

    if (products <= 4e6)
        return;
    size_t channels = options->channels / options->groups; /* per group */
    size_t filters = options->filters / options->groups;
    limit(&options->batch, 1);
    limit(&filters, 4);
    limit(&channels, 4);
    limit(&options->groups, 4);
    options->filters = filters * options->groups;
    options->channels = channels * options->groups;
    limit(&options->height, 33 + (options->kernel_height - 1) * options->dilation);
    limit(&options->width, 128 + (options->kernel_width - 1) * options->dilation);
}

bool conv_set_small(struct problem_options *base, size_t i)
{
    /* batch, channels, height, width, filters, groups; kernel; stride; pad, dilation; no image. The
     * last one is for the rungs that have declined all others: whole groups of 16 channels. */
    static const struct conv_options small[] = {
        {{0}, 2, 3, 7, 9, 5, 1, 3, 3, 1, 1, 1, 1, NULL, NULL, NULL},
        {{0}, 1, 6, 12, 37, 4, 2, 5, 5, 2, 2, 2, 1, NULL, NULL, NULL},
        {{0}, 1, 9, 5, 11, 17, 1, 1, 1, 1, 1, 0, 1, NULL, NULL, NULL},
        {{0}, 2, 2, 19, 33, 3, 1, 3, 7, 1, 2, 3, 2, NULL, NULL, NULL},
        {{0}, 1, 16, 9, 11, 33, 1, 3, 3, 1, 1, 1, 1, NULL, NULL, NULL},
    };
    struct conv_options *const options = (struct conv_options *)base;
    const struct problem_options kept = *base;

    if (i == sizeof small / sizeof small[0])
        return false;
    *options = small[i];
    *base = kept;
    base->a = base->b = NULL;
    base->is_for_the_rest = i + 1 == sizeof small / sizeof small[0];
    return true;
}
/* SPDX-License-Identifier: MIT */
