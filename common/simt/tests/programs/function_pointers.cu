// Addresses of device functions: a table, and a pointer that the host reads and passes to a
// kernel.
#include "check.cuh"

typedef float (*op_t)(float, float);

__device__ float add(float a, float b)
{
    return a + b;
}
__device__ float sub(float a, float b)
{
    return a - b;
}
__device__ float mul(float a, float b)
{
    return a * b;
}

__device__ op_t d_mul = mul;
__device__ op_t table[3] = {add, sub, mul};
static __device__ float (*chosen[2])(float, float);
__device__ float (*none)(float, float);

__global__ void calculate(float *out, const float *x, const float *y, op_t op)
{
    int i = threadIdx.x;
    out[i] = op(x[i], y[i]) + table[i % 3](x[i], y[i]);
}

__global__ void choose(float *out)
{
    chosen[threadIdx.x] = threadIdx.x ? mul : add;
    __syncthreads();
    out[threadIdx.x] = chosen[1 - threadIdx.x](6.0f, 7.0f) + (none ? 100 : 0);
}

template <op_t OP>
__global__ void fixed(float *out)
{
    *out = OP(6.0f, 7.0f);
}

int main()
{
    op_t h_mul;
    CHECK(cudaMemcpyFromSymbol(&h_mul, d_mul, sizeof(op_t)));
    float *x, *y, *out;
    CHECK(cudaMallocManaged(&x, 32 * sizeof(float)));
    CHECK(cudaMallocManaged(&y, 32 * sizeof(float)));
    CHECK(cudaMallocManaged(&out, 32 * sizeof(float)));
    for (int i = 0; i < 32; i++) {
        x[i] = float(i);
        y[i] = 2.0f;
    }
    calculate<<<1, 32>>>(out, x, y, h_mul);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[3] == 6.0f + 5.0f && out[4] == 8.0f + 2.0f && out[5] == 10.0f + 10.0f);
    choose<<<1, 2>>>(out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 42.0f && out[1] == 13.0f);
    fixed<mul><<<1, 1>>>(out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 42.0f);
    cudaFree(x);
    cudaFree(y);
    cudaFree(out);
    return passed();
}
