/* Tiles in shared memory as the matrix descriptors of wgmma tell of them. */
#ifndef SIMT_WGMMA_TILES_H
#define SIMT_WGMMA_TILES_H

#include "cuda/simt_ptx_runtime.h"
#include "machine/sums.h"

enum { SIMT_TILE_CHUNK = 16 }; /* bytes that lie together, however a tile is laid out */

struct simt_tile {
    uint32_t start, lead, stride; /* offsets in shared memory, in bytes */
    unsigned int span;            /* of the swizzle: 32, 64, 128; 0: none */
    unsigned int base_offset; /* its pattern begins so many times 128 bytes behind its own place */
    unsigned int rows, depth; /* M or N, and K, in elements */
    unsigned int type;
    bool transposed;    /* M or N is what runs fastest, not K */
    uint32_t low, high; /* no byte of it is before or behind these */
};

/* What a descriptor says; NULL, or what is wrong with it. */
const char *simt_tile_read(struct simt_tile *tile, uint64_t descriptor);
/* Sets `low` and `high` by the other members. */
void simt_tile_bound(struct simt_tile *tile);
/* How many chunks there are; where in shared memory one begins, and its first element. */
unsigned int simt_tile_chunks(const struct simt_tile *tile);
uint32_t simt_tile_chunk(const struct simt_tile *tile, unsigned int chunk, unsigned int *row,
                         unsigned int *k);
/* All of it; of rows from `first` on, so many. */
void simt_tile_load(const struct simt_tile *tile, unsigned int first, unsigned int rows,
                    struct simt_factors *factors);
/* Whether the chunk at this offset is one of it. */
bool simt_tile_has(const struct simt_tile *tile, uint32_t offset);

#endif
/* SPDX-License-Identifier: MIT */
