/* Drop-in for CUDA's header of the same name: 8-bit floating-point numbers, e4m3 and e5m2. The type
 * of scales, e8m0, is missing. */
#ifndef SIMT_CUDA_FP8_H
#define SIMT_CUDA_FP8_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "simt_ptx_runtime.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short int __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

struct __half_raw {
    unsigned short x;
};
struct __half2_raw {
    unsigned short x, y;
};

namespace simt
{

/* Rounds to the nearest 8-bit number. Too large a value becomes the largest number. With
 * __NV_NOSAT, it becomes an infinity, or a NaN in e4m3. A double avoids rounding twice. */
SIMT_INLINE __nv_fp8_storage_t fp8_bits(double value, __nv_saturation_t saturation,
                                        __nv_fp8_interpretation_t format)
{
    const unsigned int flags =
        ptx::m_rn |
        (saturation == __NV_SATFINITE ? static_cast<unsigned int>(ptx::m_satfinite) : 0);
    return static_cast<__nv_fp8_storage_t>(
        simt_ptx_convert(format == __NV_E4M3 ? SIMT_PTX_E4M3 : SIMT_PTX_E5M2, SIMT_PTX_F64, flags,
                         bits_as<uint64_t>(value), 0));
}

SIMT_INLINE float fp8_value(__nv_fp8_storage_t bits, __nv_fp8_interpretation_t format)
{
    return bits_as<float>(static_cast<unsigned int>(simt_ptx_convert(
        SIMT_PTX_F32, format == __NV_E4M3 ? SIMT_PTX_E4M3 : SIMT_PTX_E5M2, ptx::m_rn, bits, 0)));
}

} // namespace simt

SIMT_INLINE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t format)
{
    return simt::fp8_bits(x, saturate, format);
}

SIMT_INLINE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t format)
{
    return simt::fp8_bits(static_cast<double>(x), saturate, format);
}

SIMT_INLINE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t format)
{
    return __nv_cvt_float_to_fp8(__ushort_as_half(x.x), saturate, format);
}

SIMT_INLINE __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate,
                                                          __nv_fp8_interpretation_t format)
{
    return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_float_to_fp8(x.x, saturate, format) |
                                             __nv_cvt_float_to_fp8(x.y, saturate, format) << 8);
}

SIMT_INLINE __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x,
                                                            __nv_saturation_t saturate,
                                                            __nv_fp8_interpretation_t format)
{
    return __nv_cvt_float2_to_fp8x2(make_float2(__ushort_as_half(x.x), __ushort_as_half(x.y)),
                                    saturate, format);
}

SIMT_INLINE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                               __nv_fp8_interpretation_t format)
{
    return {__half(simt::fp8_value(x, format)).simt_bits};
}

SIMT_INLINE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                   __nv_fp8_interpretation_t format)
{
    return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x & 0xff), format).x,
            __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), format).x};
}

/* Types of one, two and four numbers. As in CUDA, they only convert and do not compute. */
#define SIMT_FP8(name, format)                                                                     \
    struct __nv_fp8_##name {                                                                       \
        __nv_fp8_storage_t __x;                                                                    \
                                                                                                   \
        __nv_fp8_##name() = default;                                                               \
        template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>                      \
        explicit __nv_fp8_##name(T value)                                                          \
            : __x(simt::fp8_bits(simt::sticky(value), __NV_SATFINITE, format))                     \
        {                                                                                          \
        }                                                                                          \
        explicit __nv_fp8_##name(__half value) : __nv_fp8_##name(static_cast<float>(value))        \
        {                                                                                          \
        }                                                                                          \
        explicit __nv_fp8_##name(__nv_bfloat16 value) : __nv_fp8_##name(static_cast<float>(value)) \
        {                                                                                          \
        }                                                                                          \
        explicit operator float() const                                                            \
        {                                                                                          \
            return simt::fp8_value(__x, format);                                                   \
        }                                                                                          \
        explicit operator double() const                                                           \
        {                                                                                          \
            return static_cast<double>(static_cast<float>(*this));                                 \
        }                                                                                          \
        explicit operator __half() const                                                           \
        {                                                                                          \
            return __half(static_cast<float>(*this));                                              \
        }                                                                                          \
        explicit operator __nv_bfloat16() const                                                    \
        {                                                                                          \
            return __nv_bfloat16(static_cast<float>(*this));                                       \
        }                                                                                          \
        explicit operator bool() const                                                             \
        {                                                                                          \
            return (__x & 0x7f) != 0;                                                              \
        }                                                                                          \
    };                                                                                             \
    struct __nv_fp8x2_##name {                                                                     \
        __nv_fp8x2_storage_t __x;                                                                  \
                                                                                                   \
        __nv_fp8x2_##name() = default;                                                             \
        explicit __nv_fp8x2_##name(float2 value)                                                   \
            : __x(__nv_cvt_float2_to_fp8x2(value, __NV_SATFINITE, format))                         \
        {                                                                                          \
        }                                                                                          \
        explicit __nv_fp8x2_##name(__half2 value)                                                  \
            : __nv_fp8x2_##name(make_float2(value.x, value.y))                                     \
        {                                                                                          \
        }                                                                                          \
        explicit __nv_fp8x2_##name(__nv_bfloat162 value)                                           \
            : __nv_fp8x2_##name(make_float2(value.x, value.y))                                     \
        {                                                                                          \
        }                                                                                          \
        explicit operator float2() const                                                           \
        {                                                                                          \
            return make_float2(simt::fp8_value(static_cast<unsigned char>(__x & 0xff), format),    \
                               simt::fp8_value(static_cast<unsigned char>(__x >> 8), format));     \
        }                                                                                          \
        explicit operator __half2() const                                                          \
        {                                                                                          \
            return __float22half2_rn(static_cast<float2>(*this));                                  \
        }                                                                                          \
    };                                                                                             \
    struct __nv_fp8x4_##name {                                                                     \
        __nv_fp8x4_storage_t __x;                                                                  \
                                                                                                   \
        __nv_fp8x4_##name() = default;                                                             \
        explicit __nv_fp8x4_##name(float4 value)                                                   \
            : __x(__nv_cvt_float2_to_fp8x2(make_float2(value.x, value.y), __NV_SATFINITE,          \
                                           format) |                                               \
                  static_cast<unsigned int>(__nv_cvt_float2_to_fp8x2(                              \
                      make_float2(value.z, value.w), __NV_SATFINITE, format))                      \
                      << 16)                                                                       \
        {                                                                                          \
        }                                                                                          \
        explicit __nv_fp8x4_##name(__half2 low, __half2 high)                                      \
            : __nv_fp8x4_##name(make_float4(low.x, low.y, high.x, high.y))                         \
        {                                                                                          \
        }                                                                                          \
        explicit __nv_fp8x4_##name(__nv_bfloat162 low, __nv_bfloat162 high)                        \
            : __nv_fp8x4_##name(make_float4(low.x, low.y, high.x, high.y))                         \
        {                                                                                          \
        }                                                                                          \
        explicit operator float4() const                                                           \
        {                                                                                          \
            return make_float4(simt::fp8_value(static_cast<unsigned char>(__x), format),           \
                               simt::fp8_value(static_cast<unsigned char>(__x >> 8), format),      \
                               simt::fp8_value(static_cast<unsigned char>(__x >> 16), format),     \
                               simt::fp8_value(static_cast<unsigned char>(__x >> 24), format));    \
        }                                                                                          \
    };
SIMT_FP8(e4m3, __NV_E4M3)
SIMT_FP8(e5m2, __NV_E5M2)
#undef SIMT_FP8

#endif
