/* Shifts as on a GPU. simt_rewrite inserts these operators. A shift by the width or more, which is
 * undefined in C++, gives 0, or -1 for a negative number to the right. The code has no branches,
 * because they would be counted. cuda_runtime.h includes this. */
#ifndef SIMT_SHIFTS_H
#define SIMT_SHIFTS_H

#include <type_traits>
#include <utility>

#define SIMT_CONSTANT_INLINE constexpr inline __attribute__((always_inline))

namespace simt
{

template <class T>
constexpr bool is_number = std::is_integral_v<T> ||
                           (std::is_enum_v<T> && std::is_convertible_v<T, int>);

/* The right operand of a shift. */
template <class T>
struct shift_count {
    T bits;
};

/* For a << within_width % n. The right operand may be a sum. Only numbers are changed. */
struct shift_limit {
    template <class T, std::enable_if_t<is_number<T>, int> = 0>
    SIMT_CONSTANT_INLINE auto operator%(T bits) const
    {
        return shift_count<decltype(+bits)>{+bits};
    }
    template <class T, std::enable_if_t<!is_number<std::decay_t<T>>, int> = 0>
    SIMT_CONSTANT_INLINE decltype(auto) operator%(T &&other) const
    {
        return std::forward<T>(other);
    }
    template <class T, std::enable_if_t<is_number<T>, int> = 0>
    SIMT_CONSTANT_INLINE auto operator=(T bits) const
    {
        return shift_count<decltype(+bits)>{+bits};
    }
    template <class T, std::enable_if_t<!is_number<std::decay_t<T>>, int> = 0>
    SIMT_CONSTANT_INLINE decltype(auto) operator=(T &&other) const
    {
        return std::forward<T>(other);
    }
};
inline constexpr shift_limit within_width{};

#define SIMT_COUNT_OPERATOR(name)                                                                  \
    template <class T, class Other>                                                                \
    SIMT_CONSTANT_INLINE auto operator name(shift_count<T> count, Other other)                     \
    {                                                                                              \
        return shift_count<decltype(count.bits name other)>{count.bits name other};                \
    }
SIMT_COUNT_OPERATOR(+)
SIMT_COUNT_OPERATOR(-)
SIMT_COUNT_OPERATOR(*)
SIMT_COUNT_OPERATOR(/)
SIMT_COUNT_OPERATOR(%)
#undef SIMT_COUNT_OPERATOR

template <class OfA, class T, std::enable_if_t<is_number<OfA>, int> = 0>
SIMT_CONSTANT_INLINE auto operator<<(OfA value, shift_count<T> count)
{
    using Result = decltype(+value);
    using Bits = std::make_unsigned_t<Result>;
    constexpr unsigned int width = 8 * sizeof(Result);
    unsigned int bits = static_cast<unsigned int>(count.bits);
    return static_cast<Result>(static_cast<Bits>(value) << (bits & (width - 1)) &
                               -static_cast<Bits>(bits < width));
}

template <class OfA, class T, std::enable_if_t<is_number<OfA>, int> = 0>
SIMT_CONSTANT_INLINE auto operator>>(OfA value, shift_count<T> count)
{
    using Result = decltype(+value);
    using Bits = std::make_unsigned_t<Result>;
    constexpr unsigned int width = 8 * sizeof(Result);
    unsigned int bits = static_cast<unsigned int>(count.bits);
    if constexpr (std::is_signed_v<Result>) {
        return +value >> ((bits | -static_cast<unsigned int>(bits >= width)) & (width - 1));
    } else {
        return static_cast<Result>(+value >> (bits & (width - 1)) &
                                   -static_cast<Bits>(bits < width));
    }
}

template <class OfA, class T, std::enable_if_t<is_number<OfA>, int> = 0>
SIMT_CONSTANT_INLINE OfA &operator<<=(OfA &value, shift_count<T> count)
{
    return value = static_cast<OfA>(value << count);
}

template <class OfA, class T, std::enable_if_t<is_number<OfA>, int> = 0>
SIMT_CONSTANT_INLINE OfA &operator>>=(OfA &value, shift_count<T> count)
{
    return value = static_cast<OfA>(value >> count);
}

/* Classes use their own shift operators. */
#define SIMT_CLASS_SHIFT(name)                                                                     \
    template <class OfA, class T, std::enable_if_t<!is_number<std::decay_t<OfA>>, int> = 0>        \
    SIMT_CONSTANT_INLINE decltype(auto) operator name(OfA &&value, shift_count<T> count)           \
    {                                                                                              \
        return std::forward<OfA>(value) name count.bits;                                           \
    }
SIMT_CLASS_SHIFT(<<)
SIMT_CLASS_SHIFT(>>)
SIMT_CLASS_SHIFT(<<=)
SIMT_CLASS_SHIFT(>>=)
#undef SIMT_CLASS_SHIFT

} // namespace simt

#undef SIMT_CONSTANT_INLINE

#endif
