/* Several devices (SIMT_DEVICES=8): which objects belong to which device, copies between devices,
 * and the results of NCCL operations in each rank. */
#include <stdint.h>
#include <string.h>

#include "cmocka_all.h"
#include "cuda_runtime.h"
#include "nccl.h"

enum { DEVICES = 8, N = 24 };

#define assert_fails(expected, call)                                                               \
    do {                                                                                           \
        assert_int_equal(call, expected);                                                          \
        assert_int_equal(cudaGetLastError(), expected);                                            \
    } while (0)
#define assert_works(call) assert_int_equal(call, 0)

static void test_current_device(void **state)
{
    struct cudaDeviceProp properties;
    struct cudaPointerAttributes attributes;
    char bus[2][16];
    int device, can;
    void *memory;
    (void)state;
    assert_works(cudaGetDeviceCount(&device));
    assert_int_equal(device, DEVICES);
    assert_fails(cudaErrorInvalidDevice, cudaSetDevice(DEVICES));
    assert_fails(cudaErrorInvalidDevice, cudaSetDevice(-1));
    assert_works(cudaSetDevice(5));
    assert_works(cudaGetDevice(&device));
    assert_int_equal(device, 5);
    assert_works(cudaGetDeviceProperties(&properties, 7));
    assert_fails(cudaErrorInvalidDevice, cudaGetDeviceProperties(&properties, 8));
    assert_works(cudaDeviceGetPCIBusId(bus[0], 16, 0));
    assert_works(cudaDeviceGetPCIBusId(bus[1], 16, 1));
    assert_string_not_equal(bus[0], bus[1]);
    assert_works(cudaMalloc(&memory, 100));
    assert_works(cudaSetDevice(0));
    assert_works(cudaPointerGetAttributes(&attributes, memory));
    assert_int_equal(attributes.device, 5);
    assert_works(cudaFree(memory));
    assert_works(cudaDeviceCanAccessPeer(&can, 0, 1));
    assert_int_equal(can, 1);
    assert_works(cudaDeviceCanAccessPeer(&can, 1, 1));
    assert_int_equal(can, 0);
    assert_fails(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, 8));
}

static void test_peer_access(void **state)
{
    (void)state;
    assert_fails(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(0, 0));
    assert_fails(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(8, 0));
    assert_fails(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(1, 1));
    assert_fails(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
    assert_works(cudaDeviceEnablePeerAccess(1, 0));
    assert_fails(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
    assert_works(cudaDeviceDisablePeerAccess(1));
    assert_works(cudaDeviceEnablePeerAccess(1, 0));
    assert_works(cudaDeviceReset());
    assert_fails(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
}

static void test_handles(void **state)
{
    cudaStream_t stream;
    cudaEvent_t start, end, other;
    float milliseconds;
    (void)state;
    assert_works(cudaStreamCreate(&stream));
    assert_works(cudaEventCreate(&start));
    assert_works(cudaEventCreate(&end));
    assert_works(cudaSetDevice(1));
    assert_works(cudaEventCreate(&other));
    assert_works(cudaEventRecord(start, stream)); /* whatever the current device is */
    assert_works(cudaEventRecord(end, stream));
    assert_works(cudaEventElapsedTime(&milliseconds, start, end));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventRecord(other, stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventRecord(start, 0));
    assert_works(cudaEventRecord(other, 0));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, other));
    assert_works(cudaStreamWaitEvent(stream, other, 0));
    assert_works(cudaDeviceReset()); /* of device 1; nothing on device 0 ends */
    assert_works(cudaSetDevice(0));
    assert_works(cudaStreamSynchronize(stream));
    assert_works(cudaEventDestroy(start));
    assert_works(cudaEventDestroy(end));
    assert_works(cudaStreamDestroy(stream));
}

static void test_copies(void **state)
{
    const int values[4] = {1, 2, 3, 4};
    int back[4] = {0};
    void *a, *b;
    cudaStream_t stream;
    (void)state;
    assert_works(cudaMalloc(&a, sizeof values));
    assert_works(cudaSetDevice(3));
    assert_works(cudaMalloc(&b, sizeof values));
    assert_works(cudaStreamCreate(&stream));
    assert_works(cudaMemcpy(a, values, sizeof values, cudaMemcpyHostToDevice));
    assert_works(cudaMemcpyPeerAsync(b, 3, a, 0, sizeof values, stream));
    assert_works(cudaStreamSynchronize(stream));
    assert_works(cudaMemcpy(back, b, sizeof values, cudaMemcpyDeviceToHost));
    assert_memory_equal(back, values, sizeof values);
    assert_works(cudaMemcpyPeer(a, 0, b, 3, 8));
    assert_fails(cudaErrorInvalidDevice, cudaMemcpyPeer(a, 8, b, 3, 8));
    assert_fails(cudaErrorInvalidValue, cudaMemcpyPeer(a, 1, b, 3, 8));
    assert_fails(cudaErrorInvalidValue, cudaMemcpyPeer(a, 0, b, 3, 17));
    assert_works(cudaStreamDestroy(stream));
    assert_works(cudaFree(b));
    assert_works(cudaSetDevice(0));
    assert_works(cudaFree(a));
}

/* ---- NCCL ---- */

static ncclComm_t comms[DEVICES];
static float *from[DEVICES], *to[DEVICES];
static int ranks;

/* Rank r sends 100 r + i as element i. What it receives is copied to `got`. */
static void begin(void)
{
    float values[DEVICES * N];
    for (int r = 0; r < ranks; r++) {
        cudaSetDevice(r);
        for (int i = 0; i < DEVICES * N; i++) {
            values[i] = (float)(100 * r + i);
        }
        assert_works(cudaMemcpy(from[r], values, sizeof values, cudaMemcpyHostToDevice));
        assert_works(cudaMemset(to[r], 0, sizeof values));
    }
}

static void end(int r, float got[DEVICES * N])
{
    cudaSetDevice(r);
    assert_works(cudaMemcpy(got, to[r], DEVICES * N * sizeof *got, cudaMemcpyDeviceToHost));
}

/* Makes the call for every rank, in one group. */
#define ON_ALL(call)                                                                               \
    assert_works(ncclGroupStart());                                                                \
    for (int r = 0; r < ranks; r++) {                                                              \
        assert_works(call);                                                                        \
    }                                                                                              \
    assert_works(ncclGroupEnd())

static void check_operations(void)
{
    const int last = ranks - 1, pairs = ranks * last / 2; /* 0 + 1 + ... + last */
    float got[DEVICES * N];
    begin();
    ON_ALL(ncclAllReduce(from[r], to[r], N, ncclFloat, ncclSum, comms[r], 0));
    for (int r = 0; r < ranks; r++) {
        end(r, got);
        for (int i = 0; i < N; i++) {
            assert_true(got[i] == (float)(100 * pairs + ranks * i));
        }
    }
    ON_ALL(ncclReduce(from[r], to[r], N, ncclFloat, ncclMax, last, comms[r], 0));
    end(last, got);
    assert_true(got[3] == (float)(100 * last + 3));
    ON_ALL(ncclBroadcast(from[r], to[r], N, ncclFloat, last, comms[r], 0));
    end(0, got);
    assert_true(got[5] == (float)(100 * last + 5));
    ON_ALL(ncclAllGather(from[r], to[r], N, ncclFloat, comms[r], 0));
    for (int r = 0; r < ranks; r++) {
        end(r, got);
        for (int i = 0; i < ranks * N; i++) {
            assert_true(got[i] == (float)(100 * (i / N) + i % N));
        }
    }
    ON_ALL(ncclReduceScatter(from[r], to[r], N, ncclFloat, ncclAvg, comms[r], 0));
    for (int r = 0; r < ranks; r++) {
        end(r, got);
        assert_true(got[2] == 100.0F * (float)pairs / (float)ranks + (float)(r * N + 2));
    }
    assert_works(ncclGroupStart());
    for (int r = 0; r < ranks; r++) {
        assert_works(ncclRecv(to[r], N, ncclFloat, (r + 1) % ranks, comms[r], 0));
        assert_works(ncclSend(from[r], N, ncclFloat, (r + last) % ranks, comms[r], 0));
    }
    assert_works(ncclGroupEnd());
    end(0, got);
    assert_true(got[7] == (float)(100 * (1 % ranks) + 7));
}

static void allocate_all(void)
{
    for (int r = 0; r < DEVICES; r++) {
        cudaSetDevice(r);
        assert_works(cudaMalloc((void **)&from[r], DEVICES * N * sizeof(float)));
        assert_works(cudaMalloc((void **)&to[r], DEVICES * N * sizeof(float)));
    }
}

static void test_operations(void **state)
{
    static const int counts[] = {1, 2, 3, 4, 8};
    (void)state;
    allocate_all();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        ranks = counts[i];
        assert_works(ncclCommInitAll(comms, ranks, NULL));
        check_operations();
        for (int r = 0; r < ranks; r++) {
            assert_works(ncclCommDestroy(comms[r]));
        }
    }
}

/* In place, for every type: the sum of 1, 2 and 3, and their product. */
static void test_types(void **state)
{
    static const uint16_t half[] = {0, 0x3C00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600};
    static const uint16_t bfloat[] = {0, 0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0, 0x40C0};
    (void)state;
    ranks = 3;
    assert_works(ncclCommInitAll(comms, ranks, NULL));
    for (int type = 0; type < ncclNumTypes; type++) {
        for (int op = ncclSum; op <= ncclProd; op++) {
            unsigned char values[7][8] = {{0}};
            unsigned char result[8] = {0};
            for (int v = 1; v <= 6; v++) {
                const int64_t integer = v;
                const float f = (float)v;
                const double d = v;
                const void *const bytes = type == ncclHalf       ? (const void *)&half[v]
                                          : type == ncclBfloat16 ? (const void *)&bfloat[v]
                                          : type == ncclFloat    ? (const void *)&f
                                          : type == ncclDouble   ? (const void *)&d
                                                                 : (const void *)&integer;
                memcpy(values[v], bytes,
                       type == ncclHalf || type == ncclBfloat16 ? 2
                       : type == ncclFloat                      ? 4
                                                                : 8);
            }
            for (int r = 0; r < ranks; r++) {
                assert_works(cudaMemcpy(to[r], values[r + 1], 8, cudaMemcpyHostToDevice));
            }
            ON_ALL(
                ncclAllReduce(to[r], to[r], 1, (ncclDataType_t)type, (ncclRedOp_t)op, comms[r], 0));
            assert_works(cudaMemcpy(result, to[1], 8, cudaMemcpyDeviceToHost));
            assert_memory_equal(result, values[6], type < ncclInt32 ? 1 : 2);
        }
    }
    for (int r = 0; r < ranks; r++) {
        assert_works(ncclCommDestroy(comms[r]));
    }
}

static void test_ranks(void **state)
{
    ncclUniqueId id;
    int value;
    (void)state;
    assert_works(ncclGetUniqueId(&id));
    assert_works(ncclGroupStart());
    for (int r = 0; r < 2; r++) {
        assert_works(cudaSetDevice(3 - r));
        assert_works(ncclCommInitRank(&comms[r], 2, id, r));
    }
    assert_works(ncclGroupEnd());
    assert_works(ncclCommCuDevice(comms[1], &value));
    assert_int_equal(value, 2);
    assert_works(ncclCommUserRank(comms[1], &value));
    assert_int_equal(value, 1);
    assert_works(ncclCommCount(comms[0], &value));
    assert_int_equal(value, 2);
    assert_works(ncclCommDestroy(comms[0]));
    assert_works(ncclCommAbort(comms[1]));
}

static void test_refused(void **state)
{
    static const int twice[] = {1, 1}, none[] = {0, 8};
    (void)state;
    assert_int_equal(ncclCommInitAll(comms, 9, NULL), ncclInvalidArgument);
    assert_int_equal(ncclCommInitAll(comms, 2, twice), ncclInvalidUsage);
    assert_int_equal(ncclCommInitAll(comms, 2, none), ncclInvalidArgument);
    assert_int_equal(ncclGroupEnd(), ncclInvalidUsage);
    assert_works(ncclCommInitAll(comms, 1, NULL));
    assert_int_equal(ncclAllReduce(from[1], to[0], N, ncclFloat, ncclSum, comms[0], 0),
                     ncclInvalidArgument); /* memory of another device */
    assert_int_equal(
        ncclAllReduce(from[0], to[0], DEVICES * N + 1, ncclFloat, ncclSum, comms[0], 0),
        ncclInvalidArgument);
    assert_int_equal(ncclBroadcast(from[0], to[0], N, ncclFloat, 1, comms[0], 0),
                     ncclInvalidArgument);
    assert_non_null(strstr(ncclGetLastError(NULL), "no such rank"));
    assert_int_equal(ncclAllReduce(from[0], to[0], N, ncclFloat, ncclSum, NULL, 0),
                     ncclInvalidArgument);
    assert_works(ncclCommDestroy(comms[0]));
    assert_int_equal(ncclCommDestroy(comms[0]), ncclInvalidArgument);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_current_device), cmocka_unit_test(test_peer_access),
        cmocka_unit_test(test_handles),        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_operations),     cmocka_unit_test(test_types),
        cmocka_unit_test(test_ranks),          cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("devices", tests, NULL, NULL);
}
