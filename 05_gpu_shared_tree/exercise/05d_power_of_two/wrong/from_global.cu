#include <cuda_runtime.h>

/* out[b] = the sum of the blockDim.x elements of block b. */
__global__ void sum_in_blocks(const float *in, float *out)
{
    __shared__ float partial[1024];
    const unsigned tid = threadIdx.x;

    partial[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();

    /* ---- your work ---- */
    if (tid == 0) {
        float sum = 0;
        for (unsigned k = 0; k < blockDim.x; k++)
            sum += in[blockIdx.x * blockDim.x + k];
        partial[0] = sum;
    }
    /* ---- end of your work ---- */

    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" void block_sums(const float *in, float *out, int blocks, int threads)
{
    sum_in_blocks<<<blocks, threads>>>(in, out);
}
