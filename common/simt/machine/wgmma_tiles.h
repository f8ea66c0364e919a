/* Tiles in shared memory, as the matrix descriptors of wgmma describe them. */
#ifndef SIMT_WGMMA_TILES_H
#define SIMT_WGMMA_TILES_H

#include "cuda/simt_ptx_runtime.h"
#include "machine/sums.h"

enum { SIMT_TILE_CHUNK = 16 }; /* bytes that are contiguous in every layout */

struct simt_tile {
    uint32_t start, lead, stride; /* offsets in shared memory, in bytes */
    unsigned int span;            /* of the swizzle: 32, 64, 128; 0: none */
    unsigned int base_offset;     /* the pattern's start, in units of 128 bytes */
    unsigned int rows, depth;     /* M or N, and K, in elements */
    unsigned int type;
    bool transposed;    /* M or N is contiguous, not K */
    uint32_t low, high; /* no byte of it is outside of these */
};

/* Decodes a descriptor; returns NULL, or the error in it. */
const char *simt_tile_read(struct simt_tile *tile, uint64_t descriptor);
/* Sets `low` and `high` from the other members. */
void simt_tile_bound(struct simt_tile *tile);
/* The number of chunks; a chunk's offset in shared memory, and its first element. */
unsigned int simt_tile_chunks(const struct simt_tile *tile);
uint32_t simt_tile_chunk(const struct simt_tile *tile, unsigned int chunk, unsigned int *row,
                         unsigned int *k);
/* Loads `rows` rows from `first` on, all of each. */
void simt_tile_load(const struct simt_tile *tile, unsigned int first, unsigned int rows,
                    struct simt_factors *factors);
/* Whether the chunk at this offset belongs to it. */
bool simt_tile_has(const struct simt_tile *tile, uint32_t offset);

#endif
/* SPDX-License-Identifier: MIT */
