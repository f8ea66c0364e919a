#include <cuda_runtime.h>

/* out[b] = the sum of the blockDim.x elements of block b. */
__global__ void sum_in_blocks(const float *in, float *out)
{
    __shared__ float partial[1024];
    const unsigned tid = threadIdx.x;

    partial[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();

    /* ---- your work ---- */
    for (unsigned left = blockDim.x; left > 1;) {
        const unsigned half = (left + 1) / 2;
        if (tid + half < left)
            partial[tid] += partial[tid + half];
        __syncthreads();
        left = half;
    }
    /* ---- end of your work ---- */

    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" void block_sums(const float *in, float *out, int blocks, int threads)
{
    sum_in_blocks<<<blocks, threads>>>(in, out);
}
