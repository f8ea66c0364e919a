# shellcheck shell=sh disable=SC2154
# Features that are not available are rejected with their line. Sourced by test_simtcc.sh.

refuses 'cubemap textures (texCubemap)' 3 <<'END'
template <class T> __global__ void k(float *out, T t)
{
    *out = texCubemap<float>(t, 0.5f, 0.5f, 1);
}
END
refuses 'texture references (cudaBindTexture), which CUDA 12 has dropped: use texture objects (cudaCreateTextureObject)' 1 <<'END'
int main() { cudaBindTexture(0, 0, 0, 0); }
END
refuses 'PTX: operand %envreg2' 6 <<'END'
// asm
#if 0
asm("not this")
#endif
__device__ int lane() { int l;
    asm volatile("mov.u32 %0, %%envreg2;" : "=r"(l));
    return l; }
int main() { asm(""); }
END
refuses 'PTX: tcgen05.fence::after_thread_sync' 4 <<'END'
struct S { int a; __device__ S() : a{1}
    {
        asm("membar.gl;"
            "tcgen05.fence::after_thread_sync;");
    }
};
END
refuses 'NVML' 2 <<'END'
#include <vector>
#include <nvml.h>
END
refuses 'cudaDeviceSynchronize() in device code, which CUDA 12 has dropped' 5 <<'END'
__global__ void child() {}
__global__ void parent()
{
    child<<<1, 1>>>();
    cudaDeviceSynchronize();
}
int main() { parent<<<1, 1>>>(); cudaDeviceSynchronize(); }
END
refuses 'cuda::latch (libcu++)' 1 <<'END'
#include <cuda/latch>
END
export SIMTCC_CCCL=
# Debian's packages install these headers where every compiler finds them.
finds_cub=no
! printf '#include <cub/version.cuh>\n' | $compiler -E -x c++ - >output 2>&1 || finds_cub=yes
if [ $finds_cub = no ]; then
    refuses "cuda::atomic (libcu++): SIMTCC_CCCL can name the folder of a CUDA toolkit's include/cccl" 1 <<'END'
#include <cuda/atomic>
END
    refuses "Thrust: SIMTCC_CCCL can name the folder of a CUDA toolkit's include/cccl" 3 <<'END'
#include <cstdio>

#include <thrust/device_vector.h>
END
    refuses "CUB: SIMTCC_CCCL can name the folder of a CUDA toolkit's include/cccl" 1 <<'END'
#include "cub/cub.cuh"
END
fi
refuses "cuBLASLt's transforms (cublasLtMatrixTransform)" 2 <<'END'
#include <cublasLt.h>
int main() { cublasLtMatrixTransformDesc_t transform; return transform != 0; }
END
refuses 'cuFFT' 1 <<'END'
#include <cufft.h>
END
refuses 'modules of the driver API (CUmodule): PTX and cubins cannot be loaded; link kernels that simtcc has compiled' 2 <<'END'
#include <cuda.h>
int main() { CUmodule module; return cuInit(0) || !module; }
END
refuses 'texture references (texture<>), which CUDA 12 has dropped: use texture objects (cudaTextureObject_t)' 2 <<'END'

texture<float, 2, cudaReadModeElementType> image;
__global__ void k(float *out) { *out = tex2D(image, 0.5f, 0.5f); }
int main() { k<<<1, 1>>>(nullptr); }
END

# Each feature is reported once, with its first place.
cat >several.cu <<'END'
__device__ void f() { asm("a;"); asm("membar.gl;"); }
int main() { cudaLibrary_t library; return cudaGraphicsGLRegisterBuffer(0, 0, 0); }
END
compile several.cu
[ "$(wc -l <output)" -eq 3 ] && grep -q '^several.cu:1: .*PTX: a$' output &&
    grep -q '^several.cu:2: .*graphics' output && grep -q '^several.cu:2: .*cudaLibrary_t.: PTX' output ||
    fail 'three features, three lines'

# In a header, the report has the header's own line, also if one header includes another.
mkdir -p include
printf '\n\n__device__ void f() { asm("a;"); }\n' >include/ptx.cuh
printf '#pragma once\n#include <cub/block/block_reduce.cuh>\n' >include/cub.cuh
printf '#include "ptx.cuh"\n' >kernel.cu
says 1 'include/ptx.cuh:3: error: not available on the CPU back end: PTX: a' \
    -I include kernel.cu
printf '#include <cub.cuh>\n' >kernel.cu
[ $finds_cub = yes ] ||
    says 1 'include/cub.cuh:2: error: not available on the CPU back end: CUB: SIMTCC_CCCL' -Iinclude kernel.cu

# Names of the program that only look like such features are accepted.
cat >own_names.cu <<'END'
#include <cstdio>
struct image { int tex2D, texture; };
namespace mine { template <class T> struct texture { T t; }; int surface(int x) { return x; } }
static int texCubemap = 3;
int main()
{
    image i = {1, 2};
    mine::texture<int> t = {4};
    printf("%d\n", i.tex2D + i.texture + t.t + mine::surface(texCubemap));
}
END
prints 10 --run own_names.cu
unset SIMTCC_CCCL

# Architectures: unknown names, and features that the named architecture lacks.
cat >target.cu <<'END'
#include <cooperative_groups.h>
__global__ void k(const float4 *a)
{
    __shared__ float4 s[32];
    unsigned int at = (unsigned int)__cvta_generic_to_shared(s);
#ifdef WGMMA
    asm volatile("wgmma.fence.sync.aligned;");
#elif defined(TMA)
    asm volatile("mbarrier.try_wait.parity.shared::cta.b64 _, [%0], 0;" ::"r"(at));
#elif defined(CLUSTER)
    cooperative_groups::this_cluster().sync();
#elif !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at), "l"(a));
#endif
}
int main() {}
END
says 1 'target.cu:7: error: PTX wgmma.fence.sync.aligned: sm_80 does not have it, it needs sm_90a' -DWGMMA -arch=sm_80 target.cu
says 1 'target.cu:7: error: PTX wgmma.fence.sync.aligned: sm_90 does not have it, it needs sm_90a' -DWGMMA -arch=sm_90 target.cu
says 1 'target.cu:9: error: PTX mbarrier.try_wait' -DTMA -gencode arch=compute_80,code=sm_80 target.cu
says 1 'target.cu:11: error: this_cluster: sm_86 does not have it, it needs sm_90 or later' -DCLUSTER -arch sm_86 target.cu
for options in '-DWGMMA -arch=sm_90a' '-DWGMMA' '-DCLUSTER -arch=sm_90' '-arch=sm_80' '-arch=native' '-arch=sm_70' \
    '-gencode arch=compute_80,code=[sm_80,compute_80]'; do
    # shellcheck disable=SC2086 # several options
    compile $options target.cu -o target && [ ! -s output ] || fail "what $options has"
done
for name in sm_91 compute_90b foo sm80 90; do
    says 2 "$name: no such architecture; known are sm_, compute_ or lto_ with 35 37 50" -arch=$name target.cu
done
