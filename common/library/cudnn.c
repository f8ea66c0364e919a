/* The library cuDNN: see cudnn.h. */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "library/cuda_check.h"
#include "library/cudnn.h"

#define WORKSPACE ((size_t)2 << 30)
enum { MOST_ALGORITHMS = 16 };

static cudnnHandle_t handle;
static void *workspace;

/* cuDNN's description of a convolution. */
struct description {
    cudnnTensorDescriptor_t input, output;
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t convolution;
};

/* The fastest algorithm found for `call`. */
static struct {
    bool made;
    struct conv call;
    struct description description;
    cudnnConvolutionFwdAlgo_t algorithm;
    float nhwc_us; /* the shortest time with the same data in NHWC; 0: no algorithm runs */
} plan;

/* As check_cuda. */
static void check(cudnnStatus_t status, const char *call)
{
    if (status == CUDNN_STATUS_SUCCESS)
        return;
    fprintf(stderr, "cudnn: %s: %s\n", call, cudnnGetErrorString(status));
    exit(EXIT_DEVICE_ERROR);
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

static struct description describe(const struct conv *call, cudnnTensorFormat_t format)
{
    const int pad = (int)call->pad, dilation = (int)call->dilation;
    struct description made;

    check(cudnnCreateTensorDescriptor(&made.input), "cudnnCreateTensorDescriptor");
    check(cudnnCreateTensorDescriptor(&made.output), "cudnnCreateTensorDescriptor");
    check(cudnnCreateFilterDescriptor(&made.filter), "cudnnCreateFilterDescriptor");
    check(cudnnCreateConvolutionDescriptor(&made.convolution), "cudnnCreateConvolutionDescriptor");
    check(cudnnSetTensor4dDescriptor(made.input, format, CUDNN_DATA_FLOAT, (int)call->batch,
                                     (int)call->channels, (int)call->height, (int)call->width),
          "cudnnSetTensor4dDescriptor");
    check(cudnnSetTensor4dDescriptor(made.output, format, CUDNN_DATA_FLOAT, (int)call->batch,
                                     (int)call->filters, (int)call->out_height,
                                     (int)call->out_width),
          "cudnnSetTensor4dDescriptor");
    check(cudnnSetFilter4dDescriptor(made.filter, CUDNN_DATA_FLOAT, format, (int)call->filters,
                                     (int)call->channels, (int)call->kernel_height,
                                     (int)call->kernel_width),
          "cudnnSetFilter4dDescriptor");
    check(cudnnSetConvolution2dDescriptor(made.convolution, pad, pad, (int)call->stride_height,
                                          (int)call->stride_width, dilation, dilation,
                                          CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
          "cudnnSetConvolution2dDescriptor");
    /* No TF32, no tensor cores. */
    check(cudnnSetConvolutionMathType(made.convolution, CUDNN_FMA_MATH),
          "cudnnSetConvolutionMathType");
    return made;
}

static void forget(struct description *description)
{
    cudnnDestroyTensorDescriptor(description->input);
    cudnnDestroyTensorDescriptor(description->output);
    cudnnDestroyFilterDescriptor(description->filter);
    cudnnDestroyConvolutionDescriptor(description->convolution);
}

static cudnnStatus_t convolve(const struct conv *call, const struct description *description,
                              cudnnConvolutionFwdAlgo_t algorithm, float *output)
{
    const float one = 1, zero = 0;

    return cudnnConvolutionForward(handle, &one, description->input, call->input,
                                   description->filter, call->filter, description->convolution,
                                   algorithm, workspace, WORKSPACE, &zero, description->output,
                                   output);
}

/* Microseconds per call, averaged over ten back to back after two to warm up; 0 if the algorithm
 * fails. */
static float time_of(const struct conv *call, const struct description *description,
                     cudnnConvolutionFwdAlgo_t algorithm, float *output)
{
    enum { WARM_UP = 2, TIMED = 10 };
    cudaEvent_t begin, end;
    float milliseconds;

    for (int i = 0; i < WARM_UP; i++)
        if (convolve(call, description, algorithm, output) != CUDNN_STATUS_SUCCESS)
            return 0;
    check_cuda(cudaEventCreate(&begin), "cudnn: cudaEventCreate");
    check_cuda(cudaEventCreate(&end), "cudnn: cudaEventCreate");
    check_cuda(cudaEventRecord(begin, 0), "cudnn: cudaEventRecord");
    for (int i = 0; i < TIMED; i++)
        check(convolve(call, description, algorithm, output), "cudnnConvolutionForward");
    check_cuda(cudaEventRecord(end, 0), "cudnn: cudaEventRecord");
    check_cuda(cudaEventSynchronize(end), "cudnn: cudaEventSynchronize");
    check_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "cudnn: cudaEventElapsedTime");
    check_cuda(cudaEventDestroy(begin), "cudnn: cudaEventDestroy");
    check_cuda(cudaEventDestroy(end), "cudnn: cudaEventDestroy");
    return milliseconds * 1000 / TIMED;
}

/* Finds the fastest algorithm and returns its time in microseconds; 0 if none runs. cuDNN's own
 * search times a single cold call of each, so all that it found to run are timed again. */
static float fastest(const struct conv *call, const struct description *description, float *output,
                     cudnnConvolutionFwdAlgo_t *algorithm)
{
    cudnnConvolutionFwdAlgoPerf_t found[MOST_ALGORITHMS];
    float best = 0;
    int count = 0;

    if (cudnnFindConvolutionForwardAlgorithmEx(
            handle, description->input, call->input, description->filter, call->filter,
            description->convolution, description->output, output, MOST_ALGORITHMS, &count, found,
            workspace, WORKSPACE) != CUDNN_STATUS_SUCCESS)
        return 0;
    for (int i = 0; i < count; i++) {
        if (found[i].status != CUDNN_STATUS_SUCCESS || found[i].mathType != CUDNN_FMA_MATH)
            continue;
        const float us = time_of(call, description, found[i].algo, output);
        if (us > 0 && (best == 0 || us < best)) {
            best = us;
            *algorithm = found[i].algo;
        }
    }
    return best;
}

static bool same_shape(const struct conv *a, const struct conv *b)
{
    return a->batch == b->batch && a->channels == b->channels && a->height == b->height &&
           a->width == b->width && a->filters == b->filters &&
           a->kernel_height == b->kernel_height && a->kernel_width == b->kernel_width &&
           a->stride_height == b->stride_height && a->stride_width == b->stride_width &&
           a->pad == b->pad && a->dilation == b->dilation && a->input == b->input;
}

void cudnn_prepare(const struct conv *call)
{
    const size_t outputs = call->batch * call->filters * call->out_height * call->out_width;
    cudnnConvolutionFwdAlgo_t ignored;
    float *output;

    if (plan.made && same_shape(&plan.call, call))
        return;
    if (handle == NULL) {
        setenv("NVIDIA_TF32_OVERRIDE", "0", 1); /* no TF32, even if the environment asks for it */
        check(cudnnCreate(&handle), "cudnnCreate");
        check_cuda(cudaMalloc(&workspace, WORKSPACE), "cudnn: cudaMalloc");
    }
    if (plan.made)
        forget(&plan.description);
    /* The search writes to separate memory: only cudnn_convolve may write the result. */
    check_cuda(cudaMalloc((void **)&output, outputs * sizeof *output), "cudnn: cudaMalloc");
    struct description nhwc = describe(call, CUDNN_TENSOR_NHWC);
    plan.nhwc_us = fastest(call, &nhwc, output, &ignored);
    forget(&nhwc);
    plan.description = describe(call, CUDNN_TENSOR_NCHW);
    if (fastest(call, &plan.description, output, &plan.algorithm) == 0)
        plan.algorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
    check_cuda(cudaFree(output), "cudnn: cudaFree");
    plan.call = *call;
    plan.made = true;
}

void cudnn_convolve(const struct conv *call)
{
    check(convolve(call, &plan.description, plan.algorithm, call->output),
          "cudnnConvolutionForward");
}

void cudnn_how(const struct conv *call, char text[RUNG_HOW_SIZE])
{
    static const char *const names[] = {
        "implicit GEMM", "precomputed GEMM", "GEMM",     "direct",
        "FFT",           "tiled FFT",        "Winograd", "Winograd, not fused"};
    const size_t version = cudnnGetVersion();
    const char *const name = (size_t)plan.algorithm < sizeof names / sizeof names[0]
                                 ? names[plan.algorithm]
                                 : "another algorithm";
    char nhwc[24] = "";
    (void)call;

    if (plan.nhwc_us > 0)
        snprintf(nhwc, sizeof nhwc, "; NHWC %.1f us", (double)plan.nhwc_us);
    snprintf(text, RUNG_HOW_SIZE, "cuDNN %zu.%zu %s%s", version / 10000, version % 10000 / 100,
             name, nhwc);
}
