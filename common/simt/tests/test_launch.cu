// Launches: their syntax, their limits, and the answers of the occupancy functions.
#include <cuda_runtime.h>

#include "cmocka_all.h"

#define assert_works(call) assert_int_equal(call, cudaSuccess)

static int *result; // device memory, one int

static int fetch()
{
    int value = -1;
    assert_works(cudaGetLastError());
    assert_works(cudaMemcpy(&value, result, sizeof value, cudaMemcpyDeviceToHost));
    assert_works(cudaMemset(result, 0, sizeof value));
    return value;
}

struct point {
    int x, y;
};

__global__ void plain(int *out, int value)
{
    *out = value;
}
__global__ void takes_point(int *out, point p, const float *nothing)
{
    *out = p.x * 10 + p.y + (nothing != nullptr);
}
__global__ void no_arguments()
{
}
template <int SCALE, class T>
__global__ void partly_deduced(T *out, T value)
{
    *out = SCALE * value;
}
template <int A, bool B>
__global__ void nothing_deduced(int *out)
{
    *out = A + B;
}
namespace inner
{
namespace deep
{
template <class T>
struct box {
    T value;
};
template <class T>
__global__ void of_type(int *out)
{
    *out = (int)sizeof(T);
}
} // namespace deep
} // namespace inner
__global__ void __launch_bounds__(128, 2) bounded(int *__restrict__ out, const int value)
{
    *out = value;
}
__global__ void changes_its_argument(int *out, int value)
{
    value += 1;
    atomicAdd(out, value);
}

template <int A>
static void launch_in_template(int *out)
{
    nothing_deduced<A, (A > 2)><<<1, 1>>>(out);
}

static void test_forms(void **)
{
    typedef void (*kernel_pointer)(int *, int);
    kernel_pointer table[] = {plain, bounded};
    struct {
        kernel_pointer kernel;
    } entry = {bounded};
    cudaStream_t stream;
    double almost_seven = 6.9;
    assert_works(cudaStreamCreate(&stream));

    plain<<<1, 1>>>(result, 5);
    assert_int_equal(fetch(), 5);
    plain<<<dim3(1), dim3(1, 1), 0, stream>>>(result, almost_seven); // converted, as in any call
    assert_int_equal(fetch(), 6);
    takes_point<<<1, 1>>>(result, {3, 4}, 0); // braces, and 0 as a pointer
    assert_int_equal(fetch(), 34);
    no_arguments<<<1, 1>>>();
    partly_deduced<3><<<1, 1>>>(result, 4);
    assert_int_equal(fetch(), 12);
    nothing_deduced<4, (3 > 2)><<<1, 1>>>(result);
    assert_int_equal(fetch(), 5);
    ::inner::deep::of_type<inner::deep::box<inner::deep::box<double>>><<<1, 1>>>(result);
    assert_int_equal(fetch(), 8);
    table[1]<<<1, 1>>>(result, 9);
    assert_int_equal(fetch(), 9);
    entry.kernel<<<1, 1>>>(result, 10);
    assert_int_equal(fetch(), 10);
    launch_in_template<7>(result);
    assert_int_equal(fetch(), 8);
    if (stream)
        plain                   /* why not */
            <<<(3 < 4) ? 1 : 2, // a comment with >>> in it
               min(1, 2)>>>(result, 11);
    assert_int_equal(fetch(), 11);
    changes_its_argument<<<2, 32>>>(result, 1); // each thread has its own copy
    assert_int_equal(fetch(), 128);
    assert_works(cudaStreamDestroy(stream));
}

__global__ void with_shared(int *out)
{
    extern __shared__ int words[];
    words[threadIdx.x] = 1;
    *out = words[threadIdx.x];
}

// The launch sets an error, once, and the kernel does not run.
static void assert_refused()
{
    int value = -1;
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    assert_works(cudaGetLastError());
    assert_works(cudaMemcpy(&value, result, sizeof value, cudaMemcpyDeviceToHost));
    assert_int_equal(value, 0);
}

static void test_limits(void **)
{
    const int most = 227 << 10;
    plain<<<0, 32>>>(result, 1);
    assert_refused();
    plain<<<dim3(1, 0), 32>>>(result, 1);
    assert_refused();
    plain<<<1, 0>>>(result, 1);
    assert_refused();
    plain<<<1, 1025>>>(result, 1);
    assert_refused();
    plain<<<1, dim3(32, 33)>>>(result, 1);
    assert_refused();
    plain<<<1, dim3(1, 1, 65)>>>(result, 1);
    assert_refused();
    plain<<<1, dim3(0x10000, 0x10000)>>>(result, 1);
    assert_refused();
    plain<<<dim3(1, 65536), 1>>>(result, 1);
    assert_refused();
    plain<<<dim3(1, 1, 65536), 1>>>(result, 1);
    assert_refused();
    plain<<<0x80000000u, 1>>>(result, 1);
    assert_refused();
    plain<<<1, dim3(1024)>>>(result, 1);
    assert_int_equal(fetch(), 1);
    plain<<<dim3(1, 1, 65535), dim3(1, 1, 64)>>>(result, 1);
    assert_int_equal(fetch(), 1);

    with_shared<<<1, 1, 48 << 10>>>(result);
    assert_int_equal(fetch(), 1);
    with_shared<<<1, 1, (48 << 10) + 1>>>(result);
    assert_refused();
    assert_works(
        cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    with_shared<<<1, 1, most>>>(result);
    assert_int_equal(fetch(), 1);
    with_shared<<<1, 1, most + 1>>>(result);
    assert_refused();
    assert_int_equal(
        cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1),
        cudaErrorInvalidValue);
    assert_int_equal(
        cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, -1),
        cudaErrorInvalidValue);
    cudaGetLastError();
}

static void test_attributes(void **)
{
    cudaFuncAttributes attributes;
    assert_works(cudaFuncGetAttributes(&attributes, plain));
    assert_int_equal(attributes.maxThreadsPerBlock, 1024);
    assert_int_equal(attributes.maxDynamicSharedSizeBytes, 48 << 10);
    assert_int_equal(attributes.binaryVersion, 90);
}

static void test_occupancy(void **)
{
    // The answers of an H200 for a kernel that uses few registers.
    const struct {
        int threads, blocks;
        size_t shared;
    } cases[] = {{1, 32, 0},       {32, 32, 0},      {64, 32, 0},      {96, 21, 0},
                 {128, 16, 0},     {192, 10, 0},     {768, 2, 0},      {1024, 2, 0},
                 {1025, 0, 0},     {128, 16, 1000},  {128, 13, 16384}, {128, 4, 49152},
                 {128, 2, 115000}, {128, 1, 232448}, {128, 0, 240000}};
    int grid = 0, block = 0;
    assert_works(
        cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int blocks = -1;
        assert_works(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, with_shared, cases[i].threads, cases[i].shared));
        assert_int_equal(blocks, cases[i].blocks);
    }
    assert_int_equal(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&block, with_shared, 0, 0),
                     cudaErrorInvalidValue);
    cudaGetLastError();
    assert_works(cudaOccupancyMaxPotentialBlockSize(&grid, &block, with_shared));
    assert_int_equal(block, 1024);
    assert_true(grid > 0 && grid % 2 == 0);
}

// ---- cooperative launches, launches by address ----

// Blocks pass on numbers through device memory. The last warp has threads that return before the
// second barrier.
__global__ void relay(int *box, int *result, int rounds)
{
    int t = threadIdx.x, block = blockIdx.x, blocks = gridDim.x;
    for (int r = 0; r < rounds; r++) {
        if (t == 0) {
            box[r % 2 * blocks + (block + 1) % blocks] =
                r == 0 ? block : box[(r + 1) % 2 * blocks + block];
        }
        simt_block_barrier(SIMT_BARRIER_GRID, 0, __FILE__, __LINE__);
        if (t >= 32)
            return;
        __syncthreads();
    }
    if (t == 0 && box[(rounds + 1) % 2 * blocks + block] == (block + 2 * blocks - rounds) % blocks)
        atomicAdd(result, 1);
}

static void test_cooperative_launch(void **)
{
    int blocks = 40, rounds = 5, *box;
    void *arguments[] = {&box, &result, &rounds};
    assert_works(cudaMalloc(&box, 2 * blocks * sizeof *box));
    assert_works(cudaLaunchCooperativeKernel(relay, blocks, 64, arguments));
    assert_int_equal(fetch(), blocks);
    assert_works(cudaLaunchCooperativeKernel(relay, 1, 64, arguments));
    assert_int_equal(fetch(), 1);
    assert_int_equal(cudaLaunchKernel((const void *)&blocks, 1, 1, arguments),
                     cudaErrorInvalidDeviceFunction);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
    assert_works(cudaFree(box));
}

__global__ void count(int *here, int *there)
{
    ++*here;
    if (there)
        *there += *here;
}

static void add_seven(void *word) // runs in a graph after a kernel
{
    *(int *)word += 7;
}

/* Many launches in a row: memory stays open from one to the next until another call needs it. */
static void test_many_launches(void **)
{
    const int launches = 20000;
    int *other, *third, host[3] = {};
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStream_t stream;
    assert_works(cudaMalloc(&other, sizeof *other));
    assert_works(cudaMemset(other, 0, sizeof *other));
    fetch();
    assert_works(cudaMemset(result, 0, sizeof *result));
    for (int i = 0; i < launches; i++)
        count<<<1, 1>>>(result, other);
    assert_works(cudaMalloc(&third, sizeof *third));
    count<<<1, 1>>>(other, nullptr);
    assert_works(cudaMemset(third, 0, sizeof *third));
    count<<<1, 1>>>(result, third);
    count<<<1, 1>>>(third, nullptr);
    assert_works(cudaFree(other));
    count<<<1, 1>>>(result, third);
    assert_works(cudaMemcpy(host, third, sizeof *third, cudaMemcpyDeviceToHost));
    assert_int_equal(host[0], launches + 2 + launches + 2);
    assert_works(cudaStreamCreate(&stream));
    assert_works(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    count<<<1, 1, 0, stream>>>(result, nullptr);
    count<<<1, 1, 0, stream>>>(result, third);
    assert_works(cudaMemcpyAsync(host, third, sizeof *third, cudaMemcpyDeviceToHost, stream));
    count<<<1, 1, 0, stream>>>(result, nullptr);
    assert_works(cudaLaunchHostFunc(stream, add_seven, &host[1]));
    assert_works(cudaStreamEndCapture(stream, &graph));
    assert_works(cudaGraphInstantiate(&exec, graph, 0));
    assert_works(cudaGraphLaunch(exec, stream));
    assert_works(cudaStreamSynchronize(stream));
    assert_int_equal(host[0], launches + 2 + launches + 2 + launches + 4);
    assert_int_equal(host[1], 7);
    assert_works(cudaGraphExecDestroy(exec));
    assert_works(cudaGraphDestroy(graph));
    assert_works(cudaStreamDestroy(stream));
    assert_works(cudaFree(third));
}

static int set_up(void **)
{
    return cudaMalloc(&result, sizeof *result) || cudaMemset(result, 0, sizeof *result);
}

static int tear_down(void **)
{
    return cudaFree(result);
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_occupancy),
        cmocka_unit_test(test_cooperative_launch),
        cmocka_unit_test(test_many_launches),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
