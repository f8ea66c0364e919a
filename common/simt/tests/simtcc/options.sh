# shellcheck shell=sh disable=SC2154
# Options, as nvcc takes them. Sourced by test_simtcc.sh.

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
prints 6 value.o -o 'out put' -lcudart -lcuda -lm --run
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
says 2 '-lcufft: not available on the CPU back end: cufft' value.cu -lcufft
says 2 '-c with -o takes one input file' -c -o x.o value.cu own_names.cu
touch value.txt
says 2 'value.txt: want .cu, .cpp, .c, .o or .a' value.txt
says 1 'missing.cu: no such file' missing.cu
"$simtcc" -ccbin /nonexistent/compiler value.cu >output 2>&1
[ $? -eq 3 ] && grep -q 'no working C++ compiler' output || fail 'a compiler that is not there'
# The one before the first that is accepted, as g++ and as clang++, which says that it is g++ 4, too.
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
# What programs call their sizes is no matter to the headers.
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
