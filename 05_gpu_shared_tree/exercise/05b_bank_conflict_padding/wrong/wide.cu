#include <cuda_runtime.h>

enum { BLOCK = 256, WORDS = 512 };

/* The word of shared memory that holds value i, 0 <= i < 256. */
__device__ unsigned place(unsigned i)
{
    /* ---- your work ---- */
    return i + i / 16 * 16;
    /* ---- end of your work ---- */
}

/* out[b] = the sum of the elements of block b, by a tree over neighbours. */
__global__ void sum_in_blocks(const float *in, int n, float *out)
{
    __shared__ float partial[WORDS];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * blockDim.x + tid;

    partial[place(tid)] = i < (unsigned)n ? in[i] : 0;
    __syncthreads();

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        const unsigned left = 2 * stride * tid;
        if (left < blockDim.x)
            partial[place(left)] += partial[place(left + stride)];
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = partial[place(0)];
}

extern "C" void block_sums(const float *in, int n, float *out, int blocks)
{
    sum_in_blocks<<<blocks, BLOCK>>>(in, n, out);
}
