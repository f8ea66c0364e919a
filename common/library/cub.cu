/* The library CUB: see cub.h. */
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <stdio.h>

#include "kernel/reduce_objects.cuh"
#include "library/cub.h"
#include "library/cuda_check.h"

/* Allocated by cub_prepare and kept; how much CUB needs depends on the problem. */
static void *temporary;
static size_t temporary_bytes;

/* A reduction object's operator, in the form that CUB takes. */
template <typename R>
struct Combine {
    __device__ typename R::value operator()(typename R::value x, typename R::value y) const
    {
        return R::combine(x, y);
    }
};

/* Maps an index to its term. */
template <typename R>
struct Term {
    R in;
    __device__ typename R::value operator()(size_t i) const
    {
        return in.term(i);
    }
};

/* CUB is called twice: with `room` NULL it only sets *bytes to the temporary memory it needs. */
template <typename T>
static cudaError_t reduce(Unary<Sum<T>> in, size_t n, T *result, void *room, size_t *bytes)
{
    return cub::DeviceReduce::Sum(room, *bytes, in.a, result, n);
}

/* Not DeviceReduce::Max and Min, which do not specify what they do with NaN. */
template <typename Op>
static cudaError_t reduce(Unary<Op> in, size_t n, typename Op::value *result, void *room,
                          size_t *bytes)
{
    return cub::DeviceReduce::Reduce(room, *bytes, in.a, result, n, Combine<Op>(), Op::identity());
}

/* Terms are computed as they are combined, even for mixed types and halfs: nothing is converted
 * before. */
template <typename R, typename Operator>
static cudaError_t reduce_terms(R in, size_t n, typename R::value *result, void *room,
                                size_t *bytes, Operator combine)
{
    const Term<R> term = {in};
    const thrust::counting_iterator<size_t> indices(0);
#if CUB_VERSION >= 200400 /* of CUDA 12.5 */
    return cub::DeviceReduce::TransformReduce(room, *bytes, indices, result, n, combine, term,
                                              R::identity());
#else
    return cub::DeviceReduce::Reduce(room, *bytes, thrust::make_transform_iterator(indices, term),
                                     result, n, combine, R::identity());
#endif
}

template <typename A, typename B>
static cudaError_t reduce(Dot<A, B> in, size_t n, typename Dot<A, B>::value *result, void *room,
                          size_t *bytes)
{
    return reduce_terms(in, n, result, room, bytes, cuda::std::plus<typename Dot<A, B>::value>());
}

static cudaError_t reduce(Unary<Sum<float>, __half> in, size_t n, float *result, void *room,
                          size_t *bytes)
{
    return reduce_terms(in, n, result, room, bytes, cuda::std::plus<float>());
}

template <typename Op>
static cudaError_t reduce(Unary<Op, __half> in, size_t n, float *result, void *room, size_t *bytes)
{
    return reduce_terms(in, n, result, room, bytes, Combine<Op>());
}

static cudaError_t reduce_call(const struct reduction *call, void *room, size_t *bytes)
{
    cudaError_t status = cudaSuccess;

    reduce_with(call, [&](auto in) {
        typedef typename decltype(in)::value value;
        status = reduce(in, call->n, (value *)call->result, room, bytes);
    });
    return status;
}

void cub_prepare(const struct reduction *call)
{
    size_t needed = 0;

    check_cuda(reduce_call(call, NULL, &needed), "cub::DeviceReduce");
    if (temporary != NULL && needed <= temporary_bytes)
        return;
    check_cuda(cudaFree(temporary), "cub: cudaFree");
    temporary = NULL;
    temporary_bytes = needed > 0 ? needed : 1;
    check_cuda(cudaMalloc(&temporary, temporary_bytes), "cub: cudaMalloc");
}

void cub_reduce(const struct reduction *call)
{
    size_t bytes = temporary_bytes;

    check_cuda(reduce_call(call, temporary, &bytes), "cub::DeviceReduce");
}

void cub_how(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    snprintf(text, RUNG_HOW_SIZE, "CUB %d.%d", CUB_MAJOR_VERSION, CUB_MINOR_VERSION);
}
