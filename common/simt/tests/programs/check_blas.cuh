// For programs that call cuBLAS: vectors in device memory, and checks of statuses.
#pragma once
#include <vector>

#include "check.cuh"

#define BLAS(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)

template <class T>
T *onDevice(const std::vector<T> &host)
{
    T *device;
    CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
    CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <class T>
std::vector<T> onHost(const T *device, size_t n)
{
    std::vector<T> host(n);
    CHECK(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}
