/* Data on the host, a kernel, the result back: one piece after the other, and in pieces on streams,
 * so that copies and kernels of different pieces can go on at the same time. For an array of 2^25
 * floats: overlap [ELEMENTS]. On the CPU back end results are checked, and times mean nothing. */
#include "check.h"

#define PIECES 8
#define BLOCK 256

__global__ void work(float *data, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;

    if (i < n) {
        float x = data[i];
        for (int k = 0; k < 64; k++) /* enough arithmetic for the kernel to be worth hiding */
            x = 0.5f * x + 1;
        data[i] = x;
    }
}

/* Milliseconds for copies and kernels of all pieces, in turn on so many streams. */
static float run(float *host, float *device, size_t n, int streams)
{
    cudaStream_t stream[PIECES];
    cudaEvent_t begin, end;
    float ms;

    for (size_t i = 0; i < n; i++)
        host[i] = 5;
    for (int s = 0; s < streams; s++)
        CHECK(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin, stream[0]));
    for (int s = 1; s < streams; s++)
        CHECK(cudaStreamWaitEvent(stream[s], begin, 0));
    for (int piece = 0; piece < PIECES; piece++) {
        const size_t first = n * piece / PIECES, count = n * (piece + 1) / PIECES - first;
        const cudaStream_t on = stream[piece % streams];
        if (count == 0)
            continue;
        CHECK(cudaMemcpyAsync(device + first, host + first, count * sizeof(float),
                              cudaMemcpyHostToDevice, on));
        work<<<(unsigned)((count + BLOCK - 1) / BLOCK), BLOCK, 0, on>>>(device + first, count);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(host + first, device + first, count * sizeof(float),
                              cudaMemcpyDeviceToHost, on));
    }
    for (int s = 1; s < streams; s++) { /* the first stream ends when all have ended */
        cudaEvent_t done;
        CHECK(cudaEventCreate(&done));
        CHECK(cudaEventRecord(done, stream[s]));
        CHECK(cudaStreamWaitEvent(stream[0], done, 0));
        CHECK(cudaEventDestroy(done));
    }
    CHECK(cudaEventRecord(end, stream[0]));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    for (int s = 0; s < streams; s++)
        CHECK(cudaStreamDestroy(stream[s]));
    for (size_t i = 0; i < n; i++) {
        if (!(host[i] == 2)) {
            fprintf(stderr, "wrong at %zu: %g\n", i, host[i]);
            exit(1);
        }
    }
    return ms;
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? (size_t)atol(argv[1]) : (size_t)1 << 25;
    float *device, *pinned, *pageable = (float *)malloc(n * sizeof(float) + 1);

    if (!pageable)
        return 3;
    CHECK(cudaMalloc((void **)&device, n * sizeof(float) + 1));
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof(float) + 1));
    run(pinned, device, n, 1); /* warms up */
    printf("malloc,         1 stream:  %8.3f ms\n", run(pageable, device, n, 1));
    printf("malloc,         4 streams: %8.3f ms\n", run(pageable, device, n, 4));
    printf("cudaMallocHost, 1 stream:  %8.3f ms\n", run(pinned, device, n, 1));
    printf("cudaMallocHost, 2 streams: %8.3f ms\n", run(pinned, device, n, 2));
    printf("cudaMallocHost, 4 streams: %8.3f ms\n", run(pinned, device, n, 4));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
    free(pageable);
    return 0;
}
