/* Copies of boxes of tensors: splits them into pieces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "cuda/simt_ptx_runtime.h"
#include "machine/bulk.h"
#include "machine/cluster.h"
#include "machine/reports.h"
#include "machine/tensor_map.h"
#include "observe/observer.h"

enum { SHARED_ALIGNMENT = 128 };

/* ---- boxes ---- */

/* Swizzles an address in shared memory: the row's bits select the chunk of 16 bytes. */
static char *swizzled(const struct simt_tensor_map *map, char *address)
{
    uintptr_t at = (uintptr_t)address;
    uintptr_t mask = map->swizzle ? map->swizzle / SIMT_BOX_CHUNK - 1u : 0;
    return address + ((at ^ (at >> 7 & mask) << 4) - at);
}

/* The number of units of the box along a dimension. For slices it is one, whatever the box says. */
static unsigned int count_along(const struct simt_tensor_map *map, unsigned int dimension)
{
    if (map->interleave && dimension + 2u == map->rank) {
        return 1;
    }
    return (map->box[dimension] + map->less_one[dimension]) / simt_map_step(map, dimension);
}

/* The number of units per pixel. */
static unsigned int pixel_units(const struct simt_tensor_map *map)
{
    return map->interleave ? 1 : map->box[0];
}

static size_t box_units(const struct simt_tensor_map *map)
{
    size_t count = 1;
    if (map->im2col) {
        return (size_t)pixel_units(map) * map->box[1];
    }
    for (unsigned int i = 0; i < map->rank; i++) {
        count *= count_along(map, i);
    }
    return count;
}

/* The end of a row for stores, in units. An H200 stores whole chunks, counted from the row's first
 * unit, but loads unit by unit. */
static uint64_t stored_units(const struct simt_tensor_map *map)
{
    const uint64_t unit = simt_map_unit(map), bytes = map->size[0] * unit;
    return (bytes + SIMT_BOX_CHUNK - 1) / SIMT_BOX_CHUNK * SIMT_BOX_CHUNK / unit;
}

/* The unit's address in the tensor, or NULL if it is outside. */
static char *unit_at(const struct simt_tensor_map *map, const int64_t *at, bool load)
{
    char *address = map->address;
    for (unsigned int i = 0; i < map->rank; i++) {
        const uint64_t end = i == 0 && !load ? stored_units(map) : map->size[i];
        if (at[i] < 0 || (uint64_t)at[i] >= end) {
            return NULL;
        }
        address += at[i] * (int64_t)(i == 0 ? simt_map_unit(map) : map->stride[i - 1]);
    }
    return address;
}

static void add_piece(struct simt_bulk_copy *copy, char *to, const char *from, unsigned int size,
                      bool beyond)
{
    struct simt_bulk_piece *last = copy->count ? &copy->pieces[copy->count - 1] : NULL;
    if (last && last->size + size <= SIMT_BOX_CHUNK && last->to + last->size == to &&
        (uintptr_t)last->to / SIMT_BOX_CHUNK == (uintptr_t)to / SIMT_BOX_CHUNK &&
        last->beyond == beyond &&
        (from ? last->from && last->from + last->size == from : !last->from)) {
        last->size += size;
        return;
    }
    copy->pieces[copy->count++] = (struct simt_bulk_piece){to, from, size, beyond};
}

/* The checks see a piece as one access, of 4, 8 or 16 bytes: cuts other pieces. */
static struct simt_bulk_copy *cut_odd_pieces(struct simt_bulk_copy *copy)
{
    struct simt_bulk_copy *cut = simt_bulk_new(copy->name, copy->count * SIMT_BOX_CHUNK,
                                               copy->caller, copy->file, copy->line);
    cut->count = 0;
    cut->beyond = copy->beyond;
    for (size_t i = 0; i < copy->count; i++) {
        struct simt_bulk_piece piece = copy->pieces[i];
        while (piece.size > 0) {
            unsigned int size = SIMT_BOX_CHUNK;
            while (size > piece.size || (uintptr_t)piece.to % size != 0 ||
                   (uintptr_t)piece.from % size != 0) {
                size /= 2;
            }
            cut->pieces[cut->count++] =
                (struct simt_bulk_piece){piece.to, piece.from, size, piece.beyond};
            piece.to += size;
            piece.from += piece.from ? size : 0;
            piece.size -= size;
        }
    }
    free(copy);
    return cut;
}

/* Adds unit `number` of the box: its address in shared memory and in the tensor. */
static void add_unit(struct simt_bulk_copy *copy, const struct simt_tensor_map *map, char *shared,
                     size_t number, const int64_t *at, bool load)
{
    const unsigned int bytes = simt_map_unit(map);
    const unsigned int size = bytes < SIMT_BOX_CHUNK ? bytes : SIMT_BOX_CHUNK;
    char *const global = unit_at(map, at, load);
    const bool beyond = global && (uint64_t)at[0] >= map->size[0];
    if (beyond) {
        copy->beyond = (unsigned int)(stored_units(map) - map->size[0]) * bytes;
    }
    for (unsigned int done = 0; done < bytes; done += size) {
        char *here = swizzled(map, shared + number * bytes + done);
        if (load) {
            add_piece(copy, here, global ? global + done : NULL, size, false);
        } else if (global) {
            add_piece(copy, global + done, here, size, beyond);
        }
    }
}

static struct simt_bulk_copy *new_copy(const struct simt_tensor_map *map, const void *caller,
                                       const char *file, int line)
{
    const size_t pieces = (simt_map_unit(map) + SIMT_BOX_CHUNK - 1) / SIMT_BOX_CHUNK;
    struct simt_bulk_copy *copy =
        simt_bulk_new("cp.async.bulk.tensor", box_units(map) * pieces, caller, file, line);
    copy->count = 0;
    return copy;
}

static struct simt_bulk_copy *take_apart(const struct simt_tensor_map *map, char *shared,
                                         const int *first, bool load, const void *caller,
                                         const char *file, int line)
{
    struct simt_bulk_copy *copy = new_copy(map, caller, file, line);
    unsigned int index[SIMT_MOST_DIMENSIONS] = {0};
    for (size_t i = 0; i < box_units(map); i++) {
        int64_t at[SIMT_MOST_DIMENSIONS] = {0};
        for (unsigned int j = 0; j < map->rank; j++) {
            at[j] = (int64_t)first[j] + (int64_t)index[j] * simt_map_step(map, j);
        }
        add_unit(copy, map, shared, i, at, load);
        for (unsigned int j = 0; j < map->rank && ++index[j] == count_along(map, j); j++) {
            index[j] = 0;
        }
    }
    return cut_odd_pieces(copy);
}

/* The next pixel: along W, H and D, within the bounding box, then N. */
static void step_pixel(const struct simt_tensor_map *map, int64_t *pixel)
{
    const unsigned int begin = simt_map_first_of_pixels(map), last = map->rank - 1u;
    for (unsigned int j = begin; j < begin + last - 1; j++) {
        pixel[j] += simt_map_step(map, j);
        if (pixel[j] < (int64_t)map->size[j] + map->upper[j - begin]) {
            return;
        }
        pixel[j] = map->lower[j - begin];
    }
    pixel[last] += simt_map_step(map, last);
}

/* Im2col: one pixel after the other. Of each, it copies the channels, or one slice of them. Loads
 * add an offset (of the filter) to the pixel. */
static struct simt_bulk_copy *take_columns(const struct simt_tensor_map *map, char *shared,
                                           const int *first, const unsigned int *offsets,
                                           const void *caller, const char *file, int line)
{
    struct simt_bulk_copy *copy = new_copy(map, caller, file, line);
    int64_t pixel[SIMT_MOST_DIMENSIONS] = {0}, at[SIMT_MOST_DIMENSIONS];
    const unsigned int begin = simt_map_first_of_pixels(map), units = pixel_units(map);
    for (unsigned int i = 0; i < map->rank; i++) {
        pixel[i] = first[i];
    }
    for (size_t i = 0; i < box_units(map); i++) {
        memcpy(at, pixel, sizeof at);
        at[0] += (int64_t)(i % units);
        for (unsigned int j = 0; offsets && j + 2u < map->rank; j++) {
            at[begin + j] += offsets[j];
        }
        add_unit(copy, map, shared, i, at, offsets != NULL);
        if ((i + 1) % units == 0) {
            step_pixel(map, pixel);
        }
    }
    return cut_odd_pieces(copy);
}

/* ---- known tiles ---- */

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

/* ---- functions that kernels call ---- */

struct place {
    const void *caller;
    const char *file;
    int line;
};

static void fail(const struct place *place, const char *wrong)
{
    simt_report_place();
    fprintf(stderr, ": cp.async.bulk.tensor at %s:%d", place->file, place->line);
    simt_report_caller(place->caller);
    fprintf(stderr, " %s\n", wrong);
    simt_exit();
}

static struct simt_tensor_map read_map(const void *map, const void *shared, const int *at,
                                       unsigned int dimensions, bool im2col,
                                       const struct place *place)
{
    struct simt_tensor_map encoded;
    char wrong[160];
    if ((uintptr_t)map % 64 != 0) {
        fail(place, "has a tensor map at an address that is not a multiple of 64");
    }
    memcpy(&encoded, map, sizeof encoded);
    if (encoded.magic != SIMT_MAP_MAGIC) {
        fail(place, "has a tensor map that cuTensorMapEncodeTiled or Im2col has not made");
    }
    if (simt_in_shared(map)) {
        fail(place, "has a tensor map in shared memory: it must lie in global, constant or "
                    "parameter memory");
    }
    if (encoded.replaced && !simt_map_is_valid(&encoded)) {
        fail(place, "has a tensor map whose replaced fields are no tensor's");
    }
    if (simt_tracing) {
        simt_observer.map_read(place->caller, map, sizeof(CUtensorMap));
    }
    if (encoded.im2col != im2col) {
        fail(place, im2col ? "is of .im2col, and its tensor map is of tiles"
                           : "is of tiles, and its tensor map of .im2col");
    }
    if (encoded.rank != dimensions) {
        fail(place, "has another number of dimensions than its tensor map");
    }
    if ((uintptr_t)shared % SHARED_ALIGNMENT != 0) {
        fail(place, "has an address in shared memory that is not a multiple of 128");
    }
    if ((unsigned int)at[0] * simt_map_unit(&encoded) % SIMT_BOX_CHUNK !=
        0) { /* a GPU: an illegal instruction */
        snprintf(wrong, sizeof wrong,
                 "has a box that begins at element %d of a row, each of %u bytes: it must be at a "
                 "multiple of 16 bytes",
                 at[0], encoded.element);
        fail(place, wrong);
    }
    return encoded;
}

/* For im2col, the first pixel must be in the bounding box and, for a store, in the tensor.
 * Otherwise a GPU reports an illegal instruction. */
static void check_columns(const struct simt_tensor_map *map, const int *at, bool stores,
                          const struct place *place)
{
    char wrong[160];
    const unsigned int begin = simt_map_first_of_pixels(map);
    for (unsigned int j = 0; j + 2u < map->rank; j++) {
        const unsigned int i = begin + j;
        const int64_t end = (int64_t)map->size[i] + map->upper[j];
        if (at[i] < map->lower[j] || at[i] >= end) {
            snprintf(wrong, sizeof wrong,
                     "begins at pixel %d of dimension %u, and the bounding box of its tensor map "
                     "has %d to %lld",
                     at[i], i, map->lower[j], (long long)end - 1);
            fail(place, wrong);
        }
        if (stores && (map->lower[j] < 0 || map->upper[j] > 0)) {
            fail(place, "stores by a bounding box that is larger than the tensor");
        }
    }
}

void simt_tensor_load(void *to, const void *map, const int *at, unsigned int dimensions,
                      const unsigned int *offsets, void *barrier, unsigned int ranks,
                      const char *file, int line)
{
    const void *caller = __builtin_return_address(0);
    const struct place place = {caller, file, line};
    const struct simt_tensor_map encoded =
        read_map(map, to, at, dimensions, offsets != NULL, &place);
    if (offsets) {
        check_columns(&encoded, at, false, &place);
    }
    for (unsigned int rank = 0; rank < 32; rank++) {
        if (ranks ? ranks >> rank & 1 : rank == 0) {
            char *there = ranks ? simt_cluster_map(to, rank) : to;
            struct simt_mbarrier *of =
                simt_mbarrier_at(ranks ? simt_cluster_map(barrier, rank) : barrier, "complete_tx",
                                 caller, file, line);
            struct simt_bulk_copy *copy =
                offsets ? take_columns(&encoded, there, at, offsets, caller, file, line)
                        : take_apart(&encoded, there, at, true, caller, file, line);
            note_box(of->block, there, box_units(&encoded) * simt_map_unit(&encoded),
                     encoded.swizzle);
            copy->fills = encoded.fills;
            copy->rounds = simt_map_rounds(&encoded);
            simt_bulk_start_load(copy, of);
        }
    }
}

/* The start may be past the end: nothing is stored there. */
static void check_start(const struct simt_tensor_map *map, const int *at, const struct place *place)
{
    char wrong[160];
    for (unsigned int i = 0; i < map->rank; i++) {
        if (at[i] < 0) { /* a GPU: an illegal instruction */
            snprintf(wrong, sizeof wrong,
                     "stores a box that begins before the tensor, at %d of dimension %u", at[i], i);
            fail(place, wrong);
        }
    }
}

static struct simt_bulk_copy *from_shared(const void *from, const void *map, const int *at,
                                          unsigned int dimensions, bool columns, unsigned int *type,
                                          const struct place *place)
{
    const struct simt_tensor_map encoded = read_map(map, from, at, dimensions, columns, place);
    char *const shared = (char *)(uintptr_t)from;
    check_start(&encoded, at, place);
    if (columns && encoded.interleave) {
        fail(place, "is of .im2col_no_offs, which interleaved tensors do not have");
    }
    if (columns) {
        check_columns(&encoded, at, true, place);
    }
    *type = encoded.type;
    return columns
               ? take_columns(&encoded, shared, at, NULL, place->caller, place->file, place->line)
               : take_apart(&encoded, shared, at, false, place->caller, place->file, place->line);
}

void simt_tensor_store(const void *from, const void *map, const int *at, unsigned int dimensions,
                       bool columns, const char *file, int line)
{
    const struct place place = {__builtin_return_address(0), file, line};
    unsigned int type;
    simt_bulk_start_store(from_shared(from, map, at, dimensions, columns, &type, &place));
}

void simt_tensor_reduce(const void *from, const void *map, const int *at, unsigned int dimensions,
                        bool columns, enum simt_atomic operation, const char *file, int line)
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
        [CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ] = SIMT_PTX_F32,
        [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32] = SIMT_PTX_F32,
        [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ] = SIMT_PTX_F32,
    };
    const struct place place = {__builtin_return_address(0), file, line};
    unsigned int type;
    struct simt_bulk_copy *copy = from_shared(from, map, at, dimensions, columns, &type, &place);
    if (type >= sizeof types || !types[type]) {
        fail(&place, "reduces numbers of a type that has no reductions");
    }
    copy->way = SIMT_BULK_REDUCES;
    copy->operation = operation;
    copy->type = types[type];
    copy->flushes =
        type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ || type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
    simt_bulk_start_store(copy);
}
/* SPDX-License-Identifier: MIT */
