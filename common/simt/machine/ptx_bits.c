/* PTX integer operations without an operator in C. */
#include "cuda/simt_ptx_runtime.h"

static uint64_t low_bits(unsigned int count)
{
    return count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

static unsigned int bits_of(unsigned int type)
{
    return type <= SIMT_PTX_S8 ? 8 : type <= SIMT_PTX_S16 ? 16 : type <= SIMT_PTX_S32 ? 32 : 64;
}

static bool is_signed(unsigned int type)
{
    return type % 2 == 1;
}

static int64_t extended(unsigned int type, uint64_t a)
{
    unsigned int shift = 64 - bits_of(type);
    return (int64_t)(a << shift) >> shift;
}

unsigned int simt_ptx_saturated(long value)
{
    return (unsigned int)(int)(value > INT32_MAX   ? INT32_MAX
                               : value < INT32_MIN ? INT32_MIN
                                                   : value);
}

/* A GPU's result of a division by zero: all ones. */
uint64_t simt_ptx_divide(unsigned int type, uint64_t a, uint64_t b)
{
    uint64_t mask = low_bits(bits_of(type));
    if ((b & mask) == 0) {
        return mask;
    }
    if (!is_signed(type)) {
        return (a & mask) / (b & mask);
    }
    if (extended(type, b) == -1) { /* the lowest number by -1 is itself */
        return (0 - a) & mask;
    }
    return (uint64_t)(extended(type, a) / extended(type, b)) & mask;
}

uint64_t simt_ptx_remainder(unsigned int type, uint64_t a, uint64_t b)
{
    uint64_t mask = low_bits(bits_of(type));
    if ((b & mask) == 0) {
        return a & mask;
    }
    return (a - simt_ptx_divide(type, a, b) * b) & mask;
}

unsigned int simt_ptx_leading_zeros(unsigned int bits, uint64_t a)
{
    return a ? (unsigned int)__builtin_clzll(a) - (64 - bits) : bits;
}

/* The highest bit that differs from the sign; all ones if there is none. */
unsigned int simt_ptx_find(unsigned int type, uint64_t a, bool shift)
{
    unsigned int bits = bits_of(type), found;
    if (is_signed(type) && extended(type, a) < 0) {
        a = ~a;
    }
    a &= low_bits(bits);
    if (!a) {
        return ~0u;
    }
    found = 63 - (unsigned int)__builtin_clzll(a);
    return shift ? bits - 1 - found : found;
}

uint64_t simt_ptx_extract(unsigned int type, uint64_t a, unsigned int position, unsigned int length)
{
    unsigned int bits = bits_of(type), top, sign_at;
    uint64_t result, sign;
    position &= 0xff;
    length &= 0xff;
    if (length == 0) {
        return 0;
    }
    top = bits - 1;
    sign_at = position + length - 1 < top ? position + length - 1 : top;
    sign = is_signed(type) && a >> sign_at & 1 ? low_bits(bits) : 0;
    result = position <= top ? (a & low_bits(bits)) >> position : 0;
    length = position <= top ? (length < bits - position ? length : bits - position) : 0;
    return ((result & low_bits(length)) | (sign & ~low_bits(length))) & low_bits(bits);
}

uint64_t simt_ptx_insert(unsigned int bits, uint64_t a, uint64_t b, unsigned int position,
                         unsigned int length)
{
    uint64_t field;
    position &= 0xff;
    length &= 0xff;
    if (position >= bits) {
        return b & low_bits(bits);
    }
    field = low_bits(length) << position & low_bits(bits);
    return ((b & ~field) | (a << position & field)) & low_bits(bits);
}

unsigned int simt_ptx_mask(unsigned int position, unsigned int length, bool wraps)
{
    if (wraps) {
        position &= 31;
        length &= 31;
    } else if (position > 31) {
        return 0;
    }
    return (unsigned int)(low_bits(length > 32 ? 32 : length) << position);
}

unsigned int simt_ptx_extend(unsigned int type, unsigned int a, unsigned int length, bool wraps)
{
    length = wraps ? length & 31 : length > 32 ? 32 : length;
    if (length == 0) {
        return 0;
    }
    a &= (unsigned int)low_bits(length);
    return is_signed(type) && a >> (length - 1) & 1 ? a | ~(unsigned int)low_bits(length) : a;
}

/* Multiplies four bytes by four, or two halves by the two low bytes. */
unsigned int simt_ptx_dot(unsigned int type_a, unsigned int type_b, unsigned int count,
                          unsigned int a, unsigned int b, unsigned int c)
{
    unsigned int bits = 32 / count;
    for (unsigned int i = 0; i < count; i++) {
        uint64_t x = a >> bits * i & low_bits(bits), y = b >> 8 * i & 0xff;
        if (is_signed(type_a)) {
            x = (uint64_t)extended(count == 4 ? SIMT_PTX_S8 : SIMT_PTX_S16, x);
        }
        if (is_signed(type_b)) {
            y = (uint64_t)extended(SIMT_PTX_S8, y);
        }
        c += (unsigned int)(x * y);
    }
    return c;
}

uint64_t simt_ptx_shift_left(unsigned int bits, uint64_t a, unsigned int count)
{
    return count >= bits ? 0 : a << count & low_bits(bits);
}

static unsigned int pick(uint64_t both, unsigned int byte)
{
    return (unsigned int)(both >> 8 * (byte & 7)) & 0xff;
}

unsigned int simt_ptx_permute(unsigned int mode, unsigned int a, unsigned int b,
                              unsigned int selector)
{
    uint64_t both = (uint64_t)b << 32 | a;
    unsigned int result = 0, first = selector & 3;
    for (unsigned int i = 0; i < 4; i++) {
        unsigned int from = mode & m_f4e    ? first + i
                            : mode & m_b4e  ? (first - i) & 7
                            : mode & m_rc8  ? first
                            : mode & m_ecl  ? (i > first ? i : first)
                            : mode & m_ecr  ? (i < first ? i : first)
                            : mode & m_rc16 ? (first & 1) * 2 + i % 2
                                            : selector >> 4 * i & 15;
        unsigned int byte = pick(both, from);
        if (!mode && from & 8) {
            byte = byte & 0x80 ? 0xff : 0;
        }
        result |= byte << 8 * i;
    }
    return result;
}
/* SPDX-License-Identifier: MIT */
