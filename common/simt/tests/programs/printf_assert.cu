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

// printf in a kernel returns the number of its arguments.
__global__ void values(int *out)
{
    out[0] = printf("%d %s\n", 1, "two");
    out[1] = printf("none\n");
    out[2] = printf("%5.2f %*d %%\n", 1.0, 3, 4);
    out[3] = printf(NULL);
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
    values<<<1, 1>>>(out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 2 && out[1] == 0 && out[2] == 3 && out[3] == -1);
    EXPECT(printf("on the host\n") == 12);
    cudaFree(out);
    return passed();
}
