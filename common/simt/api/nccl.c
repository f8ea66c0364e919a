/* NCCL's functions: communicators, queries and operations. */
#include "api/nccl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/need.h"
#include "base/own.h"
#include "memory/memory.h"
#include "memory/streams.h"

#define CALLER __builtin_return_address(0)

/* ---- communicators ---- */

bool simt_nccl_exists(ncclComm_t comm)
{
    for (const struct simt_clique *clique = comm ? simt_cliques : NULL; clique;
         clique = clique->next) {
        for (int rank = 0; rank < clique->size; rank++) {
            if (clique->ranks[rank] == comm) {
                return true;
            }
        }
    }
    return false;
}

static struct simt_clique *find_clique(const ncclUniqueId *id)
{
    struct simt_clique *clique = simt_cliques;
    while (clique && memcmp(&clique->id, id, sizeof *id) != 0) {
        clique = clique->next;
    }
    return clique;
}

static struct simt_clique *new_clique(const ncclUniqueId *id, int size)
{
    struct simt_clique *clique = simt_needed(calloc(1, sizeof *clique), "NCCL");
    clique->id = *id;
    clique->size = size;
    clique->next = simt_cliques;
    simt_cliques = clique;
    return clique;
}

static ncclComm_t join(struct simt_clique *clique, int rank, int device)
{
    ncclComm_t comm = simt_needed(calloc(1, sizeof *comm), "NCCL");
    comm->clique = clique;
    comm->rank = rank;
    comm->device = device;
    clique->ranks[rank] = comm;
    clique->joined++;
    return comm;
}

static void leave(ncclComm_t comm)
{
    struct simt_clique *clique = comm->clique, **link = &simt_cliques;
    clique->ranks[comm->rank] = NULL;
    free(comm);
    if (--clique->joined > 0) {
        return;
    }
    while (*link != clique) {
        link = &(*link)->next;
    }
    *link = clique->next;
    simt_board_leave(clique->board);
    free(clique);
}

/* The ids of ncclCommInitAll() are numbers, from 1. */
static ncclUniqueId next_id(void)
{
    static unsigned long long last;
    ncclUniqueId id = {{0}};
    snprintf(id.internal, sizeof id.internal, "simt %llu", ++last);
    return id;
}

ncclResult_t ncclGetVersion(int *version)
{
    SIMT_API;
    if (!version) {
        return ncclInvalidArgument;
    }
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    NCCL_CALL;
    if (!id) {
        return ncclInvalidArgument;
    }
    return simt_board_make(id) ? ncclSuccess : ncclSystemError;
}

static bool device_is_in(const struct simt_clique *clique, int device)
{
    for (int rank = 0; rank < clique->size; rank++) {
        if (clique->ranks[rank] && clique->ranks[rank]->device == device) {
            return true;
        }
    }
    return false;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int count, ncclUniqueId id, int rank)
{
    struct simt_nccl_call call = {
        .kind = NCCL_INIT, .function = "ncclCommInitRank", .caller = CALLER};
    struct simt_clique *clique;
    NCCL_CALL;
    if (!comm || count < 1 || count > SIMT_MOST_DEVICES || rank < 0 || rank >= count) {
        return simt_nccl_fail(&call, ncclInvalidArgument, "no such rank");
    }
    clique = find_clique(&id);
    if (clique && clique->size != count) {
        return simt_nccl_fail(&call, ncclInvalidArgument,
                              "another rank said another number of ranks");
    }
    if (!clique) {
        struct simt_board *board = simt_board_find(&id);
        if (!board) {
            return simt_nccl_fail(&call, ncclInvalidArgument,
                                  "the id is none of ncclGetUniqueId(), or its process has ended");
        }
        clique = new_clique(&id, count);
        clique->board = board;
    }
    if (clique->ranks[rank] || device_is_in(clique, simt_own.device)) {
        return simt_nccl_fail(&call, ncclInvalidUsage,
                              clique->ranks[rank]
                                  ? "the rank is taken"
                                  : "two ranks have the same device: cudaSetDevice() first");
    }
    if (!simt_board_join(clique->board, rank)) {
        return simt_nccl_fail(&call, ncclInvalidUsage, "the rank is taken by another process");
    }
    *comm = call.comm = join(clique, rank, simt_own.device);
    return simt_nccl_ask(call);
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int count, const int *devices)
{
    const struct simt_nccl_call call = {.function = "ncclCommInitAll", .caller = CALLER};
    struct simt_clique *clique;
    ncclUniqueId id;
    NCCL_CALL;
    if (!comms || count < 1 || count > simt_device_count()) {
        return simt_nccl_fail(&call, ncclInvalidArgument, "there are not so many devices");
    }
    for (int rank = 0; devices && rank < count; rank++) {
        bool twice = false;
        for (int other = 0; other < rank; other++) {
            twice = twice || devices[other] == devices[rank];
        }
        if (twice || !simt_device_exists(devices[rank])) {
            return simt_nccl_fail(&call, twice ? ncclInvalidUsage : ncclInvalidArgument,
                                  twice ? "a device is named twice" : "no such device");
        }
    }
    id = next_id();
    clique = new_clique(&id, count);
    for (int rank = 0; rank < count; rank++) {
        comms[rank] = join(clique, rank, devices ? devices[rank] : rank);
    }
    return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
    NCCL_CALL;
    return simt_nccl_exists(comm) ? ncclSuccess : ncclInvalidArgument;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    NCCL_CALL;
    if (!simt_nccl_exists(comm)) {
        return ncclInvalidArgument;
    }
    leave(comm);
    return ncclSuccess;
}

/* The rank's pending calls fail; nothing waits for them any more. */
ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    NCCL_CALL;
    if (!simt_nccl_exists(comm)) {
        return ncclInvalidArgument;
    }
    for (int queue = 0; queue < NCCL_QUEUES; queue++) {
        while (comm->queue[queue]) {
            comm->queue[queue]->result = ncclInternalError;
            simt_nccl_take_out(comm->queue[queue]);
        }
    }
    leave(comm);
    simt_api_wake();
    return ncclSuccess;
}

static ncclResult_t answer(ncclComm_t comm, int *value, int what)
{
    if (!value || !simt_nccl_exists(comm)) {
        return ncclInvalidArgument;
    }
    *value = what;
    return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    NCCL_CALL;
    if (!error || !simt_nccl_exists(comm)) {
        return ncclInvalidArgument;
    }
    *error = ncclSuccess;
    return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count)
{
    NCCL_CALL;
    return answer(comm, count, simt_nccl_exists(comm) ? comm->clique->size : 0);
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device)
{
    NCCL_CALL;
    return answer(comm, device, simt_nccl_exists(comm) ? comm->device : 0);
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank)
{
    NCCL_CALL;
    return answer(comm, rank, simt_nccl_exists(comm) ? comm->rank : 0);
}

/* ---- operations ---- */

/* NULL if the buffer is memory of the rank's device, or host memory that kernels can use. */
static const char *trouble_of(const void *address, size_t bytes, int device)
{
    const struct simt_region *region = simt_region_find(address);
    if (bytes == 0) {
        return NULL;
    }
    if (!region || bytes > region->size - (size_t)((const char *)address - region->base)) {
        return region ? "a buffer ends past its allocation" : "a buffer is no memory of a device";
    }
    return region->kind == REGION_DEVICE && region->device != device
               ? "a buffer is memory of another device than the communicator's"
               : NULL;
}

const char *simt_nccl_trouble(const struct simt_nccl_call *call)
{
    const char *trouble;
    if (!simt_nccl_exists(call->comm)) {
        return "no such communicator";
    }
    if (call->kind == NCCL_INIT) {
        return NULL;
    }
    if ((unsigned int)call->type >= ncclNumTypes || (unsigned int)call->op >= ncclNumOps) {
        return "no such type or operator";
    }
    if (call->peer < 0 || call->peer >= call->comm->clique->size) {
        return "no such rank";
    }
    if (!simt_stream_exists(call->stream) ||
        (!simt_stream_is_default(call->stream) && call->stream != cudaStreamPerThread &&
         simt_stream_device(call->stream) != call->comm->device)) {
        return "the stream is not one of the communicator's device";
    }
    trouble = trouble_of(call->from, simt_nccl_from_bytes(call), call->comm->device);
    return trouble ? trouble : trouble_of(call->to, simt_nccl_to_bytes(call), call->comm->device);
}

/* The parameters of the functions below have these names. */
#define ASK(of_kind, ...)                                                                          \
    NCCL_CALL;                                                                                     \
    return simt_nccl_ask((struct simt_nccl_call){.kind = of_kind,                                  \
                                                 .function = __func__,                             \
                                                 .caller = CALLER,                                 \
                                                 .count = count,                                   \
                                                 .type = type,                                     \
                                                 .comm = comm,                                     \
                                                 .stream = stream,                                 \
                                                 __VA_ARGS__})

ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    ASK(NCCL_ALL_REDUCE, .from = from, .to = to, .op = op);
}

ncclResult_t ncclReduce(const void *from, void *to, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream)
{
    ASK(NCCL_REDUCE, .from = from, .to = to, .op = op, .peer = root);
}

ncclResult_t ncclBroadcast(const void *from, void *to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream)
{
    ASK(NCCL_BROADCAST, .from = from, .to = to, .peer = root);
}

ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream)
{
    ASK(NCCL_BROADCAST, .from = buffer, .to = buffer, .peer = root);
}

ncclResult_t ncclAllGather(const void *from, void *to, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream)
{
    ASK(NCCL_ALL_GATHER, .from = from, .to = to);
}

ncclResult_t ncclReduceScatter(const void *from, void *to, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    ASK(NCCL_REDUCE_SCATTER, .from = from, .to = to, .op = op);
}

ncclResult_t ncclSend(const void *from, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream)
{
    ASK(NCCL_SEND, .from = from, .peer = peer);
}

ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream)
{
    ASK(NCCL_RECV, .to = to, .peer = peer);
}
/* SPDX-License-Identifier: MIT */
