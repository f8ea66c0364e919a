/* cuDNN, the library that the GPU's convolutions are compared with. Needs the cuda back end and the
 * library at build time; without them the rung is skipped, and the report says why. */
#ifndef RUNGS_CUDNN_H
#define RUNGS_CUDNN_H

#include "problem/conv/conv.h"

#ifdef RUNGS_CUDNN
#define ON_CUDNN(function) (function)
#else
#define ON_CUDNN(function) NULL
#endif

/* Why the rung cannot run in this build, or NULL if it can. */
static inline const char *cudnn_unavailable(void)
{
#if defined RUNGS_CUDNN
    return NULL;
#elif defined RUNGS_CUDA
    return "built without cuDNN (9 or later)";
#else
    return "needs the cuda back end";
#endif
}

/* The convolution by cuDNN in float32, never TF32, with 2 GiB of workspace. cudnn_prepare times for
 * the shape each of cuDNN's algorithms, the proposals and engines of its graph interface, and
 * cuBLAS for 1 x 1 filters. cudnn_convolve uses the fastest. The layout is NCHW, as for the rungs.
 * cudnn_how also gives the time for the same data in NHWC, without a conversion. */
void cudnn_prepare(const struct conv *call);
void cudnn_convolve(const struct conv *call);
void cudnn_how(const struct conv *call, char text[RUNG_HOW_SIZE]);
const char *cudnn_declines(const struct conv *call);

/* Its entry in a ladder's table of rungs. */
#define CUDNN_RUNG                                                                                 \
    {                                                                                              \
        .rung = {.name = "cudnn",                                                                  \
                 .idea = "the library: the fastest of all its ways in float32",                    \
                 .flags = RUNG_LIBRARY | RUNG_OTHER_ARITHMETIC,                                    \
                 .unavailable = cudnn_unavailable},                                                \
        .run = ON_CUDNN(cudnn_convolve), .depth = conv_depth_serial, .how = ON_CUDNN(cudnn_how),   \
        .prepare = ON_CUDNN(cudnn_prepare), .declines = ON_CUDNN(cudnn_declines),                  \
        .any_transform = true, .rounds_whole_numbers = true, .takes_groups = true,                 \
    }

#endif
/* SPDX-License-Identifier: MIT */
