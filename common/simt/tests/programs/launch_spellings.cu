// More ways to write a launch: kernels from a map, spaces inside the brackets, parameters named
// like types.
#include <map>

#include "check.cuh"

#define GIVES(expected)                                                                            \
    CHECK(cudaGetLastError());                                                                     \
    CHECK(cudaDeviceSynchronize());                                                                \
    EXPECT(*out == expected);                                                                      \
    *out = 0

__global__ void count(float *out)
{
    if (threadIdx.x == 0)
        atomicAdd(out, float(blockDim.x * 100 + blockDim.y));
}

__device__ int product(int dim1, int dim2, int dim3)
{
    return dim1 * dim2 * dim3 * blockDim.x * gridDim.x;
}

__global__ void volume(float *out)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *out = product(5, 7, 1);
}

int main()
{
    float *out;
    CHECK(cudaMallocManaged(&out, sizeof *out));
    *out = 0;
    std::map<int, void (*)(float *)> kernels = {{1, count}, {2, count}};
    for (auto &[n, kernel] : kernels)
        kernel<<<n, 1>>>(out);
    GIVES(303);
    // clang-format off
    count << <1, 1>> >(out);
    // clang-format on
    GIVES(101);
    volume<<<2, 3>>>(out);
    GIVES(2 * 3 * 5 * 7);
    cudaFree(out);
    return passed();
}
