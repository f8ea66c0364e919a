/* Texture and surface functions of kernels. cuda_runtime.h includes this. */
#ifndef SIMT_TEXTURES_H
#define SIMT_TEXTURES_H

#include "cuda_runtime.h"
#include "simt_texture_calls.h"

namespace simt
{

template <class T, class = void>
struct texel {
    static constexpr int components = 1;
    typedef T type;
};
template <class T>
struct texel<T, std::void_t<decltype(T::x)>> {
    typedef std::remove_cv_t<decltype(T::x)> type;
    static constexpr int components = sizeof(T) / sizeof(type);
};

template <class T>
SIMT_INLINE T texel_component(uint32_t bits)
{
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(bits_as<float>(bits));
    } else {
        return static_cast<T>(bits);
    }
}

template <class T>
SIMT_INLINE T texel_of(const uint32_t *values)
{
    typedef typename texel<T>::type type;
    T result{};
    if constexpr (!std::is_class_v<T>) {
        result = texel_component<T>(values[0]);
    } else {
        result.x = texel_component<type>(values[0]);
        if constexpr (texel<T>::components > 1) {
            result.y = texel_component<type>(values[1]);
        }
        if constexpr (texel<T>::components > 2) {
            result.z = texel_component<type>(values[2]);
            result.w = texel_component<type>(values[3]);
        }
    }
    return result;
}

template <class T>
SIMT_INLINE T sample(cudaTextureObject_t texture, int dimensions, float x, float y, float z,
                     int layer, const char *file, int line)
{
    const float coordinates[3] = {x, y, z};
    uint32_t values[4];
    simt_texture_sample(texture, dimensions, coordinates, layer, values, file, line);
    return texel_of<T>(values);
}

} // namespace simt

/* Both forms of a function: one returns the value, the other stores it. Levels of detail and
 * gradients are ignored, because there are no mipmaps. */
#define SIMT_TEXTURE_FUNCTION(name, parameters, dimensions, x, y, z, layer)                        \
    template <class T>                                                                             \
    SIMT_INLINE T name(cudaTextureObject_t texture, SIMT_ONLY parameters, SIMT_SITE)               \
    {                                                                                              \
        return simt::sample<T>(texture, dimensions, x, y, z, layer, simt_file, simt_line);         \
    }                                                                                              \
    template <class T>                                                                             \
    SIMT_INLINE void name(T *value, cudaTextureObject_t texture, SIMT_ONLY parameters, SIMT_SITE)  \
    {                                                                                              \
        *value = simt::sample<T>(texture, dimensions, x, y, z, layer, simt_file, simt_line);       \
    }
#define SIMT_ONLY(...) __VA_ARGS__
SIMT_TEXTURE_FUNCTION(tex1D, (float x), 1, x, 0, 0, -1)
SIMT_TEXTURE_FUNCTION(tex1DLod, (float x, float), 1, x, 0, 0, -1)
SIMT_TEXTURE_FUNCTION(tex1DGrad, (float x, float, float), 1, x, 0, 0, -1)
SIMT_TEXTURE_FUNCTION(tex1DLayered, (float x, int layer), 1, x, 0, 0, layer < 0 ? 0 : layer)
SIMT_TEXTURE_FUNCTION(tex2D, (float x, float y), 2, x, y, 0, -1)
SIMT_TEXTURE_FUNCTION(tex2DLod, (float x, float y, float), 2, x, y, 0, -1)
SIMT_TEXTURE_FUNCTION(tex2DGrad, (float x, float y, float2, float2), 2, x, y, 0, -1)
SIMT_TEXTURE_FUNCTION(tex2DLayered, (float x, float y, int layer), 2, x, y, 0,
                      layer < 0 ? 0 : layer)
SIMT_TEXTURE_FUNCTION(tex3D, (float x, float y, float z), 3, x, y, z, -1)
SIMT_TEXTURE_FUNCTION(tex3DLod, (float x, float y, float z, float), 3, x, y, z, -1)
#undef SIMT_TEXTURE_FUNCTION

template <class T>
SIMT_INLINE T tex1Dfetch(cudaTextureObject_t texture, int x, SIMT_SITE)
{
    uint32_t values[4];
    simt_texture_element(texture, x, values, simt_file, simt_line);
    return simt::texel_of<T>(values);
}

template <class T>
SIMT_INLINE void tex1Dfetch(T *value, cudaTextureObject_t texture, int x, SIMT_SITE)
{
    *value = tex1Dfetch<T>(texture, x, simt_file, simt_line);
}

template <class T>
SIMT_INLINE T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0,
                          SIMT_SITE)
{
    const float coordinates[2] = {x, y};
    uint32_t values[4];
    simt_texture_gather(texture, coordinates, component, values, simt_file, simt_line);
    return simt::texel_of<T>(values);
}

/* ---- surfaces: the first coordinate is in bytes ---- */

#define SIMT_SURFACE_FUNCTIONS(name, parameters, arguments, x, y, z)                               \
    template <class T>                                                                             \
    SIMT_INLINE T name##read(cudaSurfaceObject_t surface, SIMT_ONLY parameters,                    \
                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, SIMT_SITE)       \
    {                                                                                              \
        const T *from = static_cast<const T *>(                                                    \
            simt_surface_at(surface, {x, y, z}, sizeof(T), mode, simt_file, simt_line));           \
        return from ? *from : T{};                                                                 \
    }                                                                                              \
    template <class T>                                                                             \
    SIMT_INLINE void name##read(T *value, cudaSurfaceObject_t surface, SIMT_ONLY parameters,       \
                                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, SIMT_SITE)    \
    {                                                                                              \
        *value = name##read<T>(surface, SIMT_ONLY arguments, mode, simt_file, simt_line);          \
    }                                                                                              \
    template <class T>                                                                             \
    SIMT_INLINE void name##write(T value, cudaSurfaceObject_t surface, SIMT_ONLY parameters,       \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, SIMT_SITE)   \
    {                                                                                              \
        T *to = static_cast<T *>(                                                                  \
            simt_surface_at(surface, {x, y, z}, sizeof(T), mode, simt_file, simt_line));           \
        if (to) {                                                                                  \
            *to = value;                                                                           \
        }                                                                                          \
    }
SIMT_SURFACE_FUNCTIONS(surf1D, (int x), (x), x, 0, 0)
SIMT_SURFACE_FUNCTIONS(surf1DLayered, (int x, int layer), (x, layer), x, 0, layer)
SIMT_SURFACE_FUNCTIONS(surf2D, (int x, int y), (x, y), x, y, 0)
SIMT_SURFACE_FUNCTIONS(surf2DLayered, (int x, int y, int layer), (x, y, layer), x, y, layer)
SIMT_SURFACE_FUNCTIONS(surf3D, (int x, int y, int z), (x, y, z), x, y, z)
#undef SIMT_SURFACE_FUNCTIONS
#undef SIMT_ONLY

#endif
