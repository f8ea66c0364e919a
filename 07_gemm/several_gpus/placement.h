/* Step 07, several GPUs: A, B and C in shares, one on each.
 *
 * The rows of C are cut into as many pieces as there are GPUs, and so are its columns, in whole
 * granules of 32, as evenly as these permit; a piece may be empty. The GPUs form a grid. GPU (r, c)
 * in row r and column c of it computes the block of C whose rows are the pieces of all GPUs in row
 * r, and whose columns the pieces of all in column c. With one column of GPUs that is a piece of
 * the rows, and all columns. */
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
    B_IN_GRID,    /* the same, in a grid of several columns: then A is in pieces, too */
};

struct share {
    size_t row, rows, column, columns; /* its block of C */
    void *a, *b, *c;
    cudaStream_t copies; /* beside the default stream, in which it multiplies */
    cudaEvent_t a_came[MOST_GPUS], b_came[MOST_GPUS]; /* in `copies`: the piece is there */
    cudaEvent_t copied, done;                         /* all that it copies; all that it does */
};

struct shares {
    struct gemm call; /* all of it, on the first GPU */
    enum layout layout;
    int first, end;    /* of the GPUs, this process's: all, or with several ranks its rank's */
    int down, across;  /* the grid: GPU g is in row g / across, column g % across */
    cudaEvent_t begun; /* of the first GPU: the call has begun */
    struct share of[MOST_GPUS];
    /* For several_gpus/bandwidth.c: the rung, and what its calls leave out meanwhile. */
    void (*rung)(const struct gemm *call);
    bool without_products, without_copies;
};
extern struct shares shares;

/* Places A and B for the call. Then C, and back to call->c (struct gemm_rung). */
void place_shares(const struct gemm *call, enum layout layout);
void scatter_c(const struct gemm *call);
void collect_c(const struct gemm *call);

/* A call begins: no stream of a GPU starts before what the first one has been asked for. It ends:
 * the first one waits for all. So the events that time its default stream time all. */
void fork_gpus(void);
void join_gpus(void);

/* What a rank has, to all ranks: memory of their GPUs (several_gpus/nccl.c). */
void broadcast_block(void *block, size_t elements, int rank);

/* Makes a GPU of this process the current one. */
void select_gpu(int gpu);

/* The current GPU's products wait for all that it copies. */
void wait_for_copies(int gpu);

/* Ends the program if a call failed (library/cuda_check.h). */
#define CHECK(call) check_cuda((call), #call)

#endif
/* SPDX-License-Identifier: MIT */
