/* What kernels for Hopper (sm_90) and later GPUs share: barriers in shared memory that count bytes
 * (mbarrier), and the copy engine (TMA). PTX throughout, so for the cuda back end only. Source: PTX
 * ISA, Parallel Synchronization and Communication Instructions. */
#ifndef RUNGS_HOPPER_CUH
#define RUNGS_HOPPER_CUH

#include "kernel/dependent_launch.cuh"

/* ---- barriers in shared memory --------------------------------------------------------------- */

/* A phase ends when as many arrivals as the barrier was made for, and all bytes expected, have
 * come. Phases alternate in parity, beginning with 0. */
typedef unsigned long long phase_barrier;

static inline __device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static inline __device__ void barrier_create(phase_barrier *barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
                 : "memory");
}

/* After the last barrier_create, by the thread that called it, before a __syncthreads: the copy
 * engine sees the barriers. */
static inline __device__ void barriers_created()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static inline __device__ void barrier_arrive(phase_barrier *barrier)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* Arrives, and adds `bytes` to what the phase waits for. */
static inline __device__ void barrier_arrive_expecting(phase_barrier *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

/* Returns when the phase of that parity has ended; at once if it is not the one under way. */
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

/* ---- the copy engine ------------------------------------------------------------------------- */

/* Asks for `bytes` (a multiple of 16, as must the addresses be) to be copied to shared memory and
 * counted by the barrier. */
static inline __device__ void copy_bulk(void *to, const void *from, unsigned bytes,
                                        phase_barrier *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

#endif
