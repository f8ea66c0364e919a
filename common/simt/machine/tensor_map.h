/* The encoding of a tensor, as a CUtensorMap of this back end holds it. */
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
    uint8_t less_one[SIMT_MOST_DIMENSIONS]; /* element strides: nothing said is 1 */
    uint8_t rank, element, swizzle;         /* element: bytes; swizzle: bytes, 0 for none */
    uint8_t type;                           /* CUtensorMapDataType */
    bool fills;                             /* what lies outside, with NaNs */
    bool replaced;                          /* fields, so that it may be no tensor's */
    /* Im2col: box[0] is how many channels, box[1] how many pixels. */
    bool im2col;
    int16_t lower[SIMT_MOST_DIMENSIONS - 2], upper[SIMT_MOST_DIMENSIONS - 2];
};

static inline unsigned int simt_map_step(const struct simt_tensor_map *map, unsigned int dimension)
{
    return map->less_one[dimension] + 1u;
}

static inline bool simt_map_rounds(const struct simt_tensor_map *map)
{
    return map->type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 ||
           map->type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
}

/* Whether it keeps to the rules of the driver API's manual. */
bool simt_map_is_valid(const struct simt_tensor_map *map);

_Static_assert(sizeof(struct simt_tensor_map) <= sizeof(CUtensorMap), "as large as CUDA's");

#endif
