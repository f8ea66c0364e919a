// Memory that is allocated and freed in stream order.
#include "check.cuh"

__global__ void fill(int *data, int value, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        data[i] = value + i;
}

int main()
{
    const int n = 2000;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int round = 0; round < 3; round++) {
        int *data = nullptr, *copy = nullptr;
        static int host[n];
        CHECK(cudaMallocAsync(&data, n * sizeof(int), stream));
        CHECK(cudaMallocAsync((void **)&copy, n * sizeof(int), stream));
        CHECK(cudaMemsetAsync(data, 0, n * sizeof(int), stream));
        fill<<<(n + 127) / 128, 128, 0, stream>>>(data, round, n);
        CHECK(cudaMemcpyAsync(copy, data, n * sizeof(int), cudaMemcpyDeviceToDevice, stream));
        CHECK(cudaMemcpyAsync(host, copy, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaFreeAsync(data, stream));
        CHECK(cudaFreeAsync(copy, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < n; i++)
            EXPECT(host[i] == round + i);
    }
    CHECK(cudaStreamDestroy(stream));
    size_t available, total;
    CHECK(cudaMemGetInfo(&available, &total));
    EXPECT(available <= total && total > 0);
    return passed();
}
