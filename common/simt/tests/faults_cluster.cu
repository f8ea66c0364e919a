// Clusters, and tiles of several warps: correct kernels whose blocks access one another's shared
// memory, and seeded faults. The format is that of faults.cu. nvcc (sm_90a) also compiles it.
#include <cooperative_groups.h>
#include <cuda.h>

#include "cases.cuh"
#include "cluster_helpers.cuh"

namespace cg = cooperative_groups;

static const int BLOCK = 64, TILE = 256; // threads; bytes

// ---- correct kernels ----

// Each block sums the parts of all blocks, through pointers.
__global__ void __cluster_dims__(4, 1, 1) ok_pointers(float *out)
{
    __shared__ float part[BLOCK];
    cg::cluster_group cluster = cg::this_cluster();
    float sum = 0;
    part[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    cluster.sync();
    for (unsigned i = 0; i < cluster.num_blocks(); i++)
        sum += cluster.map_shared_rank(part, i)[threadIdx.x];
    cluster.sync();
    out[blockIdx.x * BLOCK + threadIdx.x] = sum;
    if (cluster.block_rank() != blockIdx.x % 4 || cluster.dim_blocks().x != 4 ||
        cluster.thread_rank() != blockIdx.x % 4 * BLOCK + threadIdx.x ||
        sum != (4 * (blockIdx.x / 4 * 4) + 6) * 100 + 4.0f * threadIdx.x)
        __trap();
}

// The same in PTX, in two-dimensional clusters. Atomics accumulate a sum in one of the blocks.
__global__ void ok_ptx(int *out)
{
    extern __shared__ float part[];
    __shared__ int sum;
    const unsigned rank = cluster_rank();
    part[threadIdx.x] = rank * 10 + threadIdx.x;
    if (threadIdx.x == 0)
        sum = 0;
    cluster_sync();
    if (read_from(mapped(&part[threadIdx.x], rank ^ 1)) != (rank ^ 1) * 10 + threadIdx.x)
        __trap();
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(mapped(&sum, 0)),
                 "r"(1)
                 : "memory");
    cluster_sync();
    if (rank == 0 && sum != 4 * BLOCK)
        __trap();
    if (threadIdx.x == 0)
        out[blockIdx.y * gridDim.x + blockIdx.x] = rank;
}

// Producers signal the consumer in another block through its mbarrier.
__global__ void __cluster_dims__(2, 1, 1) ok_remote_arrival(float *out)
{
    __shared__ float stage[BLOCK];
    __shared__ barrier_t full;
    const unsigned rank = cluster_rank();
    if (threadIdx.x == 0)
        init(&full, BLOCK);
    cluster_sync();
    if (rank == 1) {
        asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(mapped(&stage[threadIdx.x], 0)),
                     "f"(1.0f * threadIdx.x)
                     : "memory");
        arrive_at(mapped(&full, 0));
    } else {
        asm volatile("{\n.reg .pred p;\nagain:\n"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n"
                     "@!p bra again;\n}" ::"r"(shared(&full))
                     : "memory");
        out[blockIdx.x * BLOCK + threadIdx.x] = stage[BLOCK - 1 - threadIdx.x];
    }
    cluster_sync();
}

// Each block copies half a tile to both. It frees the stage for both producers or only its own.
template <unsigned GIVEN_BACK_TO>
__global__ void __cluster_dims__(2, 1, 1) multicast(float *out, const float *in)
{
    extern __shared__ __align__(128) float tile[];
    __shared__ barrier_t full, empty;
    const unsigned rank = cluster_rank(), half = TILE / 8;
    float sum = 0;
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&empty, GIVEN_BACK_TO);
        fence_init();
    }
    cluster_sync();
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x == 0) {
            wait(&empty, (i & 1) ^ 1);
            expect(&full, TILE);
            const float *const part = in + i * TILE / 4 + rank * half;
            load_to(tile + rank * half, part, TILE / 2, &full, 3); // FAULT stage_of_other
        }
        wait(&full, i & 1);
        sum += tile[threadIdx.x]; // FAULT stage_of_other
        __syncthreads();
        if (threadIdx.x < GIVEN_BACK_TO)
            arrive_at(mapped(&empty, rank ^ threadIdx.x));
    }
    if (sum != 3.0f * (TILE / 4) + 3 * threadIdx.x)
        __trap();
    out[blockIdx.x * BLOCK + threadIdx.x] = sum;
    cluster_sync();
}

// A block copies from its own shared memory to that of another block.
__global__ void __cluster_dims__(2, 1, 1) ok_send(float *out)
{
    __shared__ __align__(128) float from[BLOCK], to[BLOCK];
    __shared__ barrier_t full;
    const unsigned rank = cluster_rank();
    if (threadIdx.x == 0) {
        init_one(&full);
        expect(&full, sizeof to);
    }
    from[threadIdx.x] = rank * 1000 + threadIdx.x;
    fence_proxy();
    cluster_sync();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];" ::"r"(mapped(to, rank ^ 1)),
                     "r"(shared(from)), "r"((unsigned)sizeof to), "r"(mapped(&full, rank ^ 1))
                     : "memory");
    wait(&full, 0);
    if (to[threadIdx.x] != (rank ^ 1) * 1000 + threadIdx.x)
        __trap();
    cluster_sync();
    out[blockIdx.x * BLOCK + threadIdx.x] = to[threadIdx.x];
}

// Threads send registers: four at a time, and numbers that are added at the destination.
template <bool WAITS>
__global__ void __cluster_dims__(2, 1, 1) send_registers(float *out)
{
    __shared__ __align__(16) float to[BLOCK * 4];
    __shared__ unsigned total;
    __shared__ barrier_t full;
    const unsigned rank = cluster_rank(), other = rank ^ 1;
    const float first = rank * 1000 + threadIdx.x;
    if (threadIdx.x == 0) {
        total = rank;
        init_one(&full);
        expect(&full, sizeof to + BLOCK * sizeof total);
    }
    cluster_sync();
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], "
                 "{%1, %2, %3, %4}, [%5];" ::"r"(mapped(&to[threadIdx.x * 4], other)),
                 "f"(first), "f"(first + 1), "f"(first + 2), "f"(first + 3),
                 "r"(mapped(&full, other))
                 : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                 "[%0], %1, [%2];" ::"r"(mapped(&total, other)),
                 "r"(threadIdx.x), "r"(mapped(&full, other))
                 : "memory");
    if (WAITS)
        wait(&full, 0);
    float sum = 0;
    for (unsigned i = 0; i < 4; i++)
        sum += to[threadIdx.x * 4 + i];
    if (WAITS &&
        (sum != 4 * (other * 1000 + threadIdx.x) + 6 || total != rank + BLOCK * (BLOCK - 1) / 2))
        __trap();
    wait(&full, 0);
    out[blockIdx.x * BLOCK + threadIdx.x] = sum;
    cluster_sync();
}

// All blocks add to the memory of the first block, which waits for their bytes.
template <bool WAITS>
__global__ void __cluster_dims__(4, 1, 1) reduce(float *out)
{
    __shared__ __align__(128) unsigned from[BLOCK], sums[BLOCK], least[BLOCK];
    __shared__ barrier_t full;
    const unsigned rank = cluster_rank();
    if (rank == 0 && threadIdx.x == 0) {
        init_one(&full);
        expect(&full, 2 * 4 * sizeof sums);
    }
    from[threadIdx.x] = rank * 1000 + threadIdx.x;
    sums[threadIdx.x] = 7;
    least[threadIdx.x] = 50;
    fence_proxy();
    cluster_sync();
    if (threadIdx.x == 0) {
        add_to(mapped(sums, 0), from, sizeof from, mapped(&full, 0)); // FAULT reduced_early
        asm volatile(
            "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.u32 "
            "[%0], [%1], %2, [%3];" ::"r"(mapped(least, 0)),
            "r"(shared(from)), "r"((unsigned)sizeof from), "r"(mapped(&full, 0))
            : "memory");
    }
    if (rank == 0) {
        if (WAITS)
            wait(&full, 0);
        const unsigned sum = sums[threadIdx.x]; // FAULT reduced_early
        if (WAITS && (sum != 6007 + 4 * threadIdx.x ||
                      least[threadIdx.x] != (threadIdx.x < 50 ? threadIdx.x : 50)))
            __trap();
        out[blockIdx.x * BLOCK + threadIdx.x] = sum;
        wait(&full, 0);
    }
    cluster_sync();
}

// The block's own shared memory. Without FENCE, no proxy fence follows the ones written to `sums`.
template <bool FENCE>
__global__ void __cluster_dims__(1, 1, 1) reduce_here(float *out)
{
    __shared__ __align__(128) unsigned from[BLOCK], sums[BLOCK];
    __shared__ barrier_t full;
    if (threadIdx.x == 0) {
        init_one(&full);
        expect(&full, 3 * sizeof sums);
    }
    from[threadIdx.x] = threadIdx.x;
    if (!FENCE)
        fence_proxy();
    sums[threadIdx.x] = 1; // FAULT sums_hidden
    if (FENCE)
        fence_proxy();
    __syncthreads();
    if (threadIdx.x < 3)
        add_to(shared(sums), from, sizeof from, shared(&full)); // FAULT sums_hidden
    wait(&full, 0);
    if (sums[threadIdx.x] != 1 + 3 * threadIdx.x)
        __trap();
    out[threadIdx.x] = sums[threadIdx.x];
}

// On a GPU, this is an illegal instruction.
__global__ void no_cluster(float *out)
{
    __shared__ __align__(128) unsigned from[BLOCK], sums[BLOCK];
    __shared__ barrier_t full;
    if (threadIdx.x == 0) {
        init_one(&full);
        expect(&full, sizeof sums);
    }
    from[threadIdx.x] = sums[threadIdx.x] = threadIdx.x;
    fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0)
        add_to(shared(sums), from, sizeof from, shared(&full)); // FAULT no_cluster
    wait(&full, 0);
    out[threadIdx.x] = sums[threadIdx.x];
}

// ---- faults ----

// Nothing ensures that the other block has written, or even started.
__global__ void __cluster_dims__(2, 1, 1) no_sync(float *out)
{
    __shared__ float part[BLOCK];
    part[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * BLOCK + threadIdx.x] =
        read_from(mapped(&part[threadIdx.x], cluster_rank() ^ 1)); // FAULT no_sync
}

// The barrier does not order accesses that come before a relaxed arrival.
__global__ void __cluster_dims__(2, 1, 1) relaxed(float *out)
{
    __shared__ float part[BLOCK];
    cluster_sync();
    part[threadIdx.x] = threadIdx.x; // FAULT relaxed
    asm volatile("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;" ::: "memory");
    out[blockIdx.x * BLOCK + threadIdx.x] =
        cg::this_cluster().map_shared_rank(part, cluster_rank() ^ 1)[threadIdx.x]; // FAULT relaxed
    cluster_sync();
}

// A block overwrites data that another block still reads.
__global__ void __cluster_dims__(2, 1, 1) overwritten(float *out)
{
    __shared__ float part[BLOCK];
    part[threadIdx.x] = threadIdx.x;
    cluster_sync();
    const float *other = cg::this_cluster().map_shared_rank(part, cluster_rank() ^ 1);
    out[blockIdx.x * BLOCK + threadIdx.x] = other[threadIdx.x]; // FAULT overwritten
    part[threadIdx.x] = 0;                                      // FAULT overwritten
    cluster_sync();
}

__global__ void __cluster_dims__(2, 1, 1) past_end(float *out)
{
    __shared__ float part[BLOCK];
    part[threadIdx.x] = threadIdx.x;
    cluster_sync();
    const float *other = cg::this_cluster().map_shared_rank(part, cluster_rank() ^ 1);
    out[blockIdx.x * BLOCK + threadIdx.x] = other[65536 + threadIdx.x]; // FAULT past_end
    cluster_sync();
}

__global__ void __cluster_dims__(2, 1, 1) returned(float *out)
{
    __shared__ float part[BLOCK];
    part[threadIdx.x] = threadIdx.x;
    cluster_sync();
    if (cluster_rank() == 0)
        return;
    for (int i = 0; i < 1000; i++)
        __nanosleep(100);
    const float *other = cg::this_cluster().map_shared_rank(part, 0);
    out[threadIdx.x] = other[threadIdx.x]; // FAULT returned
}

template <bool WAITS>
__global__ void __cluster_dims__(2, 1, 1) may_return(float *out)
{
    __shared__ float part[BLOCK];
    part[threadIdx.x] = threadIdx.x;
    cluster_sync();
    if (cluster_rank() == 1)
        out[threadIdx.x] = cg::this_cluster().map_shared_rank(part, 0)[0]; // FAULT may_return
    if (WAITS)
        cluster_sync();
}

__global__ void __cluster_dims__(2, 1, 1) barrier_unready(float *out)
{
    __shared__ barrier_t b;
    if (threadIdx.x == 0)
        init(&b, 1);
    __syncthreads();
    if (cluster_rank() == 0 && threadIdx.x == 0)
        arrive_at(mapped(&b, 1)); // FAULT barrier_unready
    cluster_sync();
    out[threadIdx.x] = 0;
}

__global__ void __cluster_dims__(2, 1, 1) arrives_twice(float *out)
{
    asm volatile("barrier.cluster.arrive;" ::: "memory");
    asm volatile("barrier.cluster.arrive;" ::: "memory"); // FAULT arrives_twice
    out[threadIdx.x] = 0;
}

__global__ void __cluster_dims__(2, 1, 1) waits_alone(float *out)
{
    asm volatile("barrier.cluster.wait;" ::: "memory"); // FAULT waits_alone
    out[threadIdx.x] = 0;
}

__global__ void __cluster_dims__(2, 1, 1) no_such_rank(float *out)
{
    __shared__ float part[BLOCK];
    part[threadIdx.x] = threadIdx.x;
    cluster_sync();
    out[threadIdx.x] = read_from(mapped(part, 2)); // FAULT no_such_rank
}

static float *f, *g;
static int *ints;

// The threads of a tile exchange one number each through shared memory.
template <unsigned DISTANCE>
__global__ void exchange_in_tiles(float *out)
{
    __shared__ float turned[256];
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    turned[threadIdx.x] = threadIdx.x; // FAULT other_tile
    tile.sync();
    out[threadIdx.x] = turned[threadIdx.x ^ DISTANCE]; // FAULT other_tile
}

__global__ void half_a_tile(float *out)
{
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    if (threadIdx.x < 32)
        tile.sync(); // FAULT half_a_tile
    out[threadIdx.x] = 1;
}

static cudaError_t launch(dim3 grid, unsigned x, unsigned y)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = x;
    attribute.val.clusterDim.y = y;
    attribute.val.clusterDim.z = 1;
    config.gridDim = grid;
    config.blockDim = dim3(BLOCK);
    config.dynamicSmemBytes = BLOCK * sizeof(float);
    config.attrs = &attribute;
    config.numAttrs = 1;
    int clusters = 0;
    if (cudaOccupancyMaxActiveClusters(&clusters, ok_ptx, &config) == cudaSuccess && clusters < 2)
        exit(3);
    return cudaLaunchKernelEx(&config, ok_ptx, ints);
}

static void two_dimensions()
{
    int host[16];
    // Ranks in clusters of 2 x 2, in a grid of 4 x 4.
    if (launch(dim3(4, 4), 2, 2) != cudaSuccess ||
        cudaMemcpy(host, ints, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
        exit(3);
    for (int i = 0; i < 16; i++)
        if (host[i] != i / 4 % 2 * 2 + i % 2)
            exit(1);
    // Errors: a grid that is not a multiple of the cluster, and too many blocks in a cluster.
    if (launch(dim3(3, 2), 2, 2) == cudaSuccess || launch(dim3(16), 16, 1) == cudaSuccess)
        exit(1);
    cudaGetLastError();
}

static const Case cases[] = {
    {"ok_pointers", "", [] { ok_pointers<<<8, BLOCK>>>(f); }},
    {"ok_ptx", "", two_dimensions},
    {"ok_remote_arrival", "", [] { ok_remote_arrival<<<4, BLOCK>>>(f); }},
    {"ok_multicast", "", [] { multicast<2><<<4, BLOCK, TILE>>>(f, g); }},
    {"ok_send", "", [] { ok_send<<<2, BLOCK>>>(f); }},
    {"ok_registers", "", [] { send_registers<true><<<2, BLOCK>>>(f); }},
    {"ok_reduce", "", [] { reduce<true><<<8, BLOCK>>>(f); }},
    {"ok_reduce_here", "", [] { reduce_here<true><<<1, BLOCK>>>(f); }},
    {"ok_tiles", "", [] { exchange_in_tiles<32><<<1, 256>>>(f); }},
    {"other_tile", "data race in", [] { exchange_in_tiles<64><<<1, 256>>>(f); }},
    {"half_a_tile", "in sync() of a tile at", [] { half_a_tile<<<1, 128>>>(f); }},
    {"no_cluster", "and the kernel runs in none", [] { no_cluster<<<1, BLOCK>>>(f); }},
    {"reduced_early", "data race in", [] { reduce<false><<<4, BLOCK>>>(f); }},
    {"sums_hidden", "no fence.proxy.async between a write and a bulk copy",
     [] { reduce_here<false><<<1, BLOCK>>>(f); }},
    {"registers_early", "data race in", [] { send_registers<false><<<2, BLOCK>>>(f); }},
    {"no_sync", "access out of bounds|data race in", [] { no_sync<<<2, BLOCK>>>(f); }},
    {"relaxed", "data race in", [] { relaxed<<<2, BLOCK>>>(f); }},
    {"overwritten", "cluster.sync() is missing", [] { overwritten<<<2, BLOCK>>>(f); }},
    {"past_end", "access out of bounds", [] { past_end<<<2, BLOCK>>>(f); }},
    {"returned", "which has returned|data race in", [] { returned<<<2, BLOCK>>>(f); }},
    {"may_return", "this block of a cluster may have returned before|which has returned",
     [] { may_return<false><<<2, BLOCK>>>(f); }},
    {"ok_may_not_return", "", [] { may_return<true><<<2, BLOCK>>>(f); }},
    {"barrier_unready",
     "of block 1 of the cluster, which has not started|there is no mbarrier here",
     [] { barrier_unready<<<2, BLOCK>>>(f); }},
    {"arrives_twice", "the thread has arrived before", [] { arrives_twice<<<2, BLOCK>>>(f); }},
    {"waits_alone", "the thread has not arrived before", [] { waits_alone<<<2, BLOCK>>>(f); }},
    {"no_such_rank", "the cluster has no block of this rank",
     [] { no_such_rank<<<2, BLOCK>>>(f); }},
    {"stage_of_other", "data race in", [] { multicast<1><<<2, BLOCK, TILE>>>(f, g); }},
};

int main(int count, char **arguments)
{
    float numbers[1024];
    for (int i = 0; i < 1024; i++)
        numbers[i] = (float)i;
    f = zeros<float>(4096);
    g = unwritten<float>(4096);
    ints = zeros<int>(4096);
    cudaMemcpy(g, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    return run_case(cases, count, arguments);
}
