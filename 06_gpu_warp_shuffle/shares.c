#include "shares.h"

#include "device/ranks.h"
#include "library/cuda_check.h"

struct shares shares;

void select_gpu(int gpu)
{
    if (ranks_count() == 1) /* a process of several ranks has only one */
        CHECK(cudaSetDevice(gpu));
}

/* Frees the shares of an earlier place_shares. */
static void release_shares(void)
{
    for (int gpu = shares.end - 1; gpu >= shares.first; gpu--) {
        struct reduction *const share = &shares.of[gpu];

        select_gpu(gpu);
        CHECK(cudaFree(share->result));
        CHECK(cudaEventDestroy(shares.done[gpu]));
        if (gpu == shares.first)
            continue;
        CHECK(cudaFree((void *)(uintptr_t)share->a));
        CHECK(cudaFree((void *)(uintptr_t)share->b));
        CHECK(cudaFree(share->workspace));
        CHECK(cudaStreamDestroy((cudaStream_t)share->stream));
    }
    if (shares.gpus > 0) {
        CHECK(cudaEventDestroy(shares.begun));
        CHECK(cudaFree(shares.on_first));
        CHECK(cudaFreeHost(shares.on_host));
    }
    shares = (struct shares){.gpus = 0};
}

static const void *part_of(const void *input, size_t size, size_t first)
{
    return input != NULL ? (const char *)input + first * size : NULL;
}

/* Copies n elements of the first GPU's input, from number `first` on, to the current GPU. */
static const void *copy_share(const void *input, size_t size, size_t first, size_t n, int gpu)
{
    void *memory = NULL;

    if (input == NULL)
        return NULL;
    CHECK(cudaMalloc(&memory, n > 0 ? n * size : 1));
    CHECK(cudaMemcpyPeer(memory, gpu, part_of(input, size, first), 0, n * size));
    return memory;
}

static void place_share(const struct reduction *call, int gpu)
{
    struct reduction *const share = &shares.of[gpu];
    const size_t first = call->n / (size_t)call->gpus * (size_t)gpu;
    const size_t last = gpu + 1 < call->gpus ? first + call->n / (size_t)call->gpus : call->n;
    cudaStream_t stream;

    *share = *call;
    share->n = last - first;
    select_gpu(gpu);
    CHECK(cudaMalloc(&share->result, sizeof(double)));
    CHECK(cudaEventCreateWithFlags(&shares.done[gpu], cudaEventDisableTiming));
    if (gpu == shares.first) { /* it has all of the input, so its share needs no copy */
        share->a = part_of(call->a, element_size(call->type), first);
        share->b = part_of(call->b, second_size(call->type), first);
        return;
    }
    share->a = copy_share(call->a, element_size(call->type), first, share->n, gpu);
    share->b = copy_share(call->b, second_size(call->type), first, share->n, gpu);
    CHECK(cudaMalloc(&share->workspace, reduction_workspace(call)));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    share->stream = stream;
    CHECK(cudaDeviceSynchronize()); /* the new stream does not wait for the copies */
}

void place_shares(const struct reduction *call)
{
    release_shares();
    shares.gpus = call->gpus;
    shares.first = ranks_rank();
    shares.end = ranks_count() > 1 ? shares.first + 1 : call->gpus;
    for (int gpu = shares.end - 1; gpu >= shares.first; gpu--)
        place_share(call, gpu);
    CHECK(cudaEventCreateWithFlags(&shares.begun, cudaEventDisableTiming));
    CHECK(cudaMalloc(&shares.on_first, MOST_GPUS * sizeof(double)));
    CHECK(cudaMallocHost(&shares.on_host, MOST_GPUS * sizeof(double)));
    CHECK(cudaDeviceSynchronize());
}

void *place_of(void *numbers, int gpu)
{
    return (char *)numbers + (size_t)gpu * result_size(shares.of[0].type);
}

static cudaStream_t stream_of(int gpu)
{
    return (cudaStream_t)shares.of[gpu].stream;
}

void fork_gpus(void)
{
    CHECK(cudaEventRecord(shares.begun, stream_of(shares.first)));
    for (int gpu = shares.first + 1; gpu < shares.end; gpu++)
        CHECK(cudaStreamWaitEvent(stream_of(gpu), shares.begun, 0));
}

void join_gpus(void)
{
    for (int gpu = shares.first + 1; gpu < shares.end; gpu++) {
        CHECK(cudaEventRecord(shares.done[gpu], stream_of(gpu)));
        CHECK(cudaStreamWaitEvent(stream_of(shares.first), shares.done[gpu], 0));
    }
}
/* SPDX-License-Identifier: MIT */
