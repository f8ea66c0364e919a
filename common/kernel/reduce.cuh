/* What the kernels of steps 03 to 06 reduce, so that each kernel is written once for every operator
 * and element type.
 *
 * A reduction object R carries the input and says
 *   typename R::value      the type of a term and of the result
 *   R::identity()          the value that changes nothing: 0, or -inf for max, +inf for min
 *   R::combine(x, y)       the operator
 *   in.term(i)             term number i: a[i] * b[i] for dot, a[i] otherwise
 *   in.pack(i)             R::PACK terms from number i on, combined: read 16 bytes at a time
 *   R::pack_at(a, b, i)    the same of arrays elsewhere, such as copies in shared memory; the input's own
 *                          are in.a and in.second(), of type second_type, which only dot has
 *   in.head(n)             how many of the n terms lie before the first that pack may start at
 *   in.finish(values)      the same operator over an array of results, for a second stage
 *   R::atomic(target, x)   *target = combine(*target, x), as one indivisible step
 *
 * Rules for NaN and empty input: reduction.h. */
#ifndef RUNGS_REDUCE_CUH
#define RUNGS_REDUCE_CUH

#include <cuda_runtime.h>

#include "problem/reduction/reduction.h"

/* CUDA has no atomic maximum of floating-point numbers. Any operator can be had from
 * compare-and-swap: combine with what is there, and try again if it changed meanwhile. */
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

/* A 16-byte load, and what to do with its elements. */
template <typename T>
struct Wide;
template <>
struct Wide<float> {
    typedef float4 type;
    static const unsigned COUNT = 4;
};
template <>
struct Wide<double> {
    typedef double2 type;
    static const unsigned COUNT = 2;
};

/* As many elements of b as a 16-byte load has of a. */
template <typename B>
struct Partner {
    typedef typename Wide<B>::type type;
};
template <>
struct Partner<unsigned char> {
    typedef uchar4 type;
};

static __device__ inline float4 multiply(float4 x, float4 y)
{
    return make_float4(x.x * y.x, x.y * y.y, x.z * y.z, x.w * y.w);
}
static __device__ inline float4 multiply(float4 x, uchar4 y)
{
    return make_float4(x.x * (float)y.x, x.y * (float)y.y, x.z * (float)y.z, x.w * (float)y.w);
}
static __device__ inline double2 multiply(double2 x, double2 y)
{
    return make_double2(x.x * y.x, x.y * y.y);
}
template <typename R>
__device__ float fold(float4 v)
{
    return R::combine(R::combine(v.x, v.y), R::combine(v.z, v.w));
}
template <typename R>
__device__ double fold(double2 v)
{
    return R::combine(v.x, v.y);
}

/* Elements from p to the next address that is a multiple of a 16-byte load's size. */
template <typename T>
__host__ __device__ size_t elements_to_alignment(const T *p)
{
    const size_t count = Wide<T>::COUNT, place = (size_t)p / sizeof(T) % count;
    return place == 0 ? 0 : count - place;
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
    static const unsigned PACK = Wide<T>::COUNT;
    typedef T second_type;
    static const bool HAS_SECOND = false;
    __host__ __device__ const T *second() const
    {
        return 0;
    }
    __device__ static T pack_at(const T *a, const T *, size_t i)
    {
        return fold<Sum<T>>(*(const typename Wide<T>::type *)(a + i));
    }
    __device__ T pack(size_t i) const
    {
        return pack_at(a, 0, i);
    }
    __host__ __device__ size_t head(size_t n) const
    {
        const size_t before = elements_to_alignment(a);
        return before < n ? before : n;
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
    static const unsigned PACK = Wide<T>::COUNT;
    typedef B second_type;
    static const bool HAS_SECOND = true;
    __host__ __device__ const B *second() const
    {
        return b;
    }
    __device__ static T pack_at(const T *a, const B *b, size_t i)
    {
        return fold<Sum<T>>(multiply(*(const typename Wide<T>::type *)(a + i),
                                     *(const typename Partner<B>::type *)(b + i)));
    }
    __device__ T pack(size_t i) const
    {
        return pack_at(a, b, i);
    }
    /* Where b is not aligned when a is, all of the terms: one by one, then. */
    __host__ __device__ size_t head(size_t n) const
    {
        const size_t before = elements_to_alignment(a);
        const bool together = (size_t)(b + before) % sizeof(typename Partner<B>::type) == 0;
        return together && before < n ? before : n;
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
    static const unsigned PACK = Wide<T>::COUNT;
    typedef T second_type;
    static const bool HAS_SECOND = false;
    __host__ __device__ const T *second() const
    {
        return 0;
    }
    __device__ static T pack_at(const T *a, const T *, size_t i)
    {
        return fold<Max<T>>(*(const typename Wide<T>::type *)(a + i));
    }
    __device__ T pack(size_t i) const
    {
        return pack_at(a, 0, i);
    }
    __host__ __device__ size_t head(size_t n) const
    {
        const size_t before = elements_to_alignment(a);
        return before < n ? before : n;
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
    static const unsigned PACK = Wide<T>::COUNT;
    typedef T second_type;
    static const bool HAS_SECOND = false;
    __host__ __device__ const T *second() const
    {
        return 0;
    }
    __device__ static T pack_at(const T *a, const T *, size_t i)
    {
        return fold<Min<T>>(*(const typename Wide<T>::type *)(a + i));
    }
    __device__ T pack(size_t i) const
    {
        return pack_at(a, 0, i);
    }
    __host__ __device__ size_t head(size_t n) const
    {
        const size_t before = elements_to_alignment(a);
        return before < n ? before : n;
    }
    Min<T> finish(const T *values) const
    {
        Min<T> second = {values};
        return second;
    }
};

/* Calls launch(in) with the reduction object of an operator with one input, which starts at
 * `input`. */
template <typename T, typename Launch>
static void reduce_unary(enum reduce_op op, const void *input, Launch launch)
{
    const T *const a = (const T *)input;
    const Sum<T> sum = {a};
    const Max<T> max = {a};
    const Min<T> min = {a};

    if (op == OP_SUM)
        launch(sum);
    else if (op == OP_MAX)
        launch(max);
    else
        launch(min);
}

/* Calls launch(in) with the reduction object that `call` asks for. */
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
        reduce_unary<double>(call->op, call->a, launch);
    } else {
        reduce_unary<float>(call->op, call->a, launch);
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
