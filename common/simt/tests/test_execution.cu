// Kernel features: barriers, warp collectives, shared memory, atomics, vector types, copies. Also
// compiles with nvcc; the expected shuffles and atomics were seen on an H200.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include "cmocka_all.h"

#define assert_works(call) assert_int_equal(call, cudaSuccess)

// A device array. The host reads it after a launch.
template <class T>
struct device_array {
    T *device = nullptr;
    T host[4096];
    int count;

    explicit device_array(int n) : count(n)
    {
        assert_works(cudaMalloc(&device, n * sizeof(T)));
        assert_works(cudaMemset(device, 0, n * sizeof(T)));
    }
    ~device_array()
    {
        cudaFree(device);
    }
    void fetch()
    {
        assert_works(cudaGetLastError());
        assert_works(cudaMemcpy(host, device, count * sizeof(T), cudaMemcpyDeviceToHost));
    }
};

// ---- indices ----

__global__ void write_indices(int *out)
{
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = block * 1000 + thread;
}

static void test_indices(void **)
{
    device_array<int> out(2 * 3 * 4 * 5 * 3 * 2);
    write_indices<<<dim3(2, 3, 4), dim3(5, 3, 2)>>>(out.device);
    out.fetch();
    for (int i = 0; i < out.count; i++)
        assert_int_equal(out.host[i], i / 30 * 1000 + i % 30);
}

// ---- barriers ----

__global__ void barrier_after_exits(int *out)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (threadIdx.x % 3 == 1)
        return;
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}

static void test_barrier_counts_threads_that_are_left(void **)
{
    device_array<int> out(100);
    barrier_after_exits<<<1, 100>>>(out.device);
    out.fetch();
    for (int i = 0; i < 100; i++)
        assert_int_equal(out.host[i], i % 3 == 1 ? 0 : 67);
}

// ---- warp collectives ----

__global__ void shuffles(float *out)
{
    int t = threadIdx.x;
    float v = (float)t;
    out[t] = __shfl_down_sync(~0u, v, 3, 8);
    out[32 + t] = __shfl_up_sync(~0u, v, 3, 8);
    out[64 + t] = __shfl_xor_sync(~0u, v, 9, 8);
    out[96 + t] = __shfl_sync(~0u, v, 13, 8);
    out[128 + t] = __shfl_sync(~0u, v, -1, 16);
    out[160 + t] = __shfl_down_sync(~0u, v, 40);
    out[192 + t] = __shfl_xor_sync(~0u, v, 33);
    out[224 + t] = __shfl_down_sync(~0u, v, 16);
}

static void test_shuffles(void **)
{
    device_array<float> out(256);
    shuffles<<<1, 32>>>(out.device);
    out.fetch();
    for (int i = 0; i < 32; i++) {
        int group = i / 8 * 8, in_group = i % 8;
        assert_int_equal(out.host[i], in_group + 3 < 8 ? i + 3 : i);
        assert_int_equal(out.host[32 + i], in_group >= 3 ? i - 3 : i);
        assert_int_equal(out.host[64 + i], (i ^ 9) < group + 8 ? i ^ 9 : i);
        assert_int_equal(out.host[96 + i], group + 5);
        assert_int_equal(out.host[128 + i], i / 16 * 16 + 15);
        assert_int_equal(out.host[160 + i], i + 8 < 32 ? i + 8 : i);
        assert_int_equal(out.host[192 + i], i ^ 1);
        assert_int_equal(out.host[224 + i], i + 16 < 32 ? i + 16 : i);
    }
}

__global__ void partial_masks(int *out)
{
    int lane = threadIdx.x;
    if (lane < 16) {
        out[lane] = __shfl_down_sync(0x0000ffffu, lane, 1);
        __syncwarp(0x0000ffffu);
    } else {
        out[lane] = __shfl_up_sync(0xffff0000u, lane, 1);
    }
    out[32 + lane] = (int)__ballot_sync(0xffffffffu, lane % 2);
}

static void test_partial_masks(void **)
{
    device_array<int> out(64);
    partial_masks<<<1, 32>>>(out.device);
    out.fetch();
    // Undefined: lanes 15 and 16 read each other, and neither is in the other's mask.
    for (int i = 0; i < 15; i++)
        assert_int_equal(out.host[i], i + 1);
    for (int i = 17; i < 32; i++)
        assert_int_equal(out.host[i], i - 1);
    for (int i = 32; i < 64; i++)
        assert_int_equal((unsigned)out.host[i], 0xaaaaaaaau);
}

// ---- shared memory ----

__global__ void dynamic_rows(float *out)
{
    extern __shared__ float rows[][33];
    rows[threadIdx.y][threadIdx.x] = (float)(threadIdx.y * 32 + threadIdx.x);
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = rows[threadIdx.x % 8][threadIdx.y];
}

static void test_shared_memory(void **)
{
    device_array<float> turned(256);
    dynamic_rows<<<1, dim3(32, 8), 8 * 33 * sizeof(float)>>>(turned.device);
    turned.fetch();
    for (int i = 0; i < 256; i++)
        assert_true(turned.host[i] == (float)(i % 32 % 8 * 32 + i / 32));
}

#ifdef __SIMT__
__global__ void read_shared(unsigned *out)
{
    extern __shared__ unsigned words[];
    out[blockIdx.x * blockDim.x + threadIdx.x] = words[threadIdx.x];
    words[threadIdx.x] = 0;
}

static void test_dynamic_shared_memory_starts_as_nan(void **)
{
    device_array<unsigned> out(64);
    read_shared<<<2, 32, 128>>>(out.device);
    out.fetch();
    for (int i = 0; i < 64; i++)
        assert_int_equal(out.host[i], 0xffffffffu);
}
#endif

// ---- locks ----

// A lane holds the lock across a warp barrier. Others spin and must let that warp run.
__global__ void spin_lock(int *lock, int *count)
{
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        int seen = *(volatile int *)count;
#ifdef __SIMT__
        __nanosleep(100);
#endif
        *(volatile int *)count = seen + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

static void test_lock(void **)
{
    device_array<int> memory(2);
    spin_lock<<<4, 256>>>(memory.device, memory.device + 1);
    memory.fetch();
    assert_int_equal(memory.host[1], 32);
}

// ---- vector types ----

static_assert(sizeof(char2) == 2 && alignof(char2) == 2, "char2");
static_assert(sizeof(uchar4) == 4 && alignof(uchar4) == 4, "uchar4");
static_assert(sizeof(short3) == 6 && alignof(short3) == 2, "short3");
static_assert(sizeof(ushort4) == 8 && alignof(ushort4) == 8, "ushort4");
static_assert(sizeof(int2) == 8 && alignof(int2) == 8, "int2");
static_assert(sizeof(float3) == 12 && alignof(float3) == 4, "float3");
static_assert(sizeof(float4) == 16 && alignof(float4) == 16, "float4");
static_assert(sizeof(uint4) == 16 && alignof(uint4) == 16, "uint4");
static_assert(sizeof(longlong2) == 16 && alignof(longlong2) == 16, "longlong2");
static_assert(sizeof(double2) == 16 && alignof(double2) == 16, "double2");
static_assert(sizeof(double3) == 24 && alignof(double3) == 8, "double3");

// ---- asynchronous copies ----

#ifdef __SIMT__
__global__ void forgot_to_wait(const float *in, float *out)
{
    __shared__ float stage[32];
    stage[threadIdx.x] = -1;
    __pipeline_memcpy_async(&stage[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    out[threadIdx.x] = stage[threadIdx.x];
}

static void test_pipeline_shows_a_missing_wait(void **)
{
    device_array<float> in(32), out(32);
    forgot_to_wait<<<1, 32>>>(in.device, out.device);
    out.fetch();
    assert_true(out.host[3] == -1);
}

// ---- counters ----

__global__ void counted(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = __shfl_sync(~0u, (int)threadIdx.x, 0);
    __syncthreads();
    __syncwarp();
    if (__any_sync(~0u, 1))
        atomicAdd(out, s[threadIdx.x]);
}

static void test_counters(void **)
{
    device_array<int> out(1);
    struct simt_counters counters;
    simt_counters_reset();
    counted<<<3, 64>>>(out.device);
    simt_counters_read(&counters);
    assert_int_equal(counters.launches, 1);
    assert_int_equal(counters.blocks, 3);
    assert_int_equal(counters.threads, 192);
    assert_int_equal(counters.block_barriers, 3);
    assert_int_equal(counters.warp_barriers, 6);
    assert_int_equal(counters.shuffles, 6);
    assert_int_equal(counters.votes, 6);
    assert_int_equal(counters.reductions, 0);
    assert_int_equal(counters.atomics, 192);
}

__global__ void absent_source(float *out, double *wide)
{
    out[threadIdx.x] = __shfl_down_sync(0xffffffffu, 1.0f, 8);
    wide[threadIdx.x] = __shfl_down_sync(0xffffffffu, 1.0, 8);
}

static void test_absent_source_gives_nan(void **)
{
    device_array<float> out(16);
    device_array<double> wide(16);
    absent_source<<<1, 16>>>(out.device, wide.device);
    out.fetch();
    wide.fetch();
    for (int i = 0; i < 16; i++) {
        assert_true(i < 8 ? out.host[i] == 1 : out.host[i] != out.host[i]);
        assert_true(i < 8 ? wide.host[i] == 1 : wide.host[i] != wide.host[i]);
    }
}
#endif

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_barrier_counts_threads_that_are_left),
        cmocka_unit_test(test_shuffles),
        cmocka_unit_test(test_partial_masks),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_lock),
#ifdef __SIMT__
        cmocka_unit_test(test_dynamic_shared_memory_starts_as_nan),
        cmocka_unit_test(test_pipeline_shows_a_missing_wait),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_absent_source_gives_nan),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
