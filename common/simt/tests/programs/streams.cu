// Copies and kernels in several streams, ordered by events. A host function ends one stream.
#include "check.cuh"

__global__ void square(float *x, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        x[i] *= x[i];
}

static void CUDART_CB finished(void *data)
{
    *(int *)data = 1;
}

int main()
{
    const int nStreams = 4, streamSize = 1000, n = nStreams * streamSize, done_size = 1;
    const size_t streamBytes = streamSize * sizeof(float);
    float *a, *d_a;
    CHECK(cudaMallocHost((void **)&a, n * sizeof(float)));
    CHECK(cudaMalloc((void **)&d_a, n * sizeof(float)));
    cudaStream_t stream[nStreams], low;
    cudaEvent_t copied[nStreams], begin, end;
    int least, greatest, done[done_size] = {0};
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(greatest <= least);
    CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
    CHECK(cudaEventCreateWithFlags(&begin, cudaEventDefault));
    CHECK(cudaEventCreate(&end, cudaEventBlockingSync));
    for (int i = 0; i < nStreams; i++) {
        CHECK(cudaStreamCreate(&stream[i]));
        CHECK(cudaEventCreateWithFlags(&copied[i], cudaEventDisableTiming));
    }
    for (int i = 0; i < n; i++)
        a[i] = float(i % 100);
    CHECK(cudaEventRecord(begin, 0));
    for (int i = 0; i < nStreams; i++) {
        int offset = i * streamSize;
        CHECK(cudaMemcpyAsync(&d_a[offset], &a[offset], streamBytes, cudaMemcpyHostToDevice,
                              stream[i]));
        CHECK(cudaEventRecord(copied[i], stream[i]));
        CHECK(cudaStreamWaitEvent(stream[(i + 1) % nStreams], copied[i], 0));
        square<<<(streamSize + 255) / 256, 256, 0, stream[i]>>>(&d_a[offset], streamSize);
        CHECK(cudaMemcpyAsync(&a[offset], &d_a[offset], streamBytes, cudaMemcpyDeviceToHost,
                              stream[i]));
    }
    CHECK(cudaLaunchHostFunc(stream[0], finished, done));
    for (int i = 0; i < nStreams; i++) {
        CHECK(cudaStreamSynchronize(stream[i]));
        EXPECT(cudaStreamQuery(stream[i]) == cudaSuccess);
    }
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    EXPECT(ms >= 0 && done[0] == 1);
    for (int i = 0; i < n; i++)
        EXPECT(a[i] == float(i % 100) * float(i % 100));
    for (int i = 0; i < nStreams; i++) {
        CHECK(cudaStreamDestroy(stream[i]));
        CHECK(cudaEventDestroy(copied[i]));
    }
    CHECK(cudaStreamDestroy(low));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFreeHost(a));
    CHECK(cudaFree(d_a));
    return passed();
}
