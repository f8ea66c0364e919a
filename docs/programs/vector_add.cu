/* c = a + b on the GPU: a whole CUDA program, with every step that it needs.
 * docs/first_program.md goes through it. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000
#define BLOCK 256 /* threads per block */

#define CHECK(call) check(call, #call, __LINE__)

/* Nearly every CUDA call returns an error code, and none prints it. */
static void check(cudaError_t error, const char *call, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "vector_add.cu:%d: %s: %s\n", line, call, cudaGetErrorString(error));
    exit(3);
}

/* The kernel. Each thread runs it once, with its own blockIdx and threadIdx. */
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = a[i] + b[i];
}

int main(void)
{
    const size_t bytes = N * sizeof(float);
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes);
    float *device_a, *device_b, *device_c;

    if (!a || !b || !c)
        return 3;
    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = 0.5f;
    }

    /* GPU memory. The host may hold such a pointer, but must not dereference it. */
    CHECK(cudaMalloc((void **)&device_a, bytes));
    CHECK(cudaMalloc((void **)&device_b, bytes));
    CHECK(cudaMalloc((void **)&device_c, bytes));

    CHECK(cudaMemcpy(device_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b, bytes, cudaMemcpyHostToDevice));

    /* Enough blocks for N threads, rounded up: 4 blocks, 1,024 threads. */
    add<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(device_a, device_b, device_c, N);
    CHECK(cudaGetLastError());      /* could it be launched? */
    CHECK(cudaDeviceSynchronize()); /* wait for it: did it run without a fault? */

    CHECK(cudaMemcpy(c, device_c, bytes, cudaMemcpyDeviceToHost));

    for (int i = 0; i < N; i++) {
        if (!(c[i] == a[i] + b[i])) { /* a NaN also fails this test */
            fprintf(stderr, "wrong at %d: %g\n", i, c[i]);
            return 1;
        }
    }
    printf("all %d sums are right\n", N);

    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    free(a);
    free(b);
    free(c);
    return 0;
}
