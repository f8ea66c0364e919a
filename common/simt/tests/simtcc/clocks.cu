// Threads that only wait for time to pass let other threads run: the last thread begins before the
// first one ends.
#include <cstdio>

__device__ static unsigned long long globaltimer()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

__global__ void wait(unsigned long long *times, bool by_clock64)
{
    const unsigned long long start = by_clock64 ? clock64() : globaltimer();
    unsigned long long now = start;
    times[2 * threadIdx.x] = start;
    while (now - start < 20000000)
        now = by_clock64 ? clock64() : globaltimer();
    times[2 * threadIdx.x + 1] = now;
}

int main()
{
    const int threads = 70;
    unsigned long long *times;
    cudaMallocManaged(&times, 2 * threads * sizeof *times);
    for (bool by_clock64 : {false, true}) {
        wait<<<1, threads>>>(times, by_clock64);
        if (cudaDeviceSynchronize() != cudaSuccess)
            return 1;
        printf("%d\n", times[2 * threads - 2] < times[1]);
    }
    cudaFree(times);
}
