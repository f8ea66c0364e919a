/* The host API beyond the steps, from C: calls of beginners' programs, rare calls, and calls that
 * the runtime refuses by name. Expected results come from CUDA's documentation. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* A refused call prints its message on standard error once only. */
static void test_refused(void **state)
{
    char said[2000];
    FILE *file = tmpfile();
    const int kept = dup(STDERR_FILENO);
    size_t length;
    cudaIpcMemHandle_t handle;
    cudaMipmappedArray_t array;
    void *pointer;
    struct cudaChannelFormatDesc format =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    (void)state;
    assert_non_null(file);
    assert_works(cudaMalloc(&pointer, 100));
    dup2(fileno(file), STDERR_FILENO);
    cudaError_t errors[] = {
        cudaIpcGetMemHandle(&handle, pointer), cudaIpcGetMemHandle(&handle, pointer),
        cudaMallocMipmappedArray(&array, &format, make_cudaExtent(8, 8, 0), 3, 0)};
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    length = fread(said, 1, sizeof said - 1, file);
    said[length] = '\0';
    fclose(file);
    assert_int_equal(errors[0], cudaErrorNotSupported);
    assert_int_equal(errors[1], cudaErrorNotSupported);
    assert_int_equal(errors[2], cudaErrorNotSupported);
    assert_non_null(strstr(said, "cudaIpcGetMemHandle()"));
    assert_null(strstr(strstr(said, "cudaIpcGetMemHandle()") + 1, "cudaIpcGetMemHandle()"));
    assert_non_null(strstr(said, "is not available on the CPU back end: mipmapped arrays"));
    assert_int_equal(cudaGetLastError(), cudaErrorNotSupported);
    assert_works(cudaFree(pointer));
}

static void test_array_copies(void **state)
{
    const struct cudaChannelFormatDesc format =
        cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindUnsigned);
    const uint16_t given[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    uint16_t found[2][4];
    cudaArray_t a, b;
    struct cudaArrayMemoryRequirements needs;
    (void)state;
    assert_works(cudaMallocArray(&a, &format, 4, 2, 0));
    assert_works(cudaMallocArray(&b, &format, 4, 2, 0));
    assert_works(cudaMemcpyToArrayAsync(a, 0, 0, given, sizeof given, cudaMemcpyHostToDevice, 0));
    assert_works(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, sizeof given, cudaMemcpyDeviceToDevice));
    assert_works(cudaMemcpy2DArrayToArray(b, 2, 1, a, 4, 0, 4, 1, cudaMemcpyDeviceToDevice));
    assert_works(cudaMemcpyFromArrayAsync(found, b, 0, 0, sizeof found, cudaMemcpyDeviceToHost, 0));
    assert_int_equal(found[0][3], 4);
    assert_int_equal(found[1][0], 5);
    assert_int_equal(found[1][1], 3);
    assert_int_equal(found[1][2], 4);
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpyArrayToArray(b, 2, 0, a, 0, 0, sizeof given, cudaMemcpyDeviceToDevice));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpy2DArrayToArray(b, 1, 1, a, 4, 0, 4, 1, cudaMemcpyDeviceToDevice));
    assert_works(cudaArrayGetMemoryRequirements(&needs, a, 0));
    assert_int_equal(needs.size, 512);
    assert_works(cudaFreeArray(a));
    assert_works(cudaFreeArray(b));
}

static void test_boxes(void **state)
{
    int host[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, found[2][2] = {{0}};
    struct cudaMemcpy3DPeerParms peer = {.extent = make_cudaExtent(16, 3, 1)};
    struct cudaMemcpy3DBatchOp part = {.extent = make_cudaExtent(8, 2, 1)};
    void *device;
    (void)state;
    assert_works(cudaMalloc(&device, sizeof host));
    peer.srcPtr = make_cudaPitchedPtr(host, 16, 4, 3);
    peer.dstPtr = make_cudaPitchedPtr(device, 16, 4, 3);
    assert_works(cudaMemcpy3DPeer(&peer));
    part.src.type = part.dst.type = cudaMemcpyOperandTypePointer;
    part.src.op.ptr.ptr = (char *)device + 4;
    part.src.op.ptr.rowLength = 16;
    part.src.op.ptr.layerHeight = 3;
    part.dst.op.ptr.ptr = found;
    assert_works(cudaMemcpy3DBatchAsync(1, &part, 0, 0));
    assert_int_equal(found[0][0], 2);
    assert_int_equal(found[1][1], 7);
    peer.dstDevice = 99;
    assert_fails(cudaErrorInvalidDevice, cudaMemcpy3DPeer(&peer));
    assert_works(cudaFree(device));
}

static void test_ranges(void **state)
{
    void *managed, *pinned;
    int value = 5, devices[3] = {7, 7, 7};
    size_t size = 1000, first = 0;
    struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    unsigned int flags;
    (void)state;
    assert_works(cudaMallocManaged(&managed, size, cudaMemAttachGlobal));
    assert_works(cudaMallocHost(&pinned, size));
    assert_works(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeReadMostly,
                                          managed, size));
    assert_int_equal(value, 0);
    assert_works(cudaMemRangeGetAttribute(devices, sizeof devices, cudaMemRangeAttributeAccessedBy,
                                          managed, size));
    assert_int_equal(devices[2], cudaInvalidDeviceId);
    assert_fails(cudaErrorInvalidValue,
                 cudaMemRangeGetAttribute(&value, 3, cudaMemRangeAttributeReadMostly, managed, 1));
    assert_works(cudaMemPrefetchBatchAsync(&managed, &size, 1, &here, &first, 1, 0, 0));
    assert_works(cudaMemDiscardAndPrefetchBatchAsync(&managed, &size, 1, &here, &first, 1, 0, 0));
    assert_fails(cudaErrorInvalidValue, cudaMemDiscardBatchAsync(&pinned, &size, 1, 0, 0));
    assert_works(cudaHostGetFlags(&flags, pinned));
    assert_true(flags & cudaHostAllocMapped);
    assert_fails(cudaErrorInvalidValue, cudaHostGetFlags(&flags, managed));
    assert_works(cudaFree(managed));
    assert_works(cudaFreeHost(pinned));
}

static void test_questions(void **state)
{
    const enum cudaAtomicOperation operations[] = {cudaAtomicOperationCAS,
                                                   cudaAtomicOperationFloatMax};
    unsigned int capabilities[2] = {9, 9};
    struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    enum cudaMemAccessFlags access;
    cudaMemPool_t pool, other;
    cudaStream_t stream;
    size_t width;
    int device = 0;
    const struct cudaChannelFormatDesc format =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    (void)state;
    assert_works(cudaDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 0));
    assert_int_equal(capabilities[0], 0);
    assert_fails(cudaErrorInvalidDevice,
                 cudaDeviceGetP2PAtomicCapabilities(capabilities, operations, 2, 0, 0));
    assert_works(cudaMemGetDefaultMemPool(&pool, &here, cudaMemAllocationTypePinned));
    assert_works(cudaMemGetMemPool(&other, &here, cudaMemAllocationTypePinned));
    assert_ptr_equal(pool, other);
    assert_works(cudaMemPoolGetAccess(&access, pool, &here));
    assert_int_equal(access, cudaMemAccessFlagsProtReadWrite);
    assert_works(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, pool));
    assert_fails(cudaErrorNotSupported,
                 cudaMemGetMemPool(&other, &here, cudaMemAllocationTypeManaged));
    assert_works(cudaSetValidDevices(&device, 1));
    assert_works(cudaStreamCreate(&stream));
    assert_works(cudaStreamCopyAttributes(stream, 0));
    assert_works(cudaStreamDestroy(stream));
    assert_works(cudaDeviceGetTexture1DLinearMaxWidth(&width, &format, 0));
    assert_true(width >= 1 << 27);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pitched_memory),  cmocka_unit_test(test_pointer_attributes),
        cmocka_unit_test(test_hints),           cmocka_unit_test(test_registered_memory),
        cmocka_unit_test(test_device_settings), cmocka_unit_test(test_host_functions),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_array_copies),
        cmocka_unit_test(test_boxes),           cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
