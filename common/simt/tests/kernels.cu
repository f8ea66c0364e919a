// Common kinds of kernels, each in a correct form and with a typical mistake: work
// queues, look-back, private histograms, pipelines, warp specialization, clusters,
// tiles.
#include "cases.cuh"

#include <cooperative_groups.h>
#include <cuda_pipeline_primitives.h>

namespace cg = cooperative_groups;

static const unsigned FULL = 0xffffffffu;
static const int BLOCK = 128, BINS = 64, TILE = 32;

// ---- atomics, a few at a time -------------------------------------------------------------------

// One atomic for all lanes that append something.
__global__ void ok_append(const int *in, int *out, int *count)
{
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (value % 3 == 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        int base = 0;
        if (active.thread_rank() == 0)
            base = atomicAdd(count, (int)active.size());
        out[active.shfl(base, 0) + active.thread_rank()] = value;
    }
}

__global__ void append_without_shuffle(int *out, int *count)
{
    __shared__ int base[BLOCK / 32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0)
        base[warp] = atomicAdd(count, 32); // FAULT append_without_shuffle
    out[threadIdx.x] = base[warp] + lane;  // FAULT append_without_shuffle
}

// Lanes with the same key add up their values first.
__global__ void ok_match(const int *keys, int *sums)
{
    int key = keys[threadIdx.x] % 5;
    unsigned same = __match_any_sync(FULL, key);
    if (threadIdx.x % 32 == (unsigned)__ffs(same) - 1)
        atomicAdd(&sums[key], __popc(same));
}

__device__ void count_in(int *bins, int value)
{
    atomicAdd(&bins[value], 1); // FAULT bin_too_many merged_early
}

template <bool WRONG_BIN, bool BARRIER>
__device__ void private_bins(const int *in, int *out)
{
    __shared__ int bins[4][BINS];
    __shared__ int total[BINS];
    for (int i = threadIdx.x; i < 4 * BINS; i += blockDim.x)
        bins[i / BINS][i % BINS] = 0;
    if (threadIdx.x < BINS)
        total[threadIdx.x] = 0;
    __syncthreads();
    count_in(bins[threadIdx.x / 32], in[threadIdx.x] % BINS);
    if (WRONG_BIN && threadIdx.x == BLOCK - 1)
        count_in(bins[3], BINS);
    if (BARRIER)
        __syncthreads();
    if (threadIdx.x < BINS) {
        for (int i = 0; i < 4; i++)
            total[threadIdx.x] += bins[i][threadIdx.x]; // FAULT merged_early
        atomicAdd(&out[threadIdx.x], total[threadIdx.x]);
    }
}

__global__ void ok_private_bins(const int *in, int *out)
{
    private_bins<false, true>(in, out);
}

__global__ void bin_too_many(const int *in, int *out)
{
    private_bins<true, true>(in, out);
}

__global__ void merged_early(const int *in, int *out)
{
    private_bins<false, false>(in, out);
}

// Open addressing: the thread that claims the slot of a key writes the value.
__global__ void ok_insert(const int *keys, int *table, int *values)
{
    int key = keys[blockIdx.x * blockDim.x + threadIdx.x] + 1, slot = key * 7 % 1024;
    for (;;) {
        int before = atomicCAS(&table[slot], 0, key);
        if (before == 0 || before == key)
            break;
        slot = (slot + 1) % 1024;
    }
    atomicAdd(&values[slot], 1);
}

__global__ void value_of_other(int *table, int *values, int *out)
{
    int key = threadIdx.x / 2 + 1, slot = key % 1024;
    if (atomicCAS(&table[slot], 0, key) == 0)
        values[slot] = key * key;    // FAULT value_of_other
    out[threadIdx.x] = values[slot]; // FAULT value_of_other
}

// ---- queues and look-back -----------------------------------------------------------------------

template <bool SECOND_BARRIER>
__device__ void take_tickets(int *next, int tickets, int *done)
{
    __shared__ int ticket;
    for (;;) {
        if (threadIdx.x == 0)
            ticket = atomicAdd(next, 1); // FAULT ticket_overwritten
        __syncthreads();
        int mine = ticket; // FAULT ticket_overwritten
        if (SECOND_BARRIER)
            __syncthreads();
        if (mine >= tickets)
            return;
        if (threadIdx.x == 0)
            done[mine] = 1;
    }
}

__global__ void ok_tickets(int *next, int *done)
{
    take_tickets<true>(next, 20, done);
}

__global__ void ticket_overwritten(int *next, int *done)
{
    take_tickets<false>(next, 20, done);
}

// Decoupled look-back: two values and a flag (1: the tile's own sum, 2: the sum up to the tile).
template <bool FENCE>
__device__ void look_back(const int *in, int *flags, int *sums, int *prefixes, int *order)
{
    __shared__ int tile, before;
    if (threadIdx.x == 0)
        tile = atomicAdd(order, 1);
    __syncthreads();
    int sum = __reduce_add_sync(FULL, in[tile * 32 + threadIdx.x]);
    if (threadIdx.x == 0) {
        int prefix = 0;
        sums[tile] = sum;
        if (FENCE)
            __threadfence();
        atomicExch(&flags[tile], 1);
        for (int i = tile - 1; i >= 0; i--) {
            int state;
            while ((state = atomicAdd(&flags[i], 0)) == 0) {
            }
            __threadfence();
            prefix += state == 2 ? prefixes[i] : sums[i]; // FAULT no_fence_before_flag
            if (state == 2)
                break;
        }
        prefixes[tile] = prefix + sum; // FAULT no_fence_before_flag
        if (FENCE)
            __threadfence();
        atomicExch(&flags[tile], 2);
        before = prefix;
    }
    __syncthreads();
    order[1 + tile * 32 + threadIdx.x] = before;
}

__global__ void ok_scan(const int *in, int *flags, int *order)
{
    look_back<true>(in, flags, flags + 64, flags + 128, order);
}

__global__ void no_fence_before_flag(const int *in, int *flags, int *order)
{
    look_back<false>(in, flags, flags + 64, flags + 128, order);
}

// Each warp counts, and one thread adds up the counts. All threads then write at their offsets.
template <bool BARRIER>
__device__ void compact(const int *in, int *out)
{
    __shared__ int counts[BLOCK / 32], starts[BLOCK / 32];
    int value = in[threadIdx.x], warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned keep = __ballot_sync(FULL, value & 1);
    if (lane == 0)
        counts[warp] = __popc(keep); // FAULT counts_not_there
    if (BARRIER)
        __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < BLOCK / 32; i++) {
            starts[i] = sum;
            sum += counts[i]; // FAULT counts_not_there
        }
    }
    __syncthreads();
    if (value & 1)
        out[starts[warp] + __popc(keep & ((1u << lane) - 1))] = value;
}

__global__ void ok_compact(const int *in, int *out)
{
    compact<true>(in, out);
}

__global__ void counts_not_there(const int *in, int *out)
{
    compact<false>(in, out);
}

// ---- pipelines ----------------------------------------------------------------------------------

template <bool BARRIER>
__device__ void two_stages(const float *in, float *out)
{
    __shared__ float stage[2][BLOCK];
    float sum = 0;
    int other = threadIdx.x ^ 64;
    __pipeline_memcpy_async(&stage[0][threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    for (int i = 0; i < 6; i++) {
        if (i < 5)
            __pipeline_memcpy_async(&stage[(i + 1) % 2][threadIdx.x], // FAULT stage_in_use
                                    &in[(i + 1) * BLOCK + threadIdx.x], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += stage[i % 2][other]; // FAULT stage_in_use
        if (BARRIER)
            __syncthreads();
    }
    out[threadIdx.x] = sum;
}

__global__ void ok_two_stages(const float *in, float *out)
{
    two_stages<true>(in, out);
}

__global__ void stage_in_use(const float *in, float *out)
{
    two_stages<false>(in, out);
}

// One warp writes, another reads. Barrier 1 means that the buffer is full. Barrier 2 means that it
// is free.
template <bool FREE>
__device__ void specialized(const int *in, int *out)
{
    __shared__ int buffer[32];
    int lane = threadIdx.x % 32, sum = 0;
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x < 32) {
            if (FREE && i > 0)
                asm volatile("bar.sync 2, 64;" ::: "memory");
            buffer[31 - lane] = in[i * 32 + lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += buffer[lane];
            if (FREE && i < 3)
                asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
    if (threadIdx.x >= 32)
        out[lane] = sum;
}

__global__ void ok_specialized(const int *in, int *out)
{
    specialized<true>(in, out);
}

__global__ void no_free_barrier(const int *in, int *out)
{
    specialized<false>(in, out);
}

// ---- groups -------------------------------------------------------------------------------------

template <bool BEFORE, bool AFTER>
__device__ void sum_of_cluster(const int *in, int *out)
{
    __shared__ int sum;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        sum = in[cluster.block_rank()];
    if (BEFORE)
        cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        int total = 0;
        for (unsigned i = 0; i < cluster.num_blocks(); i++)
            total += *cluster.map_shared_rank(&sum, i);
        *out = total;
    }
    if (AFTER)
        cluster.sync();
}

__global__ void __cluster_dims__(4) ok_sum_of_cluster(const int *in, int *out)
{
    sum_of_cluster<true, true>(in, out);
}

__global__ void __cluster_dims__(4) peer_returned(const int *in, int *out)
{
    sum_of_cluster<true, false>(in, out);
}

template <bool SYNC>
__device__ void reverse_tiles(const int *in, int *out)
{
    __shared__ int rows[BLOCK];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    int *row = rows + threadIdx.x / 8 * 8;
    for (int i = 0; i < 3; i++) {
        row[tile.thread_rank()] = in[i * BLOCK + threadIdx.x]; // FAULT tile_not_synchronized
        if (SYNC)
            tile.sync();
        out[i * BLOCK + threadIdx.x] = row[7 - tile.thread_rank()]; // FAULT tile_not_synchronized
        if (SYNC)
            tile.sync();
    }
}

__global__ void ok_reverse_tiles(const int *in, int *out)
{
    reverse_tiles<true>(in, out);
}

__global__ void tile_not_synchronized(const int *in, int *out)
{
    reverse_tiles<false>(in, out);
}

// Before Volta, volatile was enough. Since then, the lanes of a warp need not run in lockstep.
template <bool SYNC>
__device__ void last_warp(const float *in, float *out)
{
    __shared__ volatile float sums[64];
    int i = threadIdx.x;
    sums[i] = in[i];
    sums[i + 32] = in[i + 32];
    for (int left = 32; left > 0; left /= 2) {
        float other;
        if (SYNC)
            __syncwarp();
        other = sums[i + left % 32 + (left == 32 ? 32 : 0)]; // FAULT volatile_warp
        if (SYNC)
            __syncwarp();
        sums[i] = sums[i] + other; // FAULT volatile_warp
    }
    if (i == 0)
        *out = sums[0];
}

__global__ void ok_volatile_warp(const float *in, float *out)
{
    last_warp<true>(in, out);
}

__global__ void volatile_warp(const float *in, float *out)
{
    last_warp<false>(in, out);
}

// ---- shared memory in parts ---------------------------------------------------------------------

// Dynamic shared memory, divided into arrays of different types.
template <int EXTRA>
__device__ void carved(double *out)
{
    extern __shared__ __align__(16) unsigned char memory[];
    double *sums = (double *)memory;
    int *counts = (int *)(sums + BLOCK);
    unsigned char *flags = (unsigned char *)(counts + BLOCK);
    sums[threadIdx.x] = threadIdx.x;
    counts[threadIdx.x] = 2;
    flags[threadIdx.x + EXTRA] = threadIdx.x & 1; // FAULT carved_too_far
    __syncthreads();
    int other = BLOCK - 1 - threadIdx.x;
    out[threadIdx.x] = sums[other] * counts[other] + flags[other + EXTRA];
}

__global__ void ok_carved(double *out)
{
    carved<0>(out);
}

__global__ void carved_too_far(double *out)
{
    carved<1>(out);
}

__device__ void fill(float *row, int count, float value)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        row[i] = value; // FAULT next_array between_two one_more_line
}

// Arrays of one declaration, or of consecutive declarations, are adjacent in shared memory.
__global__ void ok_arrays(float *out)
{
    __shared__ float first[TILE], second[TILE];
    __shared__ float third[TILE];
    fill(first, TILE, 1);
    fill(second, TILE, 2);
    fill(third, TILE, 3);
    __syncthreads();
    float *which = threadIdx.x % 3 == 0 ? first : threadIdx.x % 3 == 1 ? second : third;
    out[threadIdx.x] = which[threadIdx.x % TILE];
}

__global__ void next_array(float *out)
{
    __shared__ float first[TILE];
    __shared__ float second[TILE];
    fill(second, TILE, 2);
    __syncthreads();
    fill(first, TILE + 1, 1);
    __syncthreads();
    out[threadIdx.x] = first[threadIdx.x % TILE] + second[threadIdx.x % TILE];
}

__global__ void between_two(float *out)
{
    __shared__ float first[TILE], second[TILE];
    fill(first, TILE, 2);
    __syncthreads();
    fill(second, TILE + 1, 1);
    fill(first + TILE, 1, 1);
    __syncthreads();
    out[threadIdx.x] = first[threadIdx.x % TILE] + second[threadIdx.x % TILE];
}

template <class T>
__global__ void one_more_line(float *out)
{
    __shared__ __align__(16) T lines[4][TILE];
    __shared__ int n;
    n = 4;
    fill(&lines[0][0], n * TILE + 1, 1);
    __syncthreads();
    out[threadIdx.x] = lines[3][threadIdx.x % TILE];
}

// Each thread makes the table if no thread has done so. The check and the store are a race.
__global__ void made_twice(int *made, int *table)
{
    if (*made == 0) { // FAULT made_twice
        table[0] = 42;
        __threadfence();
        *made = 1; // FAULT made_twice
    }
}

// ---- cases --------------------------------------------------------------------------------------

static int *in, *a, *b;
static float *f;

static const Case cases[] = {
    {"ok_append", "", [] { ok_append<<<4, BLOCK>>>(in, a, b); }},
    {"append_without_shuffle", "data race in shared",
     [] { append_without_shuffle<<<1, BLOCK>>>(a, b); }},
    {"ok_match", "", [] { ok_match<<<2, BLOCK>>>(in, a); }},
    {"ok_private_bins", "", [] { ok_private_bins<<<3, BLOCK>>>(in, a); }},
    {"bin_too_many", "0 bytes past the end of bins", [] { bin_too_many<<<1, BLOCK>>>(in, a); }},
    {"merged_early", "data race in shared", [] { merged_early<<<1, BLOCK>>>(in, a); }},
    {"ok_insert", "", [] { ok_insert<<<2, BLOCK>>>(in, a, b); }},
    {"value_of_other", "data race in global", [] { value_of_other<<<1, BLOCK>>>(a, b, a + 2048); }},
    {"ok_tickets", "", [] { ok_tickets<<<4, BLOCK>>>(a, b); }},
    {"ticket_overwritten", "data race in shared", [] { ticket_overwritten<<<4, BLOCK>>>(a, b); }},
    {"ok_scan", "", [] { ok_scan<<<12, 32>>>(in, a, b); }},
    {"no_fence_before_flag", "data race in global",
     [] { no_fence_before_flag<<<12, 32>>>(in, a, b); }},
    {"ok_compact", "", [] { ok_compact<<<1, BLOCK>>>(in, a); }},
    {"counts_not_there", "data race in shared", [] { counts_not_there<<<1, BLOCK>>>(in, a); }},
    {"ok_two_stages", "", [] { ok_two_stages<<<1, BLOCK>>>(f, f + 4096); }},
    {"stage_in_use", "writes from its issue on", [] { stage_in_use<<<1, BLOCK>>>(f, f + 4096); }},
    {"ok_specialized", "", [] { ok_specialized<<<1, 64>>>(in, a); }},
    {"no_free_barrier", "deadlock|data race in shared", [] { no_free_barrier<<<1, 64>>>(in, a); }},
    {"ok_sum_of_cluster", "", [] { ok_sum_of_cluster<<<4, 32>>>(in, a); }},
    {"peer_returned", "of the cluster, which has returned",
     [] { peer_returned<<<4, 32>>>(in, a); }},
    {"ok_reverse_tiles", "", [] { ok_reverse_tiles<<<1, BLOCK>>>(in, a); }},
    {"tile_not_synchronized", "__syncwarp() is missing",
     [] { tile_not_synchronized<<<1, BLOCK>>>(in, a); }},
    {"ok_volatile_warp", "", [] { ok_volatile_warp<<<1, 32>>>(f, f + 4096); }},
    {"volatile_warp", "__syncwarp() is missing", [] { volatile_warp<<<1, 32>>>(f, f + 4096); }},
    {"ok_carved", "", [] { ok_carved<<<1, BLOCK, 13 * BLOCK>>>((double *)f); }},
    {"carved_too_far", "the launch asked for 1664 bytes",
     [] { carved_too_far<<<1, BLOCK, 13 * BLOCK>>>((double *)f); }},
    {"ok_arrays", "", [] { ok_arrays<<<1, BLOCK>>>(f); }},
    {"next_array", "0 bytes past the end of first, which has 128 bytes",
     [] { next_array<<<1, BLOCK>>>(f); }},
    {"between_two", "0 bytes past the end of", [] { between_two<<<1, BLOCK>>>(f); }},
    {"one_more_line", "0 bytes past the end of lines, which has 512 bytes",
     [] { one_more_line<float><<<1, BLOCK>>>(f); }},
    {"made_twice", "of another block", [] { made_twice<<<4, 1>>>(a, b); }},
};

int main(int count, char **arguments)
{
    static int values[4096];
    const size_t bytes = 1 << 16;
    for (int i = 0; i < 4096; i++)
        values[i] = i * 37 % 1009;
    in = unwritten<int>(sizeof values);
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    a = zeros<int>(bytes);
    b = zeros<int>(bytes);
    f = zeros<float>(bytes);
    return run_case(cases, count, arguments);
}
