/* For tests of speed on a GPU: calls the step's rungs with the arguments of the exercises. */
#include "problem/conv/conv.h"
#include "problem/gemm/gemm.h"

#include "../gemm/02_implicit_gemm.cu"
#include "shape.h"

/* The rung's output is [image][filter], the exercise's [filter][image]. The work is the same. */
extern "C" void rung_implicit_gemm(const float *in, const float *weights, float *out, int images,
                                   int filters, const struct shape *shape)
{
    struct conv call = {};

    call.batch = (size_t)images;
    call.channels = (size_t)shape->channels;
    call.height = (size_t)shape->height;
    call.width = (size_t)shape->width;
    call.filters = (size_t)filters;
    call.kernel_height = (size_t)shape->window_height;
    call.kernel_width = (size_t)shape->window_width;
    call.stride_height = call.stride_width = (size_t)shape->stride;
    call.pad = (size_t)shape->padding;
    call.dilation = (size_t)shape->dilation;
    call.out_height = (size_t)shape->out_height;
    call.out_width = (size_t)shape->out_width;
    call.input = in;
    call.filter = weights;
    call.output = out;
    launch_implicit_gemm(&call);
}
