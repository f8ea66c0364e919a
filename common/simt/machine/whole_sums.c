/* Integer sums of products of tensor cores: exact, up to the limits of an int. */
#include "machine/sums.h"

static bool are_bits(unsigned int type)
{
    return type == SIMT_PTX_B1 || type == SIMT_PTX_B1_XOR;
}

static bool are_nibbles(unsigned int type)
{
    return type == SIMT_PTX_U4 || type == SIMT_PTX_S4;
}

bool simt_is_whole(unsigned int type)
{
    return type <= SIMT_PTX_S8 || are_bits(type) || are_nibbles(type);
}

/* One of two 4-bit numbers. */
static int nibble(unsigned int type, int pair, unsigned int which)
{
    const int bits = pair >> 4 * which & 15;
    return type == SIMT_PTX_S4 && bits > 7 ? bits - 16 : bits;
}

static uint32_t bit_sum(const struct simt_sum_kind *kind, const struct simt_factors *a,
                        const struct simt_factors *b, unsigned int count, uint32_t c)
{
    for (unsigned int k = 0; k < count; k++) {
        const unsigned int x = (unsigned int)a->value[k], y = (unsigned int)b->value[k];
        c += (unsigned int)__builtin_popcount(kind->type_a == SIMT_PTX_B1 ? x & y : x ^ y);
    }
    return c;
}

uint32_t simt_whole_sum(const struct simt_sum_kind *kind, const struct simt_factors *a,
                        const struct simt_factors *b, unsigned int count, uint32_t c)
{
    int64_t sum = (int32_t)c;
    if (are_bits(kind->type_a)) {
        return bit_sum(kind, a, b, count, c);
    }
    for (unsigned int k = 0; k < count && !are_nibbles(kind->type_a); k++) {
        sum += (int64_t)a->value[k] * b->value[k];
    }
    for (unsigned int k = 0; k < 2 * count && are_nibbles(kind->type_a); k++) {
        sum += nibble(kind->type_a, a->value[k / 2], k % 2) *
               nibble(kind->type_b, b->value[k / 2], k % 2);
    }
    return kind->finite ? simt_ptx_saturated((long)sum) : (uint32_t)sum;
}
/* SPDX-License-Identifier: MIT */
