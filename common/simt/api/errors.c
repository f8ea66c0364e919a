/* Errors: the last one of each host thread, the error that ended a device's work for good, and
 * failures that the program did not check. Also the lock of the host threads. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/errors.h"

#include "base/own.h"
#include "base/worker.h"
#include "program/source.h"

/* ---- one host thread at a time ---- */

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static int depth;             /* how deep API calls are nested */
static unsigned long entered; /* number of calls so far */

int simt_api_enter(const char *function, const void *caller)
{
    if (simt_in_kernel()) {
        simt_only_in_order(); /* a worker has no lock, and changes only a copy */
    }
    pthread_mutex_lock(&lock);
    if (depth++ == 0) {
        simt_call_now = (struct simt_call){function, caller};
    }
    simt_own.calls++;
    entered++;
    return 0;
}

void simt_api_leave(int *unused)
{
    (void)unused;
    depth--;
    simt_own.calls--;
    pthread_mutex_unlock(&lock);
}

bool simt_api_is_outermost(void)
{
    return depth == 1;
}

unsigned long simt_api_calls(void)
{
    return entered;
}

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void simt_api_wait(unsigned int milliseconds)
{
    struct timespec until;
    const int kept = depth;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)milliseconds * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    depth = 0;
    pthread_cond_timedwait(&changed, &lock, &until);
    depth = kept;
}

void simt_api_wake(void)
{
    pthread_cond_broadcast(&changed);
}

/* ---- errors ---- */

static const struct {
    cudaError_t error;
    const char *name;
} errors[] = {
#define ROW(name, number) {name, #name},
    SIMT_ERRORS(ROW)
#undef ROW
};

/* The texts of errors that a call here may return, or that programs ask about. */
static const struct {
    cudaError_t error;
    const char *text;
} texts[] = {
    {cudaSuccess, "no error"},
    {cudaErrorInvalidValue, "invalid argument"},
    {cudaErrorMemoryAllocation, "out of memory"},
    {cudaErrorInitializationError, "initialization error"},
    {cudaErrorInvalidConfiguration, "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "invalid device symbol"},
    {cudaErrorInvalidDevicePointer, "invalid device pointer"},
    {cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"},
    {cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorInvalidDeviceFunction, "invalid device function"},
    {cudaErrorNoDevice, "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "invalid device ordinal"},
    {cudaErrorUnsupportedLimit, "limit is not supported on this architecture"},
    {cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"},
    {cudaErrorInvalidResourceHandle, "invalid resource handle"},
    {cudaErrorNotReady, "device not ready"},
    {cudaErrorIllegalAddress, "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "the launch timed out and was terminated"},
    {cudaErrorAssert, "device-side assert triggered"},
    {cudaErrorHostMemoryAlreadyRegistered,
     "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"},
    {cudaErrorLaunchFailure, "unspecified launch failure"},
    {cudaErrorInvalidClusterSize, "misconfigured cluster size"},
    {cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"},
    {cudaErrorNotSupported, "operation not supported"},
    {cudaErrorUnknown, "unknown error"},
    {cudaErrorInvalidTexture, "invalid texture reference"},
    {cudaErrorInvalidChannelDescriptor, "invalid channel descriptor"},
    {cudaErrorInvalidHostPointer, "invalid host pointer"},
    {cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"},
    {cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"},
    {cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureUnmatched, "capture was not initiated in this stream"},
    {cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"},
    {cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"},
    {cudaErrorStreamCaptureImplicit,
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {cudaErrorCapturedEvent,
     "operation not permitted on an event last recorded in a capturing stream"},
    {cudaErrorSymbolNotFound, "named symbol not found"},
    {cudaErrorMisalignedAddress, "misaligned address"},
    {cudaErrorIllegalState, "the operation cannot be performed in the present state"},
};

static cudaError_t lost; /* the error that ended a kernel; no call works after it */

/* unasked: the first failure since the program last asked for an error, either a launch or a call
 * with an unused result. returned: the last failed launch that returned its error. */
static struct failure {
    cudaError_t error;
    struct simt_call call; /* if function is NULL, a launch failed */
    const char *name, *file;
    int line;
    bool returned;
    unsigned long calls; /* number of calls then */
    char reason[SIMT_REASON];
} unasked, returned;

/* The last few calls that failed, for later messages. */
enum { CALLS_KEPT = 4 };
static struct {
    const char *function;
    const void *caller;
    cudaError_t error;
    char reason[SIMT_REASON];
} failed_calls[CALLS_KEPT];
static size_t failed_call_count;

cudaError_t simt_error(cudaError_t error)
{
    if (error != cudaSuccess) {
        simt_own.last_error = error;
    }
    return error;
}

cudaError_t simt_lost_before(void)
{
    return simt_error(lost);
}

/* Returning the error counts as asking for it, so the launch that caused it is not reported. */
cudaError_t simt_lost(void)
{
    if (lost != cudaSuccess && unasked.error == lost) {
        unasked.error = cudaSuccess;
    }
    return simt_error(lost);
}

void simt_lose(cudaError_t error)
{
    lost = error;
    simt_own.last_error = error;
}

const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i].error == error) {
            return errors[i].name;
        }
    }
    return "unrecognized error code";
}

bool simt_error_named(const char *name, cudaError_t *error)
{
    for (size_t i = 1; i < sizeof errors / sizeof *errors; i++) {
        if (strcmp(errors[i].name, name) == 0) {
            *error = errors[i].error;
            return true;
        }
    }
    return false;
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].error == error) {
            return texts[i].text;
        }
    }
    return cudaGetErrorName(error);
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = lost ? lost : simt_own.last_error;
    SIMT_API;
    simt_own.last_error = cudaSuccess;
    unasked.error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    SIMT_API;
    unasked.error = cudaSuccess;
    return lost ? lost : simt_own.last_error;
}

void simt_errors_reset(void)
{
    simt_own.last_error = lost = unasked.error = cudaSuccess;
    failed_call_count = 0;
}

/* ---- errors that the program did not check ---- */

void simt_tell_unasked(void)
{
    char at[PATH_BYTES];
    if (unasked.error == cudaSuccess) {
        return;
    }
    simt_call_describe(&unasked.call, at, sizeof at);
    fflush(stdout);
    if (!unasked.call.function) {
        fprintf(stderr, "simt: the launch of kernel %s at %s:%d failed (%s: %s)", unasked.name,
                unasked.file, unasked.line, cudaGetErrorString(unasked.error), unasked.reason);
    } else { /* " (FUNCTION() at FILE:LINE)" */
        fprintf(stderr, "simt: %.*s failed (%s%s%s)", at[0] ? (int)strlen(at) - 3 : 0, at + 2,
                cudaGetErrorString(unasked.error), unasked.reason[0] ? ": " : "", unasked.reason);
    }
    fprintf(stderr, ", and the program did not check: %s\n",
            unasked.call.function || unasked.returned ? "compare its result with cudaSuccess"
                                                      : "call cudaGetLastError() after a launch");
    unasked.error = cudaSuccess;
}

static void register_unasked(void)
{
    static bool registered;
    if (!registered) {
        registered = atexit(simt_tell_unasked) == 0;
    }
}

void simt_launch_failed(const struct simt_launch *launch, cudaError_t error, const char *reason)
{
    register_unasked();
    simt_error(error);
    if (unasked.error == cudaSuccess || launch->returns_error) {
        struct failure *const failure = launch->returns_error ? &returned : &unasked;
        *failure = (struct failure){.error = error,
                                    .name = launch->name,
                                    .file = launch->file,
                                    .line = launch->line,
                                    .returned = launch->returns_error,
                                    .calls = entered};
        snprintf(failure->reason, sizeof failure->reason, "%s", reason);
    }
}

/* Skips an error that was already reported when it happened, and results that are not failures. */
void simt_result_dropped(cudaError_t error)
{
    const size_t last = (failed_call_count + CALLS_KEPT - 1) % CALLS_KEPT;
    if (error == lost || error == cudaErrorNotReady || error == cudaErrorPeerAccessAlreadyEnabled ||
        unasked.error != cudaSuccess) {
        return;
    }
    register_unasked();
    if (returned.error == error && returned.calls == entered) {
        unasked = returned;
        return;
    }
    unasked.call = simt_call_now;
    unasked.error = error;
    snprintf(unasked.reason, sizeof unasked.reason, "%s",
             failed_call_count > 0 && failed_calls[last].caller == unasked.call.caller
                 ? failed_calls[last].reason
                 : "");
}

cudaError_t simt_call_failed(const char *function, const void *caller, cudaError_t error,
                             const char *reason, ...)
{
    size_t i = failed_call_count++ % CALLS_KEPT;
    va_list arguments;
    failed_calls[i].function = function;
    failed_calls[i].caller = caller;
    failed_calls[i].error = error;
    va_start(arguments, reason);
    vsnprintf(failed_calls[i].reason, sizeof failed_calls[i].reason, reason, arguments);
    va_end(arguments);
    return simt_error(error);
}

void simt_tell_failed_calls(FILE *file)
{
    size_t first = failed_call_count > CALLS_KEPT ? failed_call_count - CALLS_KEPT : 0;
    for (size_t i = first; i < failed_call_count; i++) {
        const void *caller = failed_calls[i % CALLS_KEPT].caller;
        const struct simt_source *source = simt_source_of(simt_place_of(caller));
        fprintf(file, "  note: %s()", failed_calls[i % CALLS_KEPT].function);
        if (source->line > 0) {
            fprintf(file, " at %s:%d", source->file, source->line);
        }
        fprintf(file, " had failed before (%s: %s)\n",
                cudaGetErrorString(failed_calls[i % CALLS_KEPT].error),
                failed_calls[i % CALLS_KEPT].reason);
    }
    failed_call_count = 0;
}
/* SPDX-License-Identifier: MIT */
