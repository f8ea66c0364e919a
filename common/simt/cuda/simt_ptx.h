/* The target of the translation of inline PTX (cc/simt_ptx_*.c): one function per instruction
 * family, with the instruction's types and modifiers as template arguments. Registers are unsigned
 * integers of their size. Instructions that need branches, and rare ones, call the runtime, which
 * has no hooks. */
#ifndef SIMT_PTX_H
#define SIMT_PTX_H

#include "cuda_runtime.h"
#include "simt_ptx_runtime.h"

namespace simt
{
namespace ptx
{

/* ---- types and modifiers ---- */

#define SIMT_PTX_TYPE(name, container, type, number)                                               \
    struct name {                                                                                  \
        typedef container bits;                                                                    \
        typedef type value;                                                                        \
        static const bool is_integer = std::is_integral_v<value>;                                  \
        static const unsigned int code = number, width = 8 * sizeof(bits);                         \
    };
struct half_number { /* floating-point types that C++ lacks */
    unsigned short bits;
};
struct two_halves {
    unsigned int bits;
};
SIMT_PTX_TYPE(t_b8, unsigned char, unsigned char, SIMT_PTX_U8)
SIMT_PTX_TYPE(t_u8, unsigned char, unsigned char, SIMT_PTX_U8)
SIMT_PTX_TYPE(t_s8, unsigned char, signed char, SIMT_PTX_S8)
SIMT_PTX_TYPE(t_b16, unsigned short, unsigned short, SIMT_PTX_U16)
SIMT_PTX_TYPE(t_u16, unsigned short, unsigned short, SIMT_PTX_U16)
SIMT_PTX_TYPE(t_s16, unsigned short, short, SIMT_PTX_S16)
SIMT_PTX_TYPE(t_b32, unsigned int, unsigned int, SIMT_PTX_U32)
SIMT_PTX_TYPE(t_u32, unsigned int, unsigned int, SIMT_PTX_U32)
SIMT_PTX_TYPE(t_s32, unsigned int, int, SIMT_PTX_S32)
SIMT_PTX_TYPE(t_b64, unsigned long, unsigned long, SIMT_PTX_U64)
SIMT_PTX_TYPE(t_u64, unsigned long, unsigned long, SIMT_PTX_U64)
SIMT_PTX_TYPE(t_s64, unsigned long, long, SIMT_PTX_S64)
SIMT_PTX_TYPE(t_f16, unsigned short, half_number, SIMT_PTX_F16)
SIMT_PTX_TYPE(t_bf16, unsigned short, half_number, SIMT_PTX_BF16)
SIMT_PTX_TYPE(t_f16x2, unsigned int, two_halves, SIMT_PTX_F16X2)
SIMT_PTX_TYPE(t_bf16x2, unsigned int, two_halves, SIMT_PTX_BF16X2)
SIMT_PTX_TYPE(t_tf32, unsigned int, float, SIMT_PTX_TF32)
SIMT_PTX_TYPE(t_f32, unsigned int, float, SIMT_PTX_F32)
SIMT_PTX_TYPE(t_e4m3, unsigned char, unsigned char, SIMT_PTX_E4M3)
SIMT_PTX_TYPE(t_e5m2, unsigned char, unsigned char, SIMT_PTX_E5M2)
SIMT_PTX_TYPE(t_e4m3x2, unsigned short, half_number, SIMT_PTX_E4M3X2)
SIMT_PTX_TYPE(t_e5m2x2, unsigned short, half_number, SIMT_PTX_E5M2X2)
SIMT_PTX_TYPE(t_f64, unsigned long, double, SIMT_PTX_F64)
SIMT_PTX_TYPE(t_b1, unsigned char, unsigned char, SIMT_PTX_B1)
SIMT_PTX_TYPE(t_b1_xor, unsigned char, unsigned char, SIMT_PTX_B1_XOR)
SIMT_PTX_TYPE(t_u4, unsigned char, unsigned char, SIMT_PTX_U4)
SIMT_PTX_TYPE(t_s4, unsigned char, unsigned char, SIMT_PTX_S4)
SIMT_PTX_TYPE(t_pred, bool, bool, SIMT_PTX_U8)
#undef SIMT_PTX_TYPE

template <class T>
SIMT_INLINE typename T::value value_of(typename T::bits bits)
{
    return bits_as<typename T::value>(bits);
}

/* A negative char in a register of 16 or 32 bits keeps its sign. */
template <class T>
SIMT_INLINE auto in_register(typename T::bits bits)
{
    if constexpr (T::is_integer) {
        return static_cast<typename T::value>(bits);
    } else {
        return bits;
    }
}

/* ---- operands of the asm statement ---- */

template <char LETTER>
struct letter_of;
template <>
struct letter_of<'h'> {
    typedef unsigned short bits;
    static const bool real = false;
};
template <>
struct letter_of<'r'> {
    typedef unsigned int bits;
    static const bool real = false;
};
template <>
struct letter_of<'l'> {
    typedef unsigned long bits;
    static const bool real = false;
};
template <>
struct letter_of<'f'> {
    typedef unsigned int bits;
    static const bool real = true;
};
template <>
struct letter_of<'d'> {
    typedef unsigned long bits;
    static const bool real = true;
};

template <char LETTER, class T>
constexpr bool fits = sizeof(T) == sizeof(typename letter_of<LETTER>::bits) &&
                      std::is_floating_point_v<T> == letter_of<LETTER>::real;

/* By value: arrays then decay, and GCC cannot bind a reference to a __restrict__ pointer's sum. */
template <char LETTER, class T>
SIMT_INLINE typename letter_of<LETTER>::bits in(T value)
{
    typedef typename letter_of<LETTER>::bits bits;
    if constexpr (!letter_of<LETTER>::real && (std::is_integral_v<T> || std::is_enum_v<T>)) {
        static_assert(sizeof(T) <= sizeof(bits),
                      "asm: the operand has more bits than its constraint (h 16, r 32, l 64)");
        return static_cast<bits>(value);
    } else {
        static_assert(fits<LETTER, T>, "asm: the operand's type does not suit its constraint "
                                       "(h 16 bits, r 32, l 64, f float, d double)");
        return bits_as<bits>(value);
    }
}

template <char LETTER, class T>
SIMT_INLINE void out(T &target, typename letter_of<LETTER>::bits bits)
{
    static_assert(fits<LETTER, T>, "asm: the result's type does not suit its constraint "
                                   "(h 16 bits, r 32, l 64, f float, d double)");
    target = bits_as<T>(bits);
}

template <class T>
constexpr long long constant(T value)
{
    return static_cast<long long>(value);
}

/* The result operand "_", which drops the result. */
struct sink {
    template <class T>
    SIMT_INLINE_MEMBER void operator=(const T &) const
    {
    }
};

SIMT_INLINE unsigned int real32(double value)
{
    return bits_as<unsigned int>(static_cast<float>(value));
}

SIMT_INLINE unsigned long real64(double value)
{
    return bits_as<unsigned long>(value);
}

SIMT_INLINE unsigned long wider(unsigned int single)
{
    return bits_as<unsigned long>(static_cast<double>(bits_as<float>(single)));
}

/* ---- special registers ---- */

SIMT_INLINE unsigned int thread_number()
{
    const uint3 index = simt_thread_index(), size = simt_block_dimensions();
    return index.x + size.x * (index.y + size.y * index.z);
}

SIMT_INLINE unsigned int lane()
{
    return thread_number() % SIMT_WARP_SIZE;
}

/* Masks of lanes: this one, those before it, up to it, from it on, after it. */
SIMT_INLINE unsigned int lanemask_eq()
{
    return 1u << lane();
}

SIMT_INLINE unsigned int lanemask_lt()
{
    return (1u << lane()) - 1;
}

SIMT_INLINE unsigned int lanemask_le()
{
    return ~0u >> (31 - lane());
}

SIMT_INLINE unsigned int lanemask_ge()
{
    return ~0u << lane();
}

SIMT_INLINE unsigned int lanemask_gt()
{
    return ~1u << lane();
}

SIMT_INLINE unsigned int warps()
{
    const uint3 size = simt_block_dimensions();
    return (size.x * size.y * size.z + SIMT_WARP_SIZE - 1) / SIMT_WARP_SIZE;
}

/* ---- arithmetic ---- */

/* A floating-point operation of the runtime. */
template <class T, unsigned int Flags, enum simt_ptx_operation OPERATION>
SIMT_INLINE typename T::bits real(typename T::bits a, typename T::bits b = 0,
                                  typename T::bits c = 0)
{
    return static_cast<typename T::bits>(simt_ptx_real(OPERATION, T::code, Flags, a, b, c));
}

/* True if the host computes like a GPU: round to nearest, no flush to zero, no saturation. */
template <class T, unsigned int Flags>
constexpr bool is_plain = (Flags & ~m_rn) == 0 && std::is_floating_point_v<typename T::value>;

/* Replaces a NaN by the only NaN that a GPU produces. */
template <class T>
SIMT_INLINE typename T::bits canonical(typename T::value value)
{
    const typename T::bits nan =
        static_cast<typename T::bits>(T::width == 64 ? 0xfff8000000000000ul : 0x7ffffffful);
    return value != value ? nan : bits_as<typename T::bits>(value);
}

#define SIMT_PTX_ARITHMETIC(name, OPERATION, sign)                                                 \
    template <class T, unsigned int Flags>                                                         \
    SIMT_INLINE typename T::bits p_##name(typename T::bits a, typename T::bits b)                  \
    {                                                                                              \
        if constexpr (T::is_integer && (Flags & m_sat)) {                                          \
            static_assert(T::code == SIMT_PTX_S32, "." #name ".sat is for s32");                   \
            return simt_ptx_saturated(static_cast<long>(static_cast<int>(a))                       \
                                          sign static_cast<int>(b));                               \
        } else if constexpr (T::is_integer) {                                                      \
            return static_cast<typename T::bits>(a sign b);                                        \
        } else if constexpr (is_plain<T, Flags>) {                                                 \
            return canonical<T>(value_of<T>(a) sign value_of<T>(b));                               \
        } else {                                                                                   \
            return real<T, Flags, OPERATION>(a, b);                                                \
        }                                                                                          \
    }
SIMT_PTX_ARITHMETIC(add, SIMT_PTX_ADD, +)
SIMT_PTX_ARITHMETIC(sub, SIMT_PTX_SUB, -)
#undef SIMT_PTX_ARITHMETIC

/* The high or low half of an integer product, which is twice as wide. */
template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits product(typename T::bits a, typename T::bits b)
{
    typedef std::conditional_t<
        T::width == 64,
        std::conditional_t<std::is_signed_v<typename T::value>, simt_int128, simt_uint128>,
        std::conditional_t<std::is_signed_v<typename T::value>, long, unsigned long>>
        wide;
    static_assert(((Flags & m_hi) != 0) != ((Flags & m_lo) != 0),
                  "asm: an integer product is .hi, .lo or .wide");
    const wide both = static_cast<wide>(static_cast<typename T::value>(a)) *
                      static_cast<wide>(static_cast<typename T::value>(b));
    return static_cast<typename T::bits>(Flags & m_hi ? both >> T::width : both);
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_mul(typename T::bits a, typename T::bits b)
{
    if constexpr (T::is_integer) {
        return product<T, Flags>(a, b);
    } else if constexpr (is_plain<T, Flags>) {
        return canonical<T>(value_of<T>(a) * value_of<T>(b));
    } else {
        return real<T, Flags, SIMT_PTX_MUL>(a, b);
    }
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_fma(typename T::bits a, typename T::bits b, typename T::bits c)
{
    return real<T, Flags, SIMT_PTX_FMA>(a, b, c);
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_mad(typename T::bits a, typename T::bits b, typename T::bits c)
{
    if constexpr (T::is_integer && (Flags & m_sat)) {
        static_assert(T::code == SIMT_PTX_S32 && (Flags & m_hi), "asm: mad.sat is mad.hi.sat.s32");
        return simt_ptx_saturated(
            static_cast<long>(static_cast<int>(product<T, Flags & ~m_sat>(a, b))) +
            static_cast<int>(c));
    } else if constexpr (T::is_integer) {
        return static_cast<typename T::bits>(product<T, Flags>(a, b) + c);
    } else {
        return p_fma<T, Flags>(a, b, c);
    }
}

template <class T, unsigned int Flags>
SIMT_INLINE auto p_mul_wide(typename T::bits a, typename T::bits b)
{
    typedef std::conditional_t<T::width == 16, unsigned int, unsigned long> wide;
    typedef typename T::value value;
    return static_cast<wide>(static_cast<long>(static_cast<value>(a)) *
                             static_cast<long>(static_cast<value>(b)));
}

template <class T, unsigned int Flags, class WIDE>
SIMT_INLINE WIDE p_mad_wide(typename T::bits a, typename T::bits b, WIDE c)
{
    return static_cast<WIDE>(p_mul_wide<T, Flags>(a, b) + c);
}

/* Returns a + b + in and sets the carry. */
template <class T>
SIMT_INLINE typename T::bits sum_with_carry(typename T::bits a, typename T::bits b, unsigned int in,
                                            unsigned int &carry)
{
    const simt_uint128 sum = static_cast<simt_uint128>(a) + b + in;
    carry = static_cast<unsigned int>(sum >> T::width) & 1;
    return static_cast<typename T::bits>(sum);
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_add_cc(typename T::bits a, typename T::bits b, unsigned int &carry)
{
    return sum_with_carry<T>(a, b, 0, carry);
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_addc(typename T::bits a, typename T::bits b, unsigned int &carry)
{
    unsigned int next;
    const typename T::bits sum = sum_with_carry<T>(a, b, carry, next);
    carry = Flags & m_cc ? next : carry;
    return sum;
}

/* Here the carry is a borrow. */
template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_subc(typename T::bits a, typename T::bits b, unsigned int &carry)
{
    const simt_uint128 difference = static_cast<simt_uint128>(a) - b - carry;
    carry = Flags & m_cc ? static_cast<unsigned int>(difference >> T::width) & 1 : carry;
    return static_cast<typename T::bits>(difference);
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_sub_cc(typename T::bits a, typename T::bits b, unsigned int &carry)
{
    carry = 0;
    return p_subc<T, m_cc>(a, b, carry);
}

#define SIMT_PTX_MAD_CARRY(half)                                                                   \
    template <class T, unsigned int Flags>                                                         \
    SIMT_INLINE typename T::bits p_mad_##half##_cc(typename T::bits a, typename T::bits b,         \
                                                   typename T::bits c, unsigned int &carry)        \
    {                                                                                              \
        return sum_with_carry<T>(product<T, m_##half>(a, b), c, 0, carry);                         \
    }                                                                                              \
    template <class T, unsigned int Flags>                                                         \
    SIMT_INLINE typename T::bits p_madc_##half(typename T::bits a, typename T::bits b,             \
                                               typename T::bits c, unsigned int &carry)            \
    {                                                                                              \
        return p_addc<T, Flags>(product<T, m_##half>(a, b), c, carry);                             \
    }
SIMT_PTX_MAD_CARRY(lo)
SIMT_PTX_MAD_CARRY(hi)
#undef SIMT_PTX_MAD_CARRY

template <class T, unsigned int Flags>
SIMT_INLINE unsigned int p_mul24(unsigned int a, unsigned int b)
{
    const long one = std::is_signed_v<typename T::value> ? static_cast<int>(a << 8) >> 8
                                                         : static_cast<long>(a & 0xffffff);
    const long other = std::is_signed_v<typename T::value> ? static_cast<int>(b << 8) >> 8
                                                           : static_cast<long>(b & 0xffffff);
    return static_cast<unsigned int>(Flags & m_hi ? one * other >> 16 : one * other);
}

template <class T, unsigned int Flags>
SIMT_INLINE unsigned int p_mad24(unsigned int a, unsigned int b, unsigned int c)
{
    return p_mul24<T, Flags>(a, b) + c;
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_sad(typename T::bits a, typename T::bits b, typename T::bits c)
{
    const bool more = static_cast<typename T::value>(a) > static_cast<typename T::value>(b);
    return static_cast<typename T::bits>(c + (more ? a - b : b - a));
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_div(typename T::bits a, typename T::bits b)
{
    if constexpr (T::is_integer) {
        return static_cast<typename T::bits>(simt_ptx_divide(T::code, a, b));
    } else {
        return real<T, Flags, SIMT_PTX_DIV>(a, b);
    }
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_rem(typename T::bits a, typename T::bits b)
{
    return static_cast<typename T::bits>(simt_ptx_remainder(T::code, a, b));
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_neg(typename T::bits a)
{
    if constexpr (T::is_integer) {
        return static_cast<typename T::bits>(0 - a);
    } else {
        return real<T, Flags, SIMT_PTX_NEG>(a);
    }
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_abs(typename T::bits a)
{
    if constexpr (T::is_integer) {
        return static_cast<typename T::value>(a) < 0 ? static_cast<typename T::bits>(0 - a) : a;
    } else {
        return real<T, Flags, SIMT_PTX_ABS>(a);
    }
}

#define SIMT_PTX_EXTREME(name, OPERATION, sign)                                                    \
    template <class T, unsigned int Flags>                                                         \
    SIMT_INLINE typename T::bits p_##name(typename T::bits a, typename T::bits b)                  \
    {                                                                                              \
        if constexpr (T::is_integer) {                                                             \
            return static_cast<typename T::value>(a) sign static_cast<typename T::value>(b) ? a    \
                                                                                            : b;   \
        } else {                                                                                   \
            return real<T, Flags, OPERATION>(a, b);                                                \
        }                                                                                          \
    }
SIMT_PTX_EXTREME(min, SIMT_PTX_MIN, <)
SIMT_PTX_EXTREME(max, SIMT_PTX_MAX, >)
#undef SIMT_PTX_EXTREME

#define SIMT_PTX_FUNCTION(name, OPERATION)                                                         \
    template <class T, unsigned int Flags>                                                         \
    SIMT_INLINE typename T::bits p_##name(typename T::bits a)                                      \
    {                                                                                              \
        return real<T, Flags, OPERATION>(a);                                                       \
    }
SIMT_PTX_FUNCTION(rcp, SIMT_PTX_RCP)
SIMT_PTX_FUNCTION(sqrt, SIMT_PTX_SQRT)
SIMT_PTX_FUNCTION(rsqrt, SIMT_PTX_RSQRT)
SIMT_PTX_FUNCTION(sin, SIMT_PTX_SIN)
SIMT_PTX_FUNCTION(cos, SIMT_PTX_COS)
SIMT_PTX_FUNCTION(lg2, SIMT_PTX_LG2)
SIMT_PTX_FUNCTION(ex2, SIMT_PTX_EX2)
SIMT_PTX_FUNCTION(tanh, SIMT_PTX_TANH)
#undef SIMT_PTX_FUNCTION

/* The result has the sign of the first operand, as in PTX. */
template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_copysign(typename T::bits a, typename T::bits b)
{
    const typename T::bits sign = static_cast<typename T::bits>(1) << (T::width - 1);
    return (a & sign) | (b & ~sign);
}

template <class T, unsigned int Flags>
SIMT_INLINE bool p_testp(typename T::bits a)
{
    return simt_ptx_test(T::code, Flags, a);
}

/* ---- bits ---- */

template <class T, unsigned int Flags>
SIMT_INLINE unsigned int p_popc(typename T::bits a)
{
    return static_cast<unsigned int>(__builtin_popcountl(a));
}

template <class T, unsigned int Flags>
SIMT_INLINE unsigned int p_clz(typename T::bits a)
{
    return simt_ptx_leading_zeros(T::width, a);
}

template <class T, unsigned int Flags>
SIMT_INLINE unsigned int p_bfind(typename T::bits a)
{
    return simt_ptx_find(T::code, a, Flags & m_shiftamt);
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_brev(typename T::bits a)
{
    if constexpr (T::width == 64) {
        return __brevll(a);
    } else {
        return __brev(a);
    }
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_bfe(typename T::bits a, unsigned int position, unsigned int length)
{
    return static_cast<typename T::bits>(simt_ptx_extract(T::code, a, position, length));
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_bfi(typename T::bits a, typename T::bits b, unsigned int position,
                                   unsigned int length)
{
    return static_cast<typename T::bits>(simt_ptx_insert(T::width, a, b, position, length));
}

template <class T, unsigned int Flags>
SIMT_INLINE unsigned int p_bmsk(unsigned int position, unsigned int length)
{
    return simt_ptx_mask(position, length, Flags & m_wrap);
}

template <class T, unsigned int Flags>
SIMT_INLINE unsigned int p_szext(unsigned int a, unsigned int length)
{
    return simt_ptx_extend(T::code, a, length, Flags & m_wrap);
}

template <class OfA, class OfB, unsigned int Flags>
SIMT_INLINE unsigned int p_dp4a(unsigned int a, unsigned int b, unsigned int c)
{
    return simt_ptx_dot(OfA::code, OfB::code, 4, a, b, c);
}

template <class OfA, class OfB, unsigned int Flags>
SIMT_INLINE unsigned int p_dp2a(unsigned int a, unsigned int b, unsigned int c)
{
    return simt_ptx_dot(OfA::code, OfB::code, 2, a, Flags & m_hi ? b >> 16 : b, c);
}

/* Applies the operation to each pair of `bits`-wide pieces of a and b. Returns the results side by
 * side, or with m_add their sum plus `c`. */
template <class OfA, class OfB, unsigned int Flags, bool Signed, class Operation>
SIMT_INLINE unsigned int of_pieces(unsigned int bits, unsigned int a, unsigned int b,
                                   unsigned int c, Operation operation)
{
    const int least = Signed ? -(1 << (bits - 1)) : 0;
    const int most = (1 << (Signed ? bits - 1 : bits)) - 1;
    unsigned int all = Flags & m_add ? c : 0;
    for (unsigned int at = 0; at < 32; at += bits) {
        int found = operation(static_cast<int>(simt_ptx_extract(OfA::code, a, at, bits)),
                              static_cast<int>(simt_ptx_extract(OfB::code, b, at, bits)));
        if (Flags & m_sat) {
            found = found < least ? least : found > most ? most : found;
        }
        all += Flags & m_add ? static_cast<unsigned int>(found)
                             : (static_cast<unsigned int>(found) & ((1u << bits) - 1)) << at;
    }
    return all;
}

#define SIMT_PTX_PIECES_OF(name, bits, type, is_signed, value)                                     \
    template <class OfA, class OfB, unsigned int Flags>                                            \
    SIMT_INLINE unsigned int p_##name##_##type(unsigned int a, unsigned int b, unsigned int c)     \
    {                                                                                              \
        return of_pieces<OfA, OfB, Flags, is_signed>(bits, a, b, c,                                \
                                                     [](int x, int y) { return value; });          \
    }
#define SIMT_PTX_PIECES(name, value)                                                               \
    SIMT_PTX_PIECES_OF(name##2, 16, u32, false, value)                                             \
    SIMT_PTX_PIECES_OF(name##2, 16, s32, true, value)                                              \
    SIMT_PTX_PIECES_OF(name##4, 8, u32, false, value)                                              \
    SIMT_PTX_PIECES_OF(name##4, 8, s32, true, value)
SIMT_PTX_PIECES(vabsdiff, x > y ? x - y : y - x)
SIMT_PTX_PIECES(vadd, x + y)
SIMT_PTX_PIECES(vsub, x - y)
SIMT_PTX_PIECES(vavrg, (x + y + (x + y >= 0)) >> 1)
SIMT_PTX_PIECES(vmin, x < y ? x : y)
SIMT_PTX_PIECES(vmax, x > y ? x : y)
#undef SIMT_PTX_PIECES
#undef SIMT_PTX_PIECES_OF

#define SIMT_PTX_LOGIC(name, sign)                                                                 \
    template <class T, unsigned int Flags>                                                         \
    SIMT_INLINE typename T::bits p_##name(typename T::bits a, typename T::bits b)                  \
    {                                                                                              \
        return static_cast<typename T::bits>(a sign b);                                            \
    }
SIMT_PTX_LOGIC(and, &)
SIMT_PTX_LOGIC(or, |)
SIMT_PTX_LOGIC(xor, ^)
#undef SIMT_PTX_LOGIC

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_not(typename T::bits a)
{
    if constexpr (std::is_same_v<T, t_pred>) {
        return !a;
    } else {
        return static_cast<typename T::bits>(~a);
    }
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_cnot(typename T::bits a)
{
    return a == 0;
}

template <class T, unsigned int Flags>
SIMT_INLINE unsigned int p_lop3(unsigned int a, unsigned int b, unsigned int c, unsigned int table)
{
    unsigned int result = 0;
    for (unsigned int i = 0; i < 8; i++) {
        result |= (0u - (table >> i & 1)) & (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    }
    return result;
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_shl(typename T::bits a, unsigned int count)
{
    return static_cast<typename T::bits>(simt_ptx_shift_left(T::width, a, count));
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_shr(typename T::bits a, unsigned int count)
{
    const unsigned int most = T::width - 1, amount = count > most ? most : count;
    if constexpr (std::is_signed_v<typename T::value>) {
        return static_cast<typename T::bits>(static_cast<typename T::value>(a) >> amount);
    } else {
        return static_cast<typename T::bits>(count > most ? 0 : a >> amount);
    }
}

template <class T, unsigned int Flags>
SIMT_INLINE unsigned int p_shf_l(unsigned int low, unsigned int high, unsigned int count)
{
    return Flags & m_wrap ? __funnelshift_l(low, high, count) : __funnelshift_lc(low, high, count);
}

template <class T, unsigned int Flags>
SIMT_INLINE unsigned int p_shf_r(unsigned int low, unsigned int high, unsigned int count)
{
    return Flags & m_wrap ? __funnelshift_r(low, high, count) : __funnelshift_rc(low, high, count);
}

template <class T, unsigned int Flags>
SIMT_INLINE unsigned int p_prmt(unsigned int a, unsigned int b, unsigned int selector)
{
    return simt_ptx_permute(Flags, a, b, selector);
}

template <class T, unsigned int Flags>
SIMT_INLINE typename T::bits p_selp(typename T::bits a, typename T::bits b, bool condition)
{
    return condition ? a : b;
}

template <class T, class OfC, unsigned int Flags>
SIMT_INLINE typename T::bits p_slct(typename T::bits a, typename T::bits b, typename OfC::bits c)
{
    static_assert(OfC::code == SIMT_PTX_S32 || OfC::code == SIMT_PTX_F32,
                  "slct compares s32 or f32");
    return value_of<OfC>(c) >= 0 ? a : b;
}

/* ---- comparisons ---- */

enum comparison {
    c_eq,
    c_ne,
    c_lt,
    c_le,
    c_gt,
    c_ge,
    c_lo,
    c_ls,
    c_hi,
    c_hs,
    c_equ,
    c_neu,
    c_ltu,
    c_leu,
    c_gtu,
    c_geu,
    c_num,
    c_nan
};

template <class T, comparison COMPARISON, unsigned int Flags>
SIMT_INLINE bool compare(typename T::bits a, typename T::bits b)
{
    if constexpr (!T::is_integer) {
        return simt_ptx_compare(T::code, Flags, COMPARISON, a, b);
    } else {
        typedef typename T::value value;
        const value x = static_cast<value>(a), y = static_cast<value>(b);
        static_assert(COMPARISON <= c_hs, "this comparison is for floating-point numbers");
        return COMPARISON == c_eq                         ? x == y
               : COMPARISON == c_ne                       ? x != y
               : COMPARISON == c_lt || COMPARISON == c_lo ? x < y
               : COMPARISON == c_le || COMPARISON == c_ls ? x <= y
               : COMPARISON == c_gt || COMPARISON == c_hi ? x > y
                                                          : x >= y;
    }
}

/* Saturates two numbers to a narrower type. Returns them side by side, below the bits of `rest`. */
template <unsigned int BITS, bool SIGNED>
SIMT_INLINE unsigned int packed(unsigned int a, unsigned int b, unsigned int rest)
{
    constexpr int lowest = SIGNED ? -(1 << (BITS - 1)) : 0;
    constexpr int highest = (1 << (BITS - SIGNED)) - 1;
    constexpr unsigned int mask = (1u << BITS) - 1;
    const int high = static_cast<int>(a), low = static_cast<int>(b);
    const int pair[] = {high < lowest    ? lowest
                        : high > highest ? highest
                                         : high,
                        low < lowest    ? lowest
                        : low > highest ? highest
                                        : low};
    const unsigned int both = (static_cast<unsigned int>(pair[0]) & mask) << BITS |
                              (static_cast<unsigned int>(pair[1]) & mask);
    return BITS == 16 ? both : rest << 2 * BITS % 32 | both;
}

template <class TO, class FROM, unsigned int Flags>
SIMT_INLINE auto convert(typename FROM::bits a, typename FROM::bits b = 0)
{
    return in_register<TO>(
        static_cast<typename TO::bits>(simt_ptx_convert(TO::code, FROM::code, Flags, a, b)));
}

} // namespace ptx
} // namespace simt

#include "simt_ptx_memory.h"

#endif
