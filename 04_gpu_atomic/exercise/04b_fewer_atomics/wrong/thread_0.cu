#include <cuda_runtime.h>

enum { BLOCKS = 4, BLOCK = 256 };

/* *result += the sum of n elements */
__global__ void add_all(const float *in, int n, float *result)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;

    /* ---- your work ---- */
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = blockIdx.x; i < n; i += gridDim.x)
            sum += in[i];
        atomicAdd(result, sum);
    }
    (void)thread;
    (void)threads;
    /* ---- end of your work ---- */
}

extern "C" void total(const float *in, int n, float *result, float *)
{
    add_all<<<BLOCKS, BLOCK>>>(in, n, result);
}
