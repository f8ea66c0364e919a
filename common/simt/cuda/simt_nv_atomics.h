/* __nv_atomic_*: atomics with an order and a scope. cuda_runtime.h includes this. */
#ifndef SIMT_NV_ATOMICS_H
#define SIMT_NV_ATOMICS_H

#include "simt_ptx_runtime.h"

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

namespace simt
{

SIMT_INLINE unsigned int scope_bit(int scope)
{
    return scope == __NV_THREAD_SCOPE_BLOCK    ? static_cast<unsigned int>(SIMT_OF_BLOCK)
           : scope == __NV_THREAD_SCOPE_SYSTEM ? static_cast<unsigned int>(SIMT_OF_SYSTEM)
                                               : 0u;
}

SIMT_INLINE void before_atomic(int order, int scope, unsigned int ordering = SIMT_RELEASES)
{
    if (order >= __NV_ATOMIC_RELEASE && scope != __NV_THREAD_SCOPE_THREAD) {
        simt_fence_as(scope_bit(scope) | ordering);
    }
}

SIMT_INLINE void after_atomic(int order, int scope)
{
    if (order != __NV_ATOMIC_RELAXED && order != __NV_ATOMIC_RELEASE &&
        scope != __NV_THREAD_SCOPE_THREAD) {
        simt_fence_as(scope_bit(scope) | SIMT_ACQUIRES);
    }
}

template <class T>
constexpr enum simt_type atomic_type()
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8,
                  "__nv_atomic: 4 and 8 bytes are known on the CPU back end");
    return std::is_same_v<T, float>    ? SIMT_FLOAT32
           : std::is_same_v<T, double> ? SIMT_FLOAT64
           : sizeof(T) == 4            ? (std::is_signed_v<T> ? SIMT_INT32 : SIMT_UINT32)
                                       : (std::is_signed_v<T> ? SIMT_INT64 : SIMT_UINT64);
}

template <class T>
SIMT_INLINE T ordered_atomic(int operation, T *address, T operand, T compare, int order, int scope,
                             const char *file, int line)
{
    uint64_t old;
    before_atomic(order, scope);
    if (scope == __NV_THREAD_SCOPE_BLOCK) {
        operation |= SIMT_ATOMIC_OF_BLOCK;
    }
    old = simt_atomic(static_cast<enum simt_atomic>(operation), atomic_type<T>(), address,
                      pack(operand), pack(compare), file, line);
    after_atomic(order, scope);
    return unpack<T>(old);
}

template <class T>
using same = std::common_type_t<T>; /* not used to deduce T */

} // namespace simt

SIMT_INLINE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    if (order >= __NV_ATOMIC_ACQ_REL) {
        simt::before_atomic(order, scope, 0);
    } else {
        simt::before_atomic(order, scope);
        simt::after_atomic(order, scope);
    }
}

#define SIMT_ORDERED int order, int scope = __NV_THREAD_SCOPE_SYSTEM, SIMT_SITE

template <class T>
SIMT_INLINE T __nv_atomic_load_n(const T *address, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    const T value = simt::unpack<T>(simt_strong_load(address, sizeof(T) | simt::scope_bit(scope)));
    simt::after_atomic(order, scope);
    return value;
}

template <class T>
SIMT_INLINE void __nv_atomic_load(const T *address, T *value, int order,
                                  int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    *value = __nv_atomic_load_n(address, order, scope);
}

template <class T>
SIMT_INLINE void __nv_atomic_store_n(T *address, simt::same<T> value, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    simt::before_atomic(order, scope);
    simt_strong_store(address, simt::pack(value), sizeof(T) | simt::scope_bit(scope));
}

template <class T>
SIMT_INLINE void __nv_atomic_store(T *address, T *value, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    __nv_atomic_store_n(address, *value, order, scope);
}

#define SIMT_NV_ATOMIC(name, operation)                                                            \
    template <class T>                                                                             \
    SIMT_INLINE T __nv_atomic_fetch_##name(T *address, simt::same<T> operand, SIMT_ORDERED)        \
    {                                                                                              \
        return simt::ordered_atomic<T>(operation, address, operand, T{}, order, scope, simt_file,  \
                                       simt_line);                                                 \
    }                                                                                              \
    template <class T>                                                                             \
    SIMT_INLINE void __nv_atomic_##name(T *address, simt::same<T> operand, SIMT_ORDERED)           \
    {                                                                                              \
        simt::ordered_atomic<T>(operation, address, operand, T{}, order, scope, simt_file,         \
                                simt_line);                                                        \
    }
SIMT_NV_ATOMIC(add, SIMT_ATOMIC_ADD)
SIMT_NV_ATOMIC(and, SIMT_ATOMIC_AND)
SIMT_NV_ATOMIC(or, SIMT_ATOMIC_OR)
SIMT_NV_ATOMIC(xor, SIMT_ATOMIC_XOR)
SIMT_NV_ATOMIC(min, SIMT_ATOMIC_MIN)
SIMT_NV_ATOMIC(max, SIMT_ATOMIC_MAX)
#undef SIMT_NV_ATOMIC

template <class T>
SIMT_INLINE T __nv_atomic_fetch_sub(T *address, simt::same<T> operand, SIMT_ORDERED)
{
    return simt::ordered_atomic<T>(SIMT_ATOMIC_ADD, address, static_cast<T>(T{} - operand), T{},
                                   order, scope, simt_file, simt_line);
}

template <class T>
SIMT_INLINE void __nv_atomic_sub(T *address, simt::same<T> operand, SIMT_ORDERED)
{
    __nv_atomic_fetch_sub(address, operand, order, scope, simt_file, simt_line);
}

template <class T>
SIMT_INLINE T __nv_atomic_exchange_n(T *address, simt::same<T> value, SIMT_ORDERED)
{
    return simt::ordered_atomic<T>(SIMT_ATOMIC_EXCHANGE, address, value, T{}, order, scope,
                                   simt_file, simt_line);
}

template <class T>
SIMT_INLINE void __nv_atomic_exchange(T *address, T *value, T *old, SIMT_ORDERED)
{
    *old = __nv_atomic_exchange_n(address, *value, order, scope, simt_file, simt_line);
}

template <class T>
SIMT_INLINE bool __nv_atomic_compare_exchange_n(T *address, T *expected, simt::same<T> desired,
                                                bool, int order, int,
                                                int scope = __NV_THREAD_SCOPE_SYSTEM, SIMT_SITE)
{
    const T wanted = *expected;
    *expected = simt::ordered_atomic<T>(SIMT_ATOMIC_COMPARE, address, desired, wanted, order, scope,
                                        simt_file, simt_line);
    return simt::pack(*expected) == simt::pack(wanted);
}

template <class T>
SIMT_INLINE bool __nv_atomic_compare_exchange(T *address, T *expected, T *desired, bool weak,
                                              int order, int failed,
                                              int scope = __NV_THREAD_SCOPE_SYSTEM, SIMT_SITE)
{
    return __nv_atomic_compare_exchange_n(address, expected, *desired, weak, order, failed, scope,
                                          simt_file, simt_line);
}

#undef SIMT_ORDERED

#endif
