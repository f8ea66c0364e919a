# shellcheck shell=sh disable=SC2154
# Options, in the same form as for nvcc. Sourced by test_simtcc.sh.

mkdir -p include
touch own_names.cu
cat >include/value.h <<'END'
#define FROM_HEADER 5
END
cat >value.cu <<'END'
#include <cstdio>
#include "value.h"
#ifndef VALUE
#define VALUE 1
#endif
#ifndef MORE
#define MORE 0
#endif
#if !defined(__CUDACC__) || !defined(__NVCC__) || CUDART_VERSION < 13000
#error macros
#endif
__global__ void k(int *out) { *out = VALUE + MORE + FROM_HEADER; }
int main(int argc, char **argv)
{
    int *out;
    cudaMallocManaged(&out, sizeof(int));
    k<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    printf("%d", *out);
    for (int i = 1; i < argc; i++) {
        printf(" [%s]", argv[i]);
    }
    printf("\n");
    return 0;
}
END
prints 35 -gencode arch=compute_80,code=sm_80 -I include -D VALUE=10 '-DMORE=(10 + 10)' -O3 -lineinfo --run value.cu
prints '38 [a b] [it'\''s]' -Iinclude -std c++20 -Xcompiler ' -DVALUE=31  -Wall,-Wextra' \
    --compiler-options='-Wall "-DMORE=(1 + 1)"' --ptxas-options=-v --run value.cu -- 'a b' "it's"
[ ! -e a.out ] || fail '--run leaves nothing behind'
# A toolkit's include folder holds the real headers: those of the back end must win.
mkdir toolkit
echo '#error not this one' >toolkit/cuda_runtime.h
prints '' -arch=native -Iinclude -Itoolkit -I toolkit value.cu
[ "$(./a.out)" = 6 ] || fail 'a.out is the default'
prints '' -Iinclude -dc value.cu
prints 6 value.o -o 'out put' -lcudart -lcuda -lm --run
[ -x 'out put' ] || fail 'a name with a space'
cp value.cu 'a file.cpp'
prints '' -Iinclude -x cu -c 'a file.cpp' -o renamed.o
prints 6 renamed.o --run
"$simtcc" --help >output 2>&1
grep -q SIMT_COUNTERS=table output || fail '--help names SIMT_COUNTERS'
compile -Iinclude -use_fast_math --default-stream per-thread -std=c++14 value.cu --run
[ $? -eq 0 ] && grep -q '^simtcc: note: -use_fast_math: ignored' output && grep -q "per-thread: ignored" output || fail 'a note on -use_fast_math'
grep -q '^simtcc: note: -std=c++14: ' output || fail 'a note on -std=c++14'

# Before C++11, a name could directly follow a string.
cat >gap.cu <<'END'
#include "gap.h"
__global__ void k() { TELL("device"); }
int main()
{
    k<<<1, 1>>>();
    cudaDeviceSynchronize();
    register int six = shown();
    TELL("host %d", six);
    return __cplusplus < 201703L;
}
END
cat >gap.cpp <<'END'
#include "gap.h"
int shown() { return TELL("shown"), 6; }
END
cat >gap.h <<'END'
#include <cstdio>
#include <map>
#include <string>
#define TELL(text, ...) printf("%s: "text"\n", __func__, ##__VA_ARGS__)
int shown();
END
compile -std=c++03 -w gap.cu gap.cpp --run
[ $? -eq 0 ] && [ "$(grep -v ' note: ' output)" = 'k: device
shown: shown
main: host 6' ] || fail '-std=c++03: a string and a name'

# Code that nvcc warns about, except for host code.
cat >warned.cu <<'END'
#include <cstdio>
__device__ int positive(int i)
{
    if (i < 0)
        return;
    return i;
}
struct Ray {
    float x;
};
struct Hit {
    Ray Ray;
};
__device__ float jump(int label, float x)
{
    switch (label) {
    case 0:
        const float twice = 2 * x, *p = &twice;
        return *p;
    case 1:
        Hit hit = {{x}};
        return hit.Ray.x;
    default:
        return -1;
    }
}
__global__ void k(int number)
{
    printf("%g %g %g ", jump(0, 3), jump(1, 3), jump(2, 3));
    unsigned char fits[] = {number, 300};
    float real[] = {number, 1.5};
    printf("%d %d %g\n", positive(3), fits[1], real[0]);
}
int main()
{
    k<<<1, 1>>>(7);
    cudaDeviceSynchronize();
    return;
}
END
prints '6 3 -1 3 44 7' -w warned.cu --run

cat >arch.cu <<'END'
#include <cstdio>
#include <cuda.h>
__global__ void k()
{
#if __CUDA_ARCH__ >= 600
    printf("device %d\n", CUDA_VERSION);
#else
    printf("host\n");
#endif
}
int main() { k<<<1, 1>>>(); }
END
prints 'device 13000' -D__CUDA_ARCH__=900 arch.cu --run
prints 'device 13000' -D __CUDA_ARCH__=900 arch.cu --run

# C++ headers that nvcc includes by itself, some only with this option.
cat >functional.cu <<'END'
__global__ void k(int *out) { new (out) int(7); }
int main()
{
    int *out, host;
    cudaMalloc(&out, sizeof host);
    k<<<1, 1>>>(out);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    std::function<int(int)> twice = [](int i) { return 2 * i; };
    std::tuple<int, char> both(twice(host), 'a');
    printf("%d %c\n", std::get<0>(both), toupper(std::get<1>(both)));
}
END
prints '14 A' --extended-lambda functional.cu --run
for option in -extended-lambda --expt-extended-lambda; do
    compile --dryrun $option functional.cu && grep -q "'-include' 'functional'" output || fail "$option"
done

# Device function objects: small ones, and ones that allocate memory.
cat >nvfunctional.cu <<'END'
#include <cstdio>
#include <nvfunctional>
typedef nvstd::function<float(float)> function;
__host__ __device__ float apply(const function &f, float x) { return f ? f(x) : -1; }
__global__ void k(float *out, float a)
{
    const double more[5] = {1, 2, 3, 4, a};
    function small = [a](float x) { return a * x; }, large, other = small;
    large = [more](float x) { return x + (float)(more[0] + more[4]); };
    small = nullptr;
    swap(other, large);
    printf("%g %g %g\n", apply(small, 2), apply(other, 2), apply(large, 2));
}
int main()
{
    k<<<1, 1>>>(nullptr, 3);
    cudaDeviceSynchronize();
    printf("%g\n", apply([](float x) { return x + 1; }, 2));
}
END
prints '-1 6 6
3' nvfunctional.cu --run

# __CUDA_ARCH__ has its value in all code for a GPU, whatever braces the branches open. A __host__ __device__ function
# has it if a kernel calls it. A message tells where host code may be meant. Lines and file names do not change.
mkdir -p beside
cat >beside/part.h <<'END'
#define PART 7
END
cat >beside/arch.cu <<'END'
#include "part.h"
#include <cstdio>
#define BOTH __host__ __device__
struct both
{
    __device__ int device() const
    {
#ifdef __CUDA_ARCH__
        return 10;
#else
        return 20;
#endif
    }
    __host__ __device__ int either() const
    {
#ifndef __CUDA_ARCH__
        return 2;
#else
        return 1;
#endif
    }
    BOTH static constexpr int place(int plus)
    {
        int line = __LINE__;
        for (int i = 0; i < plus; i++) {
#if __CUDA_ARCH__ >= 700
            line += 1000;
        }
        return line;
#else
            line += 2000;
        }
        return line + __LINE__;
#endif
    }
};
#if __CUDA_ARCH__ >= 700 // functions of the device only
__device__ int around()
{
#pragma unroll
    for (int i = 0; i < 2; i++)
        if (i == 1)
            return i;
    return 0;
}
#elif __CUDA_ARCH__ >= 600
__device__ int around() { return 2; }
#endif
#ifdef __CUDA_ARCH__
#define HOST 0 /* the host uses it */
#else
#define HOST 1
#endif
#ifdef __CUDA_ARCH__
static __device__ int of_both() { return 1; }
#else
static int of_both() { return 2; }
#endif
template <int N> __global__ void __launch_bounds__(32) kernel(both b)
{
    const char *text = "{ __CUDA_ARCH__ '", quote = '{', *raw = R"x({")x"; // { __CUDA_ARCH__
    int big = 1'000 + PART + around() - 1;
    if (threadIdx.x == 0) {
#if /* of
       two lines */ __CUDA_ARCH__ >= 750 && \
    defined(__CUDA_ARCH__)
        if (N > 3) {
#elif 1
        if (N > 5) {
#endif
            printf("%d %d %d %d %s%c%s%d %s:%d\n", __CUDA_ARCH__, b.device(), b.either(), b.place(2), text, quote, raw, big, __FILE__, __LINE__);
        }
    }
}
static void host()
{
    auto device = [] __device__ (int i) {
#ifdef __CUDA_ARCH__
        return i;
#else
        return -i;
#endif
    };
#ifdef __CUDA_ARCH__
    printf("wrong\n");
#else
    auto either = [] __host__ __device__ (int i) {
#ifdef __CUDA_ARCH__
        return i;
#else
        return 10 * i;
#endif
    };
    constexpr int known = both::place(0);
    printf("host %d %d %d %d %d\n", both().either() + HOST + of_both() - 3, device(3), either(4), both().place(2), known);
#endif
}
int main()
{
    kernel<4><<<1, 32>>>(both());
    cudaDeviceSynchronize();
    host();
}
END
for arch in 90: 75:'-arch compute_75' 100:-arch=sm_100a 86:'-gencode arch=compute_86,code=[sm_86,compute_86]'; do
    # shellcheck disable=SC2086
    compile ${arch#*:} -o arch beside/arch.cu || fail "arch.cu with ${arch#*:} does not compile"
    [ "$(sed -n 's/^simtcc: note: \([^:]*:[0-9]*\): __CUDA_ARCH__ .*/\1/p' output)" = beside/arch.cu:49 ] ||
        fail 'a note on __CUDA_ARCH__'
    ./arch >output 2>&1
    [ "$(cat output)" = "${arch%%:*}0 10 1 2024 { __CUDA_ARCH__ '{{\"1007 beside/arch.cu:71
host 2 3 40 4057 57" ] || fail "__CUDA_ARCH__ with ${arch#*:}"
done
sed 's/int big/wrong big/' beside/arch.cu >beside/wrong.cu
! compile -c -o wrong.o beside/wrong.cu && grep -q '^beside/wrong.cu:62:' output || fail 'the line of an error beside __CUDA_ARCH__'
sed 's/#include <cstdio>/#include <no_such_header.h>\n#include "nor_such.h"/' beside/arch.cu >beside/wrong.cu
! compile -c -o wrong.o beside/wrong.cu &&
    grep -q '^beside/wrong.cu:2: error: no such header: no_such_header.h$' output &&
    ! grep -v '^beside/wrong.cu:[23]: error: no such header:' output | grep -qv '^simtcc: note:' || fail 'headers that are missing, beside __CUDA_ARCH__'

says 2 'no input files'
says 2 '--no-such-option: no such option' --no-such-option value.cu
says 2 '-o needs a value' value.cu -o
says 2 '-std=c++99: no such standard' -std=c++99 value.cu
says 2 'no PTX or GPU code' -ptx value.cu
says 2 '-lcufft: not available on the CPU back end: cufft' value.cu -lcufft
says 2 '-c with -o takes one input file' -c -o x.o value.cu own_names.cu
touch value.txt
says 2 'value.txt: want .cu, .cpp, .c, .o or .a' value.txt
says 1 'missing.cu: no such file' missing.cu
"$simtcc" -ccbin /nonexistent/compiler value.cu >output 2>&1
[ $? -eq 3 ] && grep -q 'no working C++ compiler' output || fail 'a compiler that is not there'
# The compiler one version too old, as g++ and as clang++, which also claims to be g++ 4.
for versions in '10 __clang_major__' '4 10'; do
    printf '#!/bin/sh\necho "%s"\n' "$versions" >old
    chmod +x old
    "$simtcc" -ccbin ./old value.cu >output 2>&1
    [ $? -eq 3 ] && [ "$(cat output)" = 'simtcc: ./old: g++ 11 or later is needed, or clang++ 11 or later' ] ||
        fail "an old compiler: $versions"
done
SIMTCC_CACHE=/proc/nothing compile value.cu
[ $? -eq 3 ] && grep -q '/proc/nothing: cannot write there' output || fail 'a cache that cannot be'
TMPDIR=/nonexistent compile value.cu
[ $? -eq 3 ] && [ "$(cat output)" = 'simtcc: /nonexistent: no folder for temporary files can be made there' ] ||
    fail 'no place for temporary files'
# The macro names of a program must not matter to the headers.
cat >named.cu <<'END'
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <mma.h>
__global__ void add(int *sum) { *sum += N + M + K + A + B + C + D + COUNT + SIZE + BYTES + FLAGS; }
int main()
{
    int *sum;
    cudaMallocManaged(&sum, sizeof *sum);
    *sum = 0;
    add<<<1, 1>>>(sum);
    cudaDeviceSynchronize();
    return *sum != 11 * 16;
}
END
sizes=
for name in N M K A B C D COUNT SIZE BYTES FLAGS; do sizes="$sizes -D$name=16"; done
# shellcheck disable=SC2086
SIMTCC_CCCL='' compile $sizes --run named.cu || fail 'macros of the program in the headers'
