// Rare features of the language that real programs use.
#include <vector>

#include "check.cuh"
#include "odds_and_ends.cuh"

#define BLOCK 16

__device__ __constant__ float k3[3] = {1, 2, 3};

template <typename T>
__device__ T zero = T(0);

static __device__ __forceinline__ int twice(int x)
{
    return 2 * x;
}

struct Util {
    static __device__ int lookUp(int i)
    {
        static const int t[4] = {1, 2, 3, 4};
        const int u[2] = {5, 6};
        return t[i & 3] + u[0];
    }
};

__device__ unsigned int sum(const uint3 &i)
{
    return i.x + i.y + i.z;
}

__device__ unsigned int sumOfDimensions(dim3 i)
{
    return i.x + i.y + i.z;
}

extern "C" __global__ void qualifiers(int *out, const int n)
{
    __shared__ float tile[BLOCK][BLOCK + 1], other[32];
    __shared__ alignas(16) float aligned[4];
    __shared__ __align__(16) unsigned char raw[64];
    __shared__ union {
        int i;
        float f;
    } u;
    __shared__ volatile int vol;
    volatile __shared__ int vol2;
    static __shared__ int st;
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    auto [x, y, z] = threadIdx;
    uint3 index = threadIdx;
    dim3 dimensions = blockDim;
    auto again = threadIdx;
    if (threadIdx.x == 0) {
        for (auto v : {threadIdx.y, threadIdx.z})
            tile[v][0] = float(v);
        u.i = 0;
        vol = 1;
        vol2 = 2;
        st = 3;
        aligned[0] = raw[1] = 4;
    }
    other[i % 32] = zero<float>;
    __syncthreads();
    if (i < n && sum(threadIdx) == index.x && sumOfDimensions(blockDim) == dimensions.x + 2) {
        out[i] = twice(i) + Util::lookUp(i) + (x == again.x) + y + z + j + u.i + vol + vol2 + st +
                 int(k3[2]) + int(tile[0][0]) + int(other[i % 32]) + (warpSize == 32) +
                 ((size_t)aligned % 16 == 0) + ((size_t)raw % 16 == 0);
    }
}

namespace
{
__global__ void increment(int *p)
{
    *p += 1;
}
} // namespace

enum class Mode { A, B };

template <Mode M, int... NUMBERS>
__global__ void variadic(int *p)
{
    *p += (0 + ... + NUMBERS) + (M == Mode::B);
}

template <template <class> class F, class T>
__global__ void applyFunctor(T *p)
{
    F<T> f;
    *p = f(*p);
}

template <class T>
struct Increment {
    __device__ T operator()(T x) const
    {
        return x + 1;
    }
};

// A device operator: the tokens after `operator` do not declare a device variable.
struct Sum {
    int value;
};
__device__ Sum operator+(Sum a, Sum b)
{
    return {a.value + b.value};
}
struct Three {
    Sum parts[3];
};
__global__ void addThree(int *out, const Three *three)
{
    *out = (three->parts[0] + three->parts[1] + three->parts[2]).value;
}

// A name of a kernel and, with other parameters, of a host function.
__global__ void doubled(int *p, int)
{
    *p *= 2;
}
std::vector<int> doubled(const std::vector<int> &numbers)
{
    std::vector<int> out;
    for (int number : numbers)
        out.push_back(2 * number);
    return out;
}

// A thread that exits in a function never returns to the kernel. The others do not wait for it.
__device__ void leave(bool leaves)
{
    if (leaves)
        asm volatile("exit;");
}
__global__ void leaveOdd(int *out)
{
    __shared__ int left;
    if (threadIdx.x == 0)
        left = 0;
    __syncthreads();
    leave(threadIdx.x % 2 == 1);
    __syncthreads();
    atomicAdd(&left, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = left;
}

class App
{
    int *p;
    dim3 blockDim{4};

  public:
    explicit App(int *q) : p(q)
    {
    }
    void run()
    {
        increment<<<1, 1>>>(p);
        auto kernel = variadic<Mode::B, 1, 2, 3>;
        kernel<<<1, 1>>>(p);
        auto in_lambda = [&] { increment<<<dim3(1), dim3(blockDim.y)>>>(p); };
        in_lambda();
        applyFunctor<Increment, int><<<1, 1>>>(p);
        CHECK(cudaDeviceSynchronize());
    }
};

int main()
{
    int *out;
    float *f;
    CHECK(cudaMallocManaged(&out, 64 * sizeof(int)));
    CHECK(cudaMallocManaged(&f, 32 * sizeof(float)));
    for (int i = 0; i < 32; i++)
        f[i] = 0;
    qualifiers<<<2, 32>>>(out, 60);
    launchFromHeader(f);
    otherFile(f);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 19 && out[59] == 2 * 59 + 3 + 19 && f[31] == 3);
    *out = 0;
    App(out).run();
    EXPECT(*out == 10);
    switch (*out) {
    case 10:
        increment<<<1, 1>>>(out);
        break;
    default:
        increment<<<2, 1>>>(out);
    }
    int i = 0;
    do
        increment<<<1, 1>>>(out);
    while (++i < 3);
    i > 2 ? increment<<<1, 1>>>(out) : (void)0;
    CHECK(cudaDeviceSynchronize());
    EXPECT(*out == 15);
    Three *three = new Three[1]{{{{1}, {2}, {4}}}}, *copy;
    CHECK(cudaMalloc(&copy, sizeof(Three)));
    CHECK(cudaMemcpy(copy, three, sizeof(Three), cudaMemcpyHostToDevice));
    addThree<<<1, 1>>>(out, copy);
    CHECK(cudaDeviceSynchronize());
    EXPECT(*out == 7);
    leaveOdd<<<1, 256>>>(out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(*out == 128);
    *out = 7;
    auto numbers = doubled({7, 8});
    doubled<<<1, 1>>>(out, 0);
    CHECK(cudaDeviceSynchronize());
    EXPECT(*out == numbers[0] && numbers[1] == 16);
    const int *constants;
    CHECK(cudaMalloc(&constants, sizeof(int)));
    CHECK(cudaFree(const_cast<int *>(constants)));
    delete[] three;
    CHECK(cudaFree(copy));
    CHECK(cudaFree(out));
    CHECK(cudaFree(f));
    return passed();
}
