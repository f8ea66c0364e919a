/* Tiles in shared memory, as matrix descriptors describe them: the PTX ISA's "matrix descriptor"
 * and "canonical layouts". */
#include "machine/wgmma_tiles.h"

#include <string.h>

#include "machine/shared.h"

enum { GROUP = 8 /* rows of a core matrix */ };

static unsigned int bits_at(uint64_t descriptor, unsigned int first, unsigned int count)
{
    return (unsigned int)(descriptor >> first & ((1u << count) - 1));
}

const char *simt_tile_read(struct simt_tile *tile, uint64_t descriptor)
{
    static const unsigned char spans[] = {0, 128, 64, 32};
    const uint64_t used = UINT64_C(0xc00e3fff3fff3fff);
    if (descriptor & ~used) {
        return "bits of its matrix descriptor are set that mean nothing: it holds addresses and "
               "strides in units of 16 bytes, 14 bits each";
    }
    tile->start = (uint32_t)simt_described_offset(bits_at(descriptor, 0, 14) * SIMT_TILE_CHUNK);
    tile->lead = bits_at(descriptor, 16, 14) * SIMT_TILE_CHUNK;
    tile->stride = bits_at(descriptor, 32, 14) * SIMT_TILE_CHUNK;
    tile->span = spans[bits_at(descriptor, 62, 2)];
    tile->base_offset = bits_at(descriptor, 49, 3);
    return NULL;
}

static unsigned int per_chunk(const struct simt_tile *tile)
{
    return SIMT_TILE_CHUNK * 8 / simt_element_bits(tile->type);
}

unsigned int simt_tile_chunks(const struct simt_tile *tile)
{
    return tile->rows * tile->depth / per_chunk(tile);
}

/* In K-major tiles, the chunks of a row are consecutive. */
uint32_t simt_tile_chunk(const struct simt_tile *tile, unsigned int chunk, unsigned int *row,
                         unsigned int *k)
{
    const unsigned int count = per_chunk(tile), in_span = tile->span / SIMT_TILE_CHUNK;
    uint32_t offset = tile->start;
    if (tile->transposed) {
        const unsigned int in_row = tile->rows / count, j = chunk % in_row;
        *row = j * count;
        *k = chunk / in_row;
        offset += tile->span
                      ? j % in_span * SIMT_TILE_CHUNK + j / in_span * tile->lead +
                            *k % GROUP * tile->span + *k / GROUP * tile->stride
                      : j * tile->stride + *k % GROUP * SIMT_TILE_CHUNK + *k / GROUP * tile->lead;
    } else {
        const unsigned int in_row = tile->depth / count, j = chunk % in_row;
        *row = chunk / in_row;
        *k = j * count;
        offset += *row / GROUP * tile->stride +
                  (tile->span ? *row % GROUP * tile->span + j * SIMT_TILE_CHUNK
                              : *row % GROUP * SIMT_TILE_CHUNK + j * tile->lead);
    }
    return tile->span
               ? offset ^ (((offset >> 7) - tile->base_offset) & (in_span - 1)) * SIMT_TILE_CHUNK
               : offset;
}

/* A swizzle moves a chunk only inside its 128 bytes. */
void simt_tile_bound(struct simt_tile *tile)
{
    const unsigned int chunks = (tile->transposed ? tile->rows : tile->depth) / per_chunk(tile) - 1;
    const unsigned int groups = (tile->transposed ? tile->depth : tile->rows) / GROUP - 1;
    const unsigned int in_span = tile->span / SIMT_TILE_CHUNK;
    uint32_t bytes = (GROUP - 1) * (tile->span ? tile->span : SIMT_TILE_CHUNK);
    if (!tile->span) {
        bytes += tile->transposed ? chunks * tile->stride + groups * tile->lead
                                  : chunks * tile->lead + groups * tile->stride;
    } else if (tile->transposed) {
        bytes +=
            (in_span - 1) * SIMT_TILE_CHUNK + chunks / in_span * tile->lead + groups * tile->stride;
    } else {
        bytes += chunks * SIMT_TILE_CHUNK + groups * tile->stride;
    }
    tile->low = tile->start & ~127u;
    tile->high = (tile->start + bytes) | 127u;
}

void simt_tile_load(const struct simt_tile *tile, unsigned int first, unsigned int rows,
                    struct simt_factors *factors)
{
    const unsigned int bytes = simt_element_bits(tile->type) / 8, count = per_chunk(tile);
    memset(factors, 0, rows * sizeof *factors);
    for (unsigned int chunk = 0; chunk < simt_tile_chunks(tile); chunk++) {
        unsigned int row, k;
        const uint32_t offset = simt_tile_chunk(tile, chunk, &row, &k);
        const char *at;
        if (row < first || row >= first + rows) {
            continue;
        }
        at = simt_shared_at(offset);
        for (unsigned int i = 0; i < count; i++) {
            uint32_t bits = 0;
            memcpy(&bits, at + i * bytes, bytes);
            simt_set_factor(&factors[row - first + (tile->transposed ? i : 0)],
                            k + (tile->transposed ? 0 : i), tile->type, bits);
        }
    }
}

bool simt_tile_has(const struct simt_tile *tile, uint32_t offset)
{
    if (offset < tile->low || offset > tile->high) {
        return false;
    }
    for (unsigned int chunk = 0; chunk < simt_tile_chunks(tile); chunk++) {
        unsigned int row, k;
        if (offset - simt_tile_chunk(tile, chunk, &row, &k) < SIMT_TILE_CHUNK) {
            return true;
        }
    }
    return false;
}
/* SPDX-License-Identifier: MIT */
