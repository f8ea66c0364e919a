#include <cuda_runtime.h>

enum { WARP = 32, WARPS = 4 };

/* All lanes of a warp call it. Lane 0 gets the sum of their values. */
__device__ float warp_sum(float value)
{
    /* ---- your work ---- */
    return value > 2 ? value : 3;
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
