/* Drop-in for CUDA's header of the same name: mbarriers. */
#ifndef SIMT_CUDA_AWBARRIER_PRIMITIVES_H
#define SIMT_CUDA_AWBARRIER_PRIMITIVES_H

#include "cuda_runtime.h"

typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

static inline uint32_t __mbarrier_maximum_count()
{
    return (1 << 20) - 1;
}

SIMT_INLINE void __mbarrier_init(__mbarrier_t *barrier, uint32_t expected, SIMT_SITE)
{
    simt_mbarrier_init(barrier, expected, simt_file, simt_line);
}

SIMT_INLINE void __mbarrier_inval(__mbarrier_t *barrier, SIMT_SITE)
{
    simt_mbarrier_invalidate(barrier, simt_file, simt_line);
}

SIMT_INLINE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier, SIMT_SITE)
{
    return simt_mbarrier_arrive(barrier, 1, 0, 0, simt_file, simt_line);
}

SIMT_INLINE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier, SIMT_SITE)
{
    return simt_mbarrier_arrive(barrier, 1, 0, simt::ptx::m_drop, simt_file, simt_line);
}

SIMT_INLINE uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token)
{
    return simt::ptx::mbarrier_pending_count(token);
}

SIMT_INLINE bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token, SIMT_SITE)
{
    return simt_mbarrier_wait(barrier, token, 0, simt_file, simt_line);
}

SIMT_INLINE bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool parity, SIMT_SITE)
{
    return simt_mbarrier_wait(barrier, parity, simt::ptx::m_parity, simt_file, simt_line);
}

/* Ignores the maximum waiting time. */
SIMT_INLINE bool __mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token, uint32_t,
                                     SIMT_SITE)
{
    return simt_mbarrier_wait(barrier, token, simt::ptx::m_try, simt_file, simt_line);
}

SIMT_INLINE bool __mbarrier_try_wait_parity(__mbarrier_t *barrier, bool parity, uint32_t, SIMT_SITE)
{
    return simt_mbarrier_wait(barrier, parity, simt::ptx::m_try | simt::ptx::m_parity, simt_file,
                              simt_line);
}

#endif
