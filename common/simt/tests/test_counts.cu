// Counters of 15 kernels compared with those of an H200 (driver 580, CUDA 13.0, ncu).
// Conflicts: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{ld,st}.sum. Requests and
// sectors: l1tex__t_{requests,sectors}_pipe_lsu_mem_global_op_{ld,st}.sum. Shared loads:
// smsp__sass_inst_executed_op_shared_ld.sum. 65,536 floats in blocks of 256; 128 x 128
// matrices.
//
// Compiled with -O1 and with -O2: all integers must be the same.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <vector>

#include "cmocka_all.h"
#include "simt_analysis.h"

static const int N = 65536, BLOCK = 256, SIDE = 128;

// ---- reductions ---------------------------------------------------------------------------------

__global__ void interleaved(const float *x, float *out)
{
    __shared__ float s[BLOCK];
    const int t = threadIdx.x;
    s[t] = x[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int stride = 1; stride < (int)blockDim.x; stride *= 2) {
        if (t % (2 * stride) == 0)
            s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void strided(const float *x, float *out)
{
    extern __shared__ float s[];
    const int t = threadIdx.x;
    s[t] = x[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int stride = 1; stride < (int)blockDim.x; stride *= 2) {
        const int left = 2 * stride * t;
        if (left < (int)blockDim.x)
            s[left] += s[left + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

template <bool RIGHT>
__global__ void sequential(const float *x, float *out)
{
    __shared__ float s[BLOCK];
    const int t = threadIdx.x;
    s[t] = x[blockIdx.x * blockDim.x + t];
    if (RIGHT)
        __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride)
            s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__device__ __forceinline__ float sum_of_warp(float mine)
{
    for (int offset = 16; offset > 0; offset /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, offset);
    return mine;
}

__global__ void wide_shuffle(const float *x, float *out)
{
    __shared__ float s[32];
    const int t = threadIdx.x;
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < N / 4; i += blockDim.x * gridDim.x) {
        const float4 v = ((const float4 *)x)[i];
        mine += v.x + v.y + v.z + v.w;
    }
    mine = sum_of_warp(mine);
    if (t % 32 == 0)
        s[t / 32] = mine;
    __syncthreads();
    if (t < 32) {
        mine = t < (int)blockDim.x / 32 ? s[t] : 0;
        mine = sum_of_warp(mine);
        if (t == 0)
            out[blockIdx.x] = mine;
    }
}

__global__ void one_atomic_each(const float *x, float *out)
{
    atomicAdd(out, x[blockIdx.x * blockDim.x + threadIdx.x]);
}

// ---- matrix products ----------------------------------------------------------------------------

template <bool ROWS>
__global__ void naive_product(const float *a, const float *b, float *c)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int row = ROWS ? x : y, column = ROWS ? y : x;
    float sum = 0;
    for (int k = 0; k < SIDE; k++)
        sum += a[row * SIDE + k] * b[k * SIDE + column];
    c[row * SIDE + column] = sum;
}

// ---- copies -------------------------------------------------------------------------------------

__global__ void transpose(const float *in, float *out)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    out[x * SIDE + y] = in[y * SIDE + x];
}

template <int PADDING>
__global__ void shared_transpose(const float *in, float *out)
{
    __shared__ float s[32][32 + PADDING];
    const int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = in[(blockIdx.y * 32 + y) * SIDE + blockIdx.x * 32 + x];
    __syncthreads();
    out[(blockIdx.x * 32 + y) * SIDE + blockIdx.y * 32 + x] = s[x][y];
}

__global__ void copy(const float *in, float *out, int stride, int offset)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(i * stride + offset) % N];
}

/* Each lane makes as many iterations as its number. */
__global__ void branchy(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, turns = i % 32;
    float v = in[i];
    for (int k = 0; k < turns; k++)
        if (k & i & 1)
            v = sqrtf(v + in[(i + k) % N]);
        else
            v += in[(i * 2 + k) % N];
    out[i] = v;
}

// ---- lanes that diverge and must reconverge -----------------------------------------------------

/* Strips of 4 floats in rows of 70, two rows per thread. The last row and strip exceed the bounds.
 * Compilers may or may not unroll the loops, and they choose the order of basic blocks. All lanes
 * must reconverge before each store. */
__global__ void guarded_rows(float *out, unsigned width, unsigned height, unsigned pictures)
{
    const unsigned x = threadIdx.x % 18 * 4, y = threadIdx.x / 18 * 2;
#pragma unroll
    for (unsigned p = 0; p < 3; p++)
#pragma unroll
        for (unsigned r = 0; r < 2; r++) {
            float *const row = out + (p * height + y + r) * width + x;
            if (p >= pictures || y + r >= height)
                continue;
            if (width % 4 == 0) {
                *(float4 *)row = make_float4(1, 2, 3, 4);
                continue;
            }
#pragma unroll
            for (unsigned s = 0; s < 4; s++)
                if (x + s < width)
                    row[s] = (float)p;
        }
}

/* Lanes copy different rows of the tile. The copies of a row count as one instruction, however many
 * other copies a lane has in flight. */
__global__ void guarded_copies(const float *in, float *out, unsigned rows)
{
    __shared__ float tile[4][BLOCK + 1]; /* a lane's elements are in different banks */
    float sum = 0;
    for (unsigned i = 0; i < rows; i++)
        if (threadIdx.x >> i & 1)
            __pipeline_memcpy_async(&tile[i][threadIdx.x], in + i * BLOCK + threadIdx.x,
                                    sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (unsigned i = 0; i < rows; i++)
        if (threadIdx.x >> i & 1)
            sum += tile[i][threadIdx.x];
    out[threadIdx.x] = sum;
}

// ---- counts of an H200 --------------------------------------------------------------------------

static float *x, *y, *z, *result;

/* The sectors of the last kernel differ from the H200's. The GPU's compiler unrolls its
 * data-dependent loop by 4, so lanes with different trip counts do those iterations together. A
 * replay of the unrolled loop on paper gives the H200's 6,624 sectors instead of 5,984, with the
 * same number of requests. */
static const struct {
    const char *name;
    void (*run)();
    uint64_t load_conflicts, store_conflicts, load_requests, load_sectors, store_requests,
        store_sectors, atomic_requests, shared_loads, splits;
    bool racy;
} kernels[] = {
    {"interleaved", [] { interleaved<<<256, BLOCK>>>(x, z); }, 0, 0, 2048, 8192, 256, 256, 0, 24320,
     12288, false},
    {"strided", [] { strided<<<256, BLOCK, BLOCK * sizeof(float)>>>(x, z); }, 17920, 8960, 2048,
     8192, 256, 256, 0, 6400, 1536, false},
    {"sequential", [] { sequential<true><<<256, BLOCK>>>(x, z); }, 0, 0, 2048, 8192, 256, 256, 0,
     6400, 1536, false},
    {"float4 and shuffle", [] { wide_shuffle<<<16, BLOCK>>>(x, z); }, 0, 0, 512, 8192, 16, 16, 0,
     16, 160, false},
    {"atomic", [] { one_atomic_each<<<256, BLOCK>>>(x, result); }, 0, 0, 2048, 8192, 0, 0, 2048, 0,
     0, false},
    {"racy", [] { sequential<false><<<256, BLOCK>>>(x, z); }, 0, 0, 2048, 8192, 256, 256, 0, 6400,
     1536, true},
    {"product, x walks rows", [] { naive_product<true><<<dim3(4, 4), dim3(32, 32)>>>(x, y, z); }, 0,
     0, 131072, 2162688, 512, 16384, 0, 0, 0, false},
    {"product, x walks columns",
     [] { naive_product<false><<<dim3(4, 4), dim3(32, 32)>>>(x, y, z); }, 0, 0, 131072, 327680, 512,
     2048, 0, 0, 0, false},
    {"transpose", [] { transpose<<<dim3(4, 4), dim3(32, 32)>>>(x, z); }, 0, 0, 512, 2048, 512,
     16384, 0, 0, 0, false},
    {"transpose, shared", [] { shared_transpose<0><<<dim3(4, 4), dim3(32, 32)>>>(x, z); }, 15872, 0,
     512, 2048, 512, 2048, 0, 512, 0, false},
    {"transpose, padded", [] { shared_transpose<1><<<dim3(4, 4), dim3(32, 32)>>>(x, z); }, 0, 0,
     512, 2048, 512, 2048, 0, 512, 0, false},
    {"copy, stride 2", [] { copy<<<64, BLOCK>>>(x, z, 2, 0); }, 0, 0, 512, 4096, 512, 2048, 0, 0, 0,
     false},
    {"copy, stride 8", [] { copy<<<64, BLOCK>>>(x, z, 8, 0); }, 0, 0, 512, 16384, 512, 2048, 0, 0,
     0, false},
    {"copy, offset 1", [] { copy<<<64, BLOCK>>>(x, z, 1, 1); }, 0, 0, 512, 2560, 512, 2048, 0, 0, 0,
     false},
    {"branchy", [] { branchy<<<4, BLOCK>>>(x, z); }, 0, 0, 1504, 5984, 32, 128, 0, 0, UINT64_MAX,
     false},
};

static int differs(const char *kernel, const char *what, uint64_t counted, uint64_t wanted)
{
    if (counted == wanted)
        return 0;
    print_error("%s: %s: %llu, wanted %llu\n", kernel, what, (unsigned long long)counted,
                (unsigned long long)wanted);
    return 1;
}

static void test_kernels(void **)
{
    int wrong = 0;
    for (const auto &kernel : kernels) {
        simt_line_counters totals;
        const simt_access_counters *access = totals.access;
        simt_analysis_reset();
        kernel.run();
        simt_analysis_totals(&totals);
        wrong += differs(kernel.name, "shared load conflicts", access[SIMT_SHARED_LOAD].conflicts,
                         kernel.load_conflicts);
        wrong += differs(kernel.name, "shared store conflicts", access[SIMT_SHARED_STORE].conflicts,
                         kernel.store_conflicts);
        wrong += differs(kernel.name, "load requests", access[SIMT_GLOBAL_LOAD].requests,
                         kernel.load_requests);
        wrong += differs(kernel.name, "load sectors", access[SIMT_GLOBAL_LOAD].units,
                         kernel.load_sectors);
        wrong += differs(kernel.name, "store requests", access[SIMT_GLOBAL_STORE].requests,
                         kernel.store_requests);
        wrong += differs(kernel.name, "store sectors", access[SIMT_GLOBAL_STORE].units,
                         kernel.store_sectors);
        wrong += differs(kernel.name, "atomic requests", access[SIMT_GLOBAL_ATOMIC].requests,
                         kernel.atomic_requests);
        wrong += differs(kernel.name, "shared loads", access[SIMT_SHARED_LOAD].requests,
                         kernel.shared_loads);
        if (kernel.splits != UINT64_MAX) // else each compiler joins or splits branches as it likes
            wrong += differs(kernel.name, "splits", totals.splits, kernel.splits);
        wrong += differs(kernel.name, "races", simt_findings()[0] != '\0', kernel.racy);
    }
    assert_int_equal(wrong, 0);
}

static void test_lanes(void **)
{
    simt_line_counters totals;
    simt_analysis_reset();
    branchy<<<4, BLOCK>>>(x, z);
    one_atomic_each<<<256, BLOCK>>>(x, result);
    simt_analysis_totals(&totals);
    /* 0 + 1 + ... + 31 iterations in each of 32 warps, and one load before the loop. */
    assert_int_equal(totals.access[SIMT_GLOBAL_LOAD].lanes, 32 * (31 * 16 + 32) + N);
    assert_int_equal(totals.access[SIMT_GLOBAL_ATOMIC].crowd, N);
    assert_int_equal(totals.access[SIMT_GLOBAL_ATOMIC].units, N);
}

/* Not measured on a GPU. It follows from the rule that all active lanes execute a statement
 * together. */
/* A branch longer than a trace, which a compiler may move behind the join. */
__global__ void rare_branch(const float *in, float *out)
{
    float sum = 0;
    if (__builtin_expect(threadIdx.x < 16, 0))
        for (int i = 0; i < 1000; i++)
            sum += in[i];
    sum += in[threadIdx.x];
    sum += in[threadIdx.x + 32];
    out[threadIdx.x] = sum;
}

static void test_rare_branch(void **)
{
    simt_line_counters totals;
    for (int repeat = 0; repeat < 2; repeat++) { /* the first time, the branch's end is not known */
        simt_analysis_reset();
        rare_branch<<<1, 32>>>(x, z);
        simt_analysis_totals(&totals);
        assert_int_equal(totals.access[SIMT_GLOBAL_LOAD].requests, 1000 + 2);
        assert_int_equal(totals.access[SIMT_GLOBAL_STORE].requests, 1);
    }
}

static void test_meeting_again(void **)
{
    simt_line_counters totals;
    const simt_access_counters *access = totals.access;
    simt_analysis_reset();
    guarded_rows<<<1, BLOCK>>>(z, 70, 25, 2);
    simt_analysis_totals(&totals);
    assert_int_equal(access[SIMT_GLOBAL_STORE].requests, 120);
    assert_int_equal(access[SIMT_GLOBAL_STORE].units, 1900);
    simt_analysis_reset();
    guarded_copies<<<1, BLOCK>>>(x, z, 4);
    simt_analysis_totals(&totals);
    assert_int_equal(access[SIMT_GLOBAL_LOAD].requests, 8 * 4);
    assert_int_equal(access[SIMT_SHARED_STORE].requests, 8 * 4);
    assert_int_equal(access[SIMT_SHARED_STORE].lanes, 8 * 4 * 16);
    assert_int_equal(access[SIMT_SHARED_STORE].conflicts, 0);
    assert_int_equal(access[SIMT_SHARED_LOAD].requests, 8 * 4);
}

static void test_bytes(void **)
{
    simt_line_counters totals;
    simt_analysis_reset();
    copy<<<64, BLOCK>>>(x, z, 8, 0);
    simt_analysis_totals(&totals);
    assert_int_equal(totals.access[SIMT_GLOBAL_LOAD].bytes, 64 * BLOCK * 4);
    assert_int_equal(totals.access[SIMT_GLOBAL_STORE].bytes, 64 * BLOCK * 4);
    simt_analysis_reset();
    naive_product<false><<<dim3(4, 4), dim3(32, 32)>>>(x, y, z);
    simt_analysis_totals(&totals);
    /* a warp loads one element of a row (4 bytes) but 128 bytes of a column */
    assert_int_equal(totals.access[SIMT_GLOBAL_LOAD].bytes, 65536 * (4 + 128));
}

__global__ void sides(const float *x, float *y, float *out)
{
    const int t = threadIdx.x, limit = blockIdx.x % 2 ? 8 : 24;
    float mine = 0;
    if (t < limit)
        y[blockIdx.x * 32 + t] = 1;
    else
        mine = x[t];
    out[blockIdx.x * 32 + t] = mine;
}

/* The lanes of each side differ from block to block, with equal work. What was found for one block
 * must not be applied to the next. */
static void test_other_lanes(void **)
{
    simt_line_counters totals;
    simt_analysis_reset();
    sides<<<16, 32>>>(x, z, result);
    simt_analysis_totals(&totals);
    assert_int_equal(totals.access[SIMT_GLOBAL_LOAD].requests, 16);
    assert_int_equal(totals.access[SIMT_GLOBAL_LOAD].lanes, 8 * 8 + 8 * 24);
    assert_int_equal(totals.access[SIMT_GLOBAL_STORE].requests, 16 + 16);
    assert_int_equal(totals.access[SIMT_GLOBAL_STORE].lanes, 8 * 24 + 8 * 8 + 16 * 32);
    assert_int_equal(totals.splits, 16);
}

__global__ void copied_by_loop(const float *x, float *out)
{
    float own[41];
    x += threadIdx.x * 41;
    out += threadIdx.x * 41;
    for (int i = 0; i < 41; i++)
        own[i] = x[i];
    float sum = 0;
    for (int i = 0; i < 41; i++)
        sum += own[i * blockDim.x % 41];
    for (int i = 0; i < 41; i++)
        out[i] = 0;
    *out = sum;
}

/* Loops that copy or clear must not become memcpy or memset, whose accesses have 16 bytes. */
static void test_loops_that_copy(void **)
{
    simt_line_counters totals;
    simt_analysis_reset();
    copied_by_loop<<<1, 32>>>(x + 1, z);
    simt_analysis_totals(&totals);
    assert_int_equal(totals.access[SIMT_GLOBAL_LOAD].requests, 41);
    assert_int_equal(totals.access[SIMT_GLOBAL_STORE].requests, 42);
}

/* Analysis does not disturb the program: results are right, and a second run counts the same. */
static void test_repeats(void **)
{
    simt_line_counters first, second;
    std::vector<float> sums(256);
    simt_analysis_reset();
    interleaved<<<256, BLOCK>>>(x, z);
    simt_analysis_totals(&first);
    cudaMemcpy(sums.data(), z, sums.size() * sizeof(float), cudaMemcpyDeviceToHost);
    assert_true(sums[0] == 256 && sums[255] == 256);
    simt_analysis_reset();
    interleaved<<<256, BLOCK>>>(x, z);
    simt_analysis_totals(&second);
    assert_memory_equal(&first, &second, sizeof first);
    simt_analyse(false);
    simt_analysis_reset();
    interleaved<<<256, BLOCK>>>(x, z);
    simt_analysis_totals(&second);
    assert_int_equal(second.access[SIMT_GLOBAL_LOAD].requests, 0);
    simt_analyse(true);
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),       cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_meeting_again), cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_rare_branch),   cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_other_lanes),   cmocka_unit_test(test_loops_that_copy),
    };
    const std::vector<float> ones(N, 1.0f);
    simt_findings_keep(true);
    for (float **memory : {&x, &y, &z, &result}) {
        cudaMalloc(memory, N * sizeof(float));
        cudaMemcpy(*memory, ones.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    }
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
