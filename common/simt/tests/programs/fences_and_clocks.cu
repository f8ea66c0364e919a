// Threads that wait and signal: fences, counting barriers, clocks, the last block that finishes.
#include "check.cuh"

#include <time.h>

__device__ unsigned int blocksDone = 0;

__global__ void sumSinglePass(const float *g_idata, volatile float *partial, float *result, int n)
{
    __shared__ bool amLast;
    __shared__ volatile float sdata[128];
    float mySum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        mySum += g_idata[i];
    sdata[threadIdx.x] = mySum;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            sdata[threadIdx.x] = sdata[threadIdx.x] + sdata[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sdata[0];
        __threadfence();
        unsigned int ticket = atomicInc(&blocksDone, gridDim.x);
        amLast = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (amLast && threadIdx.x == 0) {
        float sum = 0;
        for (unsigned int i = 0; i < gridDim.x; i++)
            sum += partial[i];
        *result = sum;
        blocksDone = 0;
    }
}

__global__ void counting(int *out, long long *ticks)
{
    long long start = clock64();
    int t = threadIdx.x;
    int count = __syncthreads_count(t % 3 == 0);
    int all = __syncthreads_and(t < 100), some = __syncthreads_or(t == 99);
    int none = __syncthreads_or(t > 99) || __syncthreads_and(t < 99);
    out[t] = count == 34 && all && some && !none;
    __threadfence_block();
    __threadfence_system();
    __nanosleep(100);
    // All clocks show the same time. clock() may have only its lower half.
    unsigned int before = (unsigned int)clock64(), c = (unsigned int)clock();
    out[t] += c - before <= (unsigned int)clock64() - before;
    ticks[t] = clock64() - start;
}

// Thread 0 waits until thread 32, which is in another warp, has set a flag.
__global__ void flag(int *out)
{
    __shared__ int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        while (atomicAdd(&ready, 0) == 0)
            __nanosleep(20);
        *out = 7;
    } else if (threadIdx.x == 32) {
        atomicExch(&ready, 1);
    }
}

// CPU time of this process in microseconds.
static long long cpu_time()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000LL + time.tv_nsec / 1000;
}

int main()
{
    const int n = 10000, blocks = 16;
    float *data, *partial, *result;
    int *out;
    long long *ticks;
    CHECK(cudaMallocManaged(&data, n * sizeof(float)));
    CHECK(cudaMallocManaged(&partial, blocks * sizeof(float)));
    CHECK(cudaMallocManaged(&result, sizeof(float)));
    CHECK(cudaMallocManaged(&out, 128 * sizeof(int)));
    CHECK(cudaMallocManaged(&ticks, 128 * sizeof(long long)));
    for (int i = 0; i < n; i++)
        data[i] = 1.0f;
    for (int round = 0; round < 2; round++) {
        sumSinglePass<<<blocks, 128>>>(data, partial, result, n);
        CHECK(cudaDeviceSynchronize());
        EXPECT(*result == float(n));
        *result = 0;
    }
    counting<<<1, 100>>>(out, ticks);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 100; i++)
        EXPECT(out[i] == 2 && ticks[i] >= 0);
    // In host code, clock() is the function of the C library.
    const long long before = cpu_time(), now = clock();
    EXPECT(before <= now && now <= cpu_time());
    flag<<<1, 64>>>(out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 7);
    cudaFree(data);
    cudaFree(partial);
    cudaFree(result);
    cudaFree(out);
    cudaFree(ticks);
    return passed();
}
