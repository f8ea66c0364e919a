// Correct and wrong synchronization between threads: fences, atomics, flags, partial masks,
// asynchronous copies, blocks that wait for one another.
#include "cases.cuh"

#include <cooperative_groups.h>
#include <cuda_pipeline_primitives.h>

namespace cg = cooperative_groups;

static const unsigned FULL = 0xffffffffu;

// ---- releases and acquisitions ------------------------------------------------------------------

__device__ int flag, word, words[32], turn, counter;

// A fence also releases writes of other lanes that a __syncwarp() before it has ordered.
__global__ void ok_release_after_syncwarp(int *data, int *out)
{
    if (blockIdx.x == 0 && threadIdx.x < 32) {
        data[threadIdx.x] = threadIdx.x;
        __syncwarp();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicExch(&flag, 1);
        }
    } else if (threadIdx.x == 32 || blockIdx.x == 1) {
        while (atomicAdd(&flag, 0) == 0) {
        }
        __threadfence();
        out[blockIdx.x * 64 + threadIdx.x] = data[5];
    }
}

__global__ void syncwarp_too_late(int *data, int *out)
{
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            __threadfence();
        data[threadIdx.x] = threadIdx.x; // FAULT syncwarp_too_late
        __syncwarp();
        if (threadIdx.x == 0)
            atomicExch(&flag, 1);
    } else if (threadIdx.x == 32) {
        while (atomicAdd(&flag, 0) == 0) {
        }
        __threadfence();
        *out = data[5]; // FAULT syncwarp_too_late
    }
}

__global__ void fence_of_block(int *data, int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *data = 1;             // FAULT fence_of_block
        __threadfence_block(); // scope too narrow
        atomicExch(&flag, 1);
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (atomicAdd(&flag, 0) == 0) {
        }
        __threadfence();
        *out = *data; // FAULT fence_of_block
    }
}

__global__ void atomic_of_block(int *bins)
{
    atomicAdd_block(&bins[threadIdx.x % 8], 1); // FAULT atomic_of_block
}

__global__ void ok_scopes(int *bins, int *data)
{
    int *mine = bins + 16 * blockIdx.x;
    atomicAdd_block(&mine[threadIdx.x % 8], 1);
    if (threadIdx.x == 0) {
        data[blockIdx.x] = 1;
        __threadfence_block();
        atomicExch_block(&mine[8], 1);
    } else if (threadIdx.x == 32) {
        while (atomicAdd_block(&mine[8], 0) == 0) {
        }
        __threadfence_block();
        data[blockIdx.x] += 1;
    }
}

__global__ void lock_without_acquire(int *lock, int *sum)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        *sum = *sum + 1; // FAULT lock_without_acquire
        __threadfence();
        atomicExch(lock, 0);
    }
}

// Thread 32 has acquired. Thread 64 has not, but reads the data.
__global__ void acquired_by_another(int *data, int *out)
{
    __shared__ int seen;
    if (threadIdx.x == 0) {
        *data = 1; // FAULT acquired_by_another
        __threadfence();
        atomicExch(&flag, 1);
    } else if (threadIdx.x == 32) {
        while (atomicAdd(&flag, 0) == 0) {
        }
        __threadfence();
        seen = *data;
    } else if (threadIdx.x == 64) {
        while (atomicAdd(&flag, 0) == 0) {
        }
        *out = *data; // FAULT acquired_by_another
    }
}

__global__ void ok_lock_of_all_blocks(int *lock, int *sum)
{
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            __nanosleep(100);
        __threadfence();
        *sum = *sum + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

// Each block waits for the one before it and then sees the writes of all earlier blocks.
__global__ void ok_chain(int *data, int *out)
{
    if (threadIdx.x == 0) {
        while (atomicAdd(&turn, 0) != (int)blockIdx.x) {
        }
        __threadfence();
        int sum = 0;
        for (unsigned i = 0; i < blockIdx.x; i++)
            sum += data[i];
        data[blockIdx.x] = sum + 1;
        out[blockIdx.x] = sum;
        __threadfence();
        atomicExch(&turn, (int)blockIdx.x + 1);
    }
}

__global__ void ok_many_fences(int *data)
{
    for (int i = 0; i < 130000; i++)
        __threadfence();
    __syncthreads();
    __threadfence();
    atomicAdd(data, 1);
}

__global__ void ok_many_places(int *data)
{
    data[threadIdx.x] = 1;
    __threadfence();
    for (int i = 0; i < 8; i++)
        atomicAdd(&data[1024 + (threadIdx.x + 37 * i) % 512], 1);
    atomicAdd(&data[2048 + threadIdx.x / 2], 1);
    while (atomicAdd(&data[2048 + threadIdx.x / 2], 0) < 2) {
    }
    __threadfence();
    data[4096 + threadIdx.x] = data[threadIdx.x ^ 1];
}

// ---- warps --------------------------------------------------------------------------------------

__global__ void ok_sleeping_lanes(int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x >= 8)
        __nanosleep(100);
    __syncwarp();
    out[threadIdx.x] = s[threadIdx.x ^ 8];
}

__global__ void ok_meeting_in_branches(int *out)
{
    __shared__ int s[16];
    if (threadIdx.x < 8) {
        s[threadIdx.x] = threadIdx.x;
        __syncwarp(0xffff);
        out[threadIdx.x] = s[threadIdx.x + 8];
    } else if (threadIdx.x < 16) {
        s[threadIdx.x] = threadIdx.x;
        __syncwarp(0xffff);
        out[threadIdx.x] = s[threadIdx.x - 8];
    }
}

__global__ void meeting_of_others(int *out)
{
    __shared__ int s[16];
    if (threadIdx.x < 8) {
        s[threadIdx.x] = threadIdx.x; // FAULT meeting_of_others
        __syncwarp(0xff);
        out[threadIdx.x] = s[threadIdx.x];
    } else if (threadIdx.x < 16) {
        __syncwarp(0xff00);
        out[threadIdx.x] = s[threadIdx.x - 8]; // FAULT meeting_of_others
    }
}

__global__ void ok_votes_of_who_is_left(int *out)
{
    if (threadIdx.x >= 20)
        return;
    int votes = __popc(__ballot_sync(FULL, threadIdx.x % 2));
    out[threadIdx.x] = votes + __shfl_sync(FULL, (int)threadIdx.x, 3);
}

__global__ void ok_halves_after_fence(int *out)
{
    __shared__ int s[32];
    unsigned mask = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
    __threadfence();
    for (int i = 0; i < 400; i++) {
        s[threadIdx.x] = i + threadIdx.x;
        __syncwarp(mask);
        out[threadIdx.x] = s[threadIdx.x ^ 15];
        __syncwarp(mask);
    }
}

// The last readers are in the writer's warp and ordered before the write. Warp 0 is not ordered.
__global__ void many_readers(int *out)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 1;
    __syncthreads();
    out[threadIdx.x] = s; // FAULT many_readers
    __syncwarp();
    if (threadIdx.x == 32)
        s = 2; // FAULT many_readers
}

__global__ void reader_of_other_block(int *data, int *out)
{
    out[blockIdx.x * 64 + threadIdx.x] = data[0]; // FAULT reader_of_other_block
    __syncthreads();
    if (blockIdx.x == 1 && threadIdx.x == 0)
        data[0] = 2; // FAULT reader_of_other_block
}

// The writer acquires what the first four readers release, but thread 128 releases nothing.
__global__ void reader_that_told_nobody(int *data, int *out)
{
    if (threadIdx.x % 32 == 0 && threadIdx.x < 160) {
        out[threadIdx.x] = data[0]; // FAULT reader_that_told_nobody
        if (threadIdx.x < 128) {
            __threadfence();
            atomicAdd(&counter, 1);
        }
    } else if (threadIdx.x == 160) {
        while (atomicAdd(&counter, 0) < 4) {
        }
        __threadfence();
        data[0] = 1; // FAULT reader_that_told_nobody
    }
}

// ---- flags, and loops that wait for them --------------------------------------------------------

__global__ void ok_volatile_flag(int *data, int *out)
{
    volatile int *ready = &flag;
    if (threadIdx.x == 32) {
        *data = 7;
        __threadfence();
        *ready = 1;
    } else if (threadIdx.x == 0) {
        while (*ready == 0) {
        }
        __threadfence();
        *out = *data;
    }
}

__global__ void ok_volatile_flag_only(int *out)
{
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 32)
        ready = 1;
    else if (threadIdx.x == 0)
        while (ready == 0)
            __nanosleep(20);
    out[threadIdx.x] = 1;
}

__global__ void volatile_in_place_of_barrier(int *out)
{
    __shared__ volatile int s[64];
    s[threadIdx.x] = threadIdx.x;           // FAULT volatile_in_place_of_barrier
    out[threadIdx.x] = s[63 - threadIdx.x]; // FAULT volatile_in_place_of_barrier
}

// A scan: each block publishes its sum and adds the sums of all earlier blocks.
__global__ void ok_look_back(const int *in, volatile long long *published, int *out)
{
    __shared__ int before;
    if (threadIdx.x == 0) {
        int sum = in[blockIdx.x], total = 0;
        published[blockIdx.x] = (1ll << 32) | sum;
        for (int b = (int)blockIdx.x - 1; b >= 0; b--) {
            long long seen;
            do {
                seen = published[b];
            } while ((seen >> 32) == 0);
            total += (int)seen;
            if ((seen >> 32) == 2)
                break;
        }
        published[blockIdx.x] = (2ll << 32) | (total + sum);
        before = total;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = before;
}

// A waiting loop lets other threads run, whatever else is in the loop: barriers, atomics, or loads
// of several words.
template <int form>
__global__ void ok_other_work(volatile int *ready, int *turns)
{
    __shared__ volatile int late[2];
    if (blockIdx.x == 1) {
        if (threadIdx.x == 0)
            ready[1] = 1;
        return;
    }
    if (form == 0) {
        while (!__syncthreads_or(ready[1])) {
        }
    } else if (form == 1) {
        while (atomicAdd((int *)ready, 0) == atomicAdd((int *)ready + 1, 0))
            atomicAdd(turns, 1);
    } else {
        late[threadIdx.x % 2] = 0; // FAULT note_waits_for_two
        __syncthreads();
        if (threadIdx.x == 32)
            late[1] = 1;
        while (late[0] == 0 && late[1] == 0) {
        }
    }
}

// Threads synchronize in each iteration of a long loop.
__global__ void ok_long_barriers(int *out, int n)
{
    __shared__ int turns;
    if (threadIdx.x == 0)
        turns = 0;
    __syncthreads();
    do {
        if (threadIdx.x == 0)
            turns++;
        out[threadIdx.x] = n;
        __syncthreads();
    } while (__syncthreads_or(turns < n));
}

__global__ void ok_many_sleeps(int *out)
{
    for (int i = 0; i < 20000; i++)
        __nanosleep(10);
    out[threadIdx.x] = 1;
}

__global__ void ok_many_exchanges(int *data)
{
    for (int i = 0; i < 700000; i++)
        atomicExch(data, 1);
}

// The flag is not volatile, but the fence makes the compiler load it in each iteration.
__global__ void ok_plain_poll_ends(int *ready, int *out)
{
    if (threadIdx.x == 32)
        atomicExch(ready, 1);
    else if (threadIdx.x == 0)
        while (atomicOr(ready, 0) == 0)
            __threadfence();
    out[threadIdx.x] = 1;
}

__global__ void nobody_sets_it(int *out)
{
    volatile int *ready = &flag;
    if (threadIdx.x == 0)
        while (*ready == 0) { // FAULT nobody_sets_it
        }
    __syncthreads(); // FAULT nobody_sets_it
    *out = 1;
}

__global__ void lock_held_at_barrier(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0) { // FAULT lock_held_at_barrier
    }
    __syncthreads(); // FAULT lock_held_at_barrier
    atomicExch(lock, 0);
}

// More blocks than multiprocessors: the last block may start only after the first one has ended.
__global__ void default_later_block(int *out)
{
    if (blockIdx.x == 0)
        while (atomicAdd(&flag, 0) == 0) { // FAULT default_later_block
        }
    else if (blockIdx.x == gridDim.x - 1)
        atomicExch(&flag, 1);
    out[blockIdx.x] = 1;
}

// Blocks that are all resident may wait for one another, although CUDA guarantees that only for
// cooperative launches.
__global__ void ok_resident(int *out)
{
    atomicAdd(&flag, 1);
    while (atomicAdd(&flag, 0) != (int)gridDim.x) {
    }
    out[blockIdx.x] = 1;
}

// ---- atomics and plain accesses -----------------------------------------------------------------

__global__ void set_among_atomics(int *out)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0; // FAULT set_among_atomics
    __syncwarp();
    atomicAdd(&s, 1); // FAULT set_among_atomics
    __syncthreads();
    if (threadIdx.x == 0)
        *out = s;
}

__global__ void read_among_atomics(int *out)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, 1); // FAULT read_among_atomics
    if (threadIdx.x == 0)
        *out = s; // FAULT read_among_atomics
}

__global__ void ok_guarded_maximum(int *most, const int *in)
{
    int mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (mine > *most)
        atomicMax(most, mine);
}

__global__ void read_only_path(int *data, int *out)
{
    data[threadIdx.x] = threadIdx.x; // FAULT read_only_path
    __syncthreads();
    out[threadIdx.x] = __ldg(&data[threadIdx.x ^ 1]); // FAULT read_only_path
}

__global__ void ok_read_only_path(const int *data, int *out)
{
    out[threadIdx.x] = __ldg(&data[threadIdx.x ^ 1]);
}

// ---- asynchronous copies ------------------------------------------------------------------------

static __device__ void copy_stage(float *to, const float *from)
{
    __pipeline_memcpy_async(to + threadIdx.x, from + threadIdx.x, 4); // FAULT copy_into_use
    __pipeline_commit();
}

template <bool MEETS>
__global__ void copies(const float *in, float *out)
{
    __shared__ float s[2][64];
    float sum = 0;
    copy_stage(s[0], in);
    for (int i = 0; i < 4; i++) {
        copy_stage(s[(i + 1) % 2], in + 64 * (i + 1));
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[i % 2][63 - threadIdx.x]; // FAULT copy_into_use
        if (MEETS)
            __syncthreads();
    }
    __pipeline_wait_prior(0);
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// All threads synchronize between the copies and the read, but none waits for the copies.
__global__ void copy_not_awaited(const float *in, float *out)
{
    __shared__ float s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4); // FAULT copy_not_awaited
    __pipeline_commit();
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x]; // FAULT copy_not_awaited
    __pipeline_wait_prior(0);
}

// ---- blocks that wait for one another -----------------------------------------------------------

__global__ void ok_grid_sync(int *data, int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    __shared__ int mine[64];
    mine[threadIdx.x] = i;
    data[i] = i;
    cg::this_grid().sync();
    out[i] = data[n - 1 - i] + mine[63 - threadIdx.x];
    cg::this_grid().sync();
    data[i] = out[n - 1 - i];
}

__global__ void no_grid_sync(int *data, int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    data[i] = i;
    cg::this_grid().sync();
    data[i] += 1; // FAULT no_grid_sync
    __syncthreads();
    out[i] = data[n - 1 - i]; // FAULT no_grid_sync
}

__device__ int arrived, generation;

static __device__ void grid_barrier()
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        int now = atomicAdd(&generation, 0);
        if (atomicAdd(&arrived, 1) == (int)gridDim.x - 1) {
            atomicExch(&arrived, 0);
            __threadfence();
            atomicAdd(&generation, 1);
        } else {
            while (atomicAdd(&generation, 0) == now) {
            }
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void ok_grid_barrier(int *data, int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (int round = 0; round < 3; round++) {
        data[i] = i + round;
        grid_barrier();
        out[i] = data[n - 1 - i];
        grid_barrier();
    }
}

// ---- wrong only in some orders of threads -------------------------------------------------------

// Three blocks pass on a value. A link may be too weak: an acquire does not release, a release does
// not acquire, and block scope does not reach another block.
__global__ void hand_on(int *flags, int *data, int first, int seen, int last, int scope)
{
    if (threadIdx.x > 0)
        return;
    if (blockIdx.x == 0) {
        data[0] = 1; // FAULT not_released not_acquired of_one_block
        __nv_atomic_load_n(&flags[2], __NV_ATOMIC_ACQUIRE);
        __nv_atomic_store_n(&flags[0], 1, first, scope);
    } else if (blockIdx.x == 1) {
        while (__nv_atomic_load_n(&flags[0], seen, scope) == 0)
            __nanosleep(10);
        __nv_atomic_store_n(&flags[1], 1, last);
    } else {
        while (__nv_atomic_load_n(&flags[1], __NV_ATOMIC_ACQUIRE) == 0)
            __nanosleep(10);
        data[1] = data[0]; // FAULT not_released not_acquired of_one_block
    }
}

// A ring of four slots between two blocks. `waits`: the producer waits until a slot is free.
__global__ void ring(int *slots, int *filled, int *emptied, bool waits)
{
    for (int i = 0; threadIdx.x == 0 && i < 24; i++)
        if (blockIdx.x == 0) {
            while (waits && __nv_atomic_load_n(emptied, __NV_ATOMIC_ACQUIRE) + 4 <= i)
                __nanosleep(10);
            slots[i % 4] = i; // FAULT only_ring
            __nv_atomic_store_n(filled, i + 1, __NV_ATOMIC_RELEASE);
        } else {
            while (__nv_atomic_load_n(filled, __NV_ATOMIC_ACQUIRE) <= i)
                __nanosleep(10);
            slots[4] += slots[i % 4]; // FAULT only_ring
            __nv_atomic_store_n(emptied, i + 1, __NV_ATOMIC_RELEASE);
        }
}

// Correct only if the first warp draws the first tickets.
__global__ void only_hand_out(int *data)
{
    int ticket = atomicAdd(&counter, 1);
    if (ticket < 32)
        data[threadIdx.x % 32] = ticket; // FAULT only_hand_out
}

// ---- a long program -----------------------------------------------------------------------------

#define TEN(x) x x x x x x x x x x
#define LOAD sum += *p++;

__global__ void ok_long(const int *in, int *out)
{
    const int *p = in;
    int sum = 0;
    if (threadIdx.x % 2)
        sum += in[5];
    TEN(TEN(TEN(LOAD LOAD LOAD)))
    if (threadIdx.x % 3)
        sum += in[7];
    TEN(TEN(TEN(LOAD LOAD LOAD)))
    out[threadIdx.x] = sum;
}

// ---- cases --------------------------------------------------------------------------------------

static int *a, *b;
static float *f;

static void *pointers[] = {&a, &b};

static const Case cases[] = {
    {"ok_release_after_syncwarp", "", [] { ok_release_after_syncwarp<<<2, 64>>>(a, b); }},
    {"syncwarp_too_late", "data race in global", [] { syncwarp_too_late<<<1, 64>>>(a, b); }},
    {"fence_of_block", "data race in global", [] { fence_of_block<<<2, 32>>>(a, b); }},
    {"atomic_of_block", "is atomic among the threads of one block only",
     [] { atomic_of_block<<<2, 64>>>(a); }},
    {"ok_scopes", "", [] { ok_scopes<<<2, 64>>>(a, b); }},
    {"lock_without_acquire", "no __threadfence() after that",
     [] { lock_without_acquire<<<4, 32>>>(a, b); }},
    {"acquired_by_another", "no __threadfence() after that",
     [] { acquired_by_another<<<1, 96>>>(a, b); }},
    {"ok_lock_of_all_blocks", "", [] { ok_lock_of_all_blocks<<<8, 128>>>(a, b); }},
    {"ok_chain", "", [] { ok_chain<<<40, 32>>>(a, b); }},
    {"ok_many_fences", "", [] { ok_many_fences<<<1, 1>>>(a); }},
    {"ok_many_places", "", [] { ok_many_places<<<1, 512>>>(a); }},
    {"ok_sleeping_lanes", "", [] { ok_sleeping_lanes<<<1, 32>>>(a); }},
    {"ok_meeting_in_branches", "", [] { ok_meeting_in_branches<<<1, 32>>>(a); }},
    {"meeting_of_others", "__syncwarp() is missing", [] { meeting_of_others<<<1, 32>>>(a); }},
    {"ok_votes_of_who_is_left", "", [] { ok_votes_of_who_is_left<<<1, 32>>>(a); }},
    {"ok_halves_after_fence", "", [] { ok_halves_after_fence<<<1, 32>>>(a); }},
    {"many_readers", "__syncthreads() is missing", [] { many_readers<<<1, 64>>>(a); }},
    {"reader_of_other_block", "of another block", [] { reader_of_other_block<<<2, 64>>>(a, b); }},
    {"reader_that_told_nobody", "data race in global",
     [] { reader_that_told_nobody<<<1, 192>>>(a, b); }},
    {"ok_volatile_flag", "", [] { ok_volatile_flag<<<1, 64>>>(a, b); }},
    {"ok_volatile_flag_only", "", [] { ok_volatile_flag_only<<<1, 64>>>(a); }},
    {"volatile_in_place_of_barrier", "__syncthreads() is missing",
     [] { volatile_in_place_of_barrier<<<1, 64>>>(a); }},
    {"ok_look_back", "", [] { ok_look_back<<<40, 64>>>(a, (volatile long long *)(a + 4096), b); }},
    {"ok_waits_at_barriers", "",
     [] { cudaLaunchCooperativeKernel(ok_other_work<0>, 2, 64, pointers); }},
    {"ok_waits_and_counts", "",
     [] { cudaLaunchCooperativeKernel(ok_other_work<1>, 2, 64, pointers); }},
    {"note_waits_for_two", "the same value",
     [] { cudaLaunchCooperativeKernel(ok_other_work<2>, 2, 64, pointers); }},
    {"ok_long_barriers", "",
     [] {
         setenv("SIMT_WATCHDOG", "0.001", 1); // checked after a very short time
         ok_long_barriers<<<1, 64>>>(a, 9999);
     }},
    {"ok_many_sleeps", "", [] { ok_many_sleeps<<<1, 64>>>(a); }},
    {"ok_many_exchanges", "", [] { ok_many_exchanges<<<1, 1>>>(a); }},
    {"ok_plain_poll_ends", "", [] { ok_plain_poll_ends<<<1, 64>>>(a, b); }},
    {"nobody_sets_it", "no thread of this launch has changed it",
     [] { nobody_sets_it<<<1, 64>>>(a); }},
    {"lock_held_at_barrier", "and is now in __syncthreads() at",
     [] { lock_held_at_barrier<<<1, 64>>>(a); }},
    {"default_later_block", "need a cooperative launch",
     [] { default_later_block<<<200, 1>>>(a); }},
    {"ok_resident", "", [] { ok_resident<<<100, 1>>>(a); }},
    {"set_among_atomics", "__syncthreads() is missing", [] { set_among_atomics<<<1, 64>>>(a); }},
    {"read_among_atomics", "data race in shared", [] { read_among_atomics<<<1, 64>>>(a); }},
    {"ok_guarded_maximum", "", [] { ok_guarded_maximum<<<4, 64>>>(a, b); }},
    {"read_only_path", "memory that __ldg reads is written",
     [] { read_only_path<<<1, 64>>>(a, b); }},
    {"ok_read_only_path", "", [] { ok_read_only_path<<<1, 64>>>(a, b); }},
    {"copy_into_use", "writes from its issue on", [] { copies<false><<<1, 64>>>(f, f + 1024); }},
    {"ok_copies", "", [] { copies<true><<<2, 64>>>(f, f + 1024); }},
    {"copy_not_awaited", "is still copying to it",
     [] { copy_not_awaited<<<1, 64>>>(f, f + 1024); }},
    {"ok_grid_sync", "", [] { cudaLaunchCooperativeKernel(ok_grid_sync, 6, 64, pointers); }},
    {"no_grid_sync", "of another block",
     [] { cudaLaunchCooperativeKernel(no_grid_sync, 6, 64, pointers); }},
    {"ok_grid_barrier", "", [] { cudaLaunchCooperativeKernel(ok_grid_barrier, 6, 64, pointers); }},
    {"not_released", "data race in global",
     [] {
         hand_on<<<3, 32>>>(a, b, __NV_ATOMIC_RELAXED, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELEASE, 3);
     }},
    {"not_acquired", "data race in global",
     [] {
         hand_on<<<3, 32>>>(a, b, __NV_ATOMIC_RELEASE, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELEASE, 3);
     }},
    {"of_one_block", "data race in global",
     [] {
         hand_on<<<3, 32>>>(a, b, __NV_ATOMIC_RELEASE, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELEASE,
                            __NV_THREAD_SCOPE_BLOCK);
     }},
    {"ok_hand_on", "",
     [] {
         hand_on<<<3, 32>>>(a, b, __NV_ATOMIC_RELEASE, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELEASE, 3);
         hand_on<<<3, 32>>>(a + 8, b, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_SEQ_CST,
                            4);
     }},
    {"only_ring", "data race in global", [] { ring<<<2, 32>>>(a, b, b + 1, false); }},
    {"ok_ring", "", [] { ring<<<2, 32>>>(a, b, b + 1, true); }},
    {"only_hand_out", "data race in global", [] { only_hand_out<<<1, 64>>>(a); }},
    {"ok_long", "", [] { ok_long<<<1, 32>>>(a, b); }},
};

int main(int count, char **arguments)
{
    const size_t bytes = 1 << 16;
    a = zeros<int>(bytes);
    b = zeros<int>(bytes);
    f = zeros<float>(bytes);
    return run_case(cases, count, arguments);
}
