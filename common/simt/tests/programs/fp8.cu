// 8-bit floating-point numbers: the value of each, and the rounding of other numbers to them.
#include <cmath>
#include <cuda_fp8.h>

#include "check.cuh"

// The value of the bits, by their definition.
static float value_of(int bits, bool e4m3)
{
    const int fraction_bits = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15, top = 2 * bias + 1;
    const int exponent = (bits & 0x7f) >> fraction_bits,
              fraction = bits & ((1 << fraction_bits) - 1);
    const float unit = ldexpf(1.0f, (exponent ? exponent : 1) - bias - fraction_bits);
    float size = ((exponent ? 1 << fraction_bits : 0) + fraction) * unit;
    if (e4m3 ? (bits & 0x7f) == 0x7f : exponent == top && fraction)
        size = NAN;
    else if (!e4m3 && exponent == top)
        size = INFINITY;
    return bits & 0x80 ? -size : size;
}

// The nearest number, ties to even, at most the largest number.
static int nearest(float value, bool e4m3)
{
    const int most = e4m3 ? 0x7e : 0x7b;
    int best = 0;
    for (int bits = 0; bits <= most; bits++) {
        const float error = fabsf(fabsf(value) - value_of(bits, e4m3));
        const float least = fabsf(fabsf(value) - value_of(best, e4m3));
        if (error < least || (error == least && bits % 2 == 0))
            best = bits;
    }
    return best | (std::signbit(value) ? 0x80 : 0);
}

template <class Number, class Pair>
__global__ void convert(const float *in, float *back, unsigned char *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 256) {
        Number number;
        number.__x = (__nv_fp8_storage_t)i;
        back[i] = float(number);
    }
    if (2 * i < n) {
        const Pair pair(make_float2(in[2 * i], in[2 * i + 1]));
        const float2 both = float2(pair);
        out[2 * i] = Number(in[2 * i]).__x;
        out[2 * i + 1] = (unsigned char)(pair.__x >> 8);
        if (both.x != float(Number(in[2 * i])) || (pair.__x & 0xff) != out[2 * i])
            out[2 * i] ^= 0xff;
    }
}

template <class Number, class Pair>
static void check(bool e4m3)
{
    const int n = 4096;
    static float in[n], back[256];
    static unsigned char out[n];
    float *device_in, *device_back;
    unsigned char *device_out;
    for (int i = 0; i < n;
         i++) /* includes halves and quarters of units, and numbers that are too large */
        in[i] = ldexpf((float)(i % 64 - 32), i / 64 % 40 - 24);
    CHECK(cudaMalloc(&device_in, sizeof in));
    CHECK(cudaMalloc(&device_back, sizeof back));
    CHECK(cudaMalloc(&device_out, sizeof out));
    CHECK(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
    convert<Number, Pair><<<n / 128, 64>>>(device_in, device_back, device_out, n);
    CHECK(cudaMemcpy(back, device_back, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++) {
        const float wanted = value_of(i, e4m3);
        EXPECT(back[i] == wanted || (std::isnan(back[i]) && std::isnan(wanted)));
    }
    for (int i = 0; i < n; i++)
        EXPECT(out[i] == nearest(in[i], e4m3));
}

int main()
{
    check<__nv_fp8_e4m3, __nv_fp8x2_e4m3>(true);
    check<__nv_fp8_e5m2, __nv_fp8x2_e5m2>(false);
    const __half2 low = __floats2half2_rn(1, -2), high = __floats2half2_rn(0.5f, 448);
    const __nv_bfloat162 brain = __floats2bfloat162_rn(1, -2);
    EXPECT(__nv_fp8x4_e4m3(low, high).__x == 0x7e30c038);
    EXPECT(__nv_fp8x4_e5m2(brain, brain).__x == 0xc03cc03c);
    EXPECT(__nv_fp8x2_e4m3(brain).__x == 0xc038);
    EXPECT(__nv_cvt_float_to_fp8(1e9f, __NV_NOSAT, __NV_E4M3) == 0x7f);
    EXPECT(__nv_cvt_float_to_fp8(-1e9f, __NV_NOSAT, __NV_E5M2) == 0xfc);
    EXPECT(__nv_cvt_float_to_fp8(INFINITY, __NV_SATFINITE, __NV_E5M2) == 0x7b);
    EXPECT((__nv_cvt_float_to_fp8(NAN, __NV_SATFINITE, __NV_E4M3) & 0x7f) == 0x7f);
    EXPECT(__nv_cvt_fp8_to_halfraw(0x38, __NV_E4M3).x == 0x3c00);
    return passed();
}
