#include <cuda_runtime.h>

enum { WARP = 32, WARPS = 4 };

/* All lanes of a warp call it. Lane 0 gets the sum of their values. */
__device__ float warp_sum(float value)
{
    /* ---- your work ---- */
    __shared__ float values[WARPS * WARP];
    const int first = threadIdx.x / WARP * WARP;
    float sum = 0;

    values[threadIdx.x] = value;
    __syncwarp();
    for (int lane = 0; lane < WARP; lane++)
        sum += values[first + lane];
    return sum;
    /* ---- end of your work ---- */
}

/* out[w] = the sum of warp w's 32 elements, which are neighbours. */
__global__ void sum_warps(const float *in, float *out, int warps)
{
    const int lane = threadIdx.x % WARP;
    const int warp = blockIdx.x * WARPS + threadIdx.x / WARP;

    if (warp >= warps)
        return; /* all lanes of the warp return, or none */
    const float sum = warp_sum(in[warp * WARP + lane]);
    if (lane == 0)
        out[warp] = sum;
}

extern "C" void warp_sums(const float *in, float *out, int warps)
{
    sum_warps<<<(warps + WARPS - 1) / WARPS, WARPS * WARP>>>(in, out, warps);
}
