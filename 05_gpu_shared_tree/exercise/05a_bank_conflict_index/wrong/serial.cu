#include <cuda_runtime.h>

enum { BLOCK = 256 };

/* out[b] = the sum of the elements of block b: in[256 * b] to in[256 * b + 255]. The last block may
 * have fewer elements. */
__global__ void sum_in_blocks(const float *in, int n, float *out)
{
    __shared__ float partial[BLOCK];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * blockDim.x + tid;

    partial[tid] = i < (unsigned)n ? in[i] : 0;
    __syncthreads();

    /* ---- your work ---- */
    if (tid == 0)
        for (unsigned t = 1; t < blockDim.x; t++)
            partial[0] += partial[t];
    /* ---- end of your work ---- */

    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" void block_sums(const float *in, int n, float *out, int blocks)
{
    sum_in_blocks<<<blocks, BLOCK>>>(in, n, out);
}
