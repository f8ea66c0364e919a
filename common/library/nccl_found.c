/* NCCL, found at run time: a program that was built with it also starts without it. This file
 * defines the functions of <nccl.h> that the rungs call. They pass the call to the library. */
#include <dlfcn.h>

#include "library/nccl.h"

/* The library's function of that name. */
static void *find(const char *name)
{
    static void *library;

    if (library == NULL)
        library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    return library != NULL ? dlsym(library, name) : NULL;
}

/* ISO C has no conversion from dlsym's pointer to one to a function. */
#define PASS_ON(function, parameters, arguments)                                                   \
    ncclResult_t function parameters                                                               \
    {                                                                                              \
        static union {                                                                             \
            void *address;                                                                         \
            ncclResult_t(*call) parameters;                                                        \
        } found;                                                                                   \
        if (found.address == NULL)                                                                 \
            found.address = find(#function);                                                       \
        return found.address != NULL ? found.call arguments : ncclSystemError;                     \
    }

PASS_ON(ncclCommInitAll, (ncclComm_t * comms, int count, const int *devices),
        (comms, count, devices))
PASS_ON(ncclGetUniqueId, (ncclUniqueId * id), (id))
PASS_ON(ncclCommInitRank, (ncclComm_t * comm, int count, ncclUniqueId id, int rank),
        (comm, count, id, rank))
PASS_ON(ncclCommDestroy, (ncclComm_t comm), (comm))
PASS_ON(ncclGroupStart, (void), ())
PASS_ON(ncclGroupEnd, (void), ())
PASS_ON(ncclAllReduce,
        (const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op,
         ncclComm_t comm, cudaStream_t stream),
        (from, to, count, type, op, comm, stream))
PASS_ON(ncclAllGather,
        (const void *from, void *to, size_t count, ncclDataType_t type, ncclComm_t comm,
         cudaStream_t stream),
        (from, to, count, type, comm, stream))
PASS_ON(ncclBroadcast,
        (const void *from, void *to, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
         cudaStream_t stream),
        (from, to, count, type, root, comm, stream))
PASS_ON(ncclSend,
        (const void *from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
         cudaStream_t stream),
        (from, count, type, peer, comm, stream))
PASS_ON(ncclRecv,
        (void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
         cudaStream_t stream),
        (to, count, type, peer, comm, stream))

const char *ncclGetErrorString(ncclResult_t result)
{
    static union {
        void *address;
        const char *(*call)(ncclResult_t);
    } found;

    if (found.address == NULL)
        found.address = find("ncclGetErrorString");
    return found.address != NULL ? found.call(result) : "libnccl.so.2 was not found";
}

const char *nccl_unavailable(void)
{
    return find("ncclSend") != NULL ? NULL : "libnccl.so.2 was not found (or is older than 2.7)";
}
/* SPDX-License-Identifier: MIT */
