// Host memory that a device can access: pinned, mapped, registered.
#include <cstring>

#include "check.cuh"

__global__ void increment(int *data, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        data[i]++;
}

int main()
{
    const int n = 300;
    int *pinned, *mapped, *alias, *device, *combined;
    CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
    CHECK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostAlloc((void **)&combined, n * sizeof(int),
                        cudaHostAllocWriteCombined | cudaHostAllocPortable));
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    for (int i = 0; i < n; i++)
        pinned[i] = mapped[i] = combined[i] = i;
    CHECK(cudaMemcpyAsync(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice));
    increment<<<3, 128>>>(device, n);
    CHECK(cudaMemcpyAsync(pinned, device, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaHostGetDevicePointer(&alias, mapped, 0));
    increment<<<3, 128>>>(alias, n);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        EXPECT(pinned[i] == i + 1 && mapped[i] == i + 1);

    int *plain = (int *)malloc(n * sizeof(int));
    memset(plain, 0, n * sizeof(int));
    CHECK(cudaHostRegister(plain, n * sizeof(int), cudaHostRegisterDefault));
    CHECK(cudaMemcpy(plain, mapped, n * sizeof(int), cudaMemcpyDefault));
    CHECK(cudaHostUnregister(plain));
    EXPECT(plain[n - 1] == n);
    EXPECT(cudaHostUnregister(plain) == cudaErrorHostMemoryNotRegistered);
    cudaGetLastError();
    free(plain);

    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, device));
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == device);
    CHECK(cudaPointerGetAttributes(&attributes, pinned));
    EXPECT(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == pinned);
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFreeHost(mapped));
    CHECK(cudaFreeHost(combined));
    CHECK(cudaFree(device));
    return passed();
}
