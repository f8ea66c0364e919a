/* Step 06, several GPUs: the input in shares, one on each. */
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
    int first, end; /* of these, this process's: all; with several ranks, the one of its number */
    /* The reduction of each GPU's share: the first one here works in the default stream, the
     * others in streams of their own. `result` is a place on that GPU. */
    struct reduction of[MOST_GPUS];
    cudaEvent_t begun;           /* of the first GPU: the call has begun */
    cudaEvent_t done[MOST_GPUS]; /* of each */
    void *on_first;              /* a place for each GPU's number, on the first */
    void *on_host;               /* the same in memory of the host that GPUs can copy to */
};

/* What the rungs share; place_shares, their `prepare`, fills it in. */
extern struct shares shares;
void place_shares(const struct reduction *call);

/* Makes a GPU of this process the current one. */
void select_gpu(int gpu);

/* Where GPU `gpu`'s number is in on_first or on_host. */
void *place_of(void *numbers, int gpu);

/* At the beginning of a call the other GPUs wait for the first one's earlier work. At its end the
 * first one waits for the others. So the events that time the first one's stream time all. */
void fork_gpus(void);
void join_gpus(void);

/* The top rung of one GPU: its result for the share. */
void reduce_on_one_gpu(const struct reduction *call);

/* Ends the program if a call failed (library/cuda_check.h). */
#define CHECK(call) check_cuda((call), #call)

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
