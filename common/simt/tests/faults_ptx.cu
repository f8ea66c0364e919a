// Seeded faults in inline PTX: mbarriers, asynchronous copies, numbered barriers. The format is
// that of faults.cu. nvcc (sm_90a) also compiles it.
#include <cuda.h>

#include "cases.cuh"
#include "ptx_helpers.cuh"

static const int BLOCK = 128, TILE = 1024; // bytes

// ---- mbarrier ----

__global__ void missing_arrival(float *out)
{
    __shared__ barrier_t b;
    if (threadIdx.x == 0)
        init(&b, BLOCK); // FAULT missing_arrival
    __syncthreads();
    if (threadIdx.x != 3)
        arrive(&b);
    wait(&b, 0); // FAULT missing_arrival
    out[threadIdx.x] = 0;
}

__global__ void missing_bytes(float *out, const float *in)
{
    extern __shared__ __align__(128) float tile[];
    __shared__ barrier_t b;
    if (threadIdx.x == 0)
        init_one(&b);
    __syncthreads();
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 0) {
            expect(&b, TILE);
            load(tile, in, i ? TILE / 2 : TILE, &b);
        }
        wait(&b, i); // FAULT missing_bytes
        out[threadIdx.x] = tile[threadIdx.x];
        __syncthreads();
    }
}

__global__ void bytes_unexpected(float *out, const float *in)
{
    extern __shared__ __align__(128) float tile[];
    __shared__ barrier_t b;
    if (threadIdx.x == 0) {
        init_one(&b);
        expect(&b, TILE / 2);
        load(tile, in, TILE, &b);
    }
    __syncthreads();
    wait(&b, 0); // FAULT bytes_unexpected
    out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void wrong_parity(float *out)
{
    __shared__ barrier_t b;
    if (threadIdx.x == 0)
        init(&b, BLOCK);
    __syncthreads();
    arrive(&b);
    wait(&b, 0);
    wait(&b, 1); // FAULT wrong_parity
    out[threadIdx.x] = 0;
}

__global__ void arrives_too_often(float *out)
{
    __shared__ barrier_t b;
    if (threadIdx.x == 0) {
        init(&b, 2);
        asm volatile( // FAULT often
            "{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0], 3;}" ::"r"(shared(&b)));
    }
    out[threadIdx.x] = 0;
}

__global__ void no_init(float *out)
{
    __shared__ barrier_t b;
    b = 0;
    arrive(&b);
    out[threadIdx.x] = 0;
}

__global__ void overwritten_barrier(float *out)
{
    __shared__ barrier_t b;
    init(&b, 1);
    b = 7;
    arrive(&b);
    out[threadIdx.x] = 0;
}

__global__ void init_unordered(float *out)
{
    __shared__ barrier_t b;
    if (threadIdx.x == 0)
        init(&b, BLOCK); // FAULT init_unordered
    __syncwarp();
    arrive(&b); // FAULT init_unordered
    wait(&b, 0);
    out[threadIdx.x] = 0;
}

// After the wait, writes from before an arrival are visible. Writes from after it are not.
__global__ void written_after_arrival(float *out)
{
    __shared__ float s[BLOCK];
    __shared__ barrier_t b;
    if (threadIdx.x == 0)
        init(&b, BLOCK);
    __syncthreads();
    arrive(&b);
    s[threadIdx.x] = 1; // FAULT written_after_arrival
    wait(&b, 0);
    out[threadIdx.x] = s[BLOCK - 1 - threadIdx.x]; // FAULT written_after_arrival
}

// The consumers wait but never signal that they have read. The producer overwrites the stage.
__global__ void stage_overwritten(float *out)
{
    __shared__ float stage[64];
    __shared__ barrier_t full;
    float sum = 0;
    if (threadIdx.x == 0)
        init(&full, 64);
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x < 64) {
            stage[threadIdx.x] = i;
            arrive(&full);
            wait(&full, i & 1);
        } else {
            wait(&full, i & 1); // FAULT stage_overwritten
            sum += stage[threadIdx.x - 64];
        }
    }
    out[threadIdx.x] = sum;
}

// The consumers signal, but too early.
__global__ void freed_too_early(float *out)
{
    __shared__ float stage[64];
    __shared__ barrier_t full, empty;
    float sum = 0;
    if (threadIdx.x == 0) {
        init(&full, 64);
        init(&empty, 64);
    }
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x < 64) {
            wait(&empty, (i & 1) ^ 1);
            stage[threadIdx.x] = i; // FAULT freed_too_early
            arrive(&full);
        } else {
            wait(&full, i & 1);
            arrive(&empty);
            sum += stage[threadIdx.x - 64]; // FAULT freed_too_early
        }
    }
    out[threadIdx.x] = sum;
}

__global__ void relaxed_arrival(float *out)
{
    __shared__ float s[BLOCK];
    __shared__ barrier_t b;
    if (threadIdx.x == 0)
        init(&b, BLOCK);
    __syncthreads();
    s[threadIdx.x] = 1; // FAULT relaxed_arrival
    asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(shared(&b))
                 : "memory");
    wait(&b, 0);
    out[threadIdx.x] = s[BLOCK - 1 - threadIdx.x]; // FAULT relaxed_arrival
}

// ---- bulk copies ----

__global__ void no_wait(float *out, const float *in)
{
    extern __shared__ __align__(128) float tile[];
    __shared__ barrier_t b;
    if (threadIdx.x == 0) {
        init_one(&b);
        expect_load(tile, in, TILE, &b); // FAULT no_wait
    }
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x]; // FAULT no_wait
    wait(&b, 0);
}

// One thread waits for the copy. This orders nothing for the other threads.
__global__ void one_waits(float *out, const float *in)
{
    extern __shared__ __align__(128) float tile[];
    __shared__ barrier_t b;
    if (threadIdx.x == 0) {
        init_one(&b);
        expect_load(tile, in, TILE, &b); // FAULT one_waits
    }
    __syncthreads();
    if (threadIdx.x == 0)
        wait(&b, 0);
    out[threadIdx.x] = tile[threadIdx.x]; // FAULT one_waits
}

// The thread that waited signals another, but in a way that does not order memory.
__global__ void one_tells(float *out, const float *in, unsigned *flag)
{
    extern __shared__ __align__(128) float tile[];
    __shared__ barrier_t b;
    if (threadIdx.x == 0) {
        init_one(&b);
        expect_load(tile, in, TILE, &b); // FAULT one_tells
        wait(&b, 0);
        atomicExch(flag, 1);
    } else if (threadIdx.x == 64) {
        while (atomicAdd(flag, 0) == 0) {
        }
        out[0] = tile[5]; // FAULT one_tells
    }
}

__global__ void wrong_barrier(float *out, const float *in)
{
    extern __shared__ __align__(128) float tile[];
    __shared__ barrier_t b[2];
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++) {
            init_one(&b[i]);
            expect_load(tile + i * TILE / 4, in, TILE, &b[i]); // FAULT wrong_barrier
        }
    }
    __syncthreads();
    wait(&b[0], 0);
    out[threadIdx.x] = tile[TILE / 4 + threadIdx.x]; // FAULT wrong_barrier
    wait(&b[1], 0);
}

__global__ void tile_still_read(float *out, const float *in)
{
    extern __shared__ __align__(128) float tile[];
    __shared__ barrier_t b;
    float sum = 0;
    if (threadIdx.x == 0)
        init_one(&b);
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x == 0)
            expect_load(tile, in, TILE, &b); // FAULT tile_still_read
        wait(&b, i & 1);
        sum += tile[threadIdx.x]; // FAULT tile_still_read
    }
    out[threadIdx.x] = sum;
}

__global__ void no_fence_before_store(float *out)
{
    __shared__ __align__(128) float tile[BLOCK];
    tile[threadIdx.x] = threadIdx.x; // FAULT no_fence_before_store
    __syncthreads();
    if (threadIdx.x == 0) {
        store(out, tile, sizeof tile); // FAULT no_fence_before_store
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

__global__ void fence_too_early(float *out)
{
    __shared__ __align__(128) float tile[BLOCK];
    fence_proxy();
    tile[threadIdx.x] = threadIdx.x; // FAULT fence_too_early
    __syncthreads();
    if (threadIdx.x == 0) {
        store(out, tile, sizeof tile); // FAULT fence_too_early
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

__global__ void no_fence_before_load(float *out, const float *in)
{
    extern __shared__ __align__(128) float tile[];
    __shared__ barrier_t b;
    tile[threadIdx.x] = 0; // FAULT no_fence_before_load
    if (threadIdx.x == 0)
        init_one(&b);
    __syncthreads();
    if (threadIdx.x == 0)
        expect_load(tile, in, TILE, &b); // FAULT no_fence_before_load
    wait(&b, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void no_fence_behind_init(float *out, const float *in)
{
    extern __shared__ __align__(128) float tile[];
    __shared__ barrier_t b;
    if (threadIdx.x == 0) {
        init(&b, 1);                     // FAULT no_fence_behind_init
        expect_load(tile, in, TILE, &b); // FAULT no_fence_behind_init
    }
    __syncthreads();
    wait(&b, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void store_source_overwritten(float *out)
{
    __shared__ __align__(128) float tile[BLOCK];
    tile[threadIdx.x] = threadIdx.x;
    fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0)
        store(out, tile, sizeof tile); // FAULT store_source_overwritten
    __syncthreads();
    tile[threadIdx.x] = 1; // FAULT store_source_overwritten
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

__global__ void store_not_awaited(float *out)
{
    __shared__ __align__(128) float tile[BLOCK];
    tile[threadIdx.x] = threadIdx.x;
    fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0)
        store(out, tile, sizeof tile); // FAULT store_not_awaited
}

__global__ void store_read_too_early(float *out)
{
    __shared__ __align__(128) float tile[BLOCK];
    tile[threadIdx.x] = threadIdx.x;
    fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0) {
        store(out, tile, sizeof tile); // FAULT store_read_too_early
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        out[BLOCK] = out[5]; // FAULT store_read_too_early
    }
}

__global__ void load_not_awaited(float *out, const float *in)
{
    extern __shared__ __align__(128) float tile[];
    __shared__ barrier_t b;
    if (threadIdx.x == 0) {
        init_one(&b);
        expect_load(tile, in, TILE, &b); // FAULT load_not_awaited
    }
    out[threadIdx.x] = 0;
}

__global__ void load_misaligned(const float *in)
{
    extern __shared__ __align__(128) float tile[];
    __shared__ barrier_t b;
    init_one(&b);
    expect(&b, 64);
    load(tile, in + 1, 64, &b); // FAULT load_misaligned
    wait(&b, 0);
}

__global__ void load_past_end(const float *in)
{
    extern __shared__ __align__(128) float tile[];
    __shared__ barrier_t b;
    init_one(&b);
    expect(&b, 64);
    load(tile, in + 1016, 64, &b); // FAULT load_past_end
    wait(&b, 0);
}

// ---- barriers with a number, and other things ----

__global__ void too_few_at_barrier(float *out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory"); // FAULT too_few_at_barrier
    out[threadIdx.x] = 0;
}

__global__ void wrong_half(float *out)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x] = 1; // FAULT wrong_half
    asm volatile("bar.sync %0, 64;" ::"r"(1 + threadIdx.x / 64) : "memory");
    out[threadIdx.x] = s[threadIdx.x ^ 64]; // FAULT wrong_half
}

__global__ void arrived_too_early(float *out)
{
    __shared__ float s[64];
    if (threadIdx.x < 64) {
        asm volatile("bar.arrive 1, 128;" ::: "memory");
        s[threadIdx.x] = 1; // FAULT arrived_too_early
    } else {
        asm volatile("bar.sync 1, 128;" ::: "memory");
        out[threadIdx.x] = s[threadIdx.x - 64]; // FAULT arrived_too_early
    }
}

__global__ void pointer_as_offset(float *out)
{
    __shared__ float s[4];
    s[0] = 1;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(out[0]) : "l"(s) : "memory");
}

__global__ void past_shared(float *out)
{
    extern __shared__ float tile[];
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(shared(tile) + 2048), "f"(1.0f)); // FAULT past
    out[0] = 0;
}

__global__ void shared_race(float *out)
{
    __shared__ float s[BLOCK];
    const unsigned mine = shared(&s[threadIdx.x]), other = shared(&s[BLOCK - 1 - threadIdx.x]);
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(mine), "f"(1.0f));                // FAULT srace
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(out[threadIdx.x]) : "r"(other)); // FAULT srace
}

// A flag whose reader does not acquire.
__global__ void no_acquire(float *out, unsigned *flag)
{
    __shared__ float s;
    unsigned seen;
    if (threadIdx.x == 0) {
        s = 1; // FAULT no_acquire
        asm volatile("st.release.cta.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else if (threadIdx.x == 64) {
        do
            asm volatile("ld.relaxed.cta.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        while (!seen);
        out[0] = s; // FAULT no_acquire
    }
}

// ---- atomics ----

__global__ void vector_race(float *out)
{
    if (threadIdx.x < 64)
        add_four(out); // FAULT vector_race
    else if (threadIdx.x == 64)
        out[3] = 0; // FAULT vector_race
}

__global__ void half_race(unsigned short *out)
{
    if (threadIdx.x < 64)
        add_half(out + 1); // FAULT half_race
    else if (threadIdx.x == 64)
        out[1] = 0; // FAULT half_race
}

__global__ void vector_misaligned(float *out)
{
    add_four(out + 1); // FAULT vector_misaligned
}

// Accesses next to the data that other threads change.
__global__ void ok_beside(unsigned short *out)
{
    if (threadIdx.x < 64)
        add_half(out + threadIdx.x % 2 * 2);
    else if (threadIdx.x == 64)
        out[1] = 7;
    else if (threadIdx.x < 100)
        add_four((float *)(out + 8));
}

// ---- right ----

__global__ void ok_flag(float *out, unsigned *flag)
{
    __shared__ float s;
    unsigned seen;
    if (threadIdx.x == 0) {
        s = 1;
        asm volatile("st.release.cta.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else if (threadIdx.x == 64) {
        do
            asm volatile("ld.acquire.cta.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        while (!seen);
        out[0] = s;
    }
}

// Producers and consumers with two stages.
__global__ void ok_ring(float *out)
{
    __shared__ float stage[2][64];
    __shared__ barrier_t full[2], empty[2];
    float sum = 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; i++) {
            init(&full[i], 64);
            init(&empty[i], 64);
        }
    __syncthreads();
    for (int i = 0; i < 7; i++) {
        int s = i % 2, round = i / 2;
        if (threadIdx.x < 64) {
            wait(&empty[s], (round & 1) ^ 1);
            stage[s][threadIdx.x] = i;
            arrive(&full[s]);
        } else {
            if (i % 3 == 0)
                poll(&full[s], round & 1);
            else
                wait(&full[s], round & 1);
            sum += stage[s][127 - threadIdx.x];
            arrive(&empty[s]);
        }
    }
    if (threadIdx.x >= 64 && sum != 21)
        __trap();
    out[threadIdx.x] = sum;
}

// Waits by state instead of parity. Each thread's arrival counts twice.
__global__ void ok_state(float *out)
{
    __shared__ float s[BLOCK];
    __shared__ barrier_t b;
    unsigned long long state;
    unsigned done;
    if (threadIdx.x == 0)
        init(&b, 2 * BLOCK);
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = i;
        asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], 2;"
                     : "=l"(state)
                     : "r"(shared(&b))
                     : "memory");
        do
            asm volatile(
                "{.reg .pred p; mbarrier.try_wait.acquire.cta.shared::cta.b64 p, [%1], %2, "
                "1000; selp.u32 %0, 1, 0, p;}"
                : "=r"(done)
                : "r"(shared(&b)), "l"(state)
                : "memory");
        while (!done);
        out[threadIdx.x] = s[BLOCK - 1 - threadIdx.x];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared(&b)) : "memory");
}

__global__ void ok_bulk(float *out, const float *in)
{
    extern __shared__ __align__(128) float tile[];
    __shared__ barrier_t b[2];
    float sum = 0;
    if (threadIdx.x == 0) {
        init(&b[0], 1);
        init_one(&b[1]);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; s++) {
            expect(&b[s], TILE);
            load(tile + s * TILE / 4, in + s * TILE / 4, TILE / 2, &b[s]);
            load(tile + s * TILE / 4 + TILE / 8, in + s * TILE / 4 + TILE / 8, TILE / 2, &b[s]);
        }
    for (int i = 0; i < 5; i++) {
        int s = i % 2;
        wait(&b[s], i / 2 & 1);
        sum += tile[s * TILE / 4 + threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0 && i < 3)
            expect_load(tile + s * TILE / 4, in, TILE, &b[s]);
    }
    out[threadIdx.x] = sum;
}

// One thread waits. A barrier then orders the copy before the reads of the other threads.
__global__ void ok_one_waits(float *out, const float *in)
{
    extern __shared__ __align__(128) float tile[];
    __shared__ barrier_t b;
    if (threadIdx.x == 0) {
        init_one(&b);
        expect_load(tile, in, TILE, &b);
        wait(&b, 0);
    }
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

// Either each writer executes a fence, or the thread that starts the copy does so for all.
__global__ void ok_store(float *out)
{
    __shared__ __align__(128) float tile[2][BLOCK];
    for (int i = 0; i < 4; i++) {
        if (i >= 2 && threadIdx.x == 0)
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        __syncthreads();
        tile[i % 2][threadIdx.x] = threadIdx.x + i;
        if (i % 2 == 0)
            fence_proxy();
        __syncthreads();
        if (threadIdx.x == 0) {
            if (i % 2 == 1)
                fence_proxy();
            store(out + i * BLOCK, tile[i % 2], sizeof tile[0]);
        }
    }
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        if (out[5] != 5 || out[3 * BLOCK + 5] != 8)
            __trap();
    }
}

// Each warp adds its part to the same memory at the same time.
__global__ void ok_add(float *out)
{
    __shared__ __align__(128) float tile[BLOCK];
    tile[threadIdx.x] = 1;
    fence_proxy();
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 128;\n"
                     "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(out),
                     "r"(shared(tile + threadIdx.x))
                     : "memory");
}

// Writers execute a fence and arrive at an mbarrier. A thread of another warp starts the copy.
__global__ void ok_store_by_other(float *out)
{
    __shared__ __align__(128) float tile[64];
    __shared__ barrier_t b;
    if (threadIdx.x == 0)
        init(&b, 64);
    __syncthreads();
    if (threadIdx.x < 64) {
        tile[threadIdx.x] = 1;
        fence_proxy();
        arrive(&b);
    } else if (threadIdx.x == 64) {
        wait(&b, 0);
        store(out, tile, sizeof tile);
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

__global__ void ok_copy_arrive(float *out, const float *in)
{
    __shared__ float tile[BLOCK];
    __shared__ barrier_t b;
    if (threadIdx.x == 0)
        init(&b, BLOCK);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared(&tile[threadIdx.x])),
                 "l"(in + threadIdx.x)
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared(&b)) : "memory");
    wait(&b, 0);
    out[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}

__global__ void ok_named(float *out)
{
    __shared__ float s[BLOCK];
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = i;
        asm volatile("bar.sync %0, 64;" ::"r"(1 + threadIdx.x / 64) : "memory");
        out[threadIdx.x] = s[threadIdx.x ^ 32];
        asm volatile("barrier.sync %0, 64;" ::"r"(1 + threadIdx.x / 64) : "memory");
    }
    if (threadIdx.x < 64) {
        s[threadIdx.x] = 1;
        asm volatile("bar.arrive 5, 128;" ::: "memory");
    } else {
        asm volatile("bar.sync 5, 128;" ::: "memory");
        out[threadIdx.x] = s[threadIdx.x - 64];
    }
}

static float *f, *g;
static unsigned *words;

static const Case cases[] = {
    {"missing_arrival", "phase 0, 1 of 128 arrivals missing",
     [] { missing_arrival<<<1, BLOCK>>>(f); }},
    {"missing_bytes", "phase 1, 512 bytes missing",
     [] { missing_bytes<<<1, BLOCK, TILE>>>(f, g); }},
    {"bytes_unexpected", "512 bytes came that no thread expected",
     [] { bytes_unexpected<<<1, BLOCK, TILE>>>(f, g); }},
    {"wrong_parity", "phase 1, 128 of 128 arrivals missing", [] { wrong_parity<<<1, BLOCK>>>(f); }},
    {"often", "more threads arrive than the phase expects",
     [] { arrives_too_often<<<1, 32>>>(f); }},
    {"no_init", "mbarrier.init has not been called", [] { no_init<<<1, 1>>>(f); }},
    {"overwritten_barrier", "has written to the barrier's 8 bytes",
     [] { overwritten_barrier<<<1, 1>>>(f); }},
    {"init_unordered", "data race in shared memory|mbarrier.init has not been called",
     [] { init_unordered<<<1, BLOCK>>>(f); }},
    {"written_after_arrival", "data race in shared memory",
     [] { written_after_arrival<<<1, BLOCK>>>(f); }},
    {"stage_overwritten", "phase 4, 64 of 64 arrivals missing|data race in shared memory",
     [] { stage_overwritten<<<1, BLOCK>>>(f); }},
    {"freed_too_early", "data race in shared memory", [] { freed_too_early<<<1, BLOCK>>>(f); }},
    {"relaxed_arrival", "data race in shared memory", [] { relaxed_arrival<<<1, BLOCK>>>(f); }},
    {"no_wait", "is still copying to it asynchronously", [] { no_wait<<<1, BLOCK, TILE>>>(f, g); }},
    {"one_waits", "is still copying to it asynchronously",
     [] { one_waits<<<1, BLOCK, TILE>>>(f, g); }},
    {"one_tells", "had it written by a bulk copy",
     [] { one_tells<<<1, BLOCK, TILE>>>(f, g, words); }},
    {"wrong_barrier", "is still copying to it asynchronously",
     [] { wrong_barrier<<<1, BLOCK, 2 * TILE>>>(f, g); }},
    {"tile_still_read", "copies asynchronously to",
     [] { tile_still_read<<<1, BLOCK, TILE>>>(f, g); }},
    {"no_fence_before_store", "no fence.proxy.async between a write and a bulk copy",
     [] { no_fence_before_store<<<1, BLOCK>>>(f); }},
    {"fence_too_early", "no fence.proxy.async between a write and a bulk copy",
     [] { fence_too_early<<<1, BLOCK>>>(f); }},
    {"no_fence_before_load", "no fence.proxy.async between a write and a bulk copy",
     [] { no_fence_before_load<<<1, BLOCK, TILE>>>(f, g); }},
    {"no_fence_behind_init", "no fence.proxy.async between a write and a bulk copy",
     [] { no_fence_behind_init<<<1, BLOCK, TILE>>>(f, g); }},
    {"store_source_overwritten", "is still reading it by a bulk copy",
     [] { store_source_overwritten<<<1, BLOCK>>>(f); }},
    {"store_not_awaited", "still reads shared memory when its thread returns",
     [] { store_not_awaited<<<1, BLOCK>>>(f); }},
    {"store_read_too_early", "is still copying to it asynchronously",
     [] { store_read_too_early<<<1, BLOCK>>>(f); }},
    {"load_not_awaited", "is still under way when the block ends",
     [] { load_not_awaited<<<1, BLOCK, TILE>>>(f, g); }},
    {"load_misaligned", "not a multiple of 16", [] { load_misaligned<<<1, 1, TILE>>>(g); }},
    {"load_past_end", "past the end of a 4096-byte allocation",
     [] { load_past_end<<<1, 1, TILE>>>(g); }},
    {"too_few_at_barrier", "in bar.sync 1", [] { too_few_at_barrier<<<1, 64>>>(f); }},
    {"wrong_half", "data race in shared memory", [] { wrong_half<<<1, BLOCK>>>(f); }},
    {"arrived_too_early", "data race in shared memory", [] { arrived_too_early<<<1, BLOCK>>>(f); }},
    {"pointer_as_offset", "is no address in shared memory", [] { pointer_as_offset<<<1, 1>>>(f); }},
    {"past", "access past the end of dynamic shared memory",
     [] { past_shared<<<1, 1, 2048>>>(f); }},
    {"srace", "data race in shared memory", [] { shared_race<<<1, BLOCK>>>(f); }},
    {"no_acquire", "data race in shared memory", [] { no_acquire<<<1, BLOCK>>>(f, words); }},
    {"vector_race", "data race in global memory", [] { vector_race<<<1, BLOCK>>>(f); }},
    {"half_race", "data race in global memory",
     [] { half_race<<<1, BLOCK>>>((unsigned short *)f); }},
    {"vector_misaligned", "atomic on the misaligned address",
     [] { vector_misaligned<<<1, 1>>>(f); }},
    {"ok_beside", "", [] { ok_beside<<<1, BLOCK>>>((unsigned short *)f); }},
    {"ok_flag", "", [] { ok_flag<<<1, BLOCK>>>(f, words); }},
    {"ok_ring", "", [] { ok_ring<<<1, BLOCK>>>(f); }},
    {"ok_state", "", [] { ok_state<<<1, BLOCK>>>(f); }},
    {"ok_bulk", "", [] { ok_bulk<<<1, BLOCK, 2 * TILE>>>(f, g); }},
    {"ok_one_waits", "", [] { ok_one_waits<<<1, BLOCK, TILE>>>(f, g); }},
    {"ok_store", "", [] { ok_store<<<1, BLOCK>>>(f); }},
    {"ok_add", "", [] { ok_add<<<4, BLOCK>>>(f); }},
    {"ok_store_by_other", "", [] { ok_store_by_other<<<1, BLOCK>>>(f); }},
    {"ok_copy_arrive", "", [] { ok_copy_arrive<<<1, BLOCK>>>(f, g); }},
    {"ok_named", "", [] { ok_named<<<1, BLOCK>>>(f); }},
};

int main(int count, char **arguments)
{
    f = zeros<float>(4096);
    g = zeros<float>(4096);
    words = zeros<unsigned>(4096);
    return run_case(cases, count, arguments);
}
