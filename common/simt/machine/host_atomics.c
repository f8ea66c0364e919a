/* What the compiler calls for atomics of C++ in host code, such as a shared_ptr's, where a
 * source is instrumented: carried out, not recorded. The strongest order serves for all. */
#include <stdint.h>

#define ATOMIC_STEP(bits, name)                                                                    \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *, uint##bits##_t, int);   \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *address,                  \
                                                uint##bits##_t value, int order)                   \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_##name(address, value, __ATOMIC_SEQ_CST);                                  \
    }
#define ATOMIC_COMPARE(bits, name)                                                                 \
    int __tsan_atomic##bits##_##name(volatile uint##bits##_t *, uint##bits##_t *, uint##bits##_t,  \
                                     int, int);                                                    \
    int __tsan_atomic##bits##_##name(volatile uint##bits##_t *address, uint##bits##_t *expected,   \
                                     uint##bits##_t value, int order, int failed_order)            \
    {                                                                                              \
        (void)order;                                                                               \
        (void)failed_order;                                                                        \
        return __atomic_compare_exchange_n(address, expected, value, 0, __ATOMIC_SEQ_CST,          \
                                           __ATOMIC_SEQ_CST);                                      \
    }
#define ATOMICS(bits)                                                                              \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *, int);               \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *address, int order)   \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                         \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *, uint##bits##_t, int);              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *address, uint##bits##_t value,       \
                                     int order)                                                    \
    {                                                                                              \
        (void)order;                                                                               \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *, uint##bits##_t, int); \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *address,                \
                                                  uint##bits##_t value, int order)                 \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                              \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        volatile uint##bits##_t *, uint##bits##_t, uint##bits##_t, int, int);                      \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        volatile uint##bits##_t *address, uint##bits##_t expected, uint##bits##_t value,           \
        int order, int failed_order)                                                               \
    {                                                                                              \
        (void)order;                                                                               \
        (void)failed_order;                                                                        \
        __atomic_compare_exchange_n(address, &expected, value, 0, __ATOMIC_SEQ_CST,                \
                                    __ATOMIC_SEQ_CST);                                             \
        return expected;                                                                           \
    }                                                                                              \
    ATOMIC_STEP(bits, fetch_add)                                                                   \
    ATOMIC_STEP(bits, fetch_sub)                                                                   \
    ATOMIC_STEP(bits, fetch_and)                                                                   \
    ATOMIC_STEP(bits, fetch_or)                                                                    \
    ATOMIC_STEP(bits, fetch_xor)                                                                   \
    ATOMIC_STEP(bits, fetch_nand)                                                                  \
    ATOMIC_COMPARE(bits, compare_exchange_strong)                                                  \
    ATOMIC_COMPARE(bits, compare_exchange_weak)

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
