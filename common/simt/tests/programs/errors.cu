// Errors are detected and named: launches out of range, bad arguments, too much memory.
#include <cstring>
#include <stdexcept>
#include <string>

#include "check.cuh"

class CudaError : public std::runtime_error
{
  public:
    CudaError(cudaError_t error, const std::string &where)
        : std::runtime_error(where + ": " + cudaGetErrorString(error)), code(error)
    {
    }
    cudaError_t code;
};

inline void throwOnError(cudaError_t error, const char *where)
{
    if (error != cudaSuccess)
        throw CudaError(error, where);
}

__global__ void nothing(int)
{
}

__global__ void dynamic(int *out)
{
    extern __shared__ int memory[];
    *out = memory[0];
}

static cudaError_t launchError(dim3 grid, dim3 block, size_t shared = 0)
{
    nothing<<<grid, block, shared>>>(1);
    cudaError_t peeked = cudaPeekAtLastError(), error = cudaGetLastError();
    EXPECT(peeked == error && cudaGetLastError() == cudaSuccess);
    return error;
}

static bool isLaunchError(cudaError_t error)
{
    // The CUDA version decides which of the two it is.
    return error == cudaErrorInvalidValue || error == cudaErrorInvalidConfiguration;
}

int main()
{
    EXPECT(launchError(1, 1) == cudaSuccess);
    EXPECT(isLaunchError(launchError(1, 1025)));
    EXPECT(isLaunchError(launchError(1, dim3(32, 33))));
    EXPECT(isLaunchError(launchError(0, 32)));
    EXPECT(isLaunchError(launchError(dim3(1, 65536), 32)));
    EXPECT(isLaunchError(launchError(1, dim3(1, 1, 65))));
    EXPECT(isLaunchError(launchError(1, 32, 100 << 20)));

    void *pointer = NULL;
    bool thrown = false;
    try {
        throwOnError(cudaMalloc(&pointer, (size_t)1 << 60), "allocation");
    } catch (const CudaError &error) {
        thrown = error.code == cudaErrorMemoryAllocation &&
                 std::string(error.what()) == "allocation: out of memory";
    }
    EXPECT(thrown);
    EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(cudaSetDevice(1000) == cudaErrorInvalidDevice);
    EXPECT(strcmp(cudaGetErrorName(cudaErrorInvalidDevice), "cudaErrorInvalidDevice") == 0);
    EXPECT(cudaMemcpy(NULL, NULL, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cudaGetLastError();
    return passed();
}
