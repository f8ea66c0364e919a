#include <cuda_runtime.h>

/* *result += the sum of in[0] to in[n - 1]. The caller has set *result to 0. */
__global__ void add_up(const float *in, int n, float *result)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    float sum = 0;

    /* ---- your work ---- */
    if ((size_t)in % 16 != 0) {
        for (int i = thread; i < n; i += threads)
            sum += in[i];
    } else {
        for (int i = thread; i < n / 4; i += threads) {
            const float4 pack = ((const float4 *)in)[i];
            sum += pack.x + pack.y + pack.z + pack.w;
        }
        for (int i = n / 4 * 4 + thread; i < n; i += threads)
            sum += in[i];
    }
    /* ---- end of your work ---- */

    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xFFFFFFFF, sum, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(result, sum);
}

extern "C" void total(const float *in, int n, float *result, float *scratch)
{
    (void)scratch;
    add_up<<<8, 128>>>(in, n, result);
}
