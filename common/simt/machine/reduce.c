/* The operations of atomics, and of bulk copies with (cp.reduce.async.bulk) or without a
 * reduction. */
#include <string.h>

#include "cuda/simt_ptx_runtime.h"
#include "machine/bulk.h"

static unsigned int bytes_of(unsigned int type)
{
    return type == SIMT_PTX_F16 || type == SIMT_PTX_BF16                          ? 2
           : type == SIMT_PTX_U64 || type == SIMT_PTX_S64 || type == SIMT_PTX_F64 ? 8
                                                                                  : 4;
}

static bool is_less(unsigned int type, uint64_t a, uint64_t b)
{
    return type == SIMT_PTX_S32   ? (int32_t)a < (int32_t)b
           : type == SIMT_PTX_S64 ? (int64_t)a < (int64_t)b
                                  : a < b;
}

uint64_t simt_combined(enum simt_atomic operation, unsigned int type, uint64_t old,
                       uint64_t operand)
{
    const bool real = type >= SIMT_PTX_F16;
    switch (operation) {
    case SIMT_ATOMIC_ADD:
        return real ? simt_ptx_real(SIMT_PTX_ADD, type, m_rn, old, operand, 0) : old + operand;
    case SIMT_ATOMIC_MIN:
        return real                          ? simt_ptx_real(SIMT_PTX_MIN, type, 0, old, operand, 0)
               : is_less(type, operand, old) ? operand
                                             : old;
    case SIMT_ATOMIC_MAX:
        return real                          ? simt_ptx_real(SIMT_PTX_MAX, type, 0, old, operand, 0)
               : is_less(type, old, operand) ? operand
                                             : old;
    case SIMT_ATOMIC_INC:
        return old >= operand ? 0 : old + 1;
    case SIMT_ATOMIC_DEC:
        return old == 0 || old > operand ? operand : old - 1;
    case SIMT_ATOMIC_AND:
        return old & operand;
    case SIMT_ATOMIC_OR:
        return old | operand;
    default:
        return old ^ operand;
    }
}

static void reduce_piece(const struct simt_bulk_copy *copy, const struct simt_bulk_piece *piece)
{
    const unsigned int bytes = bytes_of(copy->type);
    for (unsigned int i = 0; i < piece->size; i += bytes) {
        uint64_t old = 0, operand = 0;
        memcpy(&old, piece->to + i, bytes);
        memcpy(&operand, piece->from + i, bytes);
        old = copy->flushes
                  ? simt_ptx_real(SIMT_PTX_ADD, SIMT_PTX_F32, m_rn | m_ftz, old, operand, 0)
                  : simt_combined(copy->operation, copy->type, old, operand);
        memcpy(piece->to + i, &old, bytes);
    }
}

/* Rounds to nearest, ties to even; every NaN becomes this one. An H200 does the same. */
static void round_to_tf32(char *floats, unsigned int size)
{
    for (unsigned int i = 0; i < size; i += sizeof(uint32_t)) {
        uint32_t bits;
        memcpy(&bits, floats + i, sizeof bits);
        bits = (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffe000
                                                : (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000;
        memcpy(floats + i, &bits, sizeof bits);
    }
}

/* Fills with NaNs, which suit every type. */
static void fill(char *to, unsigned int size)
{
    static const uint16_t nan = 0x7ff7;
    for (unsigned int i = 0; i < size; i += sizeof nan) {
        memcpy(to + i, &nan, sizeof nan);
    }
}

void simt_bulk_make(const struct simt_bulk_copy *copy)
{
    for (size_t i = 0; i < copy->count; i++) {
        const struct simt_bulk_piece *piece = &copy->pieces[i];
        if (copy->way == SIMT_BULK_REDUCES) {
            reduce_piece(copy, piece);
        } else if (piece->from) {
            memcpy(piece->to, piece->from, piece->size);
            if (copy->rounds) {
                round_to_tf32(piece->to, piece->size);
            }
        } else if (copy->fills) {
            fill(piece->to, piece->size);
        } else {
            memset(piece->to, 0, piece->size);
        }
    }
}
/* SPDX-License-Identifier: MIT */
