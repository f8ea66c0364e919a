/* Asynchronous copies of input tiles and filters to shared memory. */
#ifndef TILE_COPIES_CUH
#define TILE_COPIES_CUH

#include <cuda_pipeline.h>

#include "parts/conv_device.cuh"

/* The pieces of an input tile that a thread copies for each channel, VECTOR floats per piece. Their
 * addresses within a channel are the same for all channels, so they are computed once. Pieces
 * outside the image are never copied: they are set to 0 once in every buffer for a tile. */
template <unsigned COPIES, unsigned VECTOR>
struct tile_copies {
    unsigned from[COPIES]; /* index in the channel; meaningless outside the image */
    unsigned to[COPIES];   /* index in the tile */
    unsigned inside;       /* a bit for each piece: is it inside the image? */
    unsigned tile;         /* a bit for each piece: is it part of the tile? */
};

/* The tile has rows x columns floats, with `pitch` floats from one row to the next, and begins at
 * (top, left) of the image. conv_declines_3x3 limits the sizes. */
template <unsigned COPIES, unsigned VECTOR>
static __device__ inline void find_copies(tile_copies<COPIES, VECTOR> *copies,
                                          const struct conv &call, unsigned rows, unsigned columns,
                                          unsigned pitch, int top, int left)
{
    const unsigned pieces = (columns + VECTOR - 1) / VECTOR; /* per row */
    const unsigned height = (unsigned)call.height, width = (unsigned)call.width;

    copies->inside = copies->tile = 0;
#pragma unroll
    for (unsigned i = 0; i < COPIES; i++) {
        const unsigned piece = threadIdx.x + i * blockDim.x;
        const unsigned row = piece / pieces, column = piece % pieces * VECTOR;
        const unsigned y = (unsigned)top + row, x = (unsigned)left + column;

        copies->to[i] = row * pitch + column;
        copies->from[i] = y * width + x;
        if (row >= rows)
            continue;
        copies->tile |= 1U << i;
        if (y < height && x < width) /* false for negative coordinates, which wrap around */
            copies->inside |= 1U << i;
    }
}

template <unsigned COPIES, unsigned VECTOR>
static __device__ inline void clear_outside(const tile_copies<COPIES, VECTOR> &copies, float *tile)
{
#pragma unroll
    for (unsigned i = 0; i < COPIES; i++)
        if ((copies.tile & ~copies.inside) >> i & 1)
            for (unsigned v = 0; v < VECTOR; v++)
                tile[copies.to[i] + v] = 0;
}

/* Returns the address, but hides from the compiler which array it is in. Otherwise the compiler
 * recomputes a shared array's address for every conditional copy, from a special register that is
 * slow to read. */
static __device__ inline float *opaque(float *address)
{
#ifdef __CUDA_ARCH__
    asm("" : "+l"(address));
#endif
    return address;
}

/* Starts the copies of one channel. */
template <unsigned COPIES, unsigned VECTOR>
static __device__ inline void copy_tile(const tile_copies<COPIES, VECTOR> &copies,
                                        const float *channel, float *tile)
{
#pragma unroll
    for (unsigned i = 0; i < COPIES; i++)
        if (copies.inside >> i & 1)
            __pipeline_memcpy_async(tile + copies.to[i], channel + copies.from[i],
                                    VECTOR * sizeof(float));
}

/* Starts to copy FLOATS floats, 16 bytes at a time. */
template <unsigned FLOATS, unsigned THREADS>
static __device__ inline void copy_floats(const float *from, float *to)
{
#pragma unroll
    for (unsigned i = 0; i < FLOATS; i += 4 * THREADS)
        if (FLOATS % (4 * THREADS) == 0 || i + 4 * threadIdx.x < FLOATS)
            __pipeline_memcpy_async(to + i + 4 * threadIdx.x, from + i + 4 * threadIdx.x,
                                    4 * sizeof(float));
}

#endif
/* SPDX-License-Identifier: MIT */
