// Inline PTX: what each family of instructions computes. Also compiles with nvcc. The expected
// numbers follow from the PTX ISA; they have not been compared with those of a GPU.
#include <cuda_runtime.h>

#include <cmath>
#include <cstring>

#include "cmocka_all.h"

struct row {
    unsigned long long got, wanted;
    int line;
};
enum { MOST_ROWS = 1024 };

__device__ row rows[MOST_ROWS];
__device__ int row_count;

__device__ static void note(unsigned long long got, unsigned long long wanted, int line)
{
    int i = atomicAdd(&row_count, 1);
    rows[i].got = got;
    rows[i].wanted = wanted;
    rows[i].line = line;
}

__device__ static unsigned long long bits(unsigned x)
{
    return x;
}

__device__ static unsigned long long bits(float x)
{
    return __float_as_uint(x);
}

__device__ static unsigned long long bits(double x)
{
    return (unsigned long long)__double_as_longlong(x);
}

__device__ static unsigned long long bits(unsigned long long x)
{
    return x;
}

__device__ static unsigned long long bits(unsigned short x)
{
    return x;
}

// Checks that the asm computes this result.
#define GIVES(constraint, type, wanted, text, ...)                                                 \
    {                                                                                              \
        type got;                                                                                  \
        asm volatile(text : constraint(got) : __VA_ARGS__);                                        \
        note(bits(got), bits((type)(wanted)), __LINE__);                                           \
    }
#define R(wanted, text, ...) GIVES("=r", unsigned, wanted, text, __VA_ARGS__)
#define H(wanted, text, ...) GIVES("=h", unsigned short, wanted, text, __VA_ARGS__)
#define L(wanted, text, ...) GIVES("=l", unsigned long long, wanted, text, __VA_ARGS__)
#define F(wanted, text, ...) GIVES("=f", float, wanted, text, __VA_ARGS__)
#define D(wanted, text, ...) GIVES("=d", double, wanted, text, __VA_ARGS__)

__global__ void integers()
{
    R(7, "add.s32 %0, %1, %2;", "r"(3), "r"(4));
    R(0x7fffffff, "add.sat.s32 %0, %1, %2;", "r"(0x7fffffff), "r"(4));
    R(0x80000000, "sub.sat.s32 %0, %1, %2;", "r"(0x80000000), "r"(4));
    R(0xffffffff, "sub.u32 %0, %1, 4;", "r"(3));
    H(0xfffe, "add.u16 %0, %1, %2;", "h"((unsigned short)0xffff), "h"((unsigned short)0xffff));
    L(0x100000000, "add.u64 %0, %1, %2;", "l"(0xffffffffull), "n"(1));
    R(0xfffffffb, "mul.lo.s32 %0, %1, %2;", "r"(-5), "r"(1));
    R(0xffffffff, "mul.hi.s32 %0, %1, %2;", "r"(-5), "r"(1));
    R(4, "mul.hi.u32 %0, %1, %2;", "r"(-5), "r"(5));
    L(-25, "mul.wide.s32 %0, %1, %2;", "r"(-5), "r"(5));
    L(0x4ffffffe7, "mul.wide.u32 %0, %1, %2;", "r"(-5), "r"(5));
    R(-6, "mul.wide.s16 %0, %1, %2;", "h"((short)-2), "h"((short)3));
    L(-15, "mad.wide.s32 %0, %1, %2, %3;", "r"(-5), "r"(5), "l"(10ll));
    R(29, "mad.lo.u32 %0, %1, %2, %3;", "r"(4), "r"(6), "r"(5));
    L(0xfffffffffffffffe, "mul.hi.u64 %0, %1, %2;", "l"(~0ull), "l"(~0ull));
    R(0x23, "mul24.lo.u32 %0, %1, %2;", "r"(0xff000005), "r"(7));
    R(12, "mad24.lo.s32 %0, %1, %2, %3;", "r"(5), "r"(2), "r"(2));
    R(19, "sad.s32 %0, %1, %2, %3;", "r"(-4), "r"(5), "r"(10));
    R(-3, "div.s32 %0, %1, %2;", "r"(-7), "r"(2));
    R(-1, "rem.s32 %0, %1, %2;", "r"(-7), "r"(2));
    R(2, "rem.u32 %0, %1, 5;", "r"(7));
    R(7, "abs.s32 %0, %1;", "r"(-7));
    R(-7, "neg.s32 %0, %1;", "r"(7));
    R(-7, "min.s32 %0, %1, %2;", "r"(-7), "r"(2));
    R(2, "min.u32 %0, %1, %2;", "r"(-7), "r"(2));
    R(2, "max.s32 %0, %1, %2;", "r"(-7), "r"(2));
    L(0xfffffffffffffff9, "max.u64 %0, %1, %2;", "l"(-7ll), "l"(2ll));
    R(8, "popc.b32 %0, %1;", "r"(0xff00));
    R(33, "popc.b64 %0, %1;", "l"(0x1ffffffffull));
    R(16, "clz.b32 %0, %1;", "r"(0xff00));
    R(64, "clz.b64 %0, %1;", "l"(0ull));
    R(15, "bfind.u32 %0, %1;", "r"(0xff00));
    R(2, "bfind.s32 %0, %1;", "r"(-8));
    R(29, "bfind.shiftamt.s32 %0, %1;", "r"(-8));
    R(-1, "bfind.u32 %0, %1;", "r"(0));
    R(0xff0000, "brev.b32 %0, %1;", "r"(0xff00));
    L(1ull << 63, "brev.b64 %0, %1;", "l"(1ull));
    R(0x5, "bfe.u32 %0, %1, 4, 4;", "r"(0x1256));
    R(-6, "bfe.s32 %0, %1, 4, 4;", "r"(0x12a6));
    R(0, "bfe.u32 %0, %1, 4, 0;", "r"(0x1256));
    R(-1, "bfe.s32 %0, %1, 40, 4;", "r"(0x80000000));
    R(0x1, "bfe.u32 %0, %1, 28, 8;", "r"(0x1fffffff));
    R(0x12f6, "bfi.b32 %0, %1, %2, 4, 4;", "r"(0xff), "r"(0x1256));
    R(0x1256, "bfi.b32 %0, %1, %2, 32, 4;", "r"(0xff), "r"(0x1256));
    R(0xf0, "bmsk.clamp.b32 %0, %1, %2;", "r"(4), "r"(4));
    R(0, "bmsk.clamp.b32 %0, %1, %2;", "r"(40), "r"(4));
    R(0xfffffff8, "szext.clamp.s32 %0, %1, %2;", "r"(0x18), "r"(4));
    R(0x8, "szext.wrap.u32 %0, %1, %2;", "r"(0x18), "r"(36));
    R(1 * 5 + 2 * 6 + 3 * 7 - 4 * 8 + 1, "dp4a.s32.s32 %0, %1, %2, %3;", "r"(0xfc030201),
      "r"(0x08070605), "r"(1));
    R(255 * 2 + 3 * 4, "dp4a.u32.u32 %0, %1, %2, %3;", "r"(0x3ff), "r"(0x402), "r"(0));
    R(2 * 5 - 1 * 6, "dp2a.lo.s32.s32 %0, %1, %2, %3;", "r"(0xffff0002), "r"(0x08070605), "r"(0));
    R(2 * 7 - 1 * 8, "dp2a.hi.s32.s32 %0, %1, %2, %3;", "r"(0xffff0002), "r"(0x08070605), "r"(0));
    R(254 + 3 + 2 + 5 + 9, "vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;", "r"(0xff010605),
      "r"(0x01040800), "r"(9));
    R(0xfe030205, "vabsdiff4.u32.u32.u32 %0, %1, %2, %3;", "r"(0xff010605), "r"(0x01040800),
      "r"(9));
    R(2 + 3 + 2 + 5, "vabsdiff4.u32.s32.s32.add %0, %1, %2, %3;", "r"(0xff010605), "r"(0x01040800),
      "r"(0));
    R(0xfffe + 7, "vabsdiff2.u32.u32.u32.add %0, %1, %2, %3;", "r"(0xffff0008), "r"(0x00010001),
      "r"(0));
    R(0xffffff05, "vadd4.u32.u32.u32.sat %0, %1, %2, %3;", "r"(0xff01f002), "r"(0x01ff1003),
      "r"(0));
    R(5, "vadd4.u32.u32.u32 %0, %1, %2, %3;", "r"(0xff01f002), "r"(0x01ff1003), "r"(0));
    R(0x807ffe86, "vsub4.s32.s32.s32.sat %0, %1, %2, %3;", "r"(0x8001ff05), "r"(0x0180017f),
      "r"(0));
    R(1 + 1 + 16 + 2 + 1, "vmin4.u32.u32.u32.add %0, %1, %2, %3;", "r"(0xff01f002), "r"(0x01ff1003),
      "r"(1));
    R(0x01011003, "vmax4.s32.s32.s32 %0, %1, %2, %3;", "r"(0xff01f002), "r"(0x01ff1003), "r"(0));
    R(0x00020005, "vavrg2.u32.u32.u32 %0, %1, %2, %3;", "r"(0x00010004), "r"(0x00020005), "r"(0));
}

__global__ void carries()
{
    unsigned a[3] = {0xffffffff, 0xffffffff, 1}, sum[3];
    asm volatile("add.cc.u32 %0, %3, 1;\n\taddc.cc.u32 %1, %4, 0;\n\taddc.u32 %2, %5, 0;"
                 : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]));
    note(sum[0], 0, __LINE__);
    note(sum[1], 0, __LINE__);
    note(sum[2], 2, __LINE__);
    asm volatile("{sub.cc.u32 %0, %2, 1; subc.u32 %1, %3, 0;}"
                 : "=r"(sum[0]), "=r"(sum[1])
                 : "r"(0), "r"(5));
    note(sum[0], 0xffffffff, __LINE__);
    note(sum[1], 4, __LINE__);
    // 0xffffffff * 0xffffffff + 2 * 2^32 + 3
    asm volatile("mad.lo.cc.u32 %0, %2, %2, 3; madc.hi.u32 %1, %2, %2, 2;"
                 : "=r"(sum[0]), "=r"(sum[1])
                 : "r"(0xffffffff));
    note(sum[0], 4, __LINE__);
    note(sum[1], 0, __LINE__);
}

__global__ void logic()
{
    R(0x0f00, "and.b32 %0, %1, %2;", "r"(0xff00), "r"(0x0ff0));
    R(0xfff0, "or.b32 %0, %1, %2;", "r"(0xff00), "r"(0x0ff0));
    R(0xf0f0, "xor.b32 %0, %1, %2;", "r"(0xff00), "r"(0x0ff0));
    H(0xfff0, "not.b16 %0, %1;", "h"((unsigned short)0xf));
    R(1, "cnot.b32 %0, %1;", "r"(0));
    R(0x96, "lop3.b32 %0, %1, %2, %3, 0x96;", "r"(0xf0), "r"(0xcc), "r"(0xaa));
    R(0xe8, "lop3.b32 %0, %1, %2, %3, %4;", "r"(0xf0), "r"(0xcc), "r"(0xaa), "n"(0xe8));
    R(0xff000000, "shl.b32 %0, %1, 16;", "r"(0xff00));
    R(0, "shl.b32 %0, %1, %2;", "r"(0xff00), "r"(40));
    R(-1, "shr.s32 %0, %1, %2;", "r"(-100), "r"(40));
    R(0, "shr.u32 %0, %1, 32;", "r"(-100));
    H(0xff80, "shr.s16 %0, %1, 4;", "h"((unsigned short)0xf800));
    R(0x2, "shf.l.wrap.b32 %0, %1, %2, 33;", "r"(0x0), "r"(0x1));
    R(0x80000000, "shf.l.clamp.b32 %0, %1, %2, 33;", "r"(0x80000000), "r"(0x1));
    R(0x67812, "shf.r.wrap.b32 %0, %1, %2, 60;", "r"(0x20000000), "r"(0x6781));
    R(0x88112233, "prmt.b32 %0, %1, %2, 0x7012;", "r"(0x44332211), "r"(0x88776655));
    R(0xff000044, "prmt.b32 %0, %1, %2, 0xf8b3;", "r"(0x44332211), "r"(0x88776655));
    R(0x55443322, "prmt.b32.f4e %0, %1, %2, 1;", "r"(0x44332211), "r"(0x88776655));
    R(0x77881122, "prmt.b32.b4e %0, %1, %2, 1;", "r"(0x44332211), "r"(0x88776655));
    R(0x22222222, "prmt.b32.rc8 %0, %1, %2, 1;", "r"(0x44332211), "r"(0x88776655));
    R(0x44332222, "prmt.b32.ecl %0, %1, %2, 1;", "r"(0x44332211), "r"(0x88776655));
    R(0x22222211, "prmt.b32.ecr %0, %1, %2, 1;", "r"(0x44332211), "r"(0x88776655));
    R(0x44334433, "prmt.b32.rc16 %0, %1, %2, 1;", "r"(0x44332211), "r"(0x88776655));
    R(5, "mov.b32 %0, 5;", "r"(0));
    R(0x00070005, "mov.b32 %0, {%1, %2};", "h"((unsigned short)5), "h"((unsigned short)7));
    L(0x700000005, "mov.b64 %0, {%1, %2};", "r"(5), "r"(7));
    R(7, "{.reg .b32 low; mov.b64 {low, %0}, %1;}", "l"(0x700000005ull));
    R(3, "{.reg .pred p; setp.lt.s32 p, %1, 5; selp.b32 %0, 3, 4, p;}", "r"(-1));
    R(4, "{.reg .pred p; setp.lt.u32 p, %1, 5; selp.b32 %0, 3, 4, p;}", "r"(-1));
    R(9, "slct.u32.s32 %0, 8, 9, %1;", "r"(-1));
    R(8, "slct.u32.f32 %0, 8, 9, %1;", "f"(-0.0f));
}

__global__ void predicates()
{
    R(6,
      "{.reg .pred p, q; setp.gt.and.s32 p|q, %1, 5, 1; mov.u32 %0, 4;\n"
      "@p add.u32 %0, %0, 1; @!q add.u32 %0, %0, 1;}",
      "r"(7));
    R(1,
      "{.reg .pred p, q; setp.eq.u32 p, %1, 7; setp.eq.or.u32 q, %1, 8, !p; xor.pred p, p, q;"
      "selp.u32 %0, 1, 0, p;}",
      "r"(7));
    R(~0u, "set.lt.u32.s32 %0, %1, 5;", "r"(-3));
    F(1, "set.lt.f32.s32 %0, %1, 5;", "r"(-3));
    R(0, "set.gt.u32.f32 %0, %1, %2;", "f"(1.0f), "f"(2.0f));
    R(1, "{.reg .pred p; setp.neu.f32 p, %1, %1; selp.u32 %0, 1, 0, p;}", "f"(NAN));
    R(0, "{.reg .pred p; setp.ne.f32 p, %1, %1; selp.u32 %0, 1, 0, p;}", "f"(NAN));
    R(1, "{.reg .pred p; setp.nan.f32 p, %1, 0f00000000; selp.u32 %0, 1, 0, p;}", "f"(NAN));
    R(1, "{.reg .pred p; setp.hs.u32 p, %1, 5; selp.u32 %0, 1, 0, p;}", "r"(5));
    R(1, "{.reg .pred p; testp.infinite.f32 p, %1; selp.u32 %0, 1, 0, p;}", "f"(INFINITY));
    R(1, "{.reg .pred p; testp.subnormal.f32 p, %1; selp.u32 %0, 1, 0, p;}", "f"(1e-40f));
    R(0, "{.reg .pred p; testp.normal.f32 p, %1; selp.u32 %0, 1, 0, p;}", "f"(1e-40f));
    // A loop: 10 + 9 + ... + 1.
    R(55,
      "{\n\t.reg .pred more;      // in C++: while (i > 0)\n\t.reg .u32 i, sums<2>; /* two of them "
      "*/\n\tmov.u32 i, %1;\n\tmov.u32 sums0, 0;\n"
      "again:\n\tadd.u32 sums0, sums0, i;\n\tsub.u32 i, i, 1;\n\tsetp.gt.u32 more, i, 0;\n\t@more "
      "bra again;\n\t{.reg .u32 i; mov.u32 i, sums0; mov.u32 sums1, i;}\n\tmov.u32 %0, sums1;}",
      "r"(10));
    // %= is a different number in each asm statement.
    R(3,
      "{.reg .pred p; .reg .u32 i; mov.u32 i, 0;\n"
      "up_%=: add.u32 i, i, 1; setp.lt.u32 p, i, %1; @p bra up_%=; mov.u32 %0, i;}",
      "r"(3));
    R(4,
      "{.reg .u32 n%=; mov.u32 n%=, %1; bra $past_%=; mov.u32 n%=, 9; $past_%=:\n"
      "mov.u32 %0, n%=;}",
      "r"(4));
    unsigned one = 0, other = 0;
    asm volatile("mov.u32 %0, %=;" : "=r"(one));
    asm volatile("mov.u32 %0, %=;" : "=r"(other));
    note(one != other, 1, __LINE__);
    unsigned x = 5, y = 0;
    asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(2));
#ifdef __SIMT__ // nvcc rejects tied operands
    asm volatile("add.u32 %[sum], %1, %[more];"
                 : [sum] "=r"(y)
                 : "0"(x), [more] "r"(threadIdx.x + 3));
#else
    y = 10;
#endif
    note(x, 7, __LINE__);
    note(y, 10, __LINE__);
    // The asm may write the register of an input. The variable itself stays unchanged.
    const unsigned kept = threadIdx.x + 3;
    asm volatile("add.u32 %1, %1, 1; mov.u32 %0, %1;" : "=r"(y) : "r"(kept));
    note(y, 4, __LINE__);
    note(kept, 3, __LINE__);
    asm("" : "+r"(x));
    note(x, 7, __LINE__);
    asm volatile(R"(add.u32 %0, %1,
                 1;)"
                 : "=r"(y)
                 : "r"(1 << 3));
    note(y, 9, __LINE__);
    do
        asm volatile("sub.u32 %0, %0, 1;" : "+r"(y));
    while (y > 4);
    note(y, 4, __LINE__);
}

__global__ void reals()
{
    F(3.5f, "add.f32 %0, %1, %2;", "f"(1.25f), "f"(2.25f));
    F(1.0f, "add.rz.f32 %0, %1, %2;", "f"(1.0f), "f"(1e-7f));
    F(1.0f + 0x1p-23f, "add.rp.f32 %0, %1, %2;", "f"(1.0f), "f"(1e-20f));
    F(1.0f, "add.rn.f32 %0, %1, %2;", "f"(1.0f), "f"(1e-20f));
    F(1.0f - 0x1p-24f, "sub.rm.f32 %0, %1, %2;", "f"(1.0f), "f"(1e-20f));
    F(-0.0f, "add.rm.f32 %0, %1, %2;", "f"(1.0f), "f"(-1.0f));
    F(0.0f, "mul.ftz.f32 %0, %1, %2;", "f"(1e-30f), "f"(1e-10f));
    F(1e-30f * 1e-10f, "mul.f32 %0, %1, %2;", "f"(1e-30f), "f"(1e-10f));
    F(1.0f, "mul.sat.f32 %0, %1, %2;", "f"(3.0f), "f"(2.0f));
    F(0.0f, "add.sat.f32 %0, %1, %2;", "f"(NAN), "f"(2.0f));
    F(fmaf(1.1f, 1.3f, -1.43f), "fma.rn.f32 %0, %1, %2, %3;", "f"(1.1f), "f"(1.3f), "f"(-1.43f));
    R(0x7fffffff, "fma.rn.f32 %0, %1, %2, %3;", "f"(0.0f), "f"(INFINITY), "f"(1.0f));
    F(0x1p-140f, "fma.rn.f32 %0, %1, %2, %3;", "f"(0x1p-70f), "f"(0x1p-70f), "f"(0.0f));
    F(-0.0f, "fma.rn.ftz.f32 %0, %1, %2, %3;", "f"(-0x1p-70f), "f"(0x1p-70f), "f"(-0.0f));
    F(2.0f, "fma.rn.ftz.f32 %0, %1, %2, %3;", "f"(0x1p-140f), "f"(0x1p+20f), "f"(2.0f));
    F(1.0f, "fma.rn.sat.f32 %0, %1, %2, %3;", "f"(2.0f), "f"(2.0f), "f"(2.0f));
    F(7.0f, "mad.rn.f32 %0, %1, %2, 0f3F800000;", "f"(2.0f), "f"(3.0f));
    F(7.5f, "add.f32 %0, %1, 1.5;", "f"(6.0f));
    F(0x1.555554p-2f, "div.rz.f32 %0, %1, %2;", "f"(1.0f), "f"(3.0f));
    F(0x1.555556p-2f, "div.rn.f32 %0, %1, %2;", "f"(1.0f), "f"(3.0f));
    F(0x1.555556p-2f, "rcp.rn.f32 %0, %1;", "f"(3.0f));
    F(0x1.6a09e6p+0f, "sqrt.rn.f32 %0, %1;", "f"(2.0f));
    F(0x1.6a09e8p+0f, "sqrt.rp.f32 %0, %1;", "f"(2.0f));
    F(0.5f, "rsqrt.approx.f32 %0, %1;", "f"(4.0f));
    F(8.0f, "ex2.approx.ftz.f32 %0, %1;", "f"(3.0f));
    F(0x1p-140f, "ex2.approx.f32 %0, %1;", "f"(-140.0f));
    F(0.0f, "ex2.approx.ftz.f32 %0, %1;", "f"(-140.0f));
    F(3.0f, "lg2.approx.f32 %0, %1;", "f"(8.0f));
    F(-INFINITY, "lg2.approx.ftz.f32 %0, %1;", "f"(0x1p-140f));
    R(0x7fffffff, "sqrt.rn.f32 %0, %1;", "f"(-1.0f));
    F(-INFINITY, "rcp.approx.ftz.f32 %0, %1;", "f"(-0x1p-140f));
    F(2.5f, "div.full.f32 %0, %1, %2;", "f"(5.0f), "f"(2.0f));
    F(1.0f, "cos.approx.f32 %0, %1;", "f"(0.0f));
    F(-2.0f, "min.f32 %0, %1, %2;", "f"(-2.0f), "f"(NAN));
    F(-0.0f, "min.f32 %0, %1, %2;", "f"(0.0f), "f"(-0.0f));
    F(0.0f, "max.f32 %0, %1, %2;", "f"(-0.0f), "f"(0.0f));
    R(0x7fffffff, "max.NaN.f32 %0, %1, %2;", "f"(NAN), "f"(1.0f));
    R(0x7fffffff, "min.f32 %0, %1, %2;", "f"(NAN), "f"(NAN));
    F(-0.0f, "max.ftz.f32 %0, %1, %2;", "f"(-1.0f), "f"(-0x1p-140f));
    F(-3.0f, "min.xorsign.abs.f32 %0, %1, %2;", "f"(-3.0f), "f"(4.0f));
    D(-2.0, "min.f64 %0, %1, %2;", "d"(3.0), "d"(-2.0));
    D(3.0, "max.f64 %0, %1, %2;", "d"(3.0), "d"((double)NAN));
    F(-3.0f, "copysign.f32 %0, %1, %2;", "f"(-1.0f), "f"(3.0f));
    F(3.0f, "abs.f32 %0, %1;", "f"(-3.0f));
    F(3.0f, "neg.f32 %0, %1;", "f"(-3.0f));
    D(1.0 + 0x1p-52, "add.rp.f64 %0, %1, %2;", "d"(1.0), "d"(1e-30));
    D(0.1 * 0.3, "mul.rn.f64 %0, %1, %2;", "d"(0.1), "d"(0.3));
    D(fma(0.1, 0.3, -0.03), "fma.rn.f64 %0, %1, %2, %3;", "d"(0.1), "d"(0.3), "d"(-0.03));
    R(0x40004200, "add.f16x2 %0, %1, %2;", "r"(0x3c003c00), "r"(0x3c004000)); // 1 + 1, 1 + 2
    H(0x3c02, "add.rn.f16 %0, %1, %2;", "h"((unsigned short)0x3c00), "h"((unsigned short)0x1601));
    H(0x3c00, "add.rn.f16 %0, %1, %2;", "h"((unsigned short)0x3c00), "h"((unsigned short)0x1000));
    R(0x42004600, "fma.rn.f16x2 %0, %1, %2, %3;", "r"(0x3c004000), "r"(0x40004200),
      "r"(0x3c000000)); // 1 * 2 + 1, 2 * 3 + 0
    H(0x4040, "fma.rn.bf16 %0, %1, %2, %3;", "h"((unsigned short)0x3f80),
      "h"((unsigned short)0x4000), "h"((unsigned short)0x3f80)); // 1 * 2 + 1
}

__global__ void conversions()
{
    H(0x387e, "cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;", "f"(1.0f), "f"(1e9f));
    H(0xfb3c, "cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;", "f"(-1e9f), "f"(1.0f));
    R(0x3c005f00, "cvt.rn.f16x2.e4m3x2 %0, %1;", "h"((unsigned short)0x387e));
    F(-7.0f, "cvt.rn.f32.s32 %0, %1;", "r"(-7));
    F(4294967296.0f, "cvt.rn.f32.u32 %0, %1;", "r"(-7));
    F(4294967040.0f, "cvt.rz.f32.u32 %0, %1;", "r"(-7));
    R(-3, "cvt.rzi.s32.f32 %0, %1;", "f"(-3.7f));
    R(-4, "cvt.rni.s32.f32 %0, %1;", "f"(-3.7f));
    R(-4, "cvt.rmi.s32.f32 %0, %1;", "f"(-3.2f));
    R(-3, "cvt.rpi.s32.f32 %0, %1;", "f"(-3.7f));
    R(2, "cvt.rni.s32.f32 %0, %1;", "f"(2.5f));
    R(0x7fffffff, "cvt.rzi.s32.f32 %0, %1;", "f"(1e20f));
    R(0, "cvt.rzi.s32.f32 %0, %1;", "f"(NAN));
    R(0, "cvt.rzi.u32.f32 %0, %1;", "f"(-5.0f));
    R(0xffffffff, "cvt.rzi.u32.f32 %0, %1;", "f"(INFINITY));
    R(127, "cvt.sat.s8.s32 %0, %1;", "r"(300));
    R(-128, "cvt.sat.s8.s32 %0, %1;", "r"(-300));
    R(0x7fff8000, "cvt.pack.sat.s16.s32 %0, %1, %2;", "r"(100000), "r"(-100000));
    R(0xffff0007, "cvt.pack.sat.u16.s32 %0, %1, %2;", "r"(70000), "r"(7));
    R(0x12347f80, "cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;", "r"(300), "r"(-300), "r"(0x12341234));
    R(0x3412ff05, "cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;", "r"(256), "r"(5), "r"(0x3412));
    R(0x23456778, "cvt.pack.sat.s4.s32.b32 %0, %1, %2, %3;", "r"(9), "r"(-9), "r"(0x1234567));
    R(44, "cvt.u8.u32 %0, %1;", "r"(300));
    R(-1, "cvt.s32.s16 %0, %1;", "h"((short)-1));
    R(0xffff, "cvt.u32.u16 %0, %1;", "h"((short)-1));
    L(-5, "cvt.s64.s32 %0, %1;", "r"(-5));
    R(5, "cvt.u32.u64 %0, %1;", "l"(0x100000005ull));
    D(0.1f, "cvt.f64.f32 %0, %1;", "f"(0.1f));
    F(0.1f, "cvt.rn.f32.f64 %0, %1;", "d"(0.1));
    F(0x1.999998p-4f, "cvt.rz.f32.f64 %0, %1;", "d"(0.1));
    F(-4.0f, "cvt.rmi.f32.f32 %0, %1;", "f"(-3.2f));
    F(1.0f, "cvt.sat.f32.f32 %0, %1;", "f"(3.2f));
    H(0x3c00, "cvt.rn.f16.f32 %0, %1;", "f"(1.0f));
    H(0x7bff, "cvt.rz.f16.f32 %0, %1;", "f"(70000.0f));
    H(0x7c00, "cvt.rn.f16.f32 %0, %1;", "f"(70000.0f));
    H(0x0001, "cvt.rn.f16.f32 %0, %1;", "f"(6e-8f));
    F(-2.0f, "cvt.f32.f16 %0, %1;", "h"((unsigned short)0xc000));
    H(0x3f80, "cvt.rn.bf16.f32 %0, %1;", "f"(1.001f));
    R(0x40003c00, "cvt.rn.f16x2.f32 %0, %1, %2;", "f"(2.0f), "f"(1.0f));
    R(0x40003f80, "cvt.rn.bf16x2.f32 %0, %1, %2;", "f"(2.0f), "f"(1.0f));
    R(0x00003f80, "cvt.rn.relu.bf16x2.f32 %0, %1, %2;", "f"(-2.0f), "f"(1.0f));
    // 1 + 2^-11 is half way between two tf32 numbers and is rounded away from zero.
    R(0x3f802000, "cvt.rna.tf32.f32 %0, %1;", "f"(1.0f + 0x1p-11f));
    R(0x3f800000, "cvt.rna.tf32.f32 %0, %1;", "f"(1.0f + 0x1p-12f));
    R(0xbf802000, "cvt.rna.tf32.f32 %0, %1;", "f"(-1.0f - 0x1p-11f));
}

// ---- memory ----

struct eight {
    float x, y;
};

// The address operand is an expression of a pointer that has no other use.
template <int SKIP>
__device__ static void loads_behind(const float *__restrict__ from, float wanted)
{
    F(wanted, "ld.f32 %0, [%1];", "l"(&from[SKIP]));
    F(wanted, "ld.f32 %0, [%1];", "l"(from + SKIP));
}

// Vectors of up to 16 bytes in shared and global memory.
__device__ void vectors_of_volatile(unsigned shared, float *global)
{
    float4 four;
    double2 two;
    unsigned short a, b, c, d;
    asm volatile("st.volatile.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(shared), "f"(1.0f),
                 "f"(2.0f), "f"(3.0f), "f"(4.0f)
                 : "memory");
    asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
                 : "r"(shared)
                 : "memory");
    note(bits(four.x), bits(1.0f), __LINE__);
    note(bits(four.w), bits(4.0f), __LINE__);
    asm volatile("st.volatile.global.v2.f64 [%0], {%1, %2};" ::"l"(global), "d"(5.0), "d"(6.0)
                 : "memory");
    asm volatile("ld.volatile.global.v2.f64 {%0, %1}, [%2];"
                 : "=d"(two.x), "=d"(two.y)
                 : "l"(global)
                 : "memory");
    note(two.x == 5 && two.y == 6, 1, __LINE__);
    asm volatile("st.volatile.v4.u16 [%0], {%1, %2, %3, %4};" ::"l"(global), "h"((short)1),
                 "h"((short)2), "h"((short)3), "h"((short)4)
                 : "memory");
    asm volatile("ld.volatile.v4.u16 {%0, %1, %2, %3}, [%4];"
                 : "=h"(a), "=h"(b), "=h"(c), "=h"(d)
                 : "l"(global)
                 : "memory");
    note(a + 10 * b + 100 * c + 1000 * d, 4321, __LINE__);
}

// A thread that waits for one of four words lets other threads run.
__global__ void waits_for_vector(unsigned *words)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (threadIdx.x == 33)
        asm volatile("st.volatile.global.v4.u32 [%0], {1, 2, 3, 4};" ::"l"(words) : "memory");
    while (threadIdx.x == 0 && d == 0) {
        asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "l"(words)
                     : "memory");
    }
    if (threadIdx.x == 0)
        note(a + 10 * b + 100 * c + 1000 * d, 4321, __LINE__);
}

__global__ void memory(float *data)
{
    extern __shared__ float4 dynamic[];
    __shared__ float fixed[64];
    const unsigned to = (unsigned)__cvta_generic_to_shared(&fixed[8]);
    const unsigned at_dynamic = (unsigned)__cvta_generic_to_shared(dynamic);
    unsigned long long address;
    fixed[9] = 9;
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(1.5f) : "memory");
    note(bits(fixed[8]), bits(1.5f), __LINE__);
    F(1.5f, "ld.shared.f32 %0, [%1];", "r"(to));
    F(9.0f, "ld.shared.f32 %0, [%1+4];", "r"(to));
    F(9.0f, "ld.volatile.shared.f32 %0, [%1 + 4];", "r"(to));
    F(1.5f, "ld.f32 %0, [%1];", "l"(&fixed[8]));
    loads_behind<2>(&fixed[6], 1.5f);
    eight two;
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(two.x), "=f"(two.y) : "r"(to));
    note(bits(two.x), bits(1.5f), __LINE__);
    note(bits(two.y), bits(9.0f), __LINE__);
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, 0f40800000};" ::"r"(at_dynamic), "f"(1.0f),
                 "f"(2.0f), "f"(3.0f)
                 : "memory");
    note(bits(dynamic[0].z), bits(3.0f), __LINE__);
    note(bits(dynamic[0].w), bits(4.0f), __LINE__);
    vectors_of_volatile(at_dynamic, data);
    note(at_dynamic % 1024, sizeof fixed, __LINE__); // as on a GPU: dynamic follows static memory
    asm volatile("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(&fixed[8]));
    note(address, to, __LINE__);
    asm volatile("cvta.shared.u64 %0, %1;" : "=l"(address) : "l"(address));
    note(address, (unsigned long long)&fixed[8], __LINE__);
    R(1, "{.reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p;}", "l"(fixed));
    R(0, "{.reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p;}", "l"(data));
    R(1, "{.reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p;}", "l"(data));
    asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(data), "f"(2.5f) : "memory");
    F(2.5f, "ld.global.ca.f32 %0, [%1];", "l"(data));
    F(2.5f, "ld.global.L1::no_allocate.L2::128B.f32 %0, [%1];", "l"(data));
    F(7.0f, "ld.global.nc.f32 %0, [%1+256];", "l"(data));
    asm volatile("st.global.u8 [%0], %1;" ::"l"(data + 1), "r"(0x1fe) : "memory");
    R(-2, "ld.global.s8 %0, [%1+4];", "l"(data));
    R(0xfe, "ld.global.u8 %0, [%1+4];", "l"(data));
    H(0xfffe, "ld.global.s8 %0, [%1+4];", "l"(data));
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(data + 2), "r"(77) : "memory");
    R(77, "ld.acquire.gpu.global.u32 %0, [%1];", "l"(data + 2));
    R(77, "ld.relaxed.cta.global.u32 %0, [%1];", "l"(data + 2));
}

__global__ void atomics(unsigned *words)
{
    __shared__ unsigned fixed[4];
    const unsigned to = (unsigned)__cvta_generic_to_shared(fixed);
    fixed[0] = 5;
    R(5, "atom.shared.add.u32 %0, [%1], 3;", "r"(to));
    R(8, "atom.shared.exch.b32 %0, [%1], %2;", "r"(to), "r"(2));
    R(2, "atom.shared.cas.b32 %0, [%1], %2, %3;", "r"(to), "r"(2), "r"(11));
    asm volatile("red.shared.max.s32 [%0], %1;" ::"r"(to), "r"(20) : "memory");
    note(fixed[0], 20, __LINE__);
    R(0, "atom.global.add.u32 %0, [%1], 3;", "l"(words));
    R(3, "atom.acq_rel.gpu.global.inc.u32 %0, [%1], 3;", "l"(words));
    R(0, "atom.relaxed.cta.global.or.b32 %0, [%1+4], 12;", "l"(words));
    asm volatile("red.release.gpu.global.add.f32 [%0], %1;" ::"l"(words + 2), "f"(1.5f) : "memory");
    asm volatile("red.global.add.f64 [%0], %1;" ::"l"(words + 4), "d"(2.5) : "memory");
    // The same operations by CUDA functions.
    float2 *pair = (float2 *)(words + 8);
    float4 *four = (float4 *)(words + 8);
    unsigned short *half = (unsigned short *)(words + 12);
    note(bits(atomicAdd(pair, make_float2(1, 2)).y), 0, __LINE__);
    note(bits(atomicAdd(four, make_float4(3, 4, 5, 6)).y), bits(2.0f), __LINE__);
    note(bits(four->y), bits(6.0f), __LINE__);
    note(bits(four->w), bits(6.0f), __LINE__);
    note(atomicCAS(half + 1, (unsigned short)0, (unsigned short)7), 0, __LINE__);
    note(atomicCAS(half + 1, (unsigned short)0, (unsigned short)8), 7, __LINE__);
    note(words[12], 7u << 16, __LINE__);
    note(words[0], 0, __LINE__);
    note(words[1], 12, __LINE__);
    note(words[2], bits(1.5f), __LINE__);
    L(bits(2.5), "ld.global.u64 %0, [%1];", "l"(words + 4));
}

// ---- lanes ----

__global__ void lanes()
{
    const unsigned lane = threadIdx.x % 32;
    unsigned value, got, flag;
    R(threadIdx.x, "mov.u32 %0, %%tid.x;", "r"(0));
    R(blockDim.x, "mov.u32 %0, %%ntid.x;", "r"(0));
    R(lane, "mov.u32 %0, %%laneid;", "r"(0));
    R((1u << lane) - 1, "mov.u32 %0, %%lanemask_lt;", "r"(0));
    R(0xffffffffu << lane, "mov.u32 %0, %%lanemask_ge;", "r"(0));
    R(0xfffffffeu << lane, "mov.u32 %0, %%lanemask_gt;", "r"(0));
    R(0xffffffffu >> (31 - lane), "mov.u32 %0, %%lanemask_le;", "r"(0));
    value = lane * 10;
    R(lane < 3 ? value : value - 30, "shfl.sync.up.b32 %0, %1, 3, 0, -1;", "r"(value));
    R(lane > 28 ? value : value + 30, "shfl.sync.down.b32 %0, %1, 3, 31, -1;", "r"(value));
    R((lane ^ 5) * 10, "shfl.sync.bfly.b32 %0, %1, 5, 31, -1;", "r"(value));
    R(70, "shfl.sync.idx.b32 %0, %1, 7, 31, -1;", "r"(value));
    // Segments of 8 lanes: (32 - 8) << 8 | 31.
    R((lane & 24) * 10 + 20, "shfl.sync.idx.b32 %0, %1, 10, 0x181f, -1;", "r"(value));
    asm volatile("{.reg .pred p; shfl.sync.down.b32 %0|p, %2, 2, 0x181f, 0xffffffff;\n"
                 "selp.u32 %1, 1, 0, p;}"
                 : "=r"(got), "=r"(flag)
                 : "r"(value));
    note(got, lane % 8 > 5 ? value : value + 20, __LINE__);
    note(flag, lane % 8 <= 5, __LINE__);
    R(0xff, "{.reg .pred p; setp.lt.u32 p, %1, 8; vote.sync.ballot.b32 %0, p, -1;}", "r"(lane));
    R(1, "{.reg .pred p; setp.lt.u32 p, %1, 8; vote.sync.any.pred p, p, -1; selp.u32 %0, 1, 0, p;}",
      "r"(lane));
    R(0, "{.reg .pred p; setp.lt.u32 p, %1, 8; vote.sync.uni.pred p, p, -1; selp.u32 %0, 1, 0, p;}",
      "r"(lane));
    R(lane < 8 ? 0xffu : 0xffffff00u, "match.any.sync.b32 %0, %1, -1;", "r"((int)(lane / 8 > 0)));
    R(1,
      "{.reg .pred p; .reg .u32 a, b; mov.u32 a, %%smid; mov.u32 b, %%nsmid;\n"
      "setp.lt.u32 p, a, b; selp.u32 %0, %1, 0, p;}",
      "r"(1));
    R(496, "redux.sync.add.s32 %0, %1, -1;", "r"(lane));
    R(-31, "redux.sync.min.s32 %0, %1, -1;", "r"(-(int)lane));
    R(31, "redux.sync.or.b32 %0, %1, -1;", "r"(lane));
    asm volatile("{.reg .pred p; elect.sync %0|p, -1; selp.u32 %1, 1, 0, p;}"
                 : "=r"(got), "=r"(flag));
    note(got, 0, __LINE__);
    note(flag, lane == 0, __LINE__);
    R(~0u, "activemask.b32 %0;", "r"(0));
    asm volatile("bar.warp.sync -1;");
}

// ---- barriers and copies ----

__global__ void barriers()
{
    __shared__ unsigned words[128];
    const unsigned thread = threadIdx.x;
    words[thread] = thread;
    asm volatile("bar.sync 0;" ::: "memory");
    note(words[thread ^ 64], thread ^ 64, __LINE__);
    asm volatile("barrier.sync 0;" ::: "memory");
    // Two halves of the block, each with its own barrier.
    words[thread] = thread + 1;
    asm volatile("bar.sync %0, 64;" ::"r"(1 + thread / 64) : "memory");
    note(words[thread ^ 32], (thread ^ 32) + 1, __LINE__);
    R(96, "{.reg .pred p; setp.ge.u32 p, %1, 32; bar.red.popc.u32 %0, 0, p;}", "r"(thread));
    R(0, "{.reg .pred p; setp.ge.u32 p, %1, 32; bar.red.and.pred p, 0, p; selp.u32 %0, 1, 0, p;}",
      "r"(thread));
    R(1,
      "{.reg .pred p; setp.ge.u32 p, %1, 32; bar.red.or.pred p, 3, 128, p;selp.u32 %0, 1, 0, p;}",
      "r"(thread));
    // The second half produces, the first half waits.
    if (thread >= 64) {
        words[thread] = 1000 + thread;
        asm volatile("bar.arrive 4, 128;" ::: "memory");
    } else {
        asm volatile("bar.sync 4, 128;" ::: "memory");
        note(words[thread + 64], 1064 + thread, __LINE__);
    }
}

__global__ void copies(const float *data)
{
    __shared__ __align__(16) float to[32 * 4];
    const unsigned address = (unsigned)__cvta_generic_to_shared(&to[4 * threadIdx.x]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address),
                 "l"(data + 4 * threadIdx.x)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group %0;" ::"n"(0) : "memory");
    note(bits(to[4 * threadIdx.x + 3]), bits(4.0f * threadIdx.x + 3), __LINE__);
    asm volatile("cp.async.ca.shared::cta.global.L2::128B [%0], [%1], 8, %2;" ::"r"(address),
                 "l"(data), "r"(4)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    note(bits(to[4 * threadIdx.x]), bits(0.0f), __LINE__);
    note(bits(to[4 * threadIdx.x + 1]), 0, __LINE__);
    note(bits(to[4 * threadIdx.x + 2]), bits(4.0f * threadIdx.x + 2), __LINE__);
    asm volatile("{.reg .pred p; setp.ge.u32 p, %2, 16;\n"
                 "cp.async.cg.shared.global [%0], [%1], 16, p; cp.async.wait_all;}" ::"r"(address),
                 "l"(data), "r"(threadIdx.x)
                 : "memory");
    note(bits(to[4 * threadIdx.x + 3]), bits(threadIdx.x < 16 ? 3.0f : 0.0f), __LINE__);
}

static float *data;

static void begin(void)
{
    int none = 0;
    assert_int_equal(cudaMemcpyToSymbol(row_count, &none, sizeof none), cudaSuccess);
}

static void check(int least)
{
    static row found[MOST_ROWS];
    int count, wrong = 0;
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    assert_int_equal(cudaMemcpyFromSymbol(&count, row_count, sizeof count), cudaSuccess);
    assert_true(count >= least && count <= MOST_ROWS);
    assert_int_equal(cudaMemcpyFromSymbol(found, rows, sizeof found), cudaSuccess);
    for (int i = 0; i < count; i++) {
        if (found[i].got != found[i].wanted) {
            print_error("line %d: %#llx, wanted %#llx\n", found[i].line, found[i].got,
                        found[i].wanted);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

template <class... Arguments>
static void run(void (*kernel)(Arguments...), int least, int threads, Arguments... arguments)
{
    begin();
    kernel<<<1, threads>>>(arguments...);
    check(least);
}

#define TEST(kernel, ...)                                                                          \
    static void test_##kernel(void **)                                                             \
    {                                                                                              \
        run(kernel, __VA_ARGS__);                                                                  \
    }
TEST(integers, 50, 1)
TEST(carries, 7, 1)
TEST(logic, 30, 1)
TEST(predicates, 17, 1)
TEST(reals, 35, 1)
TEST(conversions, 35, 1)
TEST(lanes, 32 * 20, 32)
TEST(barriers, 128 * 5, 128)
TEST(copies, 32 * 5, 32, static_cast<const float *>(data))

static void test_memory(void **)
{
    static float host[128];
    host[64] = 7;
    assert_int_equal(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice), cudaSuccess);
    begin();
    memory<<<1, 1, 2048>>>(data);
    check(26);
    assert_int_equal(cudaMemset(data, 0, 16), cudaSuccess);
    run(waits_for_vector, 1, 64, (unsigned *)data);
}

static void test_atomics(void **)
{
    assert_int_equal(cudaMemset(data, 0, 64), cudaSuccess);
    begin();
    atomics<<<1, 1>>>((unsigned *)data);
    check(10);
}

static int set_up(void **)
{
    float host[128];
    for (int i = 0; i < 128; i++)
        host[i] = (float)i;
    return cudaMalloc(&data, sizeof host) != cudaSuccess ||
           cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice) != cudaSuccess;
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers), cmocka_unit_test(test_carries),
        cmocka_unit_test(test_logic),    cmocka_unit_test(test_predicates),
        cmocka_unit_test(test_reals),    cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_lanes),    cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_copies),   cmocka_unit_test(test_memory),
        cmocka_unit_test(test_atomics),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
