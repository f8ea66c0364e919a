// Kernels that take functions: device lambdas, functors, higher-order device functions.
// nvcc: --extended-lambda
#include "check.cuh"

template <typename F>
__global__ void forAll(int n, F f)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        f(i);
}

template <typename F>
void parallelFor(int n, F &&f)
{
    const int block = 128;
    forAll<<<(n + block - 1) / block, block>>>(n, f);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

struct Saxpy {
    float a;
    const float *x;
    float *y;
    __host__ __device__ void operator()(int i) const
    {
        y[i] = a * x[i] + y[i];
    }
};

template <typename T, typename Op>
__device__ T applyTwice(T value, Op op)
{
    return op(op(value));
}

template <typename T, typename Op>
__global__ void transform(T *data, int n, Op op)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = applyTwice(data[i], op);
}

template <int N>
__global__ void addConstant(float *x)
{
    x[threadIdx.x] += N;
}

int main()
{
    const int n = 1000;
    float *x, *y;
    CHECK(cudaMallocManaged(&x, n * sizeof(float)));
    CHECK(cudaMallocManaged(&y, n * sizeof(float)));
    float scale = 3.0f;
    parallelFor(n, [=] __device__(int i) {
        x[i] = scale * i;
        y[i] = 1.0f;
    });
    EXPECT(x[999] == 2997.0f && y[0] == 1.0f);
    parallelFor(n, Saxpy{2.0f, x, y});
    EXPECT(y[10] == 61.0f);
    auto half = [] __host__ __device__(float v) { return v / 2; };
    EXPECT(half(3.0f) == 1.5f);
    transform<<<(n + 255) / 256, 256>>>(x, n, half);
    CHECK(cudaDeviceSynchronize());
    EXPECT(x[8] == 6.0f);
    transform<float>
        <<<(n + 255) / 256, 256>>>(x, n, [=] __device__(float v) -> float { return v + scale; });
    CHECK(cudaDeviceSynchronize());
    EXPECT(x[8] == 12.0f);
    constexpr int block = 32;
    auto launch = [&] { addConstant<block><<<1, block>>>(x); };
    launch();
    CHECK(cudaDeviceSynchronize());
    EXPECT(x[8] == 44.0f);
    cudaFree(x);
    cudaFree(y);
    return passed();
}
