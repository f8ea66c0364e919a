/* Atomics, each also with the suffixes _block and _system.
 * cuda_runtime.h includes this. */
#ifndef SIMT_ATOMICS_H
#define SIMT_ATOMICS_H

#include "cuda_runtime.h"

#define SIMT_ATOMIC_FUNCTION(name, operation, T, type)                                             \
    SIMT_INLINE T name(T *address, T operand, SIMT_SITE)                                           \
    {                                                                                              \
        simt_atomic_do(static_cast<enum simt_atomic>(operation), type, address,                    \
                       simt::pack(operand), simt_file, simt_line);                                 \
        return simt::unpack<T>(simt_atomic_old());                                                 \
    }
#define SIMT_ATOMIC_SCOPES(name, operation, T, type)                                               \
    SIMT_ATOMIC_FUNCTION(name, operation, T, type)                                                 \
    SIMT_ATOMIC_FUNCTION(name##_block, operation | SIMT_ATOMIC_OF_BLOCK, T, type)                  \
    SIMT_ATOMIC_FUNCTION(name##_system, operation, T, type)
#define SIMT_ATOMIC_COMPARE_FUNCTION(name, operation, T, type)                                     \
    SIMT_INLINE T name(T *address, T compare, T value, SIMT_SITE)                                  \
    {                                                                                              \
        return simt::unpack<T>(simt_atomic(static_cast<enum simt_atomic>(operation), type,         \
                                           address, simt::pack(value), simt::pack(compare),        \
                                           simt_file, simt_line));                                 \
    }
#define SIMT_ATOMIC_COMPARE_SCOPES(T, type)                                                        \
    SIMT_ATOMIC_COMPARE_FUNCTION(atomicCAS, SIMT_ATOMIC_COMPARE, T, type)                          \
    SIMT_ATOMIC_COMPARE_FUNCTION(atomicCAS_block, SIMT_ATOMIC_COMPARE | SIMT_ATOMIC_OF_BLOCK, T,   \
                                 type)                                                             \
    SIMT_ATOMIC_COMPARE_FUNCTION(atomicCAS_system, SIMT_ATOMIC_COMPARE, T, type)
#define SIMT_ATOMIC_32(name, operation)                                                            \
    SIMT_ATOMIC_SCOPES(name, operation, int, SIMT_INT32)                                           \
    SIMT_ATOMIC_SCOPES(name, operation, unsigned int, SIMT_UINT32)
#define SIMT_ATOMIC_32_64(name, operation)                                                         \
    SIMT_ATOMIC_32(name, operation)                                                                \
    SIMT_ATOMIC_SCOPES(name, operation, unsigned long long, SIMT_UINT64)                           \
    SIMT_ATOMIC_SCOPES(name, operation, long long, SIMT_INT64)

SIMT_ATOMIC_32(atomicAdd, SIMT_ATOMIC_ADD)
SIMT_ATOMIC_SCOPES(atomicAdd, SIMT_ATOMIC_ADD, unsigned long long, SIMT_UINT64)
SIMT_ATOMIC_SCOPES(atomicAdd, SIMT_ATOMIC_ADD, float, SIMT_FLOAT32)
SIMT_ATOMIC_SCOPES(atomicAdd, SIMT_ATOMIC_ADD, double, SIMT_FLOAT64)
SIMT_ATOMIC_32(atomicSub, SIMT_ATOMIC_SUB)
SIMT_ATOMIC_32(atomicExch, SIMT_ATOMIC_EXCHANGE)
SIMT_ATOMIC_SCOPES(atomicExch, SIMT_ATOMIC_EXCHANGE, unsigned long long, SIMT_UINT64)
SIMT_ATOMIC_SCOPES(atomicExch, SIMT_ATOMIC_EXCHANGE, float, SIMT_FLOAT32)
SIMT_ATOMIC_32_64(atomicMin, SIMT_ATOMIC_MIN)
SIMT_ATOMIC_32_64(atomicMax, SIMT_ATOMIC_MAX)
SIMT_ATOMIC_SCOPES(atomicInc, SIMT_ATOMIC_INC, unsigned int, SIMT_UINT32)
SIMT_ATOMIC_SCOPES(atomicDec, SIMT_ATOMIC_DEC, unsigned int, SIMT_UINT32)
SIMT_ATOMIC_32_64(atomicAnd, SIMT_ATOMIC_AND)
SIMT_ATOMIC_32_64(atomicOr, SIMT_ATOMIC_OR)
SIMT_ATOMIC_32_64(atomicXor, SIMT_ATOMIC_XOR)
SIMT_ATOMIC_COMPARE_SCOPES(int, SIMT_INT32)
SIMT_ATOMIC_COMPARE_SCOPES(unsigned int, SIMT_UINT32)
SIMT_ATOMIC_COMPARE_SCOPES(unsigned long long, SIMT_UINT64)

/* Atomics on vectors add each number separately. simt_small_floats.h has those on halves. */
#define SIMT_ATOMIC_NUMBERS(name, operation, T, type)                                              \
    SIMT_INLINE T name(T *address, T operand, SIMT_SITE)                                           \
    {                                                                                              \
        simt_atomic_numbers(static_cast<enum simt_atomic>(operation), type, sizeof operand,        \
                            address, &operand, nullptr, simt_file, simt_line);                     \
        return operand;                                                                            \
    }
#define SIMT_ATOMIC_COMPARE_16(name, operation)                                                    \
    SIMT_INLINE unsigned short name(unsigned short *address, unsigned short compare,               \
                                    unsigned short value, SIMT_SITE)                               \
    {                                                                                              \
        simt_atomic_numbers(static_cast<enum simt_atomic>(operation), SIMT_UINT16, sizeof value,   \
                            address, &value, &compare, simt_file, simt_line);                      \
        return value;                                                                              \
    }
SIMT_ATOMIC_NUMBERS(atomicAdd, SIMT_ATOMIC_ADD, float2, SIMT_FLOAT32)
SIMT_ATOMIC_NUMBERS(atomicAdd, SIMT_ATOMIC_ADD, float4, SIMT_FLOAT32)
SIMT_ATOMIC_NUMBERS(atomicAdd_block, SIMT_ATOMIC_ADD | SIMT_ATOMIC_OF_BLOCK, float2, SIMT_FLOAT32)
SIMT_ATOMIC_NUMBERS(atomicAdd_block, SIMT_ATOMIC_ADD | SIMT_ATOMIC_OF_BLOCK, float4, SIMT_FLOAT32)
SIMT_ATOMIC_NUMBERS(atomicAdd_system, SIMT_ATOMIC_ADD, float2, SIMT_FLOAT32)
SIMT_ATOMIC_NUMBERS(atomicAdd_system, SIMT_ATOMIC_ADD, float4, SIMT_FLOAT32)
SIMT_ATOMIC_COMPARE_16(atomicCAS, SIMT_ATOMIC_COMPARE)
SIMT_ATOMIC_COMPARE_16(atomicCAS_block, SIMT_ATOMIC_COMPARE | SIMT_ATOMIC_OF_BLOCK)
SIMT_ATOMIC_COMPARE_16(atomicCAS_system, SIMT_ATOMIC_COMPARE)

#undef SIMT_ATOMIC_NUMBERS
#undef SIMT_ATOMIC_COMPARE_16
#undef SIMT_ATOMIC_FUNCTION
#undef SIMT_ATOMIC_SCOPES
#undef SIMT_ATOMIC_COMPARE_FUNCTION
#undef SIMT_ATOMIC_COMPARE_SCOPES
#undef SIMT_ATOMIC_32
#undef SIMT_ATOMIC_32_64

#endif
