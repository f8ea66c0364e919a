/* The reduction that a kernel is compiled for: the types of its elements, and the operator that
 * combines two values. The kernels of steps 03 to 06 are compiled once for each operator and type,
 * each time with other macros for this file (common/each_reduction.cmake):
 *
 *   REDUCE_DOT, REDUCE_MAX, REDUCE_MIN, or none of them for a sum
 *   REDUCE_F64, REDUCE_F16, REDUCE_MIXED, REDUCE_F32_F64, or none of them for floats
 *
 * A file with kernels that is compiled by itself has the sum of floats.
 *
 *   element                   an element of a: float, double or __half
 *   second                    an element of b, which only the dot product has
 *   value                     a term, a partial result, the result: float or double
 *   IDENTITY                  combining with it changes nothing: 0, -inf for max, +inf for min
 *   term(a, b, i)             a[i] * b[i] for the dot product, otherwise a[i]
 *   combine(x, y)             x + y, the larger or the smaller
 *   atomic_combine(target, x) *target = combine(*target, x), atomically
 *   OPERANDS                  2 for the dot product, otherwise 1: there is no b
 *   PACK                      how many terms take one load per input, of at most 16 bytes
 *   term_of_pack(a, b, i)     terms i to i + PACK - 1, combined, with one load of each input
 *   head_of(a, b, n)          how many of the n terms precede the first that such a load can read
 *   FINISH(kernel)            the kernel for a second launch, over results of the first
 *
 * Rules for NaN and empty input: problem/reduction/reduction.h. */

/* ---- elements -------------------------------------------------------------------------------- */

#if defined REDUCE_F64
typedef double element, second, value;
#elif defined REDUCE_F16
typedef __half element, second;
typedef float value;
#elif defined REDUCE_MIXED
typedef float element, value;
typedef unsigned char second;
#elif defined REDUCE_F32_F64
typedef float element;
typedef double second, value;
#else
typedef float element, second, value;
#endif

#if defined REDUCE_DOT
enum { OPERANDS = 2 };
#else
enum { OPERANDS = 1 };
#endif

static __device__ inline value term(const element *a, const second *b, size_t i)
{
#if defined REDUCE_DOT
    return (value)a[i] * (value)b[i];
#else
    (void)b;
    return (value)a[i];
#endif
}

/* ---- operator -------------------------------------------------------------------------------- */

#undef IDENTITY
#if defined REDUCE_MAX
#define IDENTITY ((value)-INFINITY)
#elif defined REDUCE_MIN
#define IDENTITY ((value)INFINITY)
#else
#define IDENTITY ((value)0)
#endif

/* The larger and the smaller keep NaN, which compares false with everything: x != x selects a NaN
 * in x; with a NaN in y the comparison is false, which selects y. */
static __device__ inline value combine(value x, value y)
{
#if defined REDUCE_MAX
    return x > y || x != x ? x : y;
#elif defined REDUCE_MIN
    return x < y || x != x ? x : y;
#else
    return x + y;
#endif
}

/* CUDA has no atomic maximum of floating-point numbers. Any operator can be built from
 * compare-and-swap: combine with the current value, and try again if it has changed meanwhile. */
static __device__ inline void atomic_combine(value *target, value x)
{
#if !defined REDUCE_MAX && !defined REDUCE_MIN
    atomicAdd(target, x);
#elif defined REDUCE_F64
    unsigned long long *const bits = (unsigned long long *)target;
    unsigned long long seen = *bits, expected;
    do {
        expected = seen;
        const double combined = combine(__longlong_as_double((long long)expected), x);
        seen = atomicCAS(bits, expected, (unsigned long long)__double_as_longlong(combined));
    } while (seen != expected);
#else
    int *const bits = (int *)target;
    int seen = *bits, expected;
    do {
        expected = seen;
        const float combined = combine(__int_as_float(expected), x);
        seen = atomicCAS(bits, expected, __float_as_int(combined));
    } while (seen != expected);
#endif
}

/* ---- 16-byte loads --------------------------------------------------------------------------- */

#if defined REDUCE_F64
enum { PACK = 2 };

static __device__ inline value term_of_pack(const element *a, const second *b, size_t i)
{
    const double2 x = *(const double2 *)(a + i);
#if defined REDUCE_DOT
    const double2 y = *(const double2 *)(b + i);
    return combine(x.x * y.x, x.y * y.y);
#else
    (void)b;
    return combine(x.x, x.y);
#endif
}

#elif defined REDUCE_F32_F64
enum { PACK = 2 }; /* the wider of the two types fills 16 bytes */

static __device__ inline value term_of_pack(const element *a, const second *b, size_t i)
{
    const float2 x = *(const float2 *)(a + i);
    const double2 y = *(const double2 *)(b + i);
    return combine((double)x.x * y.x, (double)x.y * y.y);
}

#elif defined REDUCE_MIXED
enum { PACK = 4 };

static __device__ inline value term_of_pack(const element *a, const second *b, size_t i)
{
    const float4 x = *(const float4 *)(a + i);
    const uchar4 y = *(const uchar4 *)(b + i);
    return combine(combine(x.x * (float)y.x, x.y * (float)y.y),
                   combine(x.z * (float)y.z, x.w * (float)y.w));
}

#elif defined REDUCE_F16
enum { PACK = 8 };

/* The two halfs of a 32-bit word. */
static __device__ inline float low_half(unsigned word)
{
    return __half2float(__ushort_as_half((unsigned short)word));
}

static __device__ inline float high_half(unsigned word)
{
    return __half2float(__ushort_as_half((unsigned short)(word >> 16)));
}

static __device__ inline value term_of_word(unsigned x, unsigned y)
{
#if defined REDUCE_DOT
    return combine(low_half(x) * low_half(y), high_half(x) * high_half(y));
#else
    (void)y;
    return combine(low_half(x), high_half(x));
#endif
}

static __device__ inline value term_of_pack(const element *a, const second *b, size_t i)
{
    const uint4 x = *(const uint4 *)(a + i);
#if defined REDUCE_DOT
    const uint4 y = *(const uint4 *)(b + i);
#else
    const uint4 y = x;
    (void)b;
#endif
    return combine(combine(term_of_word(x.x, y.x), term_of_word(x.y, y.y)),
                   combine(term_of_word(x.z, y.z), term_of_word(x.w, y.w)));
}

#else
enum { PACK = 4 };

static __device__ inline value term_of_pack(const element *a, const second *b, size_t i)
{
    const float4 x = *(const float4 *)(a + i);
#if defined REDUCE_DOT
    const float4 y = *(const float4 *)(b + i);
    return combine(combine(x.x * y.x, x.y * y.y), combine(x.z * y.z, x.w * y.w));
#else
    (void)b;
    return combine(combine(x.x, x.y), combine(x.z, x.w));
#endif
}
#endif

/* How many elements there are from a to the next address that is a multiple of 16. */
static __host__ __device__ inline size_t elements_to_alignment(const element *a)
{
    const size_t count = 16 / sizeof(element), offset = (size_t)a / sizeof(element) % count;
    return offset == 0 ? 0 : count - offset;
}

/* If no element is aligned in both a and b, the head is all n terms, which are read one by one. */
static __host__ __device__ inline size_t head_of(const element *a, const second *b, size_t n)
{
    const size_t before = elements_to_alignment(a);
#if defined REDUCE_DOT
    const bool together = (size_t)(b + before) % (PACK * sizeof(second)) == 0;
    return together && before < n ? before : n;
#else
    (void)b;
    return before < n ? before : n;
#endif
}

/* ---- second launch --------------------------------------------------------------------------- */

#if !defined FINISH
#define FINISH(kernel) kernel
#endif
/* SPDX-License-Identifier: MIT */
