#include <cuda_runtime.h>

enum { BLOCKS = 4, BLOCK = 128 };

/* out[i] = factor * in[i] */
__global__ void scale_all(const float *in, int n, float factor, float *out)
{
    /* ---- your work ---- */
    for (int i = 0; i < n; i++)
        out[i] = in[i] + factor;
    /* ---- end of your work ---- */
}

extern "C" void scale(const float *in, int n, float factor, float *out)
{
    scale_all<<<BLOCKS, BLOCK>>>(in, n, factor, out);
}
