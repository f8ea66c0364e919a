/* Step 07: products of floats in TF32, which has 10 of a float's 23 bits of fraction.
 *
 * wgmma can transpose elements of 16 bits but not of 32, so the rows of B's tile must run along k.
 * B's own rows run along n, so a separate kernel first transposes B in global memory. */
#ifndef RUNGS_07_TF32_CUH
#define RUNGS_07_TF32_CUH

#include "tf32/parts/floats.cuh"

static const unsigned TILE_M = 128;

/* An operand's elements are sums of PARTS TF32 numbers, in PARTS matrices below each other. */
template <unsigned PARTS, unsigned TILE_COLUMNS, unsigned RING_STAGES>
struct tf32_config {
    static const unsigned OPERAND_PARTS = PARTS, TILE_N = TILE_COLUMNS, STAGES = RING_STAGES;
    typedef ::tma_ring<PARTS * TILE_M, PARTS * TILE_N, STAGES> ring;
    static const unsigned SHARED_BYTES = STAGES * ring::STAGE_BYTES;
};

/* The nearest TF32 number. */
static __device__ float rounded_to_tf32(float x)
{
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __uint_as_float(bits);
}

/* Stores x rounded to TF32. With two parts, also stores the rest, `distance` further on. */
template <unsigned PARTS>
static __device__ void put_parts(float *to, size_t distance, float x)
{
    const float high = rounded_to_tf32(x);

    *to = high;
    if (PARTS == 2)
        to[distance] = rounded_to_tf32(x - high);
}

/* Stores the parts of B's transpose, 64 x 64 elements per block. The padding puts the elements of a
 * column in different banks. */
template <unsigned PARTS>
static __device__ void transpose(const struct gemm &call, float *to, size_t leading)
{
    __shared__ float tile[64][65];
    const size_t blocks_along_n = (call.n + 63) / 64;
    const size_t column = blockIdx.x % blocks_along_n * 64, term = blockIdx.x / blocks_along_n * 64;
    const unsigned x = threadIdx.x % 64, y = threadIdx.x / 64;

#pragma unroll
    for (unsigned i = y; i < 64; i += 4)
        if (term + i < call.k && column + x < call.n)
            tile[i][x] = call.b[(term + i) * call.ldb + column + x];
    __syncthreads();
#pragma unroll
    for (unsigned i = y; i < 64; i += 4)
        if (column + i < call.n && term + x < call.k)
            put_parts<PARTS>(to + (column + i) * leading + term + x, call.n * leading, tile[x][i]);
}

static inline unsigned blocks_of_columns(const struct gemm *call)
{
    return (unsigned)((call->n + 63) / 64 * ((call->k + 63) / 64));
}

/* Starts the copies of a k-step's tiles, for all parts. */
template <typename Config>
static __device__ void copy_parts(const struct gemm &call, const typename Config::ring &ring,
                                  const CUtensorMap *a, const CUtensorMap *b,
                                  const struct tile_coord &tile, size_t term, phase_barrier *full)
{
#pragma unroll
    for (unsigned part = 0; part < Config::OPERAND_PARTS; part++) {
        copy_tile(ring.a() + part * TILE_M * ROW_BYTES, a, part * call.m + tile.row, term, full);
        copy_tile(ring.b() + part * Config::TILE_N * ROW_BYTES, b, part * call.n + tile.column,
                  term, full);
    }
}

/* Starts the MMAs of a k-step, small products first. Their results become the sums or, if `adds`,
 * are added to them. The product of A's rest and B's rest is left out. */
template <typename Config>
static __device__ void multiply_step(float (&sum)[Config::TILE_N / 2], const unsigned char *a,
                                     const unsigned char *b, bool adds)
{
    const unsigned char *const a_rest = a + TILE_M * ROW_BYTES;
    const unsigned char *const b_rest = b + Config::TILE_N * ROW_BYTES;

    wgmma_start();
#pragma unroll
    for (unsigned i = 0; i < 4; i++) { /* 8 terms, 32 bytes of a row */
        const uint64_t tile_a = wgmma_tile(a + i * 32, 0), tile_b = wgmma_tile(b + i * 32, 0);
        const bool add = adds || i > 0;
        if (Config::OPERAND_PARTS == 2) {
            multiply_tf32(sum, tile_a, wgmma_tile(b_rest + i * 32, 0), add);
            multiply_tf32(sum, wgmma_tile(a_rest + i * 32, 0), tile_b, true);
        }
        multiply_tf32(sum, tile_a, tile_b, add || Config::OPERAND_PARTS == 2);
    }
    wgmma_commit();
}

#endif
/* SPDX-License-Identifier: MIT */
