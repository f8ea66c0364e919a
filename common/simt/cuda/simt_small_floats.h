/* The common part of half precision and bfloat16. cuda_fp16.h and cuda_bf16.h include it and define
 * the name in functions (SIMT_NAME: half in __float2half), the type (SIMT_REAL), the pair type
 * (SIMT_PAIR), the bits of the fraction, and the bias of the exponent.
 *
 * Results are computed in double, which has more than twice the bits. The second rounding is then
 * harmless. Fused products and sums are first rounded to odd. */

/* CUDA's names: SIMT_TO(float2, _rn) is __float2half_rn, SIMT_FROM(float) is __half2float. */
#define SIMT_PASTE_(a, b, c, d) a##b##c##d
#define SIMT_PASTE(a, b, c, d) SIMT_PASTE_(a, b, c, d)
#define SIMT_TO(before, after) SIMT_PASTE(__, before, SIMT_NAME, after)
#define SIMT_FROM(after) SIMT_PASTE(__, SIMT_NAME, 2, after)
#define SIMT_AS(after) SIMT_PASTE(__, SIMT_NAME, _as_, after)

struct SIMT_REAL {
    unsigned short simt_bits;

    constexpr SIMT_REAL() : simt_bits(0) /* constexpr: __shared__ arrays need no guard */
    {
    }
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
    SIMT_REAL(T value)
        : simt_bits(simt::small_bits<SIMT_FRACTION, SIMT_BIAS>(static_cast<double>(value)))
    {
    }
    /* From the other 16-bit type, which a float holds exactly. */
    template <class T, std::enable_if_t<sizeof(T) == 2 && std::is_class_v<T> &&
                                            !std::is_same_v<T, SIMT_REAL> &&
                                            std::is_same_v<decltype(T::simt_bits), unsigned short>,
                                        int> = 0>
    explicit SIMT_REAL(const T &value) : SIMT_REAL(static_cast<float>(value))
    {
    }
    operator float() const
    {
        return simt::small_value<SIMT_FRACTION, SIMT_BIAS>(simt_bits);
    }
};

struct alignas(4) SIMT_PAIR {
    SIMT_REAL x, y;

    constexpr SIMT_PAIR()
    {
    }
    SIMT_PAIR(SIMT_REAL a, SIMT_REAL b) : x(a), y(b)
    {
    }
};

#define SIMT_DEFINE(result, name, parameters, expression)                                          \
    SIMT_INLINE result name parameters                                                             \
    {                                                                                              \
        return expression;                                                                         \
    }

/* ---- conversions ---- */

SIMT_INLINE SIMT_REAL SIMT_TO(ushort_as_, )(unsigned short bits)
{
    SIMT_REAL result;
    result.simt_bits = bits;
    return result;
}

SIMT_DEFINE(SIMT_REAL, SIMT_TO(short_as_, ), (short bits),
            SIMT_TO(ushort_as_, )(static_cast<unsigned short>(bits)))
SIMT_DEFINE(unsigned short, SIMT_AS(ushort), (SIMT_REAL a), a.simt_bits)
SIMT_DEFINE(short, SIMT_AS(short), (SIMT_REAL a), static_cast<short>(a.simt_bits))

/* From a number of any type, in each rounding mode. sticky() handles integers of 64 bits. */
#define SIMT_ROUNDED(type, name, suffix, mode)                                                     \
    SIMT_INLINE SIMT_REAL SIMT_TO(name##2, suffix)(type a)                                         \
    {                                                                                              \
        return SIMT_TO(ushort_as_, )(                                                              \
            simt::small_bits<SIMT_FRACTION, SIMT_BIAS>(simt::sticky(a), mode));                    \
    }
#define SIMT_ROUNDINGS(type, name)                                                                 \
    SIMT_ROUNDED(type, name, _rn, 'n')                                                             \
    SIMT_ROUNDED(type, name, _rz, 'z')                                                             \
    SIMT_ROUNDED(type, name, _rd, 'd')                                                             \
    SIMT_ROUNDED(type, name, _ru, 'u')
SIMT_ROUNDINGS(float, float)
SIMT_ROUNDINGS(int, int)
SIMT_ROUNDINGS(unsigned int, uint)
SIMT_ROUNDINGS(short, short)
SIMT_ROUNDINGS(unsigned short, ushort)
SIMT_ROUNDINGS(long long, ll)
SIMT_ROUNDINGS(unsigned long long, ull)
SIMT_ROUNDED(float, float, , 'n')
SIMT_ROUNDED(double, double, , 'n')
#undef SIMT_ROUNDINGS
#undef SIMT_ROUNDED

/* To an integer, with saturation. NaN gives 0 (for 64 bits: only the top bit set). */
#define SIMT_TO_INTEGER(type, name)                                                                \
    SIMT_DEFINE(type, SIMT_FROM(name##_rn), (SIMT_REAL a), simt::saturated<type>(rintf(a)))        \
    SIMT_DEFINE(type, SIMT_FROM(name##_rz), (SIMT_REAL a), simt::saturated<type>(truncf(a)))       \
    SIMT_DEFINE(type, SIMT_FROM(name##_rd), (SIMT_REAL a), simt::saturated<type>(floorf(a)))       \
    SIMT_DEFINE(type, SIMT_FROM(name##_ru), (SIMT_REAL a), simt::saturated<type>(ceilf(a)))
SIMT_TO_INTEGER(int, int)
SIMT_TO_INTEGER(unsigned int, uint)
SIMT_TO_INTEGER(short, short)
SIMT_TO_INTEGER(unsigned short, ushort)
SIMT_TO_INTEGER(long long, ll)
SIMT_TO_INTEGER(unsigned long long, ull)
#undef SIMT_TO_INTEGER
SIMT_DEFINE(signed char, SIMT_FROM(char_rz), (SIMT_REAL a), simt::saturated<signed char>(truncf(a)))
SIMT_DEFINE(unsigned char, SIMT_FROM(uchar_rz), (SIMT_REAL a),
            simt::saturated<unsigned char>(truncf(a)))
SIMT_DEFINE(float, SIMT_FROM(float), (SIMT_REAL a), a)

SIMT_DEFINE(SIMT_PAIR, SIMT_PASTE(make_, SIMT_NAME, 2, ), (SIMT_REAL a, SIMT_REAL b),
            SIMT_PAIR(a, b))
SIMT_DEFINE(SIMT_PAIR, SIMT_TO(halves2, 2), (SIMT_REAL a, SIMT_REAL b), SIMT_PAIR(a, b))
SIMT_DEFINE(SIMT_PAIR, SIMT_PASTE(__, SIMT_NAME_2, 2, ), (SIMT_REAL a), SIMT_PAIR(a, a))
SIMT_DEFINE(SIMT_PAIR, SIMT_TO(float2, 2_rn), (float a), SIMT_PAIR(a, a))
SIMT_DEFINE(SIMT_PAIR, SIMT_TO(floats2, 2_rn), (float a, float b), SIMT_PAIR(a, b))
SIMT_DEFINE(SIMT_PAIR, SIMT_TO(float22, 2_rn), (float2 a), SIMT_PAIR(a.x, a.y))
SIMT_DEFINE(float2, SIMT_PASTE(__, SIMT_NAME, 22, float2), (SIMT_PAIR a), make_float2(a.x, a.y))
SIMT_DEFINE(float, __low2float, (SIMT_PAIR a), a.x)
SIMT_DEFINE(float, __high2float, (SIMT_PAIR a), a.y)
SIMT_DEFINE(SIMT_REAL, SIMT_TO(low2, ), (SIMT_PAIR a), a.x)
SIMT_DEFINE(SIMT_REAL, SIMT_TO(high2, ), (SIMT_PAIR a), a.y)
SIMT_DEFINE(SIMT_PAIR, SIMT_TO(low2, 2), (SIMT_PAIR a), SIMT_PAIR(a.x, a.x))
SIMT_DEFINE(SIMT_PAIR, SIMT_TO(high2, 2), (SIMT_PAIR a), SIMT_PAIR(a.y, a.y))
SIMT_DEFINE(SIMT_PAIR, SIMT_TO(lows2, 2), (SIMT_PAIR a, SIMT_PAIR b), SIMT_PAIR(a.x, b.x))
SIMT_DEFINE(SIMT_PAIR, SIMT_TO(highs2, 2), (SIMT_PAIR a, SIMT_PAIR b), SIMT_PAIR(a.y, b.y))
SIMT_DEFINE(SIMT_PAIR, __lowhigh2highlow, (SIMT_PAIR a), SIMT_PAIR(a.y, a.x))

/* ---- arithmetic ---- */

#define SIMT_BINARY(name, expression)                                                              \
    SIMT_INLINE SIMT_REAL __h##name(SIMT_REAL left, SIMT_REAL right)                               \
    {                                                                                              \
        double a = float(left), b = float(right);                                                  \
        return SIMT_REAL(expression);                                                              \
    }
#define SIMT_BINARIES(name, suffix, expression)                                                    \
    SIMT_BINARY(name##suffix, expression)                                                          \
    SIMT_INLINE SIMT_PAIR __h##name##2##suffix(SIMT_PAIR left, SIMT_PAIR right)                    \
    {                                                                                              \
        return SIMT_PAIR(__h##name##suffix(left.x, right.x), __h##name##suffix(left.y, right.y));  \
    }
#define SIMT_UNARY(name, name2, expression)                                                        \
    SIMT_INLINE SIMT_REAL name(SIMT_REAL value)                                                    \
    {                                                                                              \
        double a = float(value);                                                                   \
        return SIMT_REAL(expression);                                                              \
    }                                                                                              \
    SIMT_INLINE SIMT_PAIR name2(SIMT_PAIR value)                                                   \
    {                                                                                              \
        return SIMT_PAIR(name(value.x), name(value.y));                                            \
    }
SIMT_BINARIES(add, , a + b)
SIMT_BINARIES(sub, , a - b)
SIMT_BINARIES(mul, , a *b)
SIMT_BINARIES(add, _rn, a + b)
SIMT_BINARIES(sub, _rn, a - b)
SIMT_BINARIES(mul, _rn, a *b)
SIMT_BINARIES(add, _sat, simt::in_unit(a + b))
SIMT_BINARIES(sub, _sat, simt::in_unit(a - b))
SIMT_BINARIES(mul, _sat, simt::in_unit(a *b))
SIMT_BINARIES(max, , simt::larger(a, b))
SIMT_BINARIES(min, , -simt::larger(-a, -b))
SIMT_BINARIES(max, _nan, a != a || b != b ? a + b : simt::larger(a, b))
SIMT_BINARIES(min, _nan, a != a || b != b ? a + b : -simt::larger(-a, -b))
SIMT_BINARY(div, a / b)
SIMT_DEFINE(SIMT_PAIR, __h2div, (SIMT_PAIR a, SIMT_PAIR b),
            SIMT_PAIR(__hdiv(a.x, b.x), __hdiv(a.y, b.y)))
SIMT_UNARY(__hneg, __hneg2, -a)
SIMT_UNARY(__habs, __habs2, fabs(a))
SIMT_UNARY(hsqrt, h2sqrt, sqrt(a))
SIMT_UNARY(hrsqrt, h2rsqrt, 1.0 / sqrt(a))
SIMT_UNARY(hrcp, h2rcp, 1.0 / a)
SIMT_UNARY(hexp, h2exp, exp(a))
SIMT_UNARY(hexp2, h2exp2, exp2(a))
SIMT_UNARY(hexp10, h2exp10, pow(10.0, a))
SIMT_UNARY(hlog, h2log, log(a))
SIMT_UNARY(hlog2, h2log2, log2(a))
SIMT_UNARY(hlog10, h2log10, log10(a))
SIMT_UNARY(hsin, h2sin, sin(a))
SIMT_UNARY(hcos, h2cos, cos(a))
SIMT_UNARY(htanh, h2tanh, tanh(a))
SIMT_UNARY(htanh_approx, h2tanh_approx, tanh(a))
SIMT_UNARY(hfloor, h2floor, floor(a))
SIMT_UNARY(hceil, h2ceil, ceil(a))
SIMT_UNARY(htrunc, h2trunc, trunc(a))
SIMT_UNARY(hrint, h2rint, nearbyint(a))

#define SIMT_FUSED(name, expression)                                                               \
    SIMT_INLINE SIMT_REAL __hfma##name(SIMT_REAL x, SIMT_REAL y, SIMT_REAL z)                      \
    {                                                                                              \
        double sum = simt::fused(float(x), float(y), float(z));                                    \
        return SIMT_REAL(expression);                                                              \
    }                                                                                              \
    SIMT_INLINE SIMT_PAIR __hfma2##name(SIMT_PAIR a, SIMT_PAIR b, SIMT_PAIR c)                     \
    {                                                                                              \
        return SIMT_PAIR(__hfma##name(a.x, b.x, c.x), __hfma##name(a.y, b.y, c.y));                \
    }
SIMT_FUSED(, sum)
SIMT_FUSED(_sat, simt::in_unit(sum))
SIMT_FUSED(_relu, sum < 0 ? 0 : sum)
#undef SIMT_BINARY
#undef SIMT_BINARIES
#undef SIMT_UNARY
#undef SIMT_FUSED

/* a * b + c for complex numbers. */
SIMT_INLINE SIMT_PAIR __hcmadd(SIMT_PAIR a, SIMT_PAIR b, SIMT_PAIR c)
{
    return SIMT_PAIR(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),
                     __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

/* ---- comparisons; those with u are also true for a NaN ---- */

#define SIMT_COMPARISON(name, expression)                                                          \
    SIMT_INLINE bool __h##name(SIMT_REAL left, SIMT_REAL right)                                    \
    {                                                                                              \
        float a = left, b = right;                                                                 \
        return expression;                                                                         \
    }                                                                                              \
    SIMT_INLINE SIMT_PAIR __h##name##2(SIMT_PAIR a, SIMT_PAIR b)                                   \
    {                                                                                              \
        return SIMT_PAIR(__h##name(a.x, b.x), __h##name(a.y, b.y));                                \
    }                                                                                              \
    SIMT_INLINE bool __hb##name##2(SIMT_PAIR a, SIMT_PAIR b)                                       \
    {                                                                                              \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }                                                                                              \
    SIMT_INLINE unsigned int __h##name##2_mask(SIMT_PAIR a, SIMT_PAIR b)                           \
    {                                                                                              \
        return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);    \
    }
#define SIMT_COMPARISONS(name, operation)                                                          \
    SIMT_COMPARISON(name, a operation b)                                                           \
    SIMT_COMPARISON(name##u, a != a || b != b || a operation b)                                    \
    SIMT_DEFINE(bool, operator operation, (SIMT_REAL a, SIMT_REAL b), __h##name(a, b))
SIMT_COMPARISONS(eq, ==)
SIMT_COMPARISONS(lt, <)
SIMT_COMPARISONS(le, <=)
SIMT_COMPARISONS(gt, >)
SIMT_COMPARISONS(ge, >=)
SIMT_COMPARISON(ne, a<b || a> b)
SIMT_COMPARISON(neu, a != b)
SIMT_DEFINE(bool, operator!=, (SIMT_REAL a, SIMT_REAL b), float(a) != float(b))
#undef SIMT_COMPARISON
#undef SIMT_COMPARISONS
SIMT_DEFINE(bool, __hisnan, (SIMT_REAL a), float(a) != float(a))
SIMT_DEFINE(SIMT_PAIR, __hisnan2, (SIMT_PAIR a), SIMT_PAIR(__hisnan(a.x), __hisnan(a.y)))
SIMT_INLINE int __hisinf(SIMT_REAL a)
{
    float value = a;
    return value > 3.4e38f ? 1 : value < -3.4e38f ? -1 : 0;
}

/* ---- operators ---- */

#define SIMT_OPERATOR(operation, name, name2)                                                      \
    SIMT_DEFINE(SIMT_REAL, operator operation, (SIMT_REAL a, SIMT_REAL b), name(a, b))             \
    SIMT_DEFINE(SIMT_PAIR, operator operation, (SIMT_PAIR a, SIMT_PAIR b), name2(a, b))            \
    SIMT_DEFINE(SIMT_REAL &, operator operation##=, (SIMT_REAL & a, SIMT_REAL b), a = name(a, b))  \
    SIMT_DEFINE(SIMT_PAIR &, operator operation##=, (SIMT_PAIR & a, SIMT_PAIR b), a = name2(a, b))
SIMT_OPERATOR(+, __hadd, __hadd2)
SIMT_OPERATOR(-, __hsub, __hsub2)
SIMT_OPERATOR(*, __hmul, __hmul2)
SIMT_OPERATOR(/, __hdiv, __h2div)
#undef SIMT_OPERATOR
SIMT_DEFINE(SIMT_REAL, operator-, (SIMT_REAL a), __hneg(a))
SIMT_DEFINE(SIMT_PAIR, operator-, (SIMT_PAIR a), __hneg2(a))
SIMT_DEFINE(bool, operator==, (SIMT_PAIR a, SIMT_PAIR b), __hbeq2(a, b))
SIMT_DEFINE(bool, operator!=, (SIMT_PAIR a, SIMT_PAIR b), !__hbeq2(a, b))

/* ---- shuffles and atomics ---- */

#define SIMT_SHUFFLES(name, lane_type)                                                             \
    SIMT_INLINE SIMT_REAL name(unsigned int mask, SIMT_REAL value, lane_type lane,                 \
                               int width = SIMT_WARP_SIZE, SIMT_SITE)                              \
    {                                                                                              \
        unsigned int bits = value.simt_bits;                                                       \
        return SIMT_TO(ushort_as_, )(                                                              \
            static_cast<unsigned short>(name(mask, bits, lane, width, simt_file, simt_line)));     \
    }                                                                                              \
    SIMT_INLINE SIMT_PAIR name(unsigned int mask, SIMT_PAIR value, lane_type lane,                 \
                               int width = SIMT_WARP_SIZE, SIMT_SITE)                              \
    {                                                                                              \
        return simt::bits_as<SIMT_PAIR>(                                                           \
            name(mask, simt::bits_as<unsigned int>(value), lane, width, simt_file, simt_line));    \
    }
SIMT_SHUFFLES(__shfl_sync, int)
SIMT_SHUFFLES(__shfl_up_sync, unsigned int)
SIMT_SHUFFLES(__shfl_down_sync, unsigned int)
SIMT_SHUFFLES(__shfl_xor_sync, int)
#undef SIMT_SHUFFLES

#define SIMT_ATOMIC_ADD_OF(T)                                                                      \
    SIMT_INLINE T atomicAdd(T *address, T operand, SIMT_SITE)                                      \
    {                                                                                              \
        simt_atomic_numbers(SIMT_ATOMIC_ADD, SIMT_BIAS == 15 ? SIMT_FLOAT16 : SIMT_BFLOAT16,       \
                            sizeof operand, address, &operand, nullptr, simt_file, simt_line);     \
        return operand;                                                                            \
    }
SIMT_ATOMIC_ADD_OF(SIMT_REAL)
SIMT_ATOMIC_ADD_OF(SIMT_PAIR)

#undef SIMT_ATOMIC_ADD_OF
#undef SIMT_DEFINE
#undef SIMT_PASTE_
#undef SIMT_PASTE
#undef SIMT_TO
#undef SIMT_FROM
#undef SIMT_AS
#undef SIMT_NAME
#undef SIMT_NAME_2
#undef SIMT_REAL
#undef SIMT_PAIR
#undef SIMT_FRACTION
#undef SIMT_BIAS
