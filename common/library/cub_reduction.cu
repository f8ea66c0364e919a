/* The library CUB: see cub.h. Compiled for each operator and type (kernel/reduce.cuh). CUB takes
 * the operator and the terms as C++ function objects. */
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "kernel/reduce.cuh"
#include "library/cub_parts.h"
#include "library/cuda_check.h"

#if defined REDUCE_MAX || defined REDUCE_MIN
/* Used instead of DeviceReduce::Max and Min, which do not specify what they do with NaN. */
struct Combine {
    __device__ value operator()(value x, value y) const
    {
        return combine(x, y);
    }
};
#else
typedef cuda::std::plus<value> Combine;
#endif

#if defined REDUCE_DOT || defined REDUCE_F16
/* Maps an index to its term. */
struct Term {
    const element *a;
    const second *b;
    __device__ value operator()(size_t i) const
    {
        return term(a, b, i);
    }
};
#endif

/* If `room` is NULL, this only sets *bytes to the temporary memory that CUB needs. */
static void reduce(const struct reduction *call, void *room, size_t *bytes)
{
    const element *const a = (const element *)call->a;
    value *const result = (value *)call->result;
#if defined REDUCE_DOT || defined REDUCE_F16
    /* Terms are computed while they are combined, even for mixed types and halfs. No input is
     * converted before. */
    const Term term = {a, (const second *)call->b};
    const thrust::counting_iterator<size_t> indices(0);
#if CUB_VERSION >= 200400 /* since CUDA 12.5 */
    const cudaError_t status = cub::DeviceReduce::TransformReduce(
        room, *bytes, indices, result, call->n, Combine(), term, IDENTITY);
#else
    const cudaError_t status =
        cub::DeviceReduce::Reduce(room, *bytes, thrust::make_transform_iterator(indices, term),
                                  result, call->n, Combine(), IDENTITY);
#endif
#elif defined REDUCE_MAX || defined REDUCE_MIN
    const cudaError_t status =
        cub::DeviceReduce::Reduce(room, *bytes, a, result, call->n, Combine(), IDENTITY);
#else
    const cudaError_t status = cub::DeviceReduce::Sum(room, *bytes, a, result, call->n);
#endif
    check_cuda(status, "cub::DeviceReduce");
}

size_t cub_bytes_of(const struct reduction *call)
{
    size_t bytes = 0;

    reduce(call, NULL, &bytes);
    return bytes;
}

void cub_reduce(const struct reduction *call)
{
    size_t bytes = cub_temporary_bytes;

    reduce(call, cub_temporary, &bytes);
}
/* SPDX-License-Identifier: MIT */
