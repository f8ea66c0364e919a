/* Functions that the device's texture functions call. simt_textures.h includes this. */
#ifndef SIMT_TEXTURE_CALLS_H
#define SIMT_TEXTURE_CALLS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each writes four values: bits of floats, or integers. `layer`: -1 if the texture has none. */
void simt_texture_sample(unsigned long long texture, int dimensions, const float *coordinates,
                         int layer, uint32_t *values, const char *file, int line);
void simt_texture_element(unsigned long long texture, long long index, uint32_t *values,
                          const char *file, int line);
void simt_texture_gather(unsigned long long texture, const float *coordinates, int component,
                         uint32_t *values, const char *file, int line);

struct simt_surface_place {
    long long x, y, z; /* in bytes, rows, slices */
};
/* The address of `size` bytes. NULL: outside; a read then gives 0 and a write does nothing. */
void *simt_surface_at(unsigned long long surface, struct simt_surface_place place,
                      unsigned int size, int mode, const char *file, int line);

#ifdef __cplusplus
}
#endif

#endif
