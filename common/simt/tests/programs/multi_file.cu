// A program of several files: multi_file_device.cu has device functions and variables used here
// (hence nvcc -rdc=true), multi_file_host.c is C code.
#include "check.cuh"
#include "multi_file.h"

extern __device__ float scale(float x, float factor);
extern __device__ int calls;
extern __constant__ float offsets[2];

__global__ void apply(float *data, int n, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = scale(data[i], factor) + offsets[i % 2];
}

void launch_scale(float *data, int n, float factor)
{
    apply<<<(n + 127) / 128, 128>>>(data, n, factor);
}

int main()
{
    const int n = 200;
    float *data;
    float h_offsets[2] = {0.25f, 0.5f};
    CHECK(cudaMallocManaged(&data, n * sizeof(float)));
    for (int i = 0; i < n; i++)
        data[i] = float(i);
    CHECK(cudaMemcpyToSymbol(offsets, h_offsets, sizeof(h_offsets)));
    launch_scale(data, n, 2.0f);
    CHECK(cudaDeviceSynchronize());
    EXPECT(check_result(data, n));
    int counted = 0;
    CHECK(cudaMemcpyFromSymbol(&counted, calls, sizeof(counted)));
    EXPECT(counted == n);
    cudaFree(data);
    return passed();
}
