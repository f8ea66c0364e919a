/* Tensor maps: what cuTensorMapEncodeTiled makes of a tensor, and how a copy of a box of it falls
 * into pieces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "cuda/cuda.h"
#include "cuda/simt_ptx_runtime.h"
#include "machine/bulk.h"
#include "machine/cluster.h"
#include "machine/reports.h"

enum { MOST_DIMENSIONS = 5, CHUNK = 16, MAP_ALIGNMENT = 128 };
#define MAGIC UINT64_C(0x70616d2d746d6973)

/* The encoding, as a CUtensorMap holds it. */
struct encoded {
    uint64_t magic;
    char *address;
    uint64_t size[MOST_DIMENSIONS], stride[MOST_DIMENSIONS - 1]; /* strides in bytes */
    uint16_t box[MOST_DIMENSIONS];
    uint8_t step[MOST_DIMENSIONS];
    uint8_t rank, element, swizzle; /* element: bytes; swizzle: bytes, 0 for none */
    uint8_t type;                   /* CUtensorMapDataType */
    /* Im2col: box[0] is how many channels, box[1] how many pixels. */
    bool im2col;
    int16_t lower[MOST_DIMENSIONS - 2], upper[MOST_DIMENSIONS - 2];
};
_Static_assert(sizeof(struct encoded) <= sizeof(CUtensorMap), "as large as CUDA's");

static unsigned int element_bytes(CUtensorMapDataType type)
{
    static const unsigned char bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
    return (unsigned int)type < sizeof bytes ? bytes[type] : 0;
}

/* The rules of the CUDA driver API's manual. */
static bool is_valid(const struct encoded *map, const cuuint32_t *step)
{
    uint64_t row = (uint64_t)map->box[0] * map->element;
    if ((uintptr_t)map->address % CHUNK != 0 || row % CHUNK != 0 ||
        (map->swizzle && row > map->swizzle)) {
        return false;
    }
    for (unsigned int i = 0; i < map->rank; i++) {
        if (map->size[i] == 0 || map->size[i] > (uint64_t)1 << 32 || step[i] == 0 || step[i] > 8) {
            return false;
        }
        if (i + 1 < map->rank &&
            (map->stride[i] % CHUNK != 0 || map->stride[i] >= (uint64_t)1 << 40)) {
            return false;
        }
    }
    return true;
}

/* What both kinds of maps have in common; then the rest is up to the caller. */
static CUresult encode(struct encoded *encoded, CUtensorMap *map, CUtensorMapDataType type,
                       cuuint32_t rank, void *address, const cuuint64_t *size,
                       const cuuint64_t *stride, const cuuint32_t *element_stride,
                       CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                       CUtensorMapFloatOOBfill fill)
{
    static const unsigned char swizzles[] = {0, 32, 64, 128};
    *encoded = (struct encoded){.magic = MAGIC, .address = address};
    if (!map || rank == 0 || rank > MOST_DIMENSIONS || !size || !element_stride ||
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
    for (unsigned int i = 0; i < rank; i++) {
        encoded->step[i] = (uint8_t)element_stride[i];
    }
    return CUDA_SUCCESS;
}

static CUresult finish(const struct encoded *encoded, CUtensorMap *map)
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
    struct encoded encoded;
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
    struct encoded encoded;
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

/* ---- boxes ---- */

/* Where a byte of shared memory goes: its chunk of 16 bytes by the bits of its row. */
static char *swizzled(const struct encoded *map, char *address)
{
    uintptr_t at = (uintptr_t)address;
    uintptr_t mask = map->swizzle ? map->swizzle / CHUNK - 1u : 0;
    return address + ((at ^ (at >> 7 & mask) << 4) - at);
}

/* How many elements of the box there are along a dimension, and how many bytes the box has. */
static unsigned int count_along(const struct encoded *map, unsigned int dimension)
{
    return (map->box[dimension] + map->step[dimension] - 1u) / map->step[dimension];
}

static size_t box_elements(const struct encoded *map)
{
    size_t count = 1;
    if (map->im2col) {
        return (size_t)map->box[0] * map->box[1];
    }
    for (unsigned int i = 0; i < map->rank; i++) {
        count *= count_along(map, i);
    }
    return count;
}

/* The element's place in the tensor, or NULL if it lies outside. */
static char *element_at(const struct encoded *map, const int64_t *at)
{
    char *address = map->address;
    for (unsigned int i = 0; i < map->rank; i++) {
        if (at[i] < 0 || (uint64_t)at[i] >= map->size[i]) {
            return NULL;
        }
        address += at[i] * (int64_t)(i == 0 ? map->element : map->stride[i - 1]);
    }
    return address;
}

static void add_piece(struct simt_bulk_copy *copy, char *to, const char *from, unsigned int size)
{
    struct simt_bulk_piece *last = copy->count ? &copy->pieces[copy->count - 1] : NULL;
    if (last && last->size + size <= CHUNK && last->to + last->size == to &&
        (uintptr_t)last->to / CHUNK == (uintptr_t)to / CHUNK &&
        (from ? last->from && last->from + last->size == from : !last->from)) {
        last->size += size;
        return;
    }
    copy->pieces[copy->count++] = (struct simt_bulk_piece){to, from, size};
}

/* Pieces of which the checks are to see one access each have 4, 8 or 16 bytes: others are cut. */
static struct simt_bulk_copy *cut_odd_pieces(struct simt_bulk_copy *copy)
{
    struct simt_bulk_copy *cut =
        simt_bulk_new(copy->name, copy->count * CHUNK, copy->caller, copy->file, copy->line);
    cut->count = 0;
    for (size_t i = 0; i < copy->count; i++) {
        struct simt_bulk_piece piece = copy->pieces[i];
        while (piece.size > 0) {
            unsigned int size = CHUNK;
            while (size > piece.size || (uintptr_t)piece.to % size != 0 ||
                   (uintptr_t)piece.from % size != 0) {
                size /= 2;
            }
            cut->pieces[cut->count++] = (struct simt_bulk_piece){piece.to, piece.from, size};
            piece.to += size;
            piece.from += piece.from ? size : 0;
            piece.size -= size;
        }
    }
    free(copy);
    return cut;
}

static struct simt_bulk_copy *take_apart(const struct encoded *map, char *shared, const int *first,
                                         bool load, const void *caller, const char *file, int line)
{
    size_t elements = box_elements(map);
    struct simt_bulk_copy *copy =
        simt_bulk_new("cp.async.bulk.tensor", elements, caller, file, line);
    unsigned int index[MOST_DIMENSIONS] = {0};
    copy->count = 0;
    for (size_t i = 0; i < elements; i++) {
        int64_t at[MOST_DIMENSIONS];
        char *global, *here = swizzled(map, shared + i * map->element);
        for (unsigned int j = 0; j < map->rank; j++) {
            at[j] = (int64_t)first[j] + (int64_t)index[j] * map->step[j];
        }
        global = element_at(map, at);
        if (load) {
            add_piece(copy, here, global, map->element);
        } else if (global) {
            add_piece(copy, global, here, map->element);
        }
        for (unsigned int j = 0; j < map->rank && ++index[j] == count_along(map, j); j++) {
            index[j] = 0;
        }
    }
    return cut_odd_pieces(copy);
}

/* Im2col: pixels one after the other, along W, H, D and N, within the bounding box; of each the
 * channels, at an offset (of the filter) from the pixel. */
static struct simt_bulk_copy *take_columns(const struct encoded *map, char *shared,
                                           const int *first, const unsigned int *offsets,
                                           const void *caller, const char *file, int line)
{
    struct simt_bulk_copy *copy =
        simt_bulk_new("cp.async.bulk.tensor", box_elements(map), caller, file, line);
    int64_t pixel[MOST_DIMENSIONS], at[MOST_DIMENSIONS];
    const unsigned int last = map->rank - 1u;
    copy->count = 0;
    for (unsigned int i = 0; i < map->rank; i++) {
        pixel[i] = first[i];
    }
    for (unsigned int i = 0; i < map->box[1]; i++) {
        for (unsigned int c = 0; c < map->box[0]; c++) {
            char *here = swizzled(map, shared + ((size_t)i * map->box[0] + c) * map->element);
            char *global;
            memcpy(at, pixel, sizeof at);
            at[0] += c;
            for (unsigned int j = 1; j < last; j++) {
                at[j] += offsets[j - 1];
            }
            global = element_at(map, at);
            add_piece(copy, here, global, map->element);
        }
        for (unsigned int j = 1; j <= last; j++) {
            pixel[j] += map->step[j];
            if (j == last || pixel[j] < (int64_t)map->size[j] + map->upper[j - 1]) {
                break;
            }
            pixel[j] = map->lower[j - 1];
        }
    }
    return cut_odd_pieces(copy);
}

/* ---- tiles that were made ---- */

static void note_box(struct simt_block *block, const char *begin, size_t bytes, unsigned int span)
{
    struct simt_box *boxes = block->boxes, *box = NULL;
    unsigned int rank;
    void *own;
    begin = simt_cluster_find(begin, &rank, &own) ? own : begin;
    for (unsigned int i = 0; i < SIMT_BOXES; i++) {
        if (boxes[i].begin < begin + bytes && begin < boxes[i].end) {
            boxes[i] = (struct simt_box){NULL, NULL, 0};
            box = &boxes[i];
        }
    }
    box = box ? box : &boxes[block->next_box++ % SIMT_BOXES];
    *box = (struct simt_box){begin, begin + bytes, span};
}

bool simt_tensor_span(const void *address, unsigned int *span)
{
    for (unsigned int i = 0; i < SIMT_BOXES; i++) {
        const struct simt_box *box = &simt_block->boxes[i];
        if ((const char *)address >= box->begin && (const char *)address < box->end) {
            *span = box->span;
            return true;
        }
    }
    return false;
}

/* ---- what kernels call ---- */

static void fail(const char *file, int line, const char *wrong)
{
    simt_report_place();
    fprintf(stderr, ": cp.async.bulk.tensor at %s:%d %s\n", file, line, wrong);
    simt_exit();
}

static struct encoded read_map(const void *map, const void *shared, unsigned int dimensions,
                               bool im2col, const char *file, int line)
{
    struct encoded encoded;
    if ((uintptr_t)map % 64 != 0) {
        fail(file, line, "has a tensor map at an address that is no multiple of 64");
    }
    memcpy(&encoded, map, sizeof encoded);
    if (encoded.magic != MAGIC) {
        fail(file, line, "has a tensor map that cuTensorMapEncodeTiled or Im2col has not made");
    }
    if (encoded.im2col != im2col) {
        fail(file, line,
             im2col ? "is of .im2col, and its tensor map is of tiles"
                    : "is of tiles, and its tensor map of .im2col");
    }
    if (encoded.rank != dimensions) {
        fail(file, line, "has another number of dimensions than its tensor map");
    }
    if ((uintptr_t)shared % MAP_ALIGNMENT != 0) {
        fail(file, line, "has an address in shared memory that is no multiple of 128");
    }
    return encoded;
}

void simt_tensor_load(void *to, const void *map, const int *at, unsigned int dimensions,
                      const unsigned int *offsets, void *barrier, unsigned int ranks,
                      const char *file, int line)
{
    const struct encoded encoded = read_map(map, to, dimensions, offsets != NULL, file, line);
    const void *caller = __builtin_return_address(0);
    for (unsigned int rank = 0; rank < 32; rank++) {
        if (ranks ? ranks >> rank & 1 : rank == 0) {
            char *there = ranks ? simt_cluster_map(to, rank) : to;
            struct simt_mbarrier *of =
                simt_mbarrier_at(ranks ? simt_cluster_map(barrier, rank) : barrier, "complete_tx",
                                 caller, file, line);
            note_box(of->block, there, box_elements(&encoded) * encoded.element, encoded.swizzle);
            simt_bulk_start_load(
                offsets ? take_columns(&encoded, there, at, offsets, caller, file, line)
                        : take_apart(&encoded, there, at, true, caller, file, line),
                of);
        }
    }
}

void simt_tensor_store(const void *from, const void *map, const int *at, unsigned int dimensions,
                       const char *file, int line)
{
    struct encoded encoded = read_map(map, from, dimensions, false, file, line);
    simt_bulk_start_store(take_apart(&encoded, (char *)(uintptr_t)from, at, false,
                                     __builtin_return_address(0), file, line));
}

void simt_tensor_reduce(const void *from, const void *map, const int *at, unsigned int dimensions,
                        enum simt_atomic operation, const char *file, int line)
{
    static const unsigned char types[] = {
        [CU_TENSOR_MAP_DATA_TYPE_UINT32] = SIMT_PTX_U32,
        [CU_TENSOR_MAP_DATA_TYPE_INT32] = SIMT_PTX_S32,
        [CU_TENSOR_MAP_DATA_TYPE_UINT64] = SIMT_PTX_U64,
        [CU_TENSOR_MAP_DATA_TYPE_INT64] = SIMT_PTX_S64,
        [CU_TENSOR_MAP_DATA_TYPE_FLOAT16] = SIMT_PTX_F16,
        [CU_TENSOR_MAP_DATA_TYPE_FLOAT32] = SIMT_PTX_F32,
        [CU_TENSOR_MAP_DATA_TYPE_FLOAT64] = SIMT_PTX_F64,
        [CU_TENSOR_MAP_DATA_TYPE_BFLOAT16] = SIMT_PTX_BF16,
    };
    const struct encoded encoded = read_map(map, from, dimensions, false, file, line);
    struct simt_bulk_copy *copy = take_apart(&encoded, (char *)(uintptr_t)from, at, false,
                                             __builtin_return_address(0), file, line);
    if (encoded.type >= sizeof types || !types[encoded.type]) {
        fail(file, line, "reduces numbers of a type that has no reductions");
    }
    copy->reduces = true;
    copy->operation = operation;
    copy->type = types[encoded.type];
    simt_bulk_start_store(copy);
}
