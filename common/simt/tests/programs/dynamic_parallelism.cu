// Kernels that launch kernels: a tree of launches, templates, arguments of several types.
#include "check.cuh"

template <class T>
__global__ void add(T *data, int n, T value)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += value;
}

struct Range {
    int begin, end;
};

// Halves the range until it is short enough.
__global__ void split(int *data, Range range, int depth, int *leaves)
{
    const int middle = (range.begin + range.end) / 2;
    if (threadIdx.x > 0)
        return;
    if (range.end - range.begin <= 32) {
        atomicAdd(leaves, 1);
        add<int><<<1, 32>>>(data + range.begin, range.end - range.begin, depth);
    } else {
        split<<<1, 32>>>(data, Range{range.begin, middle}, depth + 1, leaves);
        split<<<1, 32>>>(data, Range{middle, range.end}, depth + 1, leaves);
    }
}

// The child sees everything that its parent wrote before the launch.
__global__ void parent(double *data, int n)
{
    const int i = threadIdx.x;
    data[i] = i;
    __syncthreads();
    if (i == 0) {
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        add<<<(n + 63) / 64, 64, 0, stream>>>(data, n, 0.5);
        cudaStreamDestroy(stream);
    }
}

__global__ void twice(int *value)
{
    *value *= 2;
}

__global__ void plus_one_twice(int *value)
{
    *value += 1;
    twice<<<1, 1>>>(value);
}

// A child and all its own children end before the next child in its stream begins. A tail launch
// begins after all children have ended, and may launch the next one.
__global__ void ordered(int *value, int left)
{
    if (left > 0) {
        ordered<<<1, 1, 0, cudaStreamTailLaunch>>>(value, left - 1);
        plus_one_twice<<<1, 1>>>(value);
        add<int><<<1, 1>>>(value, 1, 10);
    }
}

int main()
{
    const int N = 1000;
    int *data, *leaves, host[N], count = 0;
    CHECK(cudaMalloc(&data, sizeof(host)));
    CHECK(cudaMalloc(&leaves, sizeof(int)));
    CHECK(cudaMemset(data, 0, sizeof(host)));
    CHECK(cudaMemset(leaves, 0, sizeof(int)));
    split<<<1, 64>>>(data, Range{0, N}, 0, leaves);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&count, leaves, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(count == 32);
    for (int value : host)
        EXPECT(value == 5);

    double *doubles, results[128];
    CHECK(cudaMalloc(&doubles, sizeof(results)));
    parent<<<1, 128>>>(doubles, 128);
    CHECK(cudaMemcpy(results, doubles, sizeof(results), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++)
        EXPECT(results[i] == i + 0.5);
    CHECK(cudaMemset(leaves, 0, sizeof(int)));
    ordered<<<1, 1>>>(leaves, 3);
    CHECK(cudaMemcpy(&count, leaves, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(count == 84);
    CHECK(cudaFree(data));
    CHECK(cudaFree(leaves));
    CHECK(cudaFree(doubles));
    return passed();
}
