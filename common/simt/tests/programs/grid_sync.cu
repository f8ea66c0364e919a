// A cooperative launch: all blocks synchronize repeatedly in the middle of a kernel.
#include <cooperative_groups.h>

#include "check.cuh"

namespace cg = cooperative_groups;

// In each round, every thread reads what a thread of another block wrote in the previous round.
__global__ void rotate(int *a, int *b, int n, int rounds)
{
    __shared__ int blockSum;
    extern __shared__ int copy[];
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    if (threadIdx.x == 0)
        blockSum = 100 * blockIdx.x;
    copy[threadIdx.x] = i;
    for (int r = 0; r < rounds; r++) {
        int *from = r % 2 ? b : a, *to = r % 2 ? a : b;
        to[i] = from[(i + blockDim.x) % n];
        if (threadIdx.x == 0)
            blockSum++;
        grid.sync();
        if (copy[threadIdx.x] != i || blockSum != 100 * (int)blockIdx.x + r + 1)
            to[i] = -1; // shared memory of another block
        grid.sync();
    }
    if (threadIdx.x % 3 == 0)
        return;
}

int main()
{
    int supported = 0, perMultiprocessor = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    if (!supported) {
        puts("passed: cooperative launches are not supported");
        return 0;
    }
    const int threads = 96, blocks = 20;
    int n = threads * blocks, rounds = 4, *a, *b;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perMultiprocessor, rotate, threads,
                                                        threads * sizeof(int)));
    EXPECT(perMultiprocessor > 0);
    CHECK(cudaMallocManaged(&a, n * sizeof(int)));
    CHECK(cudaMallocManaged(&b, n * sizeof(int)));
    for (int i = 0; i < n; i++)
        a[i] = i;
    void *arguments[] = {&a, &b, &n, &rounds};
    CHECK(cudaLaunchCooperativeKernel((void *)rotate, dim3(blocks), dim3(threads), arguments,
                                      threads * sizeof(int), 0));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        EXPECT(a[i] == (i + rounds * threads) % n);
    // More blocks than can be resident on the device at once.
    cudaError_t error = cudaLaunchCooperativeKernel((void *)rotate, dim3(1000000), dim3(threads),
                                                    arguments, threads * sizeof(int), 0);
    EXPECT(error == cudaErrorCooperativeLaunchTooLarge);
    EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
    cudaFree(a);
    cudaFree(b);
    return passed();
}
