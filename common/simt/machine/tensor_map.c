/* Tensor maps: what cuTensorMapEncodeTiled and Im2col make of a tensor. */
#include <string.h>

#include "machine/tensor_map.h"

static unsigned int element_bytes(CUtensorMapDataType type)
{
    static const unsigned char bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
    return (unsigned int)type < sizeof bytes ? bytes[type] : 0;
}

/* The rules of the CUDA driver API's manual. */
static bool is_valid(const struct simt_tensor_map *map, const cuuint32_t *step)
{
    uint64_t row = (uint64_t)map->box[0] * map->element;
    if ((uintptr_t)map->address % SIMT_BOX_CHUNK != 0 || row % SIMT_BOX_CHUNK != 0 ||
        (map->swizzle && row > map->swizzle)) {
        return false;
    }
    for (unsigned int i = 0; i < map->rank; i++) {
        if (map->size[i] == 0 || map->size[i] > (uint64_t)1 << 32 || step[i] == 0 || step[i] > 8) {
            return false;
        }
        if (i + 1 < map->rank &&
            (map->stride[i] % SIMT_BOX_CHUNK != 0 || map->stride[i] >= (uint64_t)1 << 40)) {
            return false;
        }
    }
    return true;
}

/* What both kinds of maps have in common; then the rest is up to the caller. */
static CUresult encode(struct simt_tensor_map *encoded, CUtensorMap *map, CUtensorMapDataType type,
                       cuuint32_t rank, void *address, const cuuint64_t *size,
                       const cuuint64_t *stride, const cuuint32_t *element_stride,
                       CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                       CUtensorMapFloatOOBfill fill)
{
    static const unsigned char swizzles[] = {0, 32, 64, 128};
    *encoded = (struct simt_tensor_map){.magic = SIMT_MAP_MAGIC, .address = address};
    if (!map || rank == 0 || rank > SIMT_MOST_DIMENSIONS || !size || !element_stride ||
        (rank > 1 && !stride) || (unsigned int)swizzle >= sizeof swizzles ||
        (uintptr_t)map % 64 != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || element_bytes(type) == 0 ||
        fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    encoded->rank = (uint8_t)rank;
    encoded->type = (uint8_t)type;
    encoded->element = (uint8_t)element_bytes(type);
    encoded->swizzle = swizzles[swizzle];
    memcpy(encoded->size, size, rank * sizeof *size);
    if (rank > 1) {
        memcpy(encoded->stride, stride, (rank - 1) * sizeof *stride);
    }
    encoded->step[0] = 1; /* the manual: the first one is ignored */
    for (unsigned int i = 1; i < rank; i++) {
        encoded->step[i] = (uint8_t)element_stride[i];
    }
    return CUDA_SUCCESS;
}

static CUresult finish(const struct simt_tensor_map *encoded, CUtensorMap *map)
{
    memset(map, 0, sizeof *map);
    memcpy(map, encoded, sizeof *encoded);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *size, const cuuint64_t *stride,
                                const cuuint32_t *box, const cuuint32_t *element_stride,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct simt_tensor_map encoded;
    CUresult result = encode(&encoded, map, type, rank, address, size, stride, element_stride,
                             interleave, swizzle, fill);
    (void)promotion; /* a hint to a cache */
    if (result != CUDA_SUCCESS) {
        return result;
    }
    for (unsigned int i = 0; i < rank; i++) {
        if (!box || box[i] == 0 || box[i] > 256) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        encoded.box[i] = (uint16_t)box[i];
    }
    return is_valid(&encoded, element_stride) ? finish(&encoded, map) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                 void *address, const cuuint64_t *size, const cuuint64_t *stride,
                                 const int *lower, const int *upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t *element_stride,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    static const int limits[] = {0, 0, 0, 32768, 128, 16};
    struct simt_tensor_map encoded;
    CUresult result = encode(&encoded, map, type, rank, address, size, stride, element_stride,
                             interleave, swizzle, fill);
    (void)promotion;
    if (result != CUDA_SUCCESS) {
        return result;
    }
    if (rank < 3 || !lower || !upper || channels == 0 || channels > 256 || pixels == 0 ||
        pixels > 1024) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    encoded.im2col = true;
    encoded.box[0] = (uint16_t)channels;
    encoded.box[1] = (uint16_t)pixels;
    for (unsigned int i = 0; i < rank - 2; i++) {
        if (lower[i] < -limits[rank] || lower[i] >= limits[rank] || upper[i] < -limits[rank] ||
            upper[i] >= limits[rank] || (int64_t)size[i + 1] + upper[i] <= lower[i]) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        encoded.lower[i] = (int16_t)lower[i];
        encoded.upper[i] = (int16_t)upper[i];
    }
    return is_valid(&encoded, element_stride) ? finish(&encoded, map) : CUDA_ERROR_INVALID_VALUE;
}
