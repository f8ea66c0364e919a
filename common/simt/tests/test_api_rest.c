/* The host API that few programs call, from C; and what is refused by its name. */
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
    } while (0)
#define assert_works(call) assert_int_equal(call, cudaSuccess)

/* What a refusal says on standard error: once. */
static void test_refused(void **state)
{
    char said[2000];
    FILE *file = tmpfile();
    const int kept = dup(STDERR_FILENO);
    size_t length;
    cudaIpcMemHandle_t handle;
    cudaLibrary_t library;
    cudaExternalMemory_t memory;
    cudaMipmappedArray_t array;
    void *pointer;
    struct cudaChannelFormatDesc format =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    (void)state;
    assert_non_null(file);
    assert_works(cudaMalloc(&pointer, 100));
    dup2(fileno(file), STDERR_FILENO);
    cudaError_t errors[] = {
        cudaIpcGetMemHandle(&handle, pointer),
        cudaIpcGetMemHandle(&handle, pointer),
        cudaLibraryLoadData(&library, ".version 8.0", NULL, NULL, 0, NULL, NULL, 0),
        cudaImportExternalMemory(&memory, NULL),
        cudaMallocMipmappedArray(&array, &format, make_cudaExtent(8, 8, 0), 3, 0),
        cudaGraphicsMapResources(0, NULL, NULL)};
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    length = fread(said, 1, sizeof said - 1, file);
    said[length] = '\0';
    fclose(file);
    assert_int_equal(errors[0], cudaErrorNotSupported);
    assert_int_equal(errors[1], cudaErrorNotSupported);
    assert_int_equal(errors[2], cudaErrorNoKernelImageForDevice);
    assert_int_equal(errors[3], cudaErrorNotSupported);
    assert_int_equal(errors[4], cudaErrorNotSupported);
    assert_int_equal(errors[5], cudaErrorInvalidResourceHandle);
    assert_non_null(strstr(said, "cudaIpcGetMemHandle()"));
    assert_null(strstr(strstr(said, "cudaIpcGetMemHandle()") + 1, "cudaIpcGetMemHandle()"));
    assert_non_null(strstr(said, "is not available on the CPU back end: PTX"));
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidResourceHandle);
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
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_array_copies),
        cmocka_unit_test(test_boxes),     cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
