/* MMAs of a warpgroup, four warps, on Hopper's tensor cores (sm_90a). They run asynchronously.
 * wgmma_start orders them after the threads' writes to their registers, wgmma_commit closes a group
 * of them, and wgmma_wait<n> waits until at most n groups are still running. Until then no thread
 * may access the sums or overwrite the tiles. Source: PTX ISA, Asynchronous Warpgroup Level Matrix
 * Instructions. */
#ifndef RUNGS_WGMMA_CUH
#define RUNGS_WGMMA_CUH

#include <stdint.h>

#include "kernel/mbarrier.cuh"

static const unsigned WARPGROUP = 128;

/* The thread's warpgroup in its block. All lanes use lane 0's number. So the compiler keeps values
 * that depend on it in uniform registers. wgmma takes tile descriptors from these, and would have
 * to wait for each that is in another register. */
static inline __device__ unsigned warpgroup_of_thread()
{
    return __shfl_sync(~0U, threadIdx.x / WARPGROUP, 0);
}

/* Waits for all threads of the warpgroup. */
static inline __device__ void warpgroup_barrier()
{
    asm volatile("bar.sync %0, %1;" ::"r"(1 + threadIdx.x / WARPGROUP), "n"(WARPGROUP) : "memory");
}

/* Describes a tile in shared memory whose rows have 128 bytes, swizzled as by the TMA: the 16-byte
 * chunk c of row r is at c ^ r % 8. The tile starts at a multiple of 1024 bytes; `tile` may be
 * further on by whole rows or chunks. `distance` is the number of bytes from 64 columns to the next
 * 64, for a tile whose rows run along m or n. */
static inline __device__ uint64_t wgmma_tile(const void *tile, unsigned distance)
{
    const uint64_t eight_rows = 1024, swizzle_128 = 1;

    return (shared_address(tile) & 0x3FFFF) >> 4 | (uint64_t)(distance >> 4) << 16 |
           eight_rows >> 4 << 32 | swizzle_128 << 62;
}

/* Describes the tile that begins `bytes` bytes further on, a multiple of 16: one addition. */
static inline __device__ uint64_t wgmma_further(uint64_t tile, unsigned bytes)
{
    return tile + (bytes >> 4);
}

static inline __device__ void wgmma_start()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static inline __device__ void wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <unsigned RUNNING>
static inline __device__ void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(RUNNING) : "memory");
}

/* Waits for all groups. Afterwards the sums may be read. The empty asm keeps the compiler from
 * reading them earlier. */
template <unsigned SUMS>
static inline __device__ void wgmma_finish(float (&sum)[SUMS])
{
    wgmma_wait<0>();
#pragma unroll
    for (unsigned i = 0; i < SUMS; i++)
        asm volatile("" : "+f"(sum[i])::"memory");
}

/* ---- the products ---------------------------------------------------------------------------- */

#define WGMMA_REGISTERS_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define WGMMA_REGISTERS_32                                                                         \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "                  \
    "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WGMMA_REGISTERS_40 WGMMA_REGISTERS_32 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define WGMMA_REGISTERS_48 WGMMA_REGISTERS_40 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define WGMMA_REGISTERS_52 WGMMA_REGISTERS_48 ", %48, %49, %50, %51"
#define WGMMA_REGISTERS_64                                                                         \
    WGMMA_REGISTERS_32                                                                             \
    ", "                                                                                           \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, "                  \
    "%47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "                  \
    "%62, %63"
#define WGMMA_REGISTERS_80                                                                         \
    WGMMA_REGISTERS_64                                                                             \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define WGMMA_REGISTERS_96                                                                         \
    WGMMA_REGISTERS_64                                                                             \
    ", "                                                                                           \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, "                  \
    "%79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, "                  \
    "%94, %95"
#define WGMMA_REGISTERS_104 WGMMA_REGISTERS_96 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define WGMMA_REGISTERS_116                                                                        \
    WGMMA_REGISTERS_104                                                                            \
    ", %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115"
#define WGMMA_REGISTERS_128                                                                        \
    WGMMA_REGISTERS_96                                                                             \
    ", "                                                                                           \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, "                   \
    "%109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, "                     \
    "%121, %122, %123, %124, %125, %126, %127"

#define WGMMA_SUMS_4(i) "+f"(sum[i]), "+f"(sum[(i) + 1]), "+f"(sum[(i) + 2]), "+f"(sum[(i) + 3])
#define WGMMA_SUMS_16(i)                                                                           \
    WGMMA_SUMS_4(i), WGMMA_SUMS_4((i) + 4), WGMMA_SUMS_4((i) + 8), WGMMA_SUMS_4((i) + 12)
#define WGMMA_SUMS_32(i) WGMMA_SUMS_16(i), WGMMA_SUMS_16((i) + 16)
#define WGMMA_SUMS_64(i) WGMMA_SUMS_32(i), WGMMA_SUMS_32((i) + 32)

/* sum = A B, plus the old sum if `add`. These are float32 sums of 64 rows of C and twice as many
 * columns as `sum` has elements. Thread t of the warpgroup has elements (row, column) and
 * (row, column + 1) in sum[4 j] and sum[4 j + 1], and those of row + 8 in sum[4 j + 2] and
 * sum[4 j + 3]. There, row is t / 32 * 16 + t % 32 / 4 and column is 8 j + t % 4 * 2.
 *
 * A is a tile of 64 rows along k, of 16 bfloat16 terms each. B's rows run along n, 64 columns each.
 * With TRANSPOSED, A's rows run along m and B's along k. */
#define WGMMA_BF16(columns, count, A, B, ADDS, TURNS_A, TURNS_B, ...)                              \
    template <bool TRANSPOSED = false>                                                             \
    static inline __device__ void multiply_bf16(float(&sum)[count], uint64_t a, uint64_t b,        \
                                                bool add)                                          \
    {                                                                                              \
        asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %" #ADDS ", 0;\n\t"                 \
                     "wgmma.mma_async.sync.aligned.m64n" #columns                                  \
                     "k16.f32.bf16.bf16 {" WGMMA_REGISTERS_##count                                 \
                     "}, %" #A ", %" #B ", add, 1, 1, %" #TURNS_A ", %" #TURNS_B ";\n\t}"          \
                     : __VA_ARGS__                                                                 \
                     : "l"(a), "l"(b), "r"((unsigned)add), "n"(TRANSPOSED), "n"(!TRANSPOSED));     \
    }

/* Operands are numbered: the sums from 0 on, then the other five. */
WGMMA_BF16(64, 32, 32, 33, 34, 35, 36, WGMMA_SUMS_32(0))
WGMMA_BF16(128, 64, 64, 65, 66, 67, 68, WGMMA_SUMS_64(0))
WGMMA_BF16(192, 96, 96, 97, 98, 99, 100, WGMMA_SUMS_64(0), WGMMA_SUMS_32(64))
WGMMA_BF16(208, 104, 104, 105, 106, 107, 108, WGMMA_SUMS_64(0), WGMMA_SUMS_32(64), WGMMA_SUMS_4(96),
           WGMMA_SUMS_4(100))
WGMMA_BF16(232, 116, 116, 117, 118, 119, 120, WGMMA_SUMS_64(0), WGMMA_SUMS_32(64),
           WGMMA_SUMS_16(96), WGMMA_SUMS_4(112))
WGMMA_BF16(256, 128, 128, 129, 130, 131, 132, WGMMA_SUMS_64(0), WGMMA_SUMS_64(64))

/* The same for TF32, with 8 terms. B's rows must run along k, like A's, because wgmma transposes
 * only elements of 16 bits. */
static inline __device__ void multiply_tf32(float (&sum)[64], uint64_t a, uint64_t b, bool add)
{
    asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %66, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {" WGMMA_REGISTERS_64
                 "}, %64, %65, add, 1, 1;\n\t}"
                 : WGMMA_SUMS_64(0)
                 : "l"(a), "l"(b), "r"((unsigned)add));
}

static inline __device__ void multiply_tf32(float (&sum)[128], uint64_t a, uint64_t b, bool add)
{
    asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %130, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {" WGMMA_REGISTERS_128
                 "}, %128, %129, add, 1, 1;\n\t}"
                 : WGMMA_SUMS_64(0), WGMMA_SUMS_64(64)
                 : "l"(a), "l"(b), "r"((unsigned)add));
}

/* The same with 64 rows of A in registers. A warp has the 16 rows from 16 times its number in the
 * warpgroup on. Of these, thread t has elements (row, k), (row + 8, k), (row, k + 4) and
 * (row + 8, k + 4), where row is t % 32 / 4 and k is t % 4. */
#define WGMMA_A(a)                                                                                 \
    "r"(__float_as_uint((a)[0])), "r"(__float_as_uint((a)[1])), "r"(__float_as_uint((a)[2])),      \
        "r"(__float_as_uint((a)[3]))

static inline __device__ void multiply_tf32(float (&sum)[16], const float (&a)[4], uint64_t b,
                                            bool add)
{
    asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %21, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 {" WGMMA_REGISTERS_16
                 "}, {%16, %17, %18, %19}, %20, add, 1, 1;\n\t}"
                 : WGMMA_SUMS_16(0)
                 : WGMMA_A(a), "l"(b), "r"((unsigned)add));
}

static inline __device__ void multiply_tf32(float (&sum)[32], const float (&a)[4], uint64_t b,
                                            bool add)
{
    asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %37, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {" WGMMA_REGISTERS_32
                 "}, {%32, %33, %34, %35}, %36, add, 1, 1;\n\t}"
                 : WGMMA_SUMS_32(0)
                 : WGMMA_A(a), "l"(b), "r"((unsigned)add));
}

static inline __device__ void multiply_tf32(float (&sum)[64], const float (&a)[4], uint64_t b,
                                            bool add)
{
    asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %69, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {" WGMMA_REGISTERS_64
                 "}, {%64, %65, %66, %67}, %68, add, 1, 1;\n\t}"
                 : WGMMA_SUMS_64(0)
                 : WGMMA_A(a), "l"(b), "r"((unsigned)add));
}

static inline __device__ void multiply_tf32(float (&sum)[128], const float (&a)[4], uint64_t b,
                                            bool add)
{
    asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %133, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {" WGMMA_REGISTERS_128
                 "}, {%128, %129, %130, %131}, %132, add, 1, 1;\n\t}"
                 : WGMMA_SUMS_64(0), WGMMA_SUMS_64(64)
                 : WGMMA_A(a), "l"(b), "r"((unsigned)add));
}

/* The same for bfloat16, with 16 terms and B's rows along n. Thread t has the pairs of elements
 * (row, k), (row + 8, k), (row, k + 8) and (row + 8, k + 8), where k is t % 4 * 2. */
static inline __device__ void multiply_bf16(float (&sum)[64], const unsigned (&a)[4], uint64_t b,
                                            bool add)
{
    asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %69, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" WGMMA_REGISTERS_64
                 "}, {%64, %65, %66, %67}, %68, add, 1, 1, 1;\n\t}"
                 : WGMMA_SUMS_64(0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((unsigned)add));
}

#endif
/* SPDX-License-Identifier: MIT */
