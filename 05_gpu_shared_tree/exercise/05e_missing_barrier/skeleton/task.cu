#include <cuda_runtime.h>

enum { BLOCK = 64, TURNS = 3 };

__global__ void smooth_blocks(const float *in, float *out)
{
    __shared__ float line[BLOCK + 2];
    const int tid = threadIdx.x;
    const int i = blockIdx.x * BLOCK + tid;
    float mine;

    /* ---- your work ---- */
    line[tid + 1] = in[i];
    if (tid == 0)
        line[0] = line[BLOCK + 1] = 0;

    for (int turn = 0; turn < TURNS; turn++) {
        __syncthreads();
        mine = line[tid] + line[tid + 1] + line[tid + 2];
        line[tid + 1] = mine;
    }
    /* ---- end of your work ---- */

    out[i] = line[tid + 1];
}

extern "C" void smooth(const float *in, float *out, int blocks)
{
    smooth_blocks<<<blocks, BLOCK>>>(in, out);
}
