// Helpers of faults_wgmma.cu: one or two lines of PTX each. Reports name the line of the call.
#ifndef WGMMA_HELPERS_CUH
#define WGMMA_HELPERS_CUH

#include "ptx_helpers.cuh"

// Tiles of bfloat16 without swizzle: A is 64 x 16, B is 16 x 8. They consist of cores: 8 rows of 16
// bytes, stored one after the other.
static const int A_BYTES = 2048, B_BYTES = 256, TILES = A_BYTES + B_BYTES;

__device__ static __forceinline__ unsigned long long descriptor(const void *tile, unsigned lead,
                                                                unsigned stride, unsigned mode)
{
    return (unsigned long long)((shared(tile) & 0x3ffff) >> 4) |
           (unsigned long long)(lead >> 4) << 16 | (unsigned long long)(stride >> 4) << 32 |
           (unsigned long long)mode << 62;
}

// The same descriptor, from the lowest bits of a pointer.
__device__ static __forceinline__ unsigned long long of_pointer(const void *tile)
{
    return ((unsigned long long)tile & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

__device__ static __forceinline__ unsigned long long of_a(const void *tile)
{
    return descriptor(tile, 1024, 128, 0);
}

__device__ static __forceinline__ unsigned long long of_b(const void *tile)
{
    return descriptor(tile, 128, 128, 0);
}

__device__ static __forceinline__ void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ static __forceinline__ void commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int GROUPS>
__device__ static __forceinline__ void wait_groups()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(GROUPS) : "memory");
}

__device__ static __forceinline__ void commit_and_wait()
{
    commit();
    wait_groups<0>();
}

__device__ static __forceinline__ void multiply(float (&d)[4], unsigned long long a,
                                                unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, "
                 "%6, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(b), "n"(1)
                 : "memory");
}

// An MMA of another shape: its half-precision sums, 64 x 8, take half of the registers.
__device__ static __forceinline__ void multiply_half(unsigned (&d)[2], unsigned long long a,
                                                     unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0, %1}, %2, %3, 1, 1, 1, 0, "
                 "0;"
                 : "+r"(d[0]), "+r"(d[1])
                 : "l"(a), "l"(b)
                 : "memory");
}

template <int COUNT>
__device__ static __forceinline__ void fewer_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}

template <int COUNT>
__device__ static __forceinline__ void more_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}

__device__ static __forceinline__ void give_columns(const void *from, const void *map, int w)
{
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group "
                 "[%0, {%1, %2, %3, %4}], [%5];\n"
                 "cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;" ::"l"(map),
                 "r"(0), "r"(w), "r"(0), "r"(0), "r"(shared(from))
                 : "memory");
}

__device__ static __forceinline__ void release_map()
{
    asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
}

__device__ static __forceinline__ void acquire_map(const void *map)
{
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

__device__ static __forceinline__ void copy_map(void *to, const void *from)
{
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync"
                 ".aligned [%0], [%1], 128;" ::"l"(to),
                 "r"(shared(from))
                 : "memory");
}

__device__ static __forceinline__ void set_address(CUtensorMap *map, const void *address)
{
    asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(map),
                 "l"(address)
                 : "memory");
}

// Sets the address in a map that is in shared memory.
__device__ static __forceinline__ void set_shared_address(CUtensorMap *map, const void *address)
{
    asm volatile(
        "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(shared(map)),
        "l"(address)
        : "memory");
}

__device__ static __forceinline__ void set_rows(CUtensorMap *map, unsigned rows)
{
    asm volatile(
        "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(shared(map)),
        "r"(rows)
        : "memory");
}

__device__ static __forceinline__ void store_box(const void *from, const void *map, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
                 "cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;" ::"l"(map),
                 "r"(x), "r"(y), "r"(shared(from))
                 : "memory");
}

#endif
