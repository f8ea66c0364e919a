// Estimates pi by throwing darts. Each thread has its own random number generator.
#include <cmath>
#include <cstdint>

#include "check.cuh"

struct XorShift {
    uint64_t state;
    __device__ explicit XorShift(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15ull + 1)
    {
    }
    __device__ uint32_t next()
    {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return (uint32_t)(state >> 32);
    }
    __device__ float uniform()
    {
        return (next() >> 8) * (1.0f / 16777216.0f);
    }
};

__global__ void throwDarts(unsigned long long *inside, int darts)
{
    __shared__ unsigned int blockInside;
    if (threadIdx.x == 0)
        blockInside = 0;
    __syncthreads();
    XorShift random(blockIdx.x * blockDim.x + threadIdx.x + 1);
    unsigned int mine = 0;
    for (int i = 0; i < darts; ++i) {
        float x = random.uniform(), y = random.uniform();
        mine += x * x + y * y < 1.0f;
    }
    atomicAdd(&blockInside, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(inside, (unsigned long long)blockInside);
}

int main()
{
    const int blocks = 8, threads = 128, darts = 200;
    unsigned long long *inside;
    CHECK(cudaMallocManaged(&inside, sizeof(*inside)));
    *inside = 0;
    throwDarts<<<blocks, threads>>>(inside, darts);
    CHECK(cudaDeviceSynchronize());
    double pi = 4.0 * double(*inside) / (double(blocks) * threads * darts);
    printf("pi is about %f\n", pi);
    EXPECT(std::fabs(pi - 3.14159265) < 0.02); // more than five standard deviations
    cudaFree(inside);
    return passed();
}
