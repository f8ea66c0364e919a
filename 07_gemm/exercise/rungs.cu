/* For tests of speed on a GPU: the step's rungs as the exercises are called. */
#include "../gemm.cu"

static struct gemm product_of(const float *a, const float *b, float *c, int m, int n, int k)
{
    struct gemm call = {};

    call.m = (size_t)m;
    call.n = (size_t)n;
    call.k = (size_t)k;
    call.alpha = 1;
    call.a = a;
    call.lda = (size_t)k;
    call.b = b;
    call.ldb = (size_t)n;
    call.c = c;
    call.ldc = (size_t)n;
    return call;
}

extern "C" void rung_naive(const float *a, const float *b, float *c, int m, int n, int k)
{
    const struct gemm call = product_of(a, b, c, m, n, k);
    launch_naive(&call);
}

extern "C" void rung_shared_tile(const float *a, const float *b, float *c, int m, int n, int k)
{
    const struct gemm call = product_of(a, b, c, m, n, k);
    launch_shared_tile(&call);
}

/* No rung transposes. What a copy takes, no transpose can undercut by much. */
extern "C" void copy_matrix(const float *in, float *out, int rows, int columns)
{
    const size_t bytes = (size_t)rows * (size_t)columns * sizeof *in;
    cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, 0);
}
