// Inclusive scan of a block with shuffles: scans each warp, then the warp totals, then adds both.
#include "check.cuh"

#define FULL_MASK 0xffffffff

template <typename T>
__device__ __forceinline__ T warpInclusiveScan(T value)
{
    const int lane = threadIdx.x & (warpSize - 1);
#pragma unroll
    for (int offset = 1; offset < 32; offset <<= 1) {
        T other = __shfl_up_sync(FULL_MASK, value, offset);
        if (lane >= offset)
            value += other;
    }
    return value;
}

template <typename T, int BLOCK_SIZE>
__global__ void __launch_bounds__(BLOCK_SIZE) blockScan(T *data)
{
    __shared__ T totals[BLOCK_SIZE / 32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    T value = warpInclusiveScan(data[blockIdx.x * BLOCK_SIZE + threadIdx.x]);
    if (lane == 31)
        totals[warp] = value;
    __syncthreads();
    if (warp == 0) {
        T total = lane < BLOCK_SIZE / 32 ? totals[lane] : T(0);
        total = warpInclusiveScan(total);
        if (lane < BLOCK_SIZE / 32)
            totals[lane] = total;
    }
    __syncthreads();
    if (warp > 0)
        value += totals[warp - 1];
    data[blockIdx.x * BLOCK_SIZE + threadIdx.x] = value;
}

template <typename T>
void test()
{
    const int blockSize = 256, blocks = 3, n = blockSize * blocks;
    T host[n], *device;
    for (int i = 0; i < n; i++)
        host[i] = T(i % 5 + 1);
    CHECK(cudaMalloc(&device, sizeof(host)));
    CHECK(cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice));
    blockScan<T, blockSize><<<blocks, blockSize>>>(device);
    CHECK(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
    for (int b = 0; b < blocks; b++) {
        T sum = 0;
        for (int i = 0; i < blockSize; i++) {
            sum += T((b * blockSize + i) % 5 + 1);
            EXPECT(host[b * blockSize + i] == sum);
        }
    }
    cudaFree(device);
}

int main()
{
    test<int>();
    test<float>();
    test<double>();
    test<unsigned long long>();
    return passed();
}
