/* Step 06, several GPUs: the input is divided into shares, one per GPU. */
#ifndef SHARES_H
#define SHARES_H

#include <cuda_runtime_api.h>

#include "device/back_end.h"
#include "problem/reduction/reduction.h"

#ifdef __cplusplus
extern "C" {
#endif

struct shares {
    int gpus;
    int first, end; /* this process's GPUs: all, or with several ranks the one of its rank */
    /* The reduction of each GPU's share. `result` is on that GPU. The first GPU of this process
     * works in the default stream, each other one in a stream of its own. */
    struct reduction of[MOST_GPUS];
    cudaEvent_t begun;           /* on the first GPU: the call has begun */
    cudaEvent_t done[MOST_GPUS]; /* one per GPU: its share is done */
    void *on_first;              /* on the first GPU, a place for each GPU's number */
    void *on_host;               /* the same in host memory that GPUs can copy to */
};

/* The state that the rungs share. place_shares fills it in; the rungs use that as `prepare`. */
extern struct shares shares;
void place_shares(const struct reduction *call);

/* Makes a GPU of this process the current one. */
void select_gpu(int gpu);

/* The place of a GPU's number in on_first or on_host. */
void *place_of(void *numbers, int gpu);

/* At the start of a call, the other GPUs wait for earlier work of the first one. At its end, the
 * first one waits for the others. So events in the first one's stream time all GPUs. */
void fork_gpus(void);
void join_gpus(void);

/* Reduces a share with the top rung of one GPU. */
void reduce_on_one_gpu(const struct reduction *call);

/* Ends the program if a call failed (library/cuda_check.h). */
#define CHECK(call) check_cuda((call), #call)

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
