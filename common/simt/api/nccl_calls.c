/* What NCCL's operations do once all ranks have posted their calls: which memory they access, in
 * which order, and what they store. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/nccl.h"
#include "base/need.h"
#include "base/own.h"
#include "machine/ptx_numbers.h"
#include "memory/memory.h"
#include "memory/streams.h"
#include "observe/observer.h"

/* ---- sizes ---- */

size_t simt_nccl_type_size(ncclDataType_t type)
{
    static const size_t sizes[ncclNumTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
    return sizes[type];
}

static size_t bytes_of(const struct simt_nccl_call *call, bool all_ranks)
{
    return call->count * simt_nccl_type_size(call->type) *
           (all_ranks ? (size_t)call->comm->clique->size : 1);
}

size_t simt_nccl_from_bytes(const struct simt_nccl_call *call)
{
    return call->kind == NCCL_INIT || call->kind == NCCL_RECV ||
                   (call->kind == NCCL_BROADCAST && call->comm->rank != call->peer)
               ? 0
               : bytes_of(call, call->kind == NCCL_REDUCE_SCATTER);
}

size_t simt_nccl_to_bytes(const struct simt_nccl_call *call)
{
    return call->kind == NCCL_INIT || call->kind == NCCL_SEND ||
                   (call->kind == NCCL_REDUCE && call->comm->rank != call->peer)
               ? 0
               : bytes_of(call, call->kind == NCCL_ALL_GATHER);
}

/* ---- order ---- */

/* Whether a rank's part must wait for earlier work in the stream of another rank. */
static bool depends(const struct simt_nccl_call *call, const struct simt_nccl_call *other)
{
    switch (call->kind) {
    case NCCL_SEND:
        return false;
    case NCCL_BROADCAST:
        return other->comm->rank == call->peer;
    case NCCL_REDUCE:
        return call->comm->rank == call->peer;
    default:
        return true;
    }
}

/* The rank's device must be current, because a default stream means that of the device. */
static void begin(const struct simt_nccl_call *call)
{
    struct simt_operation *operation = simt_operation_begin(call->stream, call->function);
    const size_t from = simt_nccl_from_bytes(call), to = simt_nccl_to_bytes(call);
    operation->caller = call->caller;
    if (from > 0) {
        operation->from = (struct simt_piece){(uintptr_t)call->from, from, from, 1};
    }
    if (to > 0) {
        operation->to = (struct simt_piece){(uintptr_t)call->to, to, to, 1};
    }
    simt_observer.operation();
}

static void put_in_order(struct simt_nccl_call *const calls[], int count)
{
    struct simt_progress before[SIMT_MOST_DEVICES] = {{0, NULL}};
    const int device = simt_own.device;
    for (int i = 0; i < count; i++) {
        if (!calls[i]->elsewhere) {
            simt_own.device = calls[i]->comm->device;
            simt_stream_record(calls[i]->stream, &before[i]);
        }
    }
    for (int i = 0; i < count; i++) {
        if (calls[i]->elsewhere) {
            continue;
        }
        simt_own.device = calls[i]->comm->device;
        for (int other = 0; other < count; other++) {
            if (!calls[other]->elsewhere && depends(calls[i], calls[other])) {
                simt_stream_waits(calls[i]->stream, &before[other]);
            }
        }
        begin(calls[i]);
    }
    for (int i = 0; i < count; i++) {
        free(before[i].turns);
    }
    simt_own.device = device;
}

/* ---- reductions ---- */

static float float_of(unsigned int type, uint16_t bits)
{
    const struct simt_number number = simt_number_decode(type, bits);
    const double magnitude = number.is_nan ? (double)NAN
                             : number.is_infinite
                                 ? (double)INFINITY
                                 : ldexp((double)number.magnitude, number.exponent);
    return (float)(number.negative ? -magnitude : magnitude);
}

static uint16_t small_of(unsigned int type, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)simt_number_encode(type, simt_number_decode(SIMT_PTX_F32, bits), NEAREST);
}

static double combined(ncclRedOp_t op, double a, double b)
{
    return op == ncclProd ? a * b : op == ncclMax ? fmax(a, b) : op == ncclMin ? fmin(a, b) : a + b;
}

#define INTEGERS(name, type)                                                                       \
    case name:                                                                                     \
        for (size_t i = 0; i < count; i++) {                                                       \
            const type a = ((type *)sum)[i], b = ((const type *)more)[i];                          \
            ((type *)sum)[i] = op == ncclProd  ? (type)((uint64_t)a * (uint64_t)b)                 \
                               : op == ncclMax ? (a > b ? a : b)                                   \
                               : op == ncclMin ? (a < b ? a : b)                                   \
                                               : (type)((uint64_t)a + (uint64_t)b);                \
        }                                                                                          \
        break;
/* Each result is rounded to the type. Two floats added in double give the same float sum. */
#define REALS(name, type)                                                                          \
    case name:                                                                                     \
        for (size_t i = 0; i < count; i++) {                                                       \
            ((type *)sum)[i] =                                                                     \
                (type)combined(op, (double)((type *)sum)[i], (double)((const type *)more)[i]);     \
        }                                                                                          \
        break;
#define SMALL_REALS(name, ptx)                                                                     \
    case name:                                                                                     \
        for (size_t i = 0; i < count; i++) {                                                       \
            ((uint16_t *)sum)[i] = small_of(                                                       \
                ptx, (float)combined(op, (double)float_of(ptx, ((uint16_t *)sum)[i]),              \
                                     (double)float_of(ptx, ((const uint16_t *)more)[i])));         \
        }                                                                                          \
        break;

static void combine(void *sum, const void *more, size_t count, ncclDataType_t type, ncclRedOp_t op)
{
    switch (type) {
        INTEGERS(ncclInt8, int8_t)
        INTEGERS(ncclUint8, uint8_t)
        INTEGERS(ncclInt32, int32_t)
        INTEGERS(ncclUint32, uint32_t)
        INTEGERS(ncclInt64, int64_t)
        INTEGERS(ncclUint64, uint64_t)
        REALS(ncclFloat32, float)
        REALS(ncclFloat64, double)
        SMALL_REALS(ncclFloat16, SIMT_PTX_F16)
        SMALL_REALS(ncclBfloat16, SIMT_PTX_BF16)
    default:
        break;
    }
}

#define DIVIDE(name, type, value, result)                                                          \
    case name:                                                                                     \
        for (size_t i = 0; i < count; i++) {                                                       \
            const type x = ((type *)sum)[i];                                                       \
            ((type *)sum)[i] = result;                                                             \
        }                                                                                          \
        break;

static void divide(void *sum, size_t count, ncclDataType_t type, int ranks)
{
    switch (type) {
        DIVIDE(ncclInt8, int8_t, x, (int8_t)(x / ranks))
        DIVIDE(ncclUint8, uint8_t, x, (uint8_t)(x / ranks))
        DIVIDE(ncclInt32, int32_t, x, x / ranks)
        DIVIDE(ncclUint32, uint32_t, x, x / (uint32_t)ranks)
        DIVIDE(ncclInt64, int64_t, x, x / ranks)
        DIVIDE(ncclUint64, uint64_t, x, x / (uint64_t)ranks)
        DIVIDE(ncclFloat32, float, x, x / (float)ranks)
        DIVIDE(ncclFloat64, double, x, x / ranks)
        DIVIDE(ncclFloat16, uint16_t, x,
               small_of(SIMT_PTX_F16, float_of(SIMT_PTX_F16, x) / (float)ranks))
        DIVIDE(ncclBfloat16, uint16_t, x,
               small_of(SIMT_PTX_BF16, float_of(SIMT_PTX_BF16, x) / (float)ranks))
    default:
        break;
    }
}

/* ---- data ---- */

static void open_all(struct simt_nccl_call *const calls[], int count, bool open)
{
    for (int i = 0; i < count; i++) {
        if (!calls[i]->elsewhere) {
            simt_region_open(calls[i]->from, open);
            simt_region_open(calls[i]->to, open);
        }
    }
}

static bool reduces(const struct simt_nccl_call *call)
{
    return call->kind == NCCL_ALL_REDUCE || call->kind == NCCL_REDUCE ||
           call->kind == NCCL_REDUCE_SCATTER;
}

/* Collects what all ranks send, reduced or one after the other. This comes before any store,
 * because a rank may receive into the buffer that it sends from. */
static char *gather(struct simt_nccl_call *const calls[], int count)
{
    const struct simt_nccl_call *const first = calls[0];
    const size_t bytes = simt_nccl_from_bytes(calls[0]);
    size_t elements = bytes / simt_nccl_type_size(first->type), total = 0;
    char *all;
    for (int i = 0; i < count; i++) {
        total += simt_nccl_from_bytes(calls[i]);
    }
    all = simt_needed(malloc(total ? total : 1), "NCCL");
    total = 0;
    for (int i = 0; i < count; i++) {
        const size_t more = simt_nccl_from_bytes(calls[i]);
        if (reduces(first) && i > 0) {
            combine(all, calls[i]->from, elements, first->type, first->op);
        } else if (more > 0) {
            memcpy(all + total, calls[i]->from, more);
            total += more;
        }
    }
    if (reduces(first) && first->op == ncclAvg) {
        divide(all, elements, first->type, count);
    }
    return all;
}

/* Bytes that were never written stay marked as unwritten if they are only copied. */
static void give(const struct simt_nccl_call *call, const char *all,
                 struct simt_nccl_call *const calls[], int count)
{
    const size_t bytes = call->elsewhere ? 0 : simt_nccl_to_bytes(call);
    const size_t skipped = call->kind == NCCL_REDUCE_SCATTER ? (size_t)call->comm->rank * bytes : 0;
    if (bytes == 0) {
        return;
    }
    memcpy(call->to, all + skipped, bytes);
    if (reduces(call)) {
        simt_observer.written(call->to, bytes, NULL);
        return;
    }
    for (int i = 0, at = 0; i < count; i++) {
        const size_t more = simt_nccl_from_bytes(calls[i]);
        if (more > 0) {
            simt_observer.written((char *)call->to + (size_t)at++ * more, more,
                                  calls[i]->elsewhere ? NULL : calls[i]->from);
        }
    }
}

void simt_nccl_perform(struct simt_nccl_call *const calls[], int count)
{
    char *all;
    put_in_order(calls, count);
    open_all(calls, count, true);
    all = gather(calls, count);
    for (int i = 0; i < count; i++) {
        give(calls[i], all, calls, count);
    }
    open_all(calls, count, false);
    free(all);
}
/* SPDX-License-Identifier: MIT */
