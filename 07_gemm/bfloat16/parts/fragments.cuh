/* Step 07, bfloat16: fragments of mma.sync (sm_80), loaded from tiles in shared memory. */
#ifndef RUNGS_07_BF16_FRAGMENTS_CUH
#define RUNGS_07_BF16_FRAGMENTS_CUH

#include <cuda_pipeline_primitives.h>

#include "bfloat16/parts/bf16.cuh"

/* Copies a chunk of 8 elements to shared memory, with 0 for those outside the matrix. `aligned`:
 * all rows start at multiples of 16 bytes, so the copy can be asynchronous. */
static inline __device__ void copy_chunk(uint16_t *to, const uint16_t *matrix, size_t leading,
                                         size_t rows, size_t columns, size_t row, size_t column,
                                         bool aligned)
{
    if (aligned) {
        const unsigned inside =
            row < rows && column < columns ? (unsigned)min((size_t)CHUNK, columns - column) : 0;
        const uint16_t *const from = inside > 0 ? matrix + row * leading + column : matrix;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                         (unsigned)__cvta_generic_to_shared(to)),
                     "l"(from), "r"(inside * 2)
                     : "memory");
        return;
    }
    for (unsigned i = 0; i < CHUNK; i++)
        to[i] = row < rows && column + i < columns ? matrix[row * leading + column + i] : 0;
}

/* Loads four 8 x 8 tiles. Lane t gives the address of row t % 8 of tile t / 8. It receives elements
 * 2 (t % 4) and 2 (t % 4) + 1 of row t / 4 of each tile. */
static inline __device__ void load_tiles_at(unsigned (&four)[4], unsigned address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(four[0]), "=r"(four[1]), "=r"(four[2]), "=r"(four[3])
                 : "r"(address)
                 : "memory");
}

static inline __device__ void load_tiles(unsigned (&four)[4], const uint16_t *row)
{
    load_tiles_at(four, (unsigned)__cvta_generic_to_shared(row));
}

/* The same with rows and columns exchanged. */
static inline __device__ void load_transposed_at(unsigned (&four)[4], unsigned address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(four[0]), "=r"(four[1]), "=r"(four[2]), "=r"(four[3])
                 : "r"(address)
                 : "memory");
}

static inline __device__ void load_transposed(unsigned (&four)[4], const uint16_t *row)
{
    load_transposed_at(four, (unsigned)__cvta_generic_to_shared(row));
}

/* sum += A B for a 16 x 16 tile of A and a 16 x 8 tile of B. Lane t has the accumulators of rows
 * t / 4 and t / 4 + 8, in columns 2 (t % 4) and 2 (t % 4) + 1. */
static inline __device__ void multiply(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                                       unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

static inline __device__ unsigned word(const uint4 &four, unsigned i)
{
    return i == 0 ? four.x : i == 1 ? four.y : i == 2 ? four.z : four.w;
}

/* The same for 16 of the 32 terms that four lanes hold, 8 each. It uses the lane's terms 4 half to
 * 4 half + 3 of two rows of A, and B's words in the order of `multiply`. */
static inline __device__ void multiply_16(float (&sum)[4], const uint4 (&a)[2], unsigned half,
                                          const unsigned (&b)[2])
{
    const unsigned four[4] = {word(a[0], 2 * half), word(a[1], 2 * half), word(a[0], 2 * half + 1),
                              word(a[1], 2 * half + 1)};

    multiply(sum, four, b[0], b[1]);
}

#endif
/* SPDX-License-Identifier: MIT */
