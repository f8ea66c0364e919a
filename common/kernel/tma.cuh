/* Copies by the TMA (tensor memory accelerator) of Hopper (sm_90) and later GPUs: one instruction
 * of one thread copies a tile of a matrix between global and shared memory. The host describes the
 * matrix. Outside it, loads give zeros and stores do nothing (but see can_be_stored). Source: CUDA
 * Driver API, Tensor Map Object Management; PTX ISA, cp.async.bulk. */
#ifndef RUNGS_TMA_CUH
#define RUNGS_TMA_CUH

#include <cuda.h> /* only types: the program is not linked with the driver library */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "kernel/mbarrier.cuh"

/* A row-major matrix, and the tiles that are copied: tile_columns elements must be at most 128
 * bytes, and chunk c of 16 bytes of a tile's row r is at position c ^ r % 8 in shared memory
 * (128-byte swizzle), or with rows of 64 bytes c ^ r / 2 % 4 (64-byte swizzle). Tiles start at
 * multiples of 1024 bytes there. */
struct mapped_matrix {
    CUtensorMapDataType type;
    size_t element_size;
    const void *elements;
    size_t rows, columns, leading;
    unsigned tile_rows, tile_columns;
};

/* Whether the TMA can copy tiles of the matrix: rows must start at multiples of 16 bytes, and
 * coordinates are signed 32-bit integers. */
static inline bool can_be_mapped(const void *elements, size_t rows, size_t columns, size_t leading,
                                 size_t element_size)
{
    return (uintptr_t)elements % 16 == 0 && leading * element_size % 16 == 0 && rows > 0 &&
           columns > 0 && rows <= INT32_MAX && columns <= INT32_MAX;
}

/* Whether the TMA can also store tiles of the matrix. It stores a row's last chunk of 16 bytes as a
 * whole, even if the matrix ends within it (observed on an H200; it loads zeros there). */
static inline bool can_be_stored(const void *elements, size_t rows, size_t columns, size_t leading,
                                 size_t element_size)
{
    return can_be_mapped(elements, rows, columns, leading, element_size) &&
           columns * element_size % 16 == 0;
}

/* The driver's function of that name. The runtime finds it, so the driver is not linked. */
static inline void *driver_function(const char *name)
{
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
    void *function = NULL;
#if CUDART_VERSION >= 12050
    const cudaError_t status =
        cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
#else
    const cudaError_t status = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif

    if (status != cudaSuccess || found != cudaDriverEntryPointSuccess) {
        fprintf(stderr, "TMA: the driver has no %s: CUDA 12 or later is needed\n", name);
        exit(EXIT_DEVICE_ERROR);
    }
    return function;
}

/* Describes a matrix. The parameters say how its tiles are placed in shared memory, and read into
 * the L2 cache. */
static inline CUtensorMap
map_matrix(const struct mapped_matrix *matrix,
           CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B,
           CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
{
    typedef CUresult (*encoder)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    static encoder encode;
    const cuuint64_t size[] = {matrix->columns, matrix->rows};
    const cuuint64_t stride[] = {matrix->leading * matrix->element_size};
    const cuuint32_t box[] = {matrix->tile_columns, matrix->tile_rows}, element_stride[] = {1, 1};
    CUtensorMap map = {};

    if (encode == NULL)
        encode = (encoder)driver_function("cuTensorMapEncodeTiled");
    if (encode(&map, matrix->type, 2, (void *)matrix->elements, size, stride, box, element_stride,
               CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, promotion,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
        fprintf(stderr, "TMA: cuTensorMapEncodeTiled refused a matrix\n");
        exit(EXIT_DEVICE_ERROR);
    }
    return map;
}

/* Prefetches a map, so that the first copy need not wait for it. The map must be a parameter of the
 * kernel: then this is allowed before the wait for the previous kernel (overlap.cuh). */
static inline __device__ void prefetch_map(const CUtensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* Starts to copy the tile that begins at (row, column) to shared memory. The barrier counts its
 * bytes as they arrive. */
static inline __device__ void copy_tile(void *to, const CUtensorMap *matrix, size_t row,
                                        size_t column, phase_barrier *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(matrix), "r"((int)column), "r"((int)row), "r"(shared_address(barrier))
                 : "memory");
}

/* Starts to store a tile. Stores up to store_commit are a group. */
static inline __device__ void store_tile(const CUtensorMap *matrix, size_t row, size_t column,
                                         const void *from)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(matrix),
        "r"((int)column), "r"((int)row), "r"(shared_address(from))
        : "memory");
}

static inline __device__ void store_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Waits until at most RUNNING of this thread's groups still read shared memory. */
template <unsigned RUNNING>
static inline __device__ void store_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(RUNNING) : "memory");
}

/* Waits until the stores of this thread's groups are in global memory. */
static inline __device__ void store_wait()
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* A ring of stages, each a tile of A and one of B that the TMA fills, with two barriers per stage.
 * A row of A's tile has 128 bytes; so has a row of B's tile, or of each 64 columns of it. */
static const unsigned ROW_BYTES = 128;

template <unsigned TILE_M, unsigned TILE_N, unsigned STAGES>
struct tma_ring {
    static const unsigned A_BYTES = TILE_M * ROW_BYTES, B_BYTES = TILE_N * ROW_BYTES;
    static const unsigned STAGE_COUNT = STAGES, STAGE_BYTES = A_BYTES + B_BYTES;

    unsigned char *tiles;
    phase_barrier *full, *free;
    unsigned stage, parity;

    /* A stage is full when its bytes have arrived, and free when that many warps have finished with
     * it. One thread calls this; then all threads wait for it. */
    __device__ void create_barriers(unsigned warps) const
    {
        for (unsigned s = 0; s < STAGES; s++) {
            barrier_create(&full[s], 1);
            barrier_create(&free[s], warps);
        }
        barriers_created();
    }
    __device__ unsigned char *a() const
    {
        return tiles + stage * STAGE_BYTES;
    }
    __device__ unsigned char *b() const
    {
        return a() + A_BYTES;
    }
    __device__ void advance()
    {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/* Releases the stage after all lanes of the warp have finished with it. */
static inline __device__ void release(phase_barrier *free)
{
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        barrier_arrive(free);
}

#endif
/* SPDX-License-Identifier: MIT */
