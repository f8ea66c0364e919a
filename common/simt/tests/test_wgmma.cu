// wgmma: the place of each element of a tile, for each shared-memory layout, and the elements of
// the result that each lane holds. Compiles with nvcc (sm_90a) as well. The matrices hold small
// whole numbers, so sums are exact in any order.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "cmocka_all.h"
#include "wgmma_helpers.cuh"

enum number { BF16, F16, TF32, E4M3, E5M2, S8, U8 };

__host__ __device__ static constexpr int bytes_of(number type)
{
    return type == TF32 ? 4 : type <= F16 ? 2 : 1;
}

// A small whole number in a format: -3 to 3, or 0 to 6 for U8.
__host__ __device__ static unsigned encoded(number type, int value)
{
    const unsigned sign = value < 0, size = value < 0 ? -value : value;
    const unsigned power = size >= 2, half = size == 3; // (1 + half / 2) * 2^power
    if (type >= S8)
        return (unsigned)(type == U8 ? value + 3 : value) & 0xff;
    if (size == 0)
        return 0;
    switch (type) {
    case BF16:
        return sign << 15 | (127 + power) << 7 | half << 6;
    case F16:
        return sign << 15 | (15 + power) << 10 | half << 9;
    case TF32:
        return sign << 31 | (127 + power) << 23 | half << 22;
    case E4M3:
        return sign << 7 | (7 + power) << 3 | half << 2;
    default:
        return sign << 7 | (15 + power) << 2 | half << 1;
    }
}

__host__ __device__ static int element_a(int row, int k)
{
    return (row * 3 + k * 5 + row / 8) % 7 - 3;
}

__host__ __device__ static int element_b(int column, int k)
{
    return (column * 2 + k * 3 + column / 16 + k / 16) % 7 - 3;
}

// The layout of a tile with this number of rows (of A) or columns (of B), as a tensor map's box
// copies would leave it: K or the rows run fastest. Spans of 32, 64, 128 bytes are swizzled. A span
// of 0 means cores of 8 x 16 bytes, stored one after the other.
struct Layout {
    bool transposed;
    int span, rows, depth; // depth of the whole tile: several MMAs
};

__host__ __device__ static unsigned offset_of(const Layout &layout, int bytes, int row, int k)
{
    unsigned at;
    if (!layout.span && layout.transposed)
        return (unsigned)(row / 8 * 128 + k % 8 * 16 + k / 8 * (layout.rows / 8 * 128) +
                          row % 8 * 2);
    if (!layout.span)
        return (unsigned)(row * 16 + k * bytes / 16 * layout.rows * 16 + k * bytes % 16);
    if (layout.transposed) {
        const int in_box = layout.span / bytes;
        at = (unsigned)(row / in_box * layout.depth * layout.span + k * layout.span +
                        row % in_box * bytes);
    } else {
        at = (unsigned)(row * layout.span + k * bytes);
    }
    return at ^ (at >> 7 & (unsigned)(layout.span / 16 - 1)) << 4;
}

// The descriptor of the tile for the MMA that begins at column k.
__device__ static uint64_t descriptor(const Layout &layout, int bytes, const void *tile, int k)
{
    const uint64_t mode = layout.span == 128  ? 1
                          : layout.span == 64 ? 2
                          : layout.span == 32 ? 3
                                              : 0;
    uint64_t start = __cvta_generic_to_shared(tile), lead, stride;
    if (layout.span && layout.transposed) {
        lead = (uint64_t)layout.depth * layout.span;
        stride = 8 * layout.span;
        start += (uint64_t)k * layout.span;
    } else if (layout.span) {
        lead = 16;
        stride = 8 * layout.span;
        start += (uint64_t)k * bytes;
    } else if (layout.transposed) {
        lead = (uint64_t)layout.rows / 8 * 128;
        stride = 128;
        start += k / 8 * lead;
    } else {
        lead = (uint64_t)layout.rows * 16;
        stride = 128;
        start += k * bytes / 16 * lead;
    }
    return (start & 0x3ffff) >> 4 | lead >> 4 << 16 | stride >> 4 << 32 | mode << 62;
}

template <number TYPE>
__device__ static void fill(char *tile, const Layout &layout, bool is_a)
{
    for (int i = threadIdx.x; i < layout.rows * layout.depth; i += blockDim.x) {
        const int row = i / layout.depth, k = i % layout.depth;
        const unsigned bits = encoded(TYPE, is_a ? element_a(row, k) : element_b(row, k));
        memcpy(tile + offset_of(layout, bytes_of(TYPE), row, k), &bits, bytes_of(TYPE));
    }
}

// The row and the column of result number i of a lane.
__device__ static int row_of(int i)
{
    return threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4 + i % 4 / 2 * 8;
}

__device__ static int column_of(int i)
{
    return i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
}

#define LIST32                                                                                     \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "                       \
    "%30, %31"
#define LIST128                                                                                    \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "                       \
    "%30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, "                       \
    "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "                       \
    "%58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, "                       \
    "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, "                       \
    "%86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, "                       \
    "%100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "                     \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, "                     \
    "%124, %125, %126, %127"
#define EIGHT(c, d, i)                                                                             \
    c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3]), c(d[i + 4]), c(d[i + 5]), c(d[i + 6]),         \
        c(d[i + 7])
#define ALL32(c, d) EIGHT(c, d, 0), EIGHT(c, d, 8), EIGHT(c, d, 16), EIGHT(c, d, 24)
#define ALL128(c, d)                                                                               \
    EIGHT(c, d, 0), EIGHT(c, d, 8), EIGHT(c, d, 16), EIGHT(c, d, 24), EIGHT(c, d, 32),             \
        EIGHT(c, d, 40), EIGHT(c, d, 48), EIGHT(c, d, 56), EIGHT(c, d, 64), EIGHT(c, d, 72),       \
        EIGHT(c, d, 80), EIGHT(c, d, 88), EIGHT(c, d, 96), EIGHT(c, d, 104), EIGHT(c, d, 112),     \
        EIGHT(c, d, 120)
#define REAL "+f"
#define WHOLE "+r"
#define PRODUCT(shape, list, operands, a, b, adds, rest, ...)                                      \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" adds ", 0;\n"                                \
                 "wgmma.mma_async.sync.aligned." shape " {" list "}, %" a ", %" b ", p" rest       \
                 ";\n}"                                                                            \
                 : operands                                                                        \
                 : __VA_ARGS__)
#define PRODUCT64(types, constraint, rest)                                                         \
    PRODUCT("m64n64" types, LIST32, ALL32(constraint, d), "32", "33", "34", rest, "l"(a), "l"(b),  \
            "r"(adds))

template <number TYPE, bool TRANSPOSED_A, bool TRANSPOSED_B, class T>
__device__ static void product(T (&d)[32], uint64_t a, uint64_t b, int adds)
{
    if constexpr (TYPE == BF16 && !TRANSPOSED_A && !TRANSPOSED_B)
        PRODUCT64("k16.f32.bf16.bf16", REAL, ", 1, 1, 0, 0");
    else if constexpr (TYPE == BF16 && TRANSPOSED_A && TRANSPOSED_B)
        PRODUCT64("k16.f32.bf16.bf16", REAL, ", 1, 1, 1, 1");
    else if constexpr (TYPE == F16 && TRANSPOSED_A)
        PRODUCT64("k16.f32.f16.f16", REAL, ", -1, 1, 1, 0");
    else if constexpr (TYPE == F16)
        PRODUCT64("k16.f32.f16.f16", REAL, ", -1, -1, 0, 1");
    else if constexpr (TYPE == TF32)
        PRODUCT64("k8.f32.tf32.tf32", REAL, ", 1, 1");
    else if constexpr (TYPE == E4M3)
        PRODUCT64("k32.f32.e4m3.e4m3", REAL, ", 1, 1");
    else if constexpr (TYPE == E5M2)
        PRODUCT64("k32.f32.e5m2.e5m2", REAL, ", 1, -1");
    else if constexpr (TYPE == S8)
        PRODUCT64("k32.s32.s8.s8", WHOLE, "");
    else
        PRODUCT64("k32.s32.u8.u8", WHOLE, "");
}

// D = A B + 1, or D = A B.
template <number TYPE, bool TRANSPOSED_A, bool TRANSPOSED_B, class T>
__global__ void multiply(T *out, Layout of_a, Layout of_b, int adds)
{
    extern __shared__ __align__(1024) char tiles[];
    const int bytes = bytes_of(TYPE);
    char *b = tiles + 64 * of_a.depth * bytes;
    T d[32];
    fill<TYPE>(tiles, of_a, true);
    fill<TYPE>(b, of_b, false);
    for (T &x : d)
        x = 1;
    fence_proxy();
    __syncthreads();
    wgmma_fence();
    for (int k = 0; k < of_a.depth; k += 32 / bytes)
        product<TYPE, TRANSPOSED_A, TRANSPOSED_B>(d, descriptor(of_a, bytes, tiles, k),
                                                  descriptor(of_b, bytes, b, k), adds || k > 0);
    commit_and_wait();
    for (int i = 0; i < 32; i++)
        out[row_of(i) * 64 + column_of(i)] = d[i];
}

template <class T>
static std::vector<T> run(void (*kernel)(T *, Layout, Layout, int), Layout a, Layout b, int adds,
                          int threads, int bytes, int columns)
{
    std::vector<T> host((size_t)64 * columns);
    T *out;
    assert_int_equal(cudaMalloc((void **)&out, host.size() * sizeof(T)), cudaSuccess);
    kernel<<<1, threads, (a.depth * (64 + columns)) * bytes>>>(out, a, b, adds);
    assert_int_equal(cudaMemcpy(host.data(), out, host.size() * sizeof(T), cudaMemcpyDeviceToHost),
                     cudaSuccess);
    cudaFree(out);
    return host;
}

template <class T>
static void compare(const std::vector<T> &host, int columns, int depth, int sign, int start,
                    int excess)
{
    for (int row = 0; row < 64; row++)
        for (int column = 0; column < columns; column++) {
            int sum = 0;
            for (int k = 0; k < depth; k++)
                sum += (element_a(row, k) + excess) * (element_b(column, k) + excess);
            assert_int_equal((int)host[row * columns + column], sign * sum + start);
        }
}

template <number TYPE, bool TRANSPOSED_A, bool TRANSPOSED_B, class T>
static void check(int span_a, int span_b, int sign, int adds = 1)
{
    // K is as deep as the smaller of both spans allows if K runs fastest.
    const int depth = 128 / bytes_of(TYPE);
    const int depth_a = TRANSPOSED_A || !span_a ? depth : span_a / bytes_of(TYPE);
    const int depth_b = TRANSPOSED_B || !span_b ? depth : span_b / bytes_of(TYPE);
    const int least = depth_a < depth_b ? depth_a : depth_b;
    const Layout a = {TRANSPOSED_A, span_a, 64, least}, b = {TRANSPOSED_B, span_b, 64, least};
    const std::vector<T> host =
        run<T>(multiply<TYPE, TRANSPOSED_A, TRANSPOSED_B, T>, a, b, adds, 128, bytes_of(TYPE), 64);
    compare(host, 64, least, sign, adds, TYPE == U8 ? 3 : 0);
}

static void test_layouts(void **)
{
    for (int span : {0, 32, 64, 128}) {
        check<BF16, false, false, float>(span, span, 1);
        check<BF16, true, true, float>(span, span, 1);
        check<F16, true, false, float>(span, span, -1);
        check<F16, false, true, float>(span, span, 1);
    }
    check<BF16, true, true, float>(128, 32, 1, 0);
    check<F16, false, true, float>(64, 128, 1, 0);
}

static void test_types(void **)
{
    check<TF32, false, false, float>(128, 128, 1);
    check<TF32, false, false, float>(0, 0, 1, 0);
    check<E4M3, false, false, float>(128, 128, 1);
    check<E5M2, false, false, float>(64, 64, -1);
    check<S8, false, false, int>(128, 128, 1);
    check<S8, false, false, int>(32, 32, 1, 0);
    check<U8, false, false, int>(64, 64, 1);
}

// A in registers. Two warpgroups use the same B. One of them uses d while the MMA of e is still in
// flight.
__global__ void from_registers(float *out, Layout of_b, int adds)
{
    extern __shared__ __align__(1024) char tiles[];
    const int group = threadIdx.x / 128, lane = threadIdx.x % 32;
    unsigned x[2][4];
    float d[32], e[32];
    fill<BF16>(tiles, of_b, false);
    for (int i = 0; i < 8; i++) {
        const int row = row_of(0) + i % 2 * 8, k = i / 4 * 16 + lane % 4 * 2 + i % 4 / 2 * 8;
        x[i / 4][i % 4] = encoded(BF16, element_a(row, k)) | encoded(BF16, element_a(row, k + 1))
                                                                 << 16;
    }
    for (int i = 0; i < 32; i++)
        d[i] = e[i] = 1;
    fence_proxy();
    __syncthreads();
    wgmma_fence();
#define REGISTERS "{%32, %33, %34, %35}"
#define PRODUCT_OF(d, step)                                                                        \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"                                      \
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" LIST32 "}, " REGISTERS   \
                 ", %36, p, 1, 1, 0;\n}"                                                           \
                 : ALL32(REAL, d)                                                                  \
                 : "r"(x[step][0]), "r"(x[step][1]), "r"(x[step][2]), "r"(x[step][3]),             \
                   "l"(descriptor(of_b, 2, tiles, 16 * step)), "r"(adds))
    PRODUCT_OF(d, 0);
    PRODUCT_OF(d, 1);
    commit();
    PRODUCT_OF(e, 0);
    commit();
    wait_groups<1>();
    if (group == 1)
        for (int i = 0; i < 32; i++)
            out[row_of(i) * 64 + column_of(i)] = d[i];
    wait_groups<0>();
    if (group == 0)
        for (int i = 0; i < 32; i++)
            out[4096 + row_of(i) * 64 + column_of(i)] = e[i];
}

static void test_registers(void **)
{
    const Layout b = {false, 64, 64, 32};
    std::vector<float> both(2 * 4096);
    float *out;
    cudaMalloc((void **)&out, both.size() * 4);
    from_registers<<<1, 256, 64 * 64>>>(out, b, 1);
    assert_int_equal(cudaMemcpy(both.data(), out, both.size() * 4, cudaMemcpyDeviceToHost),
                     cudaSuccess);
    compare(both, 64, 32, 1, 1, 0);
    both.erase(both.begin(), both.begin() + 4096);
    compare(both, 64, 16, 1, 1, 0);
    cudaFree(out);
}

// The widest instruction: N = 256.
__global__ void wide(float *out, Layout of_a, Layout of_b, int adds)
{
    extern __shared__ __align__(1024) char tiles[];
    char *b = tiles + 64 * of_a.depth * 2;
    float d[128];
    fill<BF16>(tiles, of_a, true);
    fill<BF16>(b, of_b, false);
    for (float &x : d)
        x = 1;
    fence_proxy();
    __syncthreads();
    wgmma_fence();
    for (int k = 0; k < of_a.depth; k += 16)
        PRODUCT("m64n256k16.f32.bf16.bf16", LIST128, ALL128(REAL, d), "128", "129", "130",
                ", 1, 1, 0, 0", "l"(descriptor(of_a, 2, tiles, k)), "l"(descriptor(of_b, 2, b, k)),
                "r"(adds));
    commit_and_wait();
    for (int i = 0; i < 128; i++)
        out[row_of(i) * 256 + column_of(i)] = d[i];
}

static void test_wide(void **)
{
    const Layout a = {false, 64, 64, 32}, b = {false, 64, 256, 32};
    compare(run<float>(wide, a, b, 1, 128, 2, 256), 256, 32, 1, 1, 0);
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
