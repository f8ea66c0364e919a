// Kernels and host code with typical mistakes of beginners: `simt_mistakes name` runs one. Each
// ends with a report and status 1. test_reports.c looks for the lines marked below.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void barrier_in_branch(float *out)
{
    if (threadIdx.x < 100) {
        __syncthreads(); // MARK barrier_in_branch 1
        out[threadIdx.x] = 1;
    } else {
        __syncthreads(); // MARK barrier_in_branch 2
    }
}

__global__ void shuffle_in_branch(float *out)
{
    float v = 1;
    if (threadIdx.x < 16)
        v += __shfl_down_sync(0xffffffffu, v, 8); // MARK shuffle_in_branch 1
    __syncthreads();                              // MARK shuffle_in_branch 2
    out[threadIdx.x] = v;
}

__global__ void exited_lanes(float *out)
{
    if (threadIdx.x >= 20)
        return;
    out[threadIdx.x] = __shfl_down_sync(0xffffffffu, 1.0f, 8); // MARK exited_lanes
}

__global__ void not_in_mask(int *out)
{
    out[threadIdx.x] = (int)__ballot_sync(0x0000ffffu, 1); // MARK not_in_mask
}

__global__ void bad_width(int *out)
{
    out[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0, 12); // MARK bad_width
}

__global__ void lock_across_barrier(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0) { // MARK lock_across_barrier 1
    }
    __syncthreads(); // MARK lock_across_barrier 2
    atomicExch(lock, 0);
}

__global__ void never_unlocked(int *lock)
{
    while (atomicExch(lock, 1) != 0) { // MARK never_unlocked
    }
}

__global__ void past_the_end(float *out)
{
    out[threadIdx.x + 64] = 1;
}

__global__ void null_pointer(float *out)
{
    out[threadIdx.x] = 1;
}

__device__ int recurse(int depth)
{
    volatile int local[256];
    local[depth % 256] = depth;
    return depth < 1000000 ? recurse(depth + 1) + local[depth % 256] : 0;
}

__global__ void endless(int *out)
{
    *out = recurse(0);
}

__global__ void endless_barriers(int *out)
{
    do {
        out[threadIdx.x] = 7;
    } while (!__syncthreads_or(out[threadIdx.x] < 0)); // MARK endless_barriers
}

__global__ void endless_votes(const int *in)
{
    while (__any_sync(~0u, in[threadIdx.x] == 0)) { // MARK endless_votes
    }
}

__global__ void no_shared(float *out)
{
    extern __shared__ float s[];
    s[threadIdx.x] = 1;
    *out = s[0];
}

__global__ void trap()
{
    __trap(); // MARK trap
}

__global__ void misaligned(char *out)
{
    atomicAdd((int *)(out + 1), 1); // MARK misaligned
}

int main(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "";
    float *device = nullptr;
    cudaMalloc(&device, 256);
    cudaMemset(device, 0, 256);
    puts("printed before");
    if (!strcmp(name, "barrier_in_branch")) {
        barrier_in_branch<<<2, 256>>>(device); // MARK launch
    } else if (!strcmp(name, "shuffle_in_branch")) {
        shuffle_in_branch<<<1, 64>>>(device);
    } else if (!strcmp(name, "exited_lanes")) {
        exited_lanes<<<1, 32>>>(device);
    } else if (!strcmp(name, "not_in_mask")) {
        not_in_mask<<<1, 32>>>((int *)device);
    } else if (!strcmp(name, "bad_width")) {
        bad_width<<<1, 32>>>((int *)device);
    } else if (!strcmp(name, "lock_across_barrier")) {
        lock_across_barrier<<<1, 64>>>((int *)device);
    } else if (!strcmp(name, "never_unlocked")) {
        never_unlocked<<<1, 2>>>((int *)device);
    } else if (!strcmp(name, "past_the_end")) {
        past_the_end<<<1, 64>>>(device);
    } else if (!strcmp(name, "use_after_free")) {
        cudaFree(device);
        null_pointer<<<1, 64>>>(device);
    } else if (!strcmp(name, "null_pointer")) {
        null_pointer<<<1, 64>>>(nullptr);
    } else if (!strcmp(name, "endless")) {
        endless<<<1, 1>>>((int *)device);
    } else if (!strcmp(name, "endless_barriers")) {
        endless_barriers<<<1, 64>>>((int *)device);
    } else if (!strcmp(name, "endless_votes")) {
        endless_votes<<<1, 32>>>((int *)device);
    } else if (!strcmp(name, "no_shared")) {
        no_shared<<<1, 1>>>(device);
    } else if (!strcmp(name, "trap")) {
        trap<<<1, 1>>>();
    } else if (!strcmp(name, "misaligned")) {
        misaligned<<<1, 1>>>((char *)device);
    } else if (!strcmp(name, "host_touch")) {
        fflush(stdout);
        device[3] = 1;
    } else if (!strcmp(name, "host_touch_after_many")) { // memory stays open between them
        for (int i = 0; i < 30000; i++)
            null_pointer<<<1, 1>>>(device);
        cudaDeviceSynchronize();
        fflush(stdout);
        device[3] = 1;
    } else if (!strcmp(name, "host_crash")) {
        volatile int *volatile nowhere = nullptr;
        *nowhere = 1; // not memory of the back end
    }
    return 0;
}
