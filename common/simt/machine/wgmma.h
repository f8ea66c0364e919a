/* Pending MMAs of four warps: shared by wgmma.c and wgmma_checks.c. */
#ifndef SIMT_WGMMA_H
#define SIMT_WGMMA_H

#include "machine/ptx.h"
#include "machine/wgmma_tiles.h"

enum { SIMT_GROUP_WARPS = 4, SIMT_GROUP_ROWS = 16 /* of an MMA, per warp */ };

/* A warp's part of an MMA. */
struct simt_wgmma {
    struct simt_wgmma *next;
    struct simt_wgmma_call call;
    struct simt_tile a, b;
    const char *file;
    int line;
    const void *caller;
    size_t number, group; /* among the warp's MMAs; among its groups */
    bool made;            /* but this warp has not waited */
    unsigned int count;   /* accumulator registers per lane */
    uint32_t touched;     /* place of an access since the last wgmma.fence; 0: none */
    uint32_t a_registers[SIMT_WARP_SIZE][4];
    uint32_t *sums;       /* lane by lane; NULL: another MMA has them */
    uint32_t **registers; /* lane by lane */
    bool side_by_side;    /* each lane's are contiguous in memory */
};

__attribute__((noreturn)) void simt_wgmma_refuse(const struct simt_wgmma *wgmma, const char *wrong);
bool simt_wgmma_same_registers(const struct simt_wgmma *x, const struct simt_wgmma *y);
bool simt_wgmma_has_register(const struct simt_wgmma *wgmma, unsigned int lane, uint64_t address);

/* An MMA is about to begin: checks the fence, the number of registers, and the tiles' layout. */
void simt_wgmma_check_begin(const struct simt_wgmmas *all, const struct simt_wgmma *wgmma);
/* It begins to read its tiles; all its warps have read them, which waiting threads then know. */
void simt_wgmma_note_begin(const struct simt_wgmma *wgmma, unsigned int warp);
void simt_wgmma_note_end(const struct simt_wgmma *wgmma, unsigned int warp);

#endif
/* SPDX-License-Identifier: MIT */
