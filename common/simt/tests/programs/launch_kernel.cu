// Launches without chevrons: cudaLaunchKernel with an array of pointers to the arguments.
#include "check.cuh"

struct pair {
    int a;
    double b;
};

__global__ void plain(double *out, pair p, char c)
{
    out[threadIdx.x] = p.a + p.b + c + threadIdx.x;
}

__global__ void byAddress(double *out, pair p, char c)
{
    for (int i = 0; i < 2; i++)
        out[threadIdx.x] = p.b + c;
}

template <typename T>
__global__ void scaled(T *out, T factor)
{
    extern __shared__ unsigned char raw[];
    T *tile = reinterpret_cast<T *>(raw);
    tile[threadIdx.x] = factor * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void empty()
{
}

int main()
{
    double *out;
    pair p = {1, 0.5};
    char c = 10;
    CHECK(cudaMallocManaged(&out, 32 * sizeof(double)));
    void *args[] = {&out, &p, &c};
    CHECK(cudaLaunchKernel((void *)plain, dim3(1), dim3(32), args, 0, 0));
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[31] == 42.5);
    const void *address = (const void *)byAddress;
    CHECK(cudaLaunchKernel(address, dim3(1), dim3(32), args, 0, NULL));
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[31] == 10.5);
    double factor = 3;
    void *args2[] = {&out, &factor};
    CHECK(cudaLaunchKernel((const void *)scaled<double>, 1, 32, args2, 32 * sizeof(double), 0));
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 93.0 && out[31] == 0.0);
    CHECK(cudaLaunchKernel(scaled<double>, 1, 16, args2, 32 * sizeof(double)));
    CHECK(cudaLaunchKernel(empty, 1, 1, nullptr));
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 45.0);
    cudaError_t error = cudaLaunchKernel((void *)plain, dim3(1), dim3(2000), args, 0, 0);
    EXPECT(error != cudaSuccess && cudaGetLastError() == error);
    cudaFree(out);
    return passed();
}
