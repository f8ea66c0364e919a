/* NCCL's calls, for all ranks. A call is posted to its communicator. It is done once the matching
 * calls of the other ranks have been posted. */
#ifndef SIMT_API_NCCL_H
#define SIMT_API_NCCL_H

#include "api/api.h"
#include "cuda/nccl.h"

enum simt_nccl_kind {
    NCCL_INIT,
    NCCL_ALL_REDUCE,
    NCCL_REDUCE,
    NCCL_BROADCAST,
    NCCL_ALL_GATHER,
    NCCL_REDUCE_SCATTER,
    NCCL_SEND,
    NCCL_RECV
};

struct simt_nccl_call {
    struct simt_nccl_call *next;          /* in the thread's group */
    struct simt_nccl_call *next_of_queue; /* in the queue of posted calls */
    enum simt_nccl_kind kind;
    const char *function;
    const void *caller; /* a return address */
    const void *from;
    void *to;
    size_t count;
    ncclDataType_t type;
    ncclRedOp_t op;
    int peer; /* or root; otherwise 0 */
    ncclComm_t comm;
    cudaStream_t stream;
    bool done;
    ncclResult_t result;
    /* For a rank in another process: `from` is a copy, and this is the call's name in reports. */
    const char *elsewhere;
    enum simt_nccl_stage { NEW, POSTED, READ } stage; /* as other processes see it */
    int data;                                         /* file that others read; 0: none */
};

/* All ranks of one communicator. */
struct simt_clique {
    struct simt_clique *next;
    ncclUniqueId id;
    int size, joined;
    struct ncclComm *ranks[SIMT_MOST_DEVICES];
    struct simt_board *board; /* shared by processes; NULL: made by ncclCommInitAll() */
};

struct ncclComm {
    struct simt_clique *clique;
    int rank, device;
    bool aborted;
    struct simt_nccl_call *queue[3]; /* collectives, sends, receives; each in posting order */
};

enum simt_nccl_queue { QUEUE_COLLECTIVES, QUEUE_SENDS, QUEUE_RECEIVES, NCCL_QUEUES };

extern struct simt_clique *simt_cliques;
bool simt_nccl_exists(ncclComm_t comm);
/* Why a call cannot be made, in words; NULL if it can. */
const char *simt_nccl_trouble(const struct simt_nccl_call *call);
size_t simt_nccl_type_size(ncclDataType_t type);
/* The number of bytes that a rank's call reads, and that it writes. */
size_t simt_nccl_from_bytes(const struct simt_nccl_call *call);
size_t simt_nccl_to_bytes(const struct simt_nccl_call *call);

/* Performs one call per rank, a send and its receive (`count` 2), or a send alone (`count` 1).
 * Orders them in their streams. */
void simt_nccl_perform(struct simt_nccl_call *const calls[], int count);

/* Adds a copy of the call to the thread's group. Without a group, waits until it is done. */
ncclResult_t simt_nccl_ask(struct simt_nccl_call call);
/* Prints at once what is wrong, like NCCL with NCCL_DEBUG=WARN. Returns `result`. */
ncclResult_t simt_nccl_fail(const struct simt_nccl_call *call, ncclResult_t result,
                            const char *why);
/* Removes the call from its queue and marks it as done. */
void simt_nccl_take_out(struct simt_nccl_call *call);

/* Writes the name of a call for reports: its function and its place in the source. */
enum { SIMT_NCCL_TOLD = 240 };
void simt_nccl_tell(char told[SIMT_NCCL_TOLD], const struct simt_nccl_call *call);
/* Ends the program if the calls do not match. */
void simt_nccl_compare(const struct simt_nccl_call *call, const struct simt_nccl_call *other);

/* ---- nccl_processes.c: ranks in several processes, one rank per process ---- */

/* A board is memory that the processes share. simt_board_make(): makes a new id with a board.
 * simt_board_find(): the board of an id, or NULL. */
bool simt_board_make(ncclUniqueId *id);
struct simt_board *simt_board_find(const ncclUniqueId *id);
void simt_board_leave(struct simt_board *board);
/* Registers the process as that rank. False if the rank is taken. */
bool simt_board_join(struct simt_board *board, int rank);
/* Whether some rank is in another process. */
bool simt_clique_spans(const struct simt_clique *clique);
/* Performs the calls of this process's rank as far as possible. */
void simt_clique_advance(struct simt_clique *clique);
/* Whether the call may wait for a running process for any length of time. */
bool simt_nccl_may_wait(const struct simt_nccl_call *call);

/* First in each NCCL function, like SIMT_CALL. */
#define NCCL_CALL                                                                                  \
    SIMT_API;                                                                                      \
    if (__builtin_expect(simt_failing, 0) && simt_api_is_outermost() &&                            \
        simt_injected(__func__, NULL, 0, __builtin_return_address(0)) != cudaSuccess) {            \
        return ncclUnhandledCudaError;                                                             \
    }                                                                                              \
    (void)0

#endif
/* SPDX-License-Identifier: MIT */
