// Results of tensor cores for random single bits. Each case prints one line with a hash of all
// results. tensor_bits_h200.txt is the output of an H200; test_same_as_h200.sh compares. Inputs
// come from a formula, not from a file.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static __host__ __device__ uint32_t hashed(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// ---- mma.sync: registers of a lane, whatever they mean ----

#define WORD(i) hashed(seed * 4096 + threadIdx.x * 16 + (i))
#define PRODUCT "mma.sync.aligned."
#define TWO "+r"(d[0]), "+r"(d[1])
#define FOUR TWO, "+r"(d[2]), "+r"(d[3])

#define WARP_PRODUCTS(name, shape, registers, results, operands)                                   \
    __global__ void name(bool either, uint32_t seed, int *out)                                     \
    {                                                                                              \
        int d[4];                                                                                  \
        for (int i = 0; i < 4; i++)                                                                \
            d[i] = (int)(WORD(8 + i) & 0xffff);                                                    \
        if (either)                                                                                \
            asm volatile(PRODUCT shape ".row.col.s32.b1.b1.s32.xor.popc " registers:results        \
                         : operands);                                                              \
        else                                                                                       \
            asm volatile(PRODUCT shape ".row.col.s32.b1.b1.s32.and.popc " registers:results        \
                         : operands);                                                              \
        for (int i = 0; i < 4; i++)                                                                \
            out[threadIdx.x * 4 + i] = d[i];                                                       \
    }
#define AND ,
WARP_PRODUCTS(m8n8k128, "m8n8k128", "{%0, %1}, {%2}, {%3}, {%0, %1};", TWO,
              "r"(WORD(0))AND "r"(WORD(4)))
WARP_PRODUCTS(m16n8k128, "m16n8k128", "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};", FOUR,
              "r"(WORD(0))AND "r"(WORD(1))AND "r"(WORD(4)))
WARP_PRODUCTS(m16n8k256, "m16n8k256",
              "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};", FOUR,
              "r"(WORD(0))AND "r"(WORD(1))AND "r"(WORD(2))AND "r"(WORD(3))AND "r"(WORD(4))AND
              "r"(WORD(5)))

// ---- wgmma: tiles in shared memory that is full of random bits ----

enum { SHARED_BYTES = 65536, B_BEGINS = 32768 };

#define GROUP "wgmma.mma_async.sync.aligned.m64n"
#define BITS "k256.s32.b1.b1.and.popc "
#define ADDS "{ .reg .pred p; setp.ne.b32 p, "
#define D4(o) "+r"(d[o]), "+r"(d[o + 1]), "+r"(d[o + 2]), "+r"(d[o + 3])

template <int N>
static __device__ void product(int *d, uint64_t a, uint64_t b, const uint32_t *registers, int adds);
template <>
__device__ void product<8>(int *d, uint64_t a, uint64_t b, const uint32_t *registers, int adds)
{
    if (registers)
        asm volatile(ADDS "%9, 0; " GROUP "8" BITS "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p; }"
                     : D4(0)
                     : "r"(registers[0]), "r"(registers[1]), "r"(registers[2]), "r"(registers[3]),
                       "l"(b), "r"(adds));
    else
        asm volatile(ADDS "%6, 0; " GROUP "8" BITS "{%0, %1, %2, %3}, %4, %5, p; }"
                     : D4(0)
                     : "l"(a), "l"(b), "r"(adds));
}
template <>
__device__ void product<16>(int *d, uint64_t a, uint64_t b, const uint32_t *registers, int adds)
{
    if (registers)
        asm volatile(ADDS "%13, 0; " GROUP "16" BITS
                          "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, %12, p; }"
                     : D4(0), D4(4)
                     : "r"(registers[0]), "r"(registers[1]), "r"(registers[2]), "r"(registers[3]),
                       "l"(b), "r"(adds));
    else
        asm volatile(ADDS "%10, 0; " GROUP "16" BITS
                          "{%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p; }"
                     : D4(0), D4(4)
                     : "l"(a), "l"(b), "r"(adds));
}
template <>
__device__ void product<32>(int *d, uint64_t a, uint64_t b, const uint32_t *, int adds)
{
    asm volatile(ADDS "%18, 0; " GROUP "32" BITS
                      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
                      "%16, %17, p; }"
                 : D4(0), D4(4), D4(8), D4(12)
                 : "l"(a), "l"(b), "r"(adds));
}
template <>
__device__ void product<48>(int *d, uint64_t a, uint64_t b, const uint32_t *, int adds)
{
    asm volatile(ADDS "%26, 0; " GROUP "48" BITS
                      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
                      "%17, %18, %19, %20, %21, %22, %23}, %24, %25, p; }"
                 : D4(0), D4(4), D4(8), D4(12), D4(16), D4(20)
                 : "l"(a), "l"(b), "r"(adds));
}

template <int N>
__global__ void group(uint64_t descriptor, uint32_t seed, bool in_registers, int adds, int *out)
{
    extern __shared__ __align__(1024) uint32_t tiles[];
    int d[N / 2];
    uint32_t registers[4];
    for (int i = threadIdx.x; i < SHARED_BYTES / 4; i += blockDim.x)
        tiles[i] = hashed(seed * 65536 + i);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    for (int i = 0; i < N / 2; i++)
        d[i] = (int)(hashed(seed + threadIdx.x * 256 + i) & 0xffff);
    for (int i = 0; i < 4; i++)
        registers[i] = hashed(seed + threadIdx.x * 4 + i + 0x100000);
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(tiles);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    product<N>(d, descriptor + (base >> 4), descriptor + ((base + B_BEGINS) >> 4),
               in_registers ? registers : nullptr, adds);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < N / 2; i++)
        out[threadIdx.x * (N / 2) + i] = d[i];
}

// ---- cases ----

static int *results;

// `name`: the name of the case for the first seed, else NULL.
static void print(const char *name, int count)
{
    std::vector<uint32_t> words(count);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    if (cudaMemcpy(words.data(), results, count * sizeof(int), cudaMemcpyDeviceToHost) !=
        cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
        exit(1);
    }
    for (uint32_t word : words)
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    printf("%s%s%016llx %x %x %x %x", name ? name : "", name ? ": " : ", ",
           (unsigned long long)hash, words[0], words[1], words[2], words[3]);
}

// Swizzle modes of a descriptor: 0 is none; 1, 2, 3 are 128, 64, 32 bytes.
template <int N>
static void tile(int mode, int start, int lead, int stride, int offset, bool in_registers, int adds)
{
    char name[128];
    const uint64_t descriptor = (uint64_t)(start >> 4) | (uint64_t)(lead >> 4) << 16 |
                                (uint64_t)(stride >> 4) << 32 | (uint64_t)offset << 49 |
                                (uint64_t)mode << 62;
    cudaFuncSetAttribute(group<N>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
    snprintf(name, sizeof name, "wgmma n%d mode %d start %d lead %d stride %d offset %d%s%s", N,
             mode, start, lead, stride, offset, in_registers ? " registers" : "",
             adds ? " adds" : "");
    for (uint32_t seed = 1; seed <= 3; seed++) {
        group<N><<<1, 128, SHARED_BYTES>>>(descriptor, seed, in_registers, adds, results);
        print(seed == 1 ? name : nullptr, 64 * N);
    }
    printf("\n");
}

template <int N>
static void tiles()
{
    for (int mode = 0; mode < 4; mode++) {
        const int span = mode ? 256 >> mode : 16;
        for (int adds = 0; adds < 2; adds++) {
            if (mode == 0) {
                tile<N>(mode, 0, 128, 256, 0, false, adds);
                tile<N>(mode, 0, 1024, 128, 0, false, adds);
                tile<N>(mode, 64, 144, 528, 0, false, adds);
            } else {
                tile<N>(mode, 0, 16, 8 * span, 0, false, adds);
                if (span > 32)
                    tile<N>(mode, 32, 16, 8 * span, 0, false, adds);
                if (span < 128)
                    tile<N>(mode, 0, 16, 1024, 0, false, adds);
                tile<N>(mode, 128, 16, 1024, 1, false, adds);
            }
            if (N <= 16)
                tile<N>(mode, 0, mode ? 16 : 128, mode ? 8 * span : 256, 0, true, adds);
        }
    }
}

int main()
{
    static const struct {
        const char *name;
        void (*kernel)(bool, uint32_t, int *);
    } products[] = {{"m8n8k128", m8n8k128}, {"m16n8k128", m16n8k128}, {"m16n8k256", m16n8k256}};
    if (cudaMalloc(&results, 64 * 48 * sizeof(int)) != cudaSuccess)
        return 1;
    for (const auto &each : products) {
        for (int either = 0; either < 2; either++) {
            char name[64];
            snprintf(name, sizeof name, "mma %s.%s", each.name, either ? "xor" : "and");
            for (uint32_t seed = 1; seed <= 4; seed++) {
                each.kernel<<<1, 32>>>(either, seed, results);
                print(seed == 1 ? name : nullptr, 128);
            }
            printf("\n");
        }
    }
    tiles<8>();
    tiles<16>();
    tiles<32>();
    tiles<48>();
    return 0;
}
