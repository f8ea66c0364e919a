/* Arithmetic and conversions with a rounding direction, through functions for PTX instructions.
 * cuda_runtime.h includes this. */
#ifndef SIMT_DIRECTED_H
#define SIMT_DIRECTED_H

#include "simt_ptx.h"

namespace simt
{

template <class To, class From>
SIMT_INLINE To from_bits(From bits)
{
    if constexpr (sizeof(To) == 4) {
        return bits_as<To>(static_cast<uint32_t>(bits));
    } else {
        return bits_as<To>(static_cast<uint64_t>(bits));
    }
}

} // namespace simt

#define SIMT_DIRECTED_1(name, T, type, operation, mode)                                            \
    SIMT_INLINE T name(T a)                                                                        \
    {                                                                                              \
        return simt::from_bits<T>(                                                                 \
            simt_ptx_real(operation, type, simt::ptx::mode, simt::pack(a), 0, 0));                 \
    }
#define SIMT_DIRECTED_2(name, T, type, operation, mode)                                            \
    SIMT_INLINE T name(T a, T b)                                                                   \
    {                                                                                              \
        return simt::from_bits<T>(                                                                 \
            simt_ptx_real(operation, type, simt::ptx::mode, simt::pack(a), simt::pack(b), 0));     \
    }
#define SIMT_DIRECTED_3(name, T, type, operation, mode)                                            \
    SIMT_INLINE T name(T a, T b, T c)                                                              \
    {                                                                                              \
        return simt::from_bits<T>(simt_ptx_real(operation, type, simt::ptx::mode, simt::pack(a),   \
                                                simt::pack(b), simt::pack(c)));                    \
    }
#define SIMT_DIRECTIONS(count, name, T, type, operation)                                           \
    SIMT_DIRECTED_##count(name##_rz, T, type, operation, m_rz)                                     \
        SIMT_DIRECTED_##count(name##_rd, T, type, operation, m_rm)                                 \
            SIMT_DIRECTED_##count(name##_ru, T, type, operation, m_rp)
#define SIMT_DIRECTED(f, T, type, multiply_add)                                                    \
    SIMT_DIRECTIONS(2, __##f##add, T, type, SIMT_PTX_ADD)                                          \
    SIMT_DIRECTIONS(2, __##f##sub, T, type, SIMT_PTX_SUB)                                          \
    SIMT_DIRECTIONS(2, __##f##mul, T, type, SIMT_PTX_MUL)                                          \
    SIMT_DIRECTIONS(2, __##f##div, T, type, SIMT_PTX_DIV)                                          \
    SIMT_DIRECTIONS(1, __##f##rcp, T, type, SIMT_PTX_RCP)                                          \
    SIMT_DIRECTIONS(1, __##f##sqrt, T, type, SIMT_PTX_SQRT)                                        \
    SIMT_DIRECTIONS(3, multiply_add, T, type, SIMT_PTX_FMA)
SIMT_DIRECTED(f, float, SIMT_PTX_F32, __fmaf)
SIMT_DIRECTED(d, double, SIMT_PTX_F64, __fma)
#undef SIMT_DIRECTED
#undef SIMT_DIRECTIONS
#undef SIMT_DIRECTED_1
#undef SIMT_DIRECTED_2
#undef SIMT_DIRECTED_3

#define SIMT_CONVERSION(name, To, to, From, from, mode)                                            \
    SIMT_INLINE To name(From a)                                                                    \
    {                                                                                              \
        return simt::from_bits<To>(simt_ptx_convert(to, from, simt::ptx::mode, simt::pack(a), 0)); \
    }
#define SIMT_CONVERSIONS(name, To, to, From, from)                                                 \
    SIMT_CONVERSION(name##_rz, To, to, From, from, m_rz)                                           \
    SIMT_CONVERSION(name##_rd, To, to, From, from, m_rm)                                           \
    SIMT_CONVERSION(name##_ru, To, to, From, from, m_rp)
SIMT_CONVERSIONS(__int2float, float, SIMT_PTX_F32, int, SIMT_PTX_S32)
SIMT_CONVERSIONS(__uint2float, float, SIMT_PTX_F32, unsigned int, SIMT_PTX_U32)
SIMT_CONVERSIONS(__ll2float, float, SIMT_PTX_F32, long long, SIMT_PTX_S64)
SIMT_CONVERSIONS(__ull2float, float, SIMT_PTX_F32, unsigned long long, SIMT_PTX_U64)
SIMT_CONVERSIONS(__ll2double, double, SIMT_PTX_F64, long long, SIMT_PTX_S64)
SIMT_CONVERSIONS(__ull2double, double, SIMT_PTX_F64, unsigned long long, SIMT_PTX_U64)
SIMT_CONVERSIONS(__double2float, float, SIMT_PTX_F32, double, SIMT_PTX_F64)
#undef SIMT_CONVERSIONS
#undef SIMT_CONVERSION

#endif
