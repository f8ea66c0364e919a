#include <cuda_runtime.h>

enum { BLOCKS = 4, BLOCK = 256 };

/* *result += the sum of n elements */
__global__ void add_all(const float *in, int n, float *result)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;

    /* ---- your work ---- */
    for (int i = thread; i < n; i += threads)
        atomicAdd(result, in[i]);
    /* ---- end of your work ---- */
}

extern "C" void total(const float *in, int n, float *result, float *)
{
    add_all<<<BLOCKS, BLOCK>>>(in, n, result);
}
