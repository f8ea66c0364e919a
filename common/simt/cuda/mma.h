/* Drop-in for CUDA's header of the same name: nvcuda::wmma. It uses mma.sync m16n8, and fragments
 * have the same register layout. Fragments of 8 x 32 shapes are transposed. Elements of less than 8
 * bits and of type double are missing. */
#ifndef SIMT_CUDA_MMA_H
#define SIMT_CUDA_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "simt_ptx_runtime.h"

namespace nvcuda
{
namespace wmma
{

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision
{
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };

/* Per element type: the type that stores it, and its number in mma.sync. (CUDA stores each half
 * of a factor twice; see num_elements.) */
template <class T>
struct simt_element {
    typedef T type;
};
template <>
struct simt_element<precision::tf32> {
    typedef float type;
};
template <class T>
inline constexpr unsigned int simt_code = SIMT_PTX_F32;
template <>
inline constexpr unsigned int simt_code<__half> = SIMT_PTX_F16;
template <>
inline constexpr unsigned int simt_code<__nv_bfloat16> = SIMT_PTX_BF16;
template <>
inline constexpr unsigned int simt_code<precision::tf32> = SIMT_PTX_TF32;
template <>
inline constexpr unsigned int simt_code<signed char> = SIMT_PTX_S8;
template <>
inline constexpr unsigned int simt_code<unsigned char> = SIMT_PTX_U8;
template <>
inline constexpr unsigned int simt_code<int> = SIMT_PTX_S32;

template <class Use, int Height, int Width, int Depth, class T>
inline constexpr bool simt_exists =
    std::is_same_v<T, precision::tf32>
        ? Height == 16 && Width == 16 && Depth == 8 && !std::is_same_v<Use, accumulator>
        : (Depth == 16 || (Depth == 8 && std::is_same_v<T, float>)) &&
              ((Height == 16 && Width == 16) ||
               (Depth == 16 && Height * Width == 256 && (Height == 8 || Height == 32)));

template <class Use, int Height, int Width, int Depth, class T, class Layout = void>
struct fragment {
    static_assert(simt_exists<Use, Height, Width, Depth, T>,
                  "wmma: no fragment of this shape and type");
    typedef typename simt_element<T>::type element_type;
    typedef element_type storage_element_type;
    static const bool simt_is_sum = std::is_same_v<Use, accumulator>;
    static const bool simt_swapped = Height == 8; /* D = (B' A')' */
    /* True for the first factor of mma.sync, of 16 rows. False for the second, of 8 columns. */
    static const bool simt_first = std::is_same_v<Use, matrix_a> != simt_swapped;
    /* The rows and columns of the result as mma.sync sees them.
     */
    static const int simt_m = simt_swapped ? Width : Height, simt_n = simt_swapped ? Height : Width;
    static const int simt_used =
        simt_is_sum ? Height * Width / 32 : (simt_first ? simt_m : simt_n) * Depth / 32;
    static const int simt_parts = simt_is_sum ? 2 : 4 / static_cast<int>(sizeof(element_type));
    static const int num_elements = std::is_same_v<T, __half> && !simt_is_sum ? 16 : simt_used;
    static const int num_storage_elements = num_elements;
    element_type x[num_elements];
};

/* ---- the position of an element ---- */

struct simt_place {
    int row, column; /* of the matrix as the program sees it */
};

/* The position of element e of a lane. Elements with the same e / simt_parts are neighbours along
 * K, or in a row of mma.sync's result. */
template <class Use, int Height, int Width, int Depth, class T, class Layout>
SIMT_INLINE simt_place simt_place_of(const fragment<Use, Height, Width, Depth, T, Layout> &, int e)
{
    typedef fragment<Use, Height, Width, Depth, T, Layout> F;
    const uint3 thread = simt_thread_index(), block = simt_block_dimensions();
    const int lane = static_cast<int>((thread.x + block.x * (thread.y + block.y * thread.z)) % 32);
    const int parts = F::simt_parts, group = lane / 4, first = lane % 4 * parts + e % parts;
    int row, column;
    if (F::simt_is_sum) {
        const int tile = e / 4, tiles = F::simt_n / 8;
        row = tile / tiles * 16 + group + e / 2 % 2 * 8;
        column = tile % tiles * 8 + first;
    } else if (F::simt_first) {
        const int in_tile = Depth / 2, i = e % in_tile / parts;
        row = e / in_tile * 16 + group + i % 2 * 8;
        column = first + i / 2 * 4 * parts;
    } else {
        const int in_tile = Depth / 4, i = e % in_tile / parts;
        row = first + i * 4 * parts;
        column = e / in_tile * 8 + group;
    }
    return F::simt_swapped ? simt_place{column, row} : simt_place{row, column};
}

/* ---- loads and stores ---- */

/* `Count` neighbours in memory, which one access loads or stores. */
template <int Count, class T>
struct alignas(sizeof(T) * Count) simt_neighbours {
    T at[Count];
};

template <class F, class T>
SIMT_INLINE void simt_load(F &to, const T *from, unsigned int stride, bool by_rows, bool joined,
                           const char *file, int line)
{
    const int parts = F::simt_parts;
    simt_wmma_check(from, stride * sizeof(T), file, line);
    for (int e = 0; e < F::simt_used; e += parts) {
        for (int j = 0; j < (joined ? 1 : parts); j++) {
            const simt_place at = simt_place_of(to, e + j);
            const T *element = from + (by_rows ? static_cast<size_t>(at.row) * stride + at.column
                                               : static_cast<size_t>(at.column) * stride + at.row);
            if (joined) {
                const simt_neighbours<parts, T> found =
                    *reinterpret_cast<const simt_neighbours<parts, T> *>(element);
                for (int i = 0; i < parts; i++) {
                    to.x[e + i] = found.at[i];
                }
            } else {
                to.x[e + j] = *element;
            }
        }
    }
    for (int e = F::simt_used; e < F::num_elements; e++) {
        to.x[e] = to.x[e % F::simt_used];
    }
}

template <class Use, int Height, int Width, int Depth, class T, class Layout, class U>
SIMT_INLINE void load_matrix_sync(fragment<Use, Height, Width, Depth, T, Layout> &to, const U *from,
                                  unsigned int stride, SIMT_SITE)
{
    typedef fragment<Use, Height, Width, Depth, T, Layout> F;
    static_assert(!F::simt_is_sum, "wmma: a sum is loaded with its layout as an argument");
    const bool by_rows = std::is_same_v<Layout, row_major>;
    simt_load(to, from, stride, by_rows, by_rows == std::is_same_v<Use, matrix_a>, simt_file,
              simt_line);
}

template <int Height, int Width, int Depth, class T, class U>
SIMT_INLINE void load_matrix_sync(fragment<accumulator, Height, Width, Depth, T> &to, const U *from,
                                  unsigned int stride, layout_t layout, SIMT_SITE)
{
    const bool by_rows = layout == mem_row_major;
    simt_load(to, from, stride, by_rows, by_rows != to.simt_swapped, simt_file, simt_line);
}

template <int Height, int Width, int Depth, class T, class U>
SIMT_INLINE void store_matrix_sync(U *to,
                                   const fragment<accumulator, Height, Width, Depth, T> &from,
                                   unsigned int stride, layout_t layout, SIMT_SITE)
{
    typedef fragment<accumulator, Height, Width, Depth, T> F;
    const bool by_rows = layout == mem_row_major, joined = by_rows != F::simt_swapped;
    simt_wmma_check(to, stride * sizeof(U), simt_file, simt_line);
    for (int e = 0; e < F::num_elements; e += joined ? 2 : 1) {
        const simt_place at = simt_place_of(from, e);
        U *element = to + (by_rows ? static_cast<size_t>(at.row) * stride + at.column
                                   : static_cast<size_t>(at.column) * stride + at.row);
        if (joined) {
            *reinterpret_cast<simt_neighbours<2, U> *>(element) = {{from.x[e], from.x[e + 1]}};
        } else {
            *element = from.x[e];
        }
    }
}

template <class Use, int Height, int Width, int Depth, class T, class Layout, class U>
SIMT_INLINE void fill_fragment(fragment<Use, Height, Width, Depth, T, Layout> &to, const U &value)
{
    for (auto &element : to.x) {
        element =
            static_cast<typename fragment<Use, Height, Width, Depth, T, Layout>::element_type>(
                value);
    }
}

/* ---- products ---- */

/* `count` elements, from e on, as registers of mma.sync. */
template <class F>
SIMT_INLINE simt_four simt_registers(const F &from, int e, int count)
{
    simt_four result = {0, 0, 0, 0};
    unsigned int words[4] = {0, 0, 0, 0};
    __builtin_memcpy(words, &from.x[e], static_cast<size_t>(count) * sizeof from.x[0]);
    for (int i = 0; i < 4; i++) {
        result[i] = words[i];
    }
    return result;
}

template <int Height, int Width, int Depth, class OfA, class LayoutA, class OfB, class LayoutB,
          class OfD, class OfC>
SIMT_INLINE void mma_sync(fragment<accumulator, Height, Width, Depth, OfD> &d,
                          const fragment<matrix_a, Height, Width, Depth, OfA, LayoutA> &a,
                          const fragment<matrix_b, Height, Width, Depth, OfB, LayoutB> &b,
                          const fragment<accumulator, Height, Width, Depth, OfC> &c,
                          bool satf = false, SIMT_SITE)
{
    typedef fragment<accumulator, Height, Width, Depth, OfD> F;
    static_assert(std::is_same_v<OfA, OfB>, "wmma: factors of different types");
    const int per_first = Depth / 2, per_second = Depth / 4; /* elements in a tile of 16 or 8 */
    const unsigned int registers = static_cast<unsigned int>(per_first * sizeof(a.x[0])) / 4;
    /* If only one of C and D is half precision, computes in single precision. */
    typedef std::conditional_t<std::is_same_v<OfD, OfC>, OfD, float> S;
    for (int e = 0; e < F::num_elements; e += 4) {
        const int tile = e / 4, tiles = F::simt_n / 8;
        const int first = tile / tiles * per_first, second = tile % tiles * per_second;
        fragment<accumulator, 16, 16, 16, S> part;
        simt_four x, y;
        unsigned int words[4];
        if constexpr (F::simt_swapped) {
            x = simt_registers(b, first, per_first);
            y = simt_registers(a, second, per_second);
        } else {
            x = simt_registers(a, first, per_first);
            y = simt_registers(b, second, per_second);
        }
        for (int i = 0; i < 4; i++) {
            part.x[i] = static_cast<S>(c.x[e + i]);
        }
        const simt_four sum = simt_product(simt_code<S>, simt_code<OfA>, simt_code<OfB>, registers,
                                           satf && std::is_same_v<OfD, int>, x, y,
                                           simt_registers(part, 0, 4), simt_file, simt_line);
        for (int i = 0; i < 4; i++) {
            words[i] = sum[i];
        }
        __builtin_memcpy(part.x, words, 4 * sizeof(S));
        for (int i = 0; i < 4; i++) {
            d.x[e + i] = static_cast<OfD>(part.x[i]);
        }
    }
}

SIMT_INLINE float __float_to_tf32(float value)
{
    const uint64_t bits =
        simt_ptx_convert(SIMT_PTX_TF32, SIMT_PTX_F32, simt::ptx::m_rna, simt::pack(value), 0);
    return simt::bits_as<float>(static_cast<unsigned int>(bits));
}

} // namespace wmma
} // namespace nvcuda

#endif
