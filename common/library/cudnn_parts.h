/* The ways among which the rung `cudnn` chooses; cudnn.c chooses. Each source keeps the fastest way
 * that it found for one problem and layout. All times are in microseconds; 0: nothing runs. */
#ifndef RUNGS_CUDNN_PARTS_H
#define RUNGS_CUDNN_PARTS_H

#include <cudnn.h>
#include <stdbool.h>

#include "problem/conv/conv.h"

#define CUDNN_WORKSPACE ((size_t)2 << 30)

/* Made at first use, for the whole program. */
cudnnHandle_t cudnn_handle(void);
void *cudnn_workspace(void);

/* As check_cuda, for cuDNN. */
void cudnn_check(cudnnStatus_t status, const char *call);

/* Microseconds per call of run(what, call, output), averaged over ten consecutive calls after two
 * to warm up. 0 if it fails, or if its result differs from the reference. If the second call takes
 * more than three times `best`, no others follow (best 0: none yet). */
typedef bool (*conv_attempt)(const void *what, const struct conv *call, float *output);
float time_conv(conv_attempt run, const void *what, const struct conv *call, float *output,
                float best);

/* cuDNN's functions for convolutions: each algorithm that cudnnFind... reports as running. */
float cudnn_find_prepare(const struct conv *call, cudnnTensorFormat_t format, float *output);
/* The implicit matrix product, which has no transform that could round. */
bool cudnn_find_reference(const struct conv *call, float *output);
bool cudnn_find_run(const void *ignored, const struct conv *call, float *output);
const char *cudnn_find_name(void);

/* cuDNN's graphs of operations: what its heuristics propose, and each engine with default settings,
 * unless it uses tensor cores or rounds the inputs. */
float cudnn_graph_prepare(const struct conv *call, cudnnTensorFormat_t format, float *output);
bool cudnn_graph_run(const void *ignored, const struct conv *call, float *output);
const char *cudnn_graph_name(void);

/* cuBLAS, for 1 x 1 filters at stride 1 without padding: a matrix product per picture. */
float cublas_conv_prepare(const struct conv *call, float *output);
bool cublas_conv_run(const void *ignored, const struct conv *call, float *output);

#endif
/* SPDX-License-Identifier: MIT */
