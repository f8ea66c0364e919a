// Helpers of faults_ptx.cu: one or two lines of PTX each. Reports name the line of the call.
#ifndef PTX_HELPERS_CUH
#define PTX_HELPERS_CUH

#include <cuda_runtime.h>

typedef unsigned long long barrier_t;

__device__ static __forceinline__ unsigned shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ static __forceinline__ void init(barrier_t *b, unsigned count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared(b)), "r"(count) : "memory");
}

__device__ static __forceinline__ void fence_init()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// For one arrival. The fence makes the initialized barrier visible to copies.
__device__ static __forceinline__ void init_one(barrier_t *b)
{
    init(b, 1);
    fence_init();
}

__device__ static __forceinline__ void fence_proxy()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ static __forceinline__ void arrive(barrier_t *b)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared(b)) : "memory");
}

__device__ static __forceinline__ void expect(barrier_t *b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared(b)), "r"(bytes)
                 : "memory");
}

__device__ static __forceinline__ void wait(barrier_t *b, unsigned parity)
{
    asm volatile("{\n\t.reg .pred p;\n"
                 "again:\n\tmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n\t@!p bra "
                 "again;\n\t}" ::"r"(shared(b)),
                 "r"(parity)
                 : "memory");
}

// The same with mbarrier.test_wait.
__device__ static __forceinline__ void poll(barrier_t *b, unsigned parity)
{
    unsigned done;
    do
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(shared(b)), "r"(parity)
                     : "memory");
    while (!done);
}

__device__ static __forceinline__ void load(void *to, const void *from, unsigned bytes,
                                            barrier_t *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared(to)),
                 "l"(from), "r"(bytes), "r"(shared(b))
                 : "memory");
}

__device__ static __forceinline__ void expect_load(void *to, const void *from, unsigned bytes,
                                                   barrier_t *b)
{
    expect(b, bytes);
    load(to, from, bytes, b);
}

__device__ static __forceinline__ void load_box(void *to, const void *map, int x, int y,
                                                barrier_t *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared(b))
                 : "memory");
}

__device__ static __forceinline__ void store(void *to, const void *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                 "cp.async.bulk.commit_group;" ::"l"(to),
                 "r"(shared(from)), "r"(bytes)
                 : "memory");
}

__device__ static __forceinline__ void add_four(float *to)
{
    asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(to), "f"(1.0f) : "memory");
}

__device__ static __forceinline__ void add_half(unsigned short *to)
{
    asm volatile("red.global.add.noftz.f16 [%0], %1;" ::"l"(to), "h"((unsigned short)0x3c00)
                 : "memory");
}

#endif
