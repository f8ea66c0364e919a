/* Intrinsics on the two halves or four bytes of an int, and those of DPX. cuda_runtime.h includes
 * this. */
#ifndef SIMT_VIDEO_H
#define SIMT_VIDEO_H

#include "cuda_runtime.h"

namespace simt
{

/* Applies a function of ints to each part of type T. */
template <class T, class Function>
SIMT_INLINE unsigned int lanes(unsigned int a, unsigned int b, Function function)
{
    constexpr int bits = 8 * sizeof(T);
    constexpr unsigned int mask = (1u << bits) - 1;
    unsigned int result = 0;
    for (int at = 0; at < 32; at += bits) {
        const int x = static_cast<T>(a >> at & mask), y = static_cast<T>(b >> at & mask);
        result |= (static_cast<unsigned int>(function(x, y)) & mask) << at;
    }
    return result;
}

template <class T>
SIMT_INLINE int clamped(int value)
{
    constexpr int least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    return value < least ? least : value > most ? most : value;
}

/* The sum of |a - b| over the parts. */
template <class T>
SIMT_INLINE unsigned int sum_of_differences(unsigned int a, unsigned int b)
{
    constexpr int bits = 8 * sizeof(T);
    constexpr unsigned int mask = (1u << bits) - 1;
    unsigned int sum = 0;
    for (int at = 0; at < 32; at += bits) {
        const int x = static_cast<T>(a >> at & mask), y = static_cast<T>(b >> at & mask);
        sum += static_cast<unsigned int>(x > y ? x - y : y - x);
    }
    return sum;
}

} // namespace simt

#define SIMT_LANES_1(name, T, expression)                                                          \
    SIMT_INLINE unsigned int name(unsigned int a)                                                  \
    {                                                                                              \
        return simt::lanes<T>(a, 0, [](int x, int) { return expression; });                        \
    }
#define SIMT_LANES_2(name, T, expression)                                                          \
    SIMT_INLINE unsigned int name(unsigned int a, unsigned int b)                                  \
    {                                                                                              \
        return simt::lanes<T>(a, b, [](int x, int y) { return expression; });                      \
    }
/* __vcmp sets all bits of a part, __vset only its lowest bit. */
#define SIMT_LANES_COMPARED(name, width, T, operator)                                              \
    SIMT_LANES_2(__vcmp##name##width, T, -(x operator y))                                          \
    SIMT_LANES_2(__vset##name##width, T, (x operator y))
#define SIMT_LANES_SUM(name, T)                                                                    \
    SIMT_INLINE unsigned int name(unsigned int a, unsigned int b)                                  \
    {                                                                                              \
        return simt::sum_of_differences<T>(a, b);                                                  \
    }
#define SIMT_LANES(width, S, U)                                                                    \
    SIMT_LANES_1(__vabs##width, S, x < 0 ? -x : x)                                                 \
    SIMT_LANES_1(__vabsss##width, S, simt::clamped<S>(x < 0 ? -x : x))                             \
    SIMT_LANES_1(__vneg##width, S, -x)                                                             \
    SIMT_LANES_1(__vnegss##width, S, simt::clamped<S>(-x))                                         \
    SIMT_LANES_2(__vadd##width, U, x + y)                                                          \
    SIMT_LANES_2(__vaddss##width, S, simt::clamped<S>(x + y))                                      \
    SIMT_LANES_2(__vaddus##width, U, simt::clamped<U>(x + y))                                      \
    SIMT_LANES_2(__vsub##width, U, x - y)                                                          \
    SIMT_LANES_2(__vsubss##width, S, simt::clamped<S>(x - y))                                      \
    SIMT_LANES_2(__vsubus##width, U, simt::clamped<U>(x - y))                                      \
    SIMT_LANES_2(__vabsdiffs##width, S, x > y ? x - y : y - x)                                     \
    SIMT_LANES_2(__vabsdiffu##width, U, x > y ? x - y : y - x)                                     \
    SIMT_LANES_2(__vavgs##width, S, (x + y + (x + y >= 0)) >> 1)                                   \
    SIMT_LANES_2(__vavgu##width, U, (x + y + 1) >> 1)                                              \
    SIMT_LANES_2(__vhaddu##width, U, (x + y) >> 1)                                                 \
    SIMT_LANES_2(__vmaxs##width, S, x > y ? x : y)                                                 \
    SIMT_LANES_2(__vmaxu##width, U, x > y ? x : y)                                                 \
    SIMT_LANES_2(__vmins##width, S, x < y ? x : y)                                                 \
    SIMT_LANES_2(__vminu##width, U, x < y ? x : y)                                                 \
    SIMT_LANES_COMPARED(eq, width, U, ==)                                                          \
    SIMT_LANES_COMPARED(ne, width, U, !=)                                                          \
    SIMT_LANES_COMPARED(ges, width, S, >=)                                                         \
    SIMT_LANES_COMPARED(geu, width, U, >=)                                                         \
    SIMT_LANES_COMPARED(gts, width, S, >)                                                          \
    SIMT_LANES_COMPARED(gtu, width, U, >)                                                          \
    SIMT_LANES_COMPARED(les, width, S, <=)                                                         \
    SIMT_LANES_COMPARED(leu, width, U, <=)                                                         \
    SIMT_LANES_COMPARED(lts, width, S, <)                                                          \
    SIMT_LANES_COMPARED(ltu, width, U, <)                                                          \
    SIMT_LANES_SUM(__vsads##width, S)                                                              \
    SIMT_LANES_SUM(__vsadu##width, U)
SIMT_LANES(2, short, unsigned short)
SIMT_LANES(4, signed char, unsigned char)
#undef SIMT_LANES
#undef SIMT_LANES_COMPARED
#undef SIMT_LANES_SUM
#undef SIMT_LANES_1

/* ---- DPX: a sum, then the maximum or minimum; on words and on halves ---- */

#define SIMT_DPX(name, T, parameters, expression)                                                  \
    SIMT_INLINE T name parameters                                                                  \
    {                                                                                              \
        return expression;                                                                         \
    }
SIMT_INLINE int simt_wrapped_sum(int a, int b)
{
    return static_cast<int>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b));
}
SIMT_DPX(__vimax3_s32, int, (int a, int b, int c), max(max(a, b), c))
SIMT_DPX(__vimin3_s32, int, (int a, int b, int c), min(min(a, b), c))
SIMT_DPX(__vimax3_u32, unsigned int, (unsigned int a, unsigned int b, unsigned int c),
         max(max(a, b), c))
SIMT_DPX(__vimin3_u32, unsigned int, (unsigned int a, unsigned int b, unsigned int c),
         min(min(a, b), c))
SIMT_DPX(__vimax3_s32_relu, int, (int a, int b, int c), max(max(max(a, b), c), 0))
SIMT_DPX(__vimin3_s32_relu, int, (int a, int b, int c), max(min(min(a, b), c), 0))
SIMT_DPX(__vimax_s32_relu, int, (int a, int b), max(max(a, b), 0))
SIMT_DPX(__vimin_s32_relu, int, (int a, int b), max(min(a, b), 0))
SIMT_DPX(__viaddmax_s32, int, (int a, int b, int c), max(simt_wrapped_sum(a, b), c))
SIMT_DPX(__viaddmin_s32, int, (int a, int b, int c), min(simt_wrapped_sum(a, b), c))
SIMT_DPX(__viaddmax_u32, unsigned int, (unsigned int a, unsigned int b, unsigned int c),
         max(a + b, c))
SIMT_DPX(__viaddmin_u32, unsigned int, (unsigned int a, unsigned int b, unsigned int c),
         min(a + b, c))
SIMT_DPX(__viaddmax_s32_relu, int, (int a, int b, int c), max(max(simt_wrapped_sum(a, b), c), 0))
SIMT_DPX(__viaddmin_s32_relu, int, (int a, int b, int c), max(min(simt_wrapped_sum(a, b), c), 0))
#define SIMT_DPX_3(name, first, then)                                                              \
    SIMT_DPX(name, unsigned int, (unsigned int a, unsigned int b, unsigned int c),                 \
             then(first(a, b), c))                                                                 \
    SIMT_DPX_RELU(name)
#define SIMT_DPX_RELU(name)
SIMT_DPX_3(__vimax3_u16x2, __vmaxu2, __vmaxu2)
SIMT_DPX_3(__vimin3_u16x2, __vminu2, __vminu2)
SIMT_DPX_3(__viaddmax_u16x2, __vadd2, __vmaxu2)
SIMT_DPX_3(__viaddmin_u16x2, __vadd2, __vminu2)
#undef SIMT_DPX_RELU
#define SIMT_DPX_RELU(name)                                                                        \
    SIMT_DPX(name##_relu, unsigned int, (unsigned int a, unsigned int b, unsigned int c),          \
             __vmaxs2(name(a, b, c), 0))
SIMT_DPX_3(__vimax3_s16x2, __vmaxs2, __vmaxs2)
SIMT_DPX_3(__vimin3_s16x2, __vmins2, __vmins2)
SIMT_DPX_3(__viaddmax_s16x2, __vadd2, __vmaxs2)
SIMT_DPX_3(__viaddmin_s16x2, __vadd2, __vmins2)
SIMT_DPX(__vimax_s16x2_relu, unsigned int, (unsigned int a, unsigned int b),
         __vmaxs2(__vmaxs2(a, b), 0))
SIMT_DPX(__vimin_s16x2_relu, unsigned int, (unsigned int a, unsigned int b),
         __vmaxs2(__vmins2(a, b), 0))
#undef SIMT_DPX_RELU
#undef SIMT_DPX_3

/* Also tells which operand was chosen: true if it is the first, also if both are equal. */
#define SIMT_DPX_WHICH(name, T, comparison)                                                        \
    SIMT_INLINE T name(T a, T b, bool *first)                                                      \
    {                                                                                              \
        *first = a comparison b;                                                                   \
        return *first ? a : b;                                                                     \
    }
SIMT_DPX_WHICH(__vibmax_s32, int, >=)
SIMT_DPX_WHICH(__vibmax_u32, unsigned int, >=)
SIMT_DPX_WHICH(__vibmin_s32, int, <=)
SIMT_DPX_WHICH(__vibmin_u32, unsigned int, <=)
#undef SIMT_DPX_WHICH
#define SIMT_DPX_WHICH(name, T, comparison, pick)                                                  \
    SIMT_INLINE unsigned int name(unsigned int a, unsigned int b, bool *first_high,                \
                                  bool *first_low)                                                 \
    {                                                                                              \
        *first_high = static_cast<T>(a >> 16) comparison static_cast<T>(b >> 16);                  \
        *first_low = static_cast<T>(a & 0xffff) comparison static_cast<T>(b & 0xffff);             \
        return pick(a, b);                                                                         \
    }
SIMT_DPX_WHICH(__vibmax_s16x2, short, >=, __vmaxs2)
SIMT_DPX_WHICH(__vibmax_u16x2, unsigned short, >=, __vmaxu2)
SIMT_DPX_WHICH(__vibmin_s16x2, short, <=, __vmins2)
SIMT_DPX_WHICH(__vibmin_u16x2, unsigned short, <=, __vminu2)
#undef SIMT_DPX_WHICH
#undef SIMT_DPX
#undef SIMT_LANES_2

#endif
