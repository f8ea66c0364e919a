// The part of the driver API that needs no modules, together with a runtime API kernel.
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#include "check.cuh"

#define DRIVER(call) EXPECT((call) == CUDA_SUCCESS)

__global__ void twice(int *data)
{
    data[threadIdx.x] *= 2;
}

int main()
{
    CUdevice device;
    CUcontext context, current = nullptr;
    CUdeviceptr memory, other;
    CUstream stream;
    CUevent start, end;
    const char *text = nullptr;
    char name[100];
    int count = 0, value = 0, version = 0, host[64];
    size_t bytes = 0, available = 0;
    float milliseconds = -1;
    EXPECT(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
    DRIVER(cuInit(0));
    DRIVER(cuDriverGetVersion(&version));
    DRIVER(cuDeviceGetCount(&count));
    EXPECT(version >= 12000 && count >= 1);
    EXPECT(cuDeviceGet(&device, 1000) == CUDA_ERROR_INVALID_DEVICE);
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuDeviceGetName(name, sizeof name, device));
    EXPECT(strlen(name) > 0);
    DRIVER(cuDeviceTotalMem(&bytes, device));
    DRIVER(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    EXPECT(bytes > 0 && value == 32);
    EXPECT(cuMemAlloc(&memory, 4) == CUDA_ERROR_INVALID_CONTEXT);
    DRIVER(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
    EXPECT(strcmp(text, "invalid argument") == 0);
    DRIVER(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
    EXPECT(strcmp(text, "CUDA_ERROR_INVALID_VALUE") == 0);

#if CUDA_VERSION >= 13000
    DRIVER(cuCtxCreate(&context, nullptr, 0, device));
#else
    DRIVER(cuCtxCreate(&context, 0, device));
#endif
    DRIVER(cuCtxGetCurrent(&current));
    EXPECT(current == context);
    DRIVER(cuMemGetInfo(&available, &bytes));
    EXPECT(available > 0 && available <= bytes);
    DRIVER(cuMemAlloc(&memory, sizeof host));
    DRIVER(cuMemAlloc(&other, sizeof host));
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DRIVER(cuEventCreate(&start, CU_EVENT_DEFAULT));
    DRIVER(cuEventCreate(&end, CU_EVENT_DEFAULT));
    DRIVER(cuMemsetD32(memory, 21, 64));
    DRIVER(cuCtxSynchronize());
    DRIVER(cuEventRecord(start, stream));
    twice<<<1, 64, 0, stream>>>((int *)memory);
    DRIVER(cuEventRecord(end, stream));
    DRIVER(cuMemcpyDtoDAsync(other, memory, sizeof host, stream));
    DRIVER(cuMemcpyDtoHAsync(host, other, sizeof host, stream));
    DRIVER(cuStreamSynchronize(stream));
    DRIVER(cuEventElapsedTime(&milliseconds, start, end));
    EXPECT(host[0] == 42 && host[63] == 42 && milliseconds >= 0);
    CUdeviceptr base;
    DRIVER(cuMemGetAddressRange(&base, &bytes, other + 8));
    EXPECT(base == other && bytes == sizeof host);
    EXPECT(cuMemGetAddressRange(&base, &bytes, 8) == CUDA_ERROR_NOT_FOUND);
    DRIVER(cuMemcpyHtoD(other, host, 4));
    DRIVER(cuMemsetD8(other, 1, 4));
    DRIVER(cuMemcpyDtoH(host, other, 8));
    EXPECT(host[0] == 0x01010101 && host[1] == 42);
    DRIVER(cuEventDestroy(start));
    DRIVER(cuEventDestroy(end));
    DRIVER(cuStreamDestroy(stream));
    DRIVER(cuMemFree(memory));
    DRIVER(cuMemFree(other));
    DRIVER(cuCtxDestroy(context));
    EXPECT(cuMemAlloc(&memory, 4) == CUDA_ERROR_INVALID_CONTEXT);
    return passed();
}
