/* The library cuDNN: see cudnn.h. */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "device/gpu.h"
#include "library/cuda_check.h"
#include "library/cudnn.h"
#include "library/cudnn_parts.h"

/* The fastest algorithm found for `call`. */
static struct {
    bool made;
    struct conv call;
    conv_attempt run;
    char how[RUNG_HOW_SIZE];
} plan;

void cudnn_check(cudnnStatus_t status, const char *call)
{
    if (status == CUDNN_STATUS_SUCCESS || gpu_spoils_record(call))
        return;
    fprintf(stderr, "cudnn: %s: %s\n", call, cudnnGetErrorString(status));
    exit(EXIT_DEVICE_ERROR);
}

cudnnHandle_t cudnn_handle(void)
{
    static cudnnHandle_t handle;

    if (handle == NULL) {
        setenv("NVIDIA_TF32_OVERRIDE", "0", 1); /* no TF32, even if the environment asks for it */
        cudnn_check(cudnnCreate(&handle), "cudnnCreate");
        cudnn_check(cudnnSetStream(handle, cudaStreamPerThread), "cudnnSetStream");
    }
    return handle;
}

void *cudnn_workspace(void)
{
    static void *workspace;

    if (workspace == NULL)
        check_cuda(cudaMalloc(&workspace, CUDNN_WORKSPACE), "cudnn: cudaMalloc");
    return workspace;
}

/* cuDNN's descriptors hold ints. */
const char *cudnn_declines(const struct conv *call)
{
    const size_t sizes[] = {call->batch,        call->channels,      call->height,
                            call->width,        call->filters,       call->kernel_height,
                            call->kernel_width, call->stride_height, call->stride_width,
                            call->pad,          call->dilation,      call->out_height,
                            call->out_width};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i] > INT_MAX)
            return "a size beyond INT_MAX";
    if (call->batch * call->channels * call->height * call->width * call->filters *
            call->kernel_height * call->kernel_width * call->out_height * call->out_width ==
        0)
        return "cuDNN knows no empty arrays";
    return NULL;
}

/* The first outputs of the reference; attempts are compared with them. count 0: no reference. */
static struct {
    float outputs[1 << 16], attempt[1 << 16];
    size_t count;
    float largest;
} reference;

static void make_reference(const struct conv *call, float *output, size_t outputs)
{
    const size_t most = sizeof reference.outputs / sizeof reference.outputs[0];

    reference.count = 0;
    if (!cudnn_find_reference(call, output))
        return;
    reference.count = outputs < most ? outputs : most;
    check_cuda(cudaMemcpy(reference.outputs, output, reference.count * sizeof *output,
                          cudaMemcpyDeviceToHost),
               "cudnn: cudaMemcpy");
    reference.largest = 0;
    for (size_t i = 0; i < reference.count; i++)
        reference.largest = fmaxf(reference.largest, fabsf(reference.outputs[i]));
}

/* Detects results that are not float32's: one engine for 5 x 5 filters is wrong by a hundredth of
 * the largest output, more than TF32 would be. Other transforms are far better than required. */
static bool agrees(const float *output)
{
    const float tolerance = reference.largest / 1024;

    check_cuda(cudaMemcpy(reference.attempt, output, reference.count * sizeof *output,
                          cudaMemcpyDeviceToHost),
               "cudnn: cudaMemcpy");
    for (size_t i = 0; i < reference.count; i++)
        if (!(fabsf(reference.attempt[i] - reference.outputs[i]) <= tolerance) &&
            isfinite(reference.outputs[i]))
            return false;
    return true;
}

/* A convolution by one of the ways to compute it. */
struct way {
    conv_attempt run;
    const void *what;
    const struct conv *call;
    float *output;
};

static bool go(const void *argument)
{
    const struct way *const way = argument;

    return way->run(way->what, way->call, way->output);
}

float time_conv(conv_attempt run, const void *what, const struct conv *call, float *output,
                float best)
{
    enum { TIMED = 10 };
    const struct way way = {run, what, call, output};

    if (!run(what, call, output) || !agrees(output)) /* compiles, loads */
        return 0;
    const float once = (float)gpu_time_each(go, &way, 1);
    if (once == 0 || (best > 0 && once > 3 * best))
        return once;
    return (float)gpu_time_each(go, &way, TIMED);
}

static bool same_shape(const struct conv *a, const struct conv *b)
{
    return a->batch == b->batch && a->groups == b->groups && a->channels == b->channels &&
           a->height == b->height && a->width == b->width && a->filters == b->filters &&
           a->kernel_height == b->kernel_height && a->kernel_width == b->kernel_width &&
           a->stride_height == b->stride_height && a->stride_width == b->stride_width &&
           a->pad == b->pad && a->dilation == b->dilation && a->input == b->input;
}

static bool shorter(float us, float best)
{
    return us > 0 && (best == 0 || us < best);
}

/* Finds the fastest of all algorithms and describes it. */
static void choose(const struct conv *call, float *output, size_t outputs)
{
    reference.count = 0; /* results for the same data in NHWC are not compared */
    const float find_nhwc = cudnn_find_prepare(call, CUDNN_TENSOR_NHWC, output);
    const float graph_nhwc = cudnn_graph_prepare(call, CUDNN_TENSOR_NHWC, output);
    const float nhwc = shorter(graph_nhwc, find_nhwc) ? graph_nhwc : find_nhwc;
    make_reference(call, output, outputs);
    const float find = cudnn_find_prepare(call, CUDNN_TENSOR_NCHW, output);
    const float graph = cudnn_graph_prepare(call, CUDNN_TENSOR_NCHW, output);
    const float product = cublas_conv_prepare(call, output);
    const size_t version = cudnnGetVersion();
    const char *name = cudnn_find_name();
    float best = find;

    plan.run = cudnn_find_run;
    if (shorter(graph, best)) {
        best = graph;
        plan.run = cudnn_graph_run;
        name = cudnn_graph_name();
    }
    if (shorter(product, best)) {
        plan.run = cublas_conv_run;
        name = "by cuBLAS";
    }
    const int used = snprintf(plan.how, sizeof plan.how, "cuDNN %zu.%zu %s", version / 10000,
                              version % 10000 / 100, name);
    if (nhwc > 0 && used > 0 && (size_t)used < sizeof plan.how)
        snprintf(plan.how + used, sizeof plan.how - (size_t)used, "; NHWC %.1f us", (double)nhwc);
}

void cudnn_prepare(const struct conv *call)
{
    const size_t outputs = call->batch * call->filters * call->out_height * call->out_width;
    float *output;

    if (plan.made && same_shape(&plan.call, call))
        return;
    /* The trials write to separate memory, because only cudnn_convolve may write the result. */
    check_cuda(cudaMalloc((void **)&output, outputs * sizeof *output), "cudnn: cudaMalloc");
    choose(call, output, outputs);
    check_cuda(cudaFree(output), "cudnn: cudaFree");
    plan.call = *call;
    plan.made = true;
}

void cudnn_convolve(const struct conv *call)
{
    if (plan.run(NULL, call, call->output) || gpu_spoils_record("cudnn"))
        return;
    fprintf(stderr, "cudnn: the way that was fastest in trials fails\n");
    exit(EXIT_DEVICE_ERROR);
}

void cudnn_how(const struct conv *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    snprintf(text, RUNG_HOW_SIZE, "%s", plan.how);
}
/* SPDX-License-Identifier: MIT */
