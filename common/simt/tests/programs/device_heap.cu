// Memory that kernels allocate: malloc, new, cudaMalloc, and a list that grows in a kernel.
#include "check.cuh"

struct Node {
    int value;
    Node *next;
};

__device__ Node *head = NULL;

__global__ void push()
{
    Node *node = (Node *)malloc(sizeof(Node));
    node->value = blockIdx.x * blockDim.x + threadIdx.x;
    Node *old = head;
    do {
        node->next = old;
        unsigned long long found = atomicCAS(
            (unsigned long long *)&head, (unsigned long long)node->next, (unsigned long long)node);
        old = (Node *)found;
    } while (old != node->next);
}

__global__ void sumAndFree(int *sum)
{
    while (head) {
        Node *next = head->next;
        *sum += head->value;
        free(head);
        head = next;
    }
}

__global__ void perBlockArray(int *out)
{
    __shared__ int *data;
    if (threadIdx.x == 0)
        data = new int[blockDim.x];
    __syncthreads();
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (unsigned int i = 0; i < blockDim.x; i++)
            sum += data[i];
        out[blockIdx.x] = sum;
        delete[] data;
    }
}

__device__ int *kept;

__global__ void keep()
{
    if (cudaMalloc(&kept, sizeof(int)) == cudaSuccess)
        *kept = 7;
}

__global__ void giveBack(int *out)
{
    *out = *kept;
    cudaFree(kept);
}

// The host can neither copy nor free memory that a kernel allocated with cudaMalloc().
static void expectKept(int *out)
{
    int *pointer, value = 0;
    keep<<<1, 1>>>();
    CHECK(cudaMemcpyFromSymbol(&pointer, kept, sizeof(pointer)));
    EXPECT(pointer && cudaMemcpy(&value, pointer, 4, cudaMemcpyDeviceToHost) != cudaSuccess);
    EXPECT(cudaFree(pointer) == cudaErrorInvalidValue);
    cudaGetLastError();
    giveBack<<<1, 1>>>(out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(*out == 7);
}

// The program's own malloc and free next to those of C, in a namespace that is opened twice.
namespace own
{
template <typename T>
__host__ __device__ T *malloc(size_t count)
{
    return (T *)::malloc(count * sizeof(T));
}
template <typename T>
__host__ __device__ void free(T *pointer)
{
    ::free(pointer);
}
} // namespace own

namespace own
{
struct Pair {
    int *values;
    __host__ __device__ Pair() : values(malloc<int>(2))
    {
        values[0] = 3;
        values[1] = 4;
    }
    __host__ __device__ int sum()
    {
        int result = values[0] + values[1];
        own::free(values);
        return result;
    }
};
} // namespace own

__global__ void useOwn(int *out)
{
    int *plain = (int *)malloc(sizeof(int));
    *plain = own::Pair().sum();
    *out = *plain;
    free(plain);
}

static void expectOwn(int *out)
{
    useOwn<<<1, 1>>>(out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(*out == 7 && own::Pair().sum() == 7);
}

int main()
{
    int *out;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    CHECK(cudaMallocManaged(&out, 4 * sizeof(int)));
    out[0] = 0;
    push<<<4, 64>>>();
    sumAndFree<<<1, 1>>>(out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 255 * 256 / 2);
    perBlockArray<<<4, 50>>>(out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[3] == 49 * 50 / 2);
    expectKept(out);
    expectOwn(out);
    cudaFree(out);
    return passed();
}
