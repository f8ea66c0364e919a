/* CUDA's vector types, C++ only, with CUDA's sizes and alignments.
 *
 * Types of two and four components copy themselves through one vector register. This is one access
 * of 2 to 16 bytes, as in hardware. Compilers split the copy of a plain struct. A union with a
 * float4 therefore cannot be copied. The default constructor is trivial, so a __shared__ array
 * needs no guard, and a union needs no constructor. */
#ifndef SIMT_VECTOR_TYPES_H
#define SIMT_VECTOR_TYPES_H

#include <utility>

#include "simt.h"

/* For `auto [x, y] = v;`, which does not look into a union. */
#define SIMT_VECTOR_GET(type, expression)                                                          \
    template <unsigned long Index>                                                                 \
    constexpr type &get()                                                                          \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    template <unsigned long Index>                                                                 \
    constexpr const type &get() const                                                              \
    {                                                                                              \
        return expression;                                                                         \
    }
#define SIMT_GET_2(type) SIMT_VECTOR_GET(type, Index == 0 ? x : y)
#define SIMT_GET_4(type) SIMT_VECTOR_GET(type, Index == 0 ? x : Index == 1 ? y : Index == 2 ? z : w)
#define SIMT_BINDS(count, element, name)                                                           \
    template <>                                                                                    \
    struct std::tuple_size<name> : std::integral_constant<unsigned long, count> {                  \
    };                                                                                             \
    template <unsigned long Index>                                                                 \
    struct std::tuple_element<Index, name> {                                                       \
        typedef element type;                                                                      \
    };

#define SIMT_VECTOR_BODY(name)                                                                     \
    name() = default;                                                                              \
    name(const name &other) : simt_lanes(other.simt_lanes)                                         \
    {                                                                                              \
    }                                                                                              \
    name &operator=(const name &other)                                                             \
    {                                                                                              \
        simt_lanes = other.simt_lanes;                                                             \
        return *this;                                                                              \
    }

#define SIMT_VECTOR_1(type, name)                                                                  \
    struct name {                                                                                  \
        type x;                                                                                    \
    };                                                                                             \
    static inline name make_##name(type x)                                                         \
    {                                                                                              \
        return name{x};                                                                            \
    }

#define SIMT_VECTOR_2(type, name, alignment)                                                       \
    struct alignas(alignment) name {                                                               \
        typedef type simt_lanes_type __attribute__((vector_size(2 * sizeof(type)), may_alias));    \
        __extension__ union {                                                                      \
            __extension__ struct {                                                                 \
                type x, y;                                                                         \
            };                                                                                     \
            simt_lanes_type simt_lanes;                                                            \
        };                                                                                         \
        SIMT_VECTOR_BODY(name)                                                                     \
        constexpr name(type a, type b = 0) : x(a), y(b)                                            \
        {                                                                                          \
        }                                                                                          \
        SIMT_GET_2(type)                                                                           \
    };                                                                                             \
    SIMT_BINDS(2, type, name)                                                                      \
    static inline name make_##name(type x, type y)                                                 \
    {                                                                                              \
        return name(x, y);                                                                         \
    }

#define SIMT_MAKE_3(type, name)                                                                    \
    static inline name make_##name(type x, type y, type z)                                         \
    {                                                                                              \
        return name{x, y, z};                                                                      \
    }

#define SIMT_VECTOR_3(type, name)                                                                  \
    struct name {                                                                                  \
        type x, y, z;                                                                              \
    };                                                                                             \
    SIMT_MAKE_3(type, name)

#define SIMT_MAKE_4(type, name)                                                                    \
    static inline name make_##name(type x, type y, type z, type w)                                 \
    {                                                                                              \
        return name(x, y, z, w);                                                                   \
    }

#define SIMT_VECTOR_4(type, name, alignment)                                                       \
    struct alignas(alignment) name {                                                               \
        typedef type simt_lanes_type __attribute__((vector_size(4 * sizeof(type)), may_alias));    \
        __extension__ union {                                                                      \
            __extension__ struct {                                                                 \
                type x, y, z, w;                                                                   \
            };                                                                                     \
            simt_lanes_type simt_lanes;                                                            \
        };                                                                                         \
        SIMT_VECTOR_BODY(name)                                                                     \
        constexpr name(type a, type b = 0, type c = 0, type d = 0) : x(a), y(b), z(c), w(d)        \
        {                                                                                          \
        }                                                                                          \
        SIMT_GET_4(type)                                                                           \
    };                                                                                             \
    SIMT_BINDS(4, type, name)                                                                      \
    SIMT_MAKE_4(type, name)

/* 32 bytes take two accesses of 16 bytes, as in hardware before Blackwell. */
#define SIMT_VECTOR_4_WIDE(type, name, alignment)                                                  \
    struct alignas(alignment) name {                                                               \
        typedef type simt_lanes_type __attribute__((vector_size(2 * sizeof(type)), may_alias));    \
        __extension__ union {                                                                      \
            __extension__ struct {                                                                 \
                type x, y, z, w;                                                                   \
            };                                                                                     \
            simt_lanes_type simt_lanes[2];                                                         \
        };                                                                                         \
        name() = default;                                                                          \
        constexpr name(type a, type b = 0, type c = 0, type d = 0) : x(a), y(b), z(c), w(d)        \
        {                                                                                          \
        }                                                                                          \
        SIMT_GET_4(type)                                                                           \
        name(const name &other) : simt_lanes{other.simt_lanes[0], other.simt_lanes[1]}             \
        {                                                                                          \
        }                                                                                          \
        name &operator=(const name &other)                                                         \
        {                                                                                          \
            simt_lanes[0] = other.simt_lanes[0];                                                   \
            simt_lanes[1] = other.simt_lanes[1];                                                   \
            return *this;                                                                          \
        }                                                                                          \
    };                                                                                             \
    SIMT_BINDS(4, type, name)                                                                      \
    SIMT_MAKE_4(type, name)

#define SIMT_VECTORS(type, name)                                                                   \
    SIMT_VECTOR_1(type, name##1)                                                                   \
    SIMT_VECTOR_2(type, name##2, 2 * sizeof(type))                                                 \
    SIMT_VECTOR_3(type, name##3)                                                                   \
    SIMT_VECTOR_4(type, name##4, 4 * sizeof(type))

#define SIMT_VECTORS_WIDE(type, name)                                                              \
    SIMT_VECTOR_1(type, name##1)                                                                   \
    SIMT_VECTOR_2(type, name##2, 16)                                                               \
    SIMT_VECTOR_3(type, name##3)                                                                   \
    SIMT_VECTOR_4_WIDE(type, name##4, 16)                                                          \
    SIMT_VECTOR_4_WIDE(type, name##4_16a, 16)                                                      \
    SIMT_VECTOR_4_WIDE(type, name##4_32a, 32)

SIMT_VECTORS(signed char, char)
SIMT_VECTORS(unsigned char, uchar)
SIMT_VECTORS(short, short)
SIMT_VECTORS(unsigned short, ushort)
SIMT_VECTORS(int, int)
SIMT_VECTORS(float, float)
SIMT_VECTORS_WIDE(long, long)
SIMT_VECTORS_WIDE(unsigned long, ulong)
SIMT_VECTORS_WIDE(long long, longlong)
SIMT_VECTORS_WIDE(unsigned long long, ulonglong)
SIMT_VECTORS_WIDE(double, double)

/* uint3 is in simt.h, which C also includes. */
SIMT_VECTOR_1(unsigned int, uint1)
SIMT_VECTOR_2(unsigned int, uint2, 8)
SIMT_MAKE_3(unsigned int, uint3)
SIMT_VECTOR_4(unsigned int, uint4, 16)

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1) : x(a), y(b), z(c)
    {
    }
    constexpr dim3(uint3 other) : x(other.x), y(other.y), z(other.z)
    {
    }
    constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
};

#undef SIMT_VECTOR_BODY
#undef SIMT_VECTOR_1
#undef SIMT_VECTOR_2
#undef SIMT_VECTOR_3
#undef SIMT_VECTOR_4
#undef SIMT_VECTOR_4_WIDE
#undef SIMT_VECTORS
#undef SIMT_VECTORS_WIDE
#undef SIMT_MAKE_3
#undef SIMT_MAKE_4

#endif
