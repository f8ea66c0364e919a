// What a program can ask: the device, a kernel, occupancy.
#include <iostream>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>

#include "check.cuh"

__global__ void kernel(float *a, int n)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        a[idx] = tile[255 - threadIdx.x];
    }
}

__global__ void dynamic(float *a)
{
    extern __shared__ float buffer[];
    buffer[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

struct SharedBytes {
    __host__ __device__ size_t operator()(int blockSize) const
    {
        return blockSize * sizeof(float);
    }
};

int main()
{
    int count = 0, device = -1, driver, runtime, value;
    CHECK(cudaGetDeviceCount(&count));
    EXPECT(count >= 1);
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    EXPECT(device == 0 && runtime == CUDART_VERSION && driver >= runtime);
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, device));
    std::cout << "Device 0: \"" << prop.name << "\", compute capability " << prop.major << "."
              << prop.minor << ", " << prop.multiProcessorCount << " SMs, "
              << prop.totalGlobalMem / (1 << 20) << " MiB, " << prop.sharedMemPerBlock
              << " bytes of shared memory per block, warps of " << prop.warpSize << std::endl;
    EXPECT(prop.warpSize == 32 && prop.maxThreadsPerBlock == 1024 && prop.maxThreadsDim[2] == 64);
    EXPECT(prop.maxGridSize[1] == 65535 && prop.totalConstMem == 65536);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    EXPECT(value >= 48 << 10);

    EXPECT(prop.concurrentKernels == 1 && prop.maxTexture2D[0] >= 65536 &&
           prop.textureAlignment == 512);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeMode, 0));
    EXPECT(value == cudaComputeModeDefault);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0));
    EXPECT(value > 0);

    cudaMemPool_t pool;
    float *pooled;
    unsigned long long threshold = 1 << 20, found = 0;
    nvtxRangePush("pools");
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &found));
    EXPECT(found == threshold);
    CHECK(cudaMallocFromPoolAsync(&pooled, 4096, pool, 0));
    CHECK(cudaMemsetAsync(pooled, 0, 4096));
    CHECK(cudaFreeAsync(pooled, 0));
    nvtxRangePop();

    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    EXPECT(attributes.maxThreadsPerBlock >= 256 && attributes.numRegs > 0);
    int blockSize = 0, minGridSize = 0, blocks = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&minGridSize, &blockSize, kernel, 0, 256));
    EXPECT(blockSize > 0 && blockSize <= 256 && blockSize % 32 == 0 && minGridSize > 0);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
    EXPECT(blocks >= 1 && blocks * 256 <= prop.maxThreadsPerMultiProcessor);
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&minGridSize, &blockSize, dynamic,
                                                         SharedBytes()));
    EXPECT(blockSize > 0);
    CHECK(cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferShared));
    CHECK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
    float *a;
    CHECK(cudaMalloc(&a, 1024 * sizeof(float)));
    CHECK(cudaMemset(a, 0, 1024 * sizeof(float)));
    dynamic<<<1, 32, 64 << 10>>>(a);
    CHECK(cudaGetLastError());
    kernel<<<1, 256>>>(a, 256);
    cudaFree(a);
    return passed();
}
