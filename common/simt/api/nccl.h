/* NCCL's calls, of all ranks. A call is posted to its communicator, and is done when those of the
 * other ranks have come that it meets. */
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
    struct simt_nccl_call *next;          /* that the thread has made */
    struct simt_nccl_call *next_of_queue; /* that was posted */
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
    /* Of a rank in another process: `from` is a copy, and this is what it is called in a report. */
    const char *elsewhere;
    enum simt_nccl_stage { NEW, POSTED, READ } stage; /* towards other processes */
    int data;                                         /* what others read: a file; 0: none */
};

/* The ranks that belong together. */
struct simt_clique {
    struct simt_clique *next;
    ncclUniqueId id;
    int size, joined;
    struct ncclComm *ranks[SIMT_MOST_DEVICES];
    struct simt_board *board; /* where processes meet; NULL: of ncclCommInitAll() */
};

struct ncclComm {
    struct simt_clique *clique;
    int rank, device;
    bool aborted;
    struct simt_nccl_call *queue[3]; /* collectives, sends, receives: first come, first served */
};

enum simt_nccl_queue { QUEUE_COLLECTIVES, QUEUE_SENDS, QUEUE_RECEIVES, NCCL_QUEUES };

extern struct simt_clique *simt_cliques;
bool simt_nccl_exists(ncclComm_t comm);
/* Why a call cannot be made, in words; NULL if it can. */
const char *simt_nccl_trouble(const struct simt_nccl_call *call);
size_t simt_nccl_type_size(ncclDataType_t type);
/* Bytes that a rank's call reads and writes. */
size_t simt_nccl_from_bytes(const struct simt_nccl_call *call);
size_t simt_nccl_to_bytes(const struct simt_nccl_call *call);

/* One call of each rank, or a send and its receive (`count` 2): they are done, in the order of
 * their streams. */
void simt_nccl_perform(struct simt_nccl_call *const calls[], int count);

/* Adds a copy of the call to the thread's group; without one, waits until it is done. */
ncclResult_t simt_nccl_ask(struct simt_nccl_call call);
/* As NCCL with NCCL_DEBUG=WARN, says at once what is wrong with it. */
ncclResult_t simt_nccl_fail(const struct simt_nccl_call *call, ncclResult_t result,
                            const char *why);
/* It is not waited for any more. */
void simt_nccl_take_out(struct simt_nccl_call *call);

/* What a call is called in a report: its function and where it is. */
enum { SIMT_NCCL_TOLD = 240 };
void simt_nccl_tell(char told[SIMT_NCCL_TOLD], const struct simt_nccl_call *call);
/* Ends the program if the calls cannot meet. */
void simt_nccl_compare(const struct simt_nccl_call *call, const struct simt_nccl_call *other);

/* ---- nccl_processes.c: ranks in several processes, one in each ---- */

/* A new id, and the board that belongs to one: the memory in which processes meet. NULL: there is
 * none. */
bool simt_board_make(ncclUniqueId *id);
struct simt_board *simt_board_find(const ncclUniqueId *id);
void simt_board_leave(struct simt_board *board);
/* The process has come, as that rank; false: the rank is taken. */
bool simt_board_join(struct simt_board *board, int rank);
/* Some rank is in another process. */
bool simt_clique_spans(const struct simt_clique *clique);
/* Does what can be done of the calls of this process's rank. */
void simt_clique_advance(struct simt_clique *clique);
/* The call may wait for a process that runs, however long. */
bool simt_nccl_may_wait(const struct simt_nccl_call *call);

/* First in a call, as SIMT_CALL. */
#define NCCL_CALL                                                                                  \
    SIMT_API;                                                                                      \
    if (__builtin_expect(simt_failing, 0) && simt_api_is_outermost() &&                            \
        simt_injected(__func__, NULL, 0, __builtin_return_address(0)) != cudaSuccess) {            \
        return ncclUnhandledCudaError;                                                             \
    }                                                                                              \
    (void)0

#endif
/* SPDX-License-Identifier: MIT */
