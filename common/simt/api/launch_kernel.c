/* A launch as the host asks for it. */
#include <stdio.h>

#include "api/api.h"
#include "base/exit.h"
#include "machine/launch.h"
#include "program/symbols.h"

/* More than there is, ptxas does not compile. */
static void refuse_static_shared(const struct simt_launch *asked)
{
    size_t bytes = simt_static_shared_of(asked->function);
    if (bytes > SIMT_STATIC_SHARED_BYTES) {
        fflush(stdout);
        fprintf(stderr,
                "simt: kernel %s (launched at %s:%d): %zu bytes of __shared__ variables: nvcc "
                "takes %zu at most; more must be dynamic (extern __shared__)\n",
                asked->name, asked->file, asked->line, bytes, SIMT_STATIC_SHARED_BYTES);
        simt_exit();
    }
}

/* The error, or cudaSuccess. */
static cudaError_t refused(const struct simt_launch *asked)
{
    char reason[128];
    cudaError_t error = simt_check_launch(asked, reason, sizeof reason);
    if (simt_lost() != cudaSuccess) {
        return simt_lost();
    }
    if (error != cudaSuccess) {
        simt_launch_failed(asked, error, reason);
        return error;
    }
    refuse_static_shared(asked);
    return cudaSuccess;
}

int simt_launch_kernel(const struct simt_launch *asked)
{
    const char *reason;
    cudaError_t error;
    SIMT_API;
    error = refused(asked);
    if (error != cudaSuccess) {
        return (int)error;
    }
    error = simt_run(asked, &reason);
    if (error == cudaErrorAssert) {
        simt_lose(error);
        return cudaSuccess; /* the calls that come tell */
    }
    if (error != cudaSuccess) {
        simt_launch_failed(asked, error, reason);
    }
    return (int)error;
}
