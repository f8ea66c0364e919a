#include "shares.h"

#include "library/cuda_check.h"

struct shares shares;

/* Of the shares that were placed before. */
static void release_shares(void)
{
    for (int gpu = shares.gpus - 1; gpu >= 0; gpu--) {
        struct reduction *const share = &shares.of[gpu];

        CHECK(cudaSetDevice(gpu));
        CHECK(cudaFree(share->result));
        CHECK(cudaEventDestroy(shares.done[gpu]));
        if (gpu == 0)
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

/* A copy, on the current GPU, of n elements of the first GPU's input from number `first` on. */
static const void *copy_share(const void *input, size_t size, size_t first, size_t n, int gpu)
{
    void *memory = NULL;

    if (input == NULL)
        return NULL;
    CHECK(cudaMalloc(&memory, n > 0 ? n * size : 1));
    CHECK(cudaMemcpyPeer(memory, gpu, (const char *)input + first * size, 0, n * size));
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
    CHECK(cudaSetDevice(gpu));
    CHECK(cudaMalloc(&share->result, sizeof(double)));
    CHECK(cudaEventCreateWithFlags(&shares.done[gpu], cudaEventDisableTiming));
    if (gpu == 0)
        return; /* its share is where it is, the beginning of the input */
    share->a = copy_share(call->a, element_size(call->type), first, share->n, gpu);
    share->b = copy_share(call->b, second_size(call->type), first, share->n, gpu);
    CHECK(cudaMalloc(&share->workspace, reduction_workspace(call)));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    share->stream = stream;
    CHECK(cudaDeviceSynchronize()); /* that stream does not wait for the copies */
}

void place_shares(const struct reduction *call)
{
    release_shares();
    shares.gpus = call->gpus;
    for (int gpu = call->gpus - 1; gpu >= 0; gpu--)
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

void fork_gpus(void)
{
    CHECK(cudaEventRecord(shares.begun, (cudaStream_t)shares.of[0].stream));
    for (int gpu = 1; gpu < shares.gpus; gpu++)
        CHECK(cudaStreamWaitEvent((cudaStream_t)shares.of[gpu].stream, shares.begun, 0));
}

void join_gpus(void)
{
    for (int gpu = 1; gpu < shares.gpus; gpu++) {
        CHECK(cudaEventRecord(shares.done[gpu], (cudaStream_t)shares.of[gpu].stream));
        CHECK(cudaStreamWaitEvent((cudaStream_t)shares.of[0].stream, shares.done[gpu], 0));
    }
}
