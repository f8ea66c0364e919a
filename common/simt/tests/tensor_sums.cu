// Results of tensor cores for random numbers, bit by bit. Each case prints one line: a hash of its
// results, and the first four. tensor_sums_h200.txt is the output of an H200; test_same_as_h200.sh
// compares. With a part of a name as argument, the program prints all results of the matching
// cases. Inputs come from a formula, not from a file.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// A format: the bits of a number, its exponent and its fraction; `low`: its first bit in the word.
struct Format {
    int bits, exponent, fraction, low;
};
static const Format F16 = {16, 5, 10, 0}, BF16 = {16, 8, 7, 0}, TF32 = {32, 8, 10, 13},
                    F32 = {32, 8, 23, 0}, E4M3 = {8, 4, 3, 0}, E5M2 = {8, 5, 2, 0};

static uint32_t hashed(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// How numbers are drawn: near 1; of many magnitudes; any bits, including infinities and NaNs;
// small, including subnormals; few bits, so that sums cancel.
enum Kind { NEAR, WIDE, ANY, SMALL, FEW, KINDS };

static uint32_t drawn(const Format &format, Kind kind, uint32_t seed, bool sum)
{
    const uint32_t random = hashed(seed), bias = (1u << (format.exponent - 1)) - 1;
    const uint32_t top = (1u << format.exponent) - 1, other = hashed(random);
    uint32_t exponent, fraction = random & ((1u << format.fraction) - 1);
    const uint32_t span = top < 32 ? bias : 12;
    switch (kind) {
    case NEAR:
        exponent = bias - other % 3 + (sum ? 2 : 0);
        break;
    case WIDE:
        exponent = bias + other % (2 * span) - span + (sum ? 1 : 0);
        break;
    case ANY:
        exponent = other % 64 ? other % top : top;
        break;
    case SMALL:
        exponent = other % (sum ? 4 : bias / 2 + 3);
        break;
    default:
        exponent = bias + other % 2;
        fraction &= 7u << (format.fraction > 3 ? format.fraction - 3 : 0);
        break;
    }
    return (random >> 31 << (format.exponent + format.fraction) | exponent << format.fraction |
            fraction)
           << format.low;
}

// A is M x K, B is N x K: the words of a row are contiguous. C and D: one word per number.
static __device__ uint32_t word_of(const uint32_t *matrix, int words, int row, int word)
{
    return matrix[row * words + word];
}

#define REGISTERS_OF_A(words)                                                                      \
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                    \
    uint32_t x[4], y[2];                                                                           \
    for (int i = 0; i < 4; i++)                                                                    \
        x[i] = word_of(a, words, 16 * warp + lane / 4 + i % 2 * 8, lane % 4 + i / 2 * 4);          \
    for (int i = 0; i < 2; i++)                                                                    \
    y[i] = word_of(b, words, lane / 4, lane % 4 + i * 4)

// The place of result i of a lane's four results.
static __device__ int place_of(int i)
{
    return (threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 * 8) * 8 + threadIdx.x % 4 * 2 +
           i % 2;
}

#define WARP_PRODUCT(name, instruction)                                                            \
    __global__ void name(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d)     \
    {                                                                                              \
        uint32_t z[4];                                                                             \
        REGISTERS_OF_A(8);                                                                         \
        for (int i = 0; i < 4; i++)                                                                \
            z[i] = c[place_of(i)];                                                                 \
        asm volatile(instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "                 \
                                 "{%0, %1, %2, %3};"                                               \
                     : "+r"(z[0]), "+r"(z[1]), "+r"(z[2]), "+r"(z[3])                              \
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));          \
        for (int i = 0; i < 4; i++)                                                                \
            d[place_of(i)] = z[i];                                                                 \
    }
#define MMA "mma.sync.aligned."
WARP_PRODUCT(warp_f16, MMA "m16n8k16.row.col.f32.f16.f16.f32")
WARP_PRODUCT(warp_bf16, MMA "m16n8k16.row.col.f32.bf16.bf16.f32")
WARP_PRODUCT(warp_tf32, MMA "m16n8k8.row.col.f32.tf32.tf32.f32")
WARP_PRODUCT(warp_e4m3, MMA "m16n8k32.row.col.f32.e4m3.e4m3.f32")
WARP_PRODUCT(warp_e5m2, MMA "m16n8k32.row.col.f32.e5m2.e5m2.f32")

// With half the depth.
#define SHORT_PRODUCT(name, instruction)                                                           \
    __global__ void name(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d)     \
    {                                                                                              \
        uint32_t z[4];                                                                             \
        REGISTERS_OF_A(8);                                                                         \
        for (int i = 0; i < 4; i++)                                                                \
            z[i] = c[place_of(i)];                                                                 \
        asm volatile(instruction " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"            \
                     : "+r"(z[0]), "+r"(z[1]), "+r"(z[2]), "+r"(z[3])                              \
                     : "r"(x[0]), "r"(x[1]), "r"(y[0]));                                           \
        for (int i = 0; i < 4; i++)                                                                \
            d[place_of(i)] = z[i];                                                                 \
    }
SHORT_PRODUCT(short_f16, MMA "m16n8k8.row.col.f32.f16.f16.f32")
SHORT_PRODUCT(short_bf16, MMA "m16n8k8.row.col.f32.bf16.bf16.f32")
SHORT_PRODUCT(short_tf32, MMA "m16n8k4.row.col.f32.tf32.tf32.f32")
SHORT_PRODUCT(short_e4m3, MMA "m16n8k16.row.col.f32.e4m3.e4m3.f32")
SHORT_PRODUCT(short_mixed, MMA "m16n8k16.row.col.f32.e4m3.e5m2.f32")

// Half-precision results: two per register.
#define PAIRS_IN                                                                                   \
    for (int i = 0; i < 2; i++)                                                                    \
    z[i] = c[place_of(2 * i)] | c[place_of(2 * i + 1)] << 16
#define PAIRS_OUT                                                                                  \
    for (int i = 0; i < 4; i++)                                                                    \
    d[place_of(i)] = z[i / 2] >> i % 2 * 16 & 0xffff

#define WARP_PAIRS(name, instruction)                                                              \
    __global__ void name(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d)     \
    {                                                                                              \
        uint32_t z[2];                                                                             \
        REGISTERS_OF_A(8);                                                                         \
        PAIRS_IN;                                                                                  \
        asm volatile(instruction " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"                \
                     : "+r"(z[0]), "+r"(z[1])                                                      \
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));          \
        PAIRS_OUT;                                                                                 \
    }
WARP_PAIRS(warp_half, MMA "m16n8k16.row.col.f16.f16.f16.f16")
WARP_PAIRS(warp_half_e4m3, MMA "m16n8k32.row.col.f16.e4m3.e4m3.f16")
WARP_PAIRS(warp_half_e5m2, MMA "m16n8k32.row.col.f16.e5m2.e5m2.f16")

#define SHORT_PAIRS(name, instruction)                                                             \
    __global__ void name(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d)     \
    {                                                                                              \
        uint32_t z[2];                                                                             \
        REGISTERS_OF_A(8);                                                                         \
        PAIRS_IN;                                                                                  \
        asm volatile(instruction " {%0, %1}, {%2, %3}, {%4}, {%0, %1};"                            \
                     : "+r"(z[0]), "+r"(z[1])                                                      \
                     : "r"(x[0]), "r"(x[1]), "r"(y[0]));                                           \
        PAIRS_OUT;                                                                                 \
    }
SHORT_PAIRS(short_half_e4m3, MMA "m16n8k16.row.col.f16.e4m3.e4m3.f16")
SHORT_PAIRS(short_half_mixed, MMA "m16n8k16.row.col.f16.e5m2.e4m3.f16")

// Matrices for wgmma: cores of 8 rows of 16 bytes. Returns the descriptor of the matrix.
static __device__ uint64_t laid_out(uint32_t *to, const uint32_t *from, int rows)
{
    for (int i = threadIdx.x; i < rows * 8; i += blockDim.x) {
        const int row = i / 8, word = i % 8;
        to[word / 4 * rows * 4 + row * 4 + word % 4] = from[i];
    }
    const uint64_t address = __cvta_generic_to_shared(to);
    return (address & 0x3ffff) >> 4 | (uint64_t)rows << 16 | (uint64_t)(128 >> 4) << 32;
}

#define GROUP_PRODUCT(name, registers, in, instruction, list, first, second, operands, out)        \
    __global__ void name(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d)     \
    {                                                                                              \
        __shared__ __align__(128) uint32_t tile_a[64 * 8], tile_b[8 * 8];                          \
        const uint64_t from_a = laid_out(tile_a, a, 64), from_b = laid_out(tile_b, b, 8);          \
        uint32_t z[registers];                                                                     \
        in;                                                                                        \
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                               \
        __syncthreads();                                                                           \
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                    \
        asm volatile("wgmma.mma_async.sync.aligned." instruction " " list ", " first ", " second   \
                     ";"                                                                           \
                     : operands                                                                    \
                     : "l"(from_a), "l"(from_b)                                                    \
                     : "memory");                                                                  \
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                             \
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                             \
        out;                                                                                       \
    }
#define SINGLES_IN                                                                                 \
    for (int i = 0; i < 4; i++)                                                                    \
    z[i] = c[place_of(i)]
#define SINGLES_OUT                                                                                \
    for (int i = 0; i < 4; i++)                                                                    \
    d[place_of(i)] = z[i]
#define FOUR "+r"(z[0]), "+r"(z[1]), "+r"(z[2]), "+r"(z[3])
#define SINGLES(name, instruction, rest)                                                           \
    GROUP_PRODUCT(name, 4, SINGLES_IN, instruction, "{%0, %1, %2, %3}", "%4", "%5, 1, 1, 1" rest,  \
                  FOUR, SINGLES_OUT)
#define TWO "+r"(z[0]), "+r"(z[1])
#define PAIRS(name, instruction, rest)                                                             \
    GROUP_PRODUCT(name, 2, PAIRS_IN, instruction, "{%0, %1}", "%2", "%3, 1, 1, 1" rest, TWO,       \
                  PAIRS_OUT)
SINGLES(group_f16, "m64n8k16.f32.f16.f16", ", 0, 0")
SINGLES(group_bf16, "m64n8k16.f32.bf16.bf16", ", 0, 0")
SINGLES(group_tf32, "m64n8k8.f32.tf32.tf32", "")
SINGLES(group_e4m3, "m64n8k32.f32.e4m3.e4m3", "")
SINGLES(group_e5m2, "m64n8k32.f32.e5m2.e5m2", "")
SINGLES(group_mixed, "m64n8k32.f32.e4m3.e5m2", "")
PAIRS(group_half, "m64n8k16.f16.f16.f16", ", 0, 0")
PAIRS(group_half_e4m3, "m64n8k32.f16.e4m3.e4m3", "")

static const struct {
    const char *name;
    void (*kernel)(const uint32_t *, const uint32_t *, const uint32_t *, uint32_t *);
    int rows;
    Format a, b, c;
} cases[] = {
    {"mma.f32.f16", warp_f16, 16, F16, F16, F32},
    {"mma.f32.bf16", warp_bf16, 16, BF16, BF16, F32},
    {"mma.f32.tf32", warp_tf32, 16, TF32, TF32, F32},
    {"mma.f16.f16", warp_half, 16, F16, F16, F16},
    {"mma.f32.e4m3", warp_e4m3, 16, E4M3, E4M3, F32},
    {"mma.f32.e5m2", warp_e5m2, 16, E5M2, E5M2, F32},
    {"wgmma.f32.f16", group_f16, 64, F16, F16, F32},
    {"wgmma.f32.bf16", group_bf16, 64, BF16, BF16, F32},
    {"wgmma.f32.tf32", group_tf32, 64, TF32, TF32, F32},
    {"wgmma.f16.f16", group_half, 64, F16, F16, F16},
    {"wgmma.f32.e4m3", group_e4m3, 64, E4M3, E4M3, F32},
    {"wgmma.f32.e5m2", group_e5m2, 64, E5M2, E5M2, F32},
    {"wgmma.f32.e4m3.e5m2", group_mixed, 64, E4M3, E5M2, F32},
    {"wgmma.f16.e4m3", group_half_e4m3, 64, E4M3, E4M3, F16},
    {"mma.short.f32.f16", short_f16, 16, F16, F16, F32},
    {"mma.short.f32.bf16", short_bf16, 16, BF16, BF16, F32},
    {"mma.short.f32.tf32", short_tf32, 16, TF32, TF32, F32},
    {"mma.f16.e4m3", warp_half_e4m3, 16, E4M3, E4M3, F16},
    {"mma.f16.e5m2", warp_half_e5m2, 16, E5M2, E5M2, F16},
    {"mma.short.f32.e4m3", short_e4m3, 16, E4M3, E4M3, F32},
    {"mma.short.f32.e4m3.e5m2", short_mixed, 16, E4M3, E5M2, F32},
    {"mma.short.f16.e4m3", short_half_e4m3, 16, E4M3, E4M3, F16},
    {"mma.short.f16.e5m2.e4m3", short_half_mixed, 16, E5M2, E4M3, F16},
};

static std::vector<uint32_t> matrix(const Format &format, Kind kind, int words, uint32_t seed,
                                    bool sum)
{
    std::vector<uint32_t> result((size_t)words);
    const int parts = sum ? 1 : 32 / format.bits;
    for (int i = 0; i < words * parts; i++)
        result[i / parts] |= drawn(format, kind, seed * 100003u + i, sum)
                             << (parts > 1 ? i % parts * format.bits : 0);
    return result;
}

static uint32_t *on_device(const std::vector<uint32_t> &host)
{
    uint32_t *device;
    if (cudaMalloc((void **)&device, host.size() * 4) != cudaSuccess)
        exit(3);
    cudaMemcpy(device, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
    return device;
}

int main(int count, char **arguments)
{
    const char *only = count > 1 ? arguments[1] : "";
    for (const auto &one : cases)
        for (int kind = 0; kind < KINDS; kind++) {
            const uint32_t seed = (uint32_t)kind * 7 + 1;
            std::vector<uint32_t> result((size_t)one.rows * 8);
            const size_t shown = 16 * 8; // the first rows; the others are similar
            if (!strstr(one.name, only))
                continue;
            uint32_t *a = on_device(matrix(one.a, (Kind)kind, one.rows * 8, seed, false));
            uint32_t *b = on_device(matrix(one.b, (Kind)kind, 8 * 8, seed + 1, false));
            uint32_t *c = on_device(matrix(one.c, (Kind)kind, one.rows * 8, seed + 2, true));
            uint32_t *d = on_device(result);
            one.kernel<<<1, one.rows * 2>>>(a, b, c, d);
            if (cudaMemcpy(result.data(), d, result.size() * 4, cudaMemcpyDeviceToHost) !=
                cudaSuccess) {
                fprintf(stderr, "%s: %s\n", one.name, cudaGetErrorString(cudaGetLastError()));
                return 3;
            }
            uint64_t hash = UINT64_C(0xcbf29ce484222325);
            for (size_t i = 0; i < shown; i++)
                hash = (hash ^ result[i]) * UINT64_C(0x100000001b3);
            printf("%s%s%016llx %x %x %x %x%s", kind == 0 ? one.name : "", kind == 0 ? ": " : ", ",
                   (unsigned long long)hash, result[0], result[1], result[2], result[3],
                   *only || kind == KINDS - 1 ? "\n" : "");
            for (size_t i = 0; *only && i < shown; i++)
                printf("%x%c", result[i], i % 8 == 7 ? '\n' : ' ');
            cudaFree(a);
            cudaFree(b);
            cudaFree(c);
            cudaFree(d);
        }
    return 0;
}
