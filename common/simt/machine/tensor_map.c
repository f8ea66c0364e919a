/* Tensor maps: encoding by cuTensorMapEncodeTiled and Im2col; tensormap.replace. */
#include "machine/tensor_map.h"

#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "cuda/simt_ptx_runtime.h"
#include "machine/hooks.h"
#include "machine/ptx.h"
#include "machine/reports.h"
#include "observe/observer.h"

static unsigned int element_bytes(CUtensorMapDataType type)
{
    static const unsigned char bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return (unsigned int)type < sizeof bytes ? bytes[type] : 0;
}

static bool is_real(unsigned int type)
{
    return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
}

bool simt_map_is_valid(const struct simt_tensor_map *map)
{
    uint64_t row = (uint64_t)map->box[0] * map->element;
    const unsigned int aligned = map->interleave == 32 ? 32 : SIMT_BOX_CHUNK;
    if ((uintptr_t)map->address % aligned != 0 || row % SIMT_BOX_CHUNK != 0 ||
        (map->swizzle && !map->interleave && row > map->swizzle) ||
        (map->interleave && map->rank < 3) || (map->fills && !is_real(map->type))) {
        return false;
    }
    for (unsigned int i = 0; i < map->rank; i++) {
        if (map->size[i] == 0 || map->size[i] > (uint64_t)1 << 32 || map->less_one[i] > 7) {
            return false;
        }
        if (i + 1 < map->rank &&
            (map->stride[i] % aligned != 0 || map->stride[i] >= (uint64_t)1 << 40)) {
            return false;
        }
    }
    for (unsigned int i = 0; !map->im2col && i < map->rank; i++) {
        if (map->box[i] == 0 || map->box[i] > 256) {
            return false;
        }
    }
    return true;
}

/* The common part of both kinds of maps; the caller does the rest. */
static CUresult encode(struct simt_tensor_map *encoded, CUtensorMap *map, CUtensorMapDataType type,
                       cuuint32_t rank, void *address, const cuuint64_t *size,
                       const cuuint64_t *stride, const cuuint32_t *element_stride,
                       CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                       CUtensorMapFloatOOBfill fill)
{
    static const unsigned char swizzles[] = {0, 32, 64, 128}, slices[] = {0, 16, 32};
    *encoded = (struct simt_tensor_map){.magic = SIMT_MAP_MAGIC, .address = address};
    if (!map || rank == 0 || rank > SIMT_MOST_DIMENSIONS || !size || !element_stride ||
        (rank > 1 && !stride) || (unsigned int)swizzle >= sizeof swizzles ||
        (unsigned int)interleave >= sizeof slices || (uintptr_t)map % 64 != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (element_bytes(type) == 0 || fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    encoded->interleave = slices[interleave];
    encoded->fills = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    encoded->rank = (uint8_t)rank;
    encoded->type = (uint8_t)type;
    encoded->element = (uint8_t)element_bytes(type);
    encoded->swizzle = swizzles[swizzle];
    memcpy(encoded->size, size, rank * sizeof *size);
    if (rank > 1) {
        memcpy(encoded->stride, stride, (rank - 1) * sizeof *stride);
    }
    for (unsigned int i = 0; i < rank; i++) {
        if (element_stride[i] == 0 || element_stride[i] > 8) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        /* The manual says that the first one is ignored, unless the tensor is interleaved. */
        encoded->less_one[i] = (uint8_t)(i > 0 || encoded->interleave ? element_stride[i] - 1 : 0);
    }
    return CUDA_SUCCESS;
}

static CUresult finish(const struct simt_tensor_map *encoded, CUtensorMap *map)
{
    if (!simt_map_is_valid(encoded)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
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
        if (!box || box[i] > 256) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        encoded.box[i] = (uint16_t)box[i];
    }
    return finish(&encoded, map);
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
            upper[i] >= limits[rank] ||
            (int64_t)size[i + simt_map_first_of_pixels(&encoded)] + upper[i] <= lower[i]) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        encoded.lower[i] = (int16_t)lower[i];
        encoded.upper[i] = (int16_t)upper[i];
    }
    return finish(&encoded, map);
}

/* ---- tensormap.replace ---- */

static void refuse(const char *what, const char *wrong, const void *caller, const char *file,
                   int line)
{
    simt_report_place();
    fprintf(stderr, ": %s at %s:%d", what, file, line);
    simt_report_caller(caller);
    fprintf(stderr, " %s\n", wrong);
    simt_exit();
}

/* PTX's numbers, which differ from the driver's order. */
static bool set_type(struct simt_tensor_map *map, uint64_t value)
{
    static const unsigned char types[] = {
        CU_TENSOR_MAP_DATA_TYPE_UINT8,        CU_TENSOR_MAP_DATA_TYPE_UINT16,
        CU_TENSOR_MAP_DATA_TYPE_UINT32,       CU_TENSOR_MAP_DATA_TYPE_INT32,
        CU_TENSOR_MAP_DATA_TYPE_UINT64,       CU_TENSOR_MAP_DATA_TYPE_INT64,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT16,      CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,  CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
        CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,     CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
        CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,
    };
    if (value >= sizeof types) {
        return false;
    }
    map->type = types[value];
    map->element = (uint8_t)element_bytes(types[value]);
    return true;
}

static bool set_field(struct simt_tensor_map *map, enum simt_map_field field, unsigned int i,
                      uint64_t value)
{
    switch (field) {
    case SIMT_MAP_global_address:
        map->address = (char *)(uintptr_t)value;
        return true;
    case SIMT_MAP_rank:
        map->rank = (uint8_t)(value + 1);
        return value < SIMT_MOST_DIMENSIONS;
    case SIMT_MAP_box_dim:
        map->box[i] = (uint16_t)value;
        return value <= 256;
    case SIMT_MAP_global_dim:
        map->size[i] = value;
        return true;
    case SIMT_MAP_global_stride:
        map->stride[i] = value;
        return i + 1 < SIMT_MOST_DIMENSIONS;
    case SIMT_MAP_element_stride:
        map->less_one[i] = (uint8_t)(i > 0 ? value - 1 : 0);
        return value - 1 < 8;
    case SIMT_MAP_elemtype:
        return set_type(map, value);
    case SIMT_MAP_interleave_layout:
        map->interleave = (uint8_t)(value * 16);
        return value < 3;
    case SIMT_MAP_fill_mode:
        map->fills = value == 1;
        return value < 2;
    default:
        map->swizzle = (uint8_t)(value ? 16 << value : 0);
        return value < 4;
    }
}

/* A weak access to the whole map. A map of zeros has no fields set. */
void simt_tensormap_replace(void *map, enum simt_map_field field, unsigned int dimension,
                            uint64_t value, const char *file, int line)
{
    const void *caller = __builtin_return_address(0);
    static const struct simt_tensor_map none;
    struct simt_tensor_map encoded;
    memcpy(&encoded, map, sizeof encoded);
    for (unsigned int i = 0; simt_tracing && i < sizeof(CUtensorMap) / 16; i++) {
        simt_trace_event(EVENT_LOAD, caller, (uintptr_t)map + i * 16u, 16);
        simt_trace_event(EVENT_STORE, caller, (uintptr_t)map + i * 16u, 16);
    }
    if (memcmp(&encoded, &none, sizeof none) == 0) {
        encoded.magic = SIMT_MAP_MAGIC;
        encoded.element = 1;
    }
    if (encoded.magic != SIMT_MAP_MAGIC || encoded.im2col) {
        refuse("tensormap.replace",
               "needs a tensor map that cuTensorMapEncodeTiled has made, or zeros", caller, file,
               line);
    }
    encoded.replaced = true;
    if (dimension >= SIMT_MOST_DIMENSIONS || !set_field(&encoded, field, dimension, value)) {
        refuse("tensormap.replace", "has a value that the field cannot have", caller, file, line);
    }
    memcpy(map, &encoded, sizeof encoded);
}

void simt_fence_proxy_tensormap(const void *map, unsigned int size, const char *file, int line)
{
    if (size != sizeof(CUtensorMap)) {
        refuse("fence.proxy.tensormap", "is not of the 128 bytes of a tensor map",
               __builtin_return_address(0), file, line);
    }
    if (simt_tracing) {
        simt_observer.proxy_fence(map ? SIMT_PROXY_MAP_ACQUIRE : SIMT_PROXY_MAP_RELEASE, map);
    }
}
/* SPDX-License-Identifier: MIT */
