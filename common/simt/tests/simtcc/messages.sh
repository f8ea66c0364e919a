# shellcheck shell=sh disable=SC2154
# Messages of the host compiler and of programs. Sourced by test_simtcc.sh.

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
cat >wrong.cu <<'END'
#include <cassert>
#include <cstdio>
__global__ void k(int i)
{
    assert(i == 2);
}
int main()
{
    k<<<2, 3>>>(1);
    return cudaDeviceSynchronize() == cudaErrorAssert && cudaMalloc((void **)0, 1) == cudaErrorAssert ? 3 : 0;
}
END
says 3 "thread (0,0,0): wrong.cu:5: void k(int): assertion \`i == 2' failed" wrong.cu --run
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

# Every missing header, each with its line. Launches in a host file.
printf '#include "also.h"\n#include <cute/tensor.hpp>\n' >include_more.h
printf '#include "include_more.h"\n#include <cstdio>\n#include "not_there.h"\n#include <cutlass/gemm.h>\n' >wrong.cu
compile wrong.cu
cat >expected <<'END'
include_more.h:1: error: no such header: also.h
include_more.h:2: error: not available on the CPU back end: CuTe (CUTLASS)
wrong.cu:4: error: not available on the CPU back end: CUTLASS
wrong.cu:3: error: no such header: not_there.h
END
sed 's,^[.]/,,' output | cmp -s - expected || fail 'all missing headers'
printf '#include <cuda_runtime.h>\nvoid k(int);\nint main()\n{\n    k<<<1, 1>>>(0);\n}\n' >launch.cpp
compile launch.cpp
[ $? -eq 1 ] && grep -q 'note: launch.cpp:5: kernels and launches (<<<...>>>) belong into a .cu file' output ||
    fail 'a launch in a .cpp file'

# Host functions called in kernels, kernels that are not launched, device variables used by the host.
cat >spaces.cu <<'END'
int square(int i) { return i * i; }
__device__ int total;
__global__ void k(int *out)
{
    *out = square(3);
}
int main()
{
    k(nullptr);
    return total;
}
END
compile spaces.cu
cat >expected <<'END'
spaces.cu:5: error: square() is a function of the host, called in device code: declare it __host__ __device__
spaces.cu:9: error: kernel k is called like a function: launch it, k<<<blocks, threads>>>(...)
spaces.cu:10: error: total is a variable of the device, read by the host: use cudaMemcpyFromSymbol()
END
cmp -s output expected || fail 'who calls whom'

# A failed launch is reported at the end, unless the program has checked for errors or a later call has reported it.
cat >unasked.cu <<'END'
__global__ void set(int *p) { *p = 1; }
int main(int count, char **)
{
    int *p;
    cudaMalloc(&p, 4);
    set<<<1, 1>>>(p);
    set<<<1, 1>>>(p);
    return count > 1 ? cudaDeviceSynchronize() == cudaSuccess : 0;
}
END
compile unasked.cu -o unasked || fail 'unasked.cu does not compile'
for error in cudaErrorIllegalAddress cudaErrorLaunchOutOfResources; do
    SIMT_FAIL=2:$error ./unasked 2>&1 | grep -q '^simt: the launch of kernel set .*, and the program did not check' || fail "$error: nobody asked"
done
SIMT_FAIL=2:cudaErrorIllegalAddress ./unasked wait >output 2>&1 || fail 'a lasting error that is none'
[ "$(grep -c '^simt' output)" -eq 1 ] || fail 'a later call has said what failed'

# An assumed number. g++ names the class of the member, clang++ does not.
cat >registers.cu <<'END'
__global__ void k() { }
int main() { cudaFuncAttributes a; return cudaFuncGetAttributes(&a, k) || a.numRegs == 0; }
END
compile registers.cu --run && [ "$(sed s/cudaFuncAttributes::// output)" = 'registers.cu:2: warning: numRegs: nvcc alone knows it (-Xptxas -v): here it is 32' ] ||
    fail "numRegs: $(cat output)"

# A toolkit's headers come first in the include path.
mkdir -p toolkit
echo '#error the toolkit' >toolkit/cuda_runtime.h
cat >host.cpp <<'END'
#include <cuda_runtime.h>
#include <driver_types.h>
int main() { int *p = nullptr; return cudaMalloc(&p, 4) || cudaFree(p); }
END
CPATH=$work/toolkit compile -I toolkit --run host.cpp || fail 'a toolkit in CPATH'

# A kernel that is called through a pointer like a function.
cat >kernel.cu <<'END'
__global__ void k(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
template <class Kernel> void call(Kernel kernel, int *out) { kernel(out); }
int main() { int *out; cudaMalloc(&out, 4); call(k, out); }
END
compile kernel.cu -o program && ! ./program >output 2>&1 &&
    grep -q '^simt: the host calls a kernel like a function' output || fail 'a kernel called by a pointer'
