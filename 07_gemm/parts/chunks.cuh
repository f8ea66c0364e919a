/* Step 07: loads of 8 elements of 2 bytes, a chunk, that start anywhere. */
#ifndef RUNGS_07_CHUNKS_CUH
#define RUNGS_07_CHUNKS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

static const unsigned HALVES = 8; /* per chunk */

/* How a chunk is loaded: in one aligned access, in two aligned accesses that contain it, or element
 * by element. */
enum loads { ALIGNED, SHIFTED, SINGLE };

/* Loads 8 elements that start anywhere, from the 16 or 32 aligned bytes that contain them. */
static inline __device__ uint4 load_shifted(const uint16_t *first)
{
    const unsigned shift = (unsigned)((uintptr_t)first % 16 / sizeof(uint16_t));
    const uint4 *const around = (const uint4 *)(first - shift);
    const uint4 low = around[0], high = around[shift > 0];
    unsigned words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    const unsigned bytes = shift % 2 == 0 ? 0x3210 : 0x5432;

#pragma unroll
    for (unsigned i = 0; i < 6; i++)
        words[i] = shift / 4 == 0 ? words[i] : words[i + 2];
#pragma unroll
    for (unsigned i = 0; i < 5; i++)
        words[i] = shift / 2 % 2 == 0 ? words[i] : words[i + 1];
    return make_uint4(
        __byte_perm(words[0], words[1], bytes), __byte_perm(words[1], words[2], bytes),
        __byte_perm(words[2], words[3], bytes), __byte_perm(words[3], words[4], bytes));
}

/* Loads 8 elements of a row from `first` on, two per word. SINGLE loads only elements inside the
 * row and sets the others to 0. */
template <enum loads LOADS>
static inline __device__ uint4 load_chunk(const uint16_t *row, size_t first, size_t columns)
{
    if (LOADS == ALIGNED)
        return *(const uint4 *)(row + first);
    if (LOADS == SHIFTED)
        return load_shifted(row + first);
    unsigned words[4] = {};
#pragma unroll
    for (unsigned i = 0; i < HALVES; i++)
        if (first + i < columns)
            words[i / 2] |= (unsigned)row[first + i] << i % 2 * 16;
    return make_uint4(words[0], words[1], words[2], words[3]);
}

#endif
/* SPDX-License-Identifier: MIT */
