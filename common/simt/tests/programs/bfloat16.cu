// bfloat16: conversions in every rounding mode, arithmetic rounded once, pairs, shuffles, atomics.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.cuh"

static float value_of(unsigned bits)
{
    float value;
    bits <<= 16;
    memcpy(&value, &bits, 4);
    return value;
}

// The nearest bfloat16, by a slow and simple search among all of them.
static unsigned nearest(long double value)
{
    unsigned low = 0, high = 0x7f80; // neighbours of |value|
    const long double size = fabsl(value);
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        (value_of(middle) <= size ? low : high) = middle;
    }
    // With one more exponent, the number after the largest one would be 2^128.
    const long double above = high == 0x7f80 ? 0x1p128 : value_of(high);
    const long double rest = size - value_of(low), missing = above - size;
    const bool up = rest > missing || (rest == missing && low % 2 == 1);
    return (up ? high : low) | (std::signbit(value) ? 0x8000u : 0);
}

// Each thread computes one pair of numbers.
__global__ void compute(const unsigned short *a, const unsigned short *b, const unsigned short *c,
                        unsigned short *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const __nv_bfloat16 x = __ushort_as_bfloat16(a[i]), y = __ushort_as_bfloat16(b[i]),
                        z = __ushort_as_bfloat16(c[i]);
    out[4 * i] = __bfloat16_as_ushort(__hadd(x, y));
    out[4 * i + 1] = __bfloat16_as_ushort(__hmul(x, y));
    out[4 * i + 2] = __bfloat16_as_ushort(__hfma(x, y, z));
    out[4 * i + 3] = __bfloat16_as_ushort(__hsub(x, y));
}

#define THAT(condition)                                                                            \
    if (!(condition)) {                                                                            \
        printf("line %d: not so: %s\n", __LINE__, #condition);                                     \
        *failed = 1;                                                                               \
    }

__global__ void facts(int *failed, __nv_bfloat16 *sum, __nv_bfloat162 *sum2)
{
    __shared__ nv_bfloat16 tile[32];
    const nv_bfloat16 one = __float2bfloat16(1.0f), two = one + one, three(3.0f);
    tile[threadIdx.x] = __int2bfloat16_rn(threadIdx.x);
    __syncthreads();
    THAT(__bfloat162float(three * two) == 6.0f && float(three - one) == 2.0f);
    THAT(three > two && two <= two && one != two && __hlt(one, two) && __hne(one, two));
    THAT(__bfloat16_as_ushort(one) == 0x3f80 && float(__ushort_as_bfloat16(0x4000)) == 2.0f);
    // A value between 1 and 1 + 2^-7.
    const float between = 1.0f + 0x1p-9f;
    THAT(__bfloat16_as_ushort(__float2bfloat16_rn(between)) == 0x3f80);
    THAT(__bfloat16_as_ushort(__float2bfloat16_ru(between)) == 0x3f81);
    THAT(__bfloat16_as_ushort(__float2bfloat16_rd(-between)) == 0xbf81);
    THAT(__bfloat16_as_ushort(__float2bfloat16_rz(-between)) == 0xbf80);
    THAT(__bfloat16_as_ushort(__float2bfloat16_rn(3.4e38f)) == 0x7f80);
    THAT(__bfloat16_as_ushort(__float2bfloat16_rz(3.4e38f)) == 0x7f7f);
    THAT(__bfloat16_as_ushort(__ull2bfloat16_rn(0x8080000000000001ull)) == 0x5f01);
    THAT(__bfloat16_as_ushort(__ull2bfloat16_rn(0x8080000000000000ull)) == 0x5f00);
    THAT(__bfloat162int_rn(__float2bfloat16(2.5f)) == 2 && __bfloat162int_rz(-three) == -3);
    THAT(__bfloat162int_ru(__float2bfloat16(2.5f)) == 3);
    THAT(__bfloat162short_rz(__float2bfloat16(1e6f)) == 32767);
    THAT(float(hsqrt(__float2bfloat16(16.0f))) == 4.0f && float(__habs(-two)) == 2.0f);
    const nv_bfloat16 nan = __float2bfloat16(NAN), minus = -one;
    THAT(float(__hmax(nan, one)) == 1.0f && __hisnan(__hmax_nan(nan, one)));
    THAT(!__heq(nan, nan) && __hequ(nan, one) && !__hne(nan, one) && __hneu(nan, one));
    THAT(__bfloat16_as_ushort(nan) == 0x7fff && __hisinf(hrcp(__float2bfloat16(-0.0f))) == -1);
    THAT(float(__hadd_sat(one, one)) == 1.0f && float(__hfma_relu(minus, one, minus)) == 0.0f);
    const nv_bfloat162 pair = __floats2bfloat162_rn(1.0f, 2.0f), twice = pair + pair;
    THAT(__low2float(twice) == 2.0f && __high2float(twice) == 4.0f && __hbeq2(pair, pair));
    THAT(__hlt2_mask(pair, __bfloat162bfloat162(two)) == 0xffffu);
    const float2 wide = __bfloat1622float2(__hfma2(pair, pair, __lowhigh2highlow(pair)));
    THAT(wide.x == 3.0f && wide.y == 5.0f);
    const nv_bfloat16 moved = __shfl_xor_sync(0xffffffff, tile[threadIdx.x], 1);
    THAT(__bfloat162float(moved) == float(threadIdx.x ^ 1));
    atomicAdd(&sum[threadIdx.x % 3], one);
    atomicAdd(sum2, pair);
}

int main()
{
    EXPECT(float(__half(__nv_bfloat16(1.5f))) == 1.5f); // explicit conversions into each other
    EXPECT(float(static_cast<__nv_bfloat16>(__half(1.001f))) == 1.0f);
    const int n = 4096;
    uint32_t random = 1;
    unsigned short in[3][n], out[4 * n], *device_in[3], *device_out;
    for (int i = 0; i < 3; i++)
        for (auto &number : in[i]) {
            random = random * 1664525 + 1013904223;
            // Similar magnitudes: no sum equals an operand. Some of a and b are subnormal.
            const unsigned exponent =
                i < 2 && (random >> 20) % 8 == 0 ? 0 : 118 + (random >> 20) % 20;
            number = (unsigned short)(random >> 16 & 0x807f) | (unsigned short)(exponent << 7);
        }
    for (int i = 0; i < 3; i++) {
        CHECK(cudaMalloc(&device_in[i], sizeof in[i]));
        CHECK(cudaMemcpy(device_in[i], in[i], sizeof in[i], cudaMemcpyHostToDevice));
    }
    CHECK(cudaMalloc(&device_out, sizeof out));
    compute<<<n / 128, 128>>>(device_in[0], device_in[1], device_in[2], device_out, n);
    CHECK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        const double a = value_of(in[0][i]), b = value_of(in[1][i]), c = value_of(in[2][i]);
        const unsigned fused = nearest((long double)a * b + c);
        EXPECT((out[4 * i] & 0x7fff) == (nearest(a + b) & 0x7fff));
        EXPECT(out[4 * i + 1] == nearest(a * b));
        EXPECT((out[4 * i + 2] & 0x7fff) == (fused & 0x7fff));
        EXPECT((out[4 * i + 3] & 0x7fff) == (nearest(a - b) & 0x7fff));
    }

    int failed = 0, *device_failed;
    __nv_bfloat16 sums[4], *device_sums;
    __nv_bfloat162 pair, *device_pair;
    CHECK(cudaMalloc(&device_failed, 4));
    CHECK(cudaMalloc(&device_sums, sizeof sums));
    CHECK(cudaMalloc(&device_pair, sizeof pair));
    CHECK(cudaMemset(device_failed, 0, 4));
    CHECK(cudaMemset(device_sums, 0, sizeof sums));
    CHECK(cudaMemset(device_pair, 0, sizeof pair));
    facts<<<1, 32>>>(device_failed, device_sums, device_pair);
    CHECK(cudaMemcpy(&failed, device_failed, 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(sums, device_sums, sizeof sums, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&pair, device_pair, sizeof pair, cudaMemcpyDeviceToHost));
    EXPECT(!failed);
    EXPECT(__bfloat162float(sums[0]) == 11 && __bfloat162float(sums[2]) == 10);
    EXPECT(__low2float(pair) == 32 && __high2float(pair) == 64);
    return passed();
}
