/* Step 07, several GPUs: A, B and C in shares, one on each GPU.
 *
 * With N GPUs, the rows of C are cut into N pieces, and so are its columns. Pieces are as equal as
 * whole granules of 32 permit; a piece may be empty. The GPUs form a grid. GPU (r, c), in row r and
 * column c of the grid, computes one block of C. Its rows are the row pieces of all GPUs in row r;
 * its columns are the column pieces of all GPUs in column c. With one column of GPUs, the block is
 * one piece of the rows and all columns. */
#ifndef RUNGS_07_SHARES_H
#define RUNGS_07_SHARES_H

#include <cuda_runtime_api.h>

#include "device/back_end.h"
#include "problem/gemm/gemm.h"

/* Where B is before a call. */
enum layout {
    B_EVERYWHERE, /* every GPU has all of it */
    B_BY_ROWS,    /* a slot of ceil(k / N) rows each, and room for the other slots around it */
    B_BY_COLUMNS, /* a piece each, and room for the others that it needs */
    B_IN_GRID,    /* the same, in a grid of several columns; A is also in pieces */
};

struct share {
    size_t row, rows, column, columns; /* its block of C */
    void *a, *b, *c;
    cudaStream_t copies; /* beside the default stream, in which it multiplies */
    cudaEvent_t a_came[MOST_GPUS], b_came[MOST_GPUS]; /* in `copies`: the piece has arrived */
    cudaEvent_t copied, done;                         /* after all its copies; after all its work */
};

struct shares {
    struct gemm call; /* the whole product, on the first GPU */
    enum layout layout;
    int first, end;    /* this process's GPUs: all, or its rank's one if there are several ranks */
    int down, across;  /* the grid: GPU g is in row g / across, column g % across */
    cudaEvent_t begun; /* of the first GPU: the call has begun */
    struct share of[MOST_GPUS];
    /* For several_gpus/bandwidth.c: the rung, and what its timed calls leave out. */
    void (*rung)(const struct gemm *call);
    bool without_products, without_copies;
};
extern struct shares shares;

/* place_shares places A and B for the call, and scatter_c C. collect_c copies C to call->c. */
void place_shares(const struct gemm *call, enum layout layout);
void scatter_c(const struct gemm *call);
void collect_c(const struct gemm *call);

/* fork_gpus begins a call: all streams wait for the first GPU's earlier work. join_gpus ends it:
 * the first GPU waits for all, so events in its default stream time all GPUs. */
void fork_gpus(void);
void join_gpus(void);

/* Copies a rank's block to all ranks, in the memory of their GPUs (several_gpus/nccl.c). */
void broadcast_block(void *block, size_t elements, int rank);

/* Makes a GPU of this process the current one. */
void select_gpu(int gpu);

/* Makes the current GPU's products wait for all its copies. */
void wait_for_copies(int gpu);

/* Ends the program if a call failed (library/cuda_check.h). */
#define CHECK(call) check_cuda((call), #call)

#endif
/* SPDX-License-Identifier: MIT */
