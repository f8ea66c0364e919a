// What kernels can do: barriers, warp collectives, shared memory, atomics, vector types, copies.
// Compiles with nvcc as well; the expected shuffles and atomics were seen on an H200.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include "cmocka_all.h"

#define assert_works(call) assert_int_equal(call, cudaSuccess)

// A device array that the host reads after a launch.
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
    void send()
    {
        assert_works(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice));
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
    for (int i = 0; i < out.count; i++) {
        assert_int_equal(out.host[i], i / 30 * 1000 + i % 30);
    }
}

// ---- barriers ----

__global__ void reduce_block(const float *x, float *out)
{
    __shared__ float partial[256];
    unsigned t = threadIdx.x;
    partial[t] = x[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride) {
            partial[t] += partial[t + stride];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = partial[0];
    }
}

static void test_block_barrier(void **)
{
    device_array<float> x(1024), out(4);
    for (int i = 0; i < 1024; i++) {
        x.host[i] = (float)(i % 10);
    }
    x.send();
    reduce_block<<<4, 256>>>(x.device, out.device);
    out.fetch();
    for (int block = 0; block < 4; block++) {
        float sum = 0;
        for (int i = 0; i < 256; i++) {
            sum += x.host[block * 256 + i];
        }
        assert_true(out.host[block] == sum);
    }
}

__global__ void barrier_after_exits(int *out)
{
    __shared__ int count;
    if (threadIdx.x == 0) {
        count = 0;
    }
    __syncthreads();
    if (threadIdx.x % 3 == 1) {
        return;
    }
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}

static void test_barrier_counts_threads_that_are_left(void **)
{
    device_array<int> out(100);
    barrier_after_exits<<<1, 100>>>(out.device);
    out.fetch();
    for (int i = 0; i < 100; i++) {
        assert_int_equal(out.host[i], i % 3 == 1 ? 0 : 67);
    }
}

__global__ void barrier_predicates(int *out)
{
    int t = threadIdx.x;
    int count = __syncthreads_count(t % 2);
    int all = __syncthreads_and(t < 100);
    int not_all = __syncthreads_and(t < 99);
    int any = __syncthreads_or(t == 7);
    int none = __syncthreads_or(0);
    out[t] = count * 10000 + all * 1000 + not_all * 100 + any * 10 + none;
}

static void test_barrier_predicates(void **)
{
    device_array<int> out(100);
    barrier_predicates<<<1, 100>>>(out.device);
    out.fetch();
    for (int i = 0; i < 100; i++) {
        assert_int_equal(out.host[i], 501010);
    }
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

template <class T>
__global__ void rotate(T *out)
{
    T value = (T)(threadIdx.x * 3 + 1);
    out[threadIdx.x] = __shfl_sync(0xffffffffu, value, (threadIdx.x + 1) % 32);
}

template <class T>
static void check_rotate()
{
    device_array<T> out(32);
    rotate<<<1, 32>>>(out.device);
    out.fetch();
    for (int i = 0; i < 32; i++) {
        assert_true(out.host[i] == (T)((i + 1) % 32 * 3 + 1));
    }
}

static void test_shuffle_types(void **)
{
    check_rotate<int>();
    check_rotate<unsigned>();
    check_rotate<long>();
    check_rotate<long long>();
    check_rotate<unsigned long long>();
    check_rotate<float>();
    check_rotate<double>();
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
    // Lane 15 reads lane 16 and lane 16 reads lane 15, which are not in their masks: undefined.
    for (int i = 0; i < 15; i++) {
        assert_int_equal(out.host[i], i + 1);
    }
    for (int i = 17; i < 32; i++) {
        assert_int_equal(out.host[i], i - 1);
    }
    for (int i = 32; i < 64; i++) {
        assert_int_equal((unsigned)out.host[i], 0xaaaaaaaau);
    }
}

__global__ void votes(unsigned *out)
{
    unsigned lane = threadIdx.x % 32;
    unsigned *mine = out + threadIdx.x * 8;
    int all_same = 0;
    mine[0] = __ballot_sync(~0u, lane < 5);
    mine[1] = (unsigned)__any_sync(~0u, lane == 31);
    mine[2] = (unsigned)__any_sync(~0u, 0);
    mine[3] = (unsigned)__all_sync(~0u, 1);
    mine[4] = (unsigned)__all_sync(~0u, lane != 3);
    mine[5] = __match_any_sync(~0u, lane % 4);
    mine[6] = __match_all_sync(~0u, 7, &all_same) + (unsigned)all_same * 0u;
    mine[7] = __match_all_sync(~0u, (int)lane, &all_same) + (unsigned)all_same;
}

static void test_votes(void **)
{
    device_array<unsigned> out(64 * 8);
    votes<<<1, 64>>>(out.device);
    out.fetch();
    for (int i = 0; i < 64; i++) {
        const unsigned *mine = out.host + i * 8;
        assert_int_equal(mine[0], 0x1f);
        assert_int_equal(mine[1], 1);
        assert_int_equal(mine[2], 0);
        assert_int_equal(mine[3], 1);
        assert_int_equal(mine[4], 0);
        assert_int_equal(mine[5], 0x11111111u << i % 4);
        assert_int_equal(mine[6], 0xffffffffu);
        assert_int_equal(mine[7], 0);
    }
}

__global__ void reductions(int *out)
{
    int v = (int)threadIdx.x - 10;
    unsigned u = threadIdx.x + 1;
    out[0] = __reduce_add_sync(~0u, v);
    out[1] = __reduce_min_sync(~0u, v);
    out[2] = __reduce_max_sync(~0u, v);
    out[3] = (int)__reduce_add_sync(~0u, u);
    out[4] = (int)__reduce_min_sync(~0u, u);
    out[5] = (int)__reduce_max_sync(~0u, u);
    out[6] = (int)__reduce_and_sync(~0u, u | 64);
    out[7] = (int)__reduce_or_sync(~0u, u);
    out[8] = (int)__reduce_xor_sync(~0u, u);
}

static void test_reductions(void **)
{
    const int expected[] = {176, -10, 21, 528, 1, 32, 64, 63, 32};
    device_array<int> out(9);
    reductions<<<1, 32>>>(out.device);
    out.fetch();
    for (int i = 0; i < 9; i++) {
        assert_int_equal(out.host[i], expected[i]);
    }
}

// Warp-aggregated atomics in a branch: the classic use of __activemask().
__global__ void aggregate(int *count, unsigned *masks)
{
    if (threadIdx.x % 32 < 10) {
        unsigned together = __activemask();
        int leader = __ffs((int)together) - 1;
        if ((int)(threadIdx.x % 32) == leader) {
            atomicAdd(count, __popc(together));
        }
        masks[threadIdx.x] = together;
    }
}

static void test_activemask(void **)
{
    device_array<int> count(1);
    device_array<unsigned> masks(64);
    aggregate<<<1, 64>>>(count.device, masks.device);
    count.fetch();
    masks.fetch();
    assert_int_equal(count.host[0], 20);
    assert_int_equal(masks.host[0], 0x3ff);
    assert_int_equal(masks.host[41], 0x3ff);
}

// ---- shared memory ----

template <class T, int ROWS>
__global__ void dynamic_and_static(T *out)
{
    extern __shared__ __align__(16) unsigned char bytes[];
    __shared__ T fixed[32];
    T *dynamic = reinterpret_cast<T *>(bytes);
    for (int row = 0; row < ROWS; row++) {
        dynamic[row * 32 + threadIdx.x] = (T)(row * 100 + threadIdx.x);
    }
    fixed[threadIdx.x] = (T)1;
    __syncthreads();
    T sum = fixed[31 - threadIdx.x];
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        sum += dynamic[row * 32 + 31 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

__global__ void dynamic_rows(float *out)
{
    extern __shared__ float rows[][33];
    rows[threadIdx.y][threadIdx.x] = (float)(threadIdx.y * 32 + threadIdx.x);
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = rows[threadIdx.x % 8][threadIdx.y];
}

static void test_shared_memory(void **)
{
    device_array<double> out(32);
    device_array<float> turned(256);
    dynamic_and_static<double, 3><<<1, 32, 3 * 32 * sizeof(double)>>>(out.device);
    out.fetch();
    for (int i = 0; i < 32; i++) {
        assert_true(out.host[i] == 1 + 300 + 3 * (31 - i));
    }
    dynamic_rows<<<1, dim3(32, 8), 8 * 33 * sizeof(float)>>>(turned.device);
    turned.fetch();
    for (int i = 0; i < 256; i++) {
        assert_true(turned.host[i] == (float)(i % 32 % 8 * 32 + i / 32));
    }
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
    for (int i = 0; i < 64; i++) {
        assert_int_equal(out.host[i], 0xffffffffu);
    }
}
#endif

// ---- locks and tickets ----

__device__ unsigned ticket;

// A lock that is held across a barrier of the warp: others must get a turn while they spin.
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

__global__ void last_block(const int *x, int *parts, int *out)
{
    __shared__ bool last;
    parts[blockIdx.x] = x[blockIdx.x];
    __threadfence();
    if (threadIdx.x == 0) {
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        for (unsigned i = 0; i < gridDim.x; i++) {
            *out += parts[i];
        }
    }
}

static void test_last_block(void **)
{
    device_array<int> x(100), parts(100), out(1);
    unsigned zero = 0;
    for (int i = 0; i < 100; i++) {
        x.host[i] = i;
    }
    x.send();
    assert_works(cudaMemcpyToSymbol(ticket, &zero, sizeof zero));
    last_block<<<100, 32>>>(x.device, parts.device, out.device);
    out.fetch();
    assert_int_equal(out.host[0], 4950);
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

__global__ void pipeline(const float *in, float *out)
{
    __shared__ float stage[2][64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&stage[0][t], &in[t], 4);
    __pipeline_commit();
    for (int i = 0; i < 4; i++) {
        if (i + 1 < 4) {
            __pipeline_memcpy_async(&stage[(i + 1) % 2][t], &in[(i + 1) * 64 + t], 4);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[i * 64 + t] = stage[i % 2][63 - t];
        __syncthreads();
    }
}

__global__ void pipeline_wide(const float4 *in, float4 *out)
{
    __shared__ float4 tile[32];
    // The last two floats of each are zeros instead of what the source has.
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 16, 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x];
}

static void test_pipeline(void **)
{
    device_array<float> in(256), out(256);
    for (int i = 0; i < 256; i++) {
        in.host[i] = (float)i;
    }
    in.send();
    pipeline<<<1, 64>>>(in.device, out.device);
    out.fetch();
    for (int i = 0; i < 256; i++) {
        assert_true(out.host[i] == (float)(i / 64 * 64 + 63 - i % 64));
    }
    pipeline_wide<<<1, 32>>>((const float4 *)in.device, (float4 *)out.device);
    out.fetch();
    assert_true(out.host[4] == 4 && out.host[5] == 5 && out.host[6] == 0 && out.host[7] == 0);
}

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
    if (__any_sync(~0u, 1)) {
        atomicAdd(out, s[threadIdx.x]);
    }
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
        cmocka_unit_test(test_block_barrier),
        cmocka_unit_test(test_barrier_counts_threads_that_are_left),
        cmocka_unit_test(test_barrier_predicates),
        cmocka_unit_test(test_shuffles),
        cmocka_unit_test(test_shuffle_types),
        cmocka_unit_test(test_partial_masks),
        cmocka_unit_test(test_votes),
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_activemask),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_last_block),
        cmocka_unit_test(test_pipeline),
#ifdef __SIMT__
        cmocka_unit_test(test_dynamic_shared_memory_starts_as_nan),
        cmocka_unit_test(test_pipeline_shows_a_missing_wait),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_absent_source_gives_nan),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
