/* The encoding of a tensor in this back end's CUtensorMap. */
#ifndef SIMT_TENSOR_MAP_H
#define SIMT_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda/cuda.h"

enum { SIMT_MOST_DIMENSIONS = 5, SIMT_BOX_CHUNK = 16 };
#define SIMT_MAP_MAGIC UINT64_C(0x70616d2d746d6973)

struct simt_tensor_map {
    uint64_t magic;
    char *address;
    uint64_t size[SIMT_MOST_DIMENSIONS], stride[SIMT_MOST_DIMENSIONS - 1]; /* strides in bytes */
    uint16_t box[SIMT_MOST_DIMENSIONS];
    uint8_t less_one[SIMT_MOST_DIMENSIONS]; /* element strides minus 1 */
    uint8_t rank, element, swizzle;         /* element: bytes; swizzle: bytes, 0 for none */
    uint8_t type;                           /* CUtensorMapDataType */
    uint8_t interleave;                     /* bytes of a slice of channels: 16, 32; 0: no slices */
    bool fills;                             /* fills elements outside with NaNs */
    bool replaced;                          /* fields were replaced, so it may match no tensor */
    /* Im2col: box[0] is the number of channels, box[1] the number of pixels. */
    bool im2col;
    int16_t lower[SIMT_MOST_DIMENSIONS - 2], upper[SIMT_MOST_DIMENSIONS - 2];
};

static inline unsigned int simt_map_step(const struct simt_tensor_map *map, unsigned int dimension)
{
    return map->less_one[dimension] + 1u;
}

/* The size in bytes of a box's unit along its first dimension: an element. Interleaved tensors have
 * slices of channels there, with W before C: W, H, D, slices, N. */
static inline unsigned int simt_map_unit(const struct simt_tensor_map *map)
{
    return map->interleave ? map->interleave : map->element;
}

/* For im2col: the first dimension of pixels. */
static inline unsigned int simt_map_first_of_pixels(const struct simt_tensor_map *map)
{
    return map->interleave ? 0 : 1;
}

static inline bool simt_map_rounds(const struct simt_tensor_map *map)
{
    return map->type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 ||
           map->type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
}

/* Whether it follows the rules of the driver API's manual. */
bool simt_map_is_valid(const struct simt_tensor_map *map);

_Static_assert(sizeof(struct simt_tensor_map) <= sizeof(CUtensorMap), "as large as CUDA's");

#endif
/* SPDX-License-Identifier: MIT */
