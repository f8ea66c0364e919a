// Inline PTX of tensor cores and of TMA tensor copies: which lane holds which element, and the
// results. Compiles with nvcc (sm_90a) as well. The matrices hold small whole numbers, so sums are
// exact in any order. The layouts are those of the figures in the PTX ISA.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "cmocka_all.h"
#include "ptx_helpers.cuh"
#include "tensor_maps.cuh"

// ---- mma.sync ----

// Products of whole numbers. tensor_sums.cu tests those of floating-point numbers.
enum number { S8, U8, S4, U4 };

__host__ __device__ static int bits_of(number type)
{
    return type >= S4 ? 4 : 8;
}

__host__ __device__ static int element_a(number type, int row, int column)
{
    int value = (row * 3 + column * 5) % 7 - 3;
    return type == U8 || type == U4 ? value + 3 : value;
}

__host__ __device__ static int element_b(number type, int row, int column)
{
    int value = (row * 2 + column * 3) % 5 - 2;
    return type == U8 || type == U4 ? value + 2 : value;
}

__host__ __device__ static int element_c(int row, int column)
{
    return row - 2 * column;
}

// Register i of a lane's fragment of A: 32 / bits elements of one row.
__device__ static unsigned register_a(number type, int i)
{
    const int bits = bits_of(type), parts = 32 / bits, lane = threadIdx.x;
    const int row = lane / 4 + (i % 2) * 8, column = lane % 4 * parts + i / 2 * 4 * parts;
    unsigned result = 0;
    for (int j = 0; j < parts; j++)
        result |= (element_a(type, row, column + j) & ((1u << bits) - 1)) << bits * j;
    return result;
}

__device__ static unsigned register_b(number type, int i)
{
    const int bits = bits_of(type), parts = 32 / bits, lane = threadIdx.x;
    const int row = lane % 4 * parts + i * 4 * parts, column = lane / 4;
    unsigned result = 0;
    for (int j = 0; j < parts; j++)
        result |= (element_b(type, row + j, column) & ((1u << bits) - 1)) << bits * j;
    return result;
}

__device__ static int row_of_c(int i)
{
    return threadIdx.x / 4 + i / 2 * 8;
}

__device__ static int column_of_c(int i)
{
    return threadIdx.x % 4 * 2 + i % 2;
}

#define A(i) "r"(register_a(type_a, i))
#define B(i) "r"(register_b(type_b, i))
#define PRODUCT(name, A_TYPE, B_TYPE, shape, types, a, b, ...)                                     \
    __global__ void name(int *out)                                                                 \
    {                                                                                              \
        const number type_a = A_TYPE, type_b = B_TYPE;                                             \
        int x[4];                                                                                  \
        for (int i = 0; i < 4; i++)                                                                \
            x[i] = element_c(row_of_c(i), column_of_c(i));                                         \
        asm volatile("mma.sync.aligned." shape ".row.col." types " {%0, %1, %2, %3}, " a ", " b    \
                     ", {%0, %1, %2, %3};"                                                         \
                     : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])                              \
                     : __VA_ARGS__);                                                               \
        for (int i = 0; i < 4; i++)                                                                \
            out[row_of_c(i) * 8 + column_of_c(i)] = x[i];                                          \
    }
#define LONG_A "{%4, %5, %6, %7}"
#define LONG_B "{%8, %9}"
#define SHORT_A "{%4, %5}"
#define SHORT_B "{%6}"
PRODUCT(s8_32, S8, S8, "m16n8k32", "s32.s8.s8.s32", LONG_A, LONG_B, A(0), A(1), A(2), A(3), B(0),
        B(1))
PRODUCT(us8_16, U8, S8, "m16n8k16", "s32.u8.s8.s32", SHORT_A, SHORT_B, A(0), A(1), B(0))

PRODUCT(s4_64, S4, S4, "m16n8k64", "s32.s4.s4.s32", LONG_A, LONG_B, A(0), A(1), A(2), A(3), B(0),
        B(1))
PRODUCT(us4_32, U4, S4, "m16n8k32", "s32.u4.s4.s32", SHORT_A, SHORT_B, A(0), A(1), B(0))

// A has eight rows; C takes two registers.
#define SMALL_PRODUCT(name, A_TYPE, B_TYPE, shape, types)                                          \
    __global__ void name(int *out)                                                                 \
    {                                                                                              \
        const number type_a = A_TYPE, type_b = B_TYPE;                                             \
        int x[4];                                                                                  \
        for (int i = 0; i < 4; i++) {                                                              \
            x[i] = element_c(row_of_c(i), column_of_c(i));                                         \
            for (int k = 0; i > 1 && k < 128 / bits_of(A_TYPE); k++)                               \
                x[i] += element_a(type_a, row_of_c(i), k) * element_b(type_b, k, column_of_c(i));  \
        }                                                                                          \
        asm volatile("mma.sync.aligned." shape ".row.col." types " {%0, %1}, {%2}, {%3}, "         \
                     "{%0, %1};"                                                                   \
                     : "+r"(x[0]), "+r"(x[1])                                                      \
                     : A(0), B(0));                                                                \
        for (int i = 0; i < 4; i++)                                                                \
            out[row_of_c(i) * 8 + column_of_c(i)] = x[i];                                          \
    }
SMALL_PRODUCT(u8_small, U8, U8, "m8n8k16", "s32.u8.u8.s32")
SMALL_PRODUCT(s4_small, S4, U4, "m8n8k32", "s32.s4.u4.s32")

static void check_product(void (*kernel)(int *), number type_a, number type_b, int depth)
{
    int *out, host[128];
    assert_int_equal(cudaMalloc((void **)&out, sizeof host), cudaSuccess);
    kernel<<<1, 32>>>(out);
    assert_int_equal(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 8; column++) {
            int sum = element_c(row, column);
            for (int k = 0; k < depth; k++)
                sum += element_a(type_a, row, k) * element_b(type_b, k, column);
            assert_int_equal(host[row * 8 + column], sum);
        }
    cudaFree(out);
}

static void test_products(void **)
{
    check_product(s8_32, S8, S8, 32);
    check_product(us8_16, U8, S8, 16);
    check_product(s4_64, S4, S4, 64);
    check_product(us4_32, U4, S4, 32);
    check_product(u8_small, U8, U8, 16);
    check_product(s4_small, S4, U4, 32);
}

// ---- ldmatrix, stmatrix ----

__global__ void move_matrices(unsigned *out)
{
    __shared__ __align__(16) unsigned short from[32][8], to[32][8];
    const unsigned lane = threadIdx.x;
    unsigned r[4], t[2];
    for (int j = 0; j < 8; j++)
        from[lane][j] = (unsigned short)(lane * 8 + j);
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared(from[lane])));
    for (int i = 0; i < 4; i++) {
        const unsigned first = (i * 8 + lane / 4) * 8 + lane % 4 * 2;
        out[lane * 8 + i] = r[i] == (first | (first + 1) << 16);
    }
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(t[0]), "=r"(t[1])
                 : "r"(shared(from[lane % 16])));
    for (int i = 0; i < 2; i++) {
        const unsigned first = (i * 8 + lane % 4 * 2) * 8 + lane / 4;
        out[lane * 8 + 4 + i] = t[i] == (first | (first + 8) << 16);
    }
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(t[1]) : "r"(r[0]));
    out[lane * 8 + 4] &= t[1] == t[0]; // the same as a transposed load
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared(to[lane])),
                 "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
    __syncwarp();
    out[lane * 8 + 6] = to[lane][3] == (lane / 8 * 8 + 3) * 8 + lane % 8;
    out[lane * 8 + 7] = to[lane][7] == (lane / 8 * 8 + 7) * 8 + lane % 8;
}

static void test_matrices_move(void **)
{
    unsigned *out, host[256];
    assert_int_equal(cudaMalloc((void **)&out, sizeof host), cudaSuccess);
    move_matrices<<<1, 32>>>(out);
    assert_int_equal(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int i = 0; i < 256; i++)
        assert_int_equal(host[i], 1);
    cudaFree(out);
}

// ---- tensor copies ----

// Copies a box to shared memory, writes out its layout there, and stores it back one row below. A
// box that begins outside is not stored: an H200 calls that an illegal instruction.
__global__ void copy_box(const __grid_constant__ CUtensorMap map, int x, int y, unsigned bytes,
                         float *out)
{
    extern __shared__ __align__(1024) float tile[];
    __shared__ barrier_t b;
    if (threadIdx.x == 0) {
        init_one(&b);
        expect(&b, bytes);
        load_box(tile, &map, x, y, &b);
    }
    __syncthreads();
    wait(&b, 0);
    for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x)
        out[i] = tile[i];
    if (threadIdx.x == 0 && x >= 0 && y >= 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];"
                     "cp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group 0;" ::"l"(&map),
                     "r"(x), "r"(y + 1), "r"(shared(tile))
                     : "memory");
    }
}

enum { WIDTH = 40, HEIGHT = 20, BOX_HEIGHT = 16 };

static void check_box(CUtensorMapSwizzle swizzle, unsigned span, unsigned box_width, unsigned step,
                      int x, int y)
{
    std::vector<float> host(WIDTH * HEIGHT);
    std::vector<float> box(box_width * BOX_HEIGHT), before;
    float *data, *out;
    CUtensorMap map;
    const cuuint64_t size[] = {WIDTH, HEIGHT}, stride[] = {WIDTH * sizeof(float)};
    const cuuint32_t extent[] = {box_width, BOX_HEIGHT}, steps[] = {1, step};
    const unsigned rows = BOX_HEIGHT / step, bytes = box_width * rows * 4;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        host[i] = (float)(i + 1);
    before = host;
    cudaMalloc((void **)&data, host.size() * 4);
    cudaMalloc((void **)&out, box.size() * 4);
    cudaMemcpy(data, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
    assert_int_equal(tile_map(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, size, stride, extent,
                              steps, swizzle),
                     CUDA_SUCCESS);
    copy_box<<<1, 64, 8192>>>(map, x, y, bytes, out);
    assert_int_equal(cudaMemcpy(box.data(), out, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(cudaMemcpy(host.data(), data, host.size() * 4, cudaMemcpyDeviceToHost),
                     cudaSuccess);
    for (unsigned i = 0; i < box_width * rows; i++) {
        const int column = x + (int)(i % box_width), row = y + (int)(i / box_width * step);
        const bool inside = column >= 0 && column < WIDTH && row >= 0 && row < HEIGHT;
        const float wanted = inside ? before[row * WIDTH + column] : 0;
        // Each row of 128 bytes permutes its 16-byte chunks.
        unsigned at = i * 4;
        at ^= at / 128 % 8 % (span / 16 ? span / 16 : 1) * 16;
        assert_true(box[at / 4] == wanted);
        if (x >= 0 && y >= 0 && column < WIDTH && row + 1 < HEIGHT)
            assert_true(host[(row + 1) * WIDTH + column] == wanted);
    }
    cudaFree(data);
    cudaFree(out);
}

static void test_boxes(void **)
{
    check_box(CU_TENSOR_MAP_SWIZZLE_NONE, 0, 16, 1, 4, 2);
    check_box(CU_TENSOR_MAP_SWIZZLE_NONE, 0, 16, 1, -4, -2); // partly outside: zeros
    check_box(CU_TENSOR_MAP_SWIZZLE_NONE, 0, 16, 1, 28, 10);
    check_box(CU_TENSOR_MAP_SWIZZLE_128B, 128, 32, 1, 4, 2);
    check_box(CU_TENSOR_MAP_SWIZZLE_64B, 64, 16, 1, 12, 1);
    check_box(CU_TENSOR_MAP_SWIZZLE_32B, 32, 8, 1, 8, 3);
    check_box(CU_TENSOR_MAP_SWIZZLE_NONE, 0, 8, 2, 8, 3);
}

// Elements outside are NaN. A TFLOAT32 map rounds to nearest, ties to even.
static void test_filled(void **)
{
    const uint32_t given[][2] = {
        {0x3f800fff, 0x3f800000}, {0x3f801000, 0x3f800000}, {0x3f801001, 0x3f802000},
        {0x3f803000, 0x3f804000}, {0xbf801000, 0xbf800000}, {0x7f800000, 0x7f800000},
        {0x7fc00001, 0x7fffe000}, {0x7f800001, 0x7fffe000}, {0x00000001, 0x00000000},
        {0x80000001, 0x80000000}, {0x007fffff, 0x00800000}, {0x7f7fffff, 0x7f800000},
    };
    const CUtensorMapDataType types[] = {
        CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,
        CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ};
    const cuuint64_t size[] = {WIDTH, HEIGHT}, stride[] = {WIDTH * 4};
    const cuuint32_t extent[] = {16, BOX_HEIGHT}, steps[] = {1, 1};
    std::vector<uint32_t> host(WIDTH * HEIGHT), box(16 * BOX_HEIGHT);
    float *data, *out;
    cudaMalloc((void **)&data, host.size() * 4);
    cudaMalloc((void **)&out, box.size() * 4);
    for (size_t i = 0; i < host.size(); i++)
        host[i] = given[i % 12][0];
    cudaMemcpy(data, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
    for (int kind = 0; kind < 4; kind++) {
        CUtensorMap map;
        assert_int_equal(tile_map(&map, types[kind], 2, data, size, stride, extent, steps,
                                  CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA),
                         CUDA_SUCCESS);
        copy_box<<<1, 64, 8192>>>(map, 28, -2, 16 * BOX_HEIGHT * 4, out);
        assert_int_equal(cudaMemcpy(box.data(), out, box.size() * 4, cudaMemcpyDeviceToHost),
                         cudaSuccess);
        for (int i = 0; i < 16 * BOX_HEIGHT; i++) {
            const int column = 28 + i % 16, row = i / 16 - 2;
            const bool inside = column < WIDTH && row >= 0;
            assert_int_equal(box[i],
                             inside ? given[(row * WIDTH + column) % 12][kind >= 2] : 0x7ff77ff7);
        }
    }
    cudaFree(data);
    cudaFree(out);
}

// ---- im2col ----

// Pixels of N x H x W x C from (w, h, n), with 8 channels each, at an offset; two channel halves.
__global__ void take_columns(const __grid_constant__ CUtensorMap map, int c, int w, int h, int n,
                             unsigned short x, unsigned short y, float *out)
{
    __shared__ __align__(128) float tile[24 * 8];
    __shared__ barrier_t b;
    if (threadIdx.x == 0) {
        init_one(&b);
        expect(&b, sizeof tile);
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::"
                     "bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(shared(tile)),
                     "l"(&map), "r"(c), "r"(w), "r"(h), "r"(n), "r"(shared(&b)), "h"(x), "h"(y)
                     : "memory");
    }
    __syncthreads();
    wait(&b, 0);
    for (unsigned i = threadIdx.x; i < 24 * 8; i += blockDim.x)
        out[i] = tile[i];
}

// A map of 3 images of 5 x 7 pixels with 16 channels. A box has 24 pixels and 8 channels.
static void columns_map(CUtensorMap *map, float *data, int low, int high, unsigned step)
{
    const cuuint64_t size[] = {16, 7, 5, 3}, stride[] = {64, 64 * 7, 64 * 35};
    const int lower[] = {low, low}, upper[] = {high, high};
    const cuuint32_t steps[] = {1, step, step, 1};
    assert_int_equal(column_map(map, data, size, stride, lower, upper, 24, steps), CUDA_SUCCESS);
}

// A 3 x 3 filter with padding 1 and a stride: the column for each of its 9 positions.
static void check_columns(unsigned step)
{
    const int C = 16, W = 7, H = 5, N = 3, PIXELS = 24;
    std::vector<float> host((size_t)C * W * H * N);
    float column[PIXELS * 8], *data, *out;
    CUtensorMap map;
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (float)(i + 1);
    cudaMalloc((void **)&data, host.size() * 4);
    cudaMalloc((void **)&out, sizeof column);
    cudaMemcpy(data, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
    columns_map(&map, data, -1, -1, step);
    for (int place = 0; place < 9; place++) {
        const int x = place % 3, y = place / 3, c = place % 2 * 8;
        int w = -1 + (int)step, h = -1, n = 0; // starting at the second output
        take_columns<<<1, 32>>>(map, c, w, h, n, (unsigned short)x, (unsigned short)y, out);
        assert_int_equal(cudaMemcpy(column, out, sizeof column, cudaMemcpyDeviceToHost),
                         cudaSuccess);
        for (int i = 0; i < PIXELS; i++) {
            const int column_of = w + x, row = h + y;
            const bool inside = column_of >= 0 && column_of < W && row >= 0 && row < H && n < N;
            for (int j = 0; j < 8; j++) {
                const float wanted =
                    inside ? host[(size_t)((n * H + row) * W + column_of) * C + c + j] : 0;
                assert_true(column[i * 8 + j] == wanted);
            }
            w += (int)step;
            if (w > W - 2) {
                w = -1;
                h += (int)step;
            }
            if (h > H - 2) {
                h = -1;
                n++;
            }
        }
    }
    cudaFree(data);
    cudaFree(out);
}

// Stores 1, 2, ... as a column without offsets. `adds`: adds them twice instead.
__global__ void give_columns(const __grid_constant__ CUtensorMap map, int c, int w, int h, int n,
                             bool adds)
{
    __shared__ __align__(128) float tile[24 * 8];
    for (unsigned i = threadIdx.x; i < 24 * 8; i += blockDim.x)
        tile[i] = (float)(i + 1);
    fence_proxy();
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    for (int i = 0; i < 2; i++)
        if (adds)
            asm volatile("cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs"
                         ".bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(&map),
                         "r"(c), "r"(w), "r"(h), "r"(n), "r"(shared(tile))
                         : "memory");
        else if (i == 0)
            asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group "
                         "[%0, {%1, %2, %3, %4}], [%5];" ::"l"(&map),
                         "r"(c), "r"(w), "r"(h), "r"(n), "r"(shared(tile))
                         : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

// Stores pixels from the second row on. The box excludes the last pixels of each row and column.
static void test_columns_given(void **)
{
    const int C = 16, W = 7, H = 5, N = 3;
    std::vector<float> host((size_t)C * W * H * N), wanted;
    float *data;
    CUtensorMap map;
    cudaMalloc((void **)&data, host.size() * 4);
    columns_map(&map, data, 0, -2, 1);
    for (int adds = 0; adds < 2; adds++) {
        int w = 2, h = 1, n = 1;
        wanted.assign(host.size(), -1);
        for (int i = 0; i < 24; i++) {
            for (int j = 0; j < 8 && n < N; j++) {
                float &there = wanted[(size_t)((n * H + h) * W + w) * C + 8 + j];
                there = (float)(i * 8 + j + 1) * (adds ? 2.0f : 1.0f) + (adds ? there : 0);
            }
            w = w + 1 < W - 2 ? w + 1 : 0;
            h += w == 0;
            n += h == H - 2;
            h %= H - 2;
        }
        host.assign(host.size(), -1);
        cudaMemcpy(data, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
        give_columns<<<1, 32>>>(map, 8, 2, 1, 1, adds);
        assert_int_equal(cudaMemcpy(host.data(), data, host.size() * 4, cudaMemcpyDeviceToHost),
                         cudaSuccess);
        for (size_t i = 0; i < host.size(); i++)
            assert_true(host[i] == wanted[i]);
    }
    cudaFree(data);
}

static void test_columns(void **)
{
    check_columns(1);
    check_columns(2);
}

// Blocks add their tiles to the same memory: a tensor box and a linear copy. Also a maximum.
__global__ void reduce(const __grid_constant__ CUtensorMap map, float *sums, int *most)
{
    __shared__ __align__(128) float tile[16 * 16];
    __shared__ __align__(16) int numbers[4];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        tile[i] = (float)(i * (blockIdx.x + 1));
    if (threadIdx.x < 4)
        numbers[threadIdx.x] = (int)(blockIdx.x * threadIdx.x) - 3;
    fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile(
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
            "[%0, {%1, %2}], [%3];\n"
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%4], [%3], 1024;\n"
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%5], [%6], 16;\n"
            "cp.async.bulk.commit_group;\n"
            "cp.async.bulk.wait_group 0;" ::"l"(&map),
            "r"(4), "r"(2), "r"(shared(tile)), "l"(sums), "l"(most), "r"(shared(numbers))
            : "memory");
}

static void test_reductions(void **)
{
    std::vector<float> host(WIDTH * HEIGHT), sums(256);
    int most[4];
    float *data, *sum;
    int *largest;
    CUtensorMap map;
    const cuuint64_t size[] = {WIDTH, HEIGHT}, stride[] = {WIDTH * sizeof(float)};
    const cuuint32_t extent[] = {16, 16}, steps[] = {1, 1};
    cudaMalloc((void **)&data, host.size() * 4);
    cudaMalloc((void **)&sum, 1024);
    cudaMalloc((void **)&largest, 16);
    cudaMemset(data, 0, host.size() * 4);
    cudaMemset(sum, 0, 1024);
    cudaMemset(largest, 0, 16);
    assert_int_equal(tile_map(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, size, stride, extent,
                              steps, CU_TENSOR_MAP_SWIZZLE_NONE),
                     CUDA_SUCCESS);
    reduce<<<3, 64>>>(map, sum, largest);
    assert_int_equal(cudaMemcpy(host.data(), data, host.size() * 4, cudaMemcpyDeviceToHost),
                     cudaSuccess);
    assert_int_equal(cudaMemcpy(sums.data(), sum, 1024, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(cudaMemcpy(most, largest, 16, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int row = 0; row < HEIGHT; row++)
        for (int column = 0; column < WIDTH; column++) {
            const int i = (row - 2) * 16 + column - 4;
            const bool inside = row >= 2 && row < 18 && column >= 4 && column < 20;
            assert_true(host[row * WIDTH + column] == (inside ? 6.0f * (float)i : 0));
        }
    for (int i = 0; i < 256; i++)
        assert_true(sums[i] == 6.0f * (float)i);
    for (int i = 0; i < 4; i++)
        assert_int_equal(most[i], i < 2 ? 0 : 2 * i - 3);
    cudaFree(data);
    cudaFree(sum);
    cudaFree(largest);
}

// A kernel fills a map field by field, starting from zeros. It must copy boxes like the driver's.
__global__ void make_map(CUtensorMap *map, float *data)
{
    asm volatile("{\n.reg .b64 m;\nmov.b64 m, %0;\n"
                 "tensormap.replace.tile.global_address.global.b1024.b64 [m], %1;\n"
                 "tensormap.replace.tile.rank.global.b1024.b32 [m], 1;\n"
                 "tensormap.replace.tile.elemtype.global.b1024.b32 [m], 7;\n"
                 "tensormap.replace.tile.interleave_layout.global.b1024.b32 [m], 0;\n"
                 "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [m], %2;\n"
                 "tensormap.replace.tile.fill_mode.global.b1024.b32 [m], 0;\n"
                 "tensormap.replace.tile.global_dim.global.b1024.b32 [m], %3, %4;\n"
                 "tensormap.replace.tile.global_dim.global.b1024.b32 [m], 1, %5;\n"
                 "tensormap.replace.tile.global_stride.global.b1024.b64 [m], 0, %6;\n"
                 "tensormap.replace.tile.box_dim.global.b1024.b32 [m], 0, 32;\n"
                 "tensormap.replace.tile.box_dim.global.b1024.b32 [m], 1, %7;\n"
                 "tensormap.replace.tile.element_stride.global.b1024.b32 [m], 0, 1;\n"
                 "tensormap.replace.tile.element_stride.global.b1024.b32 [m], 1, 2;\n"
                 "fence.proxy.tensormap::generic.release.sys;\n}" ::"l"(map),
                 "l"(data), "n"(3), "n"(0), "r"(WIDTH), "r"(HEIGHT), "l"(WIDTH * 4ul),
                 "r"(BOX_HEIGHT)
                 : "memory");
}

__global__ void copy_by(const CUtensorMap *map, float *out)
{
    __shared__ __align__(1024) float tile[8 * 32];
    __shared__ barrier_t b;
    if (threadIdx.x == 0) {
        init_one(&b);
        expect(&b, sizeof tile);
        asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], %1;" ::"l"(map), "n"(128)
                     : "memory");
        load_box(tile, map, 4, 7, &b);
    }
    __syncthreads();
    wait(&b, 0);
    for (int i = threadIdx.x; i < 8 * 32; i += blockDim.x)
        out[i] = tile[i];
}

static void test_map_from_zeros(void **)
{
    std::vector<float> host(WIDTH * HEIGHT), box(8 * 32);
    float *data, *out;
    CUtensorMap *map;
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (float)(i + 1);
    cudaMalloc((void **)&data, host.size() * 4);
    cudaMalloc((void **)&out, box.size() * 4);
    cudaMalloc((void **)&map, sizeof *map);
    cudaMemset(map, 0, sizeof *map);
    cudaMemcpy(data, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
    make_map<<<1, 1>>>(map, data);
    copy_by<<<1, 32>>>(map, out);
    assert_int_equal(cudaMemcpy(box.data(), out, box.size() * 4, cudaMemcpyDeviceToHost),
                     cudaSuccess);
    for (int i = 0; i < 8 * 32; i++) {
        const int column = 4 + i % 32, row = 7 + i / 32 * 2, at = i ^ i / 32 % 8 * 4;
        const bool inside = column < WIDTH && row < HEIGHT;
        assert_true(box[at] == (inside ? host[row * WIDTH + column] : 0));
    }
    cudaFree(data);
    cudaFree(out);
    cudaFree(map);
}

// Stores by a TFLOAT32 map do not round. Sums by an _FTZ map ignore subnormal numbers.
__global__ void give_row(const __grid_constant__ CUtensorMap map, bool adds)
{
    __shared__ __align__(128) uint32_t row[4];
    if (threadIdx.x > 0)
        return;
    row[0] = 0x3f800fff;
    row[1] = 0x007fffff;
    row[2] = 0x80000001;
    row[3] = 0x00800fff;
    fence_proxy();
    if (adds)
        asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group "
                     "[%0, {0}], [%1];" ::"l"(&map),
                     "r"(shared(row))
                     : "memory");
    else
        asm volatile(
            "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {0}], [%1];" ::"l"(
                &map),
            "r"(shared(row))
            : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

static void test_given_types(void **)
{
    const uint32_t before[] = {0, 1, 0, 0x80000001},
                   given[] = {0x3f800fff, 0x007fffff, 0x80000001, 0x00800fff};
    const uint32_t sums[] = {0x3f800fff, 0x00800000, 0x80000001, 0x00800ffe};
    const uint32_t flushed[] = {0x3f800fff, 0, 0, 0x00800fff};
    const CUtensorMapDataType types[] = {
        CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ};
    const cuuint64_t size[] = {4}, stride[] = {0};
    const cuuint32_t extent[] = {4}, steps[] = {1};
    uint32_t host[4];
    float *data;
    cudaMalloc((void **)&data, sizeof host);
    for (int i = 0; i < 8; i++) {
        CUtensorMap map;
        const uint32_t *wanted = i < 4 ? given : i < 6 ? sums : flushed;
        cudaMemcpy(data, before, sizeof host, cudaMemcpyHostToDevice);
        assert_int_equal(tile_map(&map, types[i % 4], 1, data, size, stride, extent, steps,
                                  CU_TENSOR_MAP_SWIZZLE_NONE),
                         CUDA_SUCCESS);
        give_row<<<1, 32>>>(map, i >= 4);
        assert_int_equal(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
        assert_memory_equal(host, wanted, sizeof host);
    }
    cudaFree(data);
}

static void test_refused_maps(void **)
{
    cudaFree(NULL); // creates a context
    CUtensorMap map;
    cuuint64_t size[] = {16, 4}, stride[] = {64};
    cuuint32_t box[] = {16, 4}, steps[] = {1, 1};
    const auto tried = [&](void *address, CUtensorMapSwizzle swizzle) {
        return tile_map(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, address, size, stride, box, steps,
                        swizzle);
    };
    alignas(16) static char memory[256];
    assert_int_equal(tried(memory, CU_TENSOR_MAP_SWIZZLE_64B), CUDA_SUCCESS);
    assert_int_equal(tried(memory + 4, CU_TENSOR_MAP_SWIZZLE_NONE), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(tried(memory, CU_TENSOR_MAP_SWIZZLE_32B), CUDA_ERROR_INVALID_VALUE);
    stride[0] = 60;
    assert_int_equal(tried(memory, CU_TENSOR_MAP_SWIZZLE_NONE), CUDA_ERROR_INVALID_VALUE);
    stride[0] = 64;
    box[1] = 257;
    assert_int_equal(tried(memory, CU_TENSOR_MAP_SWIZZLE_NONE), CUDA_ERROR_INVALID_VALUE);
    box[1] = 4;
    assert_int_equal(tile_map(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, memory, size, stride, box,
                              steps, CU_TENSOR_MAP_SWIZZLE_NONE,
                              CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA),
                     CUDA_ERROR_INVALID_VALUE);
    box[0] = 3;
    assert_int_equal(tried(memory, CU_TENSOR_MAP_SWIZZLE_NONE), CUDA_ERROR_INVALID_VALUE);
}

// With a name, runs one test alone. On a GPU, a failure also breaks all later tests.
int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),      cmocka_unit_test(test_matrices_move),
        cmocka_unit_test(test_boxes),         cmocka_unit_test(test_refused_maps),
        cmocka_unit_test(test_reductions),    cmocka_unit_test(test_columns),
        cmocka_unit_test(test_columns_given), cmocka_unit_test(test_map_from_zeros),
        cmocka_unit_test(test_filled),        cmocka_unit_test(test_given_types),
    };
    if (count > 1)
        cmocka_set_test_filter(arguments[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
