/* What textures and surfaces are made of. */
#ifndef SIMT_TEXTURE_H
#define SIMT_TEXTURE_H

#include <stdbool.h>

#include "cuda/cuda_runtime_api.h"

/* Rows of elements of 1, 2 or 4 components. Of layered ones, the slices are the layers. */
struct cudaArray {
    struct cudaArray *next;
    char *data;
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; /* as it was asked for: height or depth may be 0 */
    unsigned int flags;
    size_t element, pitch, slice; /* bytes */
};

struct simt_texture {
    struct simt_texture *next;
    struct cudaArray array; /* or linear or pitched memory as if it were one */
    struct cudaResourceDesc resource;
    struct cudaTextureDesc description;
    bool is_surface;
};

unsigned int simt_components(const struct cudaChannelFormatDesc *format);
/* NULL if the handle is none. */
struct simt_texture *simt_texture_find(unsigned long long handle);
void simt_texture_add(struct simt_texture *texture);
/* It is no more; the caller frees it. */
void simt_texture_remove(struct simt_texture *texture);
struct simt_texture *simt_textures(void);

#endif
/* SPDX-License-Identifier: MIT */
