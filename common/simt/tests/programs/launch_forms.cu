// Ways to write a launch: template arguments with commas and brackets, variables named like the
// built-in ones, defaults, overloads, namespaces, members, macros.
#include <type_traits>
#include <utility>

#include "check.cuh"

template <int A, bool B, typename T = float>
__global__ void many(T *out, T value)
{
    *out = B ? value + A : value - A;
}

__global__ void defaults(float *out, float a, float b = 20, float c = 300)
{
    *out = a + b + c;
}

__global__ void overloaded(float *out, int)
{
    *out = 1;
}
__global__ void overloaded(float *out, double)
{
    *out = 2;
}
float *overloaded_out;
void overloaded() // host function without parameters
{
    overloaded<<<1, 1>>>(overloaded_out, 1);
}

namespace outer
{
namespace
{
template <class Pair>
__global__ void inner(float *out, Pair p)
{
    *out = p.first * 10 + p.second;
}
} // namespace
} // namespace outer

struct MyPair {
    int first, second;
};

// A reference parameter refers to the object itself, which must be in memory that kernels reach.
__global__ void referred(MyPair &pair, const int &step)
{
    pair.first += step;
}

struct Config {
    dim3 gridDim, blockDim;
    int threadIdx = 3;
};

__global__ void count(float *out)
{
    if (threadIdx.x == 0 && threadIdx.y == 0)
        atomicAdd(out, float(blockDim.x * 100 + blockDim.y));
}

dim3 gridFor(int n, dim3 blockDim)
{
    return dim3((n + blockDim.x - 1) / blockDim.x);
}

#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)
#define RUN(kernel, grid, block) kernel<<<grid, block>>>

template <typename T>
struct Runner {
    T *out;
    void run(int n) const
    {
        many<3, (sizeof(T) > 2), T><<<1, n>>>(out, T(1));
    }
};

int main()
{
    float *out;
    CHECK(cudaMallocManaged(&out, sizeof(float)));
    *out = 0;
#define GIVES(expected)                                                                            \
    CHECK(cudaGetLastError());                                                                     \
    CHECK(cudaDeviceSynchronize());                                                                \
    EXPECT(*out == expected);                                                                      \
    *out = 0
    many<(5 > 3 ? 4 : 2), true><<<1, 1>>>(out, 1.0f);
    GIVES(5);
    many<2, std::is_same<float, std::pair<int, int>>::value><<<1, 1>>>(out, 1.0f);
    GIVES(-1);
    many<1 << 3, (1 >> 0)><<<dim3(1, 1), dim3(1), 0>>>(out, 1.0f);
    GIVES(9);
    Runner<float>{out}.run(1);
    GIVES(4);
    defaults<<<1, 1>>>(out, 1);
    GIVES(321);
    defaults<<<1, 1>>>(out, 1, 2);
    GIVES(303);
    overloaded<<<1, 1>>>(out, 1);
    GIVES(1);
    overloaded<<<1, 1>>>(out, 1.0);
    GIVES(2);
    overloaded_out = out;
    overloaded();
    GIVES(1);
    outer::inner<<<1, 1, 0, 0>>>(out, MyPair{4, 2});
    GIVES(42);
    outer::inner<MyPair><<<1, 1>>>(out, {4, 3});
    GIVES(43);
    LAUNCH(defaults, out, 1, 1, 1);
    GIVES(3);
    RUN(defaults, 1, 1)(out, 2, 2, 2);
    GIVES(6);
    {
        int n = 1000;
        dim3 blockDim(16, 4), gridDim = gridFor(n, blockDim);
        count<<<gridDim, blockDim>>>(out);
        GIVES(63 * 1604);
    }
    Config config;
    config.gridDim = dim3(2);
    config.blockDim = dim3(8, 8);
    count<<<config.gridDim, config.blockDim>>>(out);
    GIVES(2 * 808);
    EXPECT(config.threadIdx == 3);
    void (*pointer)(float *) = count;
    pointer<<<1, 32>>>(out);
    GIVES(3201);
    (*pointer)<<<1, dim3{32, 2}>>>(out);
    GIVES(3202);
    float *__restrict__ const restricted = out; // a reference to a pointer cannot bind
    pointer<<<1, 32>>>(restricted);
    GIVES(3201);
    MyPair *pair;
    cudaMallocManaged(&pair, sizeof *pair);
    *pair = {40, 2};
    referred<<<1, 1>>>(*pair, pair->second);
    cudaDeviceSynchronize();
    EXPECT(pair->first == 42);
    cudaFree(pair);
    for (int i = 0; i < 2; i++)
        if (i == 0)
            count<<<1, 1>>>(out);
        else
            count<<<2, 1>>>(out);
    GIVES(303);
    cudaFree(out);
    return passed();
}
