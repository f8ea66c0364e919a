/* The host API that learners' programs use beyond the steps, from C. Expectations are CUDA's
 * documentation. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "cuda_runtime.h"

#define assert_fails(expected, call)                                                               \
    do {                                                                                           \
        assert_int_equal(call, expected);                                                          \
        assert_int_equal(cudaGetLastError(), expected);                                            \
        assert_int_equal(cudaGetLastError(), cudaSuccess);                                         \
    } while (0)
#define assert_works(call) assert_int_equal(call, cudaSuccess)

static void test_pitched_memory(void **state)
{
    unsigned char rows[3][5];
    void *pointer;
    size_t pitch;
    (void)state;
    assert_works(cudaMallocPitch(&pointer, &pitch, 5, 3));
    assert_int_equal(pitch, 512);
    assert_works(cudaMemset(pointer, 1, 2 * pitch + 5));
    assert_works(cudaMemset2D(pointer, pitch, 2, 3, 2));
    assert_works(cudaMemset2DAsync((char *)pointer + 4, pitch, 3, 1, 3, 0));
    assert_works(cudaMemcpy2D(rows, 5, pointer, pitch, 5, 3, cudaMemcpyDeviceToHost));
    assert_memory_equal(rows, "\2\2\2\1\3\2\2\2\1\3\1\1\1\1\3", 15);
    assert_fails(cudaErrorInvalidValue, cudaMemset2D(pointer, pitch, 0, pitch + 1, 1));
    assert_fails(cudaErrorInvalidValue, cudaMemset2D(rows, 5, 0, 5, 1));
    assert_works(cudaFree(pointer));
    assert_works(cudaMallocPitch(&pointer, &pitch, 513, 2));
    assert_int_equal(pitch, 1024);
    assert_works(cudaFree(pointer));
    assert_works(cudaMallocPitch(&pointer, &pitch, 0, 2));
    assert_null(pointer);
    assert_fails(cudaErrorMemoryAllocation, cudaMallocPitch(&pointer, &pitch, SIZE_MAX, 2));
    assert_fails(cudaErrorMemoryAllocation, cudaMallocPitch(&pointer, &pitch, 512, SIZE_MAX / 2));
    assert_fails(cudaErrorInvalidValue, cudaMallocPitch(NULL, &pitch, 5, 3));
}

static void test_pointer_attributes(void **state)
{
    struct cudaPointerAttributes attributes;
    void *device, *managed, *host;
    int own;
    (void)state;
    assert_works(cudaMalloc(&device, 100));
    assert_works(cudaMallocManaged(&managed, 100, cudaMemAttachGlobal));
    assert_works(cudaMallocHost(&host, 100));
    assert_works(cudaPointerGetAttributes(&attributes, (char *)device + 99));
    assert_int_equal(attributes.type, cudaMemoryTypeDevice);
    assert_null(attributes.hostPointer);
    assert_works(cudaPointerGetAttributes(&attributes, managed));
    assert_int_equal(attributes.type, cudaMemoryTypeManaged);
    assert_ptr_equal(attributes.hostPointer, managed);
    assert_works(cudaPointerGetAttributes(&attributes, host));
    assert_int_equal(attributes.type, cudaMemoryTypeHost);
    assert_works(cudaPointerGetAttributes(&attributes, &own));
    assert_int_equal(attributes.type, cudaMemoryTypeUnregistered);
    assert_null(attributes.devicePointer);
    assert_fails(cudaErrorInvalidValue, cudaPointerGetAttributes(NULL, &own));
    assert_works(cudaFree(device));
    assert_works(cudaFree(managed));
    assert_works(cudaFreeHost(host));
}

static void test_hints(void **state)
{
    struct cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0}, cpu = {cudaMemLocationTypeHost, 0};
    struct cudaMemLocation second_gpu = {cudaMemLocationTypeDevice, 1};
    void *managed, *device;
    (void)state;
    assert_works(cudaMallocManaged(&managed, 100, cudaMemAttachGlobal));
    assert_works(cudaMalloc(&device, 100));
    assert_works(cudaMemAdvise(managed, 100, cudaMemAdviseSetReadMostly, gpu));
    assert_works(cudaMemPrefetchAsync(managed, 100, gpu, 0, 0));
    assert_works(cudaMemPrefetchAsync(managed, 100, cpu, 0, 0));
    assert_fails(cudaErrorInvalidDevice, cudaMemPrefetchAsync(managed, 100, second_gpu, 0, 0));
    assert_fails(cudaErrorInvalidValue, cudaMemPrefetchAsync(device, 100, gpu, 0, 0));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemAdvise(managed, 100, (enum cudaMemoryAdvise)99, gpu));
    assert_works(cudaFree(managed));
    assert_works(cudaFree(device));
}

static void test_registered_memory(void **state)
{
    char own[64];
    void *seen, *device;
    (void)state;
    assert_works(cudaHostRegister(own, sizeof own, cudaHostRegisterMapped));
    assert_fails(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(own, sizeof own, 0));
    assert_works(cudaHostGetDevicePointer(&seen, own, 0));
    assert_ptr_equal(seen, own);
    assert_works(cudaHostUnregister(own));
    assert_fails(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own));
    assert_fails(cudaErrorInvalidValue, cudaHostRegister(NULL, 4, 0));
    assert_works(cudaMalloc(&device, 4));
    assert_fails(cudaErrorInvalidValue, cudaHostGetDevicePointer(&seen, device, 0));
    assert_works(cudaFree(device));
}

static void test_device_settings(void **state)
{
    char bus[32];
    size_t value = 0;
    int can = 1;
    (void)state;
    assert_works(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 12345678));
    assert_works(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    assert_int_equal(value, 12345678);
    assert_fails(cudaErrorUnsupportedLimit, cudaDeviceSetLimit((enum cudaLimit)77, 1));
    assert_works(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    assert_works(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    assert_fails(cudaErrorInvalidValue, cudaDeviceSetCacheConfig((enum cudaFuncCache)9));
    assert_works(cudaDeviceCanAccessPeer(&can, 0, 0));
    assert_int_equal(can, 0);
    assert_fails(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, 1));
    assert_fails(cudaErrorInvalidDevice,
                 cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 0));
    assert_works(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    assert_works(cudaProfilerStart());
    assert_works(cudaProfilerStop());
}

static void add_one(void *data)
{
    ++*(int *)data;
}

static void add_ten(cudaStream_t stream, cudaError_t status, void *data)
{
    *(int *)data += stream && status == cudaSuccess ? 10 : 0;
}

static void test_host_functions(void **state)
{
    cudaStream_t stream, gone;
    cudaEvent_t event;
    int calls = 0, least = 1, greatest = 1;
    (void)state;
    assert_works(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    assert_true(greatest <= least);
    assert_works(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
    assert_works(cudaLaunchHostFunc(stream, add_one, &calls));
    assert_works(cudaStreamAddCallback(stream, add_ten, &calls, 0));
    assert_int_equal(calls, 11);
    assert_works(cudaEventCreate(&event));
    assert_works(cudaEventRecordWithFlags(event, stream, 0));
    assert_works(cudaEventDestroy(event));
    gone = stream;
    assert_works(cudaStreamDestroy(stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaLaunchHostFunc(gone, add_one, &calls));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamAddCallback(gone, add_ten, &calls, 0));
    assert_fails(cudaErrorInvalidValue, cudaLaunchHostFunc(0, NULL, &calls));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pitched_memory),  cmocka_unit_test(test_pointer_attributes),
        cmocka_unit_test(test_hints),           cmocka_unit_test(test_registered_memory),
        cmocka_unit_test(test_device_settings), cmocka_unit_test(test_host_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
