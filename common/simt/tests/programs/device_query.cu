// Queries: the properties of a device and a kernel, and the occupancy.
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
    if (idx < n)
        a[idx] = tile[255 - threadIdx.x];
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

static void testStreams()
{
    cudaStream_t apart, beside;
    unsigned int flags = 7;
    int priority = 7, least, greatest, device = 7;
    unsigned long long first = 0, second = 0;
    CHECK(cudaInitDevice(0, 0, 0));
    EXPECT(cudaInitDevice(1000, 0, 0) == cudaErrorInvalidDevice);
    CHECK(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
    CHECK(cudaStreamCreate(&beside));
    CHECK(cudaStreamGetFlags(apart, &flags));
    EXPECT(flags == cudaStreamNonBlocking);
    CHECK(cudaStreamGetFlags(beside, &flags));
    EXPECT(flags == cudaStreamDefault);
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamGetPriority(beside, &priority));
    EXPECT(priority <= least && priority >= greatest);
    CHECK(cudaStreamGetId(apart, &first));
    CHECK(cudaStreamGetId(beside, &second));
    EXPECT(first != second);
    CHECK(cudaStreamGetDevice(apart, &device));
    EXPECT(device == 0);
    EXPECT(cudaStreamGetFlags(apart, nullptr) == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaStreamDestroy(apart));
    CHECK(cudaStreamDestroy(beside));
}

__global__ void first(int *data)
{
    cudaTriggerProgrammaticLaunchCompletion();
    data[threadIdx.x] = threadIdx.x;
}

__global__ void second(int *data)
{
    cudaGridDependencySynchronize();
    data[threadIdx.x] += 1;
}

static void testBatch()
{
    int from[2][32], *to[2], found[2][32];
    const void *sources[2] = {from[0], from[1]};
    const size_t sizes[2] = {32 * sizeof(int), 16 * sizeof(int)};
    size_t index = 0;
    cudaStream_t stream;
    cudaMemcpyAttributes attributes = {};
    CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMalloc(&to[i], sizeof from[i]));
        CHECK(cudaMemsetAsync(to[i], 0, sizeof from[i], stream));
        for (int j = 0; j < 32; j++)
            from[i][j] = 100 * i + j;
    }
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    CHECK(
        cudaMemcpyBatchAsync((void *const *)to, sources, sizes, 2, &attributes, &index, 1, stream));
    for (int i = 0; i < 2; i++)
        CHECK(cudaMemcpyAsync(found[i], to[i], sizeof from[i], cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(found[0][31] == 31 && found[1][15] == 115 && found[1][16] == 0);
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    EXPECT(cudaMemcpyBatchAsync((void *const *)to, sources, sizes, 2, &attributes, &index, 1,
                                stream) == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    first<<<1, 32, 0, stream>>>(to[0]);
    second<<<1, 32, 0, stream>>>(to[0]);
    CHECK(cudaMemcpyAsync(found[0], to[0], sizeof from[0], cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(found[0][31] == 32);
    CHECK(cudaFree(to[0]));
    CHECK(cudaFree(to[1]));
    CHECK(cudaStreamDestroy(stream));
}

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

    testStreams();
    testBatch();

    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    EXPECT(attributes.maxThreadsPerBlock >= 256 && attributes.numRegs > 0);
    int blockSize = 0, minGridSize = 0, blocks = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&minGridSize, &blockSize, kernel, 0, 256));
    EXPECT(blockSize > 0 && blockSize <= 256 && blockSize % 32 == 0 && minGridSize > 0);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
    EXPECT(blocks >= 1 && blocks * 256 <= prop.maxThreadsPerMultiProcessor);
    int again = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&again, kernel, 256, 0,
                                                                 cudaOccupancyDefault));
    EXPECT(again == blocks);
    CHECK(cudaOccupancyMaxPotentialBlockSizeWithFlags(&minGridSize, &blockSize, kernel, 0, 256,
                                                      cudaOccupancyDefault));
    EXPECT(blockSize > 0 && blockSize <= 256);
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&minGridSize, &blockSize, dynamic,
                                                         SharedBytes()));
    EXPECT(blockSize > 0);
    CHECK(cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferShared));
    CHECK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
    CHECK(cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxShared));
    float *a;
    CHECK(cudaMalloc(&a, 1024 * sizeof(float)));
    CHECK(cudaMemset(a, 0, 1024 * sizeof(float)));
    dynamic<<<1, 32, 64 << 10>>>(a);
    CHECK(cudaGetLastError());
    kernel<<<1, 256>>>(a, 256);
    cudaFree(a);
    return passed();
}
