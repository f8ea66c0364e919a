/* The command-line options of conv. */
#ifndef RUNGS_CONV_OPTIONS_H
#define RUNGS_CONV_OPTIONS_H

#include "problem/problem.h"

struct conv_options {
    struct problem_options base;
    size_t batch, channels, height, width, filters;
    size_t kernel_height, kernel_width; /* in this order: OPTION_PAIR */
    size_t stride, pad, dilation;
    const char *image, *filter, *output; /* a PNG file, picture_filter's name, a PNG file */
};

/* The options' part of conv_kind (struct problem_kind). */
enum { CONV_FIELDS = 14 };
extern const struct option_field conv_fields[CONV_FIELDS];
void conv_set_defaults(struct problem_options *options, bool emulated);
bool conv_check_options(const struct problem_options *options, bool size_given,
                        struct error *error);
bool conv_from_files(const struct problem_options *options);
void conv_limit_size(struct problem_options *options);

#endif
