/* The command-line options of conv. */
#ifndef RUNGS_CONV_OPTIONS_H
#define RUNGS_CONV_OPTIONS_H

#include "problem/problem.h"

struct conv_options {
    struct problem_options base;
    size_t batch, channels, height, width, filters, groups;
    size_t kernel_height, kernel_width; /* adjacent and in this order, as OPTION_PAIR sets them */
    size_t stride_height, stride_width; /* likewise */
    size_t pad, dilation;
    const char *image, *filter, *output; /* PNG to read, picture_filter's name, PNG to write */
};

/* The members of conv_kind that deal with options (struct problem_kind). */
enum { CONV_FIELDS = 15 };
extern const struct option_field conv_fields[CONV_FIELDS];
void conv_set_defaults(struct problem_options *options, bool emulated);
bool conv_check_options(const struct problem_options *options, bool size_given,
                        struct error *error);
bool conv_from_files(const struct problem_options *options);
void conv_limit_size(struct problem_options *options);
bool conv_set_small(struct problem_options *options, size_t i);

#endif
/* SPDX-License-Identifier: MIT */
