/* The host API, called from C. An H200 with CUDA 13.0 passes all of these assertions except for the
 * numbers that describe the device. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "cuda_runtime_api.h"

/* The call fails with this error. The error is then the last error, exactly once. */
#define assert_fails(expected, call)                                                               \
    do {                                                                                           \
        assert_int_equal(call, expected);                                                          \
        assert_int_equal(cudaPeekAtLastError(), expected);                                         \
        assert_int_equal(cudaGetLastError(), expected);                                            \
        assert_int_equal(cudaGetLastError(), cudaSuccess);                                         \
    } while (0)
#define assert_works(call) assert_int_equal(call, cudaSuccess)

static void test_last_error_stays_until_it_is_taken(void **state)
{
    int count;
    (void)state;
    assert_int_equal(cudaSetDevice(7), cudaErrorInvalidDevice);
    assert_works(cudaGetDeviceCount(&count));
    assert_int_equal(count, 1);
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void test_error_names(void **state)
{
    (void)state;
    assert_string_equal(cudaGetErrorName(cudaErrorInvalidConfiguration),
                        "cudaErrorInvalidConfiguration");
    assert_string_equal(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
    assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
    assert_string_equal(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
}

static void test_device(void **state)
{
    struct cudaDeviceProp properties;
    int value;
    size_t available, total;
    (void)state;
    assert_works(cudaGetDeviceProperties(&properties, 0));
    assert_string_equal(properties.name, "CPU back end (simt)");
    assert_int_equal(properties.major, 9);
    assert_int_equal(properties.multiProcessorCount, 132);
    assert_int_equal(properties.sharedMemPerBlockOptin, 227 << 10);
    assert_works(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    assert_int_equal(value, 227 << 10);
    assert_works(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    assert_int_equal(value, 2048);
    assert_works(cudaMemGetInfo(&available, &total));
    assert_int_equal(total, properties.totalGlobalMem);
    assert_true(available <= total);
    assert_fails(cudaErrorInvalidDevice, cudaGetDeviceProperties(&properties, 1));
    assert_fails(cudaErrorInvalidValue,
                 cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)9999, 0));
    assert_fails(cudaErrorInvalidDevice, cudaSetDevice(-1));
    assert_works(cudaRuntimeGetVersion(&value));
    assert_int_equal(value, 13000);
    assert_works(cudaDriverGetVersion(&value));
}

static void test_malloc_and_free(void **state)
{
    void *pointer = &state;
    char here[64];
    size_t before, after, total;
    (void)state;
    assert_fails(cudaErrorInvalidValue, cudaMalloc(NULL, 4));
    assert_works(cudaMalloc(&pointer, 0));
    assert_null(pointer);
    assert_works(cudaMemGetInfo(&before, &total));
    assert_fails(cudaErrorMemoryAllocation, cudaMalloc(&pointer, total + 1));
    assert_fails(cudaErrorMemoryAllocation, cudaMalloc(&pointer, SIZE_MAX));
    assert_works(cudaFree(NULL));
    assert_fails(cudaErrorInvalidValue, cudaFree(here));
    assert_works(cudaMalloc(&pointer, 1000));
    assert_int_equal((uintptr_t)pointer % 256, 0);
    assert_fails(cudaErrorInvalidValue, cudaFree((char *)pointer + 4));
    assert_fails(cudaErrorInvalidValue, cudaFreeHost(pointer));
    assert_works(cudaFree(pointer));
    assert_fails(cudaErrorInvalidValue, cudaFree(pointer));
    assert_fails(cudaErrorInvalidValue, cudaMemset(pointer, 0, 4));
    assert_works(cudaMemGetInfo(&after, &total));
    assert_int_equal(before, after);
}

static void test_many_allocations(void **state)
{
    void *pointers[200];
    (void)state;
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < 200; i++) {
            assert_works(cudaMalloc(&pointers[i], 100 * i + 1));
            assert_works(cudaMemset(pointers[i], (int)i, 100 * i + 1));
        }
        for (size_t i = 0; i < 200; i++) {
            unsigned char last;
            assert_works(
                cudaMemcpy(&last, (char *)pointers[i] + 100 * i, 1, cudaMemcpyDeviceToHost));
            assert_int_equal(last, i);
            assert_works(cudaFree(pointers[i]));
        }
    }
}

static void test_host_memory(void **state)
{
    void *pointer;
    (void)state;
    assert_works(cudaMallocHost(&pointer, 100));
    memset(pointer, 1, 100);
    assert_works(cudaMemset(pointer, 2, 100)); /* a device can access it */
    assert_int_equal(((char *)pointer)[99], 2);
    assert_fails(cudaErrorInvalidValue, cudaFree(pointer));
    assert_works(cudaFreeHost(pointer));
    assert_works(cudaFreeHost(NULL));
    assert_fails(cudaErrorInvalidValue, cudaFreeHost(&pointer));
    assert_works(cudaHostAlloc(&pointer, 100, cudaHostAllocMapped));
    assert_works(cudaFreeHost(pointer));
    assert_fails(cudaErrorInvalidValue, cudaHostAlloc(&pointer, 100, 99));
    assert_works(cudaMallocManaged(&pointer, 100, cudaMemAttachGlobal));
    memset(pointer, 1, 100);
    assert_works(cudaFree(pointer));
}

/* New memory of any size holds NaNs, whatever it held before. Large allocations share pages. */
static void test_memory_starts_as_nan(void **state)
{
    static const size_t counts[] = {3, 75000, 70001, 300000, 80000, 9000000, 300000};
    enum { ROUNDS = sizeof counts / sizeof counts[0] };
    void *pointers[ROUNDS];
    float *values = malloc(9000000 * sizeof *values);
    (void)state;
    assert_non_null(values);
    for (size_t round = 0; round < ROUNDS; round++) {
        size_t size = counts[round] * sizeof *values;
        assert_works(cudaMalloc(&pointers[round], size));
        assert_works(cudaMemcpy(values, pointers[round], size, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < counts[round]; i++) {
            assert_true(values[i] != values[i]);
        }
        assert_works(cudaMemset(pointers[round], 0, size));
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        assert_works(cudaFree(pointers[round]));
    }
    free(values);
}

static void test_copies(void **state)
{
    int host[256], back[256];
    void *device, *other;
    (void)state;
    for (int i = 0; i < 256; i++) {
        host[i] = i;
    }
    assert_works(cudaMalloc(&device, sizeof host));
    assert_works(cudaMalloc(&other, sizeof host));
    assert_works(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    assert_works(cudaMemcpyAsync(other, device, sizeof host, cudaMemcpyDeviceToDevice, NULL));
    assert_works(cudaMemcpy(back, other, sizeof host, cudaMemcpyDefault));
    assert_memory_equal(host, back, sizeof host);
    assert_works(
        cudaMemcpy(device, other, 8, cudaMemcpyHostToDevice)); /* a GPU also accepts this copy */

    assert_fails(cudaErrorInvalidValue, cudaMemcpy(device, host, 2048, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpy((char *)device + 1020, host, 8, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy(back, host, 8, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy(device, host, 8, cudaMemcpyDeviceToHost));
    assert_fails(cudaErrorInvalidMemcpyDirection,
                 cudaMemcpy(device, host, 8, (enum cudaMemcpyKind)9));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy(NULL, host, 8, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy(device, NULL, 8, cudaMemcpyHostToDevice));
    assert_works(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidValue, cudaMemset(host, 0, 4));
    assert_fails(cudaErrorInvalidValue, cudaMemset(device, 0, 1025));
    assert_works(cudaMemset(NULL, 0, 0));

    /* The middle 2 x 3 of a 4 x 4 matrix. */
    memset(back, 0, sizeof back);
    assert_works(cudaMemcpy2D(back, 3 * sizeof(int), (int *)device + 5, 4 * sizeof(int),
                              3 * sizeof(int), 2, cudaMemcpyDeviceToHost));
    assert_int_equal(back[0], 5);
    assert_int_equal(back[3], 9);
    assert_int_equal(back[5], 11);
    assert_fails(cudaErrorInvalidPitchValue,
                 cudaMemcpy2D(device, 16, host, 8, 12, 2, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidPitchValue,
                 cudaMemcpy2D(device, 8, host, 16, 12, 2, cudaMemcpyHostToDevice));
    assert_works(cudaFree(device));
    assert_works(cudaFree(other));
}

static void test_streams(void **state)
{
    cudaStream_t stream;
    cudaEvent_t event;
    void *pointer;
    (void)state;
    assert_works(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_works(cudaEventCreate(&event));
    assert_works(cudaMallocAsync(&pointer, 64, stream));
    assert_works(cudaMemsetAsync(pointer, 0, 64, stream));
    assert_works(cudaEventRecord(event, stream));
    assert_works(cudaStreamWaitEvent(stream, event, 0));
    assert_works(cudaFreeAsync(pointer, stream));
    assert_works(cudaStreamQuery(stream));
    assert_works(cudaStreamSynchronize(stream));
    assert_works(cudaStreamSynchronize(NULL));
    assert_works(cudaStreamSynchronize(cudaStreamPerThread));
    assert_works(cudaStreamDestroy(stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamDestroy(NULL));
    assert_fails(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 7));
    assert_works(cudaEventDestroy(event));
}

static void test_events(void **state)
{
    cudaEvent_t start, end, untimed;
    float milliseconds = -1;
    (void)state;
    assert_works(cudaEventCreate(&start));
    assert_works(cudaEventCreate(&end));
    assert_works(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, end));
    assert_works(cudaEventRecord(start, NULL));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, end));
    assert_works(cudaEventQuery(end));
    assert_works(cudaEventRecord(end, NULL));
    assert_works(cudaEventSynchronize(end));
    assert_works(cudaEventElapsedTime(&milliseconds, start, end));
    assert_true(milliseconds >= 0);
    assert_works(cudaEventRecord(untimed, NULL));
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaEventElapsedTime(&milliseconds, start, untimed));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventRecord(NULL, NULL));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventDestroy(NULL));
    assert_fails(cudaErrorInvalidValue, cudaEventCreateWithFlags(&untimed, 99));
    assert_works(cudaEventDestroy(start));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventQuery(start));
    assert_works(cudaEventDestroy(end));
}

static void test_reset(void **state)
{
    void *pointer;
    (void)state;
    assert_works(cudaMalloc(&pointer, 64));
    assert_works(cudaDeviceReset());
    assert_fails(cudaErrorInvalidValue, cudaFree(pointer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_last_error_stays_until_it_is_taken),
        cmocka_unit_test(test_error_names),
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_malloc_and_free),
        cmocka_unit_test(test_many_allocations),
        cmocka_unit_test(test_host_memory),
        cmocka_unit_test(test_memory_starts_as_nan),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
