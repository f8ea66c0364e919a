// printf and assert in kernels.
#include <assert.h>
#include <cstdio>

#include "check.cuh"

__global__ void hello(const char *word, double x)
{
    printf("Hello from block %d, thread %d of %u: %s %.2f %c\n", blockIdx.x, threadIdx.x,
           blockDim.x, "string", x, word ? word[0] : '-');
    assert(threadIdx.x < blockDim.x);
}

__device__ int checkedSquare(int i)
{
    assert(i >= 0 && "no negative numbers");
    return i * i;
}

__global__ void squares(int *out)
{
    out[threadIdx.x] = checkedSquare(threadIdx.x);
    if (threadIdx.x == 3) {
        printf("%d squared is %d (%llu, %zu, %p)\n", threadIdx.x, out[3], 1ull << 40,
               sizeof(double), (void *)0);
    }
}

int main()
{
    size_t size;
    CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
    CHECK(cudaDeviceGetLimit(&size, cudaLimitPrintfFifoSize));
    EXPECT(size >= 1 << 20);
    hello<<<2, 3>>>(NULL, 2.5);
    CHECK(cudaDeviceSynchronize());
    int *out;
    CHECK(cudaMallocManaged(&out, 8 * sizeof(int)));
    squares<<<1, 8>>>(out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[7] == 49);
    cudaFree(out);
    return passed();
}
