/* Makes calls of the host API fail if the user asks for it, to test the program's error handling:
 * SIMT_FAIL=N or N:ERROR. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/errors.h"
#include "base/setting.h"
#include "program/source.h"

bool simt_failing;

static const char *asked;
static unsigned long long wanted, calls; /* wanted: number of the call, from 1; 0: none */
static cudaError_t error_wanted;         /* cudaSuccess: choose a likely error */

/* After one of these errors a device does no more work. */
static bool is_lasting(cudaError_t error)
{
    return error == cudaErrorIllegalAddress || error == cudaErrorLaunchTimeout ||
           error == cudaErrorAssert || error == cudaErrorLaunchFailure;
}

static cudaError_t likely_error(const char *function)
{
    return strstr(function, "Malloc") || strstr(function, "Alloc") ? cudaErrorMemoryAllocation
           : strstr(function, "aunch")                             ? cudaErrorLaunchOutOfResources
                                                                   : cudaErrorUnknown;
}

cudaError_t simt_injected(const char *function, const char *file, int line, const void *caller)
{
    if (!simt_failing || ++calls != wanted) {
        return cudaSuccess;
    }
    if (!file && caller) {
        const struct simt_source *source = simt_source_of(simt_place_of(caller));
        file = source->file;
        line = source->line;
    }
    const cudaError_t error = error_wanted ? error_wanted : likely_error(function);
    fflush(stdout);
    fprintf(stderr, "simt: SIMT_FAIL=%s: %s", asked, function);
    if (line > 0) {
        fprintf(stderr, " at %s:%d", file, line);
    }
    fprintf(stderr, " fails (%s: %s)\n", cudaGetErrorName(error), cudaGetErrorString(error));
    if (is_lasting(error)) {
        simt_lose(error);
    }
    return simt_error(error);
}

/* Tells a script that tries one call after the other that it has reached the end. */
static void tell_none(void)
{
    if (wanted == 0 || wanted > calls) {
        fflush(stdout);
        fprintf(stderr, "simt: SIMT_FAIL=%s: %llu calls of the CUDA runtime, none failed\n", asked,
                calls);
    }
}

__attribute__((constructor)) static void read_request(void)
{
    char *end;
    asked = simt_asked("SIMT_FAIL");
    if (!asked) {
        return;
    }
    errno = 0;
    wanted = strtoull(asked, &end, 10);
    if (end == asked || asked[0] < '0' || asked[0] > '9' || errno != 0 ||
        (*end != '\0' && (*end != ':' || !simt_error_named(end + 1, &error_wanted)))) {
        fprintf(stderr,
                "simt: SIMT_FAIL=%s: want the number of a call, such as 3, or 3 and an error, such "
                "as 3:cudaErrorLaunchFailure\n",
                asked);
        exit(2);
    }
    simt_failing = atexit(tell_none) == 0;
}
/* SPDX-License-Identifier: MIT */
