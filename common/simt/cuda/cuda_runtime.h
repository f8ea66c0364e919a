/* Drop-in for CUDA's header of the same name. With it, the host's C++17 compiler accepts CUDA C
 * after simt_rewrite has turned the launches into calls. __SIMT__ is defined, __CUDA_ARCH__ is not.
 * If SIMT_PREPROCESSED is defined, simt_rewrite runs after the preprocessor and handles the
 * qualifiers and built-in variables. If SIMT_HOST_ONLY is defined, for a .cpp file, there are no
 * built-in variables, as in CUDA.
 *
 * Differences from a GPU, besides speed: fast-math intrinsics are as exact as their library
 * functions. A loop that waits for another thread must poll with atomicCAS, atomicExch or
 * __nanosleep. __activemask() waits until no lane of the warp can continue, and then returns the
 * lanes that wait at the same place. */
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
#include <ctype.h>
#include <limits>
#include <math.h>
#include <new>
#include <type_traits>

#include "cuda_runtime_api.h"
#include "vector_types.h"

#define __SIMT__ 1

/* simt.cmake sets these for each source. */
#ifndef SIMT_INTERLEAVED
#define SIMT_INTERLEAVED false
#endif
#ifdef SIMT_INSTRUMENTED
#ifdef __clang__
/* Clang copies structures with these functions, which have no hooks. From here on, the names mean
 * the runtime's functions. */
__asm__(".set memcpy, simt_traced_memcpy\n.set memmove, simt_traced_memmove\n"
        ".set memset, simt_traced_memset");
__asm__(".set __tsan_memcpy, simt_traced_memcpy\n.set __tsan_memmove, simt_traced_memmove\n"
        ".set __tsan_memset, simt_traced_memset");
#endif
/* In a kernel that is not analysed, the calls of hooks would take most of the time. The assembler
 * therefore puts a test before each call to skip it. (GCC emits `call`. Clang emits `callq`, which
 * needs -fno-integrated-as.) */
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
#ifdef __PIC__
#define SIMT_SUFFIXES "@PLT"
#else
#define SIMT_SUFFIXES ", @PLT"
#endif
#define SIMT_GO_PAST                                                                               \
    "cmpb $0, %fs:simt_own@tpoff+" SIMT_STRING(SIMT_PAST_SHARED) "\nje .Lsimt_past\\@\n"
__asm__(".macro " SIMT_CALL " target:vararg\n"
        ".ifeqs \"\\target\", \"__sanitizer_cov_trace_pc@PLT\"\n" /* most calls: no loop */
        SIMT_GO_PAST ".else\n.irp suffix, " SIMT_SUFFIXES "\n"
        ".irp hook, sanitizer_cov_trace_pc, tsan_read1, tsan_read2, tsan_read4, tsan_read8, "
        "tsan_read16, tsan_write1, tsan_write2, tsan_write4, tsan_write8, tsan_write16\n"
        ".ifeqs \"\\target\", \"__\\hook\\suffix\"\n" SIMT_GO_PAST
        ".endif\n.endr\n.endr\n.endif\n" SIMT_PLAIN_CALL " \\target\n.Lsimt_past\\@:\n.endm\n");
/* Host code needs no hooks. It runs the source's other translation, without any (simt_twice.c). */
#define SIMT_IN_KERNEL "%fs:simt_own@tpoff+" SIMT_STRING(SIMT_CURRENT)
__asm__(".macro simt_unless_in_kernel target\n"
        "cmpq $0, " SIMT_IN_KERNEL "\n"
        "je \\target\n"
        ".endm\n");
#undef SIMT_IN_KERNEL
#undef SIMT_CALL
#undef SIMT_STRING
#undef SIMT_STRING_OF
#undef SIMT_PLAIN_CALL
#undef SIMT_SUFFIXES
#undef SIMT_GO_PAST
#endif
namespace simt
{
[[gnu::used]] static const int marked = simt_mark_instrumented();
static const bool INSTRUMENTED = true;
} // namespace simt
#else
namespace simt
{
static const bool INSTRUMENTED = false;
} // namespace simt
#endif

#ifndef SIMT_HOST_ONLY
/* In kernels, these functions use the kernels' own heap (heap.c) and a printf with another return
 * value (printf.c). On the host, they call the usual functions. In the source itself, simt_rewrite
 * replaces malloc by simt_malloc. */
extern "C" void *simt_malloc(size_t size);
namespace std
{
using ::simt_malloc;
}
#define SIMT_SET(name, function) ".set " name ", " function "\n"
/* clang-format off */
__asm__(SIMT_SET("printf", "simt_printf") SIMT_SET("__printf_chk", "simt_printf_chk")
        SIMT_SET("cbrt", "simt_cbrt") SIMT_SET("exp10", "simt_exp10")
        SIMT_SET("cosh", "simt_cosh") SIMT_SET("log10", "simt_log10")
        SIMT_SET("tanh", "simt_tanh") SIMT_SET("j0", "simt_j0") SIMT_SET("j1", "simt_j1")
        SIMT_SET("y0", "simt_y0") SIMT_SET("y1", "simt_y1") SIMT_SET("tgammaf", "simt_tgammaf")
        SIMT_SET("lgammaf", "simt_lgammaf") SIMT_SET("j0f", "simt_j0f") SIMT_SET("j1f", "simt_j1f")
        SIMT_SET("y0f", "simt_y0f") SIMT_SET("y1f", "simt_y1f")
        SIMT_SET("malloc", "simt_malloc")
        SIMT_SET("free", "simt_free") SIMT_SET("_Znwm", "simt_new")
        SIMT_SET("_Znam", "simt_new_array") SIMT_SET("_ZnwmRKSt9nothrow_t", "simt_nothrow_new")
        SIMT_SET("_ZnamRKSt9nothrow_t", "simt_nothrow_new_array")
        SIMT_SET("_ZnwmSt11align_val_t", "simt_aligned_new")
        SIMT_SET("_ZnamSt11align_val_t", "simt_aligned_new_array")
        SIMT_SET("_ZdlPv", "simt_delete") SIMT_SET("_ZdaPv", "simt_delete_array")
        SIMT_SET("_ZdlPvm", "simt_delete") SIMT_SET("_ZdaPvm", "simt_delete_array")
        SIMT_SET("_ZdlPvSt11align_val_t", "simt_aligned_delete")
        SIMT_SET("_ZdaPvSt11align_val_t", "simt_aligned_delete_array")
        SIMT_SET("_ZdlPvmSt11align_val_t", "simt_sized_aligned_delete")
        SIMT_SET("_ZdaPvmSt11align_val_t", "simt_sized_aligned_delete_array"));
/* clang-format on */
#undef SIMT_SET
/* The runtime refers to the host's operator new weakly, because C programs lack it. This reference
 * makes sure that libstdc++, which defines it, is linked even if nothing else needs it. */
__asm__(".pushsection .data.rel.ro, \"aw\"\n.balign 8\n.8byte _ZSt7nothrow\n.popsection");
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
#define __cluster_dims__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
/* One OS thread runs a block, and inside a function thread_local implies static. __constinit stops
 * GCC from adding guards for variables of classes whose constructor is `= default`. Guards would
 * count as shared memory. simt_rewrite does the same. */
#if !defined(__clang__) && __GNUC__ >= 10
#define __shared__ __constinit thread_local
#else
#define __shared__ thread_local
#endif
#endif

/* Selects which of the two bodies of a function runs (simt_arch.c makes them). */
#define SIMT_ON_DEVICE (!__builtin_is_constant_evaluated() && simt_is_in_kernel())

/* ---- built-in variables ---- */

#if !defined(SIMT_PREPROCESSED) && !defined(SIMT_HOST_ONLY)
#define threadIdx simt_thread_index()
#define blockIdx simt_block_index()
#define blockDim simt_block_size()
#define gridDim simt_grid_size()
#endif
#ifdef SIMT_PREPROCESSED
constexpr int simt_warp_size = SIMT_WARP_SIZE; /* warpSize; a program may define its own */
#elif !defined(SIMT_HOST_ONLY)
constexpr int warpSize = SIMT_WARP_SIZE;
#endif

#define SIMT_INLINE static inline __attribute__((always_inline, unused))

/* ---- shared memory ---- */

namespace simt
{

/* simt_rewrite puts a gap of gap() bytes after a __shared__ variable. Between two variables of one
 * declaration it has between<T> elements, which keeps their alignment the same. */
constexpr size_t gap(size_t alignment)
{
    return SIMT_GAP_BYTES + SIMT_GAP_UNIT * __builtin_ctzl(alignment);
}

template <class T>
constexpr size_t element = sizeof(T);
template <class T, size_t n>
constexpr size_t element<T[n]> = element<T>;

template <class T>
constexpr size_t between =
    (SIMT_GAP_BYTES + SIMT_GAP_UNIT - sizeof(T) % SIMT_GAP_UNIT + element<T> - 1) / element<T>;

/* Dynamic shared memory that is declared with an alignment: a number, or that of a type. */
template <size_t n>
struct dynamic_alignment {
    static inline const int known = simt_dynamic_alignment(n);
};

template <size_t n>
SIMT_INLINE void *dynamic_shared()
{
    static_cast<void>(&dynamic_alignment<n>::known);
    return simt_dynamic_shared();
}

template <class T>
SIMT_INLINE void *dynamic_shared()
{
    return dynamic_shared<alignof(T)>();
}

} // namespace simt

SIMT_INLINE dim3 simt_block_size()
{
    return simt_block_dimensions();
}

SIMT_INLINE dim3 simt_grid_size()
{
    return simt_grid_dimensions();
}

/* The caller's place, which identifies barriers and appears in reports. (A return address would not
 * work, because compilers clone calls.) */
#define SIMT_SITE const char *simt_file = __builtin_FILE(), int simt_line = __builtin_LINE()

#include "simt_shifts.h"

/* ---- barriers and fences ---- */

SIMT_INLINE void __syncthreads(SIMT_SITE)
{
    simt_block_wait(simt_file, simt_line);
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
    simt_fence_as(0);
}

SIMT_INLINE void __threadfence_block()
{
    simt_fence_as(SIMT_OF_BLOCK);
}

SIMT_INLINE void __threadfence_system()
{
    simt_fence_as(SIMT_OF_SYSTEM);
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

#include "simt_warp.h"

#include "simt_atomics.h"

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
SIMT_LOAD_FUNCTION(__ldlu)
SIMT_STORE_FUNCTION(__stcg)
SIMT_STORE_FUNCTION(__stcs)
SIMT_STORE_FUNCTION(__stwb)
SIMT_STORE_FUNCTION(__stwt)
#undef SIMT_LOAD_FUNCTION
#undef SIMT_STORE_FUNCTION

/* Loads from memory each time, for polling. */
template <class T>
SIMT_INLINE T __ldcv(const T *address)
{
    if constexpr (std::is_scalar_v<T>) {
        return *(const volatile T *)address;
    } else {
        return *address;
    }
}

template <class T>
SIMT_INLINE T __ldg(const T *address)
{
    simt_read_only(address, sizeof(T));
    return *address;
}

/* The offset in the shared window, which fits into 32 bits. */
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

#include "simt_math.h"

/* ---- time and ends ---- */

SIMT_INLINE long long clock64()
{
    return simt_clock(); /* nanoseconds */
}

SIMT_INLINE void __nanosleep(unsigned int, SIMT_SITE)
{
    simt_yield(simt_file, simt_line);
}

/* A kernel begins after the previous one in its stream has ended, even if it may begin earlier. The
 * checks however assume the earlier begin. */
SIMT_INLINE void cudaGridDependencySynchronize()
{
    simt_fence_as(SIMT_OF_LAUNCHES);
}

SIMT_INLINE void cudaTriggerProgrammaticLaunchCompletion()
{
}

SIMT_INLINE void __trap(SIMT_SITE)
{
    simt_trap(simt_file, simt_line);
}

#include "simt_launch.h"

/* ---- the host API's C++ forms ---- */

namespace simt
{

/* The address of a pointer of any type, also of one to const, for the allocating functions. */
template <class T>
inline void **address_of(T **pointer)
{
    return reinterpret_cast<void **>(const_cast<std::remove_cv_t<T> **>(pointer));
}

} // namespace simt

#ifdef SIMT_INSTRUMENTED
/* A kernel ends the program instead of accessing memory past a variable of known size.
 *
 * GCC adds no hooks to the accesses of these functions, unless it turns a call into one move. They
 * therefore tell the runtime. `const` lets a thread's own variables stay free of hooks. SIMT_TELL
 * hides the size from the compiler: calls stay in place, and do not become moves with hooks. */
#if defined __SANITIZE_THREAD__ && !defined __clang__
#define SIMT_TELL(size) __asm__ volatile("" : "+r"(size))
#define SIMT_IS_MOVE(size)                                                                         \
    (__builtin_constant_p(size) && (size) <= sizeof(void *[2]) && ((size) & ((size)-1)) == 0)
#else
#define SIMT_TELL(size) (void)0
#define SIMT_IS_MOVE(size) true
#endif
#define SIMT_COPY(name)                                                                            \
    extern inline __attribute__((always_inline, gnu_inline, artificial)) void *name(               \
        void *to, const void *from, size_t size) noexcept(true)                                    \
    {                                                                                              \
        simt_bytes_fit(to, __builtin_object_size(to, 0), size, #name "() writes");                 \
        simt_bytes_fit(from, __builtin_object_size(from, 0), size, #name "() reads");              \
        if (SIMT_IS_MOVE(size)) {                                                                  \
            return __builtin_##name(to, from, size);                                               \
        }                                                                                          \
        SIMT_TELL(size);                                                                           \
        from = simt_copies_from(from, size);                                                       \
        return __builtin_##name(simt_copies_to(to, size), from, size);                             \
    }
extern "C" {
const void *simt_copies_from(const void *from, size_t size) noexcept(true) __attribute__((const));
void *simt_copies_to(void *to, size_t size) noexcept(true) __attribute__((const));
SIMT_COPY(memcpy)
SIMT_COPY(memmove)
extern inline __attribute__((always_inline, gnu_inline, artificial)) void *
memset(void *to, int byte, size_t size) noexcept(true)
{
    simt_bytes_fit(to, __builtin_object_size(to, 0), size, "memset() writes");
#if defined __SANITIZE_THREAD__ && !defined __clang__
    SIMT_TELL(size);
    to = simt_copies_to(to, size);
#endif
    return __builtin_memset(to, byte, size);
}
}
#undef SIMT_COPY
#undef SIMT_IS_MOVE
#undef SIMT_TELL
#define __builtin_memcpy(...) ::memcpy(__VA_ARGS__)
#define __builtin_memmove(...) ::memmove(__VA_ARGS__)
#define __builtin_memset(...) ::memset(__VA_ARGS__)
#endif

/* `drop(), call()`: a call whose result, an error code, the program drops. */
namespace simt
{
struct drop {
};
} // namespace simt
inline void operator,(simt::drop, cudaError_t error)
{
    if (error != cudaSuccess) {
        simt_result_dropped(error);
    }
}

template <class T>
inline cudaError_t cudaMalloc(T **pointer, size_t size)
{
    return ::cudaMalloc(simt::address_of(pointer), size);
}

template <class T>
inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream)
{
    return ::cudaMallocAsync(simt::address_of(pointer), size, stream);
}

template <class T>
inline cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned int flags = 0)
{
    return flags == 0 ? ::cudaMallocHost(simt::address_of(pointer), size)
                      : ::cudaHostAlloc(simt::address_of(pointer), size, flags);
}

template <class T>
inline cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc(simt::address_of(pointer), size, flags);
}

template <class T>
inline cudaError_t cudaMallocManaged(T **pointer, size_t size,
                                     unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged(simt::address_of(pointer), size, flags);
}

inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}

namespace simt
{
inline void *address_of_symbol(const volatile void *symbol)
{
    return const_cast<void *>(symbol);
}
} // namespace simt

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
    return simt_copy_symbol("cudaMemcpyToSymbol", &symbol, sizeof symbol, offset,
                            simt::address_of_symbol(&symbol), source, size, kind, nullptr, true);
}

template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *destination, const T &symbol, size_t size,
                                        size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return simt_copy_symbol("cudaMemcpyFromSymbol", &symbol, sizeof symbol, offset, destination,
                            simt::address_of_symbol(&symbol), size, kind, nullptr, true);
}

template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *source, size_t size,
                                           size_t offset, cudaMemcpyKind kind,
                                           cudaStream_t stream = nullptr)
{
    return simt_copy_symbol("cudaMemcpyToSymbolAsync", &symbol, sizeof symbol, offset,
                            simt::address_of_symbol(&symbol), source, size, kind, stream, false);
}

template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void *destination, const T &symbol, size_t size,
                                             size_t offset, cudaMemcpyKind kind,
                                             cudaStream_t stream = nullptr)
{
    return simt_copy_symbol("cudaMemcpyFromSymbolAsync", &symbol, sizeof symbol, offset,
                            destination, simt::address_of_symbol(&symbol), size, kind, stream,
                            false);
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

/* The largest block size among those with the most resident threads. */
template <class Function, class SharedBytes>
inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, Function function,
                                               SharedBytes shared_bytes_of, int limit = 0)
{
    int most = 0, processors = 0;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    for (int size = limit > 0 && limit < SIMT_MAX_BLOCK_THREADS ? limit : SIMT_MAX_BLOCK_THREADS;
         size > 0; size = (size - 1) / SIMT_WARP_SIZE * SIMT_WARP_SIZE) {
        int blocks = 0;
        cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, size,
                                                                          shared_bytes_of(size));
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

template <class Function>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, Function function,
                                                      size_t shared_bytes = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        grid, block, function, [shared_bytes](int) { return shared_bytes; }, limit);
}

#include "simt_host_api.h"
#include "simt_intrinsics.h"
#ifndef SIMT_HOST_ONLY
#include "simt_ptx.h"
#include "simt_textures.h"

#include "simt_clusters.h"
#include "simt_directed.h"
#include "simt_nv_atomics.h"
#include "simt_special.h"
#include "simt_video.h"
#endif

#endif
