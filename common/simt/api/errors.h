/* Errors of the host API, and the lock of the host threads. */
#ifndef SIMT_ERRORS_H
#define SIMT_ERRORS_H

#include <stdio.h>

#include "cuda/cuda_runtime_api.h"
#include "cuda/simt.h"
#include "memory/memory.h"

/* First in each function that a host program calls: only one host thread at a time runs it. */
#define SIMT_API                                                                                   \
    __attribute__((cleanup(simt_api_leave), unused)) int simt_api =                                \
        simt_api_enter(__func__, __builtin_return_address(0))
int simt_api_enter(const char *function, const void *caller);
void simt_api_leave(int *entered);

/* The same for a call that SIMT_FAIL can make fail. */
#define SIMT_CALL                                                                                  \
    SIMT_API;                                                                                      \
    if (simt_api_is_outermost()) {                                                                 \
        simt_memory_settle();                                                                      \
    }                                                                                              \
    if (__builtin_expect(simt_failing, 0) && simt_api_is_outermost()) {                            \
        const cudaError_t simt_failed =                                                            \
            simt_injected(__func__, NULL, 0, __builtin_return_address(0));                         \
        if (simt_failed != cudaSuccess) {                                                          \
            return simt_failed;                                                                    \
        }                                                                                          \
    }                                                                                              \
    (void)0
/* Size of the text that says why a call or a launch failed. */
enum { SIMT_REASON = 320 };

/* False in a call that another API call makes. */
bool simt_api_is_outermost(void);
/* The number of calls so far, including nested ones. */
unsigned long simt_api_calls(void);
/* Only in an outermost call: lets the host's other threads run until one of them calls
 * simt_api_wake(), or until the time is over. */
void simt_api_wait(unsigned int milliseconds);
void simt_api_wake(void);

extern bool simt_failing; /* SIMT_FAIL is set */
/* The error that the user injects into this call, or the launch in that line; or cudaSuccess. */
cudaError_t simt_injected(const char *function, const char *file, int line, const void *caller);

/* The error with that name. False if there is none. */
bool simt_error_named(const char *name, cudaError_t *error);

/* Stores an error as the last error, and returns it. */
cudaError_t simt_error(cudaError_t error);
/* After a failed assertion in a kernel, no device work is possible, and later calls return its
 * error. simt_lost_before(): for a launch, whose error only cudaGetLastError() returns. */
cudaError_t simt_lost(void);
cudaError_t simt_lost_before(void);
void simt_lose(cudaError_t error);
void simt_errors_reset(void);
/* Notes a launch that failed. Only cudaGetLastError() returns its error. */
void simt_launch_failed(const struct simt_launch *launch, cudaError_t error, const char *reason);
/* Like simt_error(); also stores what failed and why. `caller`: the return address. */
__attribute__((format(printf, 4, 5))) cudaError_t simt_call_failed(const char *function,
                                                                   const void *caller,
                                                                   cudaError_t error,
                                                                   const char *reason, ...);
void simt_tell_failed_calls(FILE *file);
/* Reports a failure that the program did not check, if there is one. */
void simt_tell_unasked(void);

#endif
/* SPDX-License-Identifier: MIT */
