/* Counter-based random numbers: element i of a seeded stream is computed without the elements
 * before it. Therefore the same seed gives the same data for any size, order and number of threads.
 * The mixing function is splitmix64's (Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, OOPSLA 2014). */
#ifndef RUNGS_RANDOM_H
#define RUNGS_RANDOM_H

#include <stdint.h>

static inline uint64_t random_bits(uint64_t seed, uint64_t index)
{
    uint64_t z = seed * 0xD1342543DE82EF95u + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* The same for one of `streams` streams of the seed. They have no element in common. */
static inline uint64_t random_stream(uint64_t seed, unsigned streams, unsigned stream,
                                     uint64_t index)
{
    return random_bits(seed, streams * index + stream);
}

/* Uniform in [0, 1), multiples of 2^-24, which float represents exactly. */
static inline float random_float(uint64_t bits)
{
    return (float)(bits >> 40) * 0x1p-24F;
}

/* Uniform in [0, 1), multiples of 2^-53. */
static inline double random_double(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

/* One of -3, -2, -1, 1, 2, 3; never 0, so that a skipped element always changes a sum. */
static inline int random_small_integer(uint64_t bits)
{
    const int magnitude = 1 + (int)((bits >> 8) % 3);
    return bits & 1 ? magnitude : -magnitude;
}

#endif
/* SPDX-License-Identifier: MIT */
