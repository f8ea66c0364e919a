// Integer and floating point intrinsics.
#include <cmath>
#include <cstring>
#include <math_constants.h>

#include "check.cuh"

__device__ bool close(double a, double b, double tolerance = 1e-5)
{
    return fabs(a - b) <= tolerance * (1 + fabs(b));
}

__global__ void integers(int *failed, unsigned int one)
{
#define THAT(condition)                                                                            \
    if (!(condition)) {                                                                            \
        printf("line %d: not so: %s\n", __LINE__, #condition);                                     \
        *failed = 1;                                                                               \
    }
    unsigned int x = 0x12345678u * one;
    THAT(__popc(x) == 13 && __popcll(~0ull * one) == 64);
    THAT(__clz(x) == 3 && __clz(0) == 32 && __clzll(one) == 63 && __clzll(0) == 64);
    THAT(__ffs(x) == 4 && __ffs(0) == 0 && __ffsll(1ll << 40) == 41);
    THAT(__brev(x) == 0x1e6a2c48u && __brevll(one) == 1ull << 63);
    THAT(__funnelshift_l(0x80000000u * one, 1, 1) == 3 &&
         __funnelshift_r(2, 1 * one, 1) == 0x80000001u);
    THAT(__funnelshift_lc(5 * one, 1, 40) == 5 && __funnelshift_rc(5, 7 * one, 40) == 7);
    THAT(__byte_perm(x, 0xaabbccddu, 0x3210) == x &&
         __byte_perm(x, 0xaabbccddu, 0x7654) == 0xaabbccddu);
    THAT(__byte_perm(x, 0, 0x0123) == 0x78563412u);
    THAT(__mulhi(1 << 30, 8 * one) == 2 && __umulhi(~0u * one, ~0u) == ~1u);
    THAT(__mul64hi(1ll << 62, 8 * one) == 2 && __umul64hi(1ull << 63, 2 * one) == 1);
    THAT(__mul24(-3 * (int)one, 5) == -15 && __umul24(0x1000001u * one, 2) == 2);
    THAT(__sad(3, -5 * (int)one, 10u) == 18 && __usad(3u * one, 9u, 1u) == 7);
    THAT(__hadd(-3 * (int)one, 4) == 0 && __rhadd(3 * (int)one, 4) == 4);
    THAT(__dp4a(0x01020304 * (int)one, 0x01010101, 5) == 15);
    THAT(min(3, 7) == 3 && max(3u, 7u) == 7 && min(-1ll, 5ll) == -1 && max(1.5f, 2.5f) == 2.5f);
    THAT(min(nanf(""), 1.0f * one) == 1 && max(1.0f * one, nanf("")) == 1 && min(1.5f, 2.5) == 1.5);
    THAT(umin(3, 7) == 3 && umax(3, 7) == 7 && abs(-3) == 3 && llabs(-3ll) == 3);
}

__global__ void floats(int *failed, float x)
{
    THAT(__fmaf_rn(2 * x, 3, 1) == 7 && __fma_rn(2 * x, 3.0, 1.0) == 7 && fmaf(2 * x, 3, 1) == 7);
    THAT(__fadd_rn(x, 1) == 2 && __fmul_rn(3 * x, 2) == 6 && __fdiv_rn(x, 4) == 0.25f);
    THAT(close(__fdividef(3 * x, 2), 1.5) && close(fdividef(3 * x, 2), 1.5));
    THAT(close(__expf(x), 2.7182818) && close(__logf(10 * x), 2.3025851));
    THAT(close(__log2f(8 * x), 3) && close(__log10f(100 * x), 2) && close(__powf(2 * x, 10), 1024));
    THAT(close(__sinf(x), 0.84147098) && close(__cosf(x), 0.54030231) &&
         close(__tanf(x), 1.5574077));
    float s, c;
    __sincosf(x, &s, &c);
    THAT(close(s, 0.84147098) && close(c, 0.54030231));
    sincosf(x, &s, &c);
    THAT(close(s, 0.84147098) && close(c, 0.54030231));
    THAT(close(rsqrtf(4 * x), 0.5) && close(rsqrt(16.0 * x), 0.25) && sizeof rsqrt(x) == sizeof x &&
         close(__frsqrt_rn(4 * x), 0.5));
    THAT(__fsqrt_rn(9 * x) == 3 && __frcp_rn(4 * x) == 0.25f && __dsqrt_rn(9.0 * x) == 3);
    THAT(close(cospif(x), -1) && close(sinpif(0.5f * x), 1) && close(sinpi(0.5 * x), 1));
    THAT(close(exp10f(2 * x), 100, 1e-4) && close(exp2f(3 * x), 8) && close(cbrtf(27 * x), 3));
    THAT(close(rcbrtf(8 * x), 0.5) && close(norm3df(2 * x, 3, 6), 7) && close(hypotf(3 * x, 4), 5));
    THAT(close(erff(x), 0.84270079) && close(tgammaf(5 * x), 24) && close(normcdff(0 * x), 0.5));
    THAT(__saturatef(2 * x) == 1 && __saturatef(-x) == 0 && fminf(x, 2) == 1 && fmaxf(x, 2) == 2);
    THAT(__float2int_rn(2.5f * x) == 2 && __float2int_rz(-2.7f * x) == -2);
    THAT(__float2int_rd(-2.1f * x) == -3 && __float2int_ru(2.1f * x) == 3);
    THAT(__float2int_rz(1e20f * x) == 2147483647 && __float2uint_rz(-5 * x) == 0);
    THAT(__double2int_rn(3.5 * x) == 4 && __float2ll_rz(1e10f * x) == 10000000000ll);
    THAT(__int2float_rn(7) == 7 && __uint2float_rn(7u) == 7 && __int2double_rn(7) == 7);
    THAT(__float_as_int(x) == 0x3f800000 && __int_as_float(0x40000000) == 2 &&
         __float_as_uint(x) == 0x3f800000u);
    THAT(__double2hiint(1.0 * x) == 0x3ff00000 && __double2loint(1.0 * x) == 0);
    THAT(__hiloint2double(0x40000000, 0) == 2 &&
         __double_as_longlong(1.0 * x) == 0x3ff0000000000000ll);
    THAT(isnan(CUDART_NAN_F * x) && isinf(CUDART_INF_F * x) && close(CUDART_PI_F, 3.1415927));
    THAT(signbit(-x) && isfinite(x) && copysignf(3, -x) == -3 && fmodf(7 * x, 4) == 3);
}

// Directed rounding differs in the last bit: 1/3 and similar values lie between two numbers.
__global__ void directed(int *failed, float x)
{
    const double d = x;
    THAT(__fadd_ru(x, 1e-20f) == nextafterf(1, 2) && __fadd_rd(x, 1e-20f) == 1);
    THAT(__fsub_rz(x, 1e-20f) == nextafterf(1, 0) && __fmul_ru(x / 3, 3) >= 1);
    THAT(__fdiv_ru(x, 3) == nextafterf(__fdiv_rd(x, 3), 1) && __fdiv_rz(-x, 3) == -__fdiv_rd(x, 3));
    THAT(__frcp_ru(3 * x) > __frcp_rd(3 * x) && __fsqrt_rd(2 * x) < __fsqrt_ru(2 * x));
    THAT(__fmaf_rz(x, x, -1e-20f) == nextafterf(1, 0) && __fmaf_ru(x, x, 1e-20f) > 1);
    THAT(__dadd_ru(d, 1e-30) == nextafter(1.0, 2.0) && __ddiv_rd(d, 3) < __ddiv_ru(d, 3));
    THAT(__dsqrt_rd(2 * d) < __dsqrt_ru(2 * d) && __fma_rz(d, d, -1e-30) == nextafter(1.0, 0.0));
    THAT(__int2float_rz(0x7fffffff) == 2147483520.0f &&
         __int2float_ru(0x7fffffff) == 2147483648.0f);
    THAT(__ll2float_rd(-0x7fffffffll) == -2147483648.0f && __ull2double_rz(~0ull) < 0x1p64);
    THAT(__double2float_rd(d / 3) < __double2float_ru(d / 3));
}

__global__ void special(int *failed, double x)
{
    const double vector[] = {2 * x, 3, 6};
    THAT(close(erfinv(0.5 * x), 0.4769362762044699, 1e-12));
    THAT(close(erfcinv(1e-10 * x), 4.572824967389486, 1e-12) && close(erfinvf(-0.5f), -0.47693628));
    THAT(isinf(erfinv(x)) && isnan(erfinv(2 * x)) &&
         close(normcdfinv(0.975 * x), 1.959963984540054));
    THAT(close(erfcx(x), 0.427583576155807, 1e-12) && close(erfcx(100 * x), 0.005641613782989));
    THAT(close(cyl_bessel_i0(x), 1.266065877752008, 1e-12) &&
         close(cyl_bessel_i1(2 * x), 1.590636854637329, 1e-12));
    THAT(close(norm(3, vector), 7, 1e-12) && close(rnorm(3, vector), 1 / 7.0, 1e-12));
    THAT(close(norm4d(x, 1, 1, 1), 2, 1e-12) && close(rnorm3d(2 * x, 3, 6), 1 / 7.0, 1e-12));
}

// Halves and bytes of an int: sums, minima and maxima.
__global__ void lanes(int *failed, unsigned int one)
{
    const unsigned int a = 0x80017fffu * one, b = 0xffff0001u * one;
    THAT(__vadd2(a, b) == 0x80008000u && __vaddss2(a, b) == 0x80007fffu);
    THAT(__vaddus2(a, b) == 0xffff8000u && __vsub2(a, b) == 0x80027ffeu);
    THAT(__vabs2(0x8000ffffu * one) == 0x80000001u && __vabsss2(0x8000ffffu * one) == 0x7fff0001u);
    THAT(__vmaxs2(a, b) == 0xffff7fffu && __vmaxu2(a, b) == 0xffff7fffu);
    THAT(__vmins2(a, b) == 0x80010001u && __vminu2(a, b) == 0x80010001u);
    THAT(__vcmpgts2(a, b) == 0x0000ffffu && __vsetltu2(a, b) == 0x00010000u);
    THAT(__vabsdiffu4(0x01ff8000u * one, 0x02018001u) == 0x01fe0001u);
    THAT(__vsadu4(0x01ff8000u * one, 0x02018001u) == 1 + 254 + 0 + 1);
    THAT(__vaddus4(0xff01fe10u * one, 0x01020304u) == 0xff03ff14u);
    THAT(__vsubss4(0x80007f00u * one, 0x0101ff01u) == 0x80ff7fffu);
    THAT(__vavgu4(0x01030507u * one, 0x02040608u) == 0x02040608u &&
         __vneg4(0x01ff0080u) == 0xff010080u);
    THAT(__vcmpeq4(0x01020304u * one, 0x01ff03ffu) == 0xff00ff00u);
    THAT(__vimax3_s32(-3 * (int)one, 5, 2) == 5 && __vimin3_u32(7u * one, 9, 8) == 7);
    THAT(__viaddmax_s32(3 * (int)one, 4, 9) == 9 && __vimin3_s32_relu(-3 * (int)one, 5, 2) == 0);
    bool first = false;
    THAT(__vibmax_s32(3 * (int)one, 4, &first) == 4 && !first);
    THAT(__dp2a_lo(0x00020003 * (int)one, 0x01020304, 1) == 1 + 3 * 4 + 2 * 3);
    const char four = 4 * (char)one;
    const char4 bytes = {four, 3, -2, 1};
    const uchar4 unsigned_bytes = {(unsigned char)one, 200, 3, 0};
    THAT(__dp4a(bytes, bytes, 5) == 5 + 16 + 9 + 4 + 1);
    THAT(__dp4a(unsigned_bytes, unsigned_bytes, 1) == 1 + 1 + 40000 + 9);
    THAT(__dp2a_lo(make_short2(3, -2), bytes, 1) == 1 + 12 - 6);
    THAT(__dp2a_hi(make_short2(3, -2), bytes, 1) == 1 - 6 - 2);
    THAT(__dp2a_lo(make_ushort2(3, 2), unsigned_bytes, 1) == 1 + 3 + 400);
    THAT(__dp2a_hi(make_ushort2(3, 2), unsigned_bytes, 1) == 1 + 9);
    THAT(__fns(0x0000f0f0u * one, 4, 2) == 5 && __fns(one, 1, 1) == ~0u);
}

// All threads count, each call with a different memory order.
__global__ void ordered(unsigned int *sum, float *floats, int *winners, int *expected)
{
    __nv_atomic_fetch_add(sum, 2u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_add(floats, 0.5f, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_max(sum + 1, threadIdx.x, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_SYSTEM);
    int none = 0, mine = threadIdx.x + 1;
    if (__nv_atomic_compare_exchange(winners, &none, &mine, false, __NV_ATOMIC_SEQ_CST,
                                     __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE))
        __nv_atomic_store_n(expected, mine, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
}

__global__ void loads(int *failed, const float4 *__restrict__ in, int2 *out)
{
    float4 v = __ldg(&in[0]);
    THAT(v.x == 1 && v.w == 4);
    THAT(__ldg((const int *)in) == 0x3f800000 && __ldcg(&in->y) == 2 && __ldcs(&in->z) == 3);
    __stcs(&out->x, 5);
    __stcg(&out->y, 6);
}

int main()
{
    int *failed;
    float4 *in;
    int2 *out;
    CHECK(cudaMallocManaged(&failed, sizeof(int)));
    CHECK(cudaMallocManaged(&in, sizeof(float4)));
    CHECK(cudaMallocManaged(&out, sizeof(int2)));
    *failed = 0;
    *in = make_float4(1, 2, 3, 4);
    integers<<<1, 1>>>(failed, 1);
    floats<<<1, 1>>>(failed, 1);
    loads<<<1, 1>>>(failed, in, out);
    directed<<<1, 1>>>(failed, 1);
    special<<<1, 1>>>(failed, 1);
    lanes<<<1, 1>>>(failed, 1);
    unsigned int *sums;
    CHECK(cudaMallocManaged(&sums, 5 * sizeof(int)));
    memset(sums, 0, 5 * sizeof(int));
    ordered<<<2, 64>>>(sums, (float *)sums + 2, (int *)sums + 3, (int *)sums + 4);
    CHECK(cudaDeviceSynchronize());
    EXPECT(*failed == 0 && out->x == 5 && out->y == 6);
    EXPECT(sums[0] == 256 && sums[1] == 63 && ((float *)sums)[2] == 64);
    EXPECT(sums[3] >= 1 && sums[3] <= 64 && sums[4] == sums[3]);
    cudaFree(sums);
    cudaFree(failed);
    cudaFree(in);
    cudaFree(out);
    return passed();
}
