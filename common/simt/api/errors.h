/* Errors of the host API, and the lock that keeps host threads apart. */
#ifndef SIMT_ERRORS_H
#define SIMT_ERRORS_H

#include <stdio.h>

#include "cuda/cuda_runtime_api.h"
#include "cuda/simt.h"
#include "memory/memory.h"

/* First in what a host program calls: one of its threads at a time goes on. */
#define SIMT_API                                                                                   \
    __attribute__((cleanup(simt_api_leave), unused)) int simt_api =                                \
        simt_api_enter(__func__, __builtin_return_address(0))
int simt_api_enter(const char *function, const void *caller);
void simt_api_leave(int *entered);

/* The same in a call that may fail because SIMT_FAIL asks for it. */
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
/* Bytes of the words that say why a call or a launch failed. */
enum { SIMT_REASON = 320 };

/* Not a call that another call makes. */
bool simt_api_is_outermost(void);
/* How many calls there have been, those that calls make among them. */
unsigned long simt_api_calls(void);
/* In an outermost call: lets the host's other threads go on, until one of them wakes it, or the
 * time is over. */
void simt_api_wait(unsigned int milliseconds);
void simt_api_wake(void);

extern bool simt_failing; /* SIMT_FAIL is set */
/* The error that this call, or the launch in that line, is to fail with; cudaSuccess: none. */
cudaError_t simt_injected(const char *function, const char *file, int line, const void *caller);

/* The error with that name; false if there is none. */
bool simt_error_named(const char *name, cudaError_t *error);

/* Keeps an error as the last error, and returns it. */
cudaError_t simt_error(cudaError_t error);
/* An assertion that failed in a kernel leaves nothing that works: the error from then on. The call
 * that asks returns it; or it is a launch, of which only cudaGetLastError() tells. */
cudaError_t simt_lost(void);
cudaError_t simt_lost_before(void);
void simt_lose(cudaError_t error);
void simt_errors_reset(void);
/* A launch failed, of which only cudaGetLastError() tells. */
void simt_launch_failed(const struct simt_launch *launch, cudaError_t error, const char *reason);
/* Keeps, too, what failed and why. `caller`: the return address. */
__attribute__((format(printf, 4, 5))) cudaError_t simt_call_failed(const char *function,
                                                                   const void *caller,
                                                                   cudaError_t error,
                                                                   const char *reason, ...);
void simt_tell_failed_calls(FILE *file);
/* What has failed since the program asked for an error, and did not check. */
void simt_tell_unasked(void);

#endif
/* SPDX-License-Identifier: MIT */
