// Dynamic shared memory whose type is a template argument. It needs a wrapper, because one name
// cannot have two types.
#include "check.cuh"

template <class T>
struct SharedMemory {
    __device__ inline operator T *()
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }
    __device__ inline operator const T *() const
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }
};

// Without this, types of more than 4 bytes would not be aligned.
template <>
struct SharedMemory<double> {
    __device__ inline operator double *()
    {
        extern __shared__ double __smem_d[];
        return (double *)__smem_d;
    }
};

template <class T, unsigned int blockSize>
__global__ void reduce(const T *g_idata, T *g_odata, unsigned int n)
{
    T *sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockSize * 2 + threadIdx.x;
    T mySum = (i < n) ? g_idata[i] : T(0);
    if (i + blockSize < n)
        mySum += g_idata[i + blockSize];
    sdata[tid] = mySum;
    __syncthreads();
    if ((blockSize >= 512) && (tid < 256))
        sdata[tid] = mySum = mySum + sdata[tid + 256];
    __syncthreads();
    if ((blockSize >= 256) && (tid < 128))
        sdata[tid] = mySum = mySum + sdata[tid + 128];
    __syncthreads();
    for (unsigned int s = 64; s > 0; s >>= 1) {
        if (blockSize >= 2 * s && tid < s)
            sdata[tid] = mySum = mySum + sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        g_odata[blockIdx.x] = mySum;
}

template <class T>
void launch(int threads, int blocks, const T *in, T *out, unsigned int n)
{
    int smemSize = threads * sizeof(T);
    switch (threads) {
    case 512:
        reduce<T, 512><<<blocks, threads, smemSize>>>(in, out, n);
        break;
    case 256:
        reduce<T, 256><<<blocks, threads, smemSize>>>(in, out, n);
        break;
    case 64:
        reduce<T, 64><<<blocks, threads, smemSize>>>(in, out, n);
        break;
    default:
        reduce<T, 1><<<blocks, threads, smemSize>>>(in, out, n);
    }
}

template <class T>
void test(unsigned int n, int threads)
{
    int blocks = (n + 2 * threads - 1) / (2 * threads);
    T *in, *out, sum = 0, expected = 0;
    CHECK(cudaMallocManaged(&in, n * sizeof(T)));
    CHECK(cudaMallocManaged(&out, blocks * sizeof(T)));
    for (unsigned int i = 0; i < n; i++) {
        in[i] = T(i % 13);
        expected += in[i];
    }
    launch<T>(threads, blocks, in, out, n);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < blocks; i++)
        sum += out[i];
    EXPECT(sum == expected);
    cudaFree(in);
    cudaFree(out);
}

int main()
{
    for (int threads : {512, 256, 64, 1}) {
        for (unsigned int n : {1u, 513u, 4096u}) {
            test<int>(n, threads);
            test<float>(n, threads);
            test<double>(n, threads);
        }
    }
    return passed();
}
