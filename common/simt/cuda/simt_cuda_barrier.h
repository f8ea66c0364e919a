/* The part of libcu++'s <cuda/barrier> that kernels use: barriers of a block, in shared memory
 * (mbarriers), and copies that arrive at them. Reports give the line of the caller. Scopes and
 * cuda::std come from a CUDA toolkit's headers if there are any. */
#ifndef SIMT_CUDA_BARRIER_H
#define SIMT_CUDA_BARRIER_H

#include <chrono>
#include <cstddef>
#include <new>
#include <utility>

#include "cuda.h"
#include "cuda_runtime.h"

#include <cuda/std/utility>
#if __has_include(<cuda/std/__atomic/scopes.h>)
#include <cuda/std/__atomic/scopes.h>
#elif __has_include(<cuda/atomic>)
#include <cuda/atomic>
#else
namespace cuda
{
enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread = 10
};
} // namespace cuda
#endif

namespace cuda
{

namespace details
{
struct no_completion {
    void operator()() const noexcept
    {
    }
};
} // namespace details

template <thread_scope Scope, class Completion = details::no_completion>
class barrier
{
    static_assert(Scope == thread_scope_block,
                  "not available on the CPU back end: cuda::barrier of another scope than a block");
    static_assert(::std::is_same<Completion, details::no_completion>::value,
                  "not available on the CPU back end: cuda::barrier with a completion function");
    mutable uint64_t state;

    bool wait_once(uint64_t token, unsigned int flags, const char *file, int line) const
    {
        return simt_mbarrier_wait(&state, token, flags, file, line);
    }

  public:
    using arrival_token = uint64_t;

    barrier() = default;
    barrier(ptrdiff_t expected, Completion completion = Completion(), SIMT_SITE)
    {
        init(this, expected, completion, simt_file, simt_line);
    }
    barrier(const barrier &) = delete;
    barrier &operator=(const barrier &) = delete;
    ~barrier()
    {
        simt_mbarrier_invalidate(&state, __builtin_FILE(), __builtin_LINE());
    }
    friend void init(barrier *at, ptrdiff_t expected, Completion = Completion(), SIMT_SITE)
    {
        simt_mbarrier_init(&at->state, static_cast<unsigned int>(expected), simt_file, simt_line);
    }
    static constexpr ptrdiff_t max() noexcept
    {
        return (1 << 20) - 1;
    }
    arrival_token arrive(ptrdiff_t count = 1, SIMT_SITE)
    {
        return simt_mbarrier_arrive(&state, static_cast<unsigned int>(count), 0, 0, simt_file,
                                    simt_line);
    }
    void wait(arrival_token &&token, SIMT_SITE) const
    {
        while (!wait_once(token, ::simt::ptx::m_try, simt_file, simt_line)) {
        }
    }
    void wait_parity(bool parity, SIMT_SITE) const
    {
        while (
            !wait_once(parity, ::simt::ptx::m_try | ::simt::ptx::m_parity, simt_file, simt_line)) {
        }
    }
    template <class Time, class Unit>
    bool try_wait_for(arrival_token &&token, const ::std::chrono::duration<Time, Unit> &,
                      SIMT_SITE) const
    {
        return wait_once(token, ::simt::ptx::m_try, simt_file, simt_line);
    }
    template <class Time, class Unit>
    bool try_wait_parity_for(bool parity, const ::std::chrono::duration<Time, Unit> &,
                             SIMT_SITE) const
    {
        return wait_once(parity, ::simt::ptx::m_try | ::simt::ptx::m_parity, simt_file, simt_line);
    }
    void arrive_and_wait(SIMT_SITE)
    {
        wait(arrive(1, simt_file, simt_line), simt_file, simt_line);
    }
    void arrive_and_drop(SIMT_SITE)
    {
        simt_mbarrier_arrive(&state, 1, 0, ::simt::ptx::m_drop, simt_file, simt_line);
    }
    /* For barrier_native_handle(). */
    uint64_t *simt_handle()
    {
        return &state;
    }
};

/* ---- sizes that are multiples of a known alignment, like the addresses ---- */

template <::std::size_t Alignment>
struct aligned_size_t {
    static constexpr ::std::size_t align = Alignment;
    ::std::size_t value;
    explicit constexpr aligned_size_t(::std::size_t size) : value(size)
    {
    }
    constexpr operator ::std::size_t() const
    {
        return value;
    }
};

enum class async_contract_fulfillment { none, async };

namespace device
{

template <thread_scope Scope>
SIMT_INLINE uint64_t *barrier_native_handle(barrier<Scope> &of)
{
    return of.simt_handle();
}

template <thread_scope Scope>
SIMT_INLINE uint64_t barrier_arrive_tx(barrier<Scope> &at, ptrdiff_t count, ptrdiff_t bytes,
                                       SIMT_SITE)
{
    return simt_mbarrier_arrive(at.simt_handle(), static_cast<unsigned int>(count),
                                static_cast<unsigned int>(bytes), 0, simt_file, simt_line);
}

template <thread_scope Scope>
SIMT_INLINE void barrier_expect_tx(barrier<Scope> &at, ptrdiff_t bytes, SIMT_SITE)
{
    simt_mbarrier_expect(at.simt_handle(), static_cast<unsigned int>(bytes), simt_file, simt_line);
}

template <class T, ::std::size_t Alignment>
SIMT_INLINE async_contract_fulfillment memcpy_async_tx(T *to, const T *from,
                                                       aligned_size_t<Alignment> size,
                                                       barrier<thread_scope_block> &at, SIMT_SITE)
{
    static_assert(Alignment >= 16, "memcpy_async_tx takes multiples of 16 bytes");
    simt_bulk_load(to, from, static_cast<unsigned int>(size), at.simt_handle(), 0, simt_file,
                   simt_line);
    return async_contract_fulfillment::async;
}

} // namespace device

namespace details
{

template <class Size>
struct alignment_of {
    static constexpr ::std::size_t value = 1;
};
template <::std::size_t Alignment>
struct alignment_of<aligned_size_t<Alignment>> {
    static constexpr ::std::size_t value = Alignment;
};

template <class T, class Size>
constexpr ::std::size_t alignment()
{
    return alignof(T) < alignment_of<Size>::value ? alignment_of<Size>::value : alignof(T);
}

struct one_thread {
    static constexpr unsigned int size()
    {
        return 1;
    }
    static constexpr unsigned int thread_rank()
    {
        return 0;
    }
};

/* Copies pieces of `Bytes` bytes. Each thread copies some of them. */
template <unsigned int Bytes, class Group>
SIMT_INLINE void copy_pieces(const Group &group, char *to, const char *from, ::std::size_t size,
                             const char *file, int line)
{
    for (::std::size_t i = group.thread_rank() * Bytes; i < size; i += group.size() * Bytes) {
        simt_pipeline_copy(to + i, from + i, Bytes, 0, file, line);
    }
}

/* A copy from global to shared memory uses cp.async, in pieces as large as the alignment that the
 * types guarantee. With less than 4 bytes, or between other memories, it is a plain copy. */
template <class T, class Size, class Group>
SIMT_INLINE async_contract_fulfillment copy_in_pieces(const Group &group, T *to, const T *from,
                                                      ::std::size_t size, const char *file,
                                                      int line)
{
    constexpr ::std::size_t align = alignment<T, Size>();
    char *const there = reinterpret_cast<char *>(to);
    const char *const here = reinterpret_cast<const char *>(from);
    if (align < 4 || !simt_in_shared(to) || !simt_is_global(from)) {
        for (::std::size_t i = group.thread_rank(); i < size; i += group.size()) {
            there[i] = here[i];
        }
        return async_contract_fulfillment::none;
    }
    copy_pieces<align >= 16 ? 16 : align >= 8 ? 8 : 4>(group, there, here, size, file, line);
    return async_contract_fulfillment::async;
}

/* As on a GPU of compute capability 9.0: a copy into shared memory is one bulk copy if the types
 * guarantee multiples of 16 bytes. */
template <class Group, class T, class Size>
SIMT_INLINE async_contract_fulfillment copy_async(const Group &group, T *to, const T *from,
                                                  Size size, barrier<thread_scope_block> &at,
                                                  const char *file, int line)
{
    async_contract_fulfillment how = async_contract_fulfillment::async;
    if (alignment<T, Size>() >= 16 && simt_in_shared(to) && simt_is_global(from)) {
        if (group.thread_rank() == 0) {
            simt_mbarrier_expect(at.simt_handle(), static_cast<unsigned int>(size), file, line);
            simt_bulk_load(to, from, static_cast<unsigned int>(size), at.simt_handle(), 0, file,
                           line);
        }
    } else {
        how = copy_in_pieces<T, Size>(group, to, from, size, file, line);
        if (how == async_contract_fulfillment::async) {
            simt_copy_arrive(at.simt_handle(), false, file, line);
        }
    }
    return how;
}

} // namespace details

template <class T, class Size>
SIMT_INLINE async_contract_fulfillment memcpy_async(T *to, const T *from, Size size,
                                                    barrier<thread_scope_block> &at, SIMT_SITE)
{
    return details::copy_async(details::one_thread(), to, from, size, at, simt_file, simt_line);
}

template <class Group, class T, class Size>
SIMT_INLINE async_contract_fulfillment memcpy_async(const Group &group, T *to, const T *from,
                                                    Size size, barrier<thread_scope_block> &at,
                                                    SIMT_SITE)
{
    return details::copy_async(group, to, from, size, at, simt_file, simt_line);
}

template <class Size>
SIMT_INLINE async_contract_fulfillment memcpy_async(void *to, const void *from, Size size,
                                                    barrier<thread_scope_block> &at, SIMT_SITE)
{
    return details::copy_async(details::one_thread(), static_cast<char *>(to),
                               static_cast<const char *>(from), size, at, simt_file, simt_line);
}

template <class Group, class Size>
SIMT_INLINE async_contract_fulfillment memcpy_async(const Group &group, void *to, const void *from,
                                                    Size size, barrier<thread_scope_block> &at,
                                                    SIMT_SITE)
{
    return details::copy_async(group, static_cast<char *>(to), static_cast<const char *>(from),
                               size, at, simt_file, simt_line);
}

/* ---- the names of CUDA 12 ---- */

namespace device
{
namespace experimental
{

SIMT_INLINE void cp_async_bulk_global_to_shared(void *to, const void *from, uint32_t size,
                                                barrier<thread_scope_block> &at, SIMT_SITE)
{
    simt_bulk_load(to, from, size, at.simt_handle(), 0, simt_file, simt_line);
}

SIMT_INLINE void cp_async_bulk_shared_to_global(void *to, const void *from, uint32_t size,
                                                SIMT_SITE)
{
    simt_bulk_store(to, from, size, simt_file, simt_line);
}

#define SIMT_TENSOR_COPIES(N, PARAMETERS, ...)                                                     \
    SIMT_INLINE void cp_async_bulk_tensor_##N##d_global_to_shared(                                 \
        void *to, const CUtensorMap *map, PARAMETERS, barrier<thread_scope_block> &at, SIMT_SITE)  \
    {                                                                                              \
        const int where[] = {__VA_ARGS__};                                                         \
        simt_tensor_load(to, map, where, N, nullptr, at.simt_handle(), 0, simt_file, simt_line);   \
    }                                                                                              \
    SIMT_INLINE void cp_async_bulk_tensor_##N##d_shared_to_global(                                 \
        const CUtensorMap *map, PARAMETERS, const void *from, SIMT_SITE)                           \
    {                                                                                              \
        const int where[] = {__VA_ARGS__};                                                         \
        simt_tensor_store(from, map, where, N, false, simt_file, simt_line);                       \
    }
#define SIMT_AND ,
SIMT_TENSOR_COPIES(1, int a, a)
SIMT_TENSOR_COPIES(2, int a SIMT_AND int b, a, b)
SIMT_TENSOR_COPIES(3, int a SIMT_AND int b SIMT_AND int c, a, b, c)
SIMT_TENSOR_COPIES(4, int a SIMT_AND int b SIMT_AND int c SIMT_AND int d, a, b, c, d)
SIMT_TENSOR_COPIES(5, int a SIMT_AND int b SIMT_AND int c SIMT_AND int d SIMT_AND int e, a, b, c, d,
                   e)
#undef SIMT_AND
#undef SIMT_TENSOR_COPIES

SIMT_INLINE void fence_proxy_async_shared_cta()
{
    simt_fence_proxy_async();
}

SIMT_INLINE void cp_async_bulk_commit_group()
{
    simt_bulk_commit();
}

template <int Groups>
SIMT_INLINE void cp_async_bulk_wait_group()
{
    simt_bulk_wait(Groups, false);
}

template <int Groups>
SIMT_INLINE void cp_async_bulk_wait_group_read()
{
    simt_bulk_wait(Groups, true);
}

} // namespace experimental
} // namespace device
} // namespace cuda

#endif
