// Memory that kernels allocate themselves: malloc, new, and a linked list that grows on the device.
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
    if (threadIdx.x == 0) {
        data = new int[blockDim.x];
    }
    __syncthreads();
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (unsigned int i = 0; i < blockDim.x; i++) {
            sum += data[i];
        }
        out[blockIdx.x] = sum;
        delete[] data;
    }
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
    cudaFree(out);
    return passed();
}
