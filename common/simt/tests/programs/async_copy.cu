// Asynchronous copies from global to shared memory, overlapped with computation: two buffers, and
// both interfaces.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include "check.cuh"

namespace cg = cooperative_groups;

constexpr int BLOCK = 64;

__global__ void withPipeline(const float *in, float *out, int tiles)
{
    __shared__ float buffer[2][BLOCK];
    int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&buffer[0][t], &in[t], sizeof(float));
    __pipeline_commit();
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles) {
            __pipeline_memcpy_async(&buffer[(i + 1) % 2][t], &in[(i + 1) * BLOCK + t],
                                    sizeof(float));
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += buffer[i % 2][BLOCK - 1 - t];
        __syncthreads();
    }
    out[t] = sum;
}

__global__ void withGroups(const float *in, float *out, int tiles)
{
    alignas(16) __shared__ float buffer[BLOCK];
    cg::thread_block block = cg::this_thread_block();
    float sum = 0;
    for (int i = 0; i < tiles; i++) {
        cg::memcpy_async(block, buffer, in + i * BLOCK, sizeof(float) * BLOCK);
        cg::wait(block);
        sum += buffer[BLOCK - 1 - block.thread_rank()];
        block.sync();
    }
    out[block.thread_rank()] = sum;
}

// Copies three of each four floats. The fourth is filled with 0.
__global__ void padded(const float4 *in, float4 *out)
{
    __shared__ float4 buffer[BLOCK];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&buffer[t], &in[t], sizeof(float4), sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = buffer[t];
}

int main()
{
    const int tiles = 5;
    float *in, *out;
    CHECK(cudaMallocManaged(&in, tiles * BLOCK * sizeof(float)));
    CHECK(cudaMallocManaged(&out, BLOCK * sizeof(float)));
    for (int i = 0; i < tiles * BLOCK; i++)
        in[i] = float(i);
    for (int variant = 0; variant < 2; variant++) {
        (variant == 0 ? withPipeline : withGroups)<<<1, BLOCK>>>(in, out, tiles);
        CHECK(cudaDeviceSynchronize());
        for (int t = 0; t < BLOCK; t++) {
            float expected = 0;
            for (int i = 0; i < tiles; i++)
                expected += float(i * BLOCK + BLOCK - 1 - t);
            EXPECT(out[t] == expected);
        }
    }
    padded<<<1, BLOCK>>>((const float4 *)in, (float4 *)in);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 4 * BLOCK; i++)
        EXPECT(in[i] == (i % 4 == 3 ? 0 : float(i)));
    cudaFree(in);
    cudaFree(out);
    return passed();
}
