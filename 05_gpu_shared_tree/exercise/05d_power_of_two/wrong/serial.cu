#include <cuda_runtime.h>

/* out[b] = the sum of the blockDim.x elements of block b. */
__global__ void sum_in_blocks(const float *in, float *out)
{
    __shared__ float partial[1024];
    const unsigned tid = threadIdx.x;

    partial[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();

    /* ---- your work ---- */
    if (tid == 0)
        for (unsigned t = 1; t < blockDim.x; t++)
            partial[0] += partial[t];
    /* ---- end of your work ---- */

    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" void block_sums(const float *in, float *out, int blocks, int threads)
{
    sum_in_blocks<<<blocks, threads>>>(in, out);
}
