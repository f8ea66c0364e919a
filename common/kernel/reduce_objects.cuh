/* Reduction objects, which make it possible to write a kernel once for all operators and element
 * types.
 *
 * A reduction object `in` of type R combines an operator (Sum, Max or Min below) with its input:
 *   typename R::value      the type of a term and of the result
 *   typename R::element    the type of an element of a: value, or a narrower one
 *   R::identity()          the operator's identity: 0, -inf for max, +inf for min
 *   R::combine(x, y)       the operator
 *   R::atomic(target, x)   *target = combine(*target, x), atomically
 *   in.term(i)             term number i: a[i] * b[i] for dot, a[i] otherwise
 *   in.pack(i)             terms i to i + R::PACK - 1 combined, read by 16-byte loads (of two
 *                          types, the wider one is)
 *   in.head(n)             how many of the n terms precede the first at which pack may start
 *   in.finish(values)      the same operator over an array of results, for a second stage
 *   in.values(memory)      the address as a pointer to R::value
 *   R::pack_at(a, b, i)    pack(i) of other arrays, such as copies in shared memory. The input's
 *                          own are in.a and, for dot only, in.second(), of type second_type
 *
 * Rules for NaN and empty input: reduction.h. */
#ifndef RUNGS_REDUCE_CUH
#define RUNGS_REDUCE_CUH

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "kernel/blocks.cuh"
#include "problem/reduction/reduction.h"

/* ---- operators ------------------------------------------------------------------------------- */

/* CUDA has no atomic maximum of floating-point numbers. Any operator can be built from
 * compare-and-swap: combine with the current value, and try again if that has changed meanwhile. */
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

    __host__ __device__ static T identity()
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
};

template <typename T>
struct Max {
    typedef T value;

    __host__ __device__ static T identity()
    {
        return (T)-INFINITY;
    }
    /* Keeps NaN, which compares false with everything: x != x selects a NaN in x; with a NaN in y
     * the comparison is false, which selects y. */
    __device__ static T combine(T x, T y)
    {
        return x > y || x != x ? x : y;
    }
    __device__ static void atomic(T *target, T x)
    {
        atomic_combine<Max<T>>(target, x);
    }
};

template <typename T>
struct Min {
    typedef T value;

    __host__ __device__ static T identity()
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
};

/* ---- 16-byte loads --------------------------------------------------------------------------- */

/* The type of a 16-byte load of T, and how many elements it has. */
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

/* Eight halfs as the 16 bytes of a uint4. */
template <>
struct Wide<__half> {
    typedef uint4 type;
    static const unsigned COUNT = 8;
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
static __device__ inline double2 multiply(float2 x, double2 y)
{
    return make_double2((double)x.x * y.x, (double)x.y * y.y);
}
/* The halfs in x and y as floats. */
static __device__ inline float4 floats_of(unsigned x, unsigned y)
{
    return make_float4(__half2float(__ushort_as_half((unsigned short)x)),
                       __half2float(__ushort_as_half((unsigned short)(x >> 16))),
                       __half2float(__ushort_as_half((unsigned short)y)),
                       __half2float(__ushort_as_half((unsigned short)(y >> 16))));
}

struct float8 {
    float4 low, high;
};

static __device__ inline float8 multiply(uint4 x, uint4 y)
{
    return {multiply(floats_of(x.x, x.y), floats_of(y.x, y.y)),
            multiply(floats_of(x.z, x.w), floats_of(y.z, y.w))};
}
template <typename R>
__device__ float fold(float4 v)
{
    return R::combine(R::combine(v.x, v.y), R::combine(v.z, v.w));
}
template <typename R>
__device__ float fold(float8 v)
{
    return R::combine(fold<R>(v.low), fold<R>(v.high));
}
template <typename R>
__device__ float fold(uint4 v)
{
    return R::combine(fold<R>(floats_of(v.x, v.y)), fold<R>(floats_of(v.z, v.w)));
}
template <typename R>
__device__ double fold(double2 v)
{
    return R::combine(v.x, v.y);
}

/* How many elements there are from p to the next address that is a multiple of 16. */
template <typename T>
__host__ __device__ size_t elements_to_alignment(const T *p)
{
    const size_t count = Wide<T>::COUNT, place = (size_t)p / sizeof(T) % count;
    return place == 0 ? 0 : count - place;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* The type in which elements are multiplied and combined. */
template <typename A>
struct Widened {
    typedef A type;
};
template <>
struct Widened<__half> {
    typedef float type;
};

/* What Dot makes of two types: those of two loads with as many elements each, of which the wider
 * has 16 bytes, and the type to which the narrower elements are promoted. */
template <typename A, typename B>
struct Pair {
    typedef typename Wide<A>::type first, second;
    typedef typename Widened<A>::type value;
    static const unsigned COUNT = Wide<A>::COUNT;
};
template <>
struct Pair<float, unsigned char> {
    typedef float4 first;
    typedef uchar4 second;
    typedef float value;
    static const unsigned COUNT = 4;
};
template <>
struct Pair<float, double> {
    typedef float2 first;
    typedef double2 second;
    typedef double value;
    static const unsigned COUNT = 2;
};

/* One input of elements A, reduced by Op. */
template <typename Op, typename A = typename Op::value>
struct Unary : Op {
    typedef typename Op::value value;
    typedef A element;
    typedef A second_type;
    static const unsigned PACK = Wide<A>::COUNT;
    static const bool HAS_SECOND = false;
    const A *a;

    __host__ __device__ const A *second() const
    {
        return 0;
    }
    __device__ value term(size_t i) const
    {
        return (value)a[i];
    }
    __device__ static value pack_at(const A *a, const A *, size_t i)
    {
        return fold<Op>(*(const typename Wide<A>::type *)(a + i));
    }
    __device__ value pack(size_t i) const
    {
        return pack_at(a, 0, i);
    }
    __host__ __device__ size_t head(size_t n) const
    {
        const size_t before = elements_to_alignment(a);
        return before < n ? before : n;
    }
    Unary<Op> finish(const value *values) const
    {
        return {{}, values}; /* the operator has no members */
    }
    static value *values(void *memory)
    {
        return (value *)memory;
    }
};

/* The dot product of two inputs, whose types may differ: see Pair. */
template <typename A, typename B>
struct Dot : Sum<typename Pair<A, B>::value> {
    typedef typename Pair<A, B>::value value;
    typedef A element;
    typedef B second_type;
    static const unsigned PACK = Pair<A, B>::COUNT;
    static const bool HAS_SECOND = true;
    const A *a;
    const B *b;

    __host__ __device__ const B *second() const
    {
        return b;
    }
    __device__ value term(size_t i) const
    {
        return (value)a[i] * (value)b[i];
    }
    __device__ static value pack_at(const A *a, const B *b, size_t i)
    {
        return fold<Sum<value>>(multiply(*(const typename Pair<A, B>::first *)(a + i),
                                         *(const typename Pair<A, B>::second *)(b + i)));
    }
    __device__ value pack(size_t i) const
    {
        return pack_at(a, b, i);
    }
    /* If b is not aligned where a is, the head is all n terms, which are then read one by one. */
    __host__ __device__ size_t head(size_t n) const
    {
        const size_t before = elements_to_alignment(a);
        const bool together = (size_t)(b + before) % sizeof(typename Pair<A, B>::second) == 0;
        return together && before < n ? before : n;
    }
    Unary<Sum<value>> finish(const value *values) const
    {
        return {{}, values};
    }
    static value *values(void *memory)
    {
        return (value *)memory;
    }
};

/* ---- from a call to its types ---------------------------------------------------------------- */

/* Calls launch(in) for a unary operator over `a`. */
template <typename A, typename Launch>
static void reduce_unary(enum reduce_op op, const A *a, Launch launch)
{
    typedef typename Widened<A>::type T;

    if (op == OP_SUM)
        launch(Unary<Sum<T>, A>{{}, a});
    else if (op == OP_MAX)
        launch(Unary<Max<T>, A>{{}, a});
    else
        launch(Unary<Min<T>, A>{{}, a});
}

/* Calls launch(in) with the reduction object for `call`: turns the operator and type, which `call`
 * has as numbers, into template arguments of the kernel. */
template <typename Launch>
static void reduce_with(const struct reduction *call, Launch launch)
{
    const float *const a = (const float *)call->a;
    const double *const a64 = (const double *)call->a;
    const __half *const a16 = (const __half *)call->a;

    if (call->op == OP_DOT && call->type == TYPE_F32)
        launch(Dot<float, float>{{}, a, (const float *)call->b});
    else if (call->op == OP_DOT && call->type == TYPE_F64)
        launch(Dot<double, double>{{}, a64, (const double *)call->b});
    else if (call->op == OP_DOT && call->type == TYPE_F16)
        launch(Dot<__half, __half>{{}, a16, (const __half *)call->b});
    else if (call->op == OP_DOT && call->type == TYPE_F32_F64)
        launch(Dot<float, double>{{}, a, (const double *)call->b});
    else if (call->op == OP_DOT)
        launch(Dot<float, unsigned char>{{}, a, (const unsigned char *)call->b});
    else if (call->type == TYPE_F64)
        reduce_unary(call->op, a64, launch);
    else if (call->type == TYPE_F16)
        reduce_unary(call->op, a16, launch);
    else
        reduce_unary(call->op, a, launch);
}

/* blocks.cuh for kernels that are templates. */
template <typename... Parameters>
static unsigned threads_of(const struct reduction *call, void (*kernel)(Parameters...))
{
    return threads_of(call, (const void *)kernel);
}

template <typename... Parameters>
static struct blocks blocks_of(const struct reduction *call, void (*kernel)(Parameters...))
{
    return blocks_of(call, (const void *)kernel);
}

#endif
