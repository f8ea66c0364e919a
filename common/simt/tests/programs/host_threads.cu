// Several host threads, each with its own stream, memory and launches.
#include <atomic>
#include <thread>
#include <vector>

#include "check.cuh"

__global__ void fill(int *out, int value, int n)
{
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = value + i;
    __syncthreads();
    if (i < n)
        out[i] = tile[threadIdx.x];
}

static std::atomic<int> wrong;

static void work(int number)
{
    const int n = 200;
    std::vector<int> host(n);
    cudaStream_t stream;
    int *device;
    wrong += cudaStreamCreate(&stream) != cudaSuccess;
    for (int round = 0; round < 20; round++) {
        wrong += cudaMalloc(&device, n * sizeof *device) != cudaSuccess;
        fill<<<4, 64, 0, stream>>>(device, 1000 * number + round, n);
        wrong += cudaGetLastError() != cudaSuccess;
        wrong += cudaMemcpyAsync(host.data(), device, n * sizeof *device, cudaMemcpyDeviceToHost,
                                 stream) != cudaSuccess;
        wrong += cudaStreamSynchronize(stream) != cudaSuccess;
        for (int i = 0; i < n; i++)
            wrong += host[i] != 1000 * number + round + i;
        // Each thread has its own last error.
        if (number % 2 == 0) {
            wrong += cudaFree(host.data()) != cudaErrorInvalidValue;
            wrong += cudaGetLastError() != cudaErrorInvalidValue;
        }
        wrong += cudaFree(device) != cudaSuccess;
    }
    wrong += cudaStreamDestroy(stream) != cudaSuccess;
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++)
        threads.emplace_back(work, i);
    for (auto &thread : threads)
        thread.join();
    EXPECT(wrong == 0);
    return passed();
}
