// Two kernels on the CPU back end, timed next to the loops of native.c: `kernels RUNS`. A run times
// the native loop, the kernel with hooks only, and the kernel counted and checked.
#include "native.h"

#include "simt_analysis.h"

#include <cstdio>
#include <cstdlib>

enum { TILE = 32, BLOCK = 256, N = 256, COUNT = 1 << 20 };

__global__ void matmul(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && column < n) {
        float sum = 0;
        for (int k = 0; k < n; k++) {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}

__global__ void reduce(const float *in, float *out)
{
    __shared__ float partial[BLOCK];
    int tid = threadIdx.x;
    partial[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) {
            partial[tid] += partial[tid + s];
        }
        __syncthreads();
    }
    if (tid == 0) {
        out[blockIdx.x] = partial[0];
    }
}

static float *on_device(const float *host, size_t count)
{
    float *device;
    if (cudaMalloc(&device, count * sizeof *device) != cudaSuccess) {
        fputs("kernels: out of memory\n", stderr);
        exit(1);
    }
    if (host) {
        cudaMemcpy(device, host, count * sizeof *host, cudaMemcpyHostToDevice);
    }
    return device;
}

static void run_matmul(const float *a, const float *b, float *c, const float *right, float *result)
{
    dim3 block(TILE, TILE), grid(N / TILE, N / TILE);
    matmul<<<grid, block>>>(a, b, c, N);
    cudaMemcpy(result, c, N * N * sizeof *c, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N * N; i++) {
        if (result[i] != right[i]) {
            fputs("kernels: a wrong product\n", stderr);
            exit(1);
        }
    }
}

static void run_reduce(const float *in, float *out, float *result, float right)
{
    reduce<<<COUNT / BLOCK, BLOCK>>>(in, out);
    cudaMemcpy(result, out, COUNT / BLOCK * sizeof *out, cudaMemcpyDeviceToHost);
    if (native_sum(result, COUNT / BLOCK) != right) {
        fputs("kernels: a wrong sum\n", stderr);
        exit(1);
    }
}

int main(int count, char **arguments)
{
    static float a[COUNT], b[N * N], product[N * N], result[COUNT];
    int runs = count > 1 ? atoi(arguments[1]) : 3;
    fill(a, COUNT, 1);
    fill(b, N * N, 2);
    float *device_a = on_device(a, COUNT), *device_b = on_device(b, N * N);
    float *device_c = on_device(nullptr, COUNT);
    for (int run = 0; run < runs; run++) {
        double start = seconds();
        native_matmul(a, b, product, N);
        tell("matmul", N, "native", seconds() - start);
        for (int analysed = 0; analysed < 2; analysed++) {
            simt_analyse(analysed);
            start = seconds();
            run_matmul(device_a, device_b, device_c, product, result);
            tell("matmul", N, analysed ? "analysed" : "hooks", seconds() - start);
        }
        start = seconds();
        float sum = native_sum(a, COUNT);
        tell("reduce", COUNT, "native", seconds() - start);
        for (int analysed = 0; analysed < 2; analysed++) {
            simt_analyse(analysed);
            start = seconds();
            run_reduce(device_a, device_c, result, sum);
            tell("reduce", COUNT, analysed ? "analysed" : "hooks", seconds() - start);
        }
    }
    return 0;
}
