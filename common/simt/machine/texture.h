/* The data of textures and surfaces. */
#ifndef SIMT_TEXTURE_H
#define SIMT_TEXTURE_H

#include <stdbool.h>

#include "cuda/cuda_runtime_api.h"

/* Rows of elements of 1, 2 or 4 components. In layered arrays, the slices are the layers. */
struct cudaArray {
    struct cudaArray *next;
    char *data;
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; /* as requested: height or depth may be 0 */
    unsigned int flags;
    size_t element, pitch, slice; /* bytes */
};

struct simt_texture {
    struct simt_texture *next;
    struct cudaArray array; /* also describes linear or pitched memory */
    struct cudaResourceDesc resource;
    struct cudaTextureDesc description;
    bool is_surface;
};

unsigned int simt_components(const struct cudaChannelFormatDesc *format);
/* NULL if the handle is invalid. */
struct simt_texture *simt_texture_find(unsigned long long handle);
void simt_texture_add(struct simt_texture *texture);
/* Removes it from the list; the caller frees it. */
void simt_texture_remove(struct simt_texture *texture);
struct simt_texture *simt_textures(void);

#endif
/* SPDX-License-Identifier: MIT */
