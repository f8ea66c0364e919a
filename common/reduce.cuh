/* What the kernels of steps 03 to 06 reduce, so that each kernel is written once for every operator
 * and element type.
 *
 * A reduction object R carries the input and says
 *   typename R::value      the type of a term and of the result
 *   R::identity()          the value that changes nothing: 0, or -inf for max, +inf for min
 *   R::combine(x, y)       the operator
 *   in.term(i)             term number i: a[i] * b[i] for dot, a[i] otherwise
 *   in.finish(values)      the same operator over an array of results, for a second stage
 *   R::atomic(target, x)   *target = combine(*target, x), as one indivisible step
 *
 * Rules for NaN and empty input: reduction.h. */
#ifndef RUNGS_REDUCE_CUH
#define RUNGS_REDUCE_CUH

#include <cuda_runtime.h>

#include "reduction.h"

/* CUDA has no atomic maximum of floating-point numbers. Any operator can be had from compare-and-swap:
 * combine with what is there, and try again if it changed meanwhile. */
template <typename R>
__device__ void atomic_combine(float *target, float x)
{
    int *const bits = (int *)target;
    int seen = *bits, expected;
    do {
        expected = seen;
        const float combined = R::combine(__int_as_float(expected), x);
        seen = atomicCAS(bits, expected, __float_as_int(combined));
    } while (seen != expected);
}

template <typename R>
__device__ void atomic_combine(double *target, double x)
{
    unsigned long long *const bits = (unsigned long long *)target;
    unsigned long long seen = *bits, expected;
    do {
        expected = seen;
        const double combined = R::combine(__longlong_as_double((long long)expected), x);
        seen = atomicCAS(bits, expected, (unsigned long long)__double_as_longlong(combined));
    } while (seen != expected);
}

template <typename T>
struct Sum {
    typedef T value;
    const T *a;

    __device__ static T identity()
    {
        return 0;
    }
    __device__ static T combine(T x, T y)
    {
        return x + y;
    }
    __device__ static void atomic(T *target, T x)
    {
        atomicAdd(target, x);
    }
    __device__ T term(size_t i) const
    {
        return a[i];
    }
    Sum<T> finish(const T *values) const
    {
        Sum<T> second = {values};
        return second;
    }
};

/* B is T, or unsigned char for mixed types. */
template <typename T, typename B>
struct Dot {
    typedef T value;
    const T *a;
    const B *b;

    __device__ static T identity()
    {
        return 0;
    }
    __device__ static T combine(T x, T y)
    {
        return x + y;
    }
    __device__ static void atomic(T *target, T x)
    {
        atomicAdd(target, x);
    }
    __device__ T term(size_t i) const
    {
        return a[i] * (T)b[i];
    }
    Sum<T> finish(const T *values) const
    {
        Sum<T> second = {values};
        return second;
    }
};

template <typename T>
struct Max {
    typedef T value;
    const T *a;

    __device__ static T identity()
    {
        return (T)-INFINITY;
    }
    /* A NaN compares false with everything: x != x keeps one in x, and the comparison one in y. */
    __device__ static T combine(T x, T y)
    {
        return x > y || x != x ? x : y;
    }
    __device__ static void atomic(T *target, T x)
    {
        atomic_combine<Max<T>>(target, x);
    }
    __device__ T term(size_t i) const
    {
        return a[i];
    }
    Max<T> finish(const T *values) const
    {
        Max<T> second = {values};
        return second;
    }
};

template <typename T>
struct Min {
    typedef T value;
    const T *a;

    __device__ static T identity()
    {
        return (T)INFINITY;
    }
    __device__ static T combine(T x, T y)
    {
        return x < y || x != x ? x : y;
    }
    __device__ static void atomic(T *target, T x)
    {
        atomic_combine<Min<T>>(target, x);
    }
    __device__ T term(size_t i) const
    {
        return a[i];
    }
    Min<T> finish(const T *values) const
    {
        Min<T> second = {values};
        return second;
    }
};

/* Calls launch(in) with the reduction object that `call` asks for. */
template <typename T, typename Launch>
static void reduce_unary(const struct reduction *call, Launch launch)
{
    const T *const a = (const T *)call->a;
    const Sum<T> sum = {a};
    const Max<T> max = {a};
    const Min<T> min = {a};

    if (call->op == OP_SUM)
        launch(sum);
    else if (call->op == OP_MAX)
        launch(max);
    else
        launch(min);
}

template <typename Launch>
static void reduce_with(const struct reduction *call, Launch launch)
{
    if (call->op == OP_DOT && call->type == TYPE_F32) {
        const Dot<float, float> dot = {(const float *)call->a, (const float *)call->b};
        launch(dot);
    } else if (call->op == OP_DOT && call->type == TYPE_F64) {
        const Dot<double, double> dot = {(const double *)call->a, (const double *)call->b};
        launch(dot);
    } else if (call->op == OP_DOT) {
        const Dot<float, unsigned char> dot = {(const float *)call->a,
                                               (const unsigned char *)call->b};
        launch(dot);
    } else if (call->type == TYPE_F64) {
        reduce_unary<double>(call, launch);
    } else {
        reduce_unary<float>(call, launch);
    }
}

/* The two-stage scheme. Blocks cannot wait for each other within a launch, so a first launch leaves
 * one number a block, and a second launch of the same kernel, as a single block, reduces those.
 * launch(grid, in, n, out) starts the kernel with `grid` blocks of REDUCTION_BLOCK threads. */
template <typename Launch>
static void reduce_two_stages(const struct reduction *call, Launch launch)
{
    const unsigned grid =
        reduction_grid(call, REDUCTION_BLOCK, REDUCTION_BLOCKS_PER_MULTIPROCESSOR);

    reduce_with(call, [=](auto in) {
        typedef typename decltype(in)::value value;
        value *const block_results = (value *)call->workspace;
        value *const result = (value *)call->result;

        launch(grid, in, call->n, block_results);
        launch(1, in.finish(block_results), grid, result);
    });
}

#endif
