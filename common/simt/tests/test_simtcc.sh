#!/bin/sh
# Tests simtcc: what it refuses and how it says so, its options, its output. Usage: test_simtcc.sh SIMTCC CXX
set -u
simtcc=$(readlink -f -- "$1") compiler=$2
folder=$(mktemp -d "${TMPDIR:-/tmp}/test_simtcc.XXXXXX") || exit 1
trap 'rm -rf -- "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$1"
    sed 's/^/    /' output
}

compile() {
    "$simtcc" -ccbin "$compiler" "$@" >output 2>&1
}

# refuses NAME LINE: the program on stdin is refused with one line, which starts with its file and line.
refuses() {
    cat >kernel.cu
    compile kernel.cu -o program
    status=$?
    expected="kernel.cu:$2: error: not available on the CPU back end: $1"
    [ $status -eq 1 ] && [ "$(cat output)" = "$expected" ] && [ ! -e program ] ||
        fail "status $status, not 1 with: $expected"
}

# says STATUS TEXT ARGUMENT...: simtcc ends with this status and one line, which contains the text.
says() {
    status=$1 text=$2
    shift 2
    compile "$@"
    found=$?
    if [ $found -ne "$status" ] || [ "$(wc -l <output)" -ne 1 ] || ! grep -qF -- "$text" output; then
        fail "simtcc $*: status $found, not $status with: $text"
    fi
}

# prints TEXT ARGUMENT...: simtcc ends with status 0 and prints this.
prints() {
    text=$1
    shift
    compile "$@" || fail "simtcc $*: status $?"
    [ "$(cat output)" = "$text" ] || fail "simtcc $*: not: $text"
}

# ---- what there is not -----------------------------------------------------------------------------

refuses 'textures (cudaTextureObject_t)' 1 <<'END'
__global__ void k(float *out, cudaTextureObject_t t) { *out = 1; }
END
refuses 'textures (tex2D)' 3 <<'END'
template <class T> __global__ void k(float *out, T t)
{
    *out = tex2D<float>(t, 0.5f, 0.5f);
}
END
refuses 'textures and CUDA arrays (cudaMallocArray)' 4 <<'END'
int main()
{
    void *array = 0;
    return cudaMallocArray(&array, 0, 1, 1);
}
END
refuses 'surfaces (surf2Dread, surf2Dwrite)' 1 <<'END'
__global__ void k(long surface) { surf2Dwrite(1.0f, surface, 4, 4); }
END
refuses 'inline PTX (asm)' 6 <<'END'
// asm
#if 0
asm("not this")
#endif
__device__ int lane() { int l;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(l));
    return l; }
int main() { asm(""); }
END
refuses 'inline PTX (asm)' 3 <<'END'
struct S { int a; __device__ S() : a{1}
    {
        asm("membar.gl;");
    }
};
END
refuses 'tensor cores (nvcuda::wmma)' 2 <<'END'
#include <vector>
#include <mma.h>
using namespace nvcuda;
END
refuses 'dynamic parallelism (a launch from device code)' 4 <<'END'
__global__ void child() {}
__global__ void parent()
{
    child<<<1, 1>>>();
}
int main() { parent<<<1, 1>>>(); }
END
refuses 'cuda::pipeline (libcu++)' 1 <<'END'
#include <cuda/pipeline>
END
refuses 'cuda::atomic (libcu++)' 1 <<'END'
#include <cuda/atomic>
END
refuses 'Thrust' 3 <<'END'
#include <cstdio>

#include <thrust/device_vector.h>
END
refuses 'CUB' 1 <<'END'
#include "cub/cub.cuh"
END
refuses 'cuRAND' 1 <<'END'
#include <curand_kernel.h>
END
refuses 'thread block clusters (__cluster_dims__)' 1 <<'END'
__global__ void __cluster_dims__(2, 1, 1) k() {}
END
refuses 'the driver API (cuInit)' 2 <<'END'
#include <cuda.h>
int main() { return cuInit(0); }
END
refuses 'CUDA graphs (cudaGraph_t)' 1 <<'END'
int main() { cudaGraph_t graph; return graph != 0; }
END

# Each feature once, with its first place.
cat >several.cu <<'END'
__device__ void f() { asm("a"); asm("b"); }
__global__ void k() { k<<<1, 1>>>(); }
END
compile several.cu
[ "$(wc -l <output)" -eq 2 ] && grep -q '^several.cu:1: .*asm' output &&
    grep -q '^several.cu:2: .*dynamic parallelism' output || fail 'two features, two lines'

# In a header, at the header's own line; and where a header includes another.
mkdir -p include
printf '\n\n__device__ void f() { asm("a"); }\n' >include/ptx.cuh
printf '#pragma once\n#include <cub/block/block_reduce.cuh>\n' >include/cub.cuh
printf '#include "ptx.cuh"\n' >kernel.cu
says 1 'include/ptx.cuh:3: error: not available on the CPU back end: inline PTX (asm)' \
    -I include kernel.cu
printf '#include <cub.cuh>\n' >kernel.cu
says 1 'include/cub.cuh:2: error: not available on the CPU back end: CUB' -Iinclude kernel.cu

# A program's own names that only look like it are its own.
cat >own_names.cu <<'END'
#include <cstdio>
struct image { int tex2D, texture; };
namespace mine { template <class T> struct texture { T t; }; int surface(int x) { return x; } }
static int tex1D = 3;
int main()
{
    image i = {1, 2};
    mine::texture<int> t = {4};
    printf("%d\n", i.tex2D + i.texture + t.t + mine::surface(tex1D));
}
END
prints 10 --run own_names.cu

# ---- options ---------------------------------------------------------------------------------------

cat >value.h <<'END'
#define FROM_HEADER 5
END
mv value.h include
cat >value.cu <<'END'
#include <cstdio>
#include "value.h"
#ifndef VALUE
#define VALUE 1
#endif
#if !defined(__CUDACC__) || !defined(__NVCC__) || CUDART_VERSION < 13000
#error macros
#endif
__global__ void k(int *out) { *out = VALUE + FROM_HEADER; }
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
prints 15 -arch=sm_90 -I include -D VALUE=10 --run value.cu
prints 25 -gencode arch=compute_80,code=sm_80 -Iinclude '-DVALUE=(10 + 10)' -O3 -lineinfo --run value.cu
prints '6 [a b] [it'\''s]' -Iinclude -std c++20 -Xcompiler -Wall,-Wextra --ptxas-options=-v --run value.cu \
    -- 'a b' "it's"
[ ! -e a.out ] || fail '--run leaves nothing behind'
prints '' -Iinclude value.cu
[ "$(./a.out)" = 6 ] || fail 'a.out is the default'
prints '' -Iinclude -dc value.cu
prints 6 value.o -o 'out put' -lcudart -lm --run
[ -x 'out put' ] || fail 'a name with a space'
prints '' -Iinclude -c value.cu -o renamed.o
prints 6 renamed.o --run
cp value.cu 'a file.cpp'
prints 6 -Iinclude -x cu 'a file.cpp' --run
# A toolkit's include folder holds the real headers: those of the back end must win.
mkdir toolkit
echo '#error not this one' >toolkit/cuda_runtime.h
prints 6 -Iinclude -Itoolkit -I toolkit value.cu --run
"$simtcc" --help >output 2>&1
grep -q SIMT_COUNTERS=table output || fail '--help names SIMT_COUNTERS'
compile -Iinclude -use_fast_math value.cu --run
[ $? -eq 0 ] && grep -q '^simtcc: note: -use_fast_math: ignored' output || fail 'a note on -use_fast_math'
compile -Iinclude -std=c++14 value.cu --run
[ $? -eq 0 ] && grep -q '^simtcc: note: -std=c++14: ' output || fail 'a note on -std=c++14'

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
compile arch.cu --run
[ "$(head -n 1 output | cut -d: -f 1-4)" = 'simtcc: note: arch.cu:5' ] && [ "$(tail -n 1 output)" = host ] ||
    fail 'a note on __CUDA_ARCH__'
prints 'device 13000' -D__CUDA_ARCH__=900 arch.cu --run
prints 'device 13000' -D __CUDA_ARCH__=900 arch.cu --run

says 2 'no input files'
says 2 '--no-such-option: no such option' --no-such-option value.cu
says 2 '-o needs a value' value.cu -o
says 2 '-std=c++99: no such standard' -std=c++99 value.cu
says 2 'no PTX or GPU code' -ptx value.cu
says 2 '-lcublas: not available on the CPU back end: cublas' value.cu -lcublas
says 2 '-c with -o takes one input file' -c -o x.o value.cu own_names.cu
touch value.txt
says 2 'value.txt: want .cu, .cpp, .c, .o or .a' value.txt
says 1 'missing.cu: no such file' missing.cu
"$simtcc" -ccbin /nonexistent/compiler value.cu >output 2>&1
[ $? -eq 3 ] && grep -q 'no working C++ compiler' output || fail 'a compiler that is not there'
SIMTCC_CACHE=/proc/nothing compile value.cu
[ $? -eq 3 ] && grep -q '/proc/nothing: cannot write there' output || fail 'a cache that cannot be'

# ---- the host compiler's own messages ----------------------------------------------------------------

cat >wrong.cu <<'END'
__global__ void k(int *out)
{
    *out = undeclared;
}
int main() { dim3 blockDim(1); k<<<blockDim, 1>>>(0, 1, 2); }
END
compile wrong.cu
[ $? -eq 1 ] && grep -q '^wrong.cu:3:.*undeclared' output && grep -q '^wrong.cu:5:' output ||
    fail 'errors name the file and its lines'
printf 'int main() {\n    k<<<1, 1>>>\n;}\n' >wrong.cu
says 1 'wrong.cu:2: error: <<< without >>>(...) in the same statement' wrong.cu
printf '#include "not_there.h"\n' >wrong.cu
compile wrong.cu
[ $? -eq 1 ] && grep -q 'not_there.h' output || fail 'a missing header'
printf '#include <cassert>\n__global__ void k(int i)\n{\n    assert(i == 2);\n}\nint main()\n{\n    k<<<2, 3>>>(1);\n}\n' >wrong.cu
says 1 'thread (0,0,0): wrong.cu:4: ' wrong.cu --run
grep -q "assertion .i == 2' failed" output || fail 'an assertion in a kernel'
cat >grid.cu <<'END'
#include <cooperative_groups.h>
__global__ void k(int last)
{
    if (blockIdx.x < last) cooperative_groups::this_grid().sync();
}
int main(int argc, char **)
{
    int last = 2;
    void *arguments[] = {&last};
    if (argc > 1) k<<<4, 32>>>(4);
    else cudaLaunchCooperativeKernel((void *)k, 4, 32, arguments);
}
END
compile grid.cu --run
[ $? -eq 1 ] && grep -q 'deadlock: 2 of 4 blocks wait in grid.sync()' output || fail 'a grid deadlock'
compile grid.cu --run -- 1
[ $? -eq 1 ] && grep -q 'in a launch that is not cooperative' output || fail 'no cooperative launch'

# ---- counters and checks -----------------------------------------------------------------------------

cat >reverse.cu <<'END'
__global__ void reverse(int *data)
{
    __shared__ int copy[64];
    copy[threadIdx.x] = data[threadIdx.x];
    BARRIER;
    data[threadIdx.x] = copy[63 - threadIdx.x];
}
int main()
{
    int *data;
    cudaMalloc(&data, 64 * sizeof(int));
    cudaMemset(data, 0, 64 * sizeof(int));
    reverse<<<1, 64>>>(data);
    return cudaDeviceSynchronize();
}
END
prints '' '-DBARRIER=__syncthreads()' reverse.cu -o reverse
SIMT_COUNTERS=table ./reverse >output 2>&1
[ $? -eq 0 ] && grep -q '^kernel reverse (reverse.cu:13): 1 launch, 1 block, 64 threads' output ||
    fail 'counters as a table'
SIMT_COUNTERS=json SIMT_OUT=counters.json ./reverse >output 2>&1
[ $? -eq 0 ] && [ ! -s output ] && grep -q '"reverse"' counters.json || fail 'counters as JSON, in a file'
prints '' -DBARRIER= reverse.cu -o reverse
./reverse >output 2>&1
[ $? -eq 1 ] && grep -q 'data race in shared memory' output || fail 'a race is told'
SIMT_CHECKS=off ./reverse >output 2>&1
[ $? -eq 0 ] && [ ! -s output ] || fail 'no checks'

sed 's/reverse<<<1, 64>>>(data);/void *all[] = {\&data}; cudaLaunchKernel((void *)reverse, 1, 64, all);/' \
    reverse.cu >address.cu
prints '' '-DBARRIER=__syncthreads()' address.cu -o address
SIMT_COUNTERS=table ./address >output 2>&1
[ $? -eq 0 ] && grep -q '^kernel reverse (address.cu:13): 1 launch, 1 block, 64 threads' output &&
    grep -q 'shared stores  *2 requests' output || fail 'a launch by address is counted'

[ $failures -eq 0 ] && echo 'all passed'
[ $failures -eq 0 ]
