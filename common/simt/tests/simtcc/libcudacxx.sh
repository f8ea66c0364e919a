# shellcheck shell=sh disable=SC2154
# libcu++ with its own headers, if a CUDA toolkit has them. Sourced by test_simtcc.sh.

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
cccl=$(dirname -- "$(dirname -- "$(readlink -f -- "$nvcc")")")/include
[ ! -d "$cccl/cccl" ] || cccl=$cccl/cccl

cat >libcudacxx.cu <<'END'
#include <cstdio>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/limits>

#ifndef SCOPE
#define SCOPE cuda::thread_scope_device
#endif
__device__ cuda::atomic<int, SCOPE> arrivals{0};

// Each block leaves its sum; the last to arrive adds them up.
__global__ void add(const int *in, int *sums, int *out, float *real)
{
    __shared__ cuda::atomic<int, cuda::thread_scope_block> sum;
    if (threadIdx.x == 0) {
        sum.store(0, cuda::memory_order_relaxed);
    }
    __syncthreads();
    cuda::std::array<int, 2> two = {in[2 * (blockIdx.x * blockDim.x + threadIdx.x)],
                                    in[2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1]};
    sum.fetch_add(two[0] + two[1], cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum.load(cuda::memory_order_relaxed);
        if (arrivals.fetch_add(1, cuda::memory_order_acq_rel) == int(gridDim.x) - 1) {
            int all = 0;
            for (int i = 0; i < int(gridDim.x); i++) {
                all += sums[i];
            }
            *out = all < cuda::std::numeric_limits<int>::max() ? all : -1;
            *real = (cuda::std::complex<float>(1, 2) * cuda::std::complex<float>(3, 4)).real();
        }
    }
#ifdef RACE
    out[1] = threadIdx.x;
#else
    cuda::atomic_ref<int, cuda::thread_scope_device>(out[1]).fetch_max(int(threadIdx.x));
#endif
}

int main()
{
    int host[512], *in, *sums, *out, result[2];
    float *real, part;
    for (int i = 0; i < 512; i++) {
        host[i] = i;
    }
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&sums, 4 * sizeof(int));
    cudaMalloc(&out, 2 * sizeof(int));
    cudaMalloc(&real, sizeof(float));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, 2 * sizeof(int));
    add<<<4, 64>>>(in, sums, out, real);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    cudaMemcpy(&part, real, sizeof part, cudaMemcpyDeviceToHost);
    printf("%d %d %g\n", result[0], result[1], part);
}
END
# Flags of one and two bytes: a thread that waits for them lets other threads run.
cat >flags.cu <<'END'
#include <cstdio>
#include <cuda/atomic>

template <class T>
__global__ void wait(T *flags, int *out)
{
    cuda::atomic_ref<T, cuda::thread_scope_device> asks(flags[0]), answers(flags[1]);
    T expected = 1;
    if (threadIdx.x == 0) {
        while (asks.load(cuda::memory_order_acquire) != T(1)) {
        }
        out[0]++;
        answers.exchange(asks.compare_exchange_strong(expected, T(0)));
    } else if (threadIdx.x == 40) {
        asks.store(T(1), cuda::memory_order_release);
        while (!answers.load(cuda::memory_order_acquire)) {
        }
        out[1] = out[0];
    }
}

int main()
{
    unsigned short *flags;
    int *out, result[2];
    cudaMalloc(&flags, 12);
    cudaMalloc(&out, sizeof result);
    cudaMemset(flags, 0, 12);
    cudaMemset(out, 0, sizeof result);
    wait<<<1, 64>>>(reinterpret_cast<bool *>(flags), out);
    wait<<<1, 64>>>(reinterpret_cast<unsigned char *>(flags + 1), out);
    wait<<<1, 64>>>(flags + 2, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d %d\n", result[0], result[1]);
}
END
if [ -f "$cccl/cuda/std/version" ] && case $compiler in *clang*) false ;; esac; then
    prints '130816 63 -5' --run libcudacxx.cu
    # CUDA 12.4's libcu++ rejects them, with nvcc as well.
    grep -rqF 'does not support 1 or 2 byte types' "$cccl/cuda/std/detail" || prints '3 3' --run flags.cu
    for fault in -DRACE -DSCOPE=cuda::thread_scope_block; do
        compile $fault --run libcudacxx.cu
        [ $? -eq 1 ] && grep -q 'data race in global memory' output || fail "no race beside cuda::atomic: $fault"
    done
fi
