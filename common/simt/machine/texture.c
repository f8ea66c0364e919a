/* Texture fetches, and the addresses of surface elements. The rules are in the CUDA programming
 * guide, appendix Texture Fetching: weights of the linear filter have 8 fraction bits. */
#include "machine/texture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "base/repeatable.h"
#include "cuda/simt_texture_calls.h"
#include "machine/hooks.h"
#include "machine/reports.h"
#include "observe/observer.h"

static struct simt_texture *textures;

struct simt_texture *simt_textures(void)
{
    return textures;
}

void simt_texture_add(struct simt_texture *texture)
{
    texture->next = textures;
    textures = texture;
}

void simt_texture_remove(struct simt_texture *texture)
{
    struct simt_texture **link = &textures;
    while (*link != texture) {
        link = &(*link)->next;
    }
    *link = texture->next;
}

struct simt_texture *simt_texture_find(unsigned long long handle)
{
    struct simt_texture *texture = textures;
    while (texture && (uintptr_t)texture != handle) {
        texture = texture->next;
    }
    return texture;
}

unsigned int simt_components(const struct cudaChannelFormatDesc *format)
{
    return (unsigned int)((format->x > 0) + (format->y > 0) + (format->z > 0) + (format->w > 0));
}

static const struct simt_texture *needed(unsigned long long handle, bool is_surface,
                                         const char *file, int line)
{
    const struct simt_texture *texture = simt_texture_find(handle);
    simt_not_repeatable(); /* the elements used are not recorded */
    if (texture && texture->is_surface == is_surface) {
        return texture;
    }
    simt_report_place();
    fprintf(stderr, ": %#llx is no %s object, at %s:%d\n", handle,
            is_surface ? "surface" : "texture", file, line);
    simt_exit();
}

/* ---- elements ---- */

static float half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float sign = bits & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 31) {
        return fraction ? NAN : sign * INFINITY;
    }
    return exponent == 0 ? sign * ldexpf((float)fraction, -24)
                         : sign * ldexpf((float)(1024 + fraction), exponent - 25);
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* One component. For floats, and integers that are read as floats, the bits of a float; otherwise a
 * 32-bit integer. */
static uint32_t component(const struct simt_texture *texture, const char *from)
{
    const enum cudaChannelFormatKind kind = texture->array.format.f;
    const bool normalized = texture->description.readMode == cudaReadModeNormalizedFloat;
    const int bits = texture->array.format.x;
    uint32_t raw = 0;
    int32_t value;
    memcpy(&raw, from, (size_t)bits / 8);
    if (kind == cudaChannelFormatKindFloat) {
        return bits == 16 ? float_bits(half_value((uint16_t)raw)) : raw;
    }
    if (kind == cudaChannelFormatKindUnsigned) {
        return normalized && bits < 32 ? float_bits((float)raw / (float)((1u << bits) - 1)) : raw;
    }
    value = bits == 8 ? (int8_t)raw : bits == 16 ? (int16_t)raw : (int32_t)raw;
    if (normalized && bits < 32) {
        return float_bits(fmaxf(-1.0f, (float)value / (float)((1 << (bits - 1)) - 1)));
    }
    return (uint32_t)value;
}

static bool gives_floats(const struct simt_texture *texture)
{
    return texture->array.format.f == cudaChannelFormatKindFloat ||
           texture->description.readMode == cudaReadModeNormalizedFloat;
}

struct place {
    long long x, y, z; /* -1: outside, in the border */
};

static void read_element(const struct simt_texture *texture, struct place place, const void *caller,
                         uint32_t values[4])
{
    const struct cudaArray *array = &texture->array;
    const unsigned int count = simt_components(&array->format);
    const char *from;
    memset(values, 0, 4 * sizeof *values);
    if (place.x < 0 || place.y < 0 || place.z < 0) {
        for (unsigned int i = 0; i < count && gives_floats(texture); i++) {
            values[i] = float_bits(texture->description.borderColor[i]);
        }
        return;
    }
    from = array->data + (size_t)place.z * array->slice + (size_t)place.y * array->pitch +
           (size_t)place.x * array->element;
    if (simt_tracing) {
        simt_trace_event(EVENT_LOAD, caller, (uintptr_t)from, (unsigned int)array->element);
    }
    for (unsigned int i = 0; i < count; i++) {
        values[i] = component(texture, from + i * array->element / count);
    }
}

/* ---- coordinates ---- */

static size_t at_least_one(size_t size)
{
    return size > 0 ? size : 1;
}

/* Applies an address mode to an index; -1: the border. */
static long long addressed(const struct simt_texture *texture, int dimension, long long index,
                           size_t size)
{
    const struct cudaTextureDesc *description = &texture->description;
    const long long n = (long long)size;
    enum cudaTextureAddressMode mode = description->addressMode[dimension];
    if (index >= 0 && index < n) {
        return index;
    }
    if (!description->normalizedCoords && mode != cudaAddressModeBorder) {
        mode = cudaAddressModeClamp;
    }
    switch (mode) {
    case cudaAddressModeWrap:
        return (index % n + n) % n;
    case cudaAddressModeMirror:
        index = (index % (2 * n) + 2 * n) % (2 * n);
        return index < n ? index : 2 * n - 1 - index;
    case cudaAddressModeBorder:
        return -1;
    case cudaAddressModeClamp:
    default:
        return index < 0 ? 0 : n - 1;
    }
}

/* In elements. A NaN, or a number too far away, becomes far outside. */
static double scaled(const struct simt_texture *texture, float coordinate, size_t size)
{
    const double most = 1 << 30;
    double place = coordinate;
    if (texture->description.normalizedCoords) {
        place *= (double)size;
    }
    return place != place ? 0 : place < -most ? -most : place > most ? most : place;
}

struct axis {
    long long index[2]; /* after the address mode */
    float weight;       /* of the second */
};

static struct axis axis_of(const struct simt_texture *texture, int dimension, float coordinate,
                           size_t size, bool linear)
{
    double place = scaled(texture, coordinate, size) - (linear ? 0.5 : 0);
    const double whole = floor(place);
    struct axis axis = {.weight = linear ? (float)(floor((place - whole) * 256 + 0.5) / 256) : 0};
    for (int i = 0; i < 2; i++) {
        axis.index[i] = addressed(texture, dimension, (long long)whole + i, size);
    }
    return axis;
}

static size_t size_of_dimension(const struct simt_texture *texture, int dimension)
{
    const struct cudaExtent *extent = &texture->array.extent;
    return at_least_one(dimension == 0   ? extent->width
                        : dimension == 1 ? extent->height
                                         : extent->depth);
}

/* ---- fetches ---- */

void simt_texture_sample(unsigned long long handle, int dimensions, const float *coordinates,
                         int layer, uint32_t *values, const char *file, int line)
{
    const void *caller = __builtin_return_address(0);
    const struct simt_texture *texture = needed(handle, false, file, line);
    const bool linear =
        texture->description.filterMode == cudaFilterModeLinear && gives_floats(texture);
    const long long layers = (long long)at_least_one(texture->array.extent.depth);
    struct axis axes[3] = {{{0, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0}};
    float sums[4] = {0, 0, 0, 0};
    for (int i = 0; i < dimensions; i++) {
        axes[i] = axis_of(texture, i, coordinates[i], size_of_dimension(texture, i), linear);
    }
    if (layer >= 0) {
        axes[2].index[0] = layer < layers ? layer : layers - 1;
    }
    if (!linear) {
        read_element(texture, (struct place){axes[0].index[0], axes[1].index[0], axes[2].index[0]},
                     caller, values);
        return;
    }
    for (int corner = 0; corner < 1 << dimensions; corner++) {
        const int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2 & 1;
        const float weight = (x ? axes[0].weight : 1 - axes[0].weight) *
                             (y ? axes[1].weight : 1 - axes[1].weight) *
                             (z ? axes[2].weight : 1 - axes[2].weight);
        uint32_t element[4];
        if (weight == 0) {
            continue;
        }
        read_element(texture, (struct place){axes[0].index[x], axes[1].index[y], axes[2].index[z]},
                     caller, element);
        for (int i = 0; i < 4; i++) {
            sums[i] += weight * float_of(element[i]);
        }
    }
    for (int i = 0; i < 4; i++) {
        values[i] = float_bits(sums[i]);
    }
}

void simt_texture_element(unsigned long long handle, long long index, uint32_t *values,
                          const char *file, int line)
{
    const struct simt_texture *texture = needed(handle, false, file, line);
    const bool inside = index >= 0 && (size_t)index < texture->array.extent.width;
    memset(values, 0, 4 * sizeof *values);
    if (inside) {
        read_element(texture, (struct place){index, 0, 0}, __builtin_return_address(0), values);
    }
}

/* The four elements that a linear filter would read, one component of each, counterclockwise from
 * the lower left. */
void simt_texture_gather(unsigned long long handle, const float *coordinates, int wanted,
                         uint32_t *values, const char *file, int line)
{
    static const int corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    const struct simt_texture *texture = needed(handle, false, file, line);
    const struct axis x = axis_of(texture, 0, coordinates[0], size_of_dimension(texture, 0), true);
    const struct axis y = axis_of(texture, 1, coordinates[1], size_of_dimension(texture, 1), true);
    for (int i = 0; i < 4; i++) {
        uint32_t element[4];
        read_element(texture, (struct place){x.index[corners[i][0]], y.index[corners[i][1]], 0},
                     __builtin_return_address(0), element);
        values[i] = element[wanted & 3];
    }
}

/* ---- surfaces ---- */

static long long clamped(long long index, size_t size)
{
    return index < 0 ? 0 : index < (long long)size ? index : (long long)size - 1;
}

void *simt_surface_at(unsigned long long handle, struct simt_surface_place place, unsigned int size,
                      int mode, const char *file, int line)
{
    const struct simt_texture *surface = needed(handle, true, file, line);
    const struct cudaArray *array = &surface->array;
    const size_t row = array->extent.width * array->element,
                 rows = at_least_one(array->extent.height),
                 slices = at_least_one(array->extent.depth);
    if (place.x >= 0 && (size_t)place.x + size <= row && place.y >= 0 && (size_t)place.y < rows &&
        place.z >= 0 && (size_t)place.z < slices && place.x % (long long)size == 0) {
        return array->data + (size_t)place.z * array->slice + (size_t)place.y * array->pitch +
               place.x;
    }
    if (mode == cudaBoundaryModeZero && place.x % (long long)size == 0) {
        return NULL;
    }
    if (mode == cudaBoundaryModeClamp && place.x % (long long)size == 0) {
        return array->data + (size_t)clamped(place.z, slices) * array->slice +
               (size_t)clamped(place.y, rows) * array->pitch +
               (size_t)clamped(place.x / (long long)size, row / size) * size;
    }
    simt_report_place();
    fprintf(stderr,
            ": byte %lld of row %lld of slice %lld of a surface, at %s:%d: it has rows of %zu "
            "bytes, %zu of them, and %zu slices\n"
            "  hint: the first coordinate is in bytes, a multiple of the element's size.\n",
            place.x, place.y, place.z, file, line, row, rows, slices);
    simt_exit();
}
/* SPDX-License-Identifier: MIT */
