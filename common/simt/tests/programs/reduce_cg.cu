// Sums with cooperative groups: a function for any group type, tiles, coalesced threads, and
// cg::reduce.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.cuh"

namespace cg = cooperative_groups;
using namespace cooperative_groups;

__device__ int reduce_sum(thread_group g, int *temp, int val)
{
    int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        temp[lane] = val;
        g.sync();
        if (lane < i)
            val += temp[lane + i];
        g.sync();
    }
    return val; // only thread 0 has the whole sum
}

__device__ int thread_sum(const int *input, int n)
{
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
        int4 in = ((const int4 *)input)[i];
        sum += in.x + in.y + in.z + in.w;
    }
    return sum;
}

__global__ void sum_block(int *sum, const int *input, int n)
{
    extern __shared__ int temp[];
    thread_block g = this_thread_block();
    int block_sum = reduce_sum(g, temp, thread_sum(input, n));
    if (g.thread_rank() == 0)
        atomicAdd(sum, block_sum);
}

template <int tile_sz>
__device__ int reduce_sum_tile_shfl(thread_block_tile<tile_sz> g, int val)
{
    for (int i = g.size() / 2; i > 0; i /= 2)
        val += g.shfl_down(val, i);
    return val;
}

template <int tile_sz>
__global__ void sum_tiles(int *sum, const int *input, int n)
{
    __shared__ cg::block_tile_memory<1024> memory;
    auto tile = tiled_partition<tile_sz>(this_thread_block(memory));
    int tile_sum = reduce_sum_tile_shfl<tile_sz>(tile, thread_sum(input, n));
    if (tile.thread_rank() == 0)
        atomicAdd(sum, tile_sum);
}

__global__ void sum_reduce(int *sum, const int *input, int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    __shared__ int partial[32];
    int total = cg::reduce(warp, thread_sum(input, n), cg::plus<int>());
    if (warp.thread_rank() == 0)
        partial[warp.meta_group_rank()] = total;
    cg::sync(block);
    if (warp.meta_group_rank() == 0) {
        int value = warp.thread_rank() < warp.meta_group_size() ? partial[warp.thread_rank()] : 0;
        total = cg::reduce(warp, value, cg::plus<int>());
        if (warp.thread_rank() == 0)
            atomicAdd(sum, total);
    }
}

// One atomic for all threads that execute this call together.
__device__ int atomicAggInc(int *counter)
{
    cg::coalesced_group active = cg::coalesced_threads();
    int before = 0;
    if (active.thread_rank() == 0)
        before = atomicAdd(counter, active.size());
    return active.shfl(before, 0) + active.thread_rank();
}

__global__ void keep_odd(int *out, int *count, const int *input, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && input[i] % 2 != 0)
        out[atomicAggInc(count)] = input[i];
}

__global__ void group_facts(int *out)
{
    thread_block block = this_thread_block();
    auto tile8 = tiled_partition<8>(block);
    auto tile4 = tiled_partition<4>(tile8);
    int rank = block.thread_rank(), ok = 1;
    ok &= block.size() == 64 && block.group_index().x == blockIdx.x;
    ok &= block.thread_index().y == threadIdx.y && block.dim_threads().x == 16;
    ok &= tile8.size() == 8 && tile8.thread_rank() == rank % 8;
    ok &= tile8.meta_group_rank() == rank / 8 && tile8.meta_group_size() == 8;
    ok &= tile4.meta_group_rank() == rank % 8 / 4 && tile4.meta_group_size() == 2;
    ok &= tile8.shfl(rank, 3) == rank / 8 * 8 + 3;
    ok &= tile8.shfl_xor(rank, 1) == (rank ^ 1);
    ok &= tile4.ballot(rank % 2 == 0) == 5;
    ok &= tile4.any(rank % 4 == 3) && !tile4.all(rank % 4 == 3);
    ok &= cg::reduce(tile8, rank, cg::greater<int>()) == rank / 8 * 8 + 7;
    ok &= cg::reduce(tile4, rank, cg::less<int>()) == rank / 4 * 4;
    ok &= cg::inclusive_scan(tile8, 1) == rank % 8 + 1;
    ok &= cg::exclusive_scan(tile8, 2, cg::plus<int>()) == rank % 8 * 2;
    auto parts = cg::labeled_partition(tile8, rank % 3);
    ok &= parts.all(1) && cg::reduce(parts, 1, cg::plus<int>()) == int(parts.size());
    double2 pair = make_double2(rank, -rank);
    pair = tile8.shfl(pair, 0);
    ok &= pair.x == rank / 8 * 8 && pair.y == -(rank / 8 * 8);
    out[block.group_index().x * 64 + rank] = ok;
}

// Tiles of several warps. The barrier of one tile does not affect other tiles.
template <int tile_sz>
__global__ void sum_large_tiles(int *sum, const int *input, int n)
{
    __shared__ cg::block_tile_memory<512> memory;
    auto tile = tiled_partition<tile_sz>(this_thread_block(memory));
    int total = cg::reduce(tile, thread_sum(input, n), cg::plus<int>());
    if (tile.thread_rank() == tile.shfl(int(tile.thread_rank()), 40))
        atomicAdd(sum, total);
}

__global__ void large_tile_facts(int *out)
{
    __shared__ cg::block_tile_memory<512> memory;
    __shared__ int turned[512];
    auto tile = tiled_partition<128>(this_thread_block(memory));
    int rank = threadIdx.x, ok = 1;
    ok &= tile.size() == 128 && tile.thread_rank() == rank % 128;
    ok &= tile.meta_group_rank() == rank / 128 && tile.meta_group_size() == 4;
    if (tile.meta_group_rank() != 2) {
        auto half = tiled_partition<64>(tile);
        ok &= half.meta_group_rank() == rank % 128 / 64 && half.meta_group_size() == 2;
        turned[rank] = rank;
        half.sync();
        ok &= turned[rank ^ 63] == (rank ^ 63);
        tile.sync();
        turned[rank ^ 127] = -rank;
        sync(tile);
        ok &= turned[rank] == -(rank ^ 127);
    }
    ok &= tile.any(rank == 300) == (rank / 128 == 2) && tile.all(rank != 300) == (rank / 128 != 2);
    ok &= cg::reduce(tile, rank, cg::greater<int>()) == rank / 128 * 128 + 127;
    out[rank] = ok;
}

int main()
{
    const int n = 1 << 14, blockSize = 256, nBlocks = 5;
    int *sum, *data;
    CHECK(cudaMallocManaged(&sum, sizeof(int)));
    CHECK(cudaMallocManaged(&data, n * sizeof(int)));
    int expected = 0, odd = 0;
    for (int i = 0; i < n; i++) {
        data[i] = i % 11;
        expected += data[i];
        odd += data[i] % 2;
    }
#define TEST(...)                                                                                  \
    *sum = 0;                                                                                      \
    __VA_ARGS__;                                                                                   \
    CHECK(cudaDeviceSynchronize());                                                                \
    EXPECT(*sum == expected)
    TEST(sum_block<<<nBlocks, blockSize, blockSize * sizeof(int)>>>(sum, data, n));
    TEST(sum_tiles<32><<<nBlocks, blockSize>>>(sum, data, n));
    TEST(sum_tiles<16><<<nBlocks, blockSize>>>(sum, data, n));
    TEST(sum_tiles<2><<<nBlocks, blockSize>>>(sum, data, n));
    TEST(sum_reduce<<<nBlocks, blockSize>>>(sum, data, n));
    TEST(sum_large_tiles<64><<<nBlocks, blockSize>>>(sum, data, n));
    TEST(sum_large_tiles<256><<<nBlocks, blockSize>>>(sum, data, n));

    int *kept;
    CHECK(cudaMallocManaged(&kept, n * sizeof(int)));
    *sum = 0;
    keep_odd<<<n / blockSize, blockSize>>>(kept, sum, data, n);
    CHECK(cudaDeviceSynchronize());
    EXPECT(*sum == odd);
    for (int i = 0; i < odd; i++)
        EXPECT(kept[i] % 2 == 1);

    group_facts<<<2, dim3(16, 4)>>>(kept);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 128; i++)
        EXPECT(kept[i] == 1);
    large_tile_facts<<<1, 512>>>(kept);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 512; i++)
        EXPECT(kept[i] == 1);
    cudaFree(sum);
    cudaFree(data);
    cudaFree(kept);
    return passed();
}
