/* The part of libcu++'s <cuda/ptx> that kernels use, if no CUDA toolkit has it: one function per
 * instruction on mbarriers, bulk copies, fences and clusters. Reports give the caller's line. */
#ifndef SIMT_CUDA_PTX_H
#define SIMT_CUDA_PTX_H

#include <cstdint>
#include <type_traits>

#include "cuda.h"
#include "cuda_runtime.h"

namespace cuda
{
namespace ptx
{

/* ---- tags ---- */

enum class dot_sem { acq_rel, acquire, relaxed, release, sc, weak };
enum class dot_space { global, cluster, shared };
enum class dot_scope { cta, cluster, gpu, sys };

template <dot_sem Sem>
using sem_t = ::std::integral_constant<dot_sem, Sem>;
template <dot_space Space>
using space_t = ::std::integral_constant<dot_space, Space>;
template <dot_scope Scope>
using scope_t = ::std::integral_constant<dot_scope, Scope>;
template <int Count>
using n32_t = ::std::integral_constant<int, Count>;

#define SIMT_PTX_TAG(kind, name)                                                                   \
    using kind##_##name##_t = kind##_t<dot_##kind::name>;                                          \
    static constexpr kind##_##name##_t kind##_##name{};
SIMT_PTX_TAG(sem, acq_rel)
SIMT_PTX_TAG(sem, acquire)
SIMT_PTX_TAG(sem, relaxed)
SIMT_PTX_TAG(sem, release)
SIMT_PTX_TAG(sem, sc)
SIMT_PTX_TAG(sem, weak)
SIMT_PTX_TAG(space, global)
SIMT_PTX_TAG(space, cluster)
SIMT_PTX_TAG(space, shared)
SIMT_PTX_TAG(scope, cta)
SIMT_PTX_TAG(scope, cluster)
SIMT_PTX_TAG(scope, gpu)
SIMT_PTX_TAG(scope, sys)
#undef SIMT_PTX_TAG

/* ---- mbarrier ---- */

SIMT_INLINE void mbarrier_init(uint64_t *at, const uint32_t &count, SIMT_SITE)
{
    simt_mbarrier_init(at, count, simt_file, simt_line);
}

SIMT_INLINE uint64_t mbarrier_arrive(uint64_t *at, SIMT_SITE)
{
    return simt_mbarrier_arrive(at, 1, 0, 0, simt_file, simt_line);
}

SIMT_INLINE uint64_t mbarrier_arrive(uint64_t *at, const uint32_t &count, SIMT_SITE)
{
    return simt_mbarrier_arrive(at, count, 0, 0, simt_file, simt_line);
}

template <dot_sem Sem, dot_scope Scope>
SIMT_INLINE uint64_t mbarrier_arrive(sem_t<Sem>, scope_t<Scope>, space_shared_t, uint64_t *at,
                                     SIMT_SITE)
{
    return simt_mbarrier_arrive(at, 1, 0, Sem == dot_sem::relaxed ? ::simt::ptx::m_relaxed : 0,
                                simt_file, simt_line);
}

template <dot_sem Sem, dot_scope Scope>
SIMT_INLINE uint64_t mbarrier_arrive(sem_t<Sem>, scope_t<Scope>, space_shared_t, uint64_t *at,
                                     const uint32_t &count, SIMT_SITE)
{
    return simt_mbarrier_arrive(at, count, 0, Sem == dot_sem::relaxed ? ::simt::ptx::m_relaxed : 0,
                                simt_file, simt_line);
}

template <dot_sem Sem, dot_scope Scope>
SIMT_INLINE void mbarrier_arrive(sem_t<Sem>, scope_t<Scope>, space_cluster_t, uint64_t *at,
                                 SIMT_SITE)
{
    simt_mbarrier_arrive(at, 1, 0, Sem == dot_sem::relaxed ? ::simt::ptx::m_relaxed : 0, simt_file,
                         simt_line);
}

template <dot_sem Sem, dot_scope Scope>
SIMT_INLINE void mbarrier_arrive(sem_t<Sem>, scope_t<Scope>, space_cluster_t, uint64_t *at,
                                 const uint32_t &count, SIMT_SITE)
{
    simt_mbarrier_arrive(at, count, 0, Sem == dot_sem::relaxed ? ::simt::ptx::m_relaxed : 0,
                         simt_file, simt_line);
}

SIMT_INLINE uint64_t mbarrier_arrive_no_complete(uint64_t *at, const uint32_t &count, SIMT_SITE)
{
    return simt_mbarrier_arrive(at, count, 0, ::simt::ptx::m_noComplete, simt_file, simt_line);
}

template <dot_sem Sem, dot_scope Scope>
SIMT_INLINE uint64_t mbarrier_arrive_expect_tx(sem_t<Sem>, scope_t<Scope>, space_shared_t,
                                               uint64_t *at, const uint32_t &bytes, SIMT_SITE)
{
    return simt_mbarrier_arrive(at, 1, bytes, Sem == dot_sem::relaxed ? ::simt::ptx::m_relaxed : 0,
                                simt_file, simt_line);
}

template <dot_sem Sem, dot_scope Scope>
SIMT_INLINE void mbarrier_arrive_expect_tx(sem_t<Sem>, scope_t<Scope>, space_cluster_t,
                                           uint64_t *at, const uint32_t &bytes, SIMT_SITE)
{
    simt_mbarrier_arrive(at, 1, bytes, Sem == dot_sem::relaxed ? ::simt::ptx::m_relaxed : 0,
                         simt_file, simt_line);
}

template <dot_scope Scope, dot_space Space>
SIMT_INLINE void mbarrier_expect_tx(sem_relaxed_t, scope_t<Scope>, space_t<Space>, uint64_t *at,
                                    uint32_t bytes, SIMT_SITE)
{
    simt_mbarrier_expect(at, bytes, simt_file, simt_line);
}

/* Four forms: plain; with a time limit, which is ignored; with an order and a scope; with both. */
#define SIMT_PTX_WAIT(name, type, flags)                                                           \
    SIMT_INLINE bool name(uint64_t *at, const type &state, SIMT_SITE)                              \
    {                                                                                              \
        return simt_mbarrier_wait(at, state, flags, simt_file, simt_line);                         \
    }                                                                                              \
    template <dot_sem Sem, dot_scope Scope>                                                        \
    SIMT_INLINE bool name(sem_t<Sem>, scope_t<Scope>, uint64_t *at, const type &state, SIMT_SITE)  \
    {                                                                                              \
        return simt_mbarrier_wait(                                                                 \
            at, state, (flags) | (Sem == dot_sem::relaxed ? ::simt::ptx::m_relaxed : 0u),          \
            simt_file, simt_line);                                                                 \
    }
#define SIMT_PTX_TRY_WAIT(name, type, flags)                                                       \
    SIMT_PTX_WAIT(name, type, flags)                                                               \
    SIMT_INLINE bool name(uint64_t *at, const type &state, const uint32_t &, SIMT_SITE)            \
    {                                                                                              \
        return simt_mbarrier_wait(at, state, flags, simt_file, simt_line);                         \
    }                                                                                              \
    template <dot_sem Sem, dot_scope Scope>                                                        \
    SIMT_INLINE bool name(sem_t<Sem> sem, scope_t<Scope> scope, uint64_t *at, const type &state,   \
                          const uint32_t &, SIMT_SITE)                                             \
    {                                                                                              \
        return name(sem, scope, at, state, simt_file, simt_line);                                  \
    }
SIMT_PTX_WAIT(mbarrier_test_wait, uint64_t, 0u)
SIMT_PTX_WAIT(mbarrier_test_wait_parity, uint32_t, ::simt::ptx::m_parity + 0u)
SIMT_PTX_TRY_WAIT(mbarrier_try_wait, uint64_t, ::simt::ptx::m_try + 0u)
SIMT_PTX_TRY_WAIT(mbarrier_try_wait_parity, uint32_t, ::simt::ptx::m_try | ::simt::ptx::m_parity)
#undef SIMT_PTX_TRY_WAIT
#undef SIMT_PTX_WAIT

/* ---- fences ---- */

SIMT_INLINE void fence_proxy_async()
{
    simt_fence_proxy_async();
}

template <dot_space Space>
SIMT_INLINE void fence_proxy_async(space_t<Space>)
{
    simt_fence_proxy_async();
}

SIMT_INLINE void fence_mbarrier_init(sem_release_t, scope_cluster_t)
{
    simt_fence_mbarrier_init();
}

template <dot_sem Sem, dot_scope Scope>
SIMT_INLINE void fence(sem_t<Sem>, scope_t<Scope>)
{
    if (Scope == dot_scope::cta) {
        __threadfence_block();
    } else if (Scope == dot_scope::sys) {
        __threadfence_system();
    } else {
        __threadfence();
    }
}

/* ---- bulk copies ---- */

template <dot_space To>
SIMT_INLINE void cp_async_bulk(space_t<To>, space_global_t, void *to, const void *from,
                               const uint32_t &size, uint64_t *at, SIMT_SITE)
{
    simt_bulk_load(to, from, size, at, 0, simt_file, simt_line);
}

SIMT_INLINE void cp_async_bulk(space_cluster_t, space_global_t, void *to, const void *from,
                               const uint32_t &size, uint64_t *at, const uint16_t &blocks,
                               SIMT_SITE)
{
    simt_bulk_load(to, from, size, at, blocks, simt_file, simt_line);
}

SIMT_INLINE void cp_async_bulk(space_cluster_t, space_shared_t, void *to, const void *from,
                               const uint32_t &size, uint64_t *at, SIMT_SITE)
{
    simt_bulk_load(to, from, size, at, 0, simt_file, simt_line);
}

SIMT_INLINE void cp_async_bulk(space_global_t, space_shared_t, void *to, const void *from,
                               const uint32_t &size, SIMT_SITE)
{
    simt_bulk_store(to, from, size, simt_file, simt_line);
}

template <dot_space To, int Count>
SIMT_INLINE void cp_async_bulk_tensor(space_t<To>, space_global_t, void *to, const void *map,
                                      const int32_t (&where)[Count], uint64_t *at, SIMT_SITE)
{
    simt_tensor_load(to, map, where, Count, nullptr, at, 0, simt_file, simt_line);
}

template <int Count>
SIMT_INLINE void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map,
                                      const int32_t (&where)[Count], uint64_t *at,
                                      const uint16_t &blocks, SIMT_SITE)
{
    simt_tensor_load(to, map, where, Count, nullptr, at, blocks, simt_file, simt_line);
}

template <int Count>
SIMT_INLINE void cp_async_bulk_tensor(space_global_t, space_shared_t, const void *map,
                                      const int32_t (&where)[Count], const void *from, SIMT_SITE)
{
    simt_tensor_store(from, map, where, Count, false, simt_file, simt_line);
}

SIMT_INLINE void cp_async_bulk_commit_group()
{
    simt_bulk_commit();
}

template <int Count>
SIMT_INLINE void cp_async_bulk_wait_group(n32_t<Count>)
{
    simt_bulk_wait(Count, false);
}

template <int Count>
SIMT_INLINE void cp_async_bulk_wait_group_read(n32_t<Count>)
{
    simt_bulk_wait(Count, true);
}

SIMT_INLINE void cp_async_mbarrier_arrive(uint64_t *at, SIMT_SITE)
{
    simt_copy_arrive(at, false, simt_file, simt_line);
}

SIMT_INLINE void cp_async_mbarrier_arrive_noinc(uint64_t *at, SIMT_SITE)
{
    simt_copy_arrive(at, true, simt_file, simt_line);
}

/* ---- clusters, special registers ---- */

SIMT_INLINE void barrier_cluster_arrive(SIMT_SITE)
{
    simt_cluster_arrive(false, simt_file, simt_line);
}

template <dot_sem Sem>
SIMT_INLINE void barrier_cluster_arrive(sem_t<Sem>, SIMT_SITE)
{
    simt_cluster_arrive(Sem == dot_sem::relaxed, simt_file, simt_line);
}

SIMT_INLINE void barrier_cluster_wait(SIMT_SITE)
{
    simt_cluster_wait(simt_file, simt_line);
}

SIMT_INLINE void barrier_cluster_wait(sem_acquire_t, SIMT_SITE)
{
    simt_cluster_wait(simt_file, simt_line);
}

SIMT_INLINE uint32_t getctarank(space_cluster_t, const void *address)
{
    return simt_cluster_rank_of(address);
}

SIMT_INLINE uint32_t get_sreg_laneid()
{
    return ::simt::ptx::lane();
}

SIMT_INLINE uint32_t get_sreg_cluster_ctarank()
{
    return simt_cluster_rank();
}

SIMT_INLINE uint32_t get_sreg_cluster_nctarank()
{
    return ::simt::ptx::cluster_size();
}

} // namespace ptx
} // namespace cuda

#endif
