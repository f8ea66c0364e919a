// Seeded faults of all kinds. Each is a mistake in one line.
#include "cases.cuh"

#include <vector>

static const int BLOCK = 256, TILE = 32;

// ---- races in shared memory ---------------------------------------------------------------------

__global__ void no_barrier(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x] = in[threadIdx.x];              // FAULT no_barrier
    out[threadIdx.x] = s[BLOCK - 1 - threadIdx.x]; // FAULT no_barrier
}

__global__ void no_barrier_in_tree(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2)
        if ((int)threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half]; // FAULT no_barrier_in_tree
    if (threadIdx.x == 0)
        *out = s[0];
}

__global__ void no_barrier_before_tree(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x] = in[threadIdx.x]; // FAULT no_barrier_before_tree
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if ((int)threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half]; // FAULT no_barrier_before_tree
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = s[0];
}

__global__ void tile_reused(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    float sum = 0;
    for (int tile = 0; tile < 4; tile++) {
        s[threadIdx.x] = in[threadIdx.x] + tile; // FAULT tile_reused
        __syncthreads();
        sum += s[(threadIdx.x + 100) % BLOCK]; // FAULT tile_reused
    }
    out[threadIdx.x] = sum;
}

__global__ void barrier_too_early(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    __syncthreads();
    s[threadIdx.x] = in[threadIdx.x];                 // FAULT barrier_too_early
    out[threadIdx.x] = s[(threadIdx.x + 64) % BLOCK]; // FAULT barrier_too_early
}

__global__ void transposed_without_barrier(float *out, const float *in)
{
    __shared__ float s[TILE][TILE + 1];
    s[threadIdx.y][threadIdx.x] = in[threadIdx.y * TILE + threadIdx.x];  // FAULT transposed
    out[threadIdx.y * TILE + threadIdx.x] = s[threadIdx.x][threadIdx.y]; // FAULT transposed
}

__global__ void flag_without_barrier(float *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0)
        last = blockIdx.x == gridDim.x - 1; // FAULT flag
    if (last)                               // FAULT flag
        out[threadIdx.x] = 1;
}

__global__ void lock_step(float *out, const float *in)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    s[threadIdx.x + 32] = in[threadIdx.x + 32];
    __syncwarp();
    volatile float *v = s;
    v[threadIdx.x] = v[threadIdx.x] + v[threadIdx.x + 32];
    v[threadIdx.x] = v[threadIdx.x] + v[threadIdx.x + 16]; // FAULT lock_step
    if (threadIdx.x == 0)
        *out = v[0];
}

__global__ void half_a_mask(float *out, const float *in)
{
    __shared__ float s[32];
    s[threadIdx.x] = in[threadIdx.x]; // FAULT half_a_mask
    __syncwarp(threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u);
    out[threadIdx.x] = s[31 - threadIdx.x]; // FAULT half_a_mask
}

__global__ void shuffle_as_barrier(float *out, const float *in)
{
    __shared__ float s[32];
    s[threadIdx.x] = in[threadIdx.x]; // FAULT shuffle_as_barrier
    float other = __shfl_sync(0xffffffffu, 1.0f, 0);
    out[threadIdx.x] = other + s[31 - threadIdx.x]; // FAULT shuffle_as_barrier
}

__global__ void all_write_one(float *out, const float *in)
{
    __shared__ float s;
    s = in[threadIdx.x] + threadIdx.x; // FAULT all_write_one
    __syncthreads();
    out[threadIdx.x] = s;
}

__device__ unsigned tickets;

// The last block adds what all blocks have stored. The fence of lane 0 does not cover other lanes.
template <bool synchronized>
__device__ void add_what_is_left(float *out, float *left, const float *in)
{
    unsigned ticket = 0;
    if (threadIdx.x == 0) {
        left[blockIdx.x] = in[blockIdx.x]; // FAULT shuffle_as_fence
        __threadfence();
        ticket = atomicInc(&tickets, gridDim.x - 1);
        __threadfence();
    }
    if (__shfl_sync(0xffffffffu, ticket, 0) != gridDim.x - 1)
        return;
    if (synchronized)
        __syncwarp();
    out[threadIdx.x] = left[threadIdx.x % gridDim.x]; // FAULT shuffle_as_fence
}

__global__ void shuffle_as_fence(float *out, float *left, const float *in)
{
    add_what_is_left<false>(out, left, in);
}

__global__ void ok_shuffle_and_syncwarp(float *out, float *left, const float *in)
{
    add_what_is_left<true>(out, left, in);
}

// The reader expects the final sum, but nothing orders the read after the additions.
__global__ void added_after_a_read(float *out, int *sum)
{
    if (threadIdx.x < 32)
        out[threadIdx.x] = (float)sum[0]; // FAULT added_after_a_read
    else
        atomicAdd(&sum[0], 1); // FAULT added_after_a_read
}

__global__ void plain_among_atomics(int *out)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;        // FAULT plain_among_atomics
    atomicAdd(&s, 1); // FAULT plain_among_atomics
    __syncthreads();
    if (threadIdx.x == 0)
        *out = s;
}

__global__ void one_buffer_of_two(float *out, const float *in)
{
    __shared__ float s[2][BLOCK];
    int now = 0;
    s[now][threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        s[now][threadIdx.x] = s[now][(threadIdx.x + 40) % BLOCK] + 1; // FAULT one_buffer
        __syncthreads();
    }
    out[threadIdx.x] = s[now][threadIdx.x];
}

// ---- races in global memory ---------------------------------------------------------------------

__global__ void lost_update(float *out, const float *in)
{
    *out = *out + in[threadIdx.x]; // FAULT lost_update
}

__global__ void lost_update_of_blocks(float *out, const float *in)
{
    if (threadIdx.x == 0)
        *out = *out + in[blockIdx.x]; // FAULT lost_update_of_blocks
}

__global__ void blocks_write_one(float *out)
{
    if (threadIdx.x == 0)
        out[0] = blockIdx.x; // FAULT blocks_write_one
}

__device__ unsigned ticket;

__global__ void last_block_without_fence(float *out, float *parts)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x; // FAULT last_block_without_fence
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            sum += parts[b]; // FAULT last_block_without_fence
        *out = sum;
    }
}

__global__ void lock_without_fence(int *lock, float *out)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        *out = *out + 1; // FAULT lock_without_fence
        atomicExch(lock, 0);
    }
}

__global__ void shift_in_place(float *x)
{
    float next = x[threadIdx.x + 1]; // FAULT shift_in_place
    x[threadIdx.x] = next;           // FAULT shift_in_place
}

__global__ void stencil_in_place(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float left = i > 0 ? x[i - 1] : 0, right = i < n - 1 ? x[i + 1] : 0; // FAULT stencil_in_place
    __syncthreads();
    x[i] = left + right; // FAULT stencil_in_place
}

__global__ void plain_histogram(int *bins, const int *values)
{
    int bin = values[threadIdx.x] % 8;
    bins[bin] = bins[bin] + 1; // FAULT plain_histogram
}

__global__ void transpose_in_place(float *x)
{
    float v = x[threadIdx.y * TILE + threadIdx.x]; // FAULT transpose_in_place
    x[threadIdx.x * TILE + threadIdx.y] = v;       // FAULT transpose_in_place
}

__global__ void same_byte(unsigned char *out)
{
    out[threadIdx.x / 2] = threadIdx.x; // FAULT same_byte
}

__device__ __noinline__ float read_other(const float *s, int i)
{
    return s[BLOCK - 1 - i]; // FAULT helper_races
}

__global__ void helper_races(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x] = in[threadIdx.x]; // FAULT helper_races
    out[threadIdx.x] = read_other(s, threadIdx.x);
}

// ---- bounds -------------------------------------------------------------------------------------

__global__ void no_bounds_check(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = n * in[i]; // FAULT no_bounds_check
}

__global__ void one_past(float *out, const float *in, int n)
{
    int i = threadIdx.x;
    if (i <= n)
        out[i] = in[i]; // FAULT one_past
}

__global__ void far_past(float *out, int n)
{
    out[threadIdx.x + n * 1000] = 1; // FAULT far_past
}

__global__ void before_start(float *out, const float *in)
{
    out[threadIdx.x] = in[(int)threadIdx.x - 1]; // FAULT before_start
}

__global__ void touch(float *out)
{
    out[threadIdx.x] = 1; // FAULT use_after_free null_pointer
}

__global__ void pitch_as_width(float *out)
{
    out[threadIdx.y * TILE + threadIdx.x] = 1; // FAULT pitch_as_width
}

__global__ void shared_index(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + 1]; // FAULT shared_index
}

__global__ void shared_row(float *out, const float *in)
{
    __shared__ float s[TILE][TILE];
    s[threadIdx.y][threadIdx.x] = in[threadIdx.y * TILE + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * TILE + threadIdx.x] = s[threadIdx.y][threadIdx.x + 1]; // FAULT shared_row
}

__global__ void dynamic_index(float *out)
{
    extern __shared__ float s[];
    s[threadIdx.x] = 1; // FAULT dynamic_index dynamic_far
    out[threadIdx.x] = s[threadIdx.x];
}

#if defined __x86_64__ && !defined __SANITIZE_ADDRESS__ // others allow it, or ASan reports it
// Rows of 14 floats: every second row is aligned to 8 bytes only.
__global__ void local_float4(float4 *out, int row)
{
    alignas(16) float rows[4][14];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 14; j++)
            rows[i][j] = i + j + threadIdx.x;
    out[threadIdx.x] = *reinterpret_cast<float4 *>(rows[row]); // FAULT local_float4
}
#endif

__global__ void no_address(float *out)
{
    float *nowhere = reinterpret_cast<float *>(reinterpret_cast<size_t>(out) | 1ull << 62);
    *nowhere = 1; // FAULT no_address
}

__global__ void local_index(float *out, int n)
{
    float mine[8];
    for (int i = 0; i <= n; i++)
        mine[i] = i; // FAULT local_index
    out[threadIdx.x] = mine[n - 1] + mine[threadIdx.x % 8];
}

__device__ float table[4] = {1, 2, 3, 4};

__global__ void device_index(float *out, int n)
{
    out[threadIdx.x] = table[threadIdx.x + n - n]; // FAULT device_index
}

// ---- alignment, initial values, host memory -----------------------------------------------------

__global__ void float4_off(float *out, const float *in)
{
    float4 v = ((const float4 *)(in + 1))[threadIdx.x]; // FAULT float4_off
    out[threadIdx.x] = v.x + v.w;
}

__global__ void float2_off(float *out, const float *in)
{
    float2 v = ((const float2 *)(in + 1))[threadIdx.x]; // FAULT float2_off
    out[threadIdx.x] = v.x;
}

__global__ void double_off(float *out, const char *in)
{
    out[threadIdx.x] = ((const double *)(in + 4))[threadIdx.x]; // FAULT double_off
}

__global__ void atomic_off(char *out)
{
    atomicAdd((int *)(out + 2), 1); // FAULT atomic_off
}

__global__ void shared_unset(float *out)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x] += 1; // FAULT shared_unset
    out[threadIdx.x] = s[threadIdx.x];
}

__global__ void shared_half_loaded(float *out, const float *in, int n)
{
    __shared__ float s[BLOCK];
    if ((int)threadIdx.x < n)
        s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x]; // FAULT shared_half_loaded
}

__global__ void dynamic_unset(float *out)
{
    extern __shared__ float s[];
    out[threadIdx.x] = s[threadIdx.x]; // FAULT dynamic_unset
}

__global__ void global_unset(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x]; // FAULT global_unset
}

__global__ void sum_unset(float *out, const float *in)
{
    atomicAdd(out, in[threadIdx.x]); // FAULT sum_unset
}

__global__ void partly_copied(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x]; // FAULT partly_copied
}

__global__ void host_memory(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x]; // FAULT host_pointer host_vector
}

// ---- barriers, masks, locks ---------------------------------------------------------------------

__global__ void barrier_in_branch(float *out)
{
    if (threadIdx.x < 100) {
        __syncthreads(); // FAULT barrier_in_branch
        out[threadIdx.x] = 1;
    } else {
        __syncthreads(); // FAULT barrier_in_branch
    }
}

__global__ void shuffle_in_branch(float *out)
{
    float v = 1;
    if (threadIdx.x < 16)
        v += __shfl_down_sync(0xffffffffu, v, 8); // FAULT shuffle_in_branch
    __syncthreads();                              // FAULT shuffle_in_branch
    out[threadIdx.x] = v;
}

__global__ void syncwarp_in_branch(float *out)
{
    if (threadIdx.x % 32 == 0)
        __syncwarp(); // FAULT syncwarp_in_branch
    __syncthreads();  // FAULT syncwarp_in_branch
    out[threadIdx.x] = 1;
}

__global__ void returned_lanes(float *out)
{
    if (threadIdx.x >= 20)
        return;
    out[threadIdx.x] = __shfl_down_sync(0xffffffffu, 1.0f, 8); // FAULT returned_lanes
}

__global__ void mask_without_caller(int *out)
{
    out[threadIdx.x] = (int)__ballot_sync(0x0000ffffu, 1); // FAULT mask_without_caller
}

__global__ void different_masks(float *out)
{
    out[threadIdx.x] =
        __shfl_sync(threadIdx.x < 16 ? 0xffffffffu : 0xffff0000u, // FAULT different_masks
                    1.0f, 20);
}

__global__ void odd_width(int *out)
{
    out[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0, 12); // FAULT odd_width
}

__global__ void lock_over_barrier(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0) { // FAULT lock_over_barrier
    }
    __syncthreads(); // FAULT lock_over_barrier
    atomicExch(lock, 0);
}

__global__ void lock_kept(int *lock)
{
    while (atomicExch(lock, 1) != 0) { // FAULT lock_kept
    }
}

// ---- single bytes, and the kernels' own heap ----------------------------------------------------

__global__ void byte_of_neighbour(unsigned char *bytes)
{
    unsigned char next = bytes[threadIdx.x + 1];    // FAULT byte_of_neighbour
    bytes[threadIdx.x] = (unsigned char)(next + 1); // FAULT byte_of_neighbour
}

__global__ void word_over_bytes(unsigned char *bytes)
{
    if (threadIdx.x < 32)
        bytes[4 * threadIdx.x + 3] = 1; // FAULT word_over_bytes
    else
        ((unsigned int *)bytes)[threadIdx.x - 32] = 0; // FAULT word_over_bytes
}

__global__ void shared_short(short *out)
{
    __shared__ short s[BLOCK];
    s[threadIdx.x] = (short)threadIdx.x;          // FAULT shared_short
    out[threadIdx.x] = s[(threadIdx.x + 1) % 32]; // FAULT shared_short
}

__device__ int *kept;

__global__ void heap_new(int count)
{
    kept = new int[count];
    for (int i = 0; i < count; i++)
        kept[i] = i;
}

__global__ void heap_use(int *out, int index)
{
    *out = kept[index]; // FAULT heap_past_end heap_before_start heap_freed
}

__global__ void heap_delete()
{
    delete[] kept; // FAULT heap_freed_twice
}

__global__ void heap_freed_early(int *out)
{
    __shared__ int *data;
    if (threadIdx.x == 0)
        data = (int *)malloc(32 * sizeof *data);
    __syncthreads();
    data[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = data[31 - threadIdx.x]; // FAULT heap_freed_early
    if (threadIdx.x == 0)
        free(data); // FAULT heap_freed_early
}

__global__ void heap_use_own(int *out)
{
    int *data = (int *)malloc(4 * sizeof *data);
    data[threadIdx.x] = 1;
    free(data);
    *out = data[threadIdx.x]; // FAULT heap_use_own
}

__global__ void heap_unset(int *out)
{
    int *data = (int *)malloc(4 * sizeof *data);
    data[0] = 1;
    *out = data[0] + data[3]; // FAULT heap_unset
    free(data);
}

__global__ void heap_free_other(int *data)
{
    free(data); // FAULT heap_free_other
}

__global__ void heap_cuda_free_other(int *data)
{
    cudaFree(data); // FAULT heap_cuda_free_other
}

__global__ void heap_endless(int *out)
{
    for (;;) {
        int *block = (int *)malloc(1 << 20);
        block[threadIdx.x] = 1; // FAULT heap_endless
        *out += 1;
    }
}

__global__ void heap_full(int *out)
{
    int *block = (int *)malloc((size_t)1 << 40);
    block[0] = 1; // FAULT heap_full
    out[0] = block[0];
}

__global__ void spin_plain(int *flag)
{
    if (blockIdx.x == 0) {
        while (*flag == 0) { // FAULT spin_plain
        }
    } else {
        *flag = 1; // FAULT spin_plain
    }
}

__global__ void loop(int *out, const int *in, int n, int step, int more)
{
    int sum = 0;
    for (int i = 0; i < n; i += step) // FAULT endless_loop endless_count
        sum += in[i % 64] + more;
    out[threadIdx.x] = sum;
}

__global__ void ok_tree(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if ((int)threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

__global__ void ok_two_buffers(float *out, const float *in)
{
    __shared__ float s[2][BLOCK];
    int now = 0;
    s[now][threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        s[1 - now][threadIdx.x] = s[now][(threadIdx.x + 40) % BLOCK] + 1;
        now = 1 - now;
        __syncthreads();
    }
    out[threadIdx.x] = s[now][threadIdx.x];
}

__global__ void ok_halves(float *out, const float *in)
{
    __shared__ float s[64];
    unsigned mask = threadIdx.x % 32 < 16 ? 0x0000ffffu : 0xffff0000u;
    s[threadIdx.x] = in[threadIdx.x];
    __syncwarp(mask);
    float other = s[threadIdx.x ^ 15];
    __syncwarp(mask);
    s[threadIdx.x] = other + __shfl_xor_sync(mask, other, 1, 16);
    __syncwarp(mask);
    out[threadIdx.x] = s[threadIdx.x ^ 7];
}

__global__ void ok_early_return(float *out, const float *in)
{
    __shared__ float s[32];
    if (threadIdx.x >= 20)
        return;
    s[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = s[19 - threadIdx.x];
}

__global__ void ok_last_block(float *out, float *parts, const float *in)
{
    __shared__ bool last;
    if (threadIdx.x < 4)
        parts[blockIdx.x * 4 + threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        if (threadIdx.x < gridDim.x * 4)
            atomicAdd(out, parts[threadIdx.x]);
    }
}

__global__ void ok_lock(int *lock, float *out)
{
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *out = *out + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

__global__ void ok_bytes(unsigned char *out, unsigned short *shorts)
{
    out[threadIdx.x] = (unsigned char)threadIdx.x;
    shorts[threadIdx.x] = out[threadIdx.x];
    out[threadIdx.x] = (unsigned char)shorts[threadIdx.x];
}

// Neighbouring bytes and shorts of a word: each thread reads and then writes its own.
__global__ void ok_bytes_in_place(unsigned char *bytes, unsigned short *shorts)
{
    bytes[threadIdx.x] = (unsigned char)(bytes[threadIdx.x] + 1);
    shorts[threadIdx.x] = (unsigned short)(shorts[threadIdx.x] + bytes[threadIdx.x]);
}

__global__ void ok_shared_bytes(char *out)
{
    __shared__ char s[BLOCK + 1];
    s[threadIdx.x] = (char)threadIdx.x;
    if (threadIdx.x == 0)
        s[BLOCK] = 1;
    __syncthreads();
    char next = s[threadIdx.x + 1];
    __syncthreads();
    s[threadIdx.x] = next;
    out[threadIdx.x] = s[threadIdx.x];
}

struct Point {
    float x, y;
    Point() = default;
    __device__ Point(float a, float b) : x(a), y(b)
    {
    }
};

// nvcc also accepts this: a constructor that does nothing.
struct Sample {
    float value;
    __device__ Sample()
    {
    }
};

struct Segment {
    Point ends[2];
    short name;
};

__global__ void ok_default_constructor(float *out)
{
    __shared__ Point points[BLOCK];
    __shared__ Segment segments[BLOCK];
    __shared__ Sample samples[BLOCK];
    samples[threadIdx.x].value = 1;
    points[threadIdx.x] = Point((float)threadIdx.x, 1);
    segments[threadIdx.x].ends[1].x = 2;
    __syncthreads();
    out[threadIdx.x] = points[BLOCK - 1 - threadIdx.x].x + segments[threadIdx.x ^ 1].ends[1].x +
                       samples[threadIdx.x ^ 2].value;
}

struct Item {
    int value;
    Item *next;
    __device__ Item(int v, Item *n) : value(v), next(n)
    {
    }
};

__device__ Item *items;

__global__ void ok_heap_push()
{
    Item *item = new Item((int)threadIdx.x, nullptr);
    unsigned long long *head = (unsigned long long *)&items, old = *head, seen;
    do {
        seen = old;
        item->next = (Item *)seen;
        old = atomicCAS(head, seen, (unsigned long long)item);
    } while (old != seen);
}

__global__ void ok_heap_pop(int *sum)
{
    while (items) {
        Item *item = items;
        items = item->next;
        *sum += item->value;
        delete item;
    }
}

__global__ void ok_heap_array(int *out)
{
    __shared__ int *data;
    char *mine = (char *)malloc(3);
    if (threadIdx.x == 0)
        data = (int *)malloc(blockDim.x * sizeof *data);
    __syncthreads();
    for (int i = 0; i < 3; i++)
        mine[i] = (char)(threadIdx.x + i);
    data[threadIdx.x] = mine[2];
    free(mine);
    __syncthreads();
    out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        free(data);
}

// cudaMalloc() in a kernel allocates from the same heap. A size beyond the heap is an error.
__global__ void ok_heap_cuda(int *out)
{
    int *data, *much = out;
    const cudaError_t error = cudaMalloc(&data, blockDim.x * sizeof *data);
    const cudaError_t refused = cudaMalloc(&much, (size_t)1 << 30);
    data[threadIdx.x] = error == cudaSuccess && refused == cudaErrorMemoryAllocation && !much;
    out[blockIdx.x * blockDim.x + threadIdx.x] = data[threadIdx.x];
    if (threadIdx.x % 2 == 0)
        free(data);
    else
        cudaFree(data);
}

// Allocations that together exceed the heap, one after the other. One that does not fit is NULL.
__global__ void ok_heap_limit(int *out)
{
    for (int i = 0; i < 100; i++) {
        char *block = new char[1 << 20];
        block[i] = 1;
        *out += block[i];
        delete[] block;
    }
    int *much = (int *)malloc((size_t)1 << 30), *more = new int[(size_t)1 << 28];
    *out += much == nullptr && more == nullptr;
    if (much)
        *much = 1;
}

__global__ void ok_histogram(int *bins, const int *values)
{
    __shared__ int mine[8];
    if (threadIdx.x < 8)
        mine[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&mine[values[threadIdx.x] % 8], 1);
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__constant__ float factors[3] = {1, 2, 3};

struct Triple {
    float a, b, c;
};

__global__ void ok_memories(float *out, const Triple *triples, float *managed)
{
    float local[4] = {0, 1, 2, 3};
    Triple t = triples[threadIdx.x];
    local[threadIdx.x % 4] += t.a * factors[0] + t.b * factors[1] + t.c * factors[2];
    managed[threadIdx.x] += table[threadIdx.x % 4];
    out[threadIdx.x] = local[threadIdx.x % 4] + managed[threadIdx.x];
}

__global__ void ok_maximum(int *out, const int *in)
{
    int seen = *out, expected;
    do {
        expected = seen;
        seen = atomicCAS(out, expected, max(expected, in[threadIdx.x]));
    } while (seen != expected);
}

__global__ void ok_loop_of_one_lane(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (unsigned i = 0; i < threadIdx.x; i++) {
        if (i % 3 == threadIdx.x % 3)
            continue;
        sum += s[i];
    }
    out[threadIdx.x] = sum;
}

// ---- cases --------------------------------------------------------------------------------------

static float *f, *g, *unset;
static int *ints;

static const Case cases[] = {
    {"no_barrier", "__syncthreads() is missing", [] { no_barrier<<<1, BLOCK>>>(f, g); }},
    {"no_barrier_in_tree", "data race in shared", [] { no_barrier_in_tree<<<1, BLOCK>>>(f, g); }},
    {"no_barrier_before_tree", "data race in shared",
     [] { no_barrier_before_tree<<<1, BLOCK>>>(f, g); }},
    {"tile_reused", "__syncthreads() is missing", [] { tile_reused<<<1, BLOCK>>>(f, g); }},
    {"barrier_too_early", "data race in shared", [] { barrier_too_early<<<1, BLOCK>>>(f, g); }},
    {"transposed", "data race in shared",
     [] { transposed_without_barrier<<<1, dim3(TILE, TILE)>>>(f, g); }},
    {"flag", "data race in shared", [] { flag_without_barrier<<<2, BLOCK>>>(f); }},
    {"lock_step", "__syncwarp() is missing", [] { lock_step<<<1, 32>>>(f, g); }},
    {"half_a_mask", "__syncwarp() is missing", [] { half_a_mask<<<1, 32>>>(f, g); }},
    {"shuffle_as_barrier", "__syncwarp() is missing", [] { shuffle_as_barrier<<<1, 32>>>(f, g); }},
    {"shuffle_as_fence", "no __threadfence() after that",
     [] { shuffle_as_fence<<<8, 32>>>(f, f + 64, g); }},
    {"ok_shuffle_and_syncwarp", "", [] { ok_shuffle_and_syncwarp<<<8, 32>>>(f, f + 64, g); }},
    {"added_after_a_read", "data race in global", [] { added_after_a_read<<<1, 64>>>(f, ints); }},
    {"all_write_one", "one of them wins", [] { all_write_one<<<1, 32>>>(f, g); }},
    {"plain_among_atomics", "data race in shared", [] { plain_among_atomics<<<1, 64>>>(ints); }},
    {"one_buffer", "data race in shared", [] { one_buffer_of_two<<<1, BLOCK>>>(f, g); }},
    {"lost_update", "this line reads and writes the place",
     [] { lost_update<<<1, BLOCK>>>(f, g); }},
    {"lost_update_of_blocks", "let each block", [] { lost_update_of_blocks<<<4, 32>>>(f, g); }},
    {"blocks_write_one", "of another block", [] { blocks_write_one<<<4, 32>>>(f); }},
    {"last_block_without_fence", "__threadfence()",
     [] { last_block_without_fence<<<4, 32>>>(f, g); }},
    {"lock_without_fence", "__threadfence()", [] { lock_without_fence<<<4, 32>>>(ints, f); }},
    {"shift_in_place", "data race in global", [] { shift_in_place<<<1, BLOCK>>>(f); }},
    {"stencil_in_place", "of another block", [] { stencil_in_place<<<4, 64>>>(f, 256); }},
    {"plain_histogram", "use an atomic, or combine the values",
     [] { plain_histogram<<<1, BLOCK>>>(ints, ints + 64); }},
    {"transpose_in_place", "data race in global",
     [] { transpose_in_place<<<1, dim3(TILE, TILE)>>>(f); }},
    {"same_byte", "data race in global", [] { same_byte<<<1, BLOCK>>>((unsigned char *)f); }},
    {"helper_races", "data race in shared", [] { helper_races<<<1, BLOCK>>>(f, g); }},
    {"no_bounds_check", "past the end of a 4096-byte allocation",
     [] { no_bounds_check<<<5, BLOCK>>>(f, g, 1000); }},
    {"one_past", "0 bytes past the end of a 400-byte allocation",
     [] {
         float *small;
         cudaMalloc(&small, 400);
         cudaMemset(small, 0, 400);
         one_past<<<1, 128>>>(f, small, 100);
     }},
    {"far_past", "past the end", [] { far_past<<<1, 32>>>(f, 1024); }},
    {"before_start", "4 bytes before the start of a 3840-byte allocation",
     [] {
         float *page; // whole pages, with no other allocation before it
         cudaMalloc(&page, 4096 - 256);
         cudaMemset(page, 0, 4096 - 256);
         before_start<<<1, 32>>>(f, page);
     }},
    {"use_after_free", "which has been freed",
     [] {
         cudaFree(g);
         touch<<<1, 32>>>(g);
     }},
    {"null_pointer", "a null pointer, not device memory", [] { touch<<<1, 32>>>(nullptr); }},
    {"no_address", "not device memory", [] { no_address<<<1, 1>>>(f); }},
    {"pitch_as_width", "past the end", [] { pitch_as_width<<<1, dim3(16, 34)>>>(f); }},
    {"shared_index", "index 256 of 'float", [] { shared_index<<<1, BLOCK>>>(f, g); }},
    {"shared_row", "index 32 of 'float", [] { shared_row<<<1, dim3(TILE, TILE)>>>(f, g); }},
    {"dynamic_index", "the launch asked for 400 bytes", [] { dynamic_index<<<1, 101, 400>>>(f); }},
    {"dynamic_far", "dynamic shared memory: the launch asked for 64 bytes",
     [] { dynamic_index<<<1, 1024, 64>>>(f); }},
    {"local_index", "index 8 of 'float", [] { local_index<<<1, 32>>>(f, 8); }},
#if defined __x86_64__ && !defined __SANITIZE_ADDRESS__
    {"local_float4", "misaligned address: an access of 16 bytes",
     [] { local_float4<<<1, 32>>>((float4 *)f, 1); }},
#endif
    {"device_index", "of 'float", [] { device_index<<<1, 32>>>(f, 1); }},
    {"float4_off", "misaligned address", [] { float4_off<<<1, 32>>>(f, g); }},
    {"float2_off", "misaligned address", [] { float2_off<<<1, 32>>>(f, g); }},
    {"double_off", "needs a multiple of 8", [] { double_off<<<1, 32>>>(f, (const char *)g); }},
    {"atomic_off", "misaligned address", [] { atomic_off<<<1, 1>>>((char *)f); }},
    {"shared_unset", "shared memory is read before it is written",
     [] { shared_unset<<<1, BLOCK>>>(f); }},
    {"shared_half_loaded", "shared memory is read before it is written",
     [] { shared_half_loaded<<<1, BLOCK>>>(f, g, 100); }},
    {"dynamic_unset", "shared memory is read before it is written",
     [] { dynamic_unset<<<1, 32, 128>>>(f); }},
    {"global_unset", "global memory is read before it is written",
     [] { global_unset<<<1, 32>>>(f, unset); }},
    {"sum_unset", "global memory is read before it is written",
     [] { sum_unset<<<1, 32>>>(unset, g); }},
    {"partly_copied", "global memory is read before it is written",
     [] {
         float host[31] = {0};
         cudaMemcpy(unset, host, sizeof host, cudaMemcpyHostToDevice);
         partly_copied<<<1, 32>>>(f, unset);
     }},
    {"host_pointer", "memory of the host is used in a kernel",
     [] {
         float *host = (float *)calloc(32, sizeof *host);
         host_memory<<<1, 32>>>(f, host);
     }},
    {"host_vector", "memory of the host is used in a kernel",
     [] {
         static std::vector<float> host(32);
         host_memory<<<1, 32>>>(f, host.data());
     }},
    {"host_touch", "host code touched device memory",
     [] {
         fflush(stdout);
         f[3] = 1;
     }},
    {"barrier_in_branch", "divergent barrier", [] { barrier_in_branch<<<1, BLOCK>>>(f); }},
    {"shuffle_in_branch", "deadlock", [] { shuffle_in_branch<<<1, 64>>>(f); }},
    {"syncwarp_in_branch", "deadlock", [] { syncwarp_in_branch<<<1, 64>>>(f); }},
    {"returned_lanes", "every lane that the mask names must execute this call",
     [] { returned_lanes<<<1, 32>>>(f); }},
    {"mask_without_caller",
     "lacks the calling lane: ", [] { mask_without_caller<<<1, 32>>>(ints); }},
    {"different_masks", "names a lane that made this call with mask 0xffff0000: 16",
     [] { different_masks<<<1, 32>>>(f); }},
    {"odd_width", "width", [] { odd_width<<<1, 32>>>(ints); }},
    {"lock_over_barrier", "livelock", [] { lock_over_barrier<<<1, 64>>>(ints); }},
    {"lock_kept", "livelock", [] { lock_kept<<<1, 2>>>(ints); }},
    {"byte_of_neighbour", "data race in global memory",
     [] { byte_of_neighbour<<<1, BLOCK>>>((unsigned char *)f); }},
    {"word_over_bytes", "data race in global memory",
     [] { word_over_bytes<<<1, 64>>>((unsigned char *)f); }},
    {"shared_short", "data race in shared memory", [] { shared_short<<<1, 32>>>((short *)f); }},
    {"heap_past_end", "0 bytes past the end of 40 bytes that a kernel allocated",
     [] {
         heap_new<<<1, 1>>>(10);
         heap_use<<<1, 1>>>(ints, 10);
     }},
    {"heap_before_start", "out of bounds of global memory",
     [] {
         heap_new<<<1, 1>>>(10);
         heap_use<<<1, 1>>>(ints, -1);
     }},
    {"heap_freed", "byte 12 of 40 bytes that a kernel allocated, which have been freed",
     [] {
         heap_new<<<1, 1>>>(10);
         heap_delete<<<1, 1>>>();
         heap_use<<<1, 1>>>(ints, 3);
     }},
    {"heap_freed_twice", "a second time",
     [] {
         heap_new<<<1, 1>>>(10);
         heap_delete<<<1, 1>>>();
         heap_delete<<<1, 1>>>();
     }},
    {"heap_freed_early", "frees", [] { heap_freed_early<<<1, 32>>>(ints); }},
    {"heap_use_own", "which have been freed", [] { heap_use_own<<<1, 1>>>(ints); }},
    {"heap_unset", "global memory is read before it is written",
     [] { heap_unset<<<1, 1>>>(ints); }},
    {"heap_free_other", "which no kernel allocated", [] { heap_free_other<<<1, 1>>>(ints); }},
    {"heap_cuda_free_other", "cudaFree() of", [] { heap_cuda_free_other<<<1, 1>>>(ints); }},
    {"heap_on_host", "host code touched device memory",
     [] {
         int *data;
         heap_new<<<1, 1>>>(10);
         cudaMemcpyFromSymbol(&data, kept, sizeof data);
         fflush(stdout);
         data[0] = 1;
     }},
    {"heap_host_free", "host code frees memory",
     [] {
         int *data;
         heap_new<<<1, 1>>>(10);
         cudaMemcpyFromSymbol(&data, kept, sizeof data);
         free(data);
     }},
    {"heap_endless", "a null pointer", [] { heap_endless<<<1, 32>>>(ints); }},
    {"heap_full", "a null pointer", [] { heap_full<<<1, 1>>>(ints); }},
    {"spin_plain",
     "endless loop: the threads that can run change nothing|data race", // clang: no loop
     [] { spin_plain<<<2, 1>>>(ints); }},
    {"endless_loop", ", which stays 0", [] { loop<<<1, 64>>>(ints + 64, ints, 9, 0, 0); }},
    {"endless_count", "endless loop? For 0.5 s of",
     [] {
         setenv("SIMT_WATCHDOG", "0.05", 1);
         loop<<<1, 64>>>(ints + 64, ints, 9, 0, 1);
     }},
    {"ok_long_loop", "", [] { loop<<<1, 64>>>(ints + 64, ints, 99999, 2, 1); }},
    {"ok_tree", "", [] { ok_tree<<<4, BLOCK>>>(f, g); }},
    {"ok_two_buffers", "", [] { ok_two_buffers<<<1, BLOCK>>>(f, g); }},
    {"ok_halves", "", [] { ok_halves<<<1, 64>>>(f, g); }},
    {"ok_early_return", "", [] { ok_early_return<<<1, 32>>>(f, g); }},
    {"ok_last_block", "", [] { ok_last_block<<<8, 64>>>(f, g, g + 512); }},
    {"ok_lock", "", [] { ok_lock<<<4, 128>>>(ints, f); }},
    {"ok_bytes", "", [] { ok_bytes<<<1, BLOCK>>>((unsigned char *)f + 3, (unsigned short *)g); }},
    {"ok_bytes_in_place", "",
     [] { ok_bytes_in_place<<<1, BLOCK>>>((unsigned char *)f + 1, (unsigned short *)g); }},
    {"ok_shared_bytes", "", [] { ok_shared_bytes<<<1, BLOCK>>>((char *)f); }},
    {"ok_default_constructor", "", [] { ok_default_constructor<<<1, BLOCK>>>(f); }},
    {"ok_heap_list", "",
     [] {
         ok_heap_push<<<1, 64>>>();
         ok_heap_pop<<<1, 1>>>(ints);
         ok_heap_push<<<1, 64>>>();
         ok_heap_pop<<<1, 1>>>(ints);
     }},
    {"ok_heap_array", "", [] { ok_heap_array<<<1, 100>>>(ints); }},
    {"ok_heap_cuda", "", [] { ok_heap_cuda<<<2, 32>>>(ints); }},
    {"ok_heap_limit", "", [] { ok_heap_limit<<<1, 1>>>(ints); }},
    {"ok_histogram", "", [] { ok_histogram<<<2, 64>>>(ints, ints + 64); }},
    {"ok_memories", "",
     [] {
         float *managed;
         cudaMallocManaged(&managed, 32 * sizeof *managed);
         memset(managed, 0, 32 * sizeof *managed);
         ok_memories<<<1, 32>>>(f, (const Triple *)g, managed);
     }},
    {"ok_maximum", "", [] { ok_maximum<<<2, 64>>>(ints, ints + 64); }},
    {"ok_loop_of_one_lane", "", [] { ok_loop_of_one_lane<<<1, BLOCK>>>(f, g); }},
    {"ok_two_launches", "",
     [] {
         touch<<<1, 32>>>(f);
         no_bounds_check<<<1, 32>>>(g, f, 32);
         touch<<<1, 32>>>(f);
     }},
};

int main(int count, char **arguments)
{
    f = zeros<float>(4096);
    g = zeros<float>(4096);
    ints = zeros<int>(4096);
    unset = unwritten<float>(4096);
    return run_case(cases, count, arguments);
}
