// Atomics on floats, halves, pairs of these and vectors, bit by bit. Each case prints one line: a
// hash of memory afterwards and its first four words. atomics_h200.txt is the output of an H200;
// test_same_as_h200.sh compares. With a part of a name as argument, the program prints all words of
// the matching cases. Inputs come from a formula, not from a file.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { PAIRS = 96, SPECIAL = 8 };

struct Format {
    int bits, exponent, fraction;
};

__host__ __device__ static uint32_t hashed(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// Zeros, infinities, two kinds of NaN, a subnormal number, the largest number.
__host__ __device__ static uint32_t special(const Format &f, int which)
{
    const uint32_t sign = 1u << (f.bits - 1), top = ((1u << f.exponent) - 1) << f.fraction;
    switch (which) {
    case 0:
        return 0;
    case 1:
        return sign;
    case 2:
        return top;
    case 3:
        return sign | top;
    case 4:
        return top | 1u << (f.fraction - 1) | 5;
    case 5:
        return sign | top | 3;
    case 6:
        return sign | 3;
    default:
        return top - 1;
    }
}

// Number i of the first or second operands: of similar or any magnitude, small, or special.
__host__ __device__ static uint32_t operand(const Format &f, int i, bool second)
{
    const uint32_t random = hashed((uint32_t)i * 2 + second), bias = (1u << (f.exponent - 1)) - 1;
    const uint32_t sign = random >> 31 << (f.bits - 1),
                   fraction = random & ((1u << f.fraction) - 1);
    const uint32_t other = hashed(random);
    if (i >= PAIRS - SPECIAL * SPECIAL) {
        const int j = i - (PAIRS - SPECIAL * SPECIAL);
        return special(f, second ? j / SPECIAL : j % SPECIAL);
    }
    if (i < 16)
        return sign | (bias + other % 4) << f.fraction | fraction;
    if (i < 24)
        return sign | (other % (2 * bias)) << f.fraction | fraction;
    return sign | other % 3 << f.fraction | fraction;
}

__host__ __device__ static void fill(const Format &f, int thread, bool second, uint32_t words[4])
{
    const int each = 128 / f.bits;
    for (int i = 0; i < 4; i++)
        words[i] = 0;
    for (int i = 0; i < each; i++)
        words[i * f.bits / 32] |= operand(f, (thread + i * 7) % PAIRS, second) << i * f.bits % 32;
}

#define LIST2(c, x) c(x[0]), c(x[1])
#define LIST4(c, x) c(x[0]), c(x[1]), c(x[2]), c(x[3])
#define LIST8(c, x) LIST4(c, x), c(x[4]), c(x[5]), c(x[6]), c(x[7])

// One kernel per case: a thread's operands lie side by side in its 16 bytes. For a case in shared
// memory, the kernel first copies them there.
#define CASE(name, T, in_shared, ...)                                                              \
    __global__ void name(Format f, uint32_t *memory, uint32_t *old)                                \
    {                                                                                              \
        __shared__ __align__(16) uint32_t shared[4 * PAIRS];                                       \
        uint32_t words[4];                                                                         \
        T a[16 / sizeof(T)], b[16 / sizeof(T)], d[16 / sizeof(T)] = {};                            \
        fill(f, threadIdx.x, false, words);                                                        \
        uint32_t *const mine = (in_shared ? shared : memory) + 4 * threadIdx.x;                    \
        memcpy(mine, words, 16);                                                                   \
        memcpy(a, words, 16);                                                                      \
        fill(f, threadIdx.x, true, words);                                                         \
        memcpy(b, words, 16);                                                                      \
        const auto p = in_shared ? (unsigned long long)__cvta_generic_to_shared(mine)              \
                                 : (unsigned long long)__cvta_generic_to_global(mine);             \
        static_cast<void>(a);                                                                      \
        __VA_ARGS__                                                                                \
        memcpy(words, mine, 16);                                                                   \
        memcpy(memory + 4 * threadIdx.x, words, 16);                                               \
        for (unsigned i = 0; i < 16 / sizeof(T); i++)                                              \
            reinterpret_cast<T *>(old + 4 * threadIdx.x)[i] = d[i];                                \
    }

typedef unsigned short half_t;
// Atomics on one number, then on vectors of numbers.
#define ATOM1(name, op, T, c, in_shared)                                                           \
    CASE(name, T, in_shared,                                                                       \
         asm volatile("atom." op " %0, [%1], %2;"                                                  \
                      : "=" c(d[0])                                                                \
                      : "l"(p), c(b[0])                                                            \
                      : "memory");)
#define RED1(name, op, T, c, in_shared)                                                            \
    CASE(name, T, in_shared, asm volatile("red." op " [%0], %1;" ::"l"(p), c(b[0]) : "memory");)
#define ATOM2(name, op, T, c)                                                                      \
    CASE(name, T, false,                                                                           \
         asm volatile("atom.global." op " {%0, %1}, [%2], {%3, %4};"                               \
                      : LIST2("=" c, d)                                                            \
                      : "l"(p), LIST2(c, b)                                                        \
                      : "memory");)
#define RED2(name, op, T, c)                                                                       \
    CASE(name, T, false,                                                                           \
         asm volatile("red.global." op " [%0], {%1, %2};" ::"l"(p), LIST2(c, b)                    \
                      : "memory");)
#define ATOM4(name, op, T, c)                                                                      \
    CASE(name, T, false,                                                                           \
         asm volatile("atom.global." op " {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"               \
                      : LIST4("=" c, d)                                                            \
                      : "l"(p), LIST4(c, b)                                                        \
                      : "memory");)
#define RED4(name, op, T, c)                                                                       \
    CASE(name, T, false,                                                                           \
         asm volatile("red.global." op " [%0], {%1, %2, %3, %4};" ::"l"(p), LIST4(c, b)            \
                      : "memory");)
#define ATOM8(name, op, T, c)                                                                      \
    CASE(name, T, false,                                                                           \
         asm volatile("atom.global." op " {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], "                \
                      "{%9, %10, %11, %12, %13, %14, %15, %16};"                                   \
                      : LIST8("=" c, d)                                                            \
                      : "l"(p), LIST8(c, b)                                                        \
                      : "memory");)
#define RED8(name, op, T, c)                                                                       \
    CASE(name, T, false,                                                                           \
         asm volatile("red.global." op " [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(p),        \
                      LIST8(c, b)                                                                  \
                      : "memory");)

ATOM1(add_f32, "global.add.f32", float, "f", false)
ATOM1(add_f32_shared, "shared.add.f32", float, "f", true)
RED1(red_f32, "global.add.f32", float, "f", false)
ATOM2(add_v2_f32, "add.v2.f32", float, "f")
RED2(red_v2_f32, "add.v2.f32", float, "f")
ATOM4(add_v4_f32, "relaxed.gpu.add.v4.f32", float, "f")
RED4(red_v4_f32, "add.v4.f32", float, "f")
ATOM1(add_f16, "global.add.noftz.f16", half_t, "h", false)
ATOM1(add_f16_shared, "shared.add.noftz.f16", half_t, "h", true)
RED1(red_f16, "global.add.noftz.f16", half_t, "h", false)
ATOM1(add_f16x2, "global.add.noftz.f16x2", unsigned, "r", false)
ATOM1(add_f16x2_shared, "shared.add.noftz.f16x2", unsigned, "r", true)
RED1(red_f16x2, "global.relaxed.gpu.add.noftz.f16x2", unsigned, "r", false)
ATOM1(add_bf16, "global.add.noftz.bf16", half_t, "h", false)
ATOM1(add_bf16_shared, "shared.add.noftz.bf16", half_t, "h", true)
RED1(red_bf16, "global.add.noftz.bf16", half_t, "h", false)
ATOM1(add_bf16x2, "global.add.noftz.bf16x2", unsigned, "r", false)
ATOM1(add_bf16x2_shared, "shared.add.noftz.bf16x2", unsigned, "r", true)
RED1(red_bf16x2, "global.add.noftz.bf16x2", unsigned, "r", false)
ATOM2(add_v2_f16, "add.noftz.v2.f16", half_t, "h")
RED4(red_v4_f16, "add.noftz.v4.f16", half_t, "h")
ATOM8(add_v8_f16, "add.noftz.v8.f16", half_t, "h")
ATOM2(add_v2_f16x2, "add.noftz.v2.f16x2", unsigned, "r")
RED4(red_v4_f16x2, "add.noftz.v4.f16x2", unsigned, "r")
ATOM8(min_v8_f16, "min.noftz.v8.f16", half_t, "h")
RED4(max_v4_f16x2, "max.noftz.v4.f16x2", unsigned, "r")
ATOM4(add_v4_bf16, "add.noftz.v4.bf16", half_t, "h")
RED8(red_v8_bf16, "add.noftz.v8.bf16", half_t, "h")
RED2(red_v2_bf16x2, "add.noftz.v2.bf16x2", unsigned, "r")
ATOM4(add_v4_bf16x2, "add.noftz.v4.bf16x2", unsigned, "r")
RED8(min_v8_bf16, "min.noftz.v8.bf16", half_t, "h")
ATOM4(max_v4_bf16x2, "max.noftz.v4.bf16x2", unsigned, "r")
// In every second thread the comparison succeeds.
CASE(cas_b16, half_t, false,
     asm volatile("atom.global.cas.b16 %0, [%1], %2, %3;"
                  : "=h"(d[0])
                  : "l"(p), "h"((half_t)(a[0] + threadIdx.x % 2)), "h"(b[0])
                  : "memory");)

// The same operations by cp.reduce.async.bulk.
#define BULK(name, op)                                                                             \
    __global__ void name(Format f, uint32_t *memory, uint32_t *)                                   \
    {                                                                                              \
        __shared__ __align__(16) uint32_t operands[4 * PAIRS];                                     \
        uint32_t words[4];                                                                         \
        fill(f, threadIdx.x, false, words);                                                        \
        memcpy(memory + 4 * threadIdx.x, words, 16);                                               \
        fill(f, threadIdx.x, true, words);                                                         \
        memcpy(operands + 4 * threadIdx.x, words, 16);                                             \
        __threadfence();                                                                           \
        asm volatile("fence.proxy.async;" ::: "memory");                                           \
        __syncthreads();                                                                           \
        if (threadIdx.x == 0)                                                                      \
            asm volatile(                                                                          \
                "cp.reduce.async.bulk.global.shared::cta.bulk_group." op " [%0], [%1], %2;\n"      \
                "cp.async.bulk.commit_group;\n"                                                    \
                "cp.async.bulk.wait_group 0;" ::"l"(memory),                                       \
                "r"((unsigned)__cvta_generic_to_shared(operands)), "r"((unsigned)sizeof operands)  \
                : "memory");                                                                       \
    }
BULK(bulk_add_f32, "add.f32")
BULK(bulk_add_f16, "add.noftz.f16")
BULK(bulk_max_f16, "max.f16")
BULK(bulk_add_bf16, "add.noftz.bf16")
BULK(bulk_min_bf16, "min.bf16")

static const Format F32 = {32, 8, 23}, F16 = {16, 5, 10}, BF16 = {16, 8, 7};

static void run(const char *only, const char *name, const Format &f, int elements, bool old_read,
                void (*kernel)(Format, uint32_t *, uint32_t *))
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    // It is enough to combine each pair of operands once, in the place of the first.
    uint32_t *memory, *old, host[4 * PAIRS], before[4 * PAIRS];
    const int words = (elements * f.bits + 31) / 32;
    if (!strstr(name, only))
        return;
    if (cudaMalloc((void **)&memory, sizeof host) || cudaMalloc((void **)&old, sizeof host))
        exit(3);
    kernel<<<1, PAIRS>>>(f, memory, old);
    if (cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost) ||
        cudaMemcpy(before, old, sizeof host, cudaMemcpyDeviceToHost))
        exit(3);
    for (int i = 0; i < PAIRS; i++) {
        uint32_t words_before[4];
        fill(f, i, false, words_before);
        if (old_read && memcmp(words_before, &before[4 * i], (size_t)(elements * f.bits / 8))) {
            printf("thread %d: not what was there before\n", i);
            exit(1);
        }
        if (memcmp(&words_before[words], &host[4 * i + words], 16 - 4 * (size_t)words)) {
            printf("thread %d: written behind it\n", i);
            exit(1);
        }
    }
    for (int i = 0; i < PAIRS; i += words)
        for (int j = 0; j < words; j++)
            hash = (hash ^ host[4 * i + j]) * UINT64_C(0x100000001b3);
    printf("%s %016llx", name, (unsigned long long)hash);
    for (int i = 0; i < PAIRS; i += words)
        for (int j = 0; j < words; j++)
            if (*only || i + j < 4)
                printf("%c%x", *only && (i + j) % 8 == 0 ? '\n' : ' ', host[4 * i + j]);
    printf("\n");
    cudaFree(memory);
    cudaFree(old);
}

int main(int count, char **arguments)
{
    const char *only = count > 1 ? arguments[1] : "";
#define RUN(name, format, elements, old_read) run(only, #name, format, elements, old_read, name)
    RUN(add_f32, F32, 1, true);
    RUN(add_f32_shared, F32, 1, true);
    RUN(red_f32, F32, 1, false);
    RUN(add_v2_f32, F32, 2, true);
    RUN(red_v2_f32, F32, 2, false);
    RUN(add_v4_f32, F32, 4, true);
    RUN(red_v4_f32, F32, 4, false);
    RUN(add_f16, F16, 1, true);
    RUN(add_f16_shared, F16, 1, true);
    RUN(red_f16, F16, 1, false);
    RUN(add_f16x2, F16, 2, true);
    RUN(add_f16x2_shared, F16, 2, true);
    RUN(red_f16x2, F16, 2, false);
    RUN(add_bf16, BF16, 1, true);
    RUN(add_bf16_shared, BF16, 1, true);
    RUN(red_bf16, BF16, 1, false);
    RUN(add_bf16x2, BF16, 2, true);
    RUN(add_bf16x2_shared, BF16, 2, true);
    RUN(red_bf16x2, BF16, 2, false);
    RUN(add_v2_f16, F16, 2, true);
    RUN(red_v4_f16, F16, 4, false);
    RUN(add_v8_f16, F16, 8, true);
    RUN(add_v2_f16x2, F16, 4, true);
    RUN(red_v4_f16x2, F16, 8, false);
    RUN(min_v8_f16, F16, 8, true);
    RUN(max_v4_f16x2, F16, 8, false);
    RUN(add_v4_bf16, BF16, 4, true);
    RUN(red_v8_bf16, BF16, 8, false);
    RUN(red_v2_bf16x2, BF16, 4, false);
    RUN(add_v4_bf16x2, BF16, 8, true);
    RUN(min_v8_bf16, BF16, 8, false);
    RUN(max_v4_bf16x2, BF16, 8, true);
    RUN(cas_b16, F16, 1, true);
    RUN(bulk_add_f32, F32, 4, false);
    RUN(bulk_add_f16, F16, 8, false);
    RUN(bulk_max_f16, F16, 8, false);
    RUN(bulk_add_bf16, BF16, 8, false);
    RUN(bulk_min_bf16, BF16, 8, false);
    return 0;
}
