/* Peer access between GPUs that work together. */
#ifndef RUNGS_PEER_ACCESS_H
#define RUNGS_PEER_ACCESS_H

#include "library/cuda_check.h"

/* From now on the first `gpus` GPUs may use each other's memory, if they have a link. Copies
 * between them go over the link, not through the host. */
static inline void enable_peer_access(int gpus)
{
    for (int gpu = gpus - 1; gpu >= 0; gpu--) {
        check_cuda(cudaSetDevice(gpu), "cudaSetDevice");
        for (int peer = 0; peer < gpus; peer++) {
            int can = 0;
            if (peer != gpu)
                check_cuda(cudaDeviceCanAccessPeer(&can, gpu, peer), "cudaDeviceCanAccessPeer");
            if (!can)
                continue;
            const cudaError_t status = cudaDeviceEnablePeerAccess(peer, 0);
            if (status == cudaErrorPeerAccessAlreadyEnabled)
                cudaGetLastError(); /* enabled by an earlier preparation */
            else
                check_cuda(status, "cudaDeviceEnablePeerAccess");
        }
    }
}

#endif
/* SPDX-License-Identifier: MIT */
