/* Drop-in for CUDA's header of the same name: lets the host's C++17 compiler take CUDA C, once
 * simt_rewrite has turned the launches into calls. __CUDA_ARCH__ stays undefined, __SIMT__ is
 * defined. With SIMT_PREPROCESSED defined, simt_rewrite comes after the preprocessor and sees to
 * the qualifiers and built-in variables; with SIMT_HOST_ONLY, for a .cpp file, there are no
 * built-in variables, as in CUDA.
 *
 * What differs from a GPU, beyond speed: fast-math intrinsics are as exact as their library
 * functions; a loop that waits for another thread must poll with atomicCAS, atomicExch or
 * __nanosleep; __activemask() gives the lanes that wait at the same place once no lane of the warp
 * can go on. */
#ifndef __cplusplus
#include "cuda_runtime_api.h"
#elif !defined(SIMT_CUDA_RUNTIME_H)
#define SIMT_CUDA_RUNTIME_H

#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <math.h>
#include <type_traits>

#include "cuda_runtime_api.h"
#include "vector_types.h"

#define __SIMT__ 1

/* How this source is compiled: simt.cmake. */
#ifndef SIMT_INTERLEAVED
#define SIMT_INTERLEAVED false
#endif
#ifdef SIMT_INSTRUMENTED
#ifdef __clang__
/* It copies structures by these functions, unseen by the hooks; from here on they are the
 * runtime's. */
__asm__(".set memcpy, simt_traced_memcpy\n.set memmove, simt_traced_memmove\n"
        ".set memset, simt_traced_memset");
__asm__(".set __tsan_memcpy, simt_traced_memcpy\n.set __tsan_memmove, simt_traced_memmove\n"
        ".set __tsan_memset, simt_traced_memset");
#endif
/* A call and a return for each hook would be most of what a kernel costs that is not analysed. The
 * assembler puts a test in front, to go past them. (GCC says `call`, Clang `callq`, which needs
 * -fno-integrated-as.) */
#ifdef __x86_64__
#define SIMT_STRING_OF(x) #x
#define SIMT_STRING(x) SIMT_STRING_OF(x)
#ifdef __clang__
#define SIMT_CALL "callq"
#define SIMT_PLAIN_CALL "call"
#else
#define SIMT_CALL "call"
#define SIMT_PLAIN_CALL "callq"
#endif
__asm__(".macro " SIMT_CALL " target:vararg\n"
        ".irp hook, __sanitizer_cov_trace_pc, __tsan_read1, __tsan_read2, __tsan_read4, "
        "__tsan_read8, __tsan_read16, __tsan_write1, __tsan_write2, __tsan_write4, __tsan_write8, "
        "__tsan_write16\n"
        ".irp suffix, , @PLT\n"
        ".ifeqs \"\\target\", \"\\hook\\suffix\"\n"
        "cmpb $0, %fs:simt_own@tpoff+" SIMT_STRING(SIMT_PAST_SHARED) "\n"
                                                                     "je .Lsimt_past\\@\n"
                                                                     ".endif\n"
                                                                     ".endr\n"
                                                                     ".endr\n" SIMT_PLAIN_CALL
                                                                     " \\target\n"
                                                                     ".Lsimt_past\\@:\n"
                                                                     ".endm\n");
#undef SIMT_CALL
#undef SIMT_STRING
#undef SIMT_STRING_OF
#undef SIMT_PLAIN_CALL
#endif
namespace simt
{
[[maybe_unused]] static const int marked = simt_mark_instrumented();
static const bool INSTRUMENTED = true;
} // namespace simt
#else
namespace simt
{
static const bool INSTRUMENTED = false;
} // namespace simt
#endif

#ifndef SIMT_HOST_ONLY
/* Kernels have a heap of their own (heap.c), to which these lead; from the host they pass the call
 * on. In the source itself simt_rewrite puts simt_malloc in place of malloc. */
extern "C" void *simt_malloc(size_t size);
namespace std
{
using ::simt_malloc;
}
#define SIMT_SET(name, function) ".set " name ", " function "\n"
__asm__(
    SIMT_SET("malloc", "simt_malloc") SIMT_SET("free", "simt_free") SIMT_SET("_Znwm", "simt_new")
        SIMT_SET("_Znam", "simt_new_array") SIMT_SET("_ZnwmRKSt9nothrow_t", "simt_nothrow_new")
            SIMT_SET("_ZnamRKSt9nothrow_t",
                     "simt_nothrow_new_array") SIMT_SET("_ZnwmSt11align_val_t", "simt_aligned_new")
                SIMT_SET("_ZnamSt11align_val_t", "simt_aligned_new_array")
                    SIMT_SET("_ZdlPv", "simt_delete") SIMT_SET("_ZdaPv", "simt_delete_array")
                        SIMT_SET("_ZdlPvm", "simt_delete") SIMT_SET("_ZdaPvm", "simt_delete_array")
                            SIMT_SET("_ZdlPvSt11align_val_t", "simt_aligned_delete")
                                SIMT_SET("_ZdaPvSt11align_val_t", "simt_aligned_delete_array")
                                    SIMT_SET("_ZdlPvmSt11align_val_t", "simt_sized_aligned_delete")
                                        SIMT_SET("_ZdaPvmSt11align_val_t",
                                                 "simt_sized_aligned_delete_array"));
#undef SIMT_SET
#endif

/* ---- qualifiers ---- */

#ifndef SIMT_PREPROCESSED
#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
/* One OS thread runs a block, and inside a function thread_local implies static. Without the other
 * word GCC guards variables of classes whose constructor is `= default`; the guards would count as
 * shared memory. simt_rewrite does the same. */
#if !defined(__clang__) && __GNUC__ >= 10
#define __shared__ __constinit thread_local
#else
#define __shared__ thread_local
#endif
#endif

/* ---- built-in variables ---- */

#if !defined(SIMT_PREPROCESSED) && !defined(SIMT_HOST_ONLY)
#define threadIdx simt_thread_index()
#define blockIdx simt_block_index()
#define blockDim simt_block_size()
#define gridDim simt_grid_size()
#endif
constexpr int warpSize = SIMT_WARP_SIZE;

#define SIMT_INLINE static inline __attribute__((always_inline, unused))

SIMT_INLINE dim3 simt_block_size()
{
    return simt_block_dimensions();
}

SIMT_INLINE dim3 simt_grid_size()
{
    return simt_grid_dimensions();
}

/* The caller's place, which identifies barriers and goes into reports. (A return address would not
 * do: compilers clone calls.) */
#define SIMT_SITE const char *simt_file = __builtin_FILE(), int simt_line = __builtin_LINE()

#include "simt_shifts.h"

/* ---- barriers and fences ---- */

SIMT_INLINE void __syncthreads(SIMT_SITE)
{
    simt_block_barrier(SIMT_BARRIER, 0, simt_file, simt_line);
}

SIMT_INLINE int __syncthreads_count(int predicate, SIMT_SITE)
{
    return simt_block_barrier(SIMT_BARRIER_COUNT, predicate, simt_file, simt_line);
}

SIMT_INLINE int __syncthreads_and(int predicate, SIMT_SITE)
{
    return simt_block_barrier(SIMT_BARRIER_AND, predicate, simt_file, simt_line);
}

SIMT_INLINE int __syncthreads_or(int predicate, SIMT_SITE)
{
    return simt_block_barrier(SIMT_BARRIER_OR, predicate, simt_file, simt_line);
}

SIMT_INLINE void __threadfence()
{
    simt_fence();
}

SIMT_INLINE void __threadfence_block()
{
    simt_fence_block();
}

SIMT_INLINE void __threadfence_system()
{
    simt_fence();
}

/* ---- bits ---- */

namespace simt
{

template <class To, class From>
SIMT_INLINE To bits_as(From value)
{
    static_assert(sizeof(To) == sizeof(From), "same size");
    To result;
    __builtin_memcpy(static_cast<void *>(&result), &value, sizeof result);
    return result;
}

/* A 4- or 8-byte value as the runtime passes it, and back. */
template <class T>
SIMT_INLINE uint64_t pack(T value)
{
    if constexpr (sizeof(T) == 4) {
        return bits_as<uint32_t>(value);
    } else {
        return bits_as<uint64_t>(value);
    }
}

template <class T>
SIMT_INLINE T unpack(uint64_t bits)
{
    if constexpr (sizeof(T) == 4) {
        return bits_as<T>(static_cast<uint32_t>(bits));
    } else {
        return bits_as<T>(bits);
    }
}

} // namespace simt

/* ---- warp collectives ---- */

SIMT_INLINE void __syncwarp(unsigned int mask = 0xffffffffu, SIMT_SITE)
{
    simt_warp_collective(SIMT_SYNCWARP, mask, 0, 0, SIMT_WARP_SIZE, 4, simt_file, simt_line);
}

#define SIMT_SHUFFLE_FUNCTION(name, operation, T, lane_type)                                       \
    SIMT_INLINE T name(unsigned int mask, T value, lane_type lane, int width = SIMT_WARP_SIZE,     \
                       SIMT_SITE)                                                                  \
    {                                                                                              \
        return simt::unpack<T>(simt_warp_collective(operation, mask, simt::pack(value),            \
                                                    static_cast<unsigned int>(lane), width,        \
                                                    sizeof(T), simt_file, simt_line));             \
    }
#define SIMT_SHUFFLES(T)                                                                           \
    SIMT_SHUFFLE_FUNCTION(__shfl_sync, SIMT_SHUFFLE, T, int)                                       \
    SIMT_SHUFFLE_FUNCTION(__shfl_up_sync, SIMT_SHUFFLE_UP, T, unsigned int)                        \
    SIMT_SHUFFLE_FUNCTION(__shfl_down_sync, SIMT_SHUFFLE_DOWN, T, unsigned int)                    \
    SIMT_SHUFFLE_FUNCTION(__shfl_xor_sync, SIMT_SHUFFLE_XOR, T, int)
SIMT_SHUFFLES(int)
SIMT_SHUFFLES(unsigned int)
SIMT_SHUFFLES(long)
SIMT_SHUFFLES(unsigned long)
SIMT_SHUFFLES(long long)
SIMT_SHUFFLES(unsigned long long)
SIMT_SHUFFLES(float)
SIMT_SHUFFLES(double)
#undef SIMT_SHUFFLES
#undef SIMT_SHUFFLE_FUNCTION

#define SIMT_VOTE_FUNCTION(name, operation, result)                                                \
    SIMT_INLINE result name(unsigned int mask, int predicate, SIMT_SITE)                           \
    {                                                                                              \
        return static_cast<result>(simt_warp_collective(operation, mask, predicate != 0, 0,        \
                                                        SIMT_WARP_SIZE, 4, simt_file, simt_line)); \
    }
SIMT_VOTE_FUNCTION(__ballot_sync, SIMT_BALLOT, unsigned int)
SIMT_VOTE_FUNCTION(__any_sync, SIMT_ANY, int)
SIMT_VOTE_FUNCTION(__all_sync, SIMT_ALL, int)
#undef SIMT_VOTE_FUNCTION

SIMT_INLINE unsigned int __activemask(SIMT_SITE)
{
    return static_cast<unsigned int>(
        simt_warp_collective(SIMT_ACTIVEMASK, 0, 0, 0, SIMT_WARP_SIZE, 4, simt_file, simt_line));
}

#define SIMT_MATCH_FUNCTIONS(T)                                                                    \
    SIMT_INLINE unsigned int __match_any_sync(unsigned int mask, T value, SIMT_SITE)               \
    {                                                                                              \
        return static_cast<unsigned int>(                                                          \
            simt_warp_collective(SIMT_MATCH_ANY, mask, simt::pack(value), 0, SIMT_WARP_SIZE,       \
                                 sizeof(T), simt_file, simt_line));                                \
    }                                                                                              \
    SIMT_INLINE unsigned int __match_all_sync(unsigned int mask, T value, int *all, SIMT_SITE)     \
    {                                                                                              \
        unsigned int same = static_cast<unsigned int>(                                             \
            simt_warp_collective(SIMT_MATCH_ALL, mask, simt::pack(value), 0, SIMT_WARP_SIZE,       \
                                 sizeof(T), simt_file, simt_line));                                \
        *all = same != 0;                                                                          \
        return same;                                                                               \
    }
SIMT_MATCH_FUNCTIONS(int)
SIMT_MATCH_FUNCTIONS(unsigned int)
SIMT_MATCH_FUNCTIONS(long)
SIMT_MATCH_FUNCTIONS(unsigned long)
SIMT_MATCH_FUNCTIONS(long long)
SIMT_MATCH_FUNCTIONS(unsigned long long)
SIMT_MATCH_FUNCTIONS(float)
SIMT_MATCH_FUNCTIONS(double)
#undef SIMT_MATCH_FUNCTIONS

#define SIMT_REDUCE_FUNCTION(name, operation, T)                                                   \
    SIMT_INLINE T name(unsigned int mask, T value, SIMT_SITE)                                      \
    {                                                                                              \
        return simt::unpack<T>(simt_warp_collective(operation, mask, simt::pack(value), 0,         \
                                                    SIMT_WARP_SIZE, 4, simt_file, simt_line));     \
    }
SIMT_REDUCE_FUNCTION(__reduce_add_sync, SIMT_REDUCE_ADD, unsigned int)
SIMT_REDUCE_FUNCTION(__reduce_add_sync, SIMT_REDUCE_ADD, int)
SIMT_REDUCE_FUNCTION(__reduce_min_sync, SIMT_REDUCE_MIN, unsigned int)
SIMT_REDUCE_FUNCTION(__reduce_min_sync, SIMT_REDUCE_MIN_SIGNED, int)
SIMT_REDUCE_FUNCTION(__reduce_max_sync, SIMT_REDUCE_MAX, unsigned int)
SIMT_REDUCE_FUNCTION(__reduce_max_sync, SIMT_REDUCE_MAX_SIGNED, int)
SIMT_REDUCE_FUNCTION(__reduce_and_sync, SIMT_REDUCE_AND, unsigned int)
SIMT_REDUCE_FUNCTION(__reduce_or_sync, SIMT_REDUCE_OR, unsigned int)
SIMT_REDUCE_FUNCTION(__reduce_xor_sync, SIMT_REDUCE_XOR, unsigned int)
#undef SIMT_REDUCE_FUNCTION

/* ---- atomics: each also with the suffixes _block and _system ---- */

#define SIMT_ATOMIC_FUNCTION(name, operation, T, type)                                             \
    SIMT_INLINE T name(T *address, T operand, SIMT_SITE)                                           \
    {                                                                                              \
        return simt::unpack<T>(simt_atomic(static_cast<enum simt_atomic>(operation), type,         \
                                           address, simt::pack(operand), 0, simt_file,             \
                                           simt_line));                                            \
    }
#define SIMT_ATOMIC_SCOPES(name, operation, T, type)                                               \
    SIMT_ATOMIC_FUNCTION(name, operation, T, type)                                                 \
    SIMT_ATOMIC_FUNCTION(name##_block, operation | SIMT_ATOMIC_OF_BLOCK, T, type)                  \
    SIMT_ATOMIC_FUNCTION(name##_system, operation, T, type)
#define SIMT_ATOMIC_COMPARE_FUNCTION(name, operation, T, type)                                     \
    SIMT_INLINE T name(T *address, T compare, T value, SIMT_SITE)                                  \
    {                                                                                              \
        return simt::unpack<T>(simt_atomic(static_cast<enum simt_atomic>(operation), type,         \
                                           address, simt::pack(value), simt::pack(compare),        \
                                           simt_file, simt_line));                                 \
    }
#define SIMT_ATOMIC_COMPARE_SCOPES(T, type)                                                        \
    SIMT_ATOMIC_COMPARE_FUNCTION(atomicCAS, SIMT_ATOMIC_COMPARE, T, type)                          \
    SIMT_ATOMIC_COMPARE_FUNCTION(atomicCAS_block, SIMT_ATOMIC_COMPARE | SIMT_ATOMIC_OF_BLOCK, T,   \
                                 type)                                                             \
    SIMT_ATOMIC_COMPARE_FUNCTION(atomicCAS_system, SIMT_ATOMIC_COMPARE, T, type)
#define SIMT_ATOMIC_32(name, operation)                                                            \
    SIMT_ATOMIC_SCOPES(name, operation, int, SIMT_INT32)                                           \
    SIMT_ATOMIC_SCOPES(name, operation, unsigned int, SIMT_UINT32)
#define SIMT_ATOMIC_32_64(name, operation)                                                         \
    SIMT_ATOMIC_32(name, operation)                                                                \
    SIMT_ATOMIC_SCOPES(name, operation, unsigned long long, SIMT_UINT64)                           \
    SIMT_ATOMIC_SCOPES(name, operation, long long, SIMT_INT64)

SIMT_ATOMIC_32(atomicAdd, SIMT_ATOMIC_ADD)
SIMT_ATOMIC_SCOPES(atomicAdd, SIMT_ATOMIC_ADD, unsigned long long, SIMT_UINT64)
SIMT_ATOMIC_SCOPES(atomicAdd, SIMT_ATOMIC_ADD, float, SIMT_FLOAT32)
SIMT_ATOMIC_SCOPES(atomicAdd, SIMT_ATOMIC_ADD, double, SIMT_FLOAT64)
SIMT_ATOMIC_32(atomicSub, SIMT_ATOMIC_SUB)
SIMT_ATOMIC_32(atomicExch, SIMT_ATOMIC_EXCHANGE)
SIMT_ATOMIC_SCOPES(atomicExch, SIMT_ATOMIC_EXCHANGE, unsigned long long, SIMT_UINT64)
SIMT_ATOMIC_SCOPES(atomicExch, SIMT_ATOMIC_EXCHANGE, float, SIMT_FLOAT32)
SIMT_ATOMIC_32_64(atomicMin, SIMT_ATOMIC_MIN)
SIMT_ATOMIC_32_64(atomicMax, SIMT_ATOMIC_MAX)
SIMT_ATOMIC_SCOPES(atomicInc, SIMT_ATOMIC_INC, unsigned int, SIMT_UINT32)
SIMT_ATOMIC_SCOPES(atomicDec, SIMT_ATOMIC_DEC, unsigned int, SIMT_UINT32)
SIMT_ATOMIC_32_64(atomicAnd, SIMT_ATOMIC_AND)
SIMT_ATOMIC_32_64(atomicOr, SIMT_ATOMIC_OR)
SIMT_ATOMIC_32_64(atomicXor, SIMT_ATOMIC_XOR)
SIMT_ATOMIC_COMPARE_SCOPES(int, SIMT_INT32)
SIMT_ATOMIC_COMPARE_SCOPES(unsigned int, SIMT_UINT32)
SIMT_ATOMIC_COMPARE_SCOPES(unsigned long long, SIMT_UINT64)

#undef SIMT_ATOMIC_FUNCTION
#undef SIMT_ATOMIC_SCOPES
#undef SIMT_ATOMIC_COMPARE_FUNCTION
#undef SIMT_ATOMIC_COMPARE_SCOPES
#undef SIMT_ATOMIC_32
#undef SIMT_ATOMIC_32_64

/* ---- loads and stores with cache hints ---- */

#define SIMT_LOAD_FUNCTION(name)                                                                   \
    template <class T>                                                                             \
    SIMT_INLINE T name(const T *address)                                                           \
    {                                                                                              \
        return *address;                                                                           \
    }
#define SIMT_STORE_FUNCTION(name)                                                                  \
    template <class T>                                                                             \
    SIMT_INLINE void name(T *address, std::common_type_t<T> value)                                 \
    {                                                                                              \
        *address = value;                                                                          \
    }
SIMT_LOAD_FUNCTION(__ldca)
SIMT_LOAD_FUNCTION(__ldcg)
SIMT_LOAD_FUNCTION(__ldcs)
SIMT_LOAD_FUNCTION(__ldcv)
SIMT_LOAD_FUNCTION(__ldlu)
SIMT_STORE_FUNCTION(__stcg)
SIMT_STORE_FUNCTION(__stcs)
SIMT_STORE_FUNCTION(__stwb)
SIMT_STORE_FUNCTION(__stwt)
#undef SIMT_LOAD_FUNCTION
#undef SIMT_STORE_FUNCTION

template <class T>
SIMT_INLINE T __ldg(const T *address)
{
    simt_read_only(address, sizeof(T));
    return *address;
}

/* An address in the shared window, which 32 bits hold. */
SIMT_INLINE size_t __cvta_generic_to_shared(const void *pointer)
{
    return simt_shared_offset(pointer);
}

SIMT_INLINE void *__cvta_shared_to_generic(size_t offset)
{
    return simt_shared_at(offset);
}

SIMT_INLINE size_t __cvta_generic_to_global(const void *pointer)
{
    return reinterpret_cast<size_t>(pointer);
}

SIMT_INLINE void *__cvta_global_to_generic(size_t address)
{
    return reinterpret_cast<void *>(address);
}

SIMT_INLINE unsigned int __isShared(const void *pointer)
{
    return simt_in_shared(pointer);
}

SIMT_INLINE unsigned int __isGlobal(const void *pointer)
{
    return simt_is_global(pointer);
}

SIMT_INLINE unsigned int __isLocal(const void *pointer)
{
    return simt_is_local(pointer);
}

/* ---- integer intrinsics ---- */

SIMT_INLINE int __popc(unsigned int x)
{
    return __builtin_popcount(x);
}

SIMT_INLINE int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}

SIMT_INLINE int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x));
}

SIMT_INLINE int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}

SIMT_INLINE int __ffs(int x)
{
    return __builtin_ffs(x);
}

SIMT_INLINE int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}

SIMT_INLINE unsigned int __brev(unsigned int x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

SIMT_INLINE unsigned long long __brevll(unsigned long long x)
{
    return static_cast<unsigned long long>(__brev(static_cast<unsigned int>(x))) << 32 |
           __brev(static_cast<unsigned int>(x >> 32));
}

SIMT_INLINE int __mulhi(int a, int b)
{
    return static_cast<int>(static_cast<long long>(a) * b >> 32);
}

SIMT_INLINE unsigned int __umulhi(unsigned int a, unsigned int b)
{
    return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32);
}

/* ---- floating point intrinsics ---- */

SIMT_INLINE int __float_as_int(float x)
{
    return simt::bits_as<int>(x);
}

SIMT_INLINE unsigned int __float_as_uint(float x)
{
    return simt::bits_as<unsigned int>(x);
}

SIMT_INLINE float __int_as_float(int x)
{
    return simt::bits_as<float>(x);
}

SIMT_INLINE float __uint_as_float(unsigned int x)
{
    return simt::bits_as<float>(x);
}

SIMT_INLINE long long __double_as_longlong(double x)
{
    return simt::bits_as<long long>(x);
}

SIMT_INLINE double __longlong_as_double(long long x)
{
    return simt::bits_as<double>(x);
}

/* The barriers keep a compiler with -ffp-contract=fast from fusing a product with a sum. */
#define SIMT_ROUNDED_FUNCTION(name, T, expression)                                                 \
    SIMT_INLINE T name(T a, T b)                                                                   \
    {                                                                                              \
        volatile T result = expression;                                                            \
        return result;                                                                             \
    }
SIMT_ROUNDED_FUNCTION(__fadd_rn, float, a + b)
SIMT_ROUNDED_FUNCTION(__fsub_rn, float, a - b)
SIMT_ROUNDED_FUNCTION(__fmul_rn, float, a *b)
SIMT_ROUNDED_FUNCTION(__fdiv_rn, float, a / b)
SIMT_ROUNDED_FUNCTION(__dadd_rn, double, a + b)
SIMT_ROUNDED_FUNCTION(__dsub_rn, double, a - b)
SIMT_ROUNDED_FUNCTION(__dmul_rn, double, a *b)
SIMT_ROUNDED_FUNCTION(__ddiv_rn, double, a / b)
#undef SIMT_ROUNDED_FUNCTION

SIMT_INLINE float __fmaf_rn(float a, float b, float c)
{
    return fmaf(a, b, c);
}

SIMT_INLINE double __fma_rn(double a, double b, double c)
{
    return fma(a, b, c);
}

SIMT_INLINE float __fsqrt_rn(float x)
{
    return sqrtf(x);
}

SIMT_INLINE float __frcp_rn(float x)
{
    return 1.0f / x;
}

SIMT_INLINE float __fdividef(float a, float b)
{
    return a / b;
}

SIMT_INLINE float __frsqrt_rn(float x)
{
    return static_cast<float>(1.0 / sqrt(static_cast<double>(x)));
}

SIMT_INLINE float __saturatef(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; /* NaN gives 0 */
}

/* Macros, because the C library declares functions of these names. */
#define __expf(x) expf(x)
#define __exp10f(x) powf(10.0f, x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define rsqrtf(x) (1.0f / sqrtf(x))
#define rsqrt(x) (1.0 / sqrt(x))

#define SIMT_MIN_MAX(result, A, B)                                                                 \
    SIMT_INLINE result min(A a, B b)                                                               \
    {                                                                                              \
        return static_cast<result>(b) < static_cast<result>(a) ? static_cast<result>(b)            \
                                                               : static_cast<result>(a);           \
    }                                                                                              \
    SIMT_INLINE result max(A a, B b)                                                               \
    {                                                                                              \
        return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(b)            \
                                                               : static_cast<result>(a);           \
    }
#define SIMT_MIN_MAX_SIGNS(T)                                                                      \
    SIMT_MIN_MAX(T, T, T)                                                                          \
    SIMT_MIN_MAX(unsigned T, unsigned T, unsigned T)                                               \
    SIMT_MIN_MAX(unsigned T, T, unsigned T)                                                        \
    SIMT_MIN_MAX(unsigned T, unsigned T, T)
SIMT_MIN_MAX_SIGNS(int)
SIMT_MIN_MAX_SIGNS(long)
SIMT_MIN_MAX_SIGNS(long long)
#undef SIMT_MIN_MAX_SIGNS
#undef SIMT_MIN_MAX

/* As fmin and fmax: a NaN gives way to a number. */
#define SIMT_MIN_MAX(result, A, B, suffix)                                                         \
    SIMT_INLINE result min(A a, B b)                                                               \
    {                                                                                              \
        return fmin##suffix(a, b);                                                                 \
    }                                                                                              \
    SIMT_INLINE result max(A a, B b)                                                               \
    {                                                                                              \
        return fmax##suffix(a, b);                                                                 \
    }
SIMT_MIN_MAX(float, float, float, f)
SIMT_MIN_MAX(double, double, double, )
SIMT_MIN_MAX(double, float, double, )
SIMT_MIN_MAX(double, double, float, )
#undef SIMT_MIN_MAX

/* ---- time and ends ---- */

SIMT_INLINE long long clock64()
{
    return simt_clock(); /* nanoseconds */
}

SIMT_INLINE void __nanosleep(unsigned int, SIMT_SITE)
{
    simt_yield(simt_file, simt_line);
}

SIMT_INLINE void __trap(SIMT_SITE)
{
    simt_trap(simt_file, simt_line);
}

/* ---- launches: what simt_rewrite makes of name<<<grid, block, shared, stream>>>(arguments)
 * ---- */

/* For what a thread does on its way to the kernel, of which no event need tell. */
#if __has_attribute(disable_sanitizer_instrumentation) /* Clang */
#define SIMT_NO_HOOKS                                                                              \
    __attribute__((disable_sanitizer_instrumentation, no_sanitize("thread", "coverage")))
#elif __has_attribute(no_sanitize_coverage) /* GCC */
#define SIMT_NO_HOOKS __attribute__((no_sanitize_thread, no_sanitize_coverage))
#else
#define SIMT_NO_HOOKS
#endif

namespace simt
{

/* Gives the kernel of a name that means one function. The tag makes the call depend on a template,
 * so that an overloaded name is no error but a reason to take the other way. */
template <class Tag, class... Parameters>
auto function_of(void (*function)(Parameters...))
{
    return function;
}

template <class Body>
void invoke(void *closure)
{
    (*static_cast<Body *>(closure))();
}

/* The same, but not for a body into which the kernel may be inlined: it needs its hooks. */
template <class Body>
SIMT_NO_HOOKS void invoke_without_hooks(void *closure)
{
    (*static_cast<Body *>(closure))();
}

/* What a launch has on the host's stack. */
template <class T>
void include(simt_launch &launch, const T &object)
{
    const char *begin = reinterpret_cast<const char *>(__builtin_addressof(object));
    const char *end = begin + sizeof object;
    launch.begin = launch.begin && launch.begin < begin ? launch.begin : begin;
    launch.end = launch.end && launch.end > end ? launch.end : end;
}

template <class Body, class... Arguments>
void run(simt_launch launch, Body body, void (*invoke)(void *), const Arguments &...arguments)
{
    include(launch, body);
    (include(launch, arguments), ...);
    launch.invoke = invoke;
    launch.closure = &body;
    simt_launch_kernel(&launch);
}

/* A launch of a known function: arguments are converted to its parameters and copied, once. Where
 * parameters have defaults, the call knows them. */
template <class Call, class... Parameters>
struct function_launch {
    simt_launch launch;
    void (*function)(Parameters...);
    Call call;

    void operator()(Parameters... arguments) const
    {
        auto body = [&, kernel = function]() SIMT_NO_HOOKS { kernel(arguments...); };
        run(launch, body, invoke_without_hooks<decltype(body)>, arguments...);
    }

    template <class... Arguments>
    std::enable_if_t<(sizeof...(Arguments) < sizeof...(Parameters))>
    operator()(Arguments... arguments) const
    {
        auto body = [&] { call(arguments...); };
        run(launch, body, invoke<decltype(body)>, arguments..., *this);
    }
};

/* A launch of an overloaded function, or of a template that takes types from its arguments. */
template <class Call>
struct overloaded_launch {
    simt_launch launch;
    Call call;

    template <class... Arguments>
    void operator()(Arguments... arguments) const
    {
        auto body = [&] { call(arguments...); };
        run(launch, body, invoke<decltype(body)>, arguments..., *this);
    }
};

template <class Call, class... Parameters>
function_launch<Call, Parameters...> launch_function(simt_launch launch, Call call,
                                                     void (*function)(Parameters...))
{
    launch.function = reinterpret_cast<const void *>(function);
    return {launch, function, call};
}

template <class Find, class Call>
auto launch(const char *name, Find find, Call call, dim3 grid, dim3 block, size_t shared_bytes = 0,
            cudaStream_t stream = nullptr, SIMT_SITE)
{
    simt_launch launch = {name,    simt_file, simt_line,        grid,         block,   shared_bytes,
                          nullptr, stream,    SIMT_INTERLEAVED, INSTRUMENTED, nullptr, nullptr,
                          false,   false,     nullptr,          nullptr};
    if constexpr (std::is_invocable_v<Find, int>) {
        return launch_function(launch, call, find(0));
    } else {
        return overloaded_launch<Call>{launch, call};
    }
}

/* The same of a value: a pointer to a kernel. */
template <class... Parameters>
auto launch_value(const char *name, void (*function)(Parameters...), dim3 grid, dim3 block,
                  size_t shared_bytes = 0, cudaStream_t stream = nullptr, SIMT_SITE)
{
    auto call = [function](auto &...arguments) { function(arguments...); };
    simt_launch launch = {name,    simt_file, simt_line,        grid,         block,   shared_bytes,
                          nullptr, stream,    SIMT_INTERLEAVED, INSTRUMENTED, nullptr, nullptr,
                          false,   false,     nullptr,          nullptr};
    return launch_function(launch, call, function);
}

} // namespace simt

/* ---- the host API's C++ forms ---- */

template <class T>
inline cudaError_t cudaMalloc(T **pointer, size_t size)
{
    return ::cudaMalloc(reinterpret_cast<void **>(pointer), size);
}

template <class T>
inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream)
{
    return ::cudaMallocAsync(reinterpret_cast<void **>(pointer), size, stream);
}

template <class T>
inline cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned int flags = 0)
{
    return ::cudaHostAlloc(reinterpret_cast<void **>(pointer), size, flags);
}

template <class T>
inline cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc(reinterpret_cast<void **>(pointer), size, flags);
}

template <class T>
inline cudaError_t cudaMallocManaged(T **pointer, size_t size,
                                     unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged(reinterpret_cast<void **>(pointer), size, flags);
}

inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}

template <class T>
inline cudaError_t cudaGetSymbolAddress(void **address, const T &symbol)
{
    *address = simt_symbol(&symbol, sizeof symbol, 0, 0);
    return cudaSuccess;
}

template <class T>
inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
    *size = sizeof symbol;
    return cudaSuccess;
}

template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *source, size_t size,
                                      size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpy(simt_symbol(&symbol, sizeof symbol, offset, size), source, size, kind);
}

template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *destination, const T &symbol, size_t size,
                                        size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpy(destination, simt_symbol(&symbol, sizeof symbol, offset, size), size, kind);
}

template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *source, size_t size,
                                           size_t offset, cudaMemcpyKind kind,
                                           cudaStream_t stream = nullptr)
{
    return ::cudaMemcpyAsync(simt_symbol(&symbol, sizeof symbol, offset, size), source, size, kind,
                             stream);
}

template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void *destination, const T &symbol, size_t size,
                                             size_t offset, cudaMemcpyKind kind,
                                             cudaStream_t stream = nullptr)
{
    return ::cudaMemcpyAsync(destination, simt_symbol(&symbol, sizeof symbol, offset, size), size,
                             kind, stream);
}

template <class... Parameters>
inline cudaError_t cudaFuncSetAttribute(void (*function)(Parameters...),
                                        cudaFuncAttribute attribute, int value)
{
    return ::cudaFuncSetAttribute(reinterpret_cast<const void *>(function), attribute, value);
}

template <class... Parameters>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                         void (*function)(Parameters...))
{
    return ::cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(function));
}

template <class... Parameters>
inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*function)(Parameters...),
                                              int block_size, size_t shared_bytes)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, reinterpret_cast<const void *>(function), block_size, shared_bytes);
}

/* The largest block among those that keep the most threads resident. */
template <class Function>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, Function function,
                                                      size_t shared_bytes = 0, int limit = 0)
{
    int most = 0, processors = 0;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    for (int size = limit > 0 && limit < SIMT_MAX_BLOCK_THREADS ? limit : SIMT_MAX_BLOCK_THREADS;
         size > 0; size = (size - 1) / SIMT_WARP_SIZE * SIMT_WARP_SIZE) {
        int blocks = 0;
        cudaError_t error =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, size, shared_bytes);
        if (error != cudaSuccess) {
            return error;
        }
        if (blocks * size > most) {
            most = blocks * size;
            *block = size;
            *grid = blocks * processors;
        }
    }
    return cudaSuccess;
}

#include "simt_host_api.h"
#include "simt_intrinsics.h"
#ifndef SIMT_HOST_ONLY
#include "simt_ptx.h"
#endif

#endif
