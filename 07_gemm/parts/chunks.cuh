/* Step 07: loads of 8 elements of 2 bytes, a chunk, that start anywhere. */
#ifndef RUNGS_07_CHUNKS_CUH
#define RUNGS_07_CHUNKS_CUH

#include <stddef.h>

#include "kernel/l2_hints.cuh"

static const unsigned HALVES = 8; /* per chunk */

/* How a chunk is loaded: in one aligned access, in two aligned accesses that contain it, or element
 * by element. */
enum loads { ALIGNED, SHIFTED, SINGLE };

/* hint: NULL, or one to L2. */
static inline __device__ uint4 load_16_bytes(const void *from, const uint64_t *hint)
{
    return hint == NULL ? *(const uint4 *)from : load_16_bytes_hinted(from, *hint);
}

/* Loads 8 elements that start anywhere, from the 16 or 32 aligned bytes that contain them. */
static inline __device__ uint4 load_shifted(const uint16_t *first, const uint64_t *hint)
{
    const unsigned shift = (unsigned)((uintptr_t)first % 16 / sizeof(uint16_t));
    const uint4 *const around = (const uint4 *)(first - shift);
    const uint4 low = load_16_bytes(around, hint), high = load_16_bytes(around + (shift > 0), hint);
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
 * row, without the hint, and sets the others to 0. */
template <enum loads LOADS>
static inline __device__ uint4 load_chunk(const uint16_t *row, size_t first, size_t columns,
                                          const uint64_t *hint = NULL)
{
    if (LOADS == ALIGNED)
        return load_16_bytes(row + first, hint);
    if (LOADS == SHIFTED)
        return load_shifted(row + first, hint);
    unsigned words[4] = {};
#pragma unroll
    for (unsigned i = 0; i < HALVES; i++)
        if (first + i < columns)
            words[i / 2] |= (unsigned)row[first + i] << i % 2 * 16;
    return make_uint4(words[0], words[1], words[2], words[3]);
}

#endif
/* SPDX-License-Identifier: MIT */
