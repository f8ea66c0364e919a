/* cuDNN's functions for convolutions: see cudnn_parts.h. */
#include "library/cudnn_parts.h"

enum { MOST_ALGORITHMS = 16 };

/* cuDNN's description of a convolution. */
struct description {
    cudnnTensorDescriptor_t input, output;
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t convolution;
};

/* The fastest algorithm found. */
static struct {
    bool made;
    struct description description;
    cudnnConvolutionFwdAlgo_t algorithm;
} plan;

static struct description describe(const struct conv *call, cudnnTensorFormat_t format)
{
    const int pad = (int)call->pad, dilation = (int)call->dilation;
    struct description made;

    cudnn_check(cudnnCreateTensorDescriptor(&made.input), "cudnnCreateTensorDescriptor");
    cudnn_check(cudnnCreateTensorDescriptor(&made.output), "cudnnCreateTensorDescriptor");
    cudnn_check(cudnnCreateFilterDescriptor(&made.filter), "cudnnCreateFilterDescriptor");
    cudnn_check(cudnnCreateConvolutionDescriptor(&made.convolution),
                "cudnnCreateConvolutionDescriptor");
    cudnn_check(cudnnSetTensor4dDescriptor(made.input, format, CUDNN_DATA_FLOAT, (int)call->batch,
                                           (int)(call->groups * call->channels), (int)call->height,
                                           (int)call->width),
                "cudnnSetTensor4dDescriptor");
    cudnn_check(cudnnSetTensor4dDescriptor(made.output, format, CUDNN_DATA_FLOAT, (int)call->batch,
                                           (int)call->filters, (int)call->out_height,
                                           (int)call->out_width),
                "cudnnSetTensor4dDescriptor");
    cudnn_check(cudnnSetFilter4dDescriptor(made.filter, CUDNN_DATA_FLOAT, format,
                                           (int)call->filters, (int)call->channels,
                                           (int)call->kernel_height, (int)call->kernel_width),
                "cudnnSetFilter4dDescriptor");
    cudnn_check(cudnnSetConvolution2dDescriptor(
                    made.convolution, pad, pad, (int)call->stride_height, (int)call->stride_width,
                    dilation, dilation, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
                "cudnnSetConvolution2dDescriptor");
    cudnn_check(cudnnSetConvolutionGroupCount(made.convolution, (int)call->groups),
                "cudnnSetConvolutionGroupCount");
    /* No TF32, no tensor cores. */
    cudnn_check(cudnnSetConvolutionMathType(made.convolution, CUDNN_FMA_MATH),
                "cudnnSetConvolutionMathType");
    return made;
}

static void forget(const struct description *description)
{
    cudnnDestroyTensorDescriptor(description->input);
    cudnnDestroyTensorDescriptor(description->output);
    cudnnDestroyFilterDescriptor(description->filter);
    cudnnDestroyConvolutionDescriptor(description->convolution);
}

static bool convolve(const void *algorithm, const struct conv *call, float *output)
{
    const float one = 1, zero = 0;

    return cudnnConvolutionForward(
               cudnn_handle(), &one, plan.description.input, call->input, plan.description.filter,
               call->filter, plan.description.convolution,
               *(const cudnnConvolutionFwdAlgo_t *)algorithm, cudnn_workspace(), CUDNN_WORKSPACE,
               &zero, plan.description.output, output) == CUDNN_STATUS_SUCCESS;
}

bool cudnn_find_run(const void *ignored, const struct conv *call, float *output)
{
    (void)ignored;
    return convolve(&plan.algorithm, call, output);
}

bool cudnn_find_reference(const struct conv *call, float *output)
{
    const cudnnConvolutionFwdAlgo_t algorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;

    if (plan.made)
        forget(&plan.description);
    plan.description = describe(call, CUDNN_TENSOR_NCHW);
    plan.made = true;
    return convolve(&algorithm, call, output);
}

/* cuDNN's own search times a single cold call of each algorithm, so all that ran are timed
 * again. */
float cudnn_find_prepare(const struct conv *call, cudnnTensorFormat_t format, float *output)
{
    cudnnConvolutionFwdAlgoPerf_t found[MOST_ALGORITHMS];
    float best = 0;
    int count = 0;

    if (plan.made)
        forget(&plan.description);
    plan.description = describe(call, format);
    plan.made = true;
    if (cudnnFindConvolutionForwardAlgorithmEx(
            cudnn_handle(), plan.description.input, call->input, plan.description.filter,
            call->filter, plan.description.convolution, plan.description.output, output,
            MOST_ALGORITHMS, &count, found, cudnn_workspace(),
            CUDNN_WORKSPACE) != CUDNN_STATUS_SUCCESS)
        return 0;
    for (int i = 0; i < count; i++) {
        if (found[i].status != CUDNN_STATUS_SUCCESS || found[i].mathType != CUDNN_FMA_MATH)
            continue;
        const float us = time_conv(convolve, &found[i].algo, call, output, best);
        if (us > 0 && (best == 0 || us < best)) {
            best = us;
            plan.algorithm = found[i].algo;
        }
    }
    return best;
}

const char *cudnn_find_name(void)
{
    static const char *const names[] = {
        "implicit GEMM", "precomputed GEMM", "GEMM",     "direct",
        "FFT",           "tiled FFT",        "Winograd", "Winograd, not fused"};

    return (size_t)plan.algorithm < sizeof names / sizeof names[0] ? names[plan.algorithm]
                                                                   : "another algorithm";
}
/* SPDX-License-Identifier: MIT */
