/* The host API of streams and events. All handles are in lists, so a wrong handle is detected. */
#include <stdlib.h>

#include "api/graphs.h"
#include "base/own.h"
#include "memory/streams.h"

struct CUstream_st {
    struct CUstream_st *next;
    int device;
    bool blocking;
};

struct CUevent_st {
    struct CUevent_st *next;
    int device;
    bool timed, recorded;
    long long nanoseconds;
    struct simt_progress progress;
};

static struct CUstream_st *streams;
static struct CUevent_st *events;

bool simt_stream_exists(const void *stream)
{
    const struct CUstream_st *known = streams;
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread) {
        return true;
    }
    while (known && known != stream) {
        known = known->next;
    }
    return known != NULL;
}

int simt_stream_device(const void *stream)
{
    for (const struct CUstream_st *known = streams; known; known = known->next) {
        if (known == stream) {
            return known->device;
        }
    }
    return simt_own.device;
}

bool simt_stream_is_blocking(const void *stream)
{
    for (const struct CUstream_st *known = streams; known; known = known->next) {
        if (known == stream) {
            return known->blocking;
        }
    }
    return stream == cudaStreamPerThread;
}

static bool event_exists(cudaEvent_t event)
{
    const struct CUevent_st *known = events;
    while (known && known != event) {
        known = known->next;
    }
    return event && known;
}

static cudaError_t check_handle(bool exists)
{
    return exists ? simt_lost() : simt_error(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    SIMT_CALL;
    if (!stream || flags > cudaStreamNonBlocking) {
        return simt_error(cudaErrorInvalidValue);
    }
    *stream = calloc(1, sizeof **stream);
    if (!*stream) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    (*stream)->device = simt_own.device;
    (*stream)->blocking = flags != cudaStreamNonBlocking;
    (*stream)->next = streams;
    streams = *stream;
    simt_stream_begins(*stream, flags != cudaStreamNonBlocking);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    SIMT_CALL;
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    SIMT_CALL;
    struct CUstream_st **link = &streams;
    while (*link && *link != stream) {
        link = &(*link)->next;
    }
    if (!*link) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    *link = stream->next;
    simt_stream_ends(stream);
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    SIMT_CALL;
    cudaError_t error = check_handle(simt_stream_exists(stream));
    if (error == cudaSuccess) {
        error =
            simt_capture_forbids_wait(stream, "cudaStreamSynchronize", __builtin_return_address(0));
    }
    if (error == cudaSuccess) {
        simt_host_waits(stream);
    }
    return error;
}

/* All work is done by now, so a query has the effect of a synchronization. */
cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    SIMT_CALL;
    cudaError_t error;
    if (flags > 1) {
        return simt_error(cudaErrorInvalidValue);
    }
    error = check_handle(simt_stream_exists(stream) && event_exists(event));
    if (error == cudaSuccess && (simt_captures(stream) || simt_event_is_captured(event))) {
        return simt_capture_wait(stream, event, event->recorded);
    }
    if (error == cudaSuccess) {
        simt_stream_waits(stream, &event->progress);
    }
    return error;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    SIMT_CALL;
    if (!event || flags > 7) {
        return simt_error(cudaErrorInvalidValue);
    }
    *event = calloc(1, sizeof **event);
    if (!*event) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    (*event)->device = simt_own.device;
    (*event)->timed = !(flags & cudaEventDisableTiming);
    (*event)->next = events;
    events = *event;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    SIMT_CALL;
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    SIMT_CALL;
    if (!event_exists(event) || !simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    if (event->device != simt_stream_device(stream)) {
        return simt_call_failed("cudaEventRecord", __builtin_return_address(0),
                                cudaErrorInvalidResourceHandle,
                                "the event is of device %d, the stream of device %d", event->device,
                                simt_stream_device(stream));
    }
    if (simt_captures(stream)) {
        return simt_capture_record(stream, event);
    }
    simt_event_forget(event);
    event->recorded = true;
    simt_stream_record(stream, &event->progress);
    event->nanoseconds = simt_clock();
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    SIMT_CALL;
    cudaError_t error = check_handle(event_exists(event));
    if (error == cudaSuccess && simt_event_is_captured(event)) {
        return simt_call_failed("cudaEventSynchronize", __builtin_return_address(0),
                                cudaErrorCapturedEvent, "it was recorded in a captured stream");
    }
    if (error == cudaSuccess) {
        simt_host_waits_for_event(&event->progress);
    }
    return error;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    SIMT_CALL;
    if (!milliseconds) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!event_exists(start) || !event_exists(end) || !start->timed || !end->timed ||
        !start->recorded || !end->recorded || start->device != end->device) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    simt_host_waits_for_event(&end->progress); /* success means that `end` is complete */
    *milliseconds = (float)((double)(end->nanoseconds - start->nanoseconds) * 1e-6);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    SIMT_CALL;
    struct CUevent_st **link = &events;
    while (*link && *link != event) {
        link = &(*link)->next;
    }
    if (!*link) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    *link = event->next;
    simt_event_forget(event);
    free(event->progress.turns);
    free(event);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    SIMT_CALL;
    if (least) {
        *least = 0;
    }
    if (greatest) {
        *greatest = 0;
    }
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    SIMT_CALL;
    (void)priority; /* there is only one priority; CUDA also clamps */
    return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    SIMT_CALL;
    if (!function) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    if (simt_captures(stream)) {
        const struct simt_work work = {.type = cudaGraphNodeTypeHost, .host = {function, data}};
        return simt_capture(stream, &work);
    }
    simt_host_waits(stream); /* the function may tell other host threads that the stream is done */
    function(data);
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned int flags)
{
    SIMT_CALL;
    if (!callback || flags != 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    if (simt_captures(stream)) {
        return simt_capture_forbids_wait(stream, "cudaStreamAddCallback",
                                         __builtin_return_address(0));
    }
    simt_host_waits(stream);
    callback(stream, cudaSuccess, data);
    return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    SIMT_CALL;
    return flags <= 1 ? cudaEventRecord(event, stream) : simt_error(cudaErrorInvalidValue);
}

void simt_handles_reset(int device)
{
    for (struct CUstream_st *stream = streams, *next; stream; stream = next) {
        next = stream->next;
        if (stream->device == device) {
            cudaStreamDestroy(stream);
        }
    }
    for (struct CUevent_st *event = events, *next; event; event = next) {
        next = event->next;
        if (event->device == device) {
            cudaEventDestroy(event);
        }
    }
}
/* SPDX-License-Identifier: MIT */
