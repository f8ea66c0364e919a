// Barriers and pipelines of libcu++: copies that arrive at a barrier, tensor map boxes, wrappers of
// PTX instructions, producers and consumers. An argument from 1 to 4 selects a deliberate fault.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda/std/utility>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

#include <cstdint>

#include "check.cuh"

namespace cg = cooperative_groups;
namespace cde = cuda::device::experimental;
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int BLOCK = 128, SIDE = 32;

// In sequence: a bulk copy in, a change, a bulk copy out.
__global__ void addOne(int *data, int fault)
{
    __shared__ alignas(16) int tile[BLOCK];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    int *mine = data + blockIdx.x * BLOCK;
    if (threadIdx.x == 0) {
        init(&bar, fault == 1 ? blockDim.x + 1 : blockDim.x);
        if (fault != 2)
            cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        cuda::memcpy_async(tile, mine, cuda::aligned_size_t<16>(sizeof tile), bar);
    barrier::arrival_token token = bar.arrive();
    if (fault != 3)
        bar.wait(cuda::std::move(token));
    tile[threadIdx.x] += 1;
    if (fault != 4)
        cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_shared_to_global(mine, tile, sizeof tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

// A box of a matrix. The arrival also announces the bytes.
__global__ void transposeBox(const __grid_constant__ CUtensorMap from, int *out)
{
    __shared__ alignas(128) int tile[SIDE][SIDE];
    __shared__ barrier bar;
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(tile, &from, blockIdx.x * SIDE,
                                                      blockIdx.y * SIDE, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
    } else {
        token = bar.arrive();
    }
    bar.wait(cuda::std::move(token));
    for (int i = threadIdx.x; i < SIDE * SIDE; i += blockDim.x) {
        const int x = blockIdx.y * SIDE + i % SIDE, y = blockIdx.x * SIDE + i / SIDE;
        out[y * gridDim.y * SIDE + x] = tile[i % SIDE][i / SIDE];
    }
    __syncthreads();
    if (threadIdx.x == 0)
        bar.~barrier();
}

// The libcu++ functions named after PTX instructions, with two stages.
__global__ void sumStages(const int *data, int stages, int *sums)
{
    __shared__ alignas(16) int tile[2][BLOCK];
    __shared__ uint64_t full[2];
    int sum = 0;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full[0], 1);
        ptx::mbarrier_init(&full[1], 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    for (int i = 0; i <= stages; i++) {
        if (i < stages && threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[i % 2], data + i * BLOCK,
                               sizeof tile[0], &full[i % 2]);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &full[i % 2], sizeof tile[0]);
        }
        if (i > 0) {
            while (!ptx::mbarrier_try_wait_parity(&full[(i - 1) % 2], (i - 1) / 2 % 2)) {
            }
            sum += tile[(i - 1) % 2][BLOCK - 1 - threadIdx.x];
            __syncthreads();
        }
    }
    sums[threadIdx.x] = sum;
}

// The first warp copies the data that the other warps use.
__global__ void producersAndConsumers(const int *data, int stages, int *sums)
{
    constexpr int WARP = 32, USERS = BLOCK - WARP, STAGES = 2;
    __shared__ int tile[STAGES][USERS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    const bool brings = threadIdx.x < WARP;
    auto pipe =
        cuda::make_pipeline(cg::this_thread_block(), &state,
                            brings ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    int sum = 0;
    for (int i = 0; i < stages; i++) {
        if (brings) {
            pipe.producer_acquire();
            for (int j = threadIdx.x; j < USERS; j += WARP)
                cuda::memcpy_async(&tile[i % STAGES][j], &data[i * USERS + j], sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += tile[i % STAGES][BLOCK - 1 - threadIdx.x];
            pipe.consumer_release();
        }
    }
    if (!brings)
        sums[threadIdx.x - WARP] = sum;
}

// Each thread has its own copies, one stage ahead.
__global__ void ownPipeline(const int *data, int stages, int *sums)
{
    __shared__ int tile[2][BLOCK];
    auto pipe = cuda::make_pipeline();
    int sum = 0;
    for (int i = 0; i <= stages; i++) {
        if (i < stages) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[i % 2][threadIdx.x], &data[i * BLOCK + threadIdx.x],
                               sizeof(int), pipe);
            pipe.producer_commit();
        }
        if (i > 0) {
            if (i < stages)
                cuda::pipeline_consumer_wait_prior<1>(pipe);
            else
                cuda::pipeline_consumer_wait_prior<0>(pipe);
            sum += tile[(i - 1) % 2][threadIdx.x];
            pipe.consumer_release();
        }
    }
    sums[threadIdx.x] = sum;
}

// The same with CUDA's primitives.
__global__ void primitives(const int *data, int *out)
{
    __shared__ int tile[BLOCK];
    __shared__ __mbarrier_t bar;
    if (threadIdx.x == 0)
        __mbarrier_init(&bar, BLOCK);
    __syncthreads();
    __pipeline_memcpy_async(&tile[threadIdx.x], &data[threadIdx.x], sizeof(int));
    __pipeline_arrive_on(&bar);
    const __mbarrier_token_t token = __mbarrier_arrive(&bar);
    while (!__mbarrier_test_wait(&bar, token)) {
    }
    out[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        __mbarrier_inval(&bar);
}

typedef CUresult Encode(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                        const cuuint64_t *, const cuuint32_t *, const cuuint32_t *,
                        CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                        CUtensorMapFloatOOBfill);

static CUtensorMap mapOf(int *matrix, int width, int height)
{
    CUtensorMap map;
    void *encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    const cuuint64_t size[] = {(cuuint64_t)width, (cuuint64_t)height};
    const cuuint64_t stride[] = {width * sizeof(int)};
    const cuuint32_t box[] = {SIDE, SIDE}, step[] = {1, 1};
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                           cudaEnableDefault, &found));
    EXPECT(encode);
    EXPECT(((Encode *)encode)(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, matrix, size, stride, box,
                              step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                              CU_TENSOR_MAP_L2_PROMOTION_NONE,
                              CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

int main(int argc, char **argv)
{
    constexpr int WIDTH = 2 * SIDE, HEIGHT = 3 * SIDE, COUNT = WIDTH * HEIGHT, STAGES = 5;
    int *data, *out;
    CHECK(cudaMallocManaged(&data, COUNT * sizeof(int)));
    CHECK(cudaMallocManaged(&out, COUNT * sizeof(int)));
    for (int i = 0; i < COUNT; i++)
        data[i] = i - 1;
    addOne<<<COUNT / BLOCK, BLOCK>>>(data, argc > 1 ? atoi(argv[1]) : 0);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++)
        EXPECT(data[i] == i);

    transposeBox<<<dim3(2, 3), BLOCK>>>(mapOf(data, WIDTH, HEIGHT), out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++)
        EXPECT(out[i % WIDTH * HEIGHT + i / WIDTH] == i);

    sumStages<<<1, BLOCK>>>(data, STAGES, out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCK; i++)
        EXPECT(out[i] == STAGES * (BLOCK - 1 - i) + BLOCK * STAGES * (STAGES - 1) / 2);

    producersAndConsumers<<<1, BLOCK>>>(data, STAGES, out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCK - 32; i++)
        EXPECT(out[i] == STAGES * (BLOCK - 33 - i) + (BLOCK - 32) * STAGES * (STAGES - 1) / 2);

    ownPipeline<<<1, BLOCK>>>(data, STAGES, out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCK; i++)
        EXPECT(out[i] == STAGES * i + BLOCK * STAGES * (STAGES - 1) / 2);

    primitives<<<1, BLOCK>>>(data, out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCK; i++)
        EXPECT(out[i] == BLOCK - 1 - i);
    return passed();
}
