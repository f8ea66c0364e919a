/* Products of four warps that are under way: shared by wgmma.c and wgmma_checks.c. */
#ifndef SIMT_WGMMA_H
#define SIMT_WGMMA_H

#include "machine/ptx.h"
#include "machine/wgmma_tiles.h"

enum { SIMT_GROUP_WARPS = 4, SIMT_GROUP_ROWS = 16 /* of a product, of each warp */ };

/* A warp's part of a product. */
struct simt_wgmma {
    struct simt_wgmma *next;
    struct simt_wgmma_call call;
    struct simt_tile a, b;
    const char *file;
    int line;
    const void *caller;
    size_t number, group; /* of the warp's products; of its groups */
    bool made;            /* and not waited for by this warp */
    unsigned int count;   /* registers of the sum, of each lane */
    uint32_t touched;     /* since the last wgmma.fence: the place; 0: not */
    uint32_t a_registers[SIMT_WARP_SIZE][4];
    uint32_t *sums;       /* lane by lane; NULL: that of an earlier one, or of a later one by now */
    uint32_t **registers; /* lane by lane */
    bool side_by_side;    /* those of each lane, in memory */
};

__attribute__((noreturn)) void simt_wgmma_refuse(const struct simt_wgmma *wgmma, const char *wrong);
bool simt_wgmma_same_registers(const struct simt_wgmma *x, const struct simt_wgmma *y);
bool simt_wgmma_has_register(const struct simt_wgmma *wgmma, unsigned int lane, uint64_t address);

/* A product is about to begin: a fence, registers enough, and tiles laid out as they were made. */
void simt_wgmma_check_begin(const struct simt_wgmmas *all, const struct simt_wgmma *wgmma);
/* It begins to read its tiles; it has read them, all warps of it: who waits knows. */
void simt_wgmma_note_begin(const struct simt_wgmma *wgmma, unsigned int warp);
void simt_wgmma_note_end(const struct simt_wgmma *wgmma, unsigned int warp);

#endif
/* SPDX-License-Identifier: MIT */
