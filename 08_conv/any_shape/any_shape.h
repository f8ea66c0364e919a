/* The functions of the rungs any_shape and any_shape_3xtf32 (struct conv_rung). */
#ifndef ANY_SHAPE_H
#define ANY_SHAPE_H

#include "problem/conv/conv.h"

void prepare_any_shape(const struct conv *call);
void launch_any_shape(const struct conv *call);
const char *declines_any_shape(const struct conv *call);
double depth_any_shape(const struct conv *call);
double magnitude_any_shape(const struct conv *call, const struct conv_pixel *pixel);
void how_any_shape(const struct conv *call, char text[RUNG_HOW_SIZE]);

void prepare_any_shape_3xtf32(const struct conv *call);
void launch_any_shape_3xtf32(const struct conv *call);
const char *declines_any_shape_3xtf32(const struct conv *call);
double depth_any_shape_3xtf32(const struct conv *call);
double magnitude_any_shape_3xtf32(const struct conv *call, const struct conv_pixel *pixel);
void how_any_shape_3xtf32(const struct conv *call, char text[RUNG_HOW_SIZE]);

#endif
/* SPDX-License-Identifier: MIT */
