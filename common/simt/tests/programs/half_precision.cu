// Half precision: conversions, arithmetic, pairs, shuffles, atomics.
#include <cmath>
#include <cuda_fp16.h>

#include "check.cuh"

__global__ void convert(const float *in, __half *out, float *back, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = __float2half(in[i]);
        back[i] = __half2float(out[i]);
    }
}

__global__ void haxpy(int n, half a, const half *x, half *y)
{
    const half2 *x2 = (const half2 *)x;
    half2 *y2 = (half2 *)y;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2)
        y2[i] = __hfma2(__half2half2(a), x2[i], y2[i]);
    if (i == 0 && n % 2)
        y[n - 1] = __hfma(a, x[n - 1], y[n - 1]);
}

__global__ void facts(int *failed, half *sum, half2 *sum2)
{
#define THAT(condition)                                                                            \
    if (!(condition)) {                                                                            \
        printf("line %d: not so: %s\n", __LINE__, #condition);                                     \
        *failed = 1;                                                                               \
    }
    __shared__ half tile[32];
    half one = __float2half(1.0f), two = one + one, three = two * __float2half(1.5f);
    tile[threadIdx.x] = __int2half_rn(threadIdx.x);
    __syncthreads();
    THAT(__half2float(three) == 3.0f && float(three - one) == 2.0f && float(three / two) == 1.5f);
    THAT(three > two && two <= two && one != two && __hlt(one, two) &&
         __heq(one, __hsub(two, one)));
    THAT(__half2float(tile[31 - threadIdx.x]) == float(31 - threadIdx.x));
    THAT(__half_as_ushort(one) == 0x3c00 && __half2float(__ushort_as_half(0x4400)) == 4.0f);
    THAT(__half2int_rn(__float2half(2.5f)) == 2 && __half2int_rz(__float2half(-2.75f)) == -2);
    THAT(__half2float(hsqrt(__float2half(16.0f))) == 4.0f && __half2float(__habs(-two)) == 2.0f);
    THAT(__half2float(__hmax(one, two)) == 2.0f && __half2float(__hmin(one, two)) == 1.0f);
    half2 pair = __floats2half2_rn(1.0f, 2.0f), twice = pair + pair;
    THAT(__low2float(twice) == 2.0f && __high2float(twice) == 4.0f && __hbeq2(pair, pair));
    float2 wide = __half22float2(__hmul2(twice, __float2half2_rn(0.5f)));
    THAT(wide.x == 1.0f && wide.y == 2.0f);
    half moved = __shfl_down_sync(0xffffffff, tile[threadIdx.x], 1);
    THAT(__half2float(moved) == float(threadIdx.x == 31 ? 31 : threadIdx.x + 1));
    atomicAdd(&sum[threadIdx.x % 3], one);
    atomicAdd(sum2, pair);
}

int main()
{
    const int n = 13;
    // Exact, ties to even, subnormal, underflow, overflow, signed zero.
    const float values[n] = {1.0f,     0.1f,      2049.0f, 2051.0f, 65504.0f, 65519.0f, 65520.0f,
                             5.96e-8f, 2.98e-08f, -0.0f,   -1.5f,   6.1e-5f,  1.0f / 3};
    const unsigned short bits[n] = {0x3c00, 0x2e66, 0x6800, 0x6802, 0x7bff, 0x7bff, 0x7c00,
                                    0x0001, 0x0000, 0x8000, 0xbe00, 0x03ff, 0x3555};
    float *in, *back;
    __half *out;
    CHECK(cudaMallocManaged(&in, n * sizeof(float)));
    CHECK(cudaMallocManaged(&back, n * sizeof(float)));
    CHECK(cudaMallocManaged(&out, n * sizeof(__half)));
    for (int i = 0; i < n; i++)
        in[i] = values[i];
    convert<<<1, 32>>>(in, out, back, n);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        EXPECT(__half_as_ushort(out[i]) == bits[i]);
    EXPECT(back[0] == 1.0f && back[2] == 2048.0f && std::isinf(back[6]) && back[10] == -1.5f);

    half *x, *y, *sum;
    half2 *sum2;
    int *failed;
    CHECK(cudaMallocManaged(&x, 101 * sizeof(half)));
    CHECK(cudaMallocManaged(&y, 101 * sizeof(half)));
    CHECK(cudaMallocManaged(&sum, 4 * sizeof(half)));
    CHECK(cudaMallocManaged(&sum2, sizeof(half2)));
    CHECK(cudaMallocManaged(&failed, sizeof(int)));
    for (int i = 0; i < 101; i++) {
        x[i] = __float2half(float(i));
        y[i] = __float2half(1.0f);
    }
    haxpy<<<2, 32>>>(101, __float2half(2.0f), x, y);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 101; i++)
        EXPECT(__half2float(y[i]) == 2.0f * float(i) + 1.0f);
    for (int i = 0; i < 4; i++)
        sum[i] = __float2half(0.0f);
    *sum2 = __floats2half2_rn(0.0f, 0.0f);
    *failed = 0;
    facts<<<1, 32>>>(failed, sum, sum2);
    CHECK(cudaDeviceSynchronize());
    EXPECT(*failed == 0 && __half2float(sum[0]) == 11.0f && __half2float(sum[2]) == 10.0f);
    EXPECT(__low2float(*sum2) == 32.0f && __high2float(*sum2) == 64.0f);
    cudaFree(in);
    cudaFree(back);
    cudaFree(out);
    cudaFree(x);
    cudaFree(y);
    cudaFree(sum);
    cudaFree(sum2);
    cudaFree(failed);
    return passed();
}
