/* The compiler calls these functions for C++ atomics in instrumented sources.
 *
 * In host code, such as shared_ptr's: performed but not recorded, always with the strongest order.
 * In kernels, such as libcu++'s: handled as CUDA C's atomics. Their memory order becomes a fence
 * before or after them. */
#include <stdint.h>

#include "machine/hooks.h"
#include "machine/machine.h"

/* The scope of the next atomic's order, or 0: libcu++ has just set it. */
static unsigned int next_scope;

void simt_next_scope(unsigned int scope)
{
    next_scope = scope;
}

static unsigned int take_scope(void)
{
    const unsigned int scope = next_scope;
    next_scope = 0;
    return scope;
}

static void fence_before(int order, unsigned int scope)
{
    if (order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST) {
        simt_fence_as(scope | SIMT_RELEASES);
    }
}

static void fence_after(int order, unsigned int scope)
{
    if (order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE) {
        simt_fence_as(scope | SIMT_ACQUIRES);
    }
}

static uint64_t load(const void *caller, unsigned int bits, const void *address, int order)
{
    const unsigned int scope = take_scope();
    const uint64_t found = simt_strong_load_by(caller, address, bits / 8 | scope);
    fence_after(order, scope);
    return found;
}

static void store(const void *caller, unsigned int bits, void *address, uint64_t value, int order)
{
    const unsigned int scope = take_scope();
    fence_before(order, scope);
    simt_strong_store_by(caller, address, value, bits / 8 | scope);
}

static uint64_t change(const void *caller, enum simt_atomic operation, unsigned int bits,
                       void *address, uint64_t value, uint64_t compare, int order)
{
    const enum simt_type type = bits == 8    ? SIMT_UINT8
                                : bits == 16 ? SIMT_UINT16
                                : bits == 32 ? SIMT_UINT32
                                             : SIMT_UINT64;
    const unsigned int scope = take_scope();
    uint64_t found;
    fence_before(order, scope);
    found =
        simt_atomic_by(caller, scope & SIMT_OF_BLOCK ? operation | SIMT_ATOMIC_OF_BLOCK : operation,
                       type, address, value, compare, "libcu++", 0);
    fence_after(order, scope);
    return found;
}

#define CALLER __builtin_return_address(0)
#define ATOMIC_STEP(bits, name, operation)                                                         \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *, uint##bits##_t, int);   \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *address,                  \
                                                uint##bits##_t value, int order)                   \
    {                                                                                              \
        if (simt_in_kernel()) {                                                                    \
            return (uint##bits##_t)change(CALLER, operation, bits, (void *)(uintptr_t)address,     \
                                          value, 0, order);                                        \
        }                                                                                          \
        return __atomic_##name(address, value, __ATOMIC_SEQ_CST);                                  \
    }
#define ATOMIC_COMPARE(bits, name)                                                                 \
    int __tsan_atomic##bits##_##name(volatile uint##bits##_t *, uint##bits##_t *, uint##bits##_t,  \
                                     int, int);                                                    \
    int __tsan_atomic##bits##_##name(volatile uint##bits##_t *address, uint##bits##_t *expected,   \
                                     uint##bits##_t value, int order, int failed_order)            \
    {                                                                                              \
        (void)failed_order;                                                                        \
        if (simt_in_kernel()) {                                                                    \
            const uint##bits##_t compare = *expected;                                              \
            *expected = (uint##bits##_t)change(CALLER, SIMT_ATOMIC_COMPARE, bits,                  \
                                               (void *)(uintptr_t)address, value, compare, order); \
            return *expected == compare;                                                           \
        }                                                                                          \
        return __atomic_compare_exchange_n(address, expected, value, 0, __ATOMIC_SEQ_CST,          \
                                           __ATOMIC_SEQ_CST);                                      \
    }
#define ATOMICS(bits)                                                                              \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *, int);               \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *address, int order)   \
    {                                                                                              \
        if (simt_in_kernel()) {                                                                    \
            return (uint##bits##_t)load(CALLER, bits, (const void *)(uintptr_t)address, order);    \
        }                                                                                          \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                         \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *, uint##bits##_t, int);              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *address, uint##bits##_t value,       \
                                     int order)                                                    \
    {                                                                                              \
        if (simt_in_kernel()) {                                                                    \
            store(CALLER, bits, (void *)(uintptr_t)address, value, order);                         \
            return;                                                                                \
        }                                                                                          \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *, uint##bits##_t, int); \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *address,                \
                                                  uint##bits##_t value, int order)                 \
    {                                                                                              \
        if (simt_in_kernel()) {                                                                    \
            return (uint##bits##_t)change(CALLER, SIMT_ATOMIC_EXCHANGE, bits,                      \
                                          (void *)(uintptr_t)address, value, 0, order);            \
        }                                                                                          \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                              \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        volatile uint##bits##_t *, uint##bits##_t, uint##bits##_t, int, int);                      \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        volatile uint##bits##_t *address, uint##bits##_t expected, uint##bits##_t value,           \
        int order, int failed_order)                                                               \
    {                                                                                              \
        (void)failed_order;                                                                        \
        if (simt_in_kernel()) {                                                                    \
            return (uint##bits##_t)change(CALLER, SIMT_ATOMIC_COMPARE, bits,                       \
                                          (void *)(uintptr_t)address, value, expected, order);     \
        }                                                                                          \
        __atomic_compare_exchange_n(address, &expected, value, 0, __ATOMIC_SEQ_CST,                \
                                    __ATOMIC_SEQ_CST);                                             \
        return expected;                                                                           \
    }                                                                                              \
    ATOMIC_STEP(bits, fetch_add, SIMT_ATOMIC_ADD)                                                  \
    ATOMIC_STEP(bits, fetch_sub, SIMT_ATOMIC_SUB)                                                  \
    ATOMIC_STEP(bits, fetch_and, SIMT_ATOMIC_AND)                                                  \
    ATOMIC_STEP(bits, fetch_or, SIMT_ATOMIC_OR)                                                    \
    ATOMIC_STEP(bits, fetch_xor, SIMT_ATOMIC_XOR)                                                  \
    ATOMIC_COMPARE(bits, compare_exchange_strong)                                                  \
    ATOMIC_COMPARE(bits, compare_exchange_weak)

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    if (simt_in_kernel()) {
        const unsigned int scope = take_scope();
        if (order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST) {
            simt_fence_as(scope);
        } else {
            fence_before(order, scope);
            fence_after(order, scope);
        }
        return;
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
/* SPDX-License-Identifier: MIT */
