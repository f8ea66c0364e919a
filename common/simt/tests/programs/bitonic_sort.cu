// Bitonic sort: one launch per large step in global memory; small steps in shared memory.
#include <algorithm>
#include <vector>

#include "check.cuh"

template <typename T>
__device__ void compareAndSwap(T &a, T &b, bool ascending)
{
    if ((a > b) == ascending) {
        T t = a;
        a = b;
        b = t;
    }
}

template <typename T>
__global__ void bitonicGlobal(T *values, int j, int k)
{
    unsigned int i = threadIdx.x + blockDim.x * blockIdx.x, ixj = i ^ j;
    if (ixj > i)
        compareAndSwap(values[i], values[ixj], (i & k) == 0);
}

template <typename T, int SIZE>
__global__ void bitonicShared(T *values, int firstJ, int k)
{
    __shared__ T tile[SIZE];
    unsigned int i = threadIdx.x + SIZE * blockIdx.x;
    tile[threadIdx.x] = values[i];
    for (int j = firstJ; j > 0; j >>= 1) {
        __syncthreads();
        unsigned int other = threadIdx.x ^ j;
        if (other > threadIdx.x)
            compareAndSwap(tile[threadIdx.x], tile[other], (i & k) == 0);
    }
    __syncthreads();
    values[i] = tile[threadIdx.x];
}

template <typename T>
void test(int n)
{
    const int block = 256;
    std::vector<T> host(n);
    unsigned int state = 12345;
    for (T &value : host) {
        state = state * 1664525u + 1013904223u;
        value = T(int(state >> 8) - (1 << 23));
    }
    T *device;
    CHECK(cudaMalloc(&device, n * sizeof(T)));
    CHECK(cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    for (int k = 2; k <= n; k <<= 1) {
        int j = k >> 1;
        for (; j >= block; j >>= 1)
            bitonicGlobal<<<n / block, block>>>(device, j, k);
        bitonicShared<T, block><<<n / block, block>>>(device, j, k);
    }
    std::vector<T> sorted(n);
    CHECK(cudaMemcpy(sorted.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
    std::sort(host.begin(), host.end());
    EXPECT(sorted == host);
    cudaFree(device);
}

int main()
{
    test<int>(256);
    test<int>(2048);
    test<float>(1024);
    return passed();
}
