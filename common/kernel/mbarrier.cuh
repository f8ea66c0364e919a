/* Barriers in shared memory (mbarrier) that count arriving threads and arriving bytes, and the copy
 * whose bytes they count, on Hopper (sm_90) and later GPUs. Source: PTX ISA, mbarrier and
 * cp.async.bulk. */
#ifndef RUNGS_MBARRIER_CUH
#define RUNGS_MBARRIER_CUH

#include <cuda_runtime.h>

/* A phase of the barrier completes when all expected threads have arrived and all expected bytes
 * have been copied; then the next phase begins. The phases' parity is 0, 1, 0, ... */
typedef unsigned long long phase_barrier;

static inline __device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* Initializes the barrier: each phase expects `arrivals` arrivals. */
static inline __device__ void barrier_create(phase_barrier *barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
                 : "memory");
}

/* Makes the barriers visible to the TMA. Called by the thread that initialized them, after the last
 * barrier_create; a __syncthreads must follow before other threads use them. */
static inline __device__ void barriers_created()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static inline __device__ void barrier_arrive(phase_barrier *barrier)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* Arrives, and makes the current phase expect `bytes` more bytes. */
static inline __device__ void barrier_arrive_expecting(phase_barrier *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

/* Waits until the phase with that parity has completed. If the current phase has the other parity,
 * it already has. */
static inline __device__ void barrier_wait(phase_barrier *barrier, unsigned parity)
{
    unsigned done;
    do
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    while (!done);
}

/* Starts an asynchronous copy of `bytes` bytes from global to shared memory. The barrier counts the
 * bytes as they arrive. `to`, `from` and `bytes` must be multiples of 16. */
static inline __device__ void copy_bulk(void *to, const void *from, unsigned bytes,
                                        phase_barrier *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

/* Orders the thread's writes to shared memory before what the TMA, or wgmma, reads there later. */
static inline __device__ void before_async_reads()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#endif
/* SPDX-License-Identifier: MIT */
